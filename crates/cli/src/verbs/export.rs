//! `opcost export`: a ledger as a profile that others read.

use std::ffi::OsStr;
use std::path::PathBuf;

use opcost::export::{ExportFormat, ExportRequest, RefusedExport, export};
use opcost::ledgers::{self, Given};
use opcost_answer::names::shown_name;
use opcost_answer::{Failure, Status};
use opcost_report::kit::numbers::{counted, grouped};

use crate::arguments::ExportArguments;

/// Functions that are named where several are refused.
const NAMED: usize = 3;

/// Carries out the verb.
pub(crate) fn run(arguments: &ExportArguments) -> Result<Status, Failure> {
    let is_ledger = |path: &&PathBuf| {
        let is_one = |extension: &OsStr| extension == "opc" || extension == "opcraw";
        path.extension().is_some_and(is_one) || path.is_dir()
    };
    let (mut ledgers, mut sources): (Vec<PathBuf>, Vec<PathBuf>) =
        arguments.inputs.iter().cloned().partition(|path| is_ledger(&path));
    if ledgers.is_empty() {
        // Whatever it is called, the first has to be one; if it is none, reading it says what it is.
        ledgers.push(sources.remove(0));
    }
    let ledger = match ledgers::read(&ledgers, arguments.raw.program.as_deref())? {
        Given::Ledger(ledger) => ledger,
        Given::Raw(measurement) => measurement.ledger(&measurement.summary(), Vec::new())?,
    };
    let origin = &ledgers[0];
    ledgers::need_counts(origin, &ledger)?;
    if let Some(warning) = ledgers::is_partial(origin, &ledger) {
        opcost_answer::tell!("opcost: {warning}");
    }
    let exported = export(&ExportRequest {
        ledger: &ledger,
        origin,
        sources: &sources,
        format: ExportFormat::from(arguments.format),
        output: &arguments.output,
    })?;
    for RefusedExport { count, why, names } in exported.refused {
        let named: Vec<String> = names.iter().take(NAMED).map(|name| shown_name(name)).collect();
        let more = if count > NAMED { ", …" } else { "" };
        opcost_answer::tell!(
            "opcost: without counts: {} ({}{more}): {why}",
            grouped(count as u64),
            named.join(", ")
        );
    }
    opcost_answer::tell!("{} in {}", counted(exported.functions, "function"), arguments.output.display());
    Ok(Status::Fine)
}
