//! `opcost values`: what were the values really, and does what opcost predicts
//! of loops agree with them?

use std::path::Path;

use opcost::answered::{AnswersAbout, ledger};
use opcost::ledgers;
use opcost::machine::machine;
use opcost::values::{
    Product, RecordedRun, Recorder, RecordingSource, ValueOrder, ValuesQuestion, ValuesWish, build, record,
};
use opcost_answer::values::RecordedValues;
use opcost_answer::{Failure, Status};
use opcost_instrument::ValuesRequest;
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::values::json::values_document;
use opcost_report::values::plot::{histogram_picture, time_picture};
use opcost_report::values::table::print_values;
use opcost_run::start::Streams;

use crate::arguments::{ValuesArguments, ValuesEmit, ValuesOrder};
use crate::verbs::answered::command;
use crate::verbs::inputs::refuse_words;
use crate::verbs::selection::{CodeFlag, refuse_idle};
use crate::verbs::show::save_failure_json;

/// Carries out the verb.
pub(crate) fn run(arguments: &ValuesArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &ValuesArguments) -> Result<Status, Failure> {
    refuse_words("values", &arguments.inputs)?;
    refuse_idle(&arguments.compile, &[CodeFlag::Cost], "what is recorded has no weight")?;
    let question = question(arguments);
    if let (Some(emit), Some(output)) = (arguments.emit, &arguments.output) {
        let product = match emit {
            ValuesEmit::Exe => None,
            ValuesEmit::Obj => Some(Product::Object),
            ValuesEmit::Bc => Some(Product::Counted),
        };
        return build(&question, product, output).map(|()| Status::Fine);
    }
    let RecordedRun { values, code, rows } = record(&question)?;
    if let Some(path) = &arguments.ledger {
        let command = command("values", &arguments.inputs, &arguments.arguments);
        // What was recorded earlier may have been so elsewhere.
        let machine = values.finish.map(|_| machine());
        ledgers::save(path, &ledger(AnswersAbout { code, command, machine, runs: 1 }, rows))?;
    }
    show(arguments, &values)?;
    let failed = values.finish.is_some_and(|finish| !finish.is_success());
    Ok(match () {
        () if failed && !arguments.ignore_status => Status::Program,
        () if values.is_wrong() => Status::Verdict,
        () => Status::Fine,
    })
}

/// What the command line asks for.
fn question(arguments: &ValuesArguments) -> ValuesQuestion {
    let is_on_stdout = [&arguments.json, &arguments.plot, &arguments.histogram]
        .into_iter()
        .any(|path| path.as_deref() == Some(Path::new("-")));
    let source = if arguments.read.is_empty() {
        RecordingSource::Run {
            arguments: arguments.arguments.clone(),
            recorder: Recorder { memory: arguments.memory, sample: arguments.sample },
            streams: Streams {
                stdin: arguments.stdin.clone(),
                stdout: arguments.stdout.clone(),
                stderr: None,
                stdout_to_stderr: is_on_stdout,
            },
            folder: arguments.recording_folder.clone(),
        }
    } else {
        RecordingSource::Files(arguments.read.clone())
    };
    ValuesQuestion {
        inputs: arguments.inputs.clone(),
        options: arguments.compile.options(),
        wish: ValuesWish {
            request: ValuesRequest {
                turns: arguments.trip_counts || arguments.verify,
                function: arguments.function.clone(),
                line: arguments.line,
                value: arguments.value.clone(),
                integers: false,
                mantissas: false,
            },
            verify: arguments.verify,
            lie: arguments.lie,
        },
        source,
        order: match arguments.sort {
            ValuesOrder::Iterations => ValueOrder::Iterations,
            ValuesOrder::Activations => ValueOrder::Activations,
            ValuesOrder::Max => ValueOrder::Greatest,
            ValuesOrder::Line => ValueOrder::Line,
        },
    }
}

fn show(arguments: &ValuesArguments, values: &RecordedValues) -> Result<(), Failure> {
    if let Some(path) = &arguments.plot {
        save_text(Some(path), &time_picture(values), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.histogram {
        save_text(Some(path), &histogram_picture(values), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &values_document(values))?;
    }
    let text = print_values(values, arguments.top, screen_width());
    save_text(arguments.output.as_deref(), &text, Stream::Stderr)
}
