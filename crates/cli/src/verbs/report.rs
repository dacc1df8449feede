//! `opcost report`: shows what was kept, without the program.

use opcost_recover::list_by_ledger;

use crate::arguments::{RawArguments, ReportArguments};
use crate::verbs::report_answers;
use crate::verbs::show::{Show, save_failure_json};
use opcost::ledgers::{self, Given};
use opcost_answer::{Failure, Status};
use opcost_report::count::ledger::report_of;
use opcost_report::kit::save::Stream;

/// Carries out the verb.
pub(crate) fn run(arguments: &ReportArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.show.json.as_deref());
    result
}

fn carry_out(arguments: &ReportArguments) -> Result<Status, Failure> {
    let names: Vec<String> = arguments.inputs.iter().map(|input| input.display().to_string()).collect();
    let json_on_stdout = arguments.show.json.as_deref() == Some("-".as_ref());
    let stream = if json_on_stdout { Stream::Stderr } else { Stream::Stdout };
    let show = |ledger| Show {
        arguments: &arguments.show,
        output: arguments.output.as_deref(),
        stream,
        title: names.join(" "),
        ledger,
        origin: (origin(arguments), "ledger"),
    };
    let unknown = match ledgers::read(&arguments.inputs, arguments.raw.program.as_deref())? {
        Given::Ledger(ledger) => {
            if let Some(path) = &arguments.ledger {
                ledgers::save(path, &ledger)?;
            }
            if !ledger.has_counts() {
                return report_answers::show(arguments, &ledger);
            }
            if !ledger.answers.is_empty() {
                let answers = ledger.answers.len();
                opcost_answer::tell!(
                    "opcost: in addition to counts there are {answers} answers, which this report leaves out"
                );
            }
            let mut report = report_of(&ledger);
            show(Some(&ledger))
                .write(&mut report, |summary, wanted| list_by_ledger(&ledger, summary, wanted))?
        }
        Given::Raw(measurement) => {
            let mut report = measurement.answers();
            let wants_ledger = arguments.ledger.is_some() || arguments.show.wants_ledger();
            let ledger =
                wants_ledger.then(|| measurement.ledger(&report.summary, names.clone())).transpose()?;
            if let (Some(path), Some(ledger)) = (&arguments.ledger, &ledger) {
                ledgers::save(path, ledger)?;
            }
            show(ledger.as_ref()).write(&mut report, |summary, wanted| measurement.list(summary, wanted))?
        }
    };
    match unknown.as_slice() {
        [] => Ok(Status::Fine),
        unknown => {
            opcost_answer::tell!("opcost: {}", unknown.join("; "));
            Ok(Status::Usage)
        }
    }
}

/// What the sources must not be newer than.
fn origin(arguments: &ReportArguments) -> std::path::PathBuf {
    let RawArguments { program } = &arguments.raw;
    program.clone().unwrap_or_else(|| arguments.inputs[0].clone())
}
