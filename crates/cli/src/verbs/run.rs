//! `opcost run`: a program that gets faster while it runs.

use std::path::Path;

use opcost::live::{RunRequest, run as run_live};
use opcost_answer::live::RunMode;
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::live::print_live;
use opcost_run::start::Streams;

use crate::arguments::{ModeArgument, RunArguments};
use crate::verbs::inputs::inputs_of;
use crate::verbs::selection::{CodeFlag, refuse_idle};
use crate::verbs::show::save_failure_json;

/// Carries out the verb.
pub(crate) fn run(arguments: &RunArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &RunArguments) -> Result<Status, Failure> {
    refuse_idle(&arguments.compile, &[CodeFlag::Cost], "what is run is not counted")?;
    if arguments.compile.anchor.is_some() {
        let words = "--anchor would do nothing here: versions are made where an optimiser reads a profile; leave it out";
        return Err(Failure::Usage(words.to_owned()));
    }
    let inputs = inputs_of("run", &arguments.inputs)?;
    let answers = run_live(&RunRequest {
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
        arguments: &arguments.arguments,
        streams: &Streams {
            stdout_to_stderr: arguments.json.as_deref() == Some(Path::new("-")),
            ..Streams::default()
        },
    })?;
    if arguments.explain {
        save_text(None, &print_live(&answers, screen_width()), Stream::Stderr)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &document(&answers))?;
    }
    Ok(match (answers.status, answers.signal) {
        (Some(status), _) => Status::Own(status as u8),
        (None, Some(signal)) => Status::Interrupted(signal),
        (None, None) => Status::Failed,
    })
}
