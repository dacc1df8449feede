//! Loops that are hard to foretell, with what they do written beside them.
//!
//! Each source of `corpus/loops/hard`, in C, Fortran and IR, is asked in the
//! world of its marks, without numbers for its names and then with several, and
//! every answer is judged by the marks. A wrong one fails. A weak one must stand
//! in [`WEAKER`], word for word: one that gets worse, better or different fails
//! until the table says so.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use opcost_testkit::{JudgedLoop, Mark, MarkClaim, MarkVerdict, judge_claim, read_marks};
use serde::Deserialize;

use super::weaker::WEAKER;
use opcost_testkit::command::corpus;

use super::opcost;

/// Numbers that names get, in turn.
const NUMBERS: [i128; 5] = [0, 1, 5, 9, 64];
/// How many times all names get other numbers.
const ROUNDS: usize = 4;

#[derive(Deserialize)]
struct Document {
    names: Vec<String>,
    loops: Vec<JudgedLoop>,
}

/// Names of formulas with numbers.
type Given = BTreeMap<String, i128>;

/// What was found in all sources.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    /// The worst that was found of a place.
    weak: BTreeMap<String, String>,
    /// How many pairs of mark and answer had numbers, or were decided by kind.
    held: usize,
}

impl Found {
    fn note(&mut self, place: &str, given: &Given, verdict: MarkVerdict) {
        match verdict {
            MarkVerdict::NotJudged => {}
            MarkVerdict::Held => self.held += 1,
            MarkVerdict::Weak(words) => {
                let worst = self.weak.entry(place.to_owned()).or_insert_with(|| words.clone());
                if words > *worst {
                    *worst = words;
                }
            }
            MarkVerdict::Wrong(words) => self.wrong.push(format!("{place} with {given:?}: {words}")),
        }
    }
}

fn ask(path: &Path, world: &str, given: &Given) -> Document {
    let path = path.to_string_lossy();
    let sets: Vec<String> = given.iter().map(|(name, number)| format!("{name}={number}")).collect();
    let mut arguments = vec!["loops", "--json", "-", "-O0", "--world", world, &*path];
    arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
    let said = opcost(&arguments).expect(0);
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"))
}

/// Holds a source against its marks.
fn hold(path: &Path, found: &mut Found) {
    let text = std::fs::read_to_string(path).expect("a source");
    let marks = read_marks(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for (is_closed, world) in [(false, "open"), (true, "closed")] {
        let in_world = |claim: &&MarkClaim| claim.is_closed == is_closed;
        if !marks.iter().flat_map(|mark| &mark.claims).any(|claim| in_world(&claim)) {
            continue;
        }
        let plain = ask(path, world, &Given::new());
        for given in std::iter::once(Given::new()).chain(rounds(&plain.names)) {
            let answers = if given.is_empty() { None } else { Some(ask(path, world, &given).loops) };
            for mark in &marks {
                let file = path.file_name().expect("a file").to_string_lossy();
                let place = format!("{file}:{} {world}", mark.line);
                let here = Here { text: &text, mark, world, plain: &plain };
                for claim in mark.claims.iter().filter(in_world) {
                    here.judge(claim, answers.as_deref(), &given, &place, found);
                }
            }
        }
    }
}

/// Numbers for the names, several times. What several functions of IR call `%n`
/// gets one number, whatever their callers give.
fn rounds(names: &[String]) -> Vec<Given> {
    let bare = |name: &str| name.rsplit("||").next().unwrap_or(name).to_owned();
    let distinct: BTreeSet<String> = names.iter().map(|name| bare(name)).collect();
    let position = |name: &str| distinct.iter().position(|known| *known == bare(name)).unwrap_or(0);
    let number = |name: &str, round: usize| NUMBERS[(position(name) * 2 + round) % NUMBERS.len()];
    let round = |round| names.iter().map(|name| (name.clone(), number(name, round))).collect();
    if names.is_empty() { Vec::new() } else { (0..ROUNDS).map(round).collect() }
}

/// A mark with what was answered without numbers.
struct Here<'a> {
    text: &'a str,
    mark: &'a Mark,
    world: &'a str,
    plain: &'a Document,
}

