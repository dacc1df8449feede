//! `opcost predict`: how often will every block run, and how long will that take?

use std::path::{Path, PathBuf};

use crate::arguments::{PredictArguments, PredictEmit, TimeArguments};
use crate::verbs::answered::command;
use crate::verbs::inputs::{quoted, values};
use crate::verbs::selection::{CodeFlag, about, again, refuse_idle};
use crate::verbs::show::save_failure_json;
use opcost::folders::compare_folders;
use opcost::ledgers;
use opcost::prediction::{PredictedProgram, PredictedSlice, PredictionRequest, build_predicting};
use opcost::priced::Clock;
use opcost::recorded::{is_exact, recorded};
use opcost_answer::{Failure, Status};
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::predict::folders::print_folders;
use opcost_report::predict::json::{Against, PredictDocument, PredictJson};
use opcost_report::predict::text::{PredictReport, print_prediction};
use opcost_report::timing::print_time;
use opcost_toolchain::input::Input;

/// Carries out the verb.
pub(crate) fn run(arguments: &PredictArguments) -> Result<Status, Failure> {
    let result = match (&arguments.counts, arguments.emit) {
        (Some(path), _) => price_counts(arguments, path),
        (None, Some(kind)) => emit(arguments, kind),
        (None, None) => carry_out(arguments),
    };
    save_failure_json(&result, arguments.json.as_deref());
    result
}

/// The time of a run, by its exact counts.
fn price_counts(arguments: &PredictArguments, path: &Path) -> Result<Status, Failure> {
    let clock = clock(&arguments.time)?.expect("the command line wants a timing file with --counts");
    let ledger = ledgers::counts(path, None)?;
    if !is_exact(&ledger) {
        return Err(Failure::Usage(format!(
            "--counts needs exact counts, and those of {} are sampled, predicted or a lower bound; make a ledger with: \
             opcost count --ledger run.opc …",
            path.display()
        )));
    }
    let priced = clock.price(&ledger, path)?;
    if let Some(json) = &arguments.json {
        let answers = recorded(&ledger);
        let document = PredictDocument {
            answers: &answers,
            has_exact_counts: true,
            against: None,
            priced: Some(&priced),
        };
        save_json(json, &PredictJson::text(&document))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let text = print_time(&priced, true, screen_width());
        save_text(arguments.output.as_deref(), &text, Stream::Stdout)?;
    }
    Ok(Status::Fine)
}

/// The program with its prediction in it.
fn emit(arguments: &PredictArguments, kind: PredictEmit) -> Result<Status, Failure> {
    let output = arguments.output.as_deref().expect("the command line wants -o with --emit");
    let options = arguments.program.compile.options();
    build_predicting(&arguments.inputs, &options, kind == PredictEmit::Exe, output)?;
    Ok(Status::Fine)
}

fn carry_out(arguments: &PredictArguments) -> Result<Status, Failure> {
    if let Some(folders) = &arguments.diff {
        let text = print_folders(&compare_folders(folders)?);
        save_text(arguments.output.as_deref(), &text, Stream::Stdout)?;
        return Ok(Status::Fine);
    }
    refuse_idle(
        &arguments.program.compile,
        &[CodeFlag::Codegen, CodeFlag::Time],
        "nothing is measured and no machine code is made",
    )?;
    let request = PredictionRequest {
        inputs: arguments.inputs.clone(),
        options: arguments.program.compile.options(),
        program: arguments.program.options(),
        values: values(&arguments.values, &arguments.arguments),
        is_guess: arguments.guess,
        trip_counts: arguments.trip_counts.clone(),
        sliced: arguments.by_slice.then(|| PredictedSlice {
            arguments: arguments.arguments.clone(),
            stdin: arguments.stdin.clone(),
        }),
        against: arguments.against.clone(),
        numbers_for: wants_numbers(arguments),
        clock: clock(&arguments.time)?,
    };
    let PredictedProgram { answers, ledger, against, priced } = opcost::prediction::predict(&request)?;
    if let Some(path) = &arguments.json {
        let document = PredictDocument {
            answers: &answers,
            has_exact_counts: false,
            against: against.as_ref().map(|(nearness, overlap)| Against { nearness, overlap }),
            priced: priced.as_ref(),
        };
        save_json(path, &PredictJson::text(&document))?;
    }
    if let (Some(path), Some(mut ledger)) = (&arguments.ledger, ledger) {
        ledger.about.commands = vec![command("predict", &arguments.inputs, &arguments.arguments)];
        ledgers::save(path, &ledger)?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let mut next = Vec::new();
        let inputs = Input::all(arguments.inputs.iter().map(|path| &**path))?;
        let program = again(&inputs, &arguments.program) + &words_of(arguments);
        let values = values_of(arguments);
        match (&arguments.ledger, answers.inputs.first()) {
            (_, Some(input)) => {
                let value = quoted(&format!("{}=1000", input.name));
                next.push(format!("opcost predict {values}--set {value} {program}"));
            }
            (Some(path), None) => next.push(format!("opcost report {}", path.display())),
            (None, None) if against.is_none() => {
                next.push(format!("opcost count --ledger run.opc {program}"));
                next.push(format!("opcost predict {values}--against run.opc {program}"));
            }
            (None, None) => {}
        }
        let report = PredictReport {
            answers: &answers,
            about: about(&inputs, &arguments.program.compile),
            top: arguments.top,
            nearness: against.as_ref().map(|(nearness, overlap)| (nearness, overlap)),
            priced: priced.as_ref(),
            next,
        };
        save_text(arguments.output.as_deref(), &print_prediction(&report, screen_width()), Stream::Stdout)?;
    }
    Ok(Status::Fine)
}

/// The flags that gave values to inputs, as they are typed again.
fn values_of(arguments: &PredictArguments) -> String {
    let sets = arguments
        .values
        .bindings
        .iter()
        .map(|(name, value)| format!("--set {}", quoted(&format!("{name}={value}"))));
    let flags = [(arguments.values.defaults, "--defaults"), (arguments.guess, "--guess")];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned());
    let run = arguments.trip_counts.iter();
    let run = run.map(|path| format!("--trip-counts {}", quoted(&path.display().to_string())));
    let sliced = arguments.by_slice.then(|| "--by-slice".to_owned());
    let stdin = arguments.stdin.iter();
    let stdin = stdin.map(|path| format!("--stdin {}", quoted(&path.display().to_string())));
    sets.chain(flags).chain(run).chain(sliced).chain(stdin).map(|flag| flag + " ").collect()
}

/// The program's own arguments, as they are typed again.
fn words_of(arguments: &PredictArguments) -> String {
    let words = arguments.arguments.iter().map(|word| format!(" {}", quoted(&word.to_string_lossy())));
    let words: String = words.collect();
    if words.is_empty() { words } else { format!(" --{words}") }
}

/// The flag that asks for a number of every block.
fn wants_numbers(arguments: &PredictArguments) -> Option<&'static str> {
    let flags = [
        ("--against", arguments.against.is_some()),
        ("--ledger", arguments.ledger.is_some()),
        ("--timing", arguments.time.timing.is_some()),
    ];
    flags.into_iter().find_map(|(flag, is_set)| is_set.then_some(flag))
}

/// The timing file that the command line names.
fn clock(arguments: &TimeArguments) -> Result<Option<Clock>, Failure> {
    let read = |path: &PathBuf| Clock::read(path, arguments.source.into(), arguments.against_seconds);
    arguments.timing.as_ref().map(read).transpose()
}
