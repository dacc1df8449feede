//! What does a front end make of a source in a whole build?
//!
//! `opcost cc` has the words of the front end from the driver's plan (`clang -cc1 …`), which says all that
//! the driver found: folders, the machine, GCC's version. What decides the bitcode is these words, the
//! program, the folder, and the source; headers are evidence. A rule for `make` is kept with the bitcode, and
//! warnings are said again.
//!
//! Input: the user's words, of which `words.rs` knows what they change; those of the front end. Cost: hashes of
//! the source and its headers; else the front end's work, and a run of its preprocessor on nothing. With `-MMD`,
//! whose rule has no headers of the system, the preprocessor reads the source once more.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use opcost_answer::Failure;
use opcost_cache::choice::cache;
use opcost_cache::{Cache, Made, Recipe, RecipeHash};

use super::rules::files_of;
use super::search::{evidence_in, search_of_front_end};
use super::tool::mix_in;
use crate::running::{pass_on, status_of, status_reporting, wants_colour};

/// One job of a front end.
#[derive(Clone, Copy)]
pub(crate) struct FrontEnd<'a> {
    /// The program.
    pub(crate) program: &'a Path,
    /// Its words: `-cc1` first, the source last.
    pub(crate) words: &'a [OsString],
    /// Where the bitcode goes.
    pub(crate) output: &'a Path,
    /// The words as they are handed over, if they are too long for the system.
    pub(crate) short: &'a [OsString],
}

/// Has the bitcode made, or takes it as it was made before; the exit status.
///
/// # Errors
/// The program is missing.
pub(crate) fn compile(job: &FrontEnd<'_>) -> Result<u8, Failure> {
    let begun = SystemTime::now();
    let place = cache().and_then(|cache| Some((key(job)?, cache)));
    let Some((key, cache)) = place else {
        return status_of(Command::new(job.program).args(job.short), job.program);
    };
    if taken(&cache, key, job).is_some() {
        return Ok(0);
    }
    let own = job.output.with_added_extension("d");
    let mut command = Command::new(job.program);
    let is_ruled = job.behind("-dependency-file").is_some();
    let (first, rest) = job.short.split_at(1.min(job.short.len()));
    command.args(first);
    if !is_ruled {
        command.arg("-dependency-file").arg(&own).args(["-MT", "x", "-sys-header-deps"]);
    }
    let (status, report) = status_reporting(command.args(rest), job.program)?;
    if status == 0 {
        // What cannot be kept is compiled again the next time.
        let _ = read_files(job, &own).and_then(|read| {
            let search = search_of_front_end(&cache, job.question()?, job.behind("-x")?)?;
            let evidence = evidence_in(&search, read)?;
            let products: Option<Vec<_>> =
                job.products().iter().map(|path| std::fs::read(path).ok()).collect();
            cache.store(key, &Made { products: products?, report }, &evidence, begun)
        });
    }
    Ok(status)
}

/// Writes what was made before, and says what was said.
fn taken(cache: &Cache, key: RecipeHash, job: &FrontEnd<'_>) -> Option<()> {
    let made = cache.find(key)?;
    let paths = job.products();
    (paths.len() == made.products.len()).then_some(())?;
    for (path, product) in paths.iter().zip(&made.products) {
        std::fs::write(path, product).ok()?;
    }
    pass_on(&made.report);
    Some(())
}

/// All files that were read, those of the system, too.
fn read_files(job: &FrontEnd<'_>, own: &Path) -> Option<Vec<PathBuf>> {
    let here = std::env::current_dir().ok()?;
    let rules = match job.behind("-dependency-file") {
        Some(rules) if job.words.iter().any(|word| word == "-sys-header-deps") => here.join(rules),
        None => own.to_owned(),
        Some(_) => {
            let mut again = job.question()?;
            again.args(["-Eonly", "-w", "-MT", "x", "-sys-header-deps", "-dependency-file"]).arg(own);
            let source = job.words.last()?;
            again.arg("-x").arg(job.behind("-x")?).arg(source).stdout(Stdio::null()).stderr(Stdio::null());
            again.status().ok()?.success().then_some(())?;
            own.to_owned()
        }
    };
    let mut read: Vec<PathBuf> =
        files_of(&std::fs::read(rules).ok()?).into_iter().map(|path| here.join(path)).collect();
    read.push(here.join(job.words.last()?));
    read.sort_unstable();
    read.dedup();
    Some(read)
}

/// Represents all that decides what is made but headers; none if that is not known.
fn key(job: &FrontEnd<'_>) -> Option<RecipeHash> {
    let is_known = matches!(job.behind("-x").and_then(OsStr::to_str), Some("c" | "c++"));
    (is_known && job.words.first()? == "-cc1").then_some(())?;
    // A rule that goes to `/dev/null` or a pipe cannot be read again, and names no header.
    let rules = job.behind("-dependency-file").map(Path::new);
    let is_file = |path: &Path| path.metadata().is_ok_and(|about| about.is_file()) || !path.exists();
    rules.is_none_or(is_file).then_some(())?;
    let mut recipe = Recipe::new("front end");
    mix_in(&mut recipe, job.program.as_os_str())?;
    recipe.variables(&["PWD"]);
    recipe.bytes(std::env::current_dir().ok()?.as_os_str().as_bytes());
    recipe.bytes(if wants_colour() { b"colour" } else { b"plain" });
    let mut words = job.words.iter();
    while let Some(word) = words.next() {
        recipe.bytes(word.as_bytes());
        // Where it goes does not matter to what is made.
        if word == "-o" {
            words.next();
        }
    }
    recipe.file(Path::new(job.words.last()?))?;
    Some(recipe.finish())
}

impl FrontEnd<'_> {
    pub(super) fn behind(&self, name: &str) -> Option<&OsStr> {
        let at = self.words.iter().position(|word| word == name)?;
        self.words.get(at + 1).map(OsString::as_os_str)
    }

    /// The bitcode, and the rule for `make` if one is wanted.
    fn products(&self) -> Vec<PathBuf> {
        let rules = self.behind("-dependency-file").map(PathBuf::from);
        [self.output.to_owned()].into_iter().chain(rules).collect()
    }

    /// The front end in the same words, without what it makes and of what.
    fn question(&self) -> Option<Command> {
        let mut question = Command::new(self.program);
        let (_, words) = self.words.split_last()?;
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.to_str()? {
                "-o" | "-x" | "-dependency-file" | "-MT" | "-main-file-name" => drop(words.next()),
                "-emit-llvm-bc" | "-emit-llvm-uselists" | "-sys-header-deps" | "-MP" => {}
                _ => drop(question.arg(word)),
            }
        }
        question.env("LC_ALL", "C");
        Some(question)
    }
}
