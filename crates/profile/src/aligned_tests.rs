//! Cases of alignment: what moved, what was rewritten, and what nobody can tell.

use std::collections::BTreeMap;

use opcost_key::text_hash;
use proptest::prelude::*;

use crate::diff::{Diff, DiffVerdict, diff};
use crate::example::{fact, function, ledger};
use crate::{Column, Fact, Ledger, LineTexts, SourcePlace, Subject};

/// A source file as a ledger sees it: functions, each with its first line, and what stands on lines.
#[derive(Clone, Default)]
struct Code {
    facts: Vec<Fact>,
    lines: BTreeMap<SourcePlace, u64>,
    texts: LineTexts,
}

fn at(file: &str, line: u32) -> SourcePlace {
    SourcePlace { file: file.into(), line }
}

impl Code {
    /// A function whose lines stand below each other from `start` on, with their costs.
    fn function(self, name: &str, body: u128, start: SourcePlace, lines: &[(&str, u64)]) -> Self {
        let places: Vec<(u32, &str, u64)> =
            (start.line..).zip(lines).map(|(line, (text, cost))| (line, *text, *cost)).collect();
        self.spread(name, body, start, &places)
    }

    /// A function with lines at these numbers; a line without a text is not told.
    fn spread(mut self, name: &str, body: u128, start: SourcePlace, lines: &[(u32, &str, u64)]) -> Self {
        let function = function(name, 1, body);
        let subject = Subject::Function { function: function.clone(), place: Some(start.clone()) };
        let whole = lines.iter().map(|(_, _, cost)| cost).sum();
        self.facts.push(fact(subject.clone(), Column::Calls, 1));
        self.facts.push(fact(subject, Column::Instructions, whole));
        for &(line, text, cost) in lines {
            let place = at(&start.file, line);
            let subject = Subject::FunctionLine { function: function.clone(), place: place.clone() };
            self.facts.push(fact(subject, Column::Instructions, cost));
            *self.lines.entry(place.clone()).or_default() += cost;
            if !text.is_empty() {
                self.texts.insert(place, text_hash(text.as_bytes()));
            }
        }
        self
    }

    fn ledger(self) -> Ledger {
        let lines = self.lines.into_iter();
        let lines = lines.map(|(place, cost)| fact(Subject::Line(place), Column::Instructions, cost));
        let mut ledger = ledger(self.facts.into_iter().chain(lines).collect());
        ledger.about.texts = self.texts;
        ledger
    }
}

fn compared(before: Code, after: Code) -> Diff {
    diff(&before.ledger(), &after.ledger(), false).expect("alike")
}

/// `7→8 +20`, `7→ -3`, `→9 +4`, with `*` where it was rewritten.
fn lines(diff: &Diff) -> Vec<String> {
    let number = |place: &Option<SourcePlace>| place.as_ref().map_or(String::new(), |at| at.line.to_string());
    let cost = |cost: Option<u128>| i128::try_from(cost.unwrap_or(0)).expect("small");
    let line = |line: &crate::diff::LineDiff| {
        let change = cost(line.instructions.after) - cost(line.instructions.before);
        let star = if line.is_rewritten { "*" } else { "" };
        format!("{}→{}{star} {change:+}", number(&line.before), number(&line.after))
    };
    diff.lines.iter().map(line).collect()
}

const F: [(&str, u64); 4] = [("int f() {", 1), ("s += g();", 100), ("s *= 3;", 20), ("}", 1)];
const G: [(&str, u64); 3] = [("int g() {", 1), ("return 3;", 7), ("}", 1)];

#[test]
fn a_comment_above_changes_no_line() {
    let of = |shift: u32| {
        let code = Code::default().function("f", 1, at("a.c", 1 + shift), &F);
        code.function("g", 2, at("a.c", 9 + shift), &G)
    };
    let diff = compared(of(0), of(1));
    assert_eq!(lines(&diff), [""; 0]);
    assert!(diff.unaligned.is_empty(), "{:?}", diff.unaligned);
    assert!(diff.functions.iter().all(|function| function.verdict == DiffVerdict::Same));
}

