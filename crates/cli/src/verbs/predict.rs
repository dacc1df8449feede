//! `opcost predict`: how often will every block run, and how long will that take?

use std::ffi::OsString;
use std::path::Path;

use crate::arguments::PredictArguments;
use crate::verbs::answered::command;
use crate::verbs::count::quoted;
use crate::verbs::loops::analysed;
use crate::verbs::priced::Clock;
use crate::verbs::selection::{CodeFlag, about, again, refuse_idle};
use crate::verbs::show::save_failure_json;
use opcost::ledgers;
use opcost::nearness::nearness;
use opcost::recorded::{is_exact, recorded};
use opcost_answer::predict::{Nearness, PredictAnswers};
use opcost_answer::{Failure, Status};
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

/// Functions and loops that are furthest off.
const WORST: usize = 5;
/// Inputs that a message lists.
const LISTED: usize = 6;

/// Carries out the verb.
pub(crate) fn run(arguments: &PredictArguments) -> Result<Status, Failure> {
    let result = match &arguments.counts {
        Some(path) => price_counts(arguments, path),
        None => carry_out(arguments),
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

fn carry_out(arguments: &PredictArguments) -> Result<Status, Failure> {
    refuse_idle(
        &arguments.program.compile,
        &[CodeFlag::Codegen, CodeFlag::Time],
        "nothing is measured and no machine code is made",
    )?;
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    // A file that cannot be read is told before the analysis takes its time.
    let clock = Clock::read(&arguments.time)?;
    let truth = arguments.against.as_deref().map(|path| ledgers::counts(path, None)).transpose()?;
    let build = Build::new(&arguments.program.compile.options(), Purpose::Analysis)?;
    let working = Progress::start("predicting");
    let path = build.path("predicted.opc");
    let question = PredictJob {
        program: build.program_source(&inputs, &arguments.program.options())?,
        bindings: arguments.bindings.clone(),
        arguments: numbers(&arguments.arguments, arguments.defaults),
        defaults: arguments.defaults,
        is_guess: arguments.guess,
        build: build.predicted_build(&inputs)?,
        ledger: wants_numbers(arguments).map(|_| path.clone()),
    };
    let answers = build.query(question, &inputs)?;
    drop(working);
    if let Some(flag) = wants_numbers(arguments) {
        refuse_open(&answers, flag)?;
    }
    let predicted = match (&answers.no_ledger, wants_numbers(arguments).is_some()) {
        (Some(reason), _) => return Err(Failure::Counters(format!("no ledger can be made: {reason}"))),
        (None, true) => Some(ledgers::counts(&path, None)?),
        (None, false) => None,
    };
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
        .bindings
        .iter()
        .map(|(name, value)| format!("--set {}", quoted(&format!("{name}={value}"))));
    let flags = [(arguments.defaults, "--defaults"), (arguments.guess, "--guess")];
    let flags = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag.to_owned());
    sets.chain(flags).map(|flag| flag + " ").collect()
}

/// The program's own arguments, as they are typed again.
fn words_of(arguments: &PredictArguments) -> String {
    let words = arguments.arguments.iter().map(|word| format!(" {}", quoted(&word.to_string_lossy())));
    let words: String = words.collect();
    if words.is_empty() { words } else { format!(" --{words}") }
}

/// How formulas name the number that a word of the command line holds. C programs read it in these ways, and
/// all of them agree on numbers of 32 bits.
const READERS: [&str; 8] = [
    "{}",
    "atoi({})",
    "atol({})",
    "atoll({})",
    "strtol({}, null, 10)",
    "strtoll({}, null, 10)",
    "strtoul({}, null, 10)",
    "strtoull({}, null, 10)",
];

/// The words of a command line that are whole numbers, by their names, and how many words there are.
fn numbers(words: &[OsString], defaults: bool) -> Vec<(String, i128)> {
    if words.is_empty() && !defaults {
        return Vec::new();
    }
    let number = |(position, word): (usize, &OsString)| {
        let number: i32 = word.to_str()?.parse().ok()?;
        let word = format!("argv[{}]", position + 1);
        // A negative number has another value where it is read as an unsigned one.
        let readers = READERS.iter().filter(|reader| number >= 0 || !reader.starts_with("strtou"));
        let read = readers.map(|reader| (reader.replace("{}", &word), i128::from(number)));
        Some(read.collect::<Vec<_>>())
    };
    let count = words.len() as i128;
    // As C counts them, and as Fortran's library does.
    let counts = [("argc".to_owned(), count + 1), ("_FortranAArgumentCount()".to_owned(), count)];
    words.iter().enumerate().filter_map(number).flatten().chain(counts).collect()
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
    let all = overlap(predicted, truth);
    if all.blocks == 0 || !all.refused.is_empty() {
        let path = arguments.against.as_deref().unwrap_or(Path::new(""));
        return Err(Failure::Usage(format!(
            "{} was counted in another build than is predicted here: count the same sources at the same level and with \
             the same flags{}{}",
            path.display(),
            if all.refused.is_empty() { "" } else { "\n" },
            print_refused(&all.refused).trim_end()
        )));
    }
    Ok((nearness(answers, truth, WORST), all))
}
