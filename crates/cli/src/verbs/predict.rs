//! `opcost predict`: how often will every block run, and how long will that take?

use std::path::Path;

use crate::arguments::{PredictArguments, PredictEmit};
use crate::verbs::answered::command;
use crate::verbs::count::quoted;
use crate::verbs::inputs::values;
use crate::verbs::loops::analysed;
use crate::verbs::predict_diff::compare;
use crate::verbs::predict_slice::run_slice;
use crate::verbs::priced::Clock;
use crate::verbs::selection::{CodeFlag, about, again, refuse_idle};
use crate::verbs::show::save_failure_json;
use opcost::ledgers;
use opcost::nearness::nearness;
use opcost::recorded::{is_exact, recorded};
use opcost_answer::predict::{Nearness, PredictAnswers};
use opcost_answer::{Failure, Status};
use opcost_job::module::Product;
use opcost_job::program::PredictJob;
use opcost_profile::Ledger;
use opcost_profile::overlap::{Overlap, overlap};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::style::screen_width;
use opcost_report::ledger::overlap::print_refused;
use opcost_report::predict::json::{Against, PredictDocument, PredictJson};
use opcost_report::predict::text::{PredictReport, print_prediction};
use opcost_report::timing::print_time;
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::install::install;

/// Functions and loops that are furthest off.
const WORST: usize = 5;
/// Inputs that a message lists.
const LISTED: usize = 6;

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
    let clock = Clock::read(&arguments.time)?.expect("the command line wants a timing file with --counts");
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
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    let output = arguments.output.as_deref().expect("the command line wants -o with --emit");
    let build = Build::new(&arguments.program.compile.options(), Purpose::Predict)?;
    let working = Progress::start("building the program that predicts itself");
    let made = build.path("made");
    match (kind, inputs.as_slice()) {
        (PredictEmit::Exe, _) => build.program(&inputs, &made)?,
        (PredictEmit::Bc, [input]) => build.module(input, Product::Counted, &made)?,
        (PredictEmit::Bc, _) => return Err(Failure::Usage("--emit bc takes one input".to_owned())),
    }
    drop(working);
    install(&made, output).map(|()| Status::Fine)
}

fn carry_out(arguments: &PredictArguments) -> Result<Status, Failure> {
    if let Some(folders) = &arguments.diff {
        return compare(folders, arguments.output.as_deref());
    }
    refuse_idle(
        &arguments.program.compile,
        &[CodeFlag::Codegen, CodeFlag::Time],
        "nothing is measured and no machine code is made",
    )?;
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    // A file that cannot be read is told before the analysis takes its time.
    let clock = Clock::read(&arguments.time)?;
    let truth = arguments.against.as_deref().map(|path| ledgers::counts(path, None)).transpose()?;
    let run = arguments.trip_counts.as_deref().map(|path| ledgers::counts(path, None)).transpose()?;
    let build = Build::new(&arguments.program.compile.options(), Purpose::Analysis)?;
    let run_path = build.path("run.opc");
    if let Some(run) = &run {
        ledgers::save(&run_path, run)?;
    }
    let sliced = arguments.by_slice.then(|| run_slice(arguments, &build, &inputs)).transpose()?;
    let (measured, facts) = sliced.map(|run| (run.counts, run.facts)).unzip();
    let working = Progress::start("predicting");
    let path = build.path("predicted.opc");
    let wants_ledger = wants_numbers(arguments).is_some() || run.is_some();
    let question = PredictJob {
        program: build.program_source(&inputs, &arguments.program.options())?,
        inputs: values(&arguments.values, &arguments.arguments),
        trip_counts: run.as_ref().map(|_| run_path.clone()),
        measured,
        is_guess: arguments.guess,
        build: build.predicted_build(&inputs)?,
        ledger: wants_ledger.then(|| path.clone()),
    };
    let mut answers = build.query(question, &inputs)?;
    answers.slice_run = facts;
    drop(working);
    if let Some(flag) = wants_numbers(arguments) {
        refuse_open(&answers, flag)?;
    }
    let predicted = match (&answers.no_ledger, wants_ledger) {
        (Some(reason), _) => return Err(Failure::Counters(format!("no ledger can be made: {reason}"))),
        (None, true) => Some(ledgers::counts(&path, None)?),
        (None, false) => None,
    };
    if let (Some(predicted), Some(run), Some(path)) = (&predicted, &run, &arguments.trip_counts) {
        of_same_build(path, predicted, run)?;
    }
    let against = match (&predicted, &truth) {
        (Some(predicted), Some(truth)) => Some(hold(arguments, &answers, predicted, truth)?),
        _ => None,
    };
    let mut priced = match (&clock, &predicted) {
        (Some(clock), Some(predicted)) => Some(clock.price(predicted, Path::new("the prediction"))?),
        _ => None,
    };
    if let (Some(clock), Some(priced), Some(truth), Some(path)) =
        (&clock, &mut priced, &truth, &arguments.against)
    {
        priced.by_counts = Some(clock.price(truth, path)?.seconds());
    }
    if let Some(path) = &arguments.json {
        let document = PredictDocument {
            answers: &answers,
            has_exact_counts: false,
            against: against.as_ref().map(|(nearness, overlap)| Against { nearness, overlap }),
            priced: priced.as_ref(),
        };
        save_json(path, &PredictJson::text(&document))?;
    }
    if let (Some(path), Some(mut ledger)) = (&arguments.ledger, predicted) {
        ledger.about.commands = vec![command("predict", &arguments.inputs, &arguments.arguments)];
        ledgers::save(path, &ledger)?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let mut next = Vec::new();
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

/// A prediction with open inputs is no set of counts.
fn refuse_open(answers: &PredictAnswers, flag: &str) -> Result<(), Failure> {
    if !answers.is_open {
        return Ok(());
    }
    let names: Vec<String> =
        answers.inputs.iter().take(LISTED).map(|input| format!("--set '{}=VALUE'", input.name)).collect();
    let more = if answers.inputs.len() > LISTED { " …" } else { "" };
    Err(Failure::Usage(format!(
        "{flag} needs a number for every block, and some hang on inputs without a value: give {}{more}, --defaults, the \
         program's arguments after --, or --guess",
        names.join(" ")
    )))
}

/// The prediction held against a run of the same code.
fn hold(
    arguments: &PredictArguments,
    answers: &PredictAnswers,
    predicted: &Ledger,
    truth: &Ledger,
) -> Result<(Nearness, Overlap), Failure> {
    let path = arguments.against.as_deref().unwrap_or(Path::new(""));
    let all = of_same_build(path, predicted, truth)?;
    Ok((nearness(answers, truth, WORST), all))
}

/// How a prediction agrees with a ledger, if that is of the same build.
fn of_same_build(path: &Path, predicted: &Ledger, counted: &Ledger) -> Result<Overlap, Failure> {
    let all = overlap(predicted, counted);
    if all.blocks == 0 || !all.refused.is_empty() {
        return Err(Failure::Usage(format!(
            "{} was counted in another build than is predicted here: count the same sources at the same level and with \
             the same flags{}{}",
            path.display(),
            if all.refused.is_empty() { "" } else { "\n" },
            print_refused(&all.refused).trim_end()
        )));
    }
    Ok(all)
}
