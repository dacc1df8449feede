//! `opcost bits`: how many bits does each value need?

use std::path::Path;

use crate::arguments::BitsArguments;
use crate::build::{AnalysisQuestion, Answers, BitsAnswers, Build, Input, Language, Purpose};
use crate::error::{CliError, Status};
use crate::report::{
    BitsJson, BitsReport, Progress, Sources, Stream, demangle, print_bits, save_json, save_text, short_name,
};
use crate::verbs::{bits_narrow, bits_observed};
use crate::verbs::loops::analysed;
use crate::verbs::show::{not_found, tell_json};

/// Carries out the verb.
pub(crate) fn run(arguments: &BitsArguments) -> Result<Status, CliError> {
    if arguments.narrow {
        return bits_narrow::run(arguments);
    }
    let result = carry_out(arguments);
    tell_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &BitsArguments) -> Result<Status, CliError> {
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    let build = Build::new(&arguments.program.compile, Purpose::Analysis)?;
    let working = Progress::start("analysing widths");
    let answers = build.analyse(&inputs, &arguments.program, AnalysisQuestion::Bits)?;
    drop(working);
    let Answers::Bits(mut answers) = answers else { unreachable!("the child answers what it was asked") };
    only(&mut answers, &arguments.function)?;
    let status = match arguments.observe {
        true => bits_observed::observe(arguments, &inputs, &mut answers)?,
        false => Status::Fine,
    };
    if let Some(path) = &arguments.json {
        save_json(path, &BitsJson::text(&answers))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let report = BitsReport {
            about: about(arguments, &inputs),
            with_values: !arguments.function.is_empty(),
            annotate: arguments.annotate,
            most: arguments.top,
            next: next(arguments, &answers, &inputs),
            observed: arguments.observe,
            answers: &answers,
        };
        let mut sources = Sources::of(None, "program");
        save_text(arguments.output.as_deref(), &print_bits(&report, &mut sources), Stream::Stdout)?;
    }
    Ok(status)
}

/// Leaves the named functions.
fn only(answers: &mut BitsAnswers, functions: &[String]) -> Result<(), CliError> {
    if functions.is_empty() {
        return Ok(());
    }
    let is_meant =
        |name: &str, wanted: &str| name == wanted || demangle(name) == wanted || short_name(name) == wanted;
    for wanted in functions {
        if !answers.functions.iter().any(|function| is_meant(&function.name, wanted)) {
            let mut known: Vec<String> =
                answers.functions.iter().map(|function| demangle(&function.name)).collect();
            known.sort_by(|a, b| strsim::jaro_winkler(b, wanted).total_cmp(&strsim::jaro_winkler(a, wanted)));
            known.truncate(3);
            return Err(CliError::Usage(not_found(wanted, &known)));
        }
    }
    answers.functions.retain(|function| functions.iter().any(|wanted| is_meant(&function.name, wanted)));
    Ok(())
}

pub(super) fn about(arguments: &BitsArguments, inputs: &[Input]) -> String {
    let names: Vec<String> = inputs.iter().map(|input| input.path.display().to_string()).collect();
    let is_built = inputs.iter().any(|input| input.language != Language::Bitcode);
    let level = if is_built { format!(" at -O{}", arguments.program.compile.level) } else { String::new() };
    format!("{}{level}", names.join(" "))
}

fn next(arguments: &BitsArguments, answers: &BitsAnswers, inputs: &[Input]) -> Vec<String> {
    let names: Vec<String> = inputs.iter().map(|input| input.path.display().to_string()).collect();
    let names = names.join(" ");
    let waste = |function: &&crate::build::BitsFunction| function.declared - function.needed_type;
    match answers.functions.iter().max_by_key(waste) {
        Some(widest) if arguments.function.is_empty() && !arguments.annotate => vec![
            format!("opcost bits --function {} {names}", demangle(&widest.name)),
            format!("opcost bits --annotate {names}"),
        ],
        _ => Vec::new(),
    }
}
