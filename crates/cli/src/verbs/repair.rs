//! `opcost repair`: sampled counts, made consistent.

use std::path::Path;

use opcost::ledgers;
use opcost::repair::{RepairRequest, repair};
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_report::ledger::repair::print_repair;

use super::inputs::shown;
use super::show::save_failure_json;
use crate::arguments::RepairArguments;

/// Carries out the verb.
pub(crate) fn run(arguments: &RepairArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &RepairArguments) -> Result<Status, Failure> {
    let repaired = repair(&RepairRequest {
        samples: arguments.raw.clone(),
        inputs: arguments.inputs.clone(),
        options: arguments.compile.options(),
        solver: arguments.solver,
    })?;
    if let Some(path) = &arguments.output {
        ledgers::save(path, &repaired.ledger)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &document(&repaired.answers))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(None, &print_repair(&repaired.answers), Stream::Stdout)?;
    }
    match &arguments.output {
        Some(path) => opcost_answer::tell!("next: opcost report {}", shown(path)),
        None => opcost_answer::tell!("next: opcost repair {} -o repaired.opc", shown(&arguments.raw)),
    }
    Ok(Status::Fine)
}
