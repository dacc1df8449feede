//! What does clang make of files that opcost carries?
//!
//! Every build needs the runtime's objects, and compiling them takes longer than all else that is done
//! for a small program. What decides them is clang's words, its file, its environment and the carried
//! files, wherever the build lies; headers of others are evidence.
//!
//! Cost: a few milliseconds if it is there; else a second run of clang's preprocessor, which names the
//! included files. Limits: a header that newly hides another one, and a changed file of options for clang,
//! are not seen here.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use opcost_answer::Failure;
use opcost_cache::choice::cache;
use opcost_cache::{Cache, Evidence, Made, Recipe, RecipeHash};

use super::rules::files_of;
use super::tool::mix_in;
use crate::running::run_tool;

/// What one call of clang makes of opcost's own files.
pub(crate) struct Order<'a> {
    /// The build's folder; its place does not matter to what is made.
    pub(crate) scratch: &'a Path,
    /// Folders of opcost's own files, below it.
    pub(crate) carried: &'a [&'a Path],
    /// The files that are made.
    pub(crate) products: &'a [PathBuf],
    /// What messages call it.
    pub(crate) name: &'a str,
}

/// Has the products made by this call of clang, or takes them as they were made before.
///
/// # Errors
/// clang is not there, or fails.
pub(crate) fn make(command: &mut Command, order: &Order<'_>) -> Result<(), Failure> {
    make_with(cache(), command, order)
}

fn make_with(cache: Option<Cache>, command: &mut Command, order: &Order<'_>) -> Result<(), Failure> {
    let begun = SystemTime::now();
    let place = cache.and_then(|cache| Some((key(command, order)?, cache)));
    if let Some((key, cache)) = &place
        && cache.find(*key).and_then(|made| restore(&made, order)).is_some()
    {
        return Ok(());
    }
    let clang = PathBuf::from(command.get_program());
    run_tool(command, &clang, Path::new(order.name))?;
    if let Some((key, cache)) = &place {
        // What cannot be kept is made again by the next build.
        let _ = save(command, order).and_then(|(made, evidence)| cache.store(*key, &made, &evidence, begun));
    }
    Ok(())
}

/// Represents all that decides what is made but the files of others; none if that is not known.
fn key(command: &Command, order: &Order<'_>) -> Option<RecipeHash> {
    let mut recipe = Recipe::new("carried");
    mix_in(&mut recipe, command.get_program())?;
    for argument in command.get_args() {
        recipe.bytes(&without(argument.as_bytes(), order.scratch.as_os_str().as_bytes()));
    }
    for folder in order.carried {
        mix_in_folder(&mut recipe, folder, order.products)?;
    }
    Some(recipe.finish())
}

/// Mixes in a folder's names and contents, but for the products.
fn mix_in_folder(recipe: &mut Recipe, folder: &Path, products: &[PathBuf]) -> Option<()> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Some(entry.ok()?.path())).collect::<Option<_>>()?;
    paths.sort_unstable();
    recipe.bytes(&paths.len().to_le_bytes());
    for path in paths.iter().filter(|path| !products.contains(path)) {
        recipe.bytes(path.file_name()?.as_bytes());
        if path.is_dir() {
            mix_in_folder(recipe, path, products)?;
        } else {
            recipe.file(path)?;
        }
    }
    Some(())
}

/// A word in which a folder is called by one name, wherever it is.
fn without(word: &[u8], folder: &[u8]) -> Vec<u8> {
    let mut rest = word;
    let mut named = Vec::new();
    while let Some(position) = rest.windows(folder.len()).position(|part| part == folder) {
        named.extend_from_slice(&rest[..position]);
        named.extend_from_slice(b"<scratch>");
        rest = &rest[position + folder.len()..];
    }
    named.extend_from_slice(rest);
    named
}

/// Writes the products as they were kept.
fn restore(made: &Made, order: &Order<'_>) -> Option<()> {
    let is_whole = made.products.len() == order.products.len();
    is_whole.then_some(())?;
    order
        .products
        .iter()
        .zip(&made.products)
        .try_for_each(|(path, content)| std::fs::write(path, content).ok())
}

/// What was made, and what decided about it; none if that is not known.
fn save(command: &Command, order: &Order<'_>) -> Option<(Made, Evidence)> {
    let products = order.products.iter().map(|path| std::fs::read(path).ok()).collect::<Option<_>>()?;
    let evidence = Evidence { read: included(command, order)?, ..Evidence::default() };
    Some((Made { products, report: Vec::new() }, evidence))
}

/// The files of others that were included, as clang's preprocessor says.
fn included(command: &Command, order: &Order<'_>) -> Option<Vec<PathBuf>> {
    let mut asked = Command::new(command.get_program());
    let mut words = command.get_args();
    while let Some(word) = words.next() {
        if word == "-o" {
            words.next();
        } else {
            asked.arg(word);
        }
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => asked.env(name, value),
            None => asked.env_remove(name),
        };
    }
    let folder = match command.get_current_dir() {
        Some(folder) => folder.to_owned(),
        None => std::env::current_dir().ok()?,
    };
    let output = asked.args(["-M", "-w"]).current_dir(&folder).stderr(Stdio::null()).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let mut paths: Vec<PathBuf> =
        files_of(&output.stdout).into_iter().map(|path| folder.join(path)).collect();
    paths.retain(|path| !order.carried.iter().any(|carried| path.starts_with(carried)));
    paths.sort_unstable();
    paths.dedup();
    Some(paths)
}

#[cfg(test)]
#[path = "carried_tests.rs"]
mod tests;
