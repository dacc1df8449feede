//! `opcost report` of answers: what a ledger says that is no count, as a table.
//!
//! Functions stand in the order of the source as far as it is known, things in them in the order
//! of the program, with the questions that there are answers to. An answer that does not fit is
//! cut; the document has it whole. Below a row stands why nothing is known, and what the answer
//! rests on, where that is not what the row above rests on.
//!
//! Input: rows. Cost: rows * log rows. Limit: in what order functions of different files stand in
//! their program is not known; files go by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use opcost_answer::names::NameBook;
use opcost_key::{FunctionKey, Key};
use opcost_profile::{About, AnswerRow, AnswerState, Answers, Assumption, Certainty, SourcePlace};

use crate::kit::legend::Legend;
use crate::kit::numbers::grouped;
use crate::kit::style::{
    BAD, DIM, GOOD, STRONG, WARM, cut, cut_middle, cut_name, padded, paint, printable, width_of,
};

/// Cells of a key at most, of a question, and of a quality.
const KEY: usize = 24;
const QUESTION: usize = 19;
const QUALITY: usize = 11;
/// Cells between columns.
const BETWEEN: usize = 2;

/// What is shown.
pub struct AnswersReport<'a> {
    /// Of what the answers are.
    pub about: &'a About,
    /// The answers, in the order in which they are shown.
    pub rows: Vec<&'a AnswerRow>,
}

/// Answers by key: functions as their source has them, what is in them in the order of the
/// program.
pub fn in_program_order(answers: &Answers) -> Vec<&AnswerRow> {
    let mut begins: BTreeMap<Option<&FunctionKey>, &SourcePlace> = BTreeMap::new();
    for row in answers.iter() {
        if let Some(place) = &row.place {
            begins.entry(row.key.function()).or_insert(place);
        }
    }
    let mut rows: Vec<&AnswerRow> = answers.iter().collect();
    // What has no place stands behind; the sort keeps the order of keys.
    rows.sort_by_key(|row| {
        let owner = row.key.function();
        let begin = begins.get(&owner);
        (begin.is_none(), begin.map(|place| (place.file.clone(), place.line)), owner)
    });
    rows
}

/// The table.
pub fn print_answers(report: &AnswersReport<'_>, width: usize) -> String {
    let mut text = head(report, width);
    let names = NameBook::of_functions(report.rows.iter().filter_map(|row| row.key.function()));
    let widest = report.rows.iter().map(|row| width_of(&printable(&row.key.to_string()))).max();
    let columns = Columns { width, key: widest.unwrap_or(0).min(KEY) };
    let mut owner = None;
    let mut last: Option<&AnswerRow> = None;
    for &row in &report.rows {
        if row.key.function() != owner || last.is_none() {
            owner = row.key.function();
            let name = owner.map(|owner| names.function(owner));
            let _ =
                writeln!(text, "\n{}", paint(STRONG, cut_name(&printable(&name.unwrap_or_default()), width)));
        }
        columns.row(&mut text, row, last);
        last = Some(row);
    }
    text + &signs(&report.rows).text(width)
}

/// Signs in the answers, and in what they rest on.
fn signs(rows: &[&AnswerRow]) -> Legend {
    let mut legend = Legend::default();
    for row in rows {
        legend.read(&quality_of(row).0);
        row.assumptions.iter().for_each(|assumption| legend.read(&rests(assumption)));
    }
    legend
}

fn head(report: &AnswersReport<'_>, width: usize) -> String {
    let things: BTreeSet<&Key> = report.rows.iter().map(|row| &row.key).collect();
    let many = |number: usize, one: &str, more: &str| {
        format!("{} {}", grouped(number), if number == 1 { one } else { more })
    };
    let what = many(report.rows.len(), "answer", "answers");
    let unknown = report.rows.iter().filter(|row| matches!(row.state, AnswerState::Nothing(_))).count();
    let unknown = if unknown > 0 { format!(", {} unknown", grouped(unknown)) } else { String::new() };
    let mut text =
        format!("{} about {}{unknown}\n", paint(STRONG, what), many(things.len(), "thing", "things"));
    let worlds: BTreeSet<&str> = report.rows.iter().map(|row| row.world.word()).collect();
    let worlds: Vec<&str> = worlds.into_iter().collect();
    let runs = match report.about.runs {
        0 => "nothing ran".to_owned(),
        runs => many(usize::try_from(runs).unwrap_or(usize::MAX), "run", "runs"),
    };
    let world = if worlds.is_empty() { String::new() } else { format!(", {} world", worlds.join(" and ")) };
    for command in &report.about.commands {
        let _ = writeln!(text, "{}", paint(DIM, cut(&printable(&command.join(" ")), width)));
    }
    let _ = writeln!(text, "{}", paint(DIM, format!("{runs}{world}")));
    text
}

/// How wide the columns are.
struct Columns {
    width: usize,
    key: usize,
}

