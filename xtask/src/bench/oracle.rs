//! The programs of `xtask/oracle`, which link LLVM and say what it knows.
//!
//! Each is one source of its name with what it includes; it is built with
//! clang++ and llvm-config, and again when a file of that name has changed.

use crate::command;
use crate::failure::{Failure, Result};
use crate::root::repository;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Tests ask at the same time; one of them builds.
static BUILDING: Mutex<()> = Mutex::new(());

/// Where a file of the oracles is.
pub(super) fn source(name: &str) -> Result<PathBuf> {
    Ok(repository()?.join("xtask/oracle").join(name))
}

/// Builds an oracle, unless the one that is there is younger than its sources.
pub(super) fn build(name: &str, folder: &Path) -> Result<PathBuf> {
    let _turn = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    let program = folder.join(name);
    let age = |path: &Path| fs::metadata(path).and_then(|facts| facts.modified()).ok();
    let parts = [format!("{name}.cpp"), format!("{name}_poison.h")];
    let mut youngest = None;
    for part in &parts {
        youngest = youngest.max(age(&source(part)?));
    }
    if age(&program) > youngest {
        return Ok(program);
    }
    let config = |arguments: &[&str]| -> Result<Vec<String>> {
        let text = command::output_of(Command::new("llvm-config-22").args(arguments))?;
        Ok(text.split_whitespace().map(str::to_owned).collect())
    };
    // Under a name of its own until it is whole: another process may be looking for it.
    let part = folder.join(format!("{name}.part-{}", std::process::id()));
    let mut compiler = Command::new("clang++-22");
    compiler.args(config(&["--cxxflags"])?).arg("-O1").arg(source(&parts[0])?).arg("-o").arg(&part);
    compiler.args(config(&["--link-shared", "--ldflags", "--libs"])?);
    command::output_of(&mut compiler)?;
    fs::rename(&part, &program).map_err(|error| Failure::at("write", &program, error))?;
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oracle_is_built_once() {
        let folder = repository().unwrap().join("target/bench/bits");
        fs::create_dir_all(&folder).unwrap();
        let modified = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        let first = build("bits", &folder).unwrap();
        let age = modified(&first);
        let second = build("bits", &folder).unwrap();
        assert_eq!((&first, age), (&second, modified(&second)));
        assert!(age > modified(&source("bits_poison.h").unwrap()));
        assert!(build("no-such-oracle", &folder).is_err());
    }
}
