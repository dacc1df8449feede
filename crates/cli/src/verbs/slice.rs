//! `opcost slice`: the smallest program with the same loops.

use std::path::Path;

use super::input_line::split;
use super::inputs::numbers;
use crate::arguments::{SliceArguments, SlicePurpose};
use crate::verbs::selection::{OF_RUNS, about, again, refuse_idle};
use crate::verbs::show::save_failure_json;
use opcost::ledgers;
use opcost::slice::{VerifiedModules, VerifiedRun, input_of_runs, verify};
use opcost_answer::slice::{SliceAnswers, SliceVerdict};
use opcost_answer::{Failure, Status};
use opcost_job::program::{InputValues, LineLocation, SliceEvents, SliceJob, SliceProduct};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::slice::dot::dot;
use opcost_report::slice::json::SliceJson;
use opcost_report::slice::text::{SliceReport, print_slice};
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::Input;
use opcost_toolchain::install::install;

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
    let inputs = Input::all_analysed(arguments.inputs.iter().map(|path| &**path))?;
    let build = Build::new(&arguments.program.compile.options(), Purpose::Analysis)?;
    let working = Progress::start("slicing");
    let modules = VerifiedModules::new(&build);
    let made = build.path("mini.bc");
    let is_bitcode = |path: &Path| path.extension().is_some_and(|extension| extension == "bc");
    let mut products = Vec::new();
    if let Some(output) = &arguments.output {
        let is_marked = !is_bitcode(output) && arguments.criterion.is_none();
        let events = if is_marked { SliceEvents::Counted } else { SliceEvents::Absent };
        products.push(SliceProduct { output: made.clone(), is_whole: false, events });
    }
    if arguments.verify {
        let all = [(&modules.called, SliceEvents::Called), (&modules.counted, SliceEvents::Counted)];
        for (pair, events) in all {
            let product = |position: usize| SliceProduct {
                output: pair[position].clone(),
                is_whole: position == 0,
                events,
            };
            products.extend([product(0), product(1)]);
        }
    }
    let run = arguments.trip_counts.as_deref().map(|path| ledgers::counts(path, None)).transpose()?;
    let run_path = build.path("run.opc");
    if let Some(run) = &run {
        ledgers::save(&run_path, run)?;
    }
    let question = SliceJob {
        program: build.program_source(&inputs, &arguments.program.options())?,
        level,
        inputs: InputValues { arguments: numbers(&arguments.arguments, false), ..InputValues::default() },
        trip_counts: run.is_some().then_some(run_path),
        below: arguments.below,
        criterion: arguments.criterion.as_deref().map(line_of).transpose()?,
        bounded: arguments.bounded.iter().map(|text| line_of(text)).collect::<Result<_, _>>()?,
        any_status: arguments.any_status,
        counts_blocks: false,
        marks: arguments.dot.is_some(),
        why: arguments.why.as_deref().map(line_of).transpose()?,
        without: arguments.without,
        products,
    };
    let answers = build.query(question, &inputs)?;
    drop(working);
    if let Some(output) = &arguments.output {
        let made = match (is_bitcode(output), arguments.criterion.is_some()) {
            (true, _) => made,
            (false, true) => {
                return Err(Failure::Usage(format!(
                    "--criterion gives bitcode: {} must end in .bc",
                    output.display()
                )));
            }
            (false, false) => {
                let program = build.path("mini");
                build.sliced_program(&inputs, &made, &program)?;
                program
            }
        };
        install(&made, output)?;
    }
    let verdict = arguments.verify.then(|| {
        let input = input_of_runs(arguments.stdin.as_deref(), &build)?;
        let run = VerifiedRun {
            inputs: &inputs,
            arguments: &arguments.arguments,
            loops: &answers.loops,
            stdin: input.as_deref(),
        };
        let _running = Progress::start("running the program and its slice");
        verify(&build, &modules, &run)
    });
    let mut verdict = verdict.transpose()?;
    if let Some(verdict) = verdict.as_mut().filter(|_| arguments.any_status) {
        verdict.forgive_status();
    }
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
