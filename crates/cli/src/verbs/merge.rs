//! `opcost merge`: ledgers of one build are added, averaged, subtracted, reduced.

use opcost_profile::{Ledger, SubtractError, average, merge, reduce_to_blocks, saturated, subtract};

use crate::arguments::MergeArguments;
use opcost::ledgers;
use opcost_answer::{Failure, Status};
use opcost_report::kit::numbers::{counted, grouped};

/// Carries out the verb.
pub(crate) fn run(arguments: &MergeArguments) -> Result<Status, Failure> {
    let ledgers = arguments
        .inputs
        .iter()
        .map(|path| ledgers::ledger(path, arguments.raw.program.as_deref()))
        .collect::<Result<Vec<_>, _>>()?;
    let mut made = combine(arguments, ledgers)?;
    if arguments.to_blocks {
        made = reduce_to_blocks(&made).map_err(|error| Failure::Counters(error.to_string()))?;
    }
    report_saturated(&made);
    ledgers::save(&arguments.output, &made)?;
    let what = match (arguments.average, made.about.runs) {
        (_, 0) => "answers".to_owned(),
        (true, _) => "the mean run".to_owned(),
        (false, runs) => counted(runs, "run"),
    };
    let output = arguments.output.display();
    opcost_answer::tell!("{output}: {what}, next: opcost report {output}");
    Ok(Status::Fine)
}

fn combine(arguments: &MergeArguments, ledgers: Vec<Ledger>) -> Result<Ledger, Failure> {
    let names = &arguments.inputs;
    ledgers::alike(names, &ledgers)?;
    if arguments.subtract || arguments.to_blocks {
        names.iter().zip(&ledgers).try_for_each(|(name, ledger)| ledgers::need_counts(name, ledger))?;
    }
    if arguments.average {
        return average(&ledgers).map_err(|error| ledgers::unmergeable(names, error));
    }
    if !arguments.subtract {
        return ledgers::add(names, ledgers);
    }
    let Some((whole, parts)) = ledgers.split_first().filter(|(_, parts)| !parts.is_empty()) else {
        let what = "--subtract takes the other ledgers away from the first: name two at least";
        return Err(Failure::Usage(what.to_owned()));
    };
    let parts = merge(parts).map_err(|error| ledgers::unmergeable(&names[1..], error))?;
    subtract(whole, &parts).map_err(|error| match error {
        SubtractError::Merge(error) => ledgers::unmergeable(names, error),
        other => Failure::Counters(other.to_string()),
    })
}

/// Says which sums did not fit.
fn report_saturated(ledger: &Ledger) {
    const NAMED: usize = 3;
    let all: Vec<_> = saturated(ledger).collect();
    if all.is_empty() {
        return;
    }
    let named: Vec<String> =
        all.iter().take(NAMED).map(|fact| format!("{} of {}", fact.column, fact.subject)).collect();
    let more = if all.len() > NAMED { format!(" and {} more", all.len() - NAMED) } else { String::new() };
    opcost_answer::tell!(
        "opcost: sums of more than 64 bits stay at {}, which is a lower bound now: {}{more}",
        grouped(u64::MAX),
        named.join(", ")
    );
}
