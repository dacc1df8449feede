//! `opcost merge`: adds ledgers of one build.

use crate::arguments::MergeArguments;
use crate::error::{CliError, Status};
use crate::report::grouped;
use crate::verbs::load;

/// Carries out the verb.
pub(crate) fn run(arguments: &MergeArguments) -> Result<Status, CliError> {
    let ledgers = arguments
        .inputs
        .iter()
        .map(|path| load::ledger(path, &arguments.raw))
        .collect::<Result<Vec<_>, _>>()?;
    let sum = load::add(&arguments.inputs, ledgers)?;
    load::keep(&arguments.output, &sum)?;
    let runs = if sum.about.runs == 1 { "run" } else { "runs" };
    eprintln!(
        "{}: {} {runs}, next: opcost report {}",
        arguments.output.display(),
        grouped(sum.about.runs),
        arguments.output.display()
    );
    Ok(Status::Fine)
}
