//! One program, run once or several times: what did it count?
//!
//! `count` and `check` run programs, `report` reads what a run left behind;
//! all of them hold a [`Measurement`] then, and every output is made of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::File;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use opcost_interrupt::{Scratch, was_stopped};
use opcost_key::{Hash128, ModuleMap};
use opcost_profile::opcraw::RawFile;
use opcost_profile::{Ledger, ModuleFacts, Origin, ProcessEnding, Quality, World};
use opcost_recover::{
    CountedModule, Course, FunctionListing, ModuleCounts, ProgramSummary, Repetition, RunFacts, compare_runs,
    list_functions, make_ledger, split_at_jumps, summarize, without_returns,
};

use opcost_answer::Failure;
use opcost_answer::count::{BudgetVerdict, CountAnswers, CountFacts, RunSpread};
use opcost_answer::names::shown_name;
use opcost_answer::run::{Finish, RunQuality};
use opcost_run::collect::{Collected, collect};
use opcost_run::deterministic::FixedWorld;
use opcost_run::image::Image;
use opcost_run::missing::{Missing, Ran, missing};
use opcost_run::start::{Launch, Streams, run_program};

use crate::machine::machine;
use crate::progress::work;

/// What is run, and how.
pub struct Task<'a> {
    /// A program built by opcost.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// Where its streams go.
    pub streams: Streams,
    /// How often.
    pub repeat: u32,
    /// Whether its world is held fixed.
    pub is_deterministic: bool,
}

/// The system's number for a descriptor that is closed.
const EBADF: i32 = 9;

/// What was counted.
pub struct Measurement {
    images: BTreeMap<PathBuf, Image>,
    /// At least one.
    runs: Vec<Run>,
    is_deterministic: bool,
    /// The program, if it has no counters of its own: what it loaded or started has.
    host: Option<PathBuf>,
}

/// One run.
struct Run {
    /// How it ended; unknown when only its raw files are there.
    finish: Option<Finish>,
    collected: Collected,
}

impl Measurement {
    /// Runs a program.
    pub fn run(task: &Task<'_>) -> Result<Measurement, Failure> {
        let mut images = BTreeMap::new();
        let real = task.program.canonicalize().map_err(Failure::file("find", task.program))?;
        let host = match Image::of_program(&real)? {
            Some(image) => images.insert(real.clone(), image).and(None),
            None => Some(task.program.to_owned()),
        };
        let world = task.is_deterministic.then(|| FixedWorld::for_program(&real)).transpose()?;
        let input = (task.repeat > 1).then(|| HeldInput::of(&task.streams)).transpose()?.flatten();
        let streams =
            input.as_ref().map_or_else(|| task.streams.clone(), |input| input.streams(&task.streams));
        let task = &Task { streams, ..*task };
        let mut runs = Vec::new();
        for _ in 0..task.repeat {
            runs.push(run_once(task, &real, world.as_ref(), &mut images)?);
            if was_stopped() {
                break;
            }
        }
        Ok(Measurement { images, runs, is_deterministic: task.is_deterministic, host }
            .without_doubtful_returns())
    }

    /// Reads the raw files of one run. They name their programs; `program` is the one that was
    /// moved. Of a file that is damaged nothing is known: it is a reason, if another can be read.
    pub fn of_raw(files: &[PathBuf], program: Option<&Path>) -> Result<Measurement, Failure> {
        let folder = raw_folder()?;
        let mut images = BTreeMap::new();
        let mut damaged = Vec::new();
        for (position, file) in files.iter().enumerate() {
            let real = file.canonicalize().map_err(Failure::file("read", file))?;
            let link = folder.path().join(format!("{position:04}.opcraw"));
            let bytes = std::fs::read(&real).map_err(Failure::file("read", file))?;
            let raw = match RawFile::parse(&bytes) {
                Ok(raw) => raw,
                Err(error) => {
                    damaged.push(format!("{}: {error}", file.display()));
                    continue;
                }
            };
            std::os::unix::fs::symlink(&real, &link).map_err(Failure::file("make", link))?;
            if let Some(program) = program {
                images.insert(PathBuf::from(&raw.image.path), Image::read(program)?);
            }
        }
        if damaged.len() == files.len() {
            return Err(Failure::Counters(damaged.join("\n")));
        }
        let mut collected = collect(folder.path(), &mut images, Finish::Exited(0))?;
        if !damaged.is_empty() {
            damaged.extend(collected.quality.reasons().iter().cloned());
            collected.quality = match collected.quality {
                RunQuality::Estimate(_) => RunQuality::Estimate(damaged),
                RunQuality::Exact | RunQuality::LowerBound(_) => RunQuality::LowerBound(damaged),
            };
        }
        let runs = vec![Run { finish: None, collected }];
        Ok(Measurement { images, runs, is_deterministic: false, host: None }.without_doubtful_returns())
    }

