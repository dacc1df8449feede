//! `opcost loops`: the table of a program's loops, and `opcost.loops/1`.
//!
//! Loops stand under their functions in the order of the source, nests by
//! indentation, beside the line that begins them. A formula that does not fit
//! the terminal is cut there; the document has it whole.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::grouped;
use crate::kit::save::document;
use crate::kit::source::Sources;
use crate::kit::style::{
    BAD, DIM, GOOD, STRONG, WARM, cut, cut_start, padded, paint, printable, screen_width, width_of,
};
use opcost_answer::loops::{AnswerKind, EntryAnswer, EntryKind, LoopAnswer, LoopAnswers};
use opcost_answer::names::told_apart;

/// Cells of the line of source beside a loop.
const SOURCE: usize = 34;
/// Of a table without assumptions, reasons and sums: these go below a line.
const KINDS: [(AnswerKind, &str); 5] = [
    (AnswerKind::Constant, "a number"),
    (AnswerKind::Inputs, "by named inputs"),
    (AnswerKind::Formula, "by other values"),
    (AnswerKind::Bound, "bounded"),
    (AnswerKind::Unknown, "unknown"),
];

/// What is shown.
pub struct LoopsReport<'a> {
    /// What the worker found of each loop.
    pub answers: &'a LoopAnswers,
    /// The level and the inputs, in words.
    pub about: String,
    /// What to try next.
    pub next: Vec<String>,
}

/// The document of `opcost loops`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.loops/1")]
pub struct LoopsJson<'a> {
    /// Always `opcost.loops/1`.
    #[schemars(extend("const" = "opcost.loops/1"))]
    schema: &'static str,
    /// `open`: exported functions may be called by anyone; `closed`: it begins at main.
    world: &'a str,
    /// Names that formulas are made of; `--set` takes them.
    names: &'a [String],
    /// Outer loops before inner ones.
    loops: Vec<LoopJson<'a>>,
}

/// A loop, and the world in which this is said of it.
#[derive(Serialize, JsonSchema)]
struct LoopJson<'a> {
    #[serde(flatten)]
    answer: &'a LoopAnswer,
    /// As that of the document.
    world: &'a str,
}

impl<'a> LoopsJson<'a> {
    /// The document as text.
    pub fn text(answers: &'a LoopAnswers) -> String {
        let world = &*answers.world;
        let loops = answers.loops.iter().map(|answer| LoopJson { answer, world }).collect();
        document(&LoopsJson { schema: "opcost.loops/1", world, names: &answers.names, loops })
    }
}

/// The table.
pub fn print_loops(report: &LoopsReport<'_>, sources: &mut Sources) -> String {
    let mut text = String::new();
    head(&mut text, report);
    let mut rest = &*report.answers.loops;
    while let Some(first) = rest.first() {
        let owner = first.key.function();
        let count = rest.iter().take_while(|answer| answer.key.function() == owner).count();
        let (function, behind) = rest.split_at(count);
        rest = behind;
        let others = report.answers.loops.iter().filter_map(|other| other.key.function());
        let name = owner.map(|owner| told_apart(owner, others)).unwrap_or_default();
        let _ = writeln!(text, "\n{}", paint(STRONG, name));
        for answer in function {
            // It stands in the row of its vector body.
            if answer.remainder_of.is_some_and(|body| is_whole(function, body)) {
                continue;
            }
            let rest = answer.vectorised.as_ref().and_then(|whole| whole.remainder);
            let rest = rest.or(answer.unrolled.as_ref().map(|whole| whole.remainder));
            let rest = rest.and_then(|header| function.iter().find(|other| other.header == header));
            row(&mut text, answer, rest, sources);
        }
    }
    inputs(&mut text, report.answers);
    for next in &report.next {
        let _ = writeln!(text, "{}", paint(DIM, format!("next: {next}")));
    }
    text
}

fn head(text: &mut String, report: &LoopsReport<'_>) {
    let answers = report.answers;
    let numbers = answers.numbers(&KINDS.map(|(kind, _)| kind));
    let parts: Vec<String> = KINDS
        .iter()
        .zip(numbers)
        .filter(|(_, number)| *number > 0)
        .map(|((_, words), number)| format!("{} {words}", grouped(number)))
        .collect();
    let all = answers.loops.len();
    let what = match all {
        0 => "no loops".to_owned(),
        1 => "1 loop".to_owned(),
        _ => format!("{} loops", grouped(all)),
    };
    let colon = if parts.is_empty() { "" } else { ": " };
    let _ = writeln!(text, "{}{colon}{}", paint(STRONG, what), parts.join(" · "));
    let _ = writeln!(text, "{}", paint(DIM, format!("{}, {} world", report.about, answers.world)));
}

/// Whether the row of this body says how often the source's loop runs.
fn is_whole(function: &[LoopAnswer], body: u32) -> bool {
    function.iter().find(|other| other.header == body).is_some_and(|body| source_of(body).is_some())
}

/// The loop of the source that the optimiser split.
struct SourceLoop<'a> {
    iterations: &'a str,
    /// What one iteration of the body does: `4 at once`.
    each: String,
    /// When the other loop does the rest: behind the body, or also before it.
    rest: &'static str,
    entered_if: Option<&'a EntryAnswer>,
}