/// A changed body has lines that are told by their texts alone.
#[test]
fn what_changed_is_one_line_wherever_it_lies_now() {
    let before = Code::default().function("f", 1, at("a.c", 1), &F).function("g", 2, at("a.c", 9), &G);
    let changed = [("int f() {", 1), ("// why", 0), ("s += g();", 150), ("s *= 3;", 20), ("}", 1)];
    let after = Code::default().function("f", 7, at("a.c", 4), &changed).function("g", 2, at("a.c", 20), &G);
    assert_eq!(lines(&compared(before, after)), ["2→6 +50"]);
}

#[test]
fn a_line_that_was_rewritten_is_the_line() {
    let before = Code::default().function("f", 1, at("a.c", 1), &F);
    let changed = [("int f() {", 1), ("s += g() % 7;", 140), ("s *= 3;", 20), ("}", 1)];
    let after = Code::default().function("f", 7, at("a.c", 2), &changed);
    assert_eq!(lines(&compared(before.clone(), after)), ["2→3* +40"]);
    // One that became two is not the first of these.
    let split = [("int f() {", 1), ("t = g();", 60), ("s += t;", 60), ("s *= 3;", 20), ("}", 1)];
    let after = Code::default().function("f", 8, at("a.c", 2), &split);
    assert_eq!(lines(&compared(before, after)), ["2→ -100", "→3 +60", "→4 +60"]);
}

