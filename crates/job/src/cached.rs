//! Was the same job done before?
//!
//! A job is the same if its worker is, its words, the folder in which it works, and the contents of what
//! it reads. Its own scratch folder has one name in all of that, wherever it lies. Sources whose lines were
//! read are evidence. Kept are jobs that only compute: modules that are built, and analyses. What is
//! refused is asked again.
//!
//! Input: a job and its file. Output: the reply's text, and the files that the job writes. Cost: hashes of what
//! is read and written. Limit: a job that writes a ledger, or has a bound on its time, is done each time.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use opcost_cache::choice::cache;
use opcost_cache::{Cache, Evidence, Made, Recipe, RecipeHash, changed_since};
use opcost_interrupt::Scratch;

use crate::cases::{Job, Reply};
use crate::module::{EarlierRun, MeteredHost, ModuleJob, ModulePurpose, Product};
use crate::program::ProgramSource;

/// What a job reads and writes.
#[derive(Default)]
struct JobFiles {
    read: Vec<PathBuf>,
    written: Vec<PathBuf>,
}

/// A job that may have been done before.
pub(crate) struct CachedJob {
    cache: Cache,
    key: RecipeHash,
    begun: SystemTime,
    /// What it reads that is not its own.
    given: Vec<PathBuf>,
    written: Vec<PathBuf>,
    /// Its scratch folder, as text.
    scratch: Option<String>,
}

/// Whether the job wrote a file, or left it as it was: the map of what is metered, for one.
const WRITTEN: u8 = b'w';
const LEFT: u8 = b'-';

/// In place of the scratch folder.
const SCRATCH: &str = "<the scratch folder>";

impl CachedJob {
    /// Whether replies to this job are kept, and where. `text` is the job as it is sent, `file` where.
    pub(crate) fn of(job: &Job, text: &str, file: &Path, worker: &Path) -> Option<CachedJob> {
        let cache = cache()?;
        let begun = SystemTime::now();
        let files = files_of(job)?;
        let scratch = scratch_of(file);
        let mut recipe = Recipe::new("job");
        recipe.program(&worker.canonicalize().ok()?)?;
        recipe.bytes(std::env::current_dir().ok()?.as_os_str().as_bytes());
        match without_last_run(job) {
            Some(text) => recipe.bytes(named(&text, scratch.as_deref()).as_bytes()),
            None => recipe.bytes(named(text, scratch.as_deref()).as_bytes()),
        };
        for path in &files.read {
            recipe.file(path)?;
        }
        let is_given = |path: &&PathBuf| scratch.as_ref().is_none_or(|scratch| !path.starts_with(scratch));
        let given = files.read.iter().filter(is_given).cloned().collect();
        Some(CachedJob { cache, key: recipe.finish(), begun, given, written: files.written, scratch })
    }

    /// The reply as it was, after the files that the job writes.
    pub(crate) fn taken(&self) -> Option<String> {
        let made = self.cache.find(self.key)?;
        let said = String::from_utf8(made.report).ok()?;
        let (there, reply) = said.split_once('\n')?;
        let paths = self.written.iter().zip(there.bytes()).filter(|(_, there)| *there == WRITTEN);
        for ((path, _), content) in paths.zip(&made.products) {
            std::fs::write(path, content).ok()?;
        }
        Some(match &self.scratch {
            Some(scratch) => reply.replace(SCRATCH, scratch),
            None => reply.to_owned(),
        })
    }

    /// Keeps a reply, if it may be kept.
    pub(crate) fn store(&self, reply: &Reply, text: &str) {
        // What cannot be kept is done again the next time.
        let _ = self
            .made(reply, text)
            .and_then(|(made, evidence)| self.cache.store(self.key, &made, &evidence, self.begun));
    }