fn source_of(body: &LoopAnswer) -> Option<SourceLoop<'_>> {
    if let Some(whole) = &body.vectorised {
        let iterations = whole.source_iterations.as_deref()?;
        let each = format!("{} at once", whole.lanes);
        return Some(SourceLoop { iterations, each, rest: "then", entered_if: Some(&whole.entered_if) });
    }
    let whole = body.unrolled.as_ref()?;
    let iterations = whole.source_iterations.as_deref()?;
    let each = format!("{} copies", whole.copies);
    Some(SourceLoop { iterations, each, rest: "and", entered_if: None })
}

/// A loop: where, its line, what is known; below it what that rests on. A vector
/// body or unrolled body is told as the loop of the source, with what it leaves
/// to `rest`.
fn row(text: &mut String, answer: &LoopAnswer, rest: Option<&LoopAnswer>, sources: &mut Sources) {
    let width = screen_width();
    let indent = "  ".repeat(answer.depth.saturating_sub(1).min(8) as usize);
    let (place, written) = match (&answer.file, answer.line) {
        (Some(file), Some(line)) => {
            let written = sources.line(file, line).unwrap_or_default();
            (format!("{file}:{line}"), printable(&written).trim().to_owned())
        }
        _ => (format!("%{}", answer.label), answer.form.clone()),
    };
    let place = padded(&cut_start(&place, 22), 22);
    let written = padded(&cut(&format!("{indent}{written}"), SOURCE), SOURCE);
    let left = 2 + 22 + 1 + SOURCE + 2;
    let source = source_of(answer);
    let entered = source.as_ref().map_or(Some(&answer.entered_if), |source| source.entered_if);
    let is_never = entered.is_some_and(|entered| entered.kind == EntryKind::Never);
    let said = match &source {
        _ if is_never => "0 (never entered)".to_owned(),
        Some(source) => source.iterations.to_owned(),
        None => said(answer),
    };
    let style = match answer.kind {
        AnswerKind::Constant | AnswerKind::Inputs => GOOD,
        AnswerKind::Formula => anstyle::Style::new(),
        AnswerKind::Bound => WARM,
        AnswerKind::Unknown => BAD,
    };
    let room = width.saturating_sub(left).max(24);
    let _ =
        writeln!(text, "  {} {} {}", paint(DIM, place), paint(DIM, written), paint(style, cut(&said, room)));
    let mut below = |words: String| {
        let _ = writeln!(text, "  {}{}", " ".repeat(left - 1), paint(DIM, cut(&words, room)));
    };
    if is_never {
        return;
    }
    if let (Some(source), Some(turns)) = (&source, &answer.body_iterations) {
        below(format!("{turns} times {}{}", source.each, only_if(&answer.entered_if)));
        if let Some((rest, left)) = rest.and_then(|rest| Some((rest, rest.body_iterations.as_ref()?))) {
            below(format!("{} {left}{}", source.rest, only_if(&rest.entered_if)));
        }
    }
    let condition = entered.and_then(|entered| entered.condition.as_ref());
    if let (Some(condition), true) = (condition, answer.kind != AnswerKind::Unknown) {
        below(format!("entered if {condition}"));
    }
    if let (Some(total), None) = (&answer.total, &source) {
        below(format!("in all {total}"));
    }
    if let (Some(reason), AnswerKind::Bound) = (&answer.reason, answer.kind) {
        below(reason.clone());
    }
    if !answer.assumes.is_empty() {
        below(format!("if {}", answer.assumes.join(", ")));
    }
}

/// ` if n > 3`: when a part of a vectorised loop is entered.
fn only_if(entered: &EntryAnswer) -> String {
    entered.condition.as_ref().map_or_else(String::new, |condition| format!(" if {condition}"))
}

fn said(answer: &LoopAnswer) -> String {
    let expression = answer.expression.clone();
    match (answer.kind, &answer.reason) {
        (AnswerKind::Unknown, Some(reason)) => format!("unknown: {reason}"),
        (AnswerKind::Unknown, None) => "unknown".to_owned(),
        (AnswerKind::Bound, _) => format!("at most {}", expression.unwrap_or_default()),
        _ => expression.unwrap_or_default(),
    }
}

/// What the inputs are that formulas name, each once.
fn inputs(text: &mut String, answers: &LoopAnswers) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for input in answers.loops.iter().flat_map(|answer| &answer.inputs) {
        *seen.entry(input).or_default() += 1;
    }
    if seen.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", paint(STRONG, "inputs"));
    let width = seen.keys().map(|input| width_of(input.split(": ").next().unwrap_or(""))).max().unwrap_or(0);
    for (input, loops) in seen {
        let (name, what) = input.split_once(": ").unwrap_or((input, ""));
        let many = if loops == 1 { "1 loop".to_owned() } else { format!("{loops} loops") };
        let _ = writeln!(
            text,
            "  {}  {}",
            padded(name, width.min(40)),
            paint(DIM, format!("{what}{}{many}", if what.is_empty() { "" } else { " · " }))
        );
    }
    text.push('\n');
}