impl Here<'_> {
    /// Judges the loops of the mark by one claim; with numbers where there are some.
    fn judge(
        &self,
        claim: &MarkClaim,
        answers: Option<&[JudgedLoop]>,
        given: &Given,
        place: &str,
        found: &mut Found,
    ) {
        let positions: Vec<usize> =
            (0..self.plain.loops.len()).filter(|at| self.is_mine(&self.plain.loops[*at])).collect();
        if positions.is_empty() {
            found.note(place, given, MarkVerdict::Weak("no loop is found".to_owned()));
        }
        for at in positions {
            let unbound = &self.plain.loops[at];
            let answer = answers.map_or(unbound, |all| &all[at]);
            let value_of = |name: &str| value_in(given, name);
            // A name that the mark does not have got a number that it never is.
            let is_comparable = self.is_of_the_mark(claim, unbound);
            let verdict = if is_comparable || !answer.is_exact() {
                judge_claim(claim, answer, &value_of)
            } else {
                judge_claim(claim, unbound, &|_| None)
            };
            found.note(place, given, self.in_open_world(verdict, answer, &value_of));
        }
    }

    /// Code that is here is what runs: more may be told in the open world than
    /// its claim asks for, if it is what the claim of the closed one says.
    fn in_open_world(
        &self,
        verdict: MarkVerdict,
        answer: &JudgedLoop,
        value_of: &dyn Fn(&str) -> Option<i128>,
    ) -> MarkVerdict {
        let closed = self.mark.claims.iter().find(|claim| claim.is_closed);
        match (verdict, closed) {
            (MarkVerdict::Wrong(words), Some(closed)) if self.world == "open" => {
                match judge_claim(closed, answer, value_of) {
                    MarkVerdict::Wrong(_) => MarkVerdict::Wrong(words),
                    other => other,
                }
            }
            (verdict, _) => verdict,
        }
    }

    /// IR has no lines: there a mark stands at the label of the header. What is
    /// tested at its end may have the line of the test.
    fn is_mine(&self, answer: &JudgedLoop) -> bool {
        if let Some(line) = answer.line {
            return line == self.mark.line || Some(line) == self.end();
        }
        let above: Vec<&str> = self.text.lines().take(self.mark.line).collect();
        let label = above.last().and_then(|line| line.split_once(':')).map(|(label, _)| label);
        let function = above.iter().rev().find_map(|line| line.strip_prefix("define ")?.split_once('@'));
        let name = function.and_then(|(_, rest)| rest.split_once('(')).map(|(name, _)| name);
        name == Some(&*answer.function) && label == answer.label.as_deref()
    }

    /// The line where the marked `do` ends.
    fn end(&self) -> Option<usize> {
        let mut lines = (1..).zip(self.text.lines()).skip(self.mark.line - 1);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let (_, begin) = lines.next()?;
        if !begin.trim_start().starts_with("do {") && !begin.trim_start().starts_with("do while") {
            return None;
        }
        let is_end =
            |line: &str| line.trim_start().starts_with('}') || line.trim_start().starts_with("end do");
        lines.find(|(_, line)| indent(line) == indent(begin) && is_end(line)).map(|(number, _)| number)
    }

    /// Whether every name of a formula is one of the claim's.
    fn is_of_the_mark(&self, claim: &MarkClaim, unbound: &JudgedLoop) -> bool {
        let opcost_testkit::JudgedCount::Text(formula) = &unbound.body_iterations else { return true };
        let parts = |text: &str| -> BTreeSet<String> {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            text.split(|letter| !is_part(letter)).map(str::to_owned).collect()
        };
        let body = claim.body.as_ref().map_or_else(Vec::new, |body| body.names());
        let known: BTreeSet<String> = body.into_iter().flat_map(parts).collect();
        let formula = parts(formula);
        let is_word =
            |word: &String| word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
        let names = self.plain.names.iter().flat_map(|name| parts(name)).filter(is_word);
        names.filter(|name| formula.contains(name)).all(|name| known.contains(&name))
    }
}

/// The number of a name of the source; formulas of IR write `%n`, behind what
/// callers here give for it.
fn value_in(given: &Given, name: &str) -> Option<i128> {
    let in_ir = format!("%{name}");
    let is_it = |known: &str| known == name || known.rsplit("||").next() == Some(&*in_ir);
    given.iter().find(|(known, _)| is_it(known)).map(|(_, number)| *number)
}

fn sources() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(corpus("loops/hard")).expect("the hard loops");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|end| ["c", "f", "f90", "ll"].iter().any(|known| end == *known))
    });
    paths.sort();
    paths
}

#[test]
fn hard_loops_are_told_as_their_marks_say() {
    let sources = sources();
    assert!(sources.len() >= 20, "the hard loops are there: {sources:?}");
    let mut found = Found::default();
    for source in &sources {
        hold(source, &mut found);
    }
    assert!(found.wrong.is_empty(), "wrong claims:\n{}", found.wrong.join("\n"));
    let known: BTreeMap<&str, &str> = WEAKER.iter().copied().collect();
    assert!(WEAKER.iter().all(|(_, words)| !words.is_empty()), "every weaker mark says what is answered");
    assert_eq!(known.len(), WEAKER.len(), "a place stands twice");
    let today: BTreeMap<&str, &str> = found.weak.iter().map(|(place, words)| (&**place, &**words)).collect();
    let rows: String = today.iter().map(|(place, words)| format!("    ({place:?}, {words:?}),\n")).collect();
    assert_eq!(
        today, known,
        "weaker than their marks are now, as crates/cli/tests/loops/weaker.rs says it:\n{rows}"
    );
    assert!(found.held >= HELD, "{} answers hold, {HELD} did", found.held);
}

/// Answers that hold today, over all numbers that names get; fewer is a step back.
const HELD: usize = 528;
