//! What do benches share? opcost, a program of the corpus and a source of it, its compiler, a folder
//! for what is built, values of flags, and the head of a page.
//!
//! Cost: that of a release build, where no opcost is given.

use super::machine::Facts;
use crate::command;
use crate::corpus;
use crate::failure::{Failure, Result};
use crate::manifest::{Language, Program};
use crate::root::repository;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The opcost that is measured: the one that was given, or a release build.
pub(super) fn opcost(given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(path) => std::path::absolute(path).map_err(|error| Failure::at("find", path, error)),
        None => release_build(),
    }
}

/// opcost of this checkout, built.
pub(super) fn release_build() -> Result<PathBuf> {
    release(&["--package", "opcost-cli"], "opcost")
}

/// A release build of a part of this checkout: what cargo is to build, and the file that it makes.
pub(super) fn release(what: &[&str], file: &str) -> Result<PathBuf> {
    let repository = repository()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut command = Command::new(cargo);
    command.args(["build", "--release"]).args(what).current_dir(&repository);
    eprintln!("bench: building {file}");
    command::output_of(&mut command)?;
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository.join("target"), PathBuf::from);
    let target = repository.join(target);
    Ok(target.join("release").join(file))
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

/// The compiler driver for its language.
pub(super) fn clang(program: &Program) -> Command {
    Command::new(if program.language == Language::Cpp { "clang++-22" } else { "clang-22" })
}

/// Gives opcost the sources of a program, its flags and libraries.
pub(super) fn add_program<'a>(command: &'a mut Command, program: &Program) -> &'a mut Command {
    command.args(&program.sources);
    command.args(program.flags.iter().map(|flag| format!("--cflag={flag}")));
    command.args(&program.libraries)
}

/// Why something failed, in one line of a table.
pub(super) fn reason(failure: &Failure) -> String {
    let text = failure.to_string();
    let line = text.lines().next().unwrap_or_default().replace('|', "/");
    line.trim_end_matches(['.', ':']).to_owned()
}

/// Arguments without the folders of files.
pub(super) fn short(words: &[String]) -> String {
    let name = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
    words.iter().map(name).collect::<Vec<_>>().join(" ")
}

/// The number after a flag.
pub(super) fn number(flag: &str, text: &str) -> Result<usize> {
    let number = text.parse().ok().filter(|&number| (1..=50).contains(&number));
    number.ok_or_else(|| Failure::usage(format!("{flag} wants a number from 1 to 50, not {text}")))
}

/// Parts of a page, by their names with commas.
pub(super) fn parts<T: Copy>(all: &[(&str, T)], text: &str) -> Result<Vec<T>> {
    let of = |name: &str| all.iter().find(|(known, _)| *known == name).map(|&(_, part)| part);
    let unknown = |name: &str| {
        let names: Vec<&str> = all.iter().map(|(known, _)| *known).collect();
        Failure::usage(format!("no part is called {name}; there are {}", names.join(", ")))
    };
    text.split(',').map(|name| of(name).ok_or_else(|| unknown(name))).collect()
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

    #[test]
    fn a_reason_is_one_line() {
        assert_eq!(reason(&Failure::new("`cc` failed: a|b:\nmore")), "`cc` failed: a/b");
    }

    #[test]
    fn words_have_no_folders() {
        assert_eq!(short(&["/a/b/bench.lua".to_owned(), "80".to_owned()]), "bench.lua 80");
    }
}
