//! `opcost run`: a program that gets faster while it runs.

use std::path::{Path, PathBuf};

use opcost::ledgers;
use opcost::live::{LiveRun, RunRequest, run as run_live};
use opcost_answer::live::RunMode;
use opcost_answer::{Failure, Status};
use opcost_recover::list_functions;
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::live::print_live;
use opcost_run::start::Streams;

use crate::arguments::{ModeArgument, RunArguments, ShowArguments};
use crate::verbs::inputs::inputs_of;
use crate::verbs::sample::report_of;
use crate::verbs::selection::{CodeFlag, refuse_idle};
use crate::verbs::show::{Show, save_failure_json};

/// Carries out the verb.
pub(crate) fn run(arguments: &RunArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &RunArguments) -> Result<Status, Failure> {
    refuse_idle(&arguments.compile, &[CodeFlag::Cost], "what is run is not counted")?;
    if arguments.mode != ModeArgument::Compile {
        let why = "first code is generated quickly, and later versions at level 3";
        refuse_idle(&arguments.compile, &[CodeFlag::Codegen], why)?;
    }
    if arguments.compile.anchor.is_some() {
        let words = "--anchor would do nothing here: versions are made where an optimiser reads a profile; leave it out";
        return Err(Failure::Usage(words.to_owned()));
    }
    let inputs = inputs_of("run", &arguments.inputs)?;
    let ran = run_live(&RunRequest {
        inputs: &inputs,
        options: &arguments.compile.options(),
        mode: match arguments.mode {
            ModeArgument::Compile => RunMode::Compile,
            ModeArgument::TwoPass => RunMode::TwoPass,
            ModeArgument::Adaptive => RunMode::Adaptive,
        },
        rate: arguments.rate,
        store: arguments.profile_store.as_deref(),
        stress: arguments.stress,
        counts: arguments.counts.as_deref(),
        program: arguments.perf.as_deref(),
        arguments: &arguments.arguments,
        streams: &Streams {
            stdout_to_stderr: arguments.json.as_deref() == Some(Path::new("-")),
            ..Streams::default()
        },
    })?;
    let answers = &ran.answers;
    if arguments.explain {
        save_text(None, &print_live(answers, screen_width()), Stream::Stderr)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &document(answers))?;
    }
    if arguments.report || arguments.ledger.is_some() {
        // The program has ended, and its status is its own.
        if let Err(failure) = report(arguments, &ran) {
            opcost_answer::tell!("opcost: no report of this run: {failure}");
        }
    }
    Ok(match (answers.status, answers.signal) {
        (Some(status), _) => Status::Own(status as u8),
        (None, Some(signal)) => Status::Interrupted(signal),
        (None, None) => Status::Failed,
    })
}

/// What samples say of the program, as `opcost sample` says it.
fn report(arguments: &RunArguments, ran: &LiveRun) -> Result<(), Failure> {
    let working = Progress::start("making the counts consistent");
    let estimate = ran.estimate()?;
    drop(working);
    let mut answers = report_of(&estimate, &ran.samples);
    let inputs = arguments.inputs.iter().map(|input| input.display().to_string());
    let words = arguments.arguments.iter().map(|word| word.to_string_lossy().into_owned());
    let command: Vec<String> = inputs.chain(words).collect();
    let ledger = estimate.ledger_of(&answers, command.clone())?;
    if let Some(path) = &arguments.ledger {
        ledgers::save(path, &ledger)?;
    }
    if arguments.report {
        let show = Show {
            arguments: &ShowArguments::plain(),
            output: None,
            stream: Stream::Stderr,
            title: command.join(" "),
            ledger: Some(&ledger),
            origin: (PathBuf::from("."), "program"),
        };
        let counted = estimate.counted();
        show.write(&mut answers, |summary, wanted| list_functions(&counted, summary, wanted))?;
    }
    Ok(())
}
