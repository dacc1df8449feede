//! The commands that the comparison runs.
//!
//! opcost and the example `peers` of its room `recover`, built from this checkout; the
//! oracle `profi`, built with clang++; LLVM's `opt`, `llvm-profgen`, `llvm-link` and
//! `llvm-profdata` by name.

use super::super::{oracle, setup};
use super::measures::Measures;
use crate::command;
use crate::failure::{Failure, Result};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where they are.
pub(super) struct Tools {
    pub(super) opcost: PathBuf,
    peers: PathBuf,
    profi: PathBuf,
}

impl Tools {
    /// Builds what is not given.
    pub(super) fn find(opcost: Option<PathBuf>, folder: &Path) -> Result<Self> {
        Ok(Self {
            opcost: setup::opcost(opcost.as_deref())?,
            peers: peers()?,
            profi: oracle::build("profi", folder)?,
        })
    }

    /// Runs opcost.
    pub(super) fn opcost(&self, words: &[&OsStr]) -> Result<String> {
        command::output_of(Command::new(&self.opcost).args(words))
    }

    /// Runs the example.
    pub(super) fn peers(&self, words: &[&OsStr]) -> Result<String> {
        command::output_of(Command::new(&self.peers).args(words))
    }

    /// Runs the oracle.
    pub(super) fn profi(&self, words: &[&OsStr]) -> Result<String> {
        command::output_of(Command::new(&self.profi).args(words))
    }

    /// How near an estimate is.
    pub(super) fn overlap(&self, estimate: &Path, truth: &Path) -> Result<Measures> {
        let text = self.opcost(&[
            "overlap".as_ref(),
            "--json".as_ref(),
            "-".as_ref(),
            estimate.as_ref(),
            truth.as_ref(),
        ])?;
        serde_json::from_str(&text)
            .map_err(|error| Failure::new(format!("opcost overlap says {text}: {error}")))
    }
}

/// Runs a command of LLVM's.
pub(super) fn llvm(name: &str, words: &[&OsStr]) -> Result<()> {
    command::output_of(Command::new(format!("{name}-22")).args(words)).map(drop)
}

/// Writes a text.
pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).map_err(|error| Failure::at("write", path, error))
}

/// The example, built.
fn peers() -> Result<PathBuf> {
    let repository = crate::root::repository()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    eprintln!("bench: building the example peers");
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--package", "opcost-recover", "--example", "peers"]);
    command::output_of(command.current_dir(&repository))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    Ok(repository.join(target).join("release/examples/peers"))
}
