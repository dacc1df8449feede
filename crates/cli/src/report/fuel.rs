//! What a program did with its fuel: a sentence, and `opcost.fuel/1`.

use schemars::JsonSchema;
use serde::Serialize;

use super::style::{BAD, DIM, GOOD, paint};
use super::{demangle, grouped, tidy_path};
use crate::run::{Finish, Spending};

/// How a metered run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum FuelVerdict {
    /// It ended by itself, within its limit.
    Finished,
    /// It used more than its limit.
    UsedUp,
    /// Its stack was full.
    Stack,
    /// A signal ended it.
    Crashed,
}

/// A metered run, ready to be shown.
pub(crate) struct FuelReport<'a> {
    pub(crate) spending: &'a Spending,
    pub(crate) limit: Option<u64>,
    pub(crate) cost_model: String,
    /// The most work between two checks.
    pub(crate) overshoot: u64,
}

impl FuelReport<'_> {
    /// What is to be said of the run.
    pub(crate) fn verdict(&self) -> FuelVerdict {
        let is_over = self.limit.is_some_and(|limit| self.spending.spent > limit);
        match self.spending.finish {
            _ if self.spending.page.stopped.is_some() || is_over => FuelVerdict::UsedUp,
            Finish::Killed(_) if self.spending.page.is_stack_full => FuelVerdict::Stack,
            Finish::Killed(_) => FuelVerdict::Crashed,
            Finish::Exited(_) => FuelVerdict::Finished,
        }
    }

    /// For the terminal.
    pub(crate) fn text(&self) -> String {
        let spent = grouped(self.spending.spent);
        let limit = self.limit.map(grouped).unwrap_or_default();
        let of = if limit.is_empty() { String::new() } else { format!(" of {limit}") };
        let first = match self.verdict() {
            FuelVerdict::Finished => format!("{}: {spent}{of} instructions", paint(GOOD, "finished")),
            FuelVerdict::UsedUp => format!("{}: {limit}{}", paint(BAD, "used up"), self.place()),
            FuelVerdict::Stack => {
                format!(
                    "{}: its stack was full behind at least {spent}{of} instructions",
                    paint(BAD, "stack")
                )
            }
            FuelVerdict::Crashed => {
                let Finish::Killed(signal) = self.spending.finish else {
                    unreachable!("a crash is a signal")
                };
                format!("{}: signal {signal} behind at least {spent}{of} instructions", paint(BAD, "crashed"))
            }
        };
        let mut facts = vec![self.cost_model.clone()];
        if self.verdict() == FuelVerdict::UsedUp {
            facts.push(format!("seen {} later", grouped(self.beyond())));
        }
        facts.push(format!("at most {} between two checks", grouped(self.overshoot)));
        let mut text = format!("{first}   {}\n", paint(DIM, facts.join(" · ")));
        if self.spending.page.forked {
            text.push_str("it started another process, whose work is not in this number\n");
        }
        text
    }

    /// Instructions beyond the limit.
    fn beyond(&self) -> u64 {
        self.spending.spent.saturating_sub(self.limit.unwrap_or(u64::MAX))
    }

    /// `, in think(), bot.cpp:41`
    fn place(&self) -> String {
        match &self.spending.page.stopped {
            None => ", at its end".to_owned(),
            Some(stop) if stop.file.is_empty() => format!(", in {}", demangle(&stop.function)),
            Some(stop) => {
                format!(", in {}, {}:{}", demangle(&stop.function), tidy_path(&stop.file), stop.line)
            }
        }
    }
}

/// What a metered run used.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.fuel/1")]
pub(crate) struct FuelJson {
    /// Always `opcost.fuel/1`.
    #[schemars(extend("const" = "opcost.fuel/1"))]
    schema: &'static str,
    verdict: FuelVerdict,
    /// Instructions used, also beyond the limit. After a crash at least these.
    spent: u64,
    /// Null without a limit.
    limit: Option<u64>,
    /// The most work between two checks, computed from the code.
    overshoot: u64,
    cost_model: String,
    /// Where it was stopped; null if it was not, or at its end.
    stopped: Option<StopJson>,
    /// Whether it started another process, whose work is not in `spent`.
    forked: bool,
    program_status: EndJson,
}

#[derive(Serialize, JsonSchema)]
struct StopJson {
    /// As its language writes it.
    function: String,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Serialize, JsonSchema)]
struct EndJson {
    /// Its exit status; null when a signal ended it.
    exit: Option<i32>,
    signal: Option<i32>,
}

impl FuelJson {
    pub(crate) fn new(report: &FuelReport<'_>) -> FuelJson {
        let page = &report.spending.page;
        let stopped = page.stopped.as_ref().map(|stop| StopJson {
            function: demangle(&stop.function),
            file: (!stop.file.is_empty()).then(|| stop.file.clone()),
            line: (stop.line > 0).then_some(stop.line),
        });
        let (exit, signal) = match report.spending.finish {
            Finish::Exited(status) => (Some(status), None),
            Finish::Killed(signal) => (None, Some(signal)),
        };
        FuelJson {
            schema: "opcost.fuel/1",
            verdict: report.verdict(),
            spent: report.spending.spent,
            limit: report.limit,
            overshoot: report.overshoot,
            cost_model: report.cost_model.clone(),
            stopped,
            forked: page.forked,
            program_status: EndJson { exit, signal },
        }
    }
}