    /// Reads what a program left that was started otherwise and has ended. Its file is where it was.
    pub(crate) fn of_run(folder: &Path, finish: Finish) -> Result<Measurement, Failure> {
        let mut images = BTreeMap::new();
        let collected = collect(folder, &mut images, finish)?;
        if collected.programs.is_empty() {
            return Err(Failure::Counters(format!(
                "the program wrote no counters: it was killed before it began, or could not write to {}",
                folder.display()
            )));
        }
        let runs = vec![Run { finish: Some(finish), collected }];
        Ok(Measurement { images, runs, is_deterministic: false, host: None }.without_doubtful_returns())
    }

    /// Takes out of the counts what may not have happened after tail calls. The maps change with
    /// them, so all runs do, once they are all collected.
    fn without_doubtful_returns(mut self) -> Measurement {
        let mut programs = self.runs.iter().flat_map(|run| &run.collected.programs);
        if !programs.any(|program| program.has_doubtful_returns) {
            return self;
        }
        for program in self.runs.iter_mut().flat_map(|run| &mut run.collected.programs) {
            let maps = &self.images[Path::new(&program.raw.image.path)].maps;
            for (hash, counts) in &mut program.modules {
                if let Some((_, map)) = maps.iter().find(|(other, _)| other == hash) {
                    *counts = without_returns(map, counts, program.has_doubtful_returns);
                }
            }
        }
        for (_, map) in self.images.values_mut().flat_map(|image| &mut image.maps) {
            if let Some(split) = split_at_jumps(map) {
                *map = split;
            }
        }
        self
    }

    /// How the program ended: the first run that failed, or else the first.
    pub fn finish(&self) -> Option<Finish> {
        let failed =
            self.runs.iter().map(|run| run.finish).find(|finish| finish.is_some_and(|f| !f.is_success()));
        failed.unwrap_or(self.runs[0].finish)
    }

    /// How many processes counted in the first run.
    pub fn processes(&self) -> usize {
        let programs = self.runs[0].collected.programs.iter();
        programs.map(|program| program.raw.process.pid).collect::<BTreeSet<_>>().len()
    }

