//! Answers that are no counts, for machines: `opcost.answers/1`.
//!
//! Numbers may be of any size, so they are text, as in the ledger.

use opcost_profile::{Answer, AnswerRow, AnswerState, Assumption, Certainty};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answers::table::AnswersReport;
use crate::kit::save::document;

/// `opcost.answers/1`
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.answers/1")]
pub struct AnswersJson<'a> {
    /// Always `opcost.answers/1`.
    #[schemars(extend("const" = "opcost.answers/1"))]
    schema: &'static str,
    /// What was run to have them.
    commands: &'a [Vec<String>],
    /// On which machines a program ran; none if none did, or that is not known.
    machines: &'a [String],
    /// How many runs were looked at; 0 of code alone.
    runs: u64,
    /// The code that they are about; none of what a map describes.
    code: Vec<CodeJson<'a>>,
    /// Functions in the order of the source, things in them in the order of the program.
    answers: Vec<AnswerJson<'a>>,
}

/// Code that was looked at and not counted.
#[derive(Serialize, JsonSchema)]
struct CodeJson<'a> {
    /// Sources that are one program, or a module of a program.
    name: &'a str,
    /// 32 hexadecimal digits.
    hash: String,
}

/// What is known of one thing.
#[derive(Serialize, JsonSchema)]
struct AnswerJson<'a> {
    /// What it is about: `@main:loop3`, `a.c@step:i4`.
    key: String,
    /// Which question: `iterations`, `range`, `observed-least`.
    question: &'static str,
    /// What the answer is counted in.
    unit: &'static str,
    /// `number`, `interval`, `set`, `formula` or `reals`; null if nothing is known.
    form: Option<&'static str>,
    /// The answer as text: `42`, `0..255`, `{-1, 3}`, `n*2`, `0.0..1.0 or NaN`.
    answer: Option<String>,
    /// The least integer that it can be, in decimal digits.
    least: Option<String>,
    /// The greatest.
    greatest: Option<String>,
    /// Of an interval, if it is more than 1, from which number to which other they go.
    step: Option<String>,
    /// `exact`, `exact-under` (the assumptions hold), `lower bound`, `upper bound`, `estimate` or `unknown`.
    quality: &'static str,
    /// Why nothing is known.
    reason: Option<&'a str>,
    /// What the answer rests on.
    assumptions: Vec<AssumptionJson>,
    /// How it was had: `counted`, `predicted`, …
    origin: &'static str,
    /// Who may call exported functions: `open` or `closed`.
    world: &'static str,
    /// Where the thing is written.
    file: Option<&'a str>,
    /// The line there, from 1.
    line: Option<u32>,
}

/// What an answer rests on.
#[derive(Serialize, JsonSchema)]
struct AssumptionJson {
    /// `promise`, `condition`, `ends-if`, `progress`, `not-left`, `ieee` or `rule`.
    what: &'static str,
    /// The thing that it is about, if it is about one.
    key: Option<String>,
    /// The promise, condition or rule.
    words: Option<String>,
}

/// The answers as a document.
pub fn answers_document(report: &AnswersReport<'_>) -> String {
    let about = report.about;
    let code = about.code.iter().map(|code| CodeJson { name: &code.name, hash: code.hash.to_string() });
    document(&AnswersJson {
        schema: "opcost.answers/1",
        commands: &about.commands,
        machines: &about.machines,
        runs: about.runs,
        code: code.collect(),
        answers: report.rows.iter().map(|row| answer(row)).collect(),
    })
}

fn answer(row: &AnswerRow) -> AnswerJson<'_> {
    let answer = row.state.answer();
    let step = match answer {
        Some(Answer::Interval(interval)) => interval.step().map(ToString::to_string),
        _ => None,
    };
    let (quality, reason) = match &row.state {
        AnswerState::Nothing(reason) => ("unknown", Some(&**reason)),
        AnswerState::Answer(_, Certainty::Exact) if !row.assumptions.is_empty() => ("exact-under", None),
        AnswerState::Answer(_, certainty) => (certainty.word(), None),
    };
    AnswerJson {
        key: row.key.to_string(),
        question: row.column.word(),
        unit: row.column.unit().word(),
        form: answer.map(|answer| answer.form().word()),
        answer: answer.map(Answer::to_string),
        least: answer.and_then(Answer::least).map(ToString::to_string),
        greatest: answer.and_then(Answer::greatest).map(ToString::to_string),
        step,
        quality,
        reason,
        assumptions: row.assumptions.iter().map(assumption).collect(),
        origin: row.origin.word(),
        world: row.world.word(),
        file: row.place.as_ref().map(|place| &*place.file),
        line: row.place.as_ref().map(|place| place.line),
    }
}

fn assumption(assumption: &Assumption) -> AssumptionJson {
    AssumptionJson {
        what: assumption.what().word(),
        key: assumption.key().map(ToString::to_string),
        words: assumption.words(),
    }
}
