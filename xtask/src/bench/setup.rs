//! What does a bench begin with? opcost, a program of the corpus and a source
//! of it, a folder for what it builds, and the head of its page.
//!
//! Cost: that of a release build, where no opcost is given.

use super::columns;
use super::machine::Facts;
use crate::corpus;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use crate::root::repository;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The opcost that is measured: the one that was given, or a release build.
pub(super) fn opcost(given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(path) => std::path::absolute(path).map_err(|error| Failure::at("find", path, error)),
        None => columns::release_build(),
    }
}

/// The folder of a bench's builds, `target/bench/NAME`.
pub(super) fn folder(name: &str) -> Result<PathBuf> {
    let folder = repository()?.join("target/bench").join(name);
    fs::create_dir_all(&folder).map_err(|error| Failure::at("create", &folder, error))?;
    Ok(folder)
}

/// A program of the corpus, fetched if it must be.
pub(super) fn program(name: &str) -> Result<Program> {
    let found = corpus::programs(&[name])?.into_iter().find(|program| program.name == name);
    found.ok_or_else(|| Failure::new(format!("the corpus has no program {name}")))
}

/// A program of the corpus, or of those that `bench tune` alone measures.
pub(super) fn program_of_any_list(name: &str) -> Result<Program> {
    corpus::tuned(name)?.ok_or_else(|| Failure::new(format!("the corpus has no program {name}")))
}

/// The source of a program with this name of a file.
pub(super) fn source<'p>(program: &'p Program, name: &str) -> Result<&'p Path> {
    let found = named(&program.sources, name);
    found.ok_or_else(|| Failure::new(format!("the program {} has no {name}", program.name)))
}

fn named<'s>(sources: &'s [PathBuf], name: &str) -> Option<&'s Path> {
    sources.iter().map(PathBuf::as_path).find(|source| source.ends_with(name))
}

/// The table of facts at the head of a page that callgrind has no part in.
pub(super) fn head(facts: &Facts) -> String {
    let mut text = String::from("| | |\n|---|---|\n");
    for (name, value) in facts.iter().filter(|(name, _)| *name != "valgrind") {
        let _ = writeln!(text, "| {name} | {} |", value.replace('|', "/").replace('\n', " "));
    }
    text
}

/// Writes the page, without the place of the repository, and shows it.
pub(super) fn publish(page: &str, out: &Path) -> Result<()> {
    let page = page.replace(&*repository()?.to_string_lossy(), ".");
    fs::write(out, &page).map_err(|error| Failure::at("write", out, error))?;
    println!("{page}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_is_taken_and_a_source_is_found_by_its_name() {
        let given = opcost(Some(Path::new("target/opcost"))).unwrap();
        assert!(given.is_absolute() && given.ends_with("target/opcost"), "{}", given.display());
        let sources: Vec<PathBuf> = vec!["/a/one.c".into(), "/b/two.c".into()];
        assert_eq!(named(&sources, "two.c"), Some(Path::new("/b/two.c")));
        assert_eq!(named(&sources, "wo.c"), None);
    }

    #[test]
    fn the_head_is_one_table_without_callgrind() {
        let facts = vec![("clang", "22|x\nmore".to_owned()), ("valgrind", "3".to_owned())];
        assert_eq!(head(&facts), "| | |\n|---|---|\n| clang | 22/x more |\n");
    }
}
