//! Which programs are there, and how is each compiled?
//!
//! What the sets are is written in no list: they are folders of `corpus/loops`. A source
//! in a folder is a program; those in its `common` come along with each.

use crate::failure::{Failure, Result};
use crate::root::repository;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The levels at which everything is looked at.
pub(crate) const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// One program of the sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    /// The name of its file, without what it ends in.
    pub(crate) name: String,
    /// Its main source.
    pub(crate) source: PathBuf,
    /// Sources of which it takes what it needs.
    pub(crate) common: Vec<PathBuf>,
    pub(crate) flags: Vec<OsString>,
    pub(crate) libraries: Vec<String>,
}

/// A folder of programs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) members: Vec<Member>,
}

/// Where the programs are.
pub(crate) fn folder() -> Result<PathBuf> {
    Ok(repository()?.join("corpus/loops"))
}

/// The sets of our own programs, in the order of the pages.
pub(crate) fn sets() -> Result<Vec<Set>> {
    let folder = folder()?;
    ["fortran", "c", "kernels", "hard"].into_iter().map(|name| set(name, &folder)).collect()
}

fn set(name: &'static str, folder: &Path) -> Result<Set> {
    let own = folder.join(name);
    let common = own.join("common");
    let common = if common.is_dir() { sources(&common)? } else { Vec::new() };
    let mut flags: Vec<OsString> = vec!["-I".into(), own.clone().into_os_string()];
    if name == "fortran" {
        flags.extend(["-I".into(), own.join("common").into_os_string()]);
    }
    let libraries =
        if name == "fortran" { Vec::new() } else { ["-lm", "-pthread"].map(str::to_owned).to_vec() };
    let members = sources(&own)?.into_iter().map(|source| Member {
        name: source.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        common: common.clone(),
        flags: flags.clone(),
        libraries: if is_fortran(&source) { Vec::new() } else { libraries.clone() },
        source,
    });
    Ok(Set { name, members: members.collect() })
}

/// The sources directly in a folder, sorted.
pub(crate) fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| Failure::at("list", folder, error))? {
        let path = entry.map_err(|error| Failure::at("list", folder, error))?.path();
        if path.extension().is_some_and(|end| ["c", "f", "f90", "ll"].iter().any(|known| end == *known)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether flang compiles it.
pub(crate) fn is_fortran(source: &Path) -> bool {
    source.extension().is_some_and(|end| end == "f" || end == "f90")
}

/// The compiler for a source.
pub(crate) fn compiler_of(source: &Path) -> Command {
    Command::new(if is_fortran(source) { "flang-22" } else { "clang-22" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sets_are_what_they_are_called() {
        let sets = sets().unwrap();
        let names = |place: usize| -> Vec<&str> {
            sets[place].members.iter().map(|member| member.name.as_str()).collect()
        };
        let programs = ["adi", "cg", "fft", "mesh", "mg", "penta", "rng", "sort", "ssor", "stencil"];
        assert_eq!(names(0), programs);
        assert_eq!(names(1), programs);
        assert_eq!(names(2).len(), 12);
        assert!(names(3).contains(&"assertions") && names(3).contains(&"hostile_longjmp"));
        assert!(sets[0].members.iter().all(|member| is_fortran(&member.source) && member.common.len() == 3));
    }
}