    /// The first run's counts with their maps.
    pub fn modules(&self) -> Vec<CountedModule<'_>> {
        let maps = self.maps();
        let modules = self.runs[0].collected.programs.iter().flat_map(|program| &program.modules);
        modules.map(|(hash, counts)| CountedModule { map: maps[hash], counts }).collect()
    }

    /// All maps by hash.
    fn maps(&self) -> BTreeMap<Hash128, &ModuleMap> {
        self.images.values().flat_map(|image| &image.maps).map(|(hash, map)| (*hash, map)).collect()
    }

    /// What the first run counted, added up.
    pub fn summary(&self) -> ProgramSummary {
        summarize(&self.modules())
    }

    /// What of the program's build was not counted in the first run.
    pub fn missing(&self, program: &Path, summary: &ProgramSummary) -> Vec<Missing> {
        let Ok(program) = program.canonicalize() else { return Vec::new() };
        let programs = self.runs[0].collected.programs.iter();
        let counted = programs.map(|program| PathBuf::from(&program.raw.image.path)).collect();
        let called = summary.calls.external.iter().map(|call| (&*call.name, call.calls)).collect();
        let maps = self.modules().into_iter().map(|module| module.map).collect();
        missing(&Ran { program: &program, counted, called, maps })
    }

    /// What is said of the first run, without verdict and listings.
    pub fn answers(&self) -> CountAnswers {
        let _working = work("adding up");
        CountAnswers {
            summary: self.summary(),
            facts: CountFacts::of(&self.module_facts(), &self.modules()[0].map.cost.name),
            quality: self.quality().clone(),
            finish: self.finish(),
            verdict: BudgetVerdict::None,
            processes: self.processes(),
            runs: 1,
            is_deterministic: self.is_deterministic,
            repetition: self.repetition(),
            spread: self.spread(),
            stacks: None,
            tasks: None,
            threads: None,
            next: Vec::new(),
            calls_known: true,
            not_counted: Vec::new(),
            outside: None,
            host: self.host().map(|host| host.display().to_string()),
            listings: Vec::new(),
            machine: HashMap::new(),
        }
    }

    /// How good the counts are.
    pub fn quality(&self) -> &RunQuality {
        &self.runs[0].collected.quality
    }

    /// The program, if it has no counters of its own and what it loaded or started was counted.
    pub fn host(&self) -> Option<&Path> {
        self.host.as_deref()
    }

    /// Whether the program's world was held fixed.
    pub fn is_deterministic(&self) -> bool {
        self.is_deterministic
    }

    /// What several runs of it say of each other, in a sentence; none of one run.
    pub fn repetition(&self) -> Option<String> {
        (self.runs.len() > 1).then(|| self.compared())
    }

    /// How many runs there were, and the fewest and the most instructions of them, if they differ.
    pub fn spread(&self) -> Option<RunSpread> {
        let maps = self.maps();
        let of = |run: &Run| {
            let modules = run.collected.programs.iter().flat_map(|program| &program.modules);
            let counted: Vec<CountedModule<'_>> =
                modules.map(|(hash, counts)| CountedModule { map: maps[hash], counts }).collect();
            summarize(&counted).weight
        };
        let all: Vec<u128> =
            if self.runs.len() > 1 { self.runs.iter().map(of).collect() } else { Vec::new() };
        let (least, most) = (*all.iter().min()?, *all.iter().max()?);
        (least < most).then_some(RunSpread { runs: all.len(), least, most })
    }

    /// Functions in detail, by their positions in the summary.
    pub fn list(&self, summary: &ProgramSummary, wanted: &[usize]) -> Vec<FunctionListing> {
        list_functions(&self.modules(), summary, wanted)
    }

    /// The facts that are kept. `command` is what the user ran.
    pub fn ledger(&self, summary: &ProgramSummary, command: Vec<String>) -> Result<Ledger, Failure> {
        let programs = &self.runs[0].collected.programs;
        let hashes: Vec<Hash128> =
            programs.iter().flat_map(|program| &program.modules).map(|(hash, _)| *hash).collect();
        let run = RunFacts {
            machine: machine(),
            command,
            origin: Origin::Counted,
            quality: match self.runs[0].collected.quality {
                RunQuality::Exact => Quality::Exact,
                RunQuality::LowerBound(_) => Quality::LowerBound,
                RunQuality::Estimate(_) => Quality::Estimate,
            },
            world: World::Open,
            course: Course {
                ending: self.finish().map(ending),
                processes: Some(self.processes() as u64),
                is_held_fixed: self.is_deterministic,
                doubts: self.runs[0].collected.quality.reasons().to_vec(),
            },
        };
        let mut ledger = make_ledger(&self.modules(), &hashes, summary, &run)
            .map_err(|error| Failure::Counters(error.to_string()))?;
        ledger.about.modules = self.module_facts();
        Ok(ledger)
    }

    /// How the modules of the program were built, by name. Several processes have one module each; the
    /// build has it once.
    pub fn module_facts(&self) -> Vec<ModuleFacts> {
        let maps = self.maps();
        let modules = self.runs[0].collected.programs.iter().flat_map(|program| &program.modules);
        let mut facts: Vec<ModuleFacts> =
            modules.map(|(hash, _)| ModuleFacts::of(maps[hash], *hash)).collect();
        facts.sort_by(|a, b| (&a.module, a.map).cmp(&(&b.module, b.map)));
        facts.dedup_by_key(|module| module.map);
        facts
    }

    fn compared(&self) -> String {
        let maps = self.maps();
        let sums: Vec<BTreeMap<Hash128, ModuleCounts>> = self.runs.iter().map(by_hash).collect();
        let hashes: Vec<Hash128> = sums[0].keys().copied().collect();
        if sums.iter().any(|sum| sum.keys().copied().ne(hashes.iter().copied())) {
            return "the runs did not load the same modules".to_owned();
        }
        let ordered: Vec<&ModuleMap> = hashes.iter().map(|hash| maps[hash]).collect();
        let counts: Vec<Vec<ModuleCounts>> =
            sums.into_iter().map(|sum| sum.into_values().collect()).collect();
        match compare_runs(&ordered, &counts) {
            Repetition::Equal => format!("all {} runs agree to the digit", self.runs.len()),
            Repetition::Parts { function, run, what, first, other, .. } => {
                let number =
                    |count: Option<i128>| count.map_or("unknown".to_owned(), |count| count.to_string());
                format!(
                    "the runs differ: run {} parts from run 1 in {} ({what}: {} against {})",
                    run + 1,
                    shown_name(&function),
                    number(other),
                    number(first)
                )
            }
            Repetition::NotOneProgram { run } => format!("run {} is not of the same program", run + 1),
        }
    }
}

