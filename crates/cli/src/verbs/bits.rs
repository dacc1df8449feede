//! `opcost bits`: how many bits does each value need?

use std::path::{Path, PathBuf};

use crate::arguments::BitsArguments;
use crate::verbs::answered::{believed, command};
use crate::verbs::selection::{CodeFlag, OF_RUNS, about, again, is_one_of, paths, refuse_idle, unknown};
use crate::verbs::show::save_failure_json;
use crate::verbs::{bits_narrow, certificate};
use opcost::answered::{self, AnswersAbout, ledger};
use opcost::ledgers;
use opcost::machine::machine;
use opcost::observed::{ObservedEnd, ObservedRun, observe};
use opcost_answer::bits::{BitsAnswers, BitsFunction};
use opcost_answer::names::{NameBook, shown_name};
use opcost_answer::{Failure, Status};
use opcost_profile::Assumption;
use opcost_report::bits::page::bits_page;
use opcost_report::bits::text::{BitsJson, BitsReport, print_bits};
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::source::Sources;
use opcost_run::start::Streams;
use opcost_toolchain::input::Input;

/// Carries out the verb.
pub(crate) fn run(arguments: &BitsArguments) -> Result<Status, Failure> {
    let compile = &arguments.program.compile;
    let result = match arguments.observe {
        true => refuse_idle(compile, &[CodeFlag::Cost], "what is recorded has no weight"),
        false => refuse_idle(compile, OF_RUNS, "nothing is measured and no machine code is made"),
    };
    let result = result.and_then(|()| match arguments.narrow {
        true => bits_narrow::run(arguments),
        false => carry_out(arguments),
    });
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &BitsArguments) -> Result<Status, Failure> {
    if let Some(path) = &arguments.check {
        return certificate::check(arguments, path);
    }
    let code = arguments.code()?;
    let inputs = code.inputs();
    let mut answers = code.widths(&arguments.given(), arguments.certificate.is_some())?;
    let told = match (&arguments.certificate, &answers.certified) {
        (Some(path), Some(certified)) => Some(certificate::save(path, certified, inputs, arguments)?),
        _ => None,
    };
    only(&mut answers, &arguments.function)?;
    let status = match arguments.observe {
        true => observe_run(arguments, inputs, &mut answers)?,
        false => Status::Fine,
    };
    if let Some(path) = &arguments.json {
        save_json(path, &BitsJson::text(&answers))?;
    }
    if let Some(path) = &arguments.ledger {
        save_ledger(arguments, inputs, &answers, path)?;
    }
    if let Some(told) = told.filter(|_| arguments.certificate.as_deref() != Some(Path::new("-"))) {
        save_text(None, &told, Stream::Stderr)?;
    }
    let report = BitsReport {
        about: about(inputs, &arguments.program.compile),
        with_values: !arguments.function.is_empty(),
        annotate: arguments.annotate,
        most: arguments.top,
        next: next(arguments, &answers, inputs),
        observed: arguments.observe,
        names: NameBook::of_functions(answers.functions.iter().map(|function| &function.key)),
        answers: &answers,
    };
    let mut sources = Sources::of(None, "program");
    if let Some(path) = &arguments.html {
        save_text(Some(path), &bits_page(&report, &mut sources), Stream::Stdout)?;
    }
    let is_stdout = |file: &Option<PathBuf>| file.as_deref() == Some(Path::new("-"));
    if ![&arguments.json, &arguments.html, &arguments.certificate].into_iter().any(is_stdout) {
        save_text(arguments.output.as_deref(), &print_bits(&report, &mut sources), Stream::Stdout)?;
    }
    Ok(status)
}

/// Writes the answers as a ledger.
fn save_ledger(
    arguments: &BitsArguments,
    inputs: &[Input],
    answers: &BitsAnswers,
    path: &Path,
) -> Result<(), Failure> {
    let given: Vec<Assumption> = believed(&arguments.program).into_iter().collect();
    let command = command("bits", &arguments.inputs, &arguments.arguments);
    let asked = AnswersAbout {
        machine: arguments.observe.then(machine),
        runs: u64::from(arguments.observe),
        ..AnswersAbout::of_code(&paths(inputs), &answers.code, command)
    };
    ledgers::save(path, &ledger(asked, answered::bits::rows(answers, &given)))
}

/// Leaves the named functions.
fn only(answers: &mut BitsAnswers, functions: &[String]) -> Result<(), Failure> {
    if functions.is_empty() {
        return Ok(());
    }
    if let Some(words) = unknown(answers.functions.iter().map(|function| &*function.name), functions) {
        return Err(Failure::Usage(words));
    }
    answers.functions.retain(|function| is_one_of(&function.name, functions));
    Ok(())
}

/// A word as a shell takes it.
fn in_command(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | ':' | '.');
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{word}'") }
}

fn next(arguments: &BitsArguments, answers: &BitsAnswers, inputs: &[Input]) -> Vec<String> {
    let names = again(inputs, &arguments.program());
    let waste = |function: &&BitsFunction| function.declared - function.needed_type;
    let mut next = match answers.functions.iter().max_by_key(waste) {
        Some(widest) if arguments.function.is_empty() && !arguments.annotate => vec![
            format!("opcost bits --function {} {names}", in_command(&shown_name(&widest.name))),
            format!("opcost bits --annotate {names}"),
        ],
        _ => Vec::new(),
    };
    next.extend(arguments.ledger.iter().map(|path| format!("opcost report {}", path.display())));
    next
}

/// Runs the program, and notes with each value what it was.
fn observe_run(
    arguments: &BitsArguments,
    inputs: &[Input],
    answers: &mut BitsAnswers,
) -> Result<Status, Failure> {
    let run = ObservedRun {
        inputs,
        options: &arguments.program.compile.options(),
        arguments: &arguments.arguments,
        streams: &Streams {
            stdin: arguments.stdin.clone(),
            stdout: None,
            stderr: None,
            stdout_to_stderr: arguments.json.as_deref() == Some(Path::new("-")),
        },
    };
    let ObservedEnd { finish, is_wrong } = observe(&run, answers)?;
    Ok(match (finish.is_success(), is_wrong) {
        (false, _) => Status::Program,
        (true, true) => Status::Verdict,
        (true, false) => Status::Fine,
    })
}
