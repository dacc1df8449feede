//! `opcost overlap`: how near is one ledger to another?

use std::path::Path;

use opcost_profile::overlap::overlap;

use crate::arguments::OverlapArguments;
use crate::verbs::show::save_failure_json;
use opcost::ledgers;
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_report::ledger::overlap::{OverlapJson, print_overlap, print_refused};

/// Carries out the verb.
pub(crate) fn run(arguments: &OverlapArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &OverlapArguments) -> Result<Status, Failure> {
    let read = |path: &Path| ledgers::counts(path, None);
    let (estimate, truth) = (read(&arguments.estimate)?, read(&arguments.truth)?);
    let all = overlap(&estimate, &truth);
    if all.blocks == 0 {
        return Err(Failure::Counters(format!(
            "{} and {} have no block in common: they are of other code; take both of one source, at one level and \
             anchor{}{}",
            arguments.estimate.display(),
            arguments.truth.display(),
            if all.refused.is_empty() { "" } else { "\n" },
            print_refused(&all.refused).trim_end()
        )));
    }
    if let Some(path) = &arguments.json {
        save_json(path, &document(&OverlapJson::new(&all)))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(None, &print_overlap(&all), Stream::Stdout)?;
    }
    Ok(Status::Fine)
}