impl Columns {
    fn row(&self, text: &mut String, row: &AnswerRow, last: Option<&AnswerRow>) {
        let is_new = last.is_none_or(|last| last.key != row.key);
        let key = if is_new { cut_middle(&printable(&row.key.to_string()), self.key) } else { String::new() };
        let around = self.key + QUESTION + QUALITY + 3 * BETWEEN;
        let room = self.width.saturating_sub(around).max(8);
        let (answer, quality, style) = quality_of(row);
        let answer = cut(&printable(&answer), room);
        let between = " ".repeat(BETWEEN);
        let line = [
            padded(&key, self.key),
            padded(row.column.word(), QUESTION),
            paint(style, padded(&answer, room)),
            quality.to_owned(),
        ];
        let _ = writeln!(text, "{}", line.join(&between).trim_end());
        if let AnswerState::Nothing(reason) = &row.state {
            self.below(text, &printable(reason));
        }
        let is_said = last.is_some_and(|last| last.assumptions == row.assumptions);
        if !row.assumptions.is_empty() && !is_said {
            let all: Vec<String> = row.assumptions.iter().map(rests).collect();
            self.below(text, &format!("if {}", printable(&all.join(", "))));
        }
    }

    /// Words below a row, as many lines as they need.
    fn below(&self, text: &mut String, words: &str) {
        let indent = self.key + BETWEEN;
        let room = self.width.saturating_sub(indent).max(16);
        let mut line = String::new();
        let mut end = |line: &mut String| {
            let _ = writeln!(text, "{}{}", " ".repeat(indent), paint(DIM, cut(line, room)));
            line.clear();
        };
        for word in words.split_whitespace() {
            if !line.is_empty() && width_of(&line) + 1 + width_of(word) > room {
                end(&mut line);
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            end(&mut line);
        }
    }
}

/// The answer, how sure it is, and how that looks.
fn quality_of(row: &AnswerRow) -> (String, &'static str, anstyle::Style) {
    match &row.state {
        AnswerState::Nothing(_) => ("?".to_owned(), "unknown", BAD),
        AnswerState::Answer(answer, Certainty::Exact) if row.assumptions.is_empty() => {
            (answer.to_string(), "exact", GOOD)
        }
        AnswerState::Answer(answer, Certainty::Exact) => (answer.to_string(), "exact-under", GOOD),
        AnswerState::Answer(answer, certainty) => (answer.to_string(), certainty.word(), WARM),
    }
}

/// What an answer rests on, in words.
fn rests(assumption: &Assumption) -> String {
    match assumption {
        Assumption::Promise(word, key) => format!("{word} of {key}"),
        Assumption::Condition(formula) => formula.to_string(),
        Assumption::EndsIf(formula) => format!("{formula} (else it does not end)"),
        Assumption::Progress(key) => format!("{key} ends"),
        Assumption::NotLeft(key) => format!("it is not left at {key}"),
        Assumption::Ieee => "numbers with a point are IEEE 754's".to_owned(),
        Assumption::Rule(words) => words.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use opcost_profile::LineTexts;
    use std::collections::BTreeSet;

    use anstream::adapter::strip_str;
    use opcost_key::{Charge, CostFacts, Hash128};
    use opcost_profile::{
        About, Answer, AnswerColumn, AnswerRow, AnswerState, Answers, Certainty, Form, Origin, SourcePlace,
        World,
    };

    use super::{AnswersReport, in_program_order, print_answers};
    use crate::kit::style::width_of;

    fn row(key: &str, known: AnswerState, line: u32) -> AnswerRow {
        AnswerRow {
            key: key.parse().expect("a key"),
            column: AnswerColumn::ObservedBackEdges,
            state: known,
            assumptions: BTreeSet::new(),
            origin: Origin::Predicted,
            world: World::Closed,
            place: Some(SourcePlace { file: "a.c".into(), line }),
        }
    }

    #[test]
    fn all_of_it_fits_eighty_cells_in_the_order_of_the_source() {
        let formula = format!("{} + 1", vec!["a_long_name"; 30].join(" * "));
        let known = AnswerState::Answer(
            Answer::parse(Form::Formula, &formula).expect("a formula"),
            Certainty::UpperBound,
        );
        let reason = "its turns depend on what a function returns that nobody sees, \x1b[2J and more so";
        let answers: Answers = [
            row("@a_function_with_a_name_of_some_length:loop12345", known.clone(), 30),
            row("@z:loop3", known.clone(), 7),
            row("@z:loop1", AnswerState::Nothing(reason.into()), 9),
        ]
        .into_iter()
        .collect();
        let about = About {
            modules: Vec::new(),
            code: Vec::new(),
            cost: CostFacts { name: "none".into(), hash: Hash128(0), charge: Charge::Instruction },
            machines: Vec::new(),
            commands: vec![vec!["opcost".into(), "loops".into(), "a.c".into()]],
            runs: 0,
            texts: LineTexts::default(),
        };
        let report = AnswersReport { about: &about, rows: in_program_order(&answers) };
        let text = strip_str(&print_answers(&report, 80)).to_string();
        assert!(text.lines().all(|line| width_of(line) <= 80), "{text}");
        let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} in {text}"));
        assert!(at("@z:loop1") < at("@z:loop3") && at("@z:loop3") < at("\na_function"), "{text}");
        assert!(at("unknown") < at("its turns depend") && !text.contains('\x1b'), "{text}");
        assert!(
            text.starts_with("3 answers about 3 things, 1 unknown\nopcost loops a.c\nnothing ran"),
            "{text}"
        );
    }
}
