//! `opcost loops`: the table of a program's loops, and `opcost.loops/1`.
//!
//! Loops stand under their functions in the order of the source, nests by
//! indentation, beside the line that begins them. A formula that does not fit
//! there stands below, where there is more room; what does not fit there either
//! is cut, and the document has it whole. No line is wider than the terminal but
//! those that can be run again as they are. Signs that no source has are
//! explained at the end.

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::legend::Legend;
use crate::kit::numbers::{counted, grouped};
use crate::kit::save::document;
use crate::kit::source::Sources;
use crate::kit::style::{
    BAD, DIM, GOOD, STRONG, WARM, cut, cut_name, cut_start, padded, paint, printable, width_of, wrapped,
};
use opcost_answer::loops::{AnswerKind, EntryAnswer, EntryKind, LoopAnswer, LoopAnswers};
use opcost_answer::names::{NameBook, shown_in};

/// Cells of the place and of the line of source next to a loop, at most.
const PLACE: usize = 22;
const SOURCE: usize = 34;
/// The width of a terminal in which they have these.
const FULL_WIDTH: usize = 100;
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

/// The table, in lines of so many cells.
pub fn print_loops(report: &LoopsReport<'_>, sources: &mut Sources, width: usize) -> String {
    let mut table = Table::new(width);
    table.head(report);
    let owners = report.answers.loops.iter().filter_map(|answer| answer.key.function());
    let names = NameBook::of_functions(owners);
    let mut rest = &*report.answers.loops;
    while let Some(first) = rest.first() {
        let owner = first.key.function();
        let count = rest.iter().take_while(|answer| answer.key.function() == owner).count();
        let (function, behind) = rest.split_at(count);
        rest = behind;
        let name = owner.map(|owner| names.function(owner)).unwrap_or_default();
        let _ = writeln!(table.text, "\n{}", paint(STRONG, cut_name(&name, table.width)));
        for answer in function {
            // It stands in the row of its vector body.
            if answer.remainder_of.is_some_and(|body| is_whole(function, body)) {
                continue;
            }
            let rest = answer.vectorised.as_ref().and_then(|whole| whole.remainder);
            let rest = rest.or(answer.unrolled.as_ref().map(|whole| whole.remainder));
            let rest = rest.and_then(|header| function.iter().find(|other| other.header == header));
            table.row(answer, rest, sources);
        }
    }
    let rows = table.text.len();
    table.inputs(report.answers);
    table.text += &table.legend.text(width);
    if table.text.len() > rows {
        table.text.push('\n');
    }
    for next in &report.next {
        let _ = writeln!(table.text, "{}", paint(DIM, format!("next: {next}")));
    }
    table.text
}

/// The table as far as it is written.
struct Table {
    text: String,
    /// Signs in what was written.
    legend: Legend,
    /// Cells of a line, of the place, and of the line of source.
    width: usize,
    location: usize,
    source: usize,
}

impl Table {
    fn new(width: usize) -> Table {
        let part = |cells: usize| (cells * width / FULL_WIDTH).min(cells);
        Table {
            text: String::new(),
            legend: Legend::default(),
            width,
            location: part(PLACE),
            source: part(SOURCE),
        }
    }

