//! What is hot is replaced: when, and by what?
//!
//! A function of which [`ENOUGH`] samples were taken is hot. If it has loops, running activations are requested to record
//! their values first: at each header the next arrival writes them down. The version has a continuation for each header that
//! was reached, with the values that no loop changes as constants. If it is called again and again, it is a whole function
//! as well. If samples of the first version go on, there is another version, without constants, [`MOST_VERSIONS`] at most. What a few
//! samples said of branches is little, so a function that is entered again and again is compiled again by [`BETTER`] of them.
//!
//! What cannot be made is refused for good, and the function stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use opcost_answer::Failure;
use opcost_answer::live::{ExcludedFunction, LiveAnswers, LiveSamples, LiveVersion, RefusedVersion, RunMode};
use opcost_job::JobStopper;
use opcost_key::live::{
    ActivationFacts, FunctionWeights, LiveObject, LiveValue, ReplaceableFunction, ValueFact, VersionPlan,
};
use opcost_sample::Samples;

use super::hits::{CodeRanges, FunctionKey, Hits};
use super::make::ReadyVersion;
use super::memory::read_objects;
use super::notes::{Note, Notes};
use super::program::ReplaceableProgram;
use super::store::Store;
use super::stress::Stress;
use super::weights::ENOUGH;

/// How long activations are waited for that write their values down.
const PATIENCE: Duration = Duration::from_millis(40);
/// How long the headers around one that was reached are waited for.
const MOMENT: Duration = Duration::from_millis(8);
/// Activations write their values down sooner than the next samples come.
const SOON: Duration = Duration::from_millis(2);
/// Calls of a function that is entered again and again.
const CALLS: u64 = 4;
/// Functions of earlier runs that are replaced at once.
const MOST_STORED: usize = 40;
/// What a version of any function costs, as so many instructions of it.
const COST_OF_ANY: u64 = 300;
/// Instructions of a function whose continuations are not made with its first entry.
const LARGE: u64 = 2000;
/// How often a function is compiled again at most.
const MOST_VERSIONS: usize = 3;
/// Samples of a function that are worth a version by a better profile: so many, and so many times those of the last.
const BETTER: u64 = 20 * ENOUGH;
const TIMES: u64 = 8;
/// How often that is done at most.
const MOST_BETTER: usize = 3;
/// A version by a better profile is worth this part of a first one.
const PART: u64 = 16;
/// The optimiser's level for versions.
const LEVEL: u8 = 3;

/// A function in which samples were taken.
#[derive(Clone, Copy, Debug)]
struct HotFunction {
    key: FunctionKey,
    samples: u64,
}

/// What was done with a function.
#[derive(Debug, Default)]
struct Progress {
    /// Headers that write values down, with the number of the note.
    requested: BTreeMap<u32, Note>,
    /// Headers that were ever requested.
    tried: BTreeSet<u32>,
    since: Option<Instant>,
    versions: usize,
    /// Samples of all its versions when the last one was made, and how often it was made by a better profile.
    made_by: u64,
    better: usize,
    is_called: bool,
    /// Headers at which every activation is left.
    left: BTreeSet<u32>,
    entered: Option<Instant>,
    /// Samples of the first version a while after the last one came.
    before: Option<u64>,
    is_refused: bool,
}

impl Progress {
    /// Whether the first version still runs after the last one came. `first` are its samples.
    fn goes_on(&self, first: u64) -> bool {
        self.before.is_some_and(|before| first >= before + 4 * ENOUGH)
    }
}

/// Follows a program and replaces what is hot.
pub(super) struct Supervisor {
    program: ReplaceableProgram,
    mode: RunMode,
    ranges: CodeRanges,
    progress: BTreeMap<FunctionKey, Progress>,
    notes: Notes,
    begun: Instant,
    versions: Vec<LiveVersion>,
    /// Whose each version is.
    keys: Vec<FunctionKey>,
    refused: Vec<RefusedVersion>,
    stress: Option<Stress>,
    store: Option<Store>,
}

impl Supervisor {
    /// Of a program that is to begin.
    pub(super) fn new(
        mut program: ReplaceableProgram,
        mode: RunMode,
        stress: Option<u64>,
        store: Option<Store>,
    ) -> Result<Supervisor, Failure> {
        let mut stress = stress.map(|seed| Stress::prepare(&mut program, seed));
        let mut ranges = CodeRanges::of(&program.path, &program.modules)?;
        let made = stress.as_mut().map_or_else(Vec::new, |stress| std::mem::take(&mut stress.linked));
        for (version, (key, linked)) in made.iter().enumerate() {
            ranges.add(*key, version, linked);
        }
        Ok(Supervisor {
            stress,
            ranges,
            program,
            mode,
            progress: BTreeMap::new(),
            notes: Notes::new(),
            begun: Instant::now(),
            versions: Vec::new(),
            keys: made.into_iter().map(|(key, _)| key).collect(),
            refused: Vec::new(),
            store,
        })
    }

