//! `opcost slice`: the smallest program with the same loops.

use std::path::Path;

use super::inputs::{numbers, split};
use crate::arguments::{SliceArguments, SlicePurpose};
use crate::verbs::selection::{OF_RUNS, about, again, refuse_idle};
use crate::verbs::show::save_failure_json;
use opcost::slice::{InputValues, LineLocation, SliceCut, SliceRequest, SliceRuns, SlicedProgram, slice};
use opcost_answer::slice::{SliceAnswers, SliceVerdict};
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::slice::dot::dot;
use opcost_report::slice::json::SliceJson;
use opcost_report::slice::text::{SliceReport, print_slice};
use opcost_toolchain::input::Input;

/// At this level loops go whose counts follow from arguments.
const EVALUATING: u8 = 4;
/// At this level loops go that execute little.
const APPROXIMATE: u8 = 5;

/// Carries out the verb.
pub(crate) fn run(arguments: &SliceArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &SliceArguments) -> Result<Status, Failure> {
    refuse_idle(&arguments.program.compile, OF_RUNS, "a slice is optimised at -O2 once it is cut")?;
    let level = level(arguments)?;
    let SlicePurpose::TripCounts = arguments.purpose;
    let SlicedProgram { answers, verdict } = slice(&SliceRequest {
        inputs: arguments.inputs.clone(),
        options: arguments.program.compile.options(),
        program: arguments.program.options(),
        cut: SliceCut {
            level,
            inputs: InputValues { arguments: numbers(&arguments.arguments, false), ..InputValues::default() },
            below: arguments.below,
            criterion: arguments.criterion.as_deref().map(line_of).transpose()?,
            bounded: arguments.bounded.iter().map(|text| line_of(text)).collect::<Result<_, _>>()?,
            any_status: arguments.any_status,
            marks: arguments.dot.is_some(),
            why: arguments.why.as_deref().map(line_of).transpose()?,
            without: arguments.without,
        },
        trip_counts: arguments.trip_counts.clone(),
        output: arguments.output.clone(),
        verification: arguments
            .verify
            .then(|| SliceRuns { arguments: arguments.arguments.clone(), stdin: arguments.stdin.clone() }),
    })?;
    let inputs = Input::all(arguments.inputs.iter().map(|path| &**path))?;
    show(arguments, &inputs, &answers, verdict.as_ref())?;
    Ok(match verdict {
        Some(verdict) if !verdict.holds() => Status::Verdict,
        _ => Status::Fine,
    })
}

/// How much goes; arguments are for runs, and for levels at which they decide loops.
fn level(arguments: &SliceArguments) -> Result<u8, Failure> {
    let wrong = |words: &str| Err(Failure::Usage(words.to_owned()));
    let level = if arguments.below.is_some() { APPROXIMATE } else { arguments.cut };
    if level == APPROXIMATE && arguments.below.is_none() {
        return wrong("level 5 drops loops below a share: say which, such as --below 0.01");
    }
    if level >= EVALUATING && arguments.criterion.is_some() {
        return wrong("--criterion asks for a line and not for loops: leave out --level");
    }
    if !arguments.verify && !arguments.arguments.is_empty() && level < EVALUATING {
        return wrong(
            "the program is run with --verify only; leave out what comes after --, or add --verify",
        );
    }
    Ok(level)
}

/// `prog.c:120`
fn line_of(text: &str) -> Result<LineLocation, Failure> {
    match split(text) {
        (file, Some(line), column) => Ok(LineLocation { file: file.to_owned(), line, column }),
        _ => Err(Failure::Usage(format!("'{text}' names no line; write FILE:LINE, such as prog.c:120"))),
    }
}

fn show(
    arguments: &SliceArguments,
    inputs: &[Input],
    answers: &SliceAnswers,
    verdict: Option<&SliceVerdict>,
) -> Result<(), Failure> {
    if let Some(path) = &arguments.dot {
        save_text(Some(path), &dot(answers), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &SliceJson::text(answers, verdict))?;
    }
    if arguments.json.as_deref() == Some(Path::new("-")) {
        return Ok(());
    }
    let mut next = Vec::new();
    let program = again(inputs, &arguments.program);
    if let Some(one) = answers.computed.first()
        && arguments.why.is_none()
        && let (Some(file), Some(line)) = (&one.location.file, one.location.line)
    {
        next.push(format!("opcost slice --why {file}:{line} {program}"));
    }
    if verdict.is_none() && arguments.criterion.is_none() {
        next.push(format!("opcost slice --verify {program} -- ARGS"));
    }
    let report = SliceReport {
        answers,
        verdict,
        about: about(inputs, &arguments.program.compile),
        annotate: arguments.annotate,
        next,
    };
    save_text(None, &print_slice(&report, screen_width()), Stream::Stdout)
}
