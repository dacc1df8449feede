//! What does flang's front end make of a source? Bitcode, and a file for each module of it.
//!
//! flang writes no rule for `make`. Which files a source includes, its list of sources says
//! (`-fdebug-dump-provenance`), those that a macro names, too. Files of modules are read where they are found by name,
//! so all that lie in folders where flang looks decide, whether the source uses them or not.
//!
//! Input: the words of the front end, of which `words.rs` knows what they change. Output: bitcode, and files of modules.
//! Cost: hashes of the source, of what it includes and of files of modules; else flang's own work, and its
//! preprocessor once more. Limit: files of flang's own, OpenMP's among them, are known by the compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use opcost_answer::Failure;
use opcost_cache::choice::cache;
use opcost_cache::{Cache, Evidence, Made, Recipe, RecipeHash};

use super::front::FrontEnd;
use super::search::is_timeless;
use super::tool::mix_in;
use crate::running::{pass_on, status_of, status_reporting, wants_colour};

/// One job of flang's front end.
#[derive(Clone, Copy)]
pub(crate) struct FortranJob<'a> {
    /// The job.
    pub(crate) front: FrontEnd<'a>,
    /// Whether the folder of modules is one of this build, whose place does not matter.
    pub(crate) has_own_folder: bool,
}

/// Names of files of modules, and what is in them.
type ModuleFiles = BTreeMap<OsString, Vec<u8>>;

/// Has the bitcode and files of modules made, or takes them as they were made before; the exit status.
///
/// # Errors
/// flang is missing.
pub(crate) fn compile(job: FortranJob<'_>) -> Result<u8, Failure> {
    compile_with(cache(), job)
}

fn compile_with(cache: Option<Cache>, job: FortranJob<'_>) -> Result<u8, Failure> {
    let begun = SystemTime::now();
    let place = cache.and_then(|cache| Some((key(job)?, cache)));
    let program = job.front.program;
    let mut command = Command::new(program);
    command.args(job.front.short);
    let Some((key, cache)) = place else { return status_of(&mut command, program) };
    if taken(&cache, key, job).is_some() {
        return Ok(0);
    }
    let before = module_files(&job.module_folder());
    let (status, report) = status_reporting(&mut command, program)?;
    if status == 0 {
        // What cannot be kept is compiled again the next time.
        let _ = made(job, before.as_ref(), report)
            .and_then(|made| cache.store(key, &made, &evidence(job)?, begun));
    }
    Ok(status)
}

/// The bitcode, the names of files of modules, and these files.
fn made(job: FortranJob<'_>, before: Option<&ModuleFiles>, report: Vec<u8>) -> Option<Made> {
    let before = before?;
    let mut written = module_files(&job.module_folder())?;
    written.retain(|name, content| before.get(name) != Some(content));
    let names = written.keys().map(|name| name.to_str()).collect::<Option<Vec<_>>>()?.join("\n");
    let mut products = vec![std::fs::read(job.front.output).ok()?, names.into_bytes()];
    products.extend(written.into_values());
    Some(Made { products, report })
}

/// Writes what was made before, and says what was said.
fn taken(cache: &Cache, key: RecipeHash, job: FortranJob<'_>) -> Option<()> {
    let made = cache.find(key)?;
    let [bitcode, names, modules @ ..] = &made.products[..] else { return None };
    let names: Vec<&str> = std::str::from_utf8(names).ok()?.lines().collect();
    (names.len() == modules.len()).then_some(())?;
    for (name, content) in names.into_iter().zip(modules) {
        let path = job.module_folder().join(name);
        // As flang does: whoever looks at its time sees no change where there is none.
        if std::fs::read(&path).ok().as_ref() != Some(content) {
            std::fs::write(path, content).ok()?;
        }
    }
    std::fs::write(job.front.output, bitcode).ok()?;
    pass_on(&made.report);
    Some(())
}