    /// What ends the making of versions.
    pub(super) fn stopper(&self) -> JobStopper {
        self.program.build.stopper()
    }

    /// Looks at samples until there are no more.
    pub(super) fn follow(mut self, samples: &Receiver<Samples>) -> Supervisor {
        self.begun = Instant::now();
        if let Some(stress) = &mut self.stress {
            stress.follow(&self.program, samples);
            self.versions = std::mem::take(&mut stress.versions);
            self.refused = std::mem::take(&mut stress.refused);
            return self;
        }
        self.begin_with_stored();
        while let Ok(mut last) = samples.recv() {
            // A version takes longer to make than the next samples to come, and by them another may be worth more.
            loop {
                while let Ok(newer) = samples.try_recv() {
                    last = newer;
                }
                if self.step(&last) {
                    continue;
                }
                if !self.is_waiting() {
                    break;
                }
                match samples.recv_timeout(SOON) {
                    Ok(newer) => last = newer,
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return self,
                }
            }
        }
        self
    }

    /// Whether values are to be written down, which takes less time than the next samples.
    fn is_waiting(&self) -> bool {
        let is_recent = |since: Instant| since.elapsed() < PATIENCE;
        self.progress.values().any(|one| !one.requested.is_empty() && one.since.is_some_and(is_recent))
    }

    /// Replaces what was hot in earlier runs.
    fn begin_with_stored(&mut self) {
        let Some(store) = &self.store else { return };
        let stored = self.ranges.stored(store);
        let mut hot = self.ranges.hot(&stored);
        hot.retain(|(key, _)| self.program.words[key].entry.is_some());
        hot.sort_unstable_by_key(|(key, samples)| std::cmp::Reverse((self.worth(*key, *samples), *key)));
        for (key, _) in hot.into_iter().take(MOST_STORED) {
            let weights = self.ranges.stored_weights(&stored, key, &self.program.modules);
            self.replace(HotFunction { key, samples: 0 }, weights, None);
        }
    }

    /// What a version of a function is worth, by samples and by what it costs.
    fn worth(&self, key: FunctionKey, samples: u64) -> u64 {
        samples * 1_000_000 / (COST_OF_ANY + self.function(key).instructions)
    }

    /// Adds what was sampled to the store. `command` is what ran.
    pub(super) fn save(&self, samples: &Samples, command: &[String]) -> Result<(), Failure> {
        let Some(store) = &self.store else { return Ok(()) };
        let ledgers = self.ranges.ledgers(samples, command);
        for (hash, ledger) in ledgers.map_err(|error| Failure::Counters(error.to_string()))? {
            store.add(hash, ledger)?;
        }
        Ok(())
    }

    /// What came of it, and the code that there was.
    pub(super) fn answers(mut self, samples: &Samples) -> (LiveAnswers, CodeRanges) {
        let hits = self.ranges.hits(samples);
        for (version, count) in &hits.later {
            self.versions[*version].later_samples = *count;
        }
        let answers = LiveAnswers {
            mode: self.mode,
            functions: self.program.modules.iter().map(|module| module.functions.len() as u64).sum(),
            excluded: self.excluded(&hits),
            versions: self.versions,
            refused: self.refused,
            samples: LiveSamples {
                first: hits.first.values().sum(),
                later: hits.later.values().sum(),
                all: samples.total,
            },
            bytes: self.program.arena.used(),
            ..LiveAnswers::default()
        };
        (answers, self.ranges)
    }

    /// Functions that were hot and are excluded.
    fn excluded(&self, hits: &Hits) -> Vec<ExcludedFunction> {
        let hot = hits.first.iter().filter(|(_, count)| **count >= ENOUGH);
        hot.filter_map(|(key, _)| {
            let function = self.function(*key);
            let why = function.why_not.as_ref().or(function.why_stays.as_ref())?;
            Some(ExcludedFunction {
                function: function.name.clone(),
                is_entered: function.why_not.is_none(),
                why: why.clone(),
            })
        })
        .collect()
    }

    fn function(&self, (module, number): FunctionKey) -> &ReplaceableFunction {
        &self.program.modules[module].functions[number]
    }

