//! What has the user given? By name first, by contents where names do not tell.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::error::CliError;

/// One input.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) language: Language,
}

/// What an input is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cxx,
    /// `.bc` or `.ll`
    Bitcode,
    /// An object, an archive or a shared library, to be linked as it is.
    Object,
    /// A program.
    Program,
}

impl Input {
    /// Looks at a file.
    pub(crate) fn classify(path: &Path) -> Result<Input, CliError> {
        let mut head = [0; 18];
        let mut file = File::open(path).map_err(CliError::file("read", path))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(CliError::Usage(format!("{} is a folder; give its sources", path.display())));
        }
        let length = file.read(&mut head).map_err(CliError::file("read", path))?;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let language = match extension {
            "c" | "i" => Language::C,
            "cc" | "cpp" | "cxx" | "C" | "c++" | "cp" | "ii" => Language::Cxx,
            "bc" | "ll" => Language::Bitcode,
            "a" => Language::Object,
            _ if head.starts_with(b"\x7fELF") => elf_kind(&head[..length]),
            _ if head.starts_with(b"BC\xc0\xde") => Language::Bitcode,
            _ if head.starts_with(b"!<arch>") => Language::Object,
            _ => {
                return Err(CliError::Usage(format!(
                    "{} is neither a source (.c, .cc, .cpp, …), nor .bc or .ll, nor a program",
                    path.display()
                )));
            }
        };
        Ok(Input { path: path.to_owned(), language })
    }
}

/// Relocatable files and libraries are linked; executables are run. A
/// position-independent executable and a shared library have one type; who is
/// named `.so` is a library.
fn elf_kind(head: &[u8]) -> Language {
    match head.get(16) {
        Some(1) => Language::Object,
        _ => Language::Program,
    }
}
