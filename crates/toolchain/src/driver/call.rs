//! One call of a compiler: its tools, its words, and what the environment says besides.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_interrupt::Scratch;

use super::own_flags::Wishes;
use super::settings::setting;
use super::words::{Words, quoted};
use crate::tools::Tools;

/// One call of the compiler.
pub struct Drive {
    pub(crate) tools: Tools,
    /// The driver that plans: clang, clang++ or flang.
    pub(crate) driver: PathBuf,
    pub(crate) words: Words,
    pub(crate) folder: Scratch,
    /// The compiler that the build named, if it is another one.
    pub(crate) replaced: Option<String>,
    /// What the user wants of opcost.
    pub(crate) wishes: Wishes,
}

impl Drive {
    /// Arguments, through a response file when the system would not take them.
    pub(crate) fn shortened(&self, arguments: Vec<OsString>, name: &str) -> Result<Vec<OsString>, Failure> {
        let bytes: usize = arguments.iter().map(|argument| argument.len() + 9).sum();
        if bytes < 100_000 {
            return Ok(arguments);
        }
        let path = self.folder.path().join(name).with_extension("rsp");
        std::fs::write(&path, quoted(&arguments)).map_err(Failure::file("write", &path))?;
        let mut at = OsString::from("@");
        at.push(&path);
        Ok(vec![at])
    }
}

/// The folder that names in maps are relative to. It is `OPCOST_ROOT`, else the nearest folder
/// above the source that is the root of a project, else the working folder.
pub(crate) fn root_of(source: &Path) -> PathBuf {
    if let Some(root) = setting("OPCOST_ROOT") {
        return PathBuf::from(root);
    }
    let marks = [".git", ".hg", ".svn", "opcost.toml"].map(OsStr::new);
    let is_root = |folder: &&Path| marks.iter().any(|mark| folder.join(mark).exists());
    let working = std::env::current_dir().unwrap_or_default();
    source.ancestors().skip(1).find(is_root).map_or(working, Path::to_owned)
}