    fn head(&mut self, report: &LoopsReport<'_>) {
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
            _ => counted(all, "loop"),
        };
        let colon = if parts.is_empty() { "" } else { ": " };
        let head = format!("{what}{colon}{}", parts.join(" · "));
        for (number, line) in wrapped(&head, self.width).into_iter().enumerate() {
            let line = match line.strip_prefix(&what).filter(|_| number == 0) {
                Some(rest) => format!("{}{rest}", paint(STRONG, &what)),
                None => line,
            };
            let _ = writeln!(self.text, "{line}");
        }
        for line in wrapped(&format!("{}, {} world", report.about, answers.world), self.width) {
            let _ = writeln!(self.text, "{}", paint(DIM, line));
        }
    }

    /// A loop: where, its line, what is known; below it what that rests on. A vector body or
    /// unrolled body is shown as the loop of the source, with what it leaves to `rest`.
    fn row(&mut self, answer: &LoopAnswer, rest: Option<&LoopAnswer>, sources: &mut Sources) {
        let indent = "  ".repeat(answer.depth.saturating_sub(1).min(8) as usize);
        let (place, written) = match (&answer.file, answer.line) {
            (Some(file), Some(line)) => {
                let written = sources.line(file, line).unwrap_or_default();
                (format!("{file}:{line}"), printable(&written).trim().to_owned())
            }
            _ => {
                let place = format!("%{}", answer.label);
                self.legend.read(&place);
                (place, answer.form.clone())
            }
        };
        let place = padded(&cut_start(&place, self.location), self.location);
        let written = padded(&cut(&format!("{indent}{written}"), self.source), self.source);
        let source = source_of(answer);
        let entered = source.as_ref().map_or(Some(&answer.entered_if), |source| source.entered_if);
        let is_never = entered.is_some_and(|entered| entered.kind == EntryKind::Never);
        let said = match &source {
            _ if is_never => "0 (never entered)".to_owned(),
            Some(source) => source.iterations.to_owned(),
            None => answer_text(answer),
        };
        let style = match answer.kind {
            AnswerKind::Constant | AnswerKind::Inputs => GOOD,
            AnswerKind::Formula => anstyle::Style::new(),
            AnswerKind::Bound => WARM,
            AnswerKind::Unknown => BAD,
        };
        let said = shown_in(&said);
        self.legend.read(&said);
        let room = self.width.saturating_sub(2 + self.location + 1 + self.source + 2);
        let (place, written) = (paint(DIM, place), paint(DIM, written));
        if width_of(&said) <= room {
            let _ = writeln!(self.text, "  {place} {written} {}", paint(style, said));
        } else {
            let _ = writeln!(self.text, "  {place} {written}");
            self.below(style, &said);
        }
        if is_never {
            return;
        }
        if let (Some(source), Some(turns)) = (&source, &answer.body_iterations) {
            self.below(DIM, &format!("{turns} times {}{}", source.each, only_if(&answer.entered_if)));
            if let Some((rest, left)) = rest.and_then(|rest| Some((rest, rest.body_iterations.as_ref()?))) {
                self.below(DIM, &format!("{} {left}{}", source.rest, only_if(&rest.entered_if)));
            }
        }
        let condition = entered.and_then(|entered| entered.condition.as_ref());
        if let (Some(condition), true) = (condition, answer.kind != AnswerKind::Unknown) {
            self.below(DIM, &format!("entered if {condition}"));
        }
        if let (Some(total), None) = (&answer.total, &source) {
            self.below(DIM, &format!("in all {total}"));
        }
        if let (Some(reason), AnswerKind::Bound) = (&answer.reason, answer.kind) {
            self.below(DIM, reason);
        }
        if !answer.assumes.is_empty() {
            self.below(DIM, &format!("if {}", answer.assumes.join(", ")));
        }
    }

    /// Words below a row, under its line of source.
    fn below(&mut self, style: anstyle::Style, words: &str) {
        let words = shown_in(words);
        self.legend.read(&words);
        let left = 2 + self.location + 1 + 2;
        let words = cut(&words, self.width.saturating_sub(left));
        let _ = writeln!(self.text, "{}{}", " ".repeat(left), paint(style, words));
    }

    /// What the inputs are that formulas name, each once.
    fn inputs(&mut self, answers: &LoopAnswers) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for input in answers.loops.iter().flat_map(|answer| &answer.inputs) {
            *seen.entry(input).or_default() += 1;
        }
        if seen.is_empty() {
            return;
        }
        let _ = writeln!(self.text, "\n{}", paint(STRONG, "inputs"));
        let widest = seen.keys().map(|input| width_of(input.split(": ").next().unwrap_or(""))).max();
        let column = widest.unwrap_or(0).min(self.width * 2 / 5);
        for (input, loops) in seen {
            let (name, what) = input.split_once(": ").unwrap_or((input, ""));
            // What is made of no named input ends in an empty list of them.
            let what = shown_in(what.strip_suffix(" (of )").unwrap_or(what));
            self.legend.read(name);
            self.legend.read(&what);
            let many = counted(loops, "loop");
            let many = if what.is_empty() { many } else { format!(" · {many}") };
            let room = self.width.saturating_sub(2 + column + 2 + width_of(&many));
            let words = paint(DIM, format!("{}{many}", cut(&what, room)));
            if width_of(name) <= column {
                let _ = writeln!(self.text, "  {}  {words}", padded(name, column));
            } else {
                // A name is whole as far as a line goes, since --set takes it.
                let name = cut(name, self.width - 2);
                let _ = writeln!(self.text, "  {name}\n  {}  {words}", " ".repeat(column));
            }
        }
    }
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
    /// When the other loop does the rest: after the body, or also before it.
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

