//! `opcost loops`: how often will it loop, told before it runs?

use std::path::Path;

use crate::arguments::LoopsArguments;
use crate::build::{AnalysisQuestion, Answers, Build, Input, Language, LoopAnswers, Purpose};
use crate::error::{CliError, Status};
use crate::report::{
    LoopsJson, LoopsReport, Progress, Sources, Stream, demangle, print_loops, save_json, save_text,
    short_name,
};
use crate::verbs::show::{not_found, tell_json};

/// Carries out the verb.
pub(crate) fn run(arguments: &LoopsArguments) -> Result<Status, CliError> {
    let result = carry_out(arguments);
    tell_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &LoopsArguments) -> Result<Status, CliError> {
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    let build = Build::new(&arguments.program.compile, Purpose::Analysis)?;
    let question = AnalysisQuestion::Loops { bindings: arguments.bindings.clone() };
    let working = Progress::start("analysing loops");
    let answers = build.analyse(&inputs, &arguments.program, question)?;
    drop(working);
    let Answers::Loops(mut answers) = answers else { unreachable!("the child answers what it was asked") };
    only(&mut answers, &arguments.function)?;
    if let Some(path) = &arguments.json {
        save_json(path, &LoopsJson::text(&answers))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let report = LoopsReport {
            next: next(&answers, &inputs),
            about: about(arguments, &inputs),
            answers: &answers,
        };
        let mut sources = Sources::of(None, "program");
        save_text(arguments.output.as_deref(), &print_loops(&report, &mut sources), Stream::Stdout)?;
    }
    Ok(Status::Fine)
}

/// Inputs whose code can be looked at.
pub(crate) fn analysed<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Vec<Input>, CliError> {
    let inputs = paths.map(Input::classify).collect::<Result<Vec<_>, _>>()?;
    for input in &inputs {
        if !matches!(input.language, Language::C | Language::Cxx | Language::Fortran | Language::Bitcode) {
            return Err(CliError::Usage(format!(
                "{}: give a source of C, C++ or Fortran, .bc or .ll (of Rust: rustc --emit llvm-bc)",
                input.path.display()
            )));
        }
    }
    Ok(inputs)
}

/// Leaves the loops of the named functions.
fn only(answers: &mut LoopAnswers, functions: &[String]) -> Result<(), CliError> {
    if functions.is_empty() {
        return Ok(());
    }
    let is_meant = |name: &str, wanted: &str| {
        name == wanted
            || demangle(name) == wanted
            || short_name(name) == wanted
            || fortran(name) == Some(wanted)
    };
    for wanted in functions {
        if !answers.loops.iter().any(|answer| is_meant(&answer.function, wanted)) {
            let mut known: Vec<String> =
                answers.loops.iter().map(|answer| demangle(&answer.function)).collect();
            known.dedup();
            known.sort_by(|a, b| strsim::jaro_winkler(b, wanted).total_cmp(&strsim::jaro_winkler(a, wanted)));
            known.truncate(3);
            let words = if known.is_empty() {
                "the program has no loops".to_owned()
            } else {
                not_found(wanted, &known)
            };
            return Err(CliError::Usage(format!("{words} (of functions with loops)")));
        }
    }
    // What is a number is asked for by those who hold all loops against a run.
    answers.numbers.clear();
    answers.loops.retain(|answer| functions.iter().any(|wanted| is_meant(&answer.function, wanted)));
    Ok(())
}

/// `solve` of flang's `solve_` or `_QPsolve`.
fn fortran(name: &str) -> Option<&str> {
    name.strip_suffix('_').or_else(|| name.strip_prefix("_QP"))
}

fn about(arguments: &LoopsArguments, inputs: &[Input]) -> String {
    let names: Vec<String> = inputs.iter().map(|input| input.path.display().to_string()).collect();
    let is_built = inputs.iter().any(|input| input.language != Language::Bitcode);
    let level = if is_built { format!(" at -O{}", arguments.program.compile.level) } else { String::new() };
    format!("{}{level}", names.join(" "))
}

fn next(answers: &LoopAnswers, inputs: &[Input]) -> Vec<String> {
    let mut next = Vec::new();
    let deepest =
        answers.loops.iter().filter(|answer| answer.line.is_some()).max_by_key(|answer| answer.depth);
    if let (Some(answer), [input]) = (deepest, inputs) {
        let line = answer.line.unwrap_or(0);
        next.push(format!("opcost explain {}:{line}", input.path.display()));
    }
    if let Some(name) = answers.names.first() {
        next.push(format!("opcost loops --set '{name}=1000' …"));
    }
    next
}
