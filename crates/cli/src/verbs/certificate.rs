//! `opcost bits --certificate` and `--check`: ranges with all that they rest on.

use std::fmt::Write;
use std::path::Path;

use crate::arguments::BitsArguments;
use crate::build::{AnalysisQuestion, Answers, Build, CertifiedAnswer, CheckAnswers, Input, Purpose};
use crate::error::{CliError, Status};
use crate::report::{Progress, Stream, save_json, save_text};
use crate::verbs::loops::analysed;

/// Claims that are shown of those that fail.
const MOST_SHOWN: usize = 20;

/// Writes the certificate; what is to be said of it.
pub(super) fn save(path: &Path, certified: &CertifiedAnswer, inputs: &[Input]) -> Result<String, CliError> {
    let text = serde_json::to_string_pretty(&certified.certificate).expect("plain data");
    save_json(path, &text)?;
    let names: Vec<String> = inputs.iter().map(|input| input.path.display().to_string()).collect();
    let mut told = format!(
        "certificate: {} claims hold ({} questions to z3), {} were made weaker\n",
        certified.claims,
        certified.questions,
        certified.weakened.len(),
    );
    if path != Path::new("-") {
        writeln!(told, "next: opcost bits --check {} {}", path.display(), names.join(" ")).expect("a string");
    }
    Ok(told)
}

/// Whether a certificate holds.
pub(super) fn check(arguments: &BitsArguments, path: &Path) -> Result<Status, CliError> {
    let certificate = std::fs::read_to_string(path).map_err(CliError::file("read", path))?;
    let inputs = analysed(arguments.inputs.iter().map(|path| &**path))?;
    let build = Build::new(&arguments.program.compile, Purpose::Analysis)?;
    let working = Progress::start("checking the certificate");
    let answers = build.analyse(&inputs, &arguments.program, AnalysisQuestion::Check { certificate })?;
    drop(working);
    let Answers::Check(answers) = answers else { unreachable!("the child answers what it was asked") };
    save_text(arguments.output.as_deref(), &told(&answers), Stream::Stdout)?;
    Ok(if answers.failed.is_empty() { Status::Fine } else { Status::Verdict })
}

fn told(answers: &CheckAnswers) -> String {
    let CheckAnswers { claims, questions, failed, assumes, is_edited } = answers;
    let mut text = String::new();
    let mut say = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    match failed.len() {
        0 => say(format!("holds: each of {claims} claims follows ({questions} questions to z3)")),
        count => say(format!("does not hold: {count} of {claims} claims do not follow")),
    }
    if *is_edited {
        say("it was changed since it was written; what it says now is what was checked".to_owned());
    }
    for failure in failed.iter().take(MOST_SHOWN) {
        say(format!("  {}", failure.claim));
        say(format!("    not shown: {}", failure.what));
        if !failure.example.is_empty() {
            let values: Vec<String> =
                failure.example.iter().map(|(name, value)| format!("{name} = {}", number(value))).collect();
            say(format!("    for example {}", values.join(", ")));
        }
    }
    if failed.len() > MOST_SHOWN {
        say(format!("  and {} more", failed.len() - MOST_SHOWN));
    }
    for given in assumes {
        say(format!("taken as given: {given}"));
    }
    text
}

/// A word as a solver writes it, in decimal.
fn number(word: &str) -> String {
    let digits = word
        .strip_prefix("#x")
        .map(|digits| (digits, 16))
        .or(word.strip_prefix("#b").map(|digits| (digits, 2)));
    let parsed = digits.and_then(|(digits, base)| u128::from_str_radix(digits, base).ok());
    parsed.map_or_else(|| word.to_owned(), |number| number.to_string())
}
