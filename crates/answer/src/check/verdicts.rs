//! What a check found of its runs: counts, limits, verdicts.

use opcost_recover::SourceLine;

use super::RecordedCheck;
use super::change::{RecordedTotal, WorkChange};
use crate::Status;
use crate::run::Finish;

/// All runs that were checked.
#[derive(Clone, Debug)]
pub struct CheckedRuns {
    /// The file with the limits, as it was named.
    pub file: String,
    /// Runs that were asked for, by name; all of the file if none was named.
    pub runs: Vec<CheckedRun>,
}

/// One run.
#[derive(Clone, Debug)]
pub struct CheckedRun {
    /// Name of the run in the file.
    pub name: String,
    /// Its line in the file.
    pub line: u32,
    /// Limit of all that it does, in units of the cost model; none if the file sets none.
    pub limit: Option<CheckLimit>,
    /// What it did when its limits were recorded.
    pub recorded_total: Option<RecordedTotal>,
    /// What was counted, if it came to that.
    pub counted: Option<CountToCheck>,
    /// Functions with a limit, and those that are recorded.
    pub functions: Vec<CheckedFunction>,
    /// Whether numbers of functions in the file were written by an earlier version.
    pub has_recorded_functions: bool,
    /// Build that the limits were recorded with; none before the first update.
    pub recorded: Option<RecordedCheck>,
    /// What is said of the run.
    pub verdict: CheckVerdict,
}

/// What a run counted.
#[derive(Clone, Debug)]
pub struct CountToCheck {
    /// All instructions of the run, in units of the cost model.
    pub total: u128,
    /// How the program ended, if that is known.
    pub finish: Option<Finish>,
    /// Build that was counted now; its reason is empty.
    pub build: RecordedCheck,
}

/// The most that something may do, in units of the cost model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckLimit {
    /// The limit itself.
    pub most: u128,
    /// By how much a count may be above it.
    pub tolerance: u128,
    /// Its line in the file, from 1.
    pub line: u32,
}

impl CheckLimit {
    /// How much a count is above it, where that is more than the tolerance.
    fn over(self, count: u128) -> Option<u128> {
        count.checked_sub(self.most).filter(|&over| over > self.tolerance)
    }
}

/// What became of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionFate {
    /// It is there.
    Present,
    /// It has another name.
    Renamed(String),
    /// No function has its name or its body: it is inlined everywhere, removed or rewritten.
    Absent,
    /// It does what functions did that are absent.
    TakesOver,
}

/// A function that has a limit, or is recorded.
#[derive(Clone, Debug)]
pub struct CheckedFunction {
    /// Its name in the file.
    pub listed_name: String,
    /// What became of it.
    pub fate: FunctionFate,
    /// File and line of the function, as debug information says; none without it.
    pub location: Option<SourceLine>,
    /// Instructions that the function did, in units of the cost model, without those of its
    /// callees.
    pub instructions: u128,
    /// What it did when limits were recorded, if it is recorded.
    pub recorded: Option<u128>,
    /// Limit of what it does, if somebody wrote one.
    pub limit: Option<CheckLimit>,
}

/// What is said of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// All counts are exact and within their limits.
    Within,
    /// The run or one of its functions is over its limit.
    Over,
    /// The program did not end with status 0, and that is not ignored.
    ProgramFailed,
    /// It ran, but cannot be judged, for these reasons.
    Refused(Vec<String>),
    /// It could not be built or run.
    Failed(String),
    /// The file asks for what cannot be: a flag that there is not, an input that is none.
    Misused(String),
}

impl CheckedRuns {
    /// The exit status: a wrong file before no verdict before a failed program before a limit.
    pub fn status(&self) -> Status {
        let any = |wanted: fn(&CheckVerdict) -> bool| self.runs.iter().any(|run| wanted(&run.verdict));
        if any(|verdict| matches!(verdict, CheckVerdict::Misused(_))) {
            Status::Usage
        } else if any(|verdict| matches!(verdict, CheckVerdict::Failed(_) | CheckVerdict::Refused(_))) {
            Status::Failed
        } else if any(|verdict| *verdict == CheckVerdict::ProgramFailed) {
            Status::Program
        } else if any(|verdict| *verdict == CheckVerdict::Over) {
            Status::Verdict
        } else {
            Status::Fine
        }
    }

    /// Whether all runs have counts that can become limits.
    pub fn may_update(&self) -> bool {
        self.runs.iter().all(|run| match &run.verdict {
            CheckVerdict::Within | CheckVerdict::Over => true,
            // An update is how another build, or a function that is gone, is accepted.
            CheckVerdict::Refused(reasons) => !reasons
                .iter()
                .any(|reason| reason.starts_with("not exact") || reason.starts_with("the runs")),
            CheckVerdict::ProgramFailed | CheckVerdict::Failed(_) | CheckVerdict::Misused(_) => false,
        })
    }
}

impl CheckedFunction {
    /// How much it is above its limit.
    pub fn over(&self) -> Option<u128> {
        self.limit.and_then(|limit| limit.over(self.instructions))
    }

    /// Whether it breaks its limit.
    pub fn breaks(&self) -> bool {
        self.over().is_some() && self.fate != FunctionFate::TakesOver
    }

    /// What it is called now; none if it is absent.
    pub fn name_now(&self) -> Option<&str> {
        match &self.fate {
            FunctionFate::Present | FunctionFate::TakesOver => Some(&self.listed_name),
            FunctionFate::Renamed(name) => Some(name),
            FunctionFate::Absent => None,
        }
    }
}

impl CheckedRun {
    /// How much the whole run is above its limit.
    pub fn over(&self) -> Option<u128> {
        let total = self.counted.as_ref()?.total;
        self.limit.and_then(|limit| limit.over(total))
    }

    /// Whether the run, or a function with a limit, is above it.
    pub fn is_over(&self) -> bool {
        self.over().is_some() || self.functions.iter().any(CheckedFunction::breaks)
    }

    /// What the run does by what is recorded, where the two compare.
    pub fn change(&self) -> Option<WorkChange> {
        let is_judged = matches!(self.verdict, CheckVerdict::Within | CheckVerdict::Over);
        let total = self.counted.as_ref().filter(|_| is_judged)?.total;
        self.recorded_total.map(|recorded| recorded.change(total))
    }
}
