//! What does clang make of a source of the user's?
//!
//! What decides it is clang, its words, the folder in which it works, and the source; headers are evidence
//! (`search.rs`). Warnings are kept, too, and said again.
//!
//! Cost: the hash of the source, of its headers and of the product; else clang's own work, and a run of its
//! preprocessor on nothing. Limits: `words.rs` lists which words are understood; a header inside a
//! folder that a link leads to is known by the path that clang says.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use opcost_answer::Failure;
use opcost_cache::choice::cache;
use opcost_cache::{Cache, Evidence, Made, Recipe, RecipeHash};
use opcost_job::JobSession;

use super::rules::files_of;
use super::search::evidence_of;
use super::tool::mix_in;
use super::words::are_known;
use crate::running::{pass_on, run_tool, run_tool_reporting, wants_colour};

/// One compilation.
#[derive(Clone, Copy)]
pub(crate) struct Compilation<'a> {
    /// The compiler.
    pub(crate) compiler: &'a Path,
    /// The source; it is no word of the command yet.
    pub(crate) source: &'a Path,
    /// Where the command writes what is made.
    pub(crate) output: &'a Path,
    /// Whether it is C++.
    pub(crate) is_cxx: bool,
    /// Who reads what is made, and starts meanwhile.
    pub(crate) reader: Option<&'a JobSession>,
}

impl Compilation<'_> {
    fn start_reader(self) {
        if let Some(reader) = self.reader {
            reader.start();
        }
    }
}

/// Compiles, or takes what was made before.
///
/// # Errors
/// It does not compile, or clang is missing.
pub(crate) fn compile(command: &mut Command, compilation: Compilation<'_>) -> Result<(), Failure> {
    compile_with(cache(), command, compilation)
}

fn compile_with(
    cache: Option<Cache>,
    command: &mut Command,
    compilation: Compilation<'_>,
) -> Result<(), Failure> {
    let begun = SystemTime::now();
    let place = cache.and_then(|cache| Some((key(command, compilation)?, cache)));
    let Some((key, cache)) = place else {
        compilation.start_reader();
        command.arg(compilation.source);
        return run_tool(command, compilation.compiler, compilation.source);
    };
    if taken(&cache, key, compilation.output).is_some() {
        return Ok(());
    }
    compilation.start_reader();
    let rules = compilation.output.with_added_extension("d");
    command.args(["-MD", "-MF"]).arg(&rules);
    let mut question = Command::new(command.get_program());
    copy(command, &mut question);
    command.arg(compilation.source);
    let report = run_tool_reporting(command, compilation.compiler, compilation.source)?;
    // What cannot be kept is compiled again the next time.
    let _ = evidence(&cache, &question, compilation, &rules).and_then(|evidence| {
        let products = vec![std::fs::read(compilation.output).ok()?];
        cache.store(key, &Made { products, report }, &evidence, begun)
    });
    Ok(())
}

/// Writes what was made before, and says what was said.
fn taken(cache: &Cache, key: RecipeHash, output: &Path) -> Option<()> {
    let made = cache.find(key)?;
    let [product] = &made.products[..] else { return None };
    std::fs::write(output, product).ok()?;
    pass_on(&made.report);
    Some(())
}

/// Represents all that decides what is made but headers; none if that is not known.
fn key(command: &Command, compilation: Compilation<'_>) -> Option<RecipeHash> {
    if !are_known(command.get_args()) {
        return None;
    }
    let mut recipe = Recipe::new("source");
    mix_in(&mut recipe, command.get_program())?;
    // By its name clang takes a source for C or C++, and by PWD it calls the folder.
    recipe.bytes(command.get_program().as_bytes()).variables(&["PWD"]);
    recipe.bytes(std::env::current_dir().ok()?.as_os_str().as_bytes());
    recipe.bytes(if wants_colour() { b"colour" } else { b"plain" });
    let mut words = command.get_args();
    while let Some(word) = words.next() {
        recipe.bytes(word.as_bytes());
        // Where it goes does not matter to what is made.
        if word == "-o" {
            words.next();
        }
    }
    for (name, value) in command.get_envs() {
        recipe.bytes(name.as_bytes()).bytes(value.map_or(b"-", OsStrExt::as_bytes));
    }
    recipe.bytes(compilation.source.as_os_str().as_bytes()).file(compilation.source)?;
    Some(recipe.finish())
}

fn copy(command: &Command, other: &mut Command) {
    other.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
}

fn evidence(
    cache: &Cache,
    question: &Command,
    compilation: Compilation<'_>,
    rules: &Path,
) -> Option<Evidence> {
    let here = std::env::current_dir().ok()?;
    let mut read: Vec<PathBuf> =
        files_of(&std::fs::read(rules).ok()?).into_iter().map(|path| here.join(path)).collect();
    read.push(here.join(compilation.source));
    read.sort_unstable();
    read.dedup();
    evidence_of(cache, question, compilation.is_cxx, read)
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
