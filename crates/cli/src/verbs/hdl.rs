//! `opcost hdl`: a C function as a circuit.
//!
//! The function is compiled without vectors, unrolling, and without being put into its callers, in
//! an open world: a circuit is called by anyone. The child makes the circuit; the files are written
//! here, and simulated if that was asked for.

use std::path::Path;

use crate::arguments::{HdlArguments, InterfaceName, ScheduleName};
use crate::verbs::hdl_cosimulate::{cosimulate, unnamed_data};
use crate::verbs::hdl_replay::{Replayed, replay};
use crate::verbs::hdl_synthesise::synthesise;
use crate::verbs::loops::analysed;
use crate::verbs::selection::{OF_RUNS, about, refuse_idle};
use crate::verbs::show::save_failure_json;
use opcost_answer::hdl::HdlAnswers;
use opcost_answer::{Failure, Status};
use opcost_job::program::{HdlJob, HdlLimits, HdlSchedule, WorldWish};
use opcost_report::hdl::{HdlJson, HdlReplay, HdlReport, print_hdl};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Language;
use opcost_toolchain::options::ProgramOptions;

/// Carries out the verb.
pub(crate) fn run(arguments: &HdlArguments) -> Result<Status, Failure> {
    let result = refuse_idle(&arguments.compile, OF_RUNS, "no machine code is made");
    let result = result.and_then(|()| carry_out(arguments));
    save_failure_json(&result, arguments.json.as_deref());
    result
}

/// Calls of a run cannot be written down.
fn unreplayed(arguments: &HdlArguments, answers: &HdlAnswers) -> Failure {
    match &answers.unreplayed {
        None => unnamed_data(arguments, "--replay"),
        Some(reason) => Failure::Usage(format!(
            "--replay writes no such calls down: {} {reason}; use --cosimulate",
            arguments.top
        )),
    }
}