/// Represents all that decides what is made but included files; none if that is not known.
fn key(job: FortranJob<'_>) -> Option<RecipeHash> {
    let is_known = job.front.behind("-x").is_some_and(|language| language.as_bytes().starts_with(b"f95"));
    (is_known && job.front.words.first()? == "-fc1").then_some(())?;
    let mut recipe = Recipe::new("Fortran");
    mix_in(&mut recipe, job.front.program.as_os_str())?;
    recipe.variables(&["PWD"]);
    recipe.bytes(std::env::current_dir().ok()?.as_os_str().as_bytes());
    recipe.bytes(if wants_colour() { b"colour" } else { b"plain" });
    let mut words = job.front.words.iter();
    while let Some(word) = words.next() {
        recipe.bytes(word.as_bytes());
        // Where it goes does not matter to what is made.
        if word == "-o" || word == MODULE_FOLDER && job.has_own_folder {
            words.next();
        }
    }
    recipe.file(job.source()?)?;
    for folder in job.folders() {
        for (name, content) in module_files(&folder)? {
            recipe.bytes(name.as_bytes()).bytes(&content);
        }
        recipe.bytes(b"/");
    }
    Some(recipe.finish())
}

/// Files of modules in a folder; none of what is no folder, and nothing if it cannot be read.
fn module_files(folder: &Path) -> Option<ModuleFiles> {
    if !folder.exists() {
        return Some(ModuleFiles::new());
    }
    let mut files = ModuleFiles::new();
    for entry in std::fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        if path.extension().is_some_and(|end| end == "mod") && path.is_file() {
            files.insert(path.file_name()?.to_owned(), std::fs::read(&path).ok()?);
        }
    }
    Some(files)
}

/// Files that were read, and those that would have been read in their places.
fn evidence(job: FortranJob<'_>) -> Option<Evidence> {
    let here = std::env::current_dir().ok()?;
    let read = included(job)?;
    let mut folders: Vec<PathBuf> = job.folders().into_iter().map(|folder| here.join(folder)).collect();
    folders.extend(read.iter().filter_map(|path| Some(here.join(path.parent()?))));
    let read: BTreeSet<PathBuf> = read.into_iter().map(|path| here.join(path)).collect();
    let mut absent = BTreeSet::new();
    for path in &read {
        is_timeless(&std::fs::read(path).ok()?).then_some(())?;
        let names: Vec<&Path> = folders.iter().filter_map(|folder| path.strip_prefix(folder).ok()).collect();
        absent.extend(folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name))));
    }
    absent.retain(|path| path.symlink_metadata().is_err());
    let (read, absent) = (read.into_iter().collect(), absent.into_iter().collect());
    Some(Evidence { read, absent, listed: Vec::new() })
}

/// The source and what it includes, as flang lists them.
fn included(job: FortranJob<'_>) -> Option<Vec<PathBuf>> {
    let mut question = Command::new(job.front.program);
    let mut words = job.front.words.iter();
    while let Some(word) = words.next() {
        match word.to_str()? {
            "-o" => drop(words.next()),
            "-emit-llvm-bc" | "-emit-obj" => {}
            _ => drop(question.arg(word)),
        }
    }
    // The source is the last word, and comes after its language.
    question.arg("-fdebug-dump-provenance").stdin(Stdio::null()).stderr(Stdio::null());
    let output = question.output().ok()?;
    output.status.success().then_some(())?;
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let named = lines.filter_map(|line| line.strip_prefix(b"SourceFile '")?.strip_suffix(b"'"));
    let mut paths: Vec<PathBuf> = named.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect();
    // A list without the source is none.
    let source = job.source()?.canonicalize().ok()?;
    paths.iter().any(|path| path.canonicalize().is_ok_and(|path| path == source)).then_some(())?;
    paths.sort_unstable();
    paths.dedup();
    Some(paths)
}

/// By this word flang knows where files of modules go.
const MODULE_FOLDER: &str = "-module-dir";

impl FortranJob<'_> {
    fn source(&self) -> Option<&Path> {
        self.front.words.last().map(Path::new)
    }

    /// Where files of modules are written.
    fn module_folder(&self) -> PathBuf {
        PathBuf::from(self.front.behind(MODULE_FOLDER).unwrap_or(OsStr::new(".")))
    }

    /// Where files of modules and included ones are looked for, but those of the compiler.
    fn folders(&self) -> Vec<PathBuf> {
        let named =
            self.front.words.windows(2).filter(|two| two[0] == "-I").map(|two| PathBuf::from(&two[1]));
        [PathBuf::from(".")].into_iter().chain(named).chain([self.module_folder()]).collect()
    }
}

#[cfg(test)]
#[path = "fortran_tests.rs"]
mod tests;