    fn made(&self, reply: &Reply, text: &str) -> Option<(Made, Evidence)> {
        // A text that has the folder's other name itself could not be told from it.
        if text.contains(SCRATCH) || self.given.iter().any(|path| changed_since(path, self.begun)) {
            return None;
        }
        let mut evidence = Evidence::default();
        if let Reply::Module(module) = reply {
            if module.reads_files {
                return None;
            }
            let refused =
                module.admission.iter().chain(module.portability.iter().map(|made| &made.admission));
            if refused.into_iter().any(|admission| !admission.objections.is_empty()) {
                return None;
            }
            let (there, gone) = module.sources.iter().cloned().partition(|path: &PathBuf| path.exists());
            evidence = Evidence { read: there, absent: gone, ..evidence };
        }
        let mut made = Made::default();
        for path in &self.written {
            let is_written = changed_since(path, self.begun) && path.exists();
            made.report.push(if is_written { WRITTEN } else { LEFT });
            if is_written {
                made.products.push(std::fs::read(path).ok()?);
            }
        }
        made.report.push(b'\n');
        made.report.extend(named(text, self.scratch.as_deref()).into_bytes());
        Some((made, evidence))
    }
}

/// The text of a job without the branches of the last run, if it has one. The same module is built once, and once more
/// after a long run.
fn without_last_run(job: &Job) -> Option<String> {
    let Job::Module(module) = job else { return None };
    let Some(EarlierRun::Last { is_long, .. }) = module.earlier else { return None };
    let earlier = is_long.then(|| EarlierRun::Last { branches: PathBuf::new(), is_long });
    serde_json::to_string(&Job::Module(Box::new(ModuleJob { earlier, ..ModuleJob::clone(module) }))).ok()
}

/// A text in which the scratch folder has one name.
fn named(text: &str, scratch: Option<&str>) -> String {
    scratch.map_or_else(|| text.to_owned(), |scratch| text.replace(scratch, SCRATCH))
}

/// The scratch folder of a job's file, under a name that JSON does not write otherwise.
fn scratch_of(file: &Path) -> Option<String> {
    let text = Scratch::holding(file)?.to_str()?.to_owned();
    (serde_json::to_string(&text).ok()? == format!("\"{text}\"")).then_some(text)
}

/// What a job reads and writes; none if it is done each time.
fn files_of(job: &Job) -> Option<JobFiles> {
    let analysis = |program: &ProgramSource| JobFiles { read: program.bitcode.clone(), written: Vec::new() };
    Some(match job {
        Job::Module(job) => module_files(job),
        Job::Loops(job) => analysis(&job.program),
        Job::Predict(job) if job.ledger.is_none() => {
            let mut files = analysis(&job.program);
            files.read.extend(job.trip_counts.clone());
            files
        }
        Job::Slice(job) => {
            let mut files = analysis(&job.program);
            files.read.extend(job.trip_counts.clone());
            files.written.extend(job.products.iter().map(|product| product.output.clone()));
            files
        }
        // A checker has a bound on its time.
        Job::Bits(job) if !job.is_certified => analysis(&job.program),
        Job::Width(job) => analysis(&job.program),
        Job::Explain(job) => analysis(&job.program),
        _ => return None,
    })
}

fn module_files(job: &ModuleJob) -> JobFiles {
    let mut read = vec![job.bitcode.clone()];
    read.extend(job.others.iter().flatten().cloned());
    read.extend(job.library.clone());
    let mut basis = None;
    match &job.purpose {
        ModulePurpose::Predict { runtime } => read.extend(runtime.clone()),
        ModulePurpose::Meter(metering) => {
            if let MeteredHost::Portable(wish) = &metering.host {
                read.extend(wish.library.iter().cloned());
            }
        }
        ModulePurpose::Count { .. } | ModulePurpose::Values(_) | ModulePurpose::Sample { .. } => {}
        ModulePurpose::Live(wish) => basis = Some(wish.basis.clone()),
    }
    if let Some(EarlierRun::Ledger(path)) = &job.earlier {
        read.push(path.clone());
    }
    let written = match job.product {
        Product::Object | Product::Counted => {
            [job.output.clone(), job.map.clone()].into_iter().chain(basis).collect()
        }
        Product::Anchor => vec![job.output.clone()],
        Product::Admission => Vec::new(),
    };
    JobFiles { read, written }
}
