//! `opcost explain`: what decides this value, or how often this loop turns?

use std::path::Path;

use super::inputs::split;
use crate::arguments::ExplainArguments;
use crate::verbs::selection::{OF_RUNS, refuse_idle};
use crate::verbs::show::save_failure_json;
use opcost::Code;
use opcost_answer::width::WidthAnswers;
use opcost_answer::{Failure, Status};
use opcost_job::program::{ExplainSubject, LineLocation};
use opcost_report::bits::width::print_width;
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_report::kit::source::Sources;
use opcost_report::loops::explain::{dependence_dot, dependence_picture, print_explanation};
use opcost_toolchain::input::Input;

/// Carries out the verb.
pub(crate) fn run(arguments: &ExplainArguments) -> Result<Status, Failure> {
    let result = carry_out(arguments);
    save_failure_json(&result, arguments.json.as_deref());
    result
}

fn carry_out(arguments: &ExplainArguments) -> Result<Status, Failure> {
    refuse_idle(&arguments.program.compile, OF_RUNS, "nothing is measured and no machine code is made")?;
    let (path, line, column) = split(&arguments.inputs[0]);
    let wanted = match (&arguments.function, line) {
        (Some(name), None) => ExplainSubject::Function { name: name.clone() },
        (None, Some(line)) => ExplainSubject::Line(LineLocation { file: path.to_owned(), line, column }),
        (Some(_), Some(_)) => {
            return Err(Failure::Usage(format!("--function or a line, not both: {path}")));
        }
        (None, None) => {
            // What is no file says so first.
            Input::classify(Path::new(path))?;
            return Err(Failure::Usage(format!(
                "what is to be explained? give a line, {path}:3, or --function"
            )));
        }
    };
    let paths = std::iter::once(path).chain(arguments.inputs[1..].iter().map(String::as_str));
    if !arguments.width && !arguments.contracts.contracts.is_empty() {
        return Err(Failure::Usage("--assume is for widths: opcost explain --width".to_owned()));
    }
    let program = &arguments.program;
    let code = Code::within_world(paths.map(Path::new), &program.compile.options(), &program.options())?;
    if let (ExplainSubject::Line(line), true) = (&wanted, arguments.width) {
        return explain_width(arguments, &code.width(line.clone(), &arguments.contracts.contracts)?);
    }
    let answers = code.explain_subject(wanted)?;
    if let Some(path) = &arguments.dot {
        save_text(Some(path), &dependence_dot(&answers), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.svg {
        save_text(Some(path), &dependence_picture(&answers), Stream::Stdout)?;
    }
    if let Some(path) = &arguments.json {
        save_json(path, &document(&answers))?;
    }
    let is_stdout = |file: &Option<std::path::PathBuf>| file.as_deref() == Some(Path::new("-"));
    if ![&arguments.json, &arguments.dot, &arguments.svg].into_iter().any(is_stdout) {
        let text = print_explanation(&answers, &mut Sources::of(None, "program"));
        save_text(arguments.output.as_deref(), &text, Stream::Stdout)?;
    }
    Ok(Status::Fine)
}

/// Why the integers of the line are as wide as they are.
fn explain_width(arguments: &ExplainArguments, answers: &WidthAnswers) -> Result<Status, Failure> {
    if let Some(path) = &arguments.json {
        save_json(path, &document(answers))?;
    }
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let text = print_width(answers, &mut Sources::of(None, "program"));
        save_text(arguments.output.as_deref(), &text, Stream::Stdout)?;
    }
    Ok(Status::Fine)
}
