//! `opcost merge`: ledgers of one build are added, averaged, subtracted, reduced.

use opcost_profile::{Ledger, saturated};

use crate::arguments::MergeArguments;
use opcost::ledgers::{self, Combining, combine};
use opcost_answer::{Failure, Status};
use opcost_report::kit::numbers::{counted, grouped};

/// Carries out the verb.
pub(crate) fn run(arguments: &MergeArguments) -> Result<Status, Failure> {
    let ledgers = arguments
        .inputs
        .iter()
        .map(|path| ledgers::ledger(path, arguments.raw.program.as_deref()))
        .collect::<Result<Vec<_>, _>>()?;
    let how = match (arguments.average, arguments.subtract) {
        (true, _) => Combining::Mean,
        (false, true) => Combining::Difference,
        (false, false) => Combining::Sum,
    };
    let made = combine(&arguments.inputs, ledgers, how, arguments.to_blocks)?;
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
