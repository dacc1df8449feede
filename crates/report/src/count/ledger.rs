//! The report of a ledger, as far as the ledger has what it needs.

use std::collections::HashMap;

use opcost_answer::run::{Finish, RunQuality};
use opcost_profile::{Ledger, ProcessEnding, Quality};
use opcost_recover::{course_of, has_calls, summarize_ledger};

use opcost_answer::count::{BudgetVerdict, CountAnswers, CountFacts};

/// The report of a ledger, as far as the ledger has what it needs.
pub fn report_of(ledger: &Ledger) -> CountAnswers {
    let about = &ledger.about;
    let course = course_of(ledger);
    CountAnswers {
        summary: summarize_ledger(ledger),
        facts: CountFacts::of(&about.modules, &about.cost.name),
        quality: quality(ledger, course.doubts.clone()),
        finish: course.ending.map(finish),
        verdict: BudgetVerdict::None,
        processes: course.processes.map_or(1, |processes| usize::try_from(processes).unwrap_or(usize::MAX)),
        runs: about.runs,
        is_deterministic: course.is_held_fixed,
        repetition: None,
        spread: None,
        stacks: None,
        tasks: None,
        threads: None,
        next: Vec::new(),
        calls_known: has_calls(ledger),
        not_counted: Vec::new(),
        outside: None,
        host: None,
        listings: Vec::new(),
        machine: HashMap::new(),
    }
}

fn finish(ending: ProcessEnding) -> Finish {
    match ending {
        ProcessEnding::Exited(status) => Finish::Exited(status),
        ProcessEnding::Killed(signal) => Finish::Killed(signal),
    }
}

/// As sure as the least sure fact.
fn quality(ledger: &Ledger, doubts: Vec<String>) -> RunQuality {
    let doubtful = |quality: &Quality| !matches!(quality, Quality::Exact | Quality::ExactUnder(_));
    match ledger.facts().iter().find(|fact| doubtful(&fact.quality)) {
        None => RunQuality::Exact,
        Some(fact) if !doubts.is_empty() => match fact.quality {
            Quality::Estimate => RunQuality::Estimate(doubts),
            _ => RunQuality::LowerBound(doubts),
        },
        Some(fact) if fact.quality == Quality::Estimate => {
            RunQuality::Estimate(vec![format!("{} by samples: about right", fact.origin)])
        }
        Some(fact) => {
            RunQuality::LowerBound(vec![format!("the ledger says {} of {}", fact.quality, fact.subject)])
        }
    }
}