/// How a program ended, as a ledger says it.
pub fn ending(finish: Finish) -> ProcessEnding {
    match finish {
        Finish::Exited(status) => ProcessEnding::Exited(status),
        Finish::Killed(signal) => ProcessEnding::Killed(signal),
    }
}

/// What comes by our input, kept so that each run can read it.
struct HeldInput {
    folder: Scratch,
}

impl HeldInput {
    /// Reads our input to its end, unless a file is named or a person types it. An input that never
    /// ends is waited for; [`work`] informs the user for what.
    fn of(streams: &Streams) -> Result<Option<HeldInput>, Failure> {
        if streams.stdin.is_some() || std::io::stdin().is_terminal() {
            return Ok(None);
        }
        let folder = Scratch::folder("opcost-input-");
        let folder = folder.map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
        let held = HeldInput { folder };
        let mut file = File::create(held.path()).map_err(Failure::file("write", held.path()))?;
        let _working = work("reading the input for all runs (--stdin FILE names one)");
        match std::io::copy(&mut std::io::stdin().lock(), &mut file) {
            // A caller that closed it gives its programs none.
            Err(error) if error.raw_os_error() != Some(EBADF) => {
                Err(Failure::file("read", "the input")(error))
            }
            _ => Ok(Some(held)),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("input")
    }

    fn streams(&self, given: &Streams) -> Streams {
        Streams { stdin: Some(self.path()), ..given.clone() }
    }
}

/// A folder that a program leaves its counters in.
pub(crate) fn raw_folder() -> Result<Scratch, Failure> {
    let folder = Scratch::folder("opcost-raw-");
    folder.map_err(Failure::file("make a folder in", std::env::temp_dir()))
}

fn run_once(
    task: &Task<'_>,
    program: &Path,
    world: Option<&FixedWorld>,
    images: &mut BTreeMap<PathBuf, Image>,
) -> Result<Run, Failure> {
    let raw = raw_folder()?;
    let finish = run_program(Launch {
        program,
        arguments: task.arguments,
        variable: opcost_runtime::DIRECTORY_VARIABLE,
        writes: raw.path(),
        streams: &task.streams,
        world,
        starter: None,
        watched_page: None,
    })?;
    let _working = work("reading the counters");
    let collected = collect(raw.path(), images, finish)?;
    if collected.programs.is_empty() && !images.contains_key(program) {
        return Err(Failure::NotOurs(task.program.to_owned()));
    }
    if collected.programs.is_empty() {
        return Err(Failure::Counters(format!(
            "{} wrote no counters: it was killed before it began, or could not write to {}",
            program.display(),
            raw.path().display()
        )));
    }
    Ok(Run { finish: Some(finish), collected })
}

/// Counts of a run by map; several processes of one run are distinguished by their order, so only
/// the first of each map is compared.
fn by_hash(run: &Run) -> BTreeMap<Hash128, ModuleCounts> {
    let mut sums = BTreeMap::new();
    for (hash, counts) in run.collected.programs.iter().flat_map(|program| &program.modules) {
        sums.entry(*hash).or_insert_with(|| counts.clone());
    }
    sums
}