    /// Replaces the function that is worth most, by samples and by what its version costs. Whether there is one.
    fn step(&mut self, samples: &Samples) -> bool {
        let hits = self.ranges.hits(samples);
        for (key, progress) in &mut self.progress {
            if progress.before.is_none()
                && progress.entered.is_some_and(|entered| entered.elapsed() >= PATIENCE)
            {
                progress.before = Some(hits.first.get(key).copied().unwrap_or(0));
            }
        }
        let mut all = hits.first.clone();
        for (version, count) in &hits.later {
            *all.entry(self.keys[*version]).or_default() += count;
        }
        let first = |key: &FunctionKey| hits.first.get(key).copied().unwrap_or(0);
        let hot: Vec<FunctionKey> = all
            .iter()
            .map(|(key, all)| (*key, *all))
            .filter_map(|(key, all)| self.is_hot(key, first(&key), all).then_some(key))
            .collect();
        for key in &hot {
            self.request(*key, first(key));
        }
        let ready = hot.into_iter().filter(|key| self.is_ready(*key));
        let worth = |key: &FunctionKey| (self.worth(*key, first(key) + (all[key] - first(key)) / PART), *key);
        let Some(key) = ready.max_by_key(worth) else { return false };
        let count = all[&key];
        let process = samples.by_process.iter().max_by_key(|one| one.hits).map(|one| one.pid);
        let weights = self.ranges.weights(samples, key, &self.program.modules);
        self.replace(HotFunction { key, samples: count }, weights, process);
        true
    }

    /// Whether a function is worth a version, or a further one.
    /// `first` are samples in its first version, and `all` those in all versions.
    fn is_hot(&self, key: FunctionKey, first: u64, all: u64) -> bool {
        if self.program.words[&key].entry.is_none() {
            return false;
        }
        match self.progress.get(&key) {
            None => first >= ENOUGH,
            Some(progress) if progress.since.is_some() => true,
            Some(progress) => {
                let goes_on = progress.goes_on(first);
                let mut headers = self.program.words[&key].loops.keys();
                let is_open =
                    self.mode == RunMode::Adaptive && headers.any(|header| !progress.left.contains(header));
                let is_better = progress.is_called
                    && progress.better < MOST_BETTER
                    && all >= BETTER.max(TIMES * progress.made_by);
                let is_left = is_open && goes_on && progress.versions < MOST_VERSIONS + progress.better;
                !progress.is_refused && (is_better || is_left)
            }
        }
    }

    /// Has the headers of a function's loops write values down that have not. Where its first version is left already, a
    /// better one needs no continuations: of a large function each is as much work as the whole.
    fn request(&mut self, key: FunctionKey, first: u64) {
        let progress = self.progress.entry(key).or_default();
        if progress.since.is_some() {
            return;
        }
        progress.since = Some(Instant::now());
        if self.mode != RunMode::Adaptive || (progress.versions > 0 && !progress.goes_on(first)) {
            return;
        }
        // There are fewer notes than a program may have loops. Those go first that were never requested.
        let mut loops: Vec<(&u32, &u64)> = self.program.words[&key].loops.iter().collect();
        loops.sort_by_key(|(header, _)| progress.tried.contains(header));
        for (header, word) in loops {
            if progress.left.contains(header) {
                continue;
            }
            let function = &self.program.modules[key.0].functions[key.1];
            let Some(of) = function.loops.iter().find(|one| one.block == *header) else { continue };
            let Some(note) = self.notes.request(&self.program, *word, of) else { return };
            progress.tried.insert(*header);
            progress.requested.insert(*header, note);
        }
    }

    /// Headers that were reached, of those that were asked.
    fn reached(&self, key: FunctionKey) -> Vec<u32> {
        let requested = self.progress.get(&key).into_iter().flat_map(|progress| &progress.requested);
        requested.filter(|(_, note)| note.is_written(&self.program)).map(|(header, _)| *header).collect()
    }

    /// Whether a version can be made now.
    fn is_ready(&self, key: FunctionKey) -> bool {
        let Some(progress) = self.progress.get(&key) else { return false };
        let waited = progress.since.map_or(PATIENCE, |since| since.elapsed());
        let reached = self.reached(key).len();
        let is_enough = reached == progress.requested.len() || (reached > 0 && waited >= MOMENT);
        is_enough || waited >= PATIENCE
    }

