//! Which compilers are at hand?
//!
//! clang 22 by its versioned name, then by its plain name when that is 22:
//! bitcode of a newer clang could not be read. `OPCOST_CLANG` overrides.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_job::LLVM_MAJOR;

use crate::cached::version::version_text;

/// Compilers found on this machine.
pub struct Tools {
    /// clang, by a name that PATH knows or by the path that `OPCOST_CLANG` gives.
    pub clang: PathBuf,
    /// The clang++ that belongs to it.
    pub clangxx: PathBuf,
    /// `clang 22.1.8`, for the map.
    pub clang_version: String,
    /// Looked for when something wants it.
    flang: OnceCell<(PathBuf, String)>,
}

const REMEDY: &str = "install it with: apt-get install clang-22 (Debian 12: its security suite has LLVM 22)";

impl Tools {
    /// Looks for the tools every build needs.
    pub fn find() -> Result<Tools, Failure> {
        let named = std::env::var_os("OPCOST_CLANG").map(PathBuf::from);
        let candidates = match named {
            Some(named) => vec![named],
            None => vec![PathBuf::from("clang-22"), PathBuf::from("clang")],
        };
        let mut seen = None;
        for clang in candidates {
            let Some(version) = version_of(&clang) else { continue };
            if version.starts_with("22.") {
                let clangxx = companion(&clang);
                let clang_version = format!("clang {version}");
                return Ok(Tools { clang, clangxx, clang_version, flang: OnceCell::new() });
            }
            seen = Some((clang, version));
        }
        Err(match seen {
            Some((clang, version)) => Failure::ToolMissing {
                tool: "clang 22".to_owned(),
                remedy: format!(
                    "{} is version {version}, whose bitcode this opcost (LLVM {}) cannot be sure to read; {REMEDY}",
                    clang.display(),
                    LLVM_MAJOR
                ),
            },
            None => Failure::ToolMissing { tool: "clang 22".to_owned(), remedy: REMEDY.to_owned() },
        })
    }
}

const FLANG_REMEDY: &str = "install it with: apt-get install flang-22";

impl Tools {
    /// flang and its version. `OPCOST_FLANG` overrides the search.
    pub fn flang(&self) -> Result<(PathBuf, String), Failure> {
        if let Some(flang) = self.flang.get() {
            return Ok(flang.clone());
        }
        let candidates = match std::env::var_os("OPCOST_FLANG") {
            Some(named) => vec![PathBuf::from(named)],
            None => vec![PathBuf::from("flang-22"), PathBuf::from("flang")],
        };
        let found = candidates.into_iter().find_map(|flang| {
            let version = version_of(&flang).filter(|version| version.starts_with("22."))?;
            Some((flang, format!("flang {version}")))
        });
        let found = found.ok_or_else(|| Failure::ToolMissing {
            tool: "flang 22, which compiles Fortran,".to_owned(),
            remedy: FLANG_REMEDY.to_owned(),
        })?;
        Ok(self.flang.get_or_init(|| found).clone())
    }
}

/// `clang-22` → `clang++-22`.
fn companion(clang: &Path) -> PathBuf {
    let name = clang.file_name().unwrap_or_default().to_string_lossy().replacen("clang", "clang++", 1);
    clang.with_file_name(name)
}

/// What `--version` says, as `22.1.8`.
pub fn version_of(tool: &Path) -> Option<String> {
    let text = version_text(tool)?;
    let (_, rest) = text.split_once("version ").or_else(|| text.split_once(' '))?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    Some(rest[..end].to_owned())
}
