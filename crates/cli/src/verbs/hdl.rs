//! `opcost hdl`: a C function as a circuit.

use std::path::Path;

use opcost::circuit::{Calls, CircuitEnd, CircuitRequest, CircuitWish, make};
use opcost_answer::{Failure, Status};
use opcost_job::program::HdlLimits;
use opcost_report::hdl::{HdlReport, print_hdl};
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_toolchain::input::Input;

use crate::arguments::HdlArguments;
use crate::verbs::selection::{OF_RUNS, about, refuse_idle};
use crate::verbs::show::save_failure_json;

/// Carries out the verb.
pub(crate) fn run(arguments: &HdlArguments) -> Result<Status, Failure> {
    let result = refuse_idle(&arguments.compile, OF_RUNS, "no machine code is made");
    let result = result.and_then(|()| carry_out(arguments));
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &HdlArguments) -> Result<Status, Failure> {
    let is_on_stdout = arguments.json.as_deref() == Some(Path::new("-"));
    let request = request(arguments, is_on_stdout);
    let CircuitEnd::Made(made) = make(&request)? else { return Ok(Status::Program) };
    if let Some(path) = &arguments.json {
        save_json(path, &document(&*made))?;
    }
    if !is_on_stdout {
        let inputs = Input::all(arguments.inputs.iter().map(|path| &**path))?;
        let report = HdlReport {
            document: &made,
            about: about(&inputs, &arguments.compile),
            folder: &arguments.folder,
        };
        save_text(None, &print_hdl(&report), Stream::Stdout)?;
    }
    Ok(if made.holds() { Status::Fine } else { Status::Verdict })
}

/// What the command line asks for. A document on stdout is alone there.
fn request(arguments: &HdlArguments, is_quiet: bool) -> CircuitRequest {
    let calls = match (arguments.cosimulate, arguments.replay) {
        (Some(runs), _) => Calls::Random { runs, seed: arguments.seed },
        (None, true) => {
            Calls::OfRun { most: arguments.calls, arguments: arguments.arguments.clone(), is_quiet }
        }
        (None, false) => Calls::None,
    };
    CircuitRequest {
        inputs: arguments.inputs.clone(),
        options: arguments.compile.options(),
        wish: CircuitWish {
            top: arguments.top.clone(),
            contracts: arguments.contracts.contracts.clone(),
            before: arguments.before.clone(),
            widths: arguments.widths.into(),
            schedule: arguments.schedule.into(),
            limits: HdlLimits {
                period: arguments.clock.period,
                multipliers: arguments.multipliers,
                memory_ports: arguments.memory_ports,
                address_bits: arguments.address_bits,
                elements: arguments.elements,
                pipelines: !arguments.no_pipelines,
            },
        },
        folder: arguments.folder.clone(),
        interface: arguments.interface.into(),
        calls,
        waveform: arguments.waveform.clone(),
        chip: arguments.synthesise.map(|chip| (chip.into(), arguments.seeds)),
        listener: |words| opcost_answer::tell!("{words}"),
    }
}
