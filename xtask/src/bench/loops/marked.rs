//! What opcost says of marked loops, held against the marks.
//!
//! Asked at -O0 only, where loops still stand on the lines that they have in the
//! source. Formulas are compared at several values of the names in them, which
//! `opcost loops --set NAME=VALUE` puts in; where it cannot, or says nothing
//! that has a number, the mark is not judged. Marks in IR have no lines in the
//! bitcode and are not judged either.

use crate::bench::timed;
use crate::failure::{Failure, Result};
use opcost_testkit::{JudgedLoop, Mark, MarkVerdict, judge, read_marks};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Names get these one after the other, each name another one.
const SAMPLES: [i128; 8] = [3, 0, 10, 1, 64, 2, 7, 33];

/// How marks fared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) held: usize,
    /// Right, and less than could be known.
    pub(super) weak: Vec<String>,
    pub(super) wrong: Vec<String>,
    /// Marks that nothing was found for, or whose answers have no number.
    pub(super) not_judged: usize,
}

#[derive(Deserialize)]
struct Document {
    loops: Vec<JudgedLoop>,
}

/// What the names were, and what was answered then.
type Answered = (Vec<(String, i128)>, Vec<JudgedLoop>);

impl Marked {
    pub(super) fn add(&mut self, other: Self) {
        self.held += other.held;
        self.weak.extend(other.weak);
        self.wrong.extend(other.wrong);
        self.not_judged += other.not_judged;
    }

    fn note(&mut self, place: &str, verdict: MarkVerdict) {
        match verdict {
            MarkVerdict::NotJudged => self.not_judged += 1,
            MarkVerdict::Held => self.held += 1,
            MarkVerdict::Weak(words) => self.weak.push(format!("{place}: {words}")),
            MarkVerdict::Wrong(words) => self.wrong.push(format!("{place}: {words}")),
        }
    }
}

/// All marks of one source, asked of its module.
pub(super) fn query(opcost: &Path, source: &Path, module: &Path, folder: &Path) -> Result<Marked> {
    let text = fs::read_to_string(source).map_err(|error| Failure::at("read", source, error))?;
    let marks = read_marks(&text).map_err(|reason| Failure::at("understand", source, reason))?;
    let file = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut answered = vec![(Vec::new(), answers(opcost, module, &[], folder)?)];
    let names = names(&marks);
    for shift in 0..SAMPLES.len() {
        let values: Vec<(String, i128)> = names
            .iter()
            .enumerate()
            .map(|(place, name)| (name.clone(), SAMPLES[(shift + 3 * place) % SAMPLES.len()]))
            .collect();
        // A name that it does not know is an error of its own, and no answer.
        if let Ok(found) = answers(opcost, module, &values, folder) {
            answered.push((values, found));
        }
    }
    let mut marked = Marked::default();
    for mark in &marks {
        let place = format!("{file}:{}", mark.line);
        marked.note(&place, judge_mark(mark, &file, &answered));
    }
    Ok(marked)
}

/// The names in formulas that a command line can set.
fn names(marks: &[Mark]) -> Vec<String> {
    let bodies = marks.iter().flat_map(|mark| &mark.claims).filter_map(|claim| claim.body.as_ref());
    let names: BTreeSet<&str> = bodies.flat_map(|body| body.names()).collect();
    names.into_iter().filter(|name| !name.contains(['.', '>'])).map(str::to_owned).collect()
}

fn answers(
    opcost: &Path,
    module: &Path,
    values: &[(String, i128)],
    folder: &Path,
) -> Result<Vec<JudgedLoop>> {
    let mut command = Command::new(opcost);
    command.arg("loops");
    for (name, value) in values {
        command.arg("--set").arg(format!("{name}={value}"));
    }
    let (text, _) = timed::run(command.args(["--json", "-"]).arg(module), &[], folder)?;
    let document: Document = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("`opcost loops` said what is no opcost.loops/1: {error}")))?;
    Ok(document.loops)
}

/// The worst verdict of all answers and of all loops on the line.
fn judge_mark(mark: &Mark, file: &str, answered: &[Answered]) -> MarkVerdict {
    let is_here = |answer: &&JudgedLoop| {
        let path = answer.file.as_deref().unwrap_or_default();
        answer.line == Some(mark.line) && path.rsplit('/').next() == Some(file)
    };
    let verdicts = answered.iter().flat_map(|(values, answers)| {
        let value_of = |name: &str| values.iter().find(|(known, _)| known == name).map(|(_, value)| *value);
        answers.iter().filter(is_here).map(move |answer| judge(mark, answer, &value_of)).collect::<Vec<_>>()
    });
    verdicts.max().unwrap_or(MarkVerdict::NotJudged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(mark: &str, answer: &str) -> MarkVerdict {
        let marks = read_marks(&format!("expect: {mark}")).unwrap();
        let answer: JudgedLoop = serde_json::from_str(answer).unwrap();
        let answered = vec![(vec![("n".to_owned(), 7)], vec![answer])];
        judge_mark(&marks[0], "a.c", &answered)
    }

    fn answer(rest: &str) -> String {
        format!(r#"{{"file": "x/a.c", "line": 1, {rest}}}"#)
    }

    #[test]
    fn other_lines_and_other_values_are_not_asked() {
        let elsewhere = r#"{"file": "b.c", "line": 1, "kind": "unknown"}"#;
        assert_eq!(verdict("body=1 quality=exact", elsewhere), MarkVerdict::NotJudged);
        let wrong = answer(r#""kind": "formula", "body_iterations": 1"#);
        assert_eq!(verdict("body=n quality=exact where=n>7", &wrong), MarkVerdict::NotJudged);
        assert!(matches!(verdict("body=n quality=exact where=n>6", &wrong), MarkVerdict::Wrong(_)));
    }
}