/// ` if n > 3`: when a part of a vectorised loop is entered.
fn only_if(entered: &EntryAnswer) -> String {
    entered.condition.as_ref().map_or_else(String::new, |condition| format!(" if {condition}"))
}

fn answer_text(answer: &LoopAnswer) -> String {
    let expression = answer.expression.clone();
    match (answer.kind, &answer.reason) {
        (AnswerKind::Unknown, Some(reason)) => format!("unknown: {reason}"),
        (AnswerKind::Unknown, None) => "unknown".to_owned(),
        (AnswerKind::Bound, _) => format!("at most {}", expression.unwrap_or_default()),
        _ => expression.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;
    use opcost_answer::loops::{LoopAnswer, LoopAnswers};

    use super::{LoopsReport, print_loops};
    use crate::kit::source::Sources;
    use crate::kit::style::width_of;

    /// A loop of a function with a name of C++ that takes several lines.
    fn example(line: u32, change: impl FnOnce(&mut LoopAnswer)) -> LoopAnswer {
        let name = "_ZSt6__sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEENS0_5__ops15_Iter_less_iterEEvT_S9_T0_";
        let json = serde_json::json!({
            "key": format!("@{name}:loop{line}"), "function": name, "header": line, "label": "196",
            "file": "/usr/include/c++/12/bits/a_header_with_a_long_name.h", "line": line, "depth": 3,
            "parent": null, "form": "tested first", "entered_if": {"kind": "if", "condition": "n > %196 || m > 1"},
            "kind": "formula", "back_edges": null, "body_iterations": null,
            "expression": vec!["a_long_name"; 20].join(" + "), "total": "n * m", "inputs": [], "bound": null,
            "assumes": [], "reason": null, "vectorised": null, "unrolled": null, "remainder_of": null,
        });
        let mut answer = serde_json::from_value(json).expect("a loop");
        change(&mut answer);
        answer
    }

    fn printed(loops: Vec<LoopAnswer>, width: usize) -> String {
        let answers = LoopAnswers { world: "closed".to_owned(), loops, ..LoopAnswers::default() };
        let about = "src/a_file.cpp src/another_file.cpp src/one_file_more.cpp src/the_last_file.cpp at -O2";
        let report = LoopsReport { answers: &answers, about: about.to_owned(), next: Vec::new() };
        strip_str(&print_loops(&report, &mut Sources::of(None, "program"), width)).to_string()
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let loops = || {
            vec![
                example(1, |_| {}),
                example(2, |answer| {
                    let name = ["what_the_user_gives"; 4].join("_");
                    answer.inputs = vec![
                        format!("{name}: {}", vec!["argv[1]"; 30].join(" + ")),
                        "n: 0||{Δ#1+1} (of )".to_owned(),
                    ];
                    answer.assumes = vec!["no alias by type".to_owned(); 9];
                }),
                example(3, |answer| {
                    answer.kind = opcost_answer::loops::AnswerKind::Unknown;
                    answer.reason = Some(
                        "it depends on what _Znwm returns, and that nobody sees before it runs".to_owned(),
                    );
                }),
                example(4, |answer| answer.file = None),
            ]
        };
        for width in [50, 80, 100, 160] {
            let text = printed(loops(), width);
            let widest = text.lines().map(width_of).max();
            assert!(widest <= Some(width), "{widest:?} of {width}\n{text}");
        }
        let text = printed(loops(), 80);
        for words in [
            "\nstd::__sort<…>(…)\n",
            "unknown: it depends on what operator new(unsigned long)",
            "\nsigns\n",
            "  %N     a value or block without a name",
            "  A||B   one of both",
            "  Δ#1    the same value one iteration before",
            "  n    ",
        ] {
            assert!(text.contains(words), "{words} in\n{text}");
        }
        assert!(!text.contains("(of )"), "{text}");
    }

    #[test]
    fn what_no_formula_has_is_not_explained() {
        let plain = |answer: &mut LoopAnswer| {
            answer.expression = Some("n".to_owned());
            answer.entered_if.condition = Some("n > 1 || m > 1".to_owned());
        };
        let text = printed(vec![example(1, plain)], 80);
        assert!(!text.contains("signs") && text.contains(" n\n"), "{text}");
    }
}