#[test]
fn lines_of_one_body_are_told_by_their_distance() {
    let bare = |lines: &[(&'static str, u64)]| lines.iter().map(|line| ("", line.1)).collect::<Vec<_>>();
    let before = Code::default().function("f", 1, at("a.c", 1), &bare(&F));
    let mut more = bare(&F);
    more[1].1 = 130;
    let after = Code::default().function("f", 1, at("a.c", 6), &more);
    let diff = compared(before.clone(), after);
    assert_eq!(lines(&diff), ["2→7 +30"]);
    assert!(diff.unaligned.is_empty());
    // It may have another name and lie in another file.
    let diff = compared(before, Code::default().function("h", 1, at("b.c", 30), &bare(&F)));
    assert_eq!((lines(&diff), diff.functions[0].verdict), (vec![], DiffVerdict::Moved));
}

/// Without texts nobody knows which line of a changed function is which.
#[test]
fn what_cannot_be_aligned_is_named_and_not_guessed() {
    let bare = [("", 1), ("", 100), ("", 20), ("", 1)];
    let g = [("", 1), ("", 7), ("", 1)];
    let of = |start, body, lines: &[(&str, u64)]| {
        let code = Code::default().function("f", body, at("a.c", start), lines);
        code.function("g", 2, at("a.c", 30), &g)
    };
    let diff = compared(of(1, 1, &bare), of(2, 7, &[("", 1), ("", 60), ("", 60), ("", 1)]));
    assert_eq!(lines(&diff), [""; 0]);
    let [file] = &diff.unaligned[..] else { panic!("{:?}", diff.unaligned) };
    assert_eq!((file.file.as_str(), file.lines), ("a.c", 4), "those of g are told by its body");
    assert_eq!((file.before_has_text, file.after_has_text), (false, false));
    // The one that tells is not blamed.
    let after = Code::default().function("f", 7, at("a.c", 2), &F).function("g", 2, at("a.c", 30), &g);
    let diff = compared(of(1, 1, &bare), after);
    assert_eq!((diff.unaligned[0].before_has_text, diff.unaligned[0].after_has_text), (false, true));
    // Where nothing differs, there is nothing to tell.
    assert!(compared(of(1, 1, &bare), of(1, 7, &bare)).unaligned.is_empty());
    // Nor where each line before has its line now: what is left is new.
    let diff = compared(
        Code::default().function("g", 2, at("a.c", 1), &g),
        Code::default().function("g", 2, at("a.c", 1), &g).function("f", 1, at("a.c", 30), &bare),
    );
    assert_eq!(lines(&diff), ["→30 +1", "→31 +100", "→32 +20", "→33 +1"]);
}

#[test]
fn a_changed_function_is_followed_to_its_new_place() {
    let before = Code::default().function("f", 1, at("a.c", 1), &F).function("g", 2, at("a.c", 9), &G);
    let mut changed = F;
    changed[1].1 = 300;
    // Below the other one, and in another file.
    let below = Code::default().function("g", 2, at("a.c", 1), &G).function("f", 7, at("a.c", 9), &changed);
    assert_eq!(lines(&compared(before.clone(), below)), ["2→10 +200"]);
    let aside = Code::default().function("g", 2, at("a.c", 1), &G).function("f", 7, at("b.c", 4), &changed);
    let diff = compared(before, aside);
    assert_eq!(lines(&diff), ["2→5 +200"]);
    assert_eq!(diff.lines[0].before.as_ref().map(|at| &*at.file), Some("a.c"));
    // What was rewritten on the way is the line, too.
    changed[1].0 = "s += g() % 7;";
    let before = Code::default().function("f", 1, at("a.c", 1), &F).function("g", 2, at("a.c", 9), &G);
    let aside = Code::default().function("g", 2, at("a.c", 1), &G).function("f", 7, at("b.c", 4), &changed);
    assert_eq!(lines(&compared(before, aside)), ["2→5* +200"]);
}

/// Comments within a body change distances and no code.
#[test]
fn within_one_body_texts_tell_where_distances_differ() {
    let before = Code::default().function("f", 1, at("a.c", 1), &F);
    let spread = [(1, F[0].0, 1), (4, F[1].0, 130), (5, F[2].0, 20), (9, F[3].0, 1)];
    let after = Code::default().spread("f", 1, at("a.c", 1), &spread);
    assert_eq!(lines(&compared(before, after)), ["2→4 +30"]);
}

#[test]
fn a_constant_that_changed_is_one_line_by_its_body() {
    let before = Code::default().function("f", 1, at("a.c", 1), &F);
    let changed = [F[0], F[1], ("s *= 4;", 25), F[3]];
    let after = Code::default().function("f", 1, at("a.c", 3), &changed);
    assert_eq!(lines(&compared(before, after)), ["3→5* +5"]);
}

/// What an inliner moved is found below an insertion too, and not where a line got more.
#[test]
fn work_is_moved_by_line_wherever_the_line_lies_now() {
    let (inner, outer) = ([("int g() {", 2), ("return 3;", 70)], [("int f() {", 1), ("s += g();", 10)]);
    let before =
        Code::default().function("g", 2, at("a.c", 1), &inner).function("f", 1, at("a.c", 5), &outer);
    let inlined = |cost, texts: [&'static str; 4]| {
        let lines = [(2, texts[0], 2), (3, texts[1], cost), (6, texts[2], 1), (7, texts[3], 10)];
        Code::default().spread("f", 7, at("a.c", 6), &lines)
    };
    let texts = ["int g() {", "return 3;", "int f() {", "s += g();"];
    let verdict = |after: Code| {
        let diff = compared(before.clone(), after);
        diff.functions.iter().find(|one| &*one.key.name == "f").map(|one| one.verdict)
    };
    assert_eq!(verdict(inlined(70, texts)), Some(DiffVerdict::MovedWork));
    assert_eq!(verdict(inlined(71, texts)), Some(DiffVerdict::MoreWork));
    // A first line that lost its attribute is rewritten, and the same line.
    let rewritten = ["static int g() {", "return 3;", "int f() {", "s += g();"];
    assert_eq!(verdict(inlined(70, rewritten)), Some(DiffVerdict::MovedWork));
    // What cannot be aligned has not moved.
    assert_eq!(verdict(inlined(70, [""; 4])), Some(DiffVerdict::MoreWork));
}

/// The name of such a file tells what is in it.
#[test]
fn files_of_rusts_library_are_aligned_by_number() {
    let file = format!("/rustc/{}/library/core/src/iter.rs", "59807616e1".repeat(4));
    let of = |cost: u64| Code::default().spread("f", cost.into(), at(&file, 5), &[(5, "", 1), (9, "", cost)]);
    let diff = compared(of(10), of(30));
    assert_eq!((lines(&diff), diff.unaligned.len()), (vec!["9→9 +20".to_owned()], 0));
    let other = file.replace("59807616e1", "short");
    let of =
        |cost: u64| Code::default().spread("f", cost.into(), at(&other, 5), &[(5, "", 1), (9, "", cost)]);
    assert_eq!(compared(of(10), of(30)).unaligned.len(), 1);
}

/// An inline function that stands in two functions of one body each is not torn apart.
#[test]
fn two_functions_do_not_put_one_line_to_two_places() {
    let lines = [(1, "", 5), (2, "", 6)];
    let before = Code::default().spread("f", 1, at("a.c", 1), &lines).spread("g", 2, at("a.c", 1), &lines);
    let after = Code::default().spread("f", 1, at("a.c", 1), &lines).spread(
        "g",
        2,
        at("a.c", 11),
        &[(11, "", 9), (12, "", 6)],
    );
    let diff = compared(before, after);
    assert_eq!(lines_of(&diff), 0);
    assert_eq!(diff.unaligned.len(), 1);
}

fn lines_of(diff: &Diff) -> usize {
    diff.lines.len()
}

proptest! {
    /// Each line has a number of its own as its cost, and says it: whatever is inserted, taken away
    /// or moved, a line is paired with itself, and one that is no more or new with none.
    #[test]
    fn lines_are_paired_with_themselves(
        taken in prop::collection::vec(any::<bool>(), 24),
        inserted in prop::collection::vec(0..3u32, 24),
        swapped in any::<bool>(),
    ) {
        // Four functions of six lines.
        let text = |id: usize| format!("line {id};");
        let whole = |functions: &[usize], is_after: bool| {
            let (mut code, mut line) = (Code::default(), 1);
            for &function in functions {
                let start = line;
                let mut places = Vec::new();
                for id in function * 6..function * 6 + 6 {
                    if !is_after || id % 6 == 0 || !taken[id] {
                        let cost = 1000 + 10 * id as u64 + u64::from(is_after);
                        places.push((line, text(id), cost));
                    }
                    line += 1;
                    if is_after && inserted[id] == 2 {
                        places.push((line, format!("new behind {id};"), 1));
                        line += 1;
                    }
                }
                let places: Vec<(u32, &str, u64)> =
                    places.iter().map(|(line, text, cost)| (*line, text.as_str(), *cost)).collect();
                let body = 50 + u128::from(is_after) * 50 + function as u128;
                code = code.spread(&format!("f{function}"), body, at("a.c", start), &places);
            }
            code
        };
        let order: &[usize] = if swapped { &[2, 0, 1, 3] } else { &[0, 1, 2, 3] };
        let diff = compared(whole(&[0, 1, 2, 3], false), whole(order, true));
        prop_assert!(diff.unaligned.is_empty());
        for line in diff.lines.iter().filter(|line| !line.is_rewritten) {
            match (line.instructions.before, line.instructions.after) {
                (Some(before), Some(after)) => prop_assert_eq!(before + 1, after),
                (Some(before), None) => prop_assert!(taken[(before as usize - 1000) / 10]),
                (None, after) => prop_assert_eq!(after, Some(1)),
            }
        }
    }
}
