//! `opcost bits --narrow`: the program rewritten to the widths that are proven.

use std::path::Path;

use crate::arguments::BitsArguments;
use crate::build::{AnalysisQuestion, Answers, Build, NarrowAnswers, Purpose, install};
use crate::error::{CliError, Status};
use crate::report::{Progress, Stream, save_text};
use crate::verbs::certificate;
use crate::verbs::loops::analysed;
use crate::verbs::meant::{about, paths};

/// Carries out the verb.
pub(crate) fn run(arguments: &BitsArguments) -> Result<Status, CliError> {
    let output = arguments.output.as_deref().expect("clap asks for it");
    if output.extension().is_some_and(|extension| extension != "bc") {
        let name = output.display();
        return Err(CliError::Usage(format!("--narrow writes bitcode: {name} must end in .bc")));
    }
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    let build = Build::new(&arguments.program.compile, Purpose::Analysis)?;
    let working = Progress::start("rewriting");
    let made = build.path("narrow.bc");
    let question =
        AnalysisQuestion::Narrow { output: made.clone(), is_certified: arguments.certificate.is_some() };
    let answers = build.analyse(&inputs, &arguments.program(), question)?;
    drop(working);
    let Answers::Narrow(answers) = answers else { unreachable!("the child answers what it was asked") };
    install(&made, output)?;
    let told = match (&arguments.certificate, &answers.certified) {
        (Some(path), Some(certified)) => certificate::save(path, certified, &inputs)?,
        _ => format!(
            "next: opcost bits --narrow -o {} --certificate c.json {}   only by ranges that a checker follows\n",
            output.display(),
            paths(&inputs)
        ),
    };
    let text = text(&answers, &about(&inputs, &arguments.program.compile), output);
    save_text(None, &(text + &told), Stream::Stdout)?;
    Ok(Status::Fine)
}

fn text(answers: &NarrowAnswers, about: &str, output: &Path) -> String {
    let NarrowAnswers { values, declared, computed, comparisons, .. } = answers;
    let world = if answers.is_closed { "the program is whole" } else { "anyone may call it" };
    let mut lines = vec![
        format!("{about}: {world}"),
        format!("{values} values are computed in fewer bits: {declared} -> {computed} bits"),
        format!("{comparisons} comparisons are of fewer bits"),
    ];
    lines.extend(answers.left.iter().map(|(count, what)| format!("left as they are: {count} {what}")));
    lines.extend(answers.assumes.iter().map(|fact| format!("taken for granted: {fact}")));
    lines.push(format!("written: {}", output.display()));
    lines.push(format!("next: clang-22 {} -o program", output.display()));
    lines.join("\n") + "\n"
}
