//! What a run counted: terminal, page and JSON are made of one [`CountAnswers`].

use std::collections::HashMap;

use opcost_profile::{BuildGroup, ModuleFacts};
use opcost_recover::{
    FunctionListing, FunctionTotal, MachineLine, NoMachineCode, ProgramSummary, SourceLine,
};
use opcost_sample::ProcessSamples;

use crate::names::NameBook;
use crate::numbers::share;
use crate::run::{CallStack, Finish, RunQuality};

/// What a run counted.
pub struct CountAnswers {
    /// Functions with their counts, and the total.
    pub summary: ProgramSummary,
    /// What was built, and how.
    pub facts: CountFacts,
    /// Whether the counts are exact, lower bounds or estimates, and why.
    pub quality: RunQuality,
    /// How the program ended, if that is known.
    pub finish: Option<Finish>,
    /// What was decided about a budget.
    pub verdict: BudgetVerdict,
    /// How many processes counted.
    pub processes: usize,
    /// How many runs the counts are the sum of.
    pub runs: u64,
    /// Whether its world was held fixed.
    pub is_deterministic: bool,
    /// What `--repeat` found, in a sentence.
    pub repetition: Option<String>,
    /// What several runs took, if they differ; what is shown is of the first.
    pub spread: Option<RunSpread>,
    /// Call stacks of samples, if they were asked for.
    pub stacks: Option<Vec<CallStack>>,
    /// Samples by process and thread, if they are samples; a ledger does not have them.
    pub tasks: Option<Vec<ProcessSamples>>,
    /// Threads, if they are samples; a ledger does not have them.
    pub threads: Option<SampledThreads>,
    /// The command to try next.
    pub next: Vec<String>,
    /// Whether calls out of the program are known.
    pub calls_known: bool,
    /// What of the program's build was not counted.
    pub not_counted: Vec<NotCounted>,
    /// Where most samples are, if that is outside of the program.
    pub outside: Option<String>,
    /// The program, if it has no counters of its own: what it loaded or started was counted.
    pub host: Option<String>,
    /// Functions in detail, the hottest first.
    pub listings: Vec<FunctionListing>,
    /// Machine code of listed functions by their position in the summary, if it was
    /// asked for; or why there is none.
    pub machine: HashMap<usize, Result<Vec<MachineLine>, NoMachineCode>>,
}

/// In which threads a program was sampled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampledThreads {
    /// Threads that there were, with samples or without.
    pub all: u64,
    /// In how many each function was sampled, by name, and module where that is local.
    pub by_function: HashMap<(String, Option<String>), u64>,
}

/// A part of a program's build that was not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotCounted {
    /// Names of functions, or of a library.
    pub what: String,
    /// Why.
    pub reason: String,
    /// How to have it counted, if that can be.
    pub next: Option<String>,
}

/// Facts about the build.
pub struct CountFacts {
    /// Name of the weights: `unit/1`.
    pub cost_model: String,
    /// The modules, by the ways that they were built in, in their order.
    pub groups: Vec<BuildGroup>,
    /// Whether any module has debug information with lines.
    pub has_lines: bool,
}

impl CountFacts {
    /// Facts about these modules.
    pub fn of(modules: &[ModuleFacts], cost_model: &str) -> CountFacts {
        CountFacts {
            cost_model: cost_model.to_owned(),
            groups: BuildGroup::of(modules),
            has_lines: modules.iter().any(|module| module.build.has_debug_lines),
        }
    }

    /// One fact about the first module's group.
    pub fn first<T: Default>(&self, fact: impl Fn(&BuildGroup) -> T) -> T {
        self.groups.first().map(fact).unwrap_or_default()
    }
}

/// What was decided about a budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BudgetVerdict {
    /// No budget was given.
    None,
    /// Within it.
    Within {
        /// Most instructions that it may do, in units of the cost model.
        budget: u128,
    },
    /// Over it, and who is to blame.
    Over {
        /// Most instructions that it may do, in units of the cost model.
        budget: u128,
        /// Functions that do more than in the baseline.
        grew: Growth,
    },
}

/// Which functions made it too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Growth {
    /// No baseline was given.
    Unknown,
    /// The baseline is not comparable, for this reason.
    Refused(String),
    /// Functions that do more than in the baseline, the most first.
    Since(Vec<Grown>),
}

/// A function that does more than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grown {
    /// Linkage name.
    pub name: String,
    /// File and line of the function, as debug information says; none without it.
    pub location: Option<SourceLine>,
    /// What it cost before; `None`: it is new.
    pub before: Option<u128>,
    /// What it costs now, in units of the cost model.
    pub after: u128,
}

/// What several runs took that differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSpread {
    /// How many runs.
    pub runs: usize,
    /// The fewest instructions.
    pub least: u128,
    /// The most.
    pub most: u128,
}

impl CountAnswers {
    /// The instructions of the run that took most.
    pub fn most(&self) -> u128 {
        self.spread.map_or(self.summary.weight, |spread| spread.most.max(self.summary.weight))
    }

    /// What its functions are called, for people.
    pub fn names(&self) -> NameBook {
        NameBook::of_names(self.summary.functions.iter().map(|function| &*function.name))
    }

    /// Functions that ran, the most expensive first.
    pub fn by_cost(&self) -> Vec<&FunctionTotal> {
        let ran = self.summary.functions.iter().filter(|total| total.calls > 0 || total.instructions > 0);
        let mut functions: Vec<_> = ran.collect();
        functions.sort_by(|a, b| b.instructions.cmp(&a.instructions).then_with(|| a.name.cmp(&b.name)));
        functions
    }

    /// How often a function was called; `None` where samples do not say it.
    pub fn calls_of(&self, function: &FunctionTotal) -> Option<u128> {
        self.knows_calls().then_some(function.calls)
    }

    /// Whether numbers of calls are known: not of samples.
    pub fn knows_calls(&self) -> bool {
        !matches!(self.quality, RunQuality::Estimate(_))
    }

    /// In how many threads a function ran at least; `None` where that is not known, or it was not hit.
    pub fn threads_of(&self, function: &FunctionTotal) -> Option<u64> {
        let key = (function.name.clone(), function.module.clone());
        self.threads.as_ref()?.by_function.get(&key).copied()
    }

    /// The share of the total.
    pub fn share(&self, instructions: u128) -> f64 {
        share(instructions, self.summary.weight)
    }
}