fn carry_out(arguments: &HdlArguments) -> Result<Status, Failure> {
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    let sources: Vec<&Path> =
        inputs.iter().filter(|input| input.language == Language::C).map(|input| &*input.path).collect();
    let is_cpp = inputs.len() == 1 && inputs[0].language == Language::Cxx;
    if arguments.cosimulate.is_some() && !is_cpp && (sources.len() != 1 || inputs.len() != 1) {
        return Err(Failure::Usage(
            "--cosimulate calls the function of one source in C or C++; give that file alone".to_owned(),
        ));
    }
    if arguments.replay && sources.len() != inputs.len() {
        return Err(Failure::Usage(
            "--replay compiles the program; give all of it as sources in C".to_owned(),
        ));
    }
    if arguments.waveform.is_some() && !arguments.simulates() {
        return Err(Failure::Usage(
            "--waveform is of a simulation; add --cosimulate RUNS or --replay".to_owned(),
        ));
    }
    let mut options = arguments.compile.options();
    // A loop that looks for a zero stays one: strlen has no body.
    let idioms = ["-fno-builtin-strlen", "-fno-builtin-wcslen"];
    options.cflags.extend(idioms.map(str::to_owned));
    let plain = ["-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-mllvm"];
    options.cflags.extend(plain.map(str::to_owned));
    options.cflags.push(format!("-force-attribute={}:noinline", arguments.top));
    let build = Build::new(&options, Purpose::Analysis)?;
    let working = Progress::start("making a circuit");
    let program = ProgramOptions { world: Some(WorldWish::Open), effects: None };
    let source = match sources.first().copied().or(is_cpp.then(|| &*inputs[0].path)) {
        Some(source) => std::path::absolute(source).map_err(Failure::file("find", source))?,
        None => Path::new("kernel.c").to_owned(),
    };
    let question = HdlJob {
        program: build.program_source(&inputs, &program)?,
        top: arguments.top.clone(),
        source,
        is_cpp,
        contracts: arguments.contracts.contracts.clone(),
        before: arguments.before.clone(),
        widths: arguments.widths.widths(),
        schedule: match arguments.schedule {
            ScheduleName::Common => HdlSchedule::Common,
            ScheduleName::Own => HdlSchedule::Own,
        },
        limits: HdlLimits {
            period: arguments.clock.period,
            multipliers: arguments.multipliers,
            memory_ports: arguments.memory_ports,
            address_bits: arguments.address_bits,
            elements: arguments.elements,
            pipelines: !arguments.no_pipelines,
        },
    };
    let answers = build.query(question, &inputs)?;
    drop(working);
    if arguments.interface == InterfaceName::Axi && answers.axi.is_empty() {
        return Err(Failure::Usage(format!(
            "{} has numbers of more than 64 bits, and registers of the bus have 64; use --interface start or stream",
            arguments.top
        )));
    }
    let folder = &*arguments.folder;
    std::fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
    let file = |end: &str| folder.join(format!("{}{end}", answers.name));
    save_text(Some(&file(".v")), &answers.verilog, Stream::Stdout)?;
    save_text(Some(&file("_testbench.v")), &answers.testbench, Stream::Stdout)?;
    save_text(Some(&file("_frame.v")), &answers.frame, Stream::Stdout)?;
    let around: &[(&str, &String)] = match arguments.interface {
        InterfaceName::Start => &[],
        InterfaceName::Stream => {
            &[("_stream.v", &answers.stream), ("_stream_testbench.v", &answers.stream_testbench)]
        }
        InterfaceName::Axi => &[
            ("_axi.v", &answers.axi),
            ("_axi.h", &answers.axi_header),
            ("_axi_testbench.v", &answers.axi_testbench),
        ],
    };
    for (end, text) in around {
        save_text(Some(&file(end)), text, Stream::Stdout)?;
    }
    if let Some(contract) = &answers.contract {
        save_text(Some(&file("_contract.sv")), contract, Stream::Stdout)?;
    }
    if let Some(certificate) = &answers.certificate {
        save_text(Some(&file("_certificate.json")), certificate, Stream::Stdout)?;
    }
    if let Some(driver) = &answers.driver {
        save_text(Some(&file(if is_cpp { "_driver.cpp" } else { "_driver.c" })), driver, Stream::Stdout)?;
    }
    let mut simulation = match arguments.cosimulate {
        Some(runs) => Some(cosimulate(arguments, &answers, is_cpp, runs)?),
        None => None,
    };
    let mut calls = None;
    if arguments.replay {
        let source = answers.replay.as_ref().ok_or_else(|| unreplayed(arguments, &answers))?;
        save_text(Some(&file("_replay.c")), source, Stream::Stdout)?;
        match replay(arguments, &answers, &sources)? {
            Replayed::Failed(words) => {
                opcost_answer::tell!("{words}");
                return Ok(Status::Program);
            }
            Replayed::Compared(of_run, replay) => {
                simulation = Some(of_run);
                calls = Some(replay);
            }
        }
    }
    let synthesis = match arguments.synthesise {
        Some(chip) => Some(synthesise(arguments, &answers, chip)?),
        None => None,
    };
    let netlist = synthesis.as_ref().and_then(|synthesis| synthesis.netlist);
    let is_wrong = simulation.into_iter().chain(netlist).any(|simulation| simulation.wrong > 0);
    let is_accepted = calls.as_ref().is_none_or(HdlReplay::is_accepted);
    let report = HdlReport {
        answers: &answers,
        about: about(&inputs, &arguments.compile),
        folder,
        widths: arguments.widths.word(),
        simulation,
        replay: calls,
        synthesis,
    };
    if let Some(path) = &arguments.json {
        save_json(path, &HdlJson::text(&report))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        save_text(None, &print_hdl(&report), Stream::Stdout)?;
    }
    Ok(if is_wrong || !is_accepted { Status::Verdict } else { Status::Fine })
}
