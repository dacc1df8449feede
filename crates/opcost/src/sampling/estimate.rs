//! From samples to consistent counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use opcost_answer::Failure;
use opcost_answer::count::{BudgetVerdict, CountAnswers, CountFacts, SampledThreads};
use opcost_answer::run::{Finish, RunQuality};
use opcost_key::Hash128;
use opcost_profile::{Ledger, ModuleFacts, Origin, Quality as Sureness, World};
use opcost_recover::{
    CountedModule, Course, MODEL_ERROR, ModuleCounts, ProgramSummary, RepairOptions, RepairSolver, Repaired,
    RunFacts, SampledModule, Starts, make_ledger, raw_ledger, repair, summarize,
};
use opcost_sample::{End, Samples};

use super::locations::{
    LEAST_SAMPLES, ObservedModule, Placed, cycles_per_sample, nothing_observed, placed, too_few,
};
use crate::counting::ending;
use crate::machine::machine;

/// Everything that samples say of a program.
pub struct Estimate {
    /// What was seen, by module.
    pub modules: Vec<ObservedModule>,
    /// The consistent counts.
    pub repaired: Repaired,
    /// Samples in the program.
    pub own: u64,
    /// Samples in other images.
    pub elsewhere: BTreeMap<String, u64>,
    /// Cycles of the processor between two samples.
    pub cycles_per_sample: f64,
}

impl Estimate {
    /// Leads the samples to code and makes the counts consistent.
    ///
    /// # Errors
    /// No sample, or too few, are in code that was built to be sampled.
    pub fn of(samples: &Samples, images: &[PathBuf], solver: RepairSolver) -> Result<Estimate, Failure> {
        let placed = placed(samples, images)?;
        if placed.modules.is_empty() {
            return Err(nothing_observed(samples, &placed.elsewhere, images));
        }
        Estimate::of_placed(samples, placed, solver)
    }

    /// Makes the counts of samples consistent that were led to code.
    ///
    /// # Errors
    /// There are too few.
    pub fn of_placed(samples: &Samples, placed: Placed, solver: RepairSolver) -> Result<Estimate, Failure> {
        let Placed { modules: observed, own, elsewhere, recorded } = placed;
        if own < LEAST_SAMPLES {
            return Err(too_few(own));
        }
        let cycles_per_sample = cycles_per_sample(samples, recorded);
        // The scale of counts that are made of branches is a guess: one start would outvote them.
        let most = if recorded.is_some() { u64::MAX } else { samples.processes.max(1) };
        let starts = Starts { least: 1, most };
        let options = RepairOptions { cycles_per_sample, error: MODEL_ERROR, solver, starts };
        let modules: Vec<SampledModule<'_>> =
            observed.iter().map(|one| SampledModule { map: &one.map, observed: &one.observed }).collect();
        let repaired = repair(&modules, options).map_err(|error| Failure::Counters(error.to_string()))?;
        Ok(Estimate { modules: observed, repaired, own, elsewhere, cycles_per_sample })
    }

    /// The counts with their maps.
    pub fn counted(&self) -> Vec<CountedModule<'_>> {
        self.modules
            .iter()
            .zip(&self.repaired.counts)
            .map(|(one, counts): (&ObservedModule, &ModuleCounts)| CountedModule { map: &one.map, counts })
            .collect()
    }

    /// How many threads each function was sampled in, by name, and module where that is local.
    pub fn threads(&self) -> HashMap<(String, Option<String>), u64> {
        let mut all: HashMap<(String, Option<String>), BTreeSet<u32>> = HashMap::new();
        for one in &self.modules {
            for (function, threads) in &one.threads {
                let function = &one.map.functions[*function];
                let key = (function.name.clone(), function.is_local.then(|| one.map.module.clone()));
                all.entry(key).or_default().extend(threads);
            }
        }
        all.into_iter().map(|(key, threads)| (key, threads.len() as u64)).collect()
    }

    /// As a count would say it. `doubts` are the words on how good it is, and `outside` those on where else time went.
    pub fn answers(&self, samples: &Samples, doubts: Vec<String>, outside: Option<String>) -> CountAnswers {
        let counted = self.counted();
        CountAnswers {
            summary: summarize(&counted),
            facts: CountFacts::of(&self.module_facts(), &counted[0].map.cost.name),
            quality: RunQuality::Estimate(doubts),
            finish: finish(samples.end),
            verdict: BudgetVerdict::None,
            processes: usize::try_from(samples.processes).unwrap_or(usize::MAX).max(1),
            runs: 1,
            is_deterministic: false,
            repetition: None,
            spread: None,
            stacks: None,
            tasks: Some(samples.by_process.clone()),
            threads: Some(SampledThreads { all: samples.threads, by_function: self.threads() }),
            next: Vec::new(),
            calls_known: false,
            not_counted: Vec::new(),
            outside,
            host: None,
            listings: Vec::new(),
            machine: HashMap::new(),
        }
    }

    /// The facts that are kept of such answers.
    ///
    /// # Errors
    /// The counts do not fit their maps.
    pub fn ledger_of(&self, answers: &CountAnswers, command: Vec<String>) -> Result<Ledger, Failure> {
        let course = Course {
            ending: answers.finish.map(ending),
            processes: Some(answers.processes as u64),
            is_held_fixed: answers.is_deterministic,
            doubts: answers.quality.reasons().to_vec(),
        };
        self.ledger(&answers.summary, command, course)
    }

    /// The facts that are kept of the consistent counts.
    ///
    /// # Errors
    /// The counts do not fit their maps.
    pub fn ledger(
        &self,
        summary: &ProgramSummary,
        command: Vec<String>,
        course: Course,
    ) -> Result<Ledger, Failure> {
        let run = RunFacts {
            machine: machine(),
            command,
            origin: Origin::Repaired,
            quality: Sureness::Estimate,
            world: World::Open,
            course,
        };
        make_ledger(&self.counted(), &self.hashes(), summary, &run)
            .map_err(|error| Failure::Counters(error.to_string()))
    }

    /// What samples say by themselves, before they are made consistent.
    ///
    /// # Errors
    /// The observations do not fit their maps.
    pub fn raw_ledger(&self, command: Vec<String>) -> Result<Ledger, Failure> {
        let modules: Vec<SampledModule<'_>> =
            self.modules.iter().map(|one| SampledModule { map: &one.map, observed: &one.observed }).collect();
        raw_ledger(&modules, &self.hashes(), &machine(), command, self.cycles_per_sample)
            .map_err(|error| Failure::Counters(error.to_string()))
    }

    /// How the modules were built.
    pub fn module_facts(&self) -> Vec<ModuleFacts> {
        self.modules.iter().map(|one| ModuleFacts::of(&one.map, one.hash)).collect()
    }

    fn hashes(&self) -> Vec<Hash128> {
        self.modules.iter().map(|one| one.hash).collect()
    }
}

/// How what was sampled ended, if it did.
pub fn finish(end: End) -> Option<Finish> {
    match end {
        End::Exited(status) => Some(Finish::Exited(status)),
        End::Killed(signal) => Some(Finish::Killed(signal)),
        End::GoesOn | End::AllEnded | End::FileEnd | End::FileBrokenOff => None,
    }
}