    /// Makes a version, and has the program enter it.
    fn replace(&mut self, hot: HotFunction, weights: Vec<FunctionWeights>, process: Option<u32>) {
        let HotFunction { key, samples } = hot;
        let reached = self.reached(key);
        let tried = self.progress.get(&key).map_or(0, |progress| progress.versions);
        let function = self.function(key).clone();
        let own = weights.iter().find(|one| one.symbol == function.symbol);
        let is_called = own.is_none_or(|own| own.entries >= CALLS);
        // Each continuation is another copy of the function. Where it is large and often entered, that comes later.
        let is_entered_first = tried == 0 && is_called && function.instructions > LARGE;
        let headers = if is_entered_first { Vec::new() } else { self.outermost(key, &reached) };
        // Where activations have other values each, none is a constant.
        let activation = if tried == 0 { self.activation(key, &headers, process) } else { None };
        let has_entry = headers.is_empty() || is_called || tried > 0;
        let constants = activation.as_ref().map_or(0, constants);
        let is_general = activation.is_none();
        let plan = VersionPlan { activation, weights, has_entry, ..self.program.plan(key, &headers) };
        let made = self.program.make(key, plan, LEVEL);
        self.end_notes(key);
        let progress = self.progress.entry(key).or_default();
        progress.since = None;
        progress.before = None;
        progress.entered = Some(Instant::now());
        progress.versions += 1;
        progress.better += usize::from(samples >= BETTER.max(TIMES * progress.made_by) && tried > 0);
        progress.made_by = samples;
        progress.is_called = is_called;
        match made {
            Ok(ReadyVersion { seconds, linked }) => {
                self.program.enter(key, &headers, &linked);
                if is_general {
                    progress.left.extend(&headers);
                }
                self.ranges.add(key, self.versions.len(), &linked);
                self.keys.push(key);
                self.versions.push(LiveVersion {
                    function: function.name,
                    module: self.program.modules[key.0].name.clone(),
                    at: self.begun.elapsed().as_secs_f64() * 1e3,
                    samples,
                    loops: headers,
                    constants,
                    compile: seconds * 1e3,
                    bytes: linked.bytes.len() as u64,
                    later_samples: 0,
                });
            }
            // The program has ended, and that is no refusal.
            Err(_) if self.program.build.stopper().is_stopped() => {}
            Err(why) => {
                progress.is_refused = true;
                self.refused.push(RefusedVersion { function: function.name, why: why.to_string() });
            }
        }
    }

    /// Of headers that were reached those that no other of them is around.
    fn outermost(&self, key: FunctionKey, reached: &[u32]) -> Vec<u32> {
        let loops: BTreeMap<u32, Option<u32>> =
            self.function(key).loops.iter().map(|one| (one.block, one.outer)).collect();
        let is_inside = |header: &u32| {
            let around = std::iter::successors(loops[header], |outer| loops.get(outer).copied().flatten());
            around.into_iter().any(|outer| reached.contains(&outer))
        };
        reached.iter().copied().filter(|header| !is_inside(header)).collect()
    }

    /// What is known of an activation that reached one of these headers.
    fn activation(&self, key: FunctionKey, headers: &[u32], process: Option<u32>) -> Option<ActivationFacts> {
        let header = *headers.first()?;
        let note = *self.progress.get(&key)?.requested.get(&header)?;
        let function = self.function(key);
        let one = function.loops.iter().find(|one| one.block == header)?;
        let noted = |value: &LiveValue| note.value(&self.program, value);
        let values = one.values.iter().map(|value| match value {
            LiveValue { bytes: 0, .. } => ValueFact::Unknown,
            LiveValue { is_fixed: true, .. } => ValueFact::Fixed(noted(value)),
            LiveValue { is_fixed: false, .. } => ValueFact::Once(noted(value)),
        });
        let frames = one.values.iter().enumerate().filter(|(_, value)| value.object > 0);
        let frames =
            frames.map(|(number, value)| (LiveObject::Frame(number as u32), noted(value), value.object));
        let variables = function.variables.iter().filter_map(|(name, bytes)| {
            Some((LiveObject::Variable(name.clone()), self.program.address(name)?, *bytes))
        });
        let memory = process.map_or_else(Vec::new, |process| read_objects(process, frames.chain(variables)));
        Some(ActivationFacts { header, values: values.collect(), memory })
    }

    /// No header writes values down any more.
    fn end_notes(&mut self, key: FunctionKey) {
        let Some(progress) = self.progress.get_mut(&key) else { return };
        for (header, note) in std::mem::take(&mut progress.requested) {
            self.notes.end(&self.program, self.program.words[&key].loops[&header], note);
        }
    }
}

/// Values that are constants in a version.
fn constants(facts: &ActivationFacts) -> u64 {
    facts.values.iter().filter(|value| matches!(value, ValueFact::Fixed(_))).count() as u64
}
