//! Loops that are hard to foretell, with what they do written beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::marks::{Mark, Names, evaluate, read};
use super::{corpus, loops};

/// Numbers that names get, in turn.
const NUMBERS: [i128; 5] = [0, 1, 5, 9, 64];
/// How many times all names get other numbers.
const ROUNDS: usize = 4;

/// What was found in one source.
#[derive(Default)]
struct Found {
    wrong: Vec<String>,
    /// Exact by its mark, and not told so.
    missed: Vec<String>,
    told: usize,
    compared: usize,
}

fn at_line(all: &[Value], line: u64) -> Vec<&Value> {
    all.iter().filter(|one| one["line"] == line).collect()
}

fn is_exact(one: &Value) -> bool {
    matches!(one["kind"].as_str(), Some("constant" | "inputs" | "formula"))
}

/// Holds a source against its marks in one world.
fn hold(path: &str, (marks, all): (&[&Mark], &[Mark]), world: &str, found: &mut Found) {
    let flags = ["-O0", "--world", world, path];
    let plain = loops(&flags);
    for mark in marks {
        let place = format!(
            "{}:{} ({world})",
            Path::new(path).file_name().expect("a file").to_string_lossy(),
            mark.line
        );
        let here = at_line(&plain, mark.line);
        if here.is_empty() {
            found.missed.push(format!("{place}: no loop"));
        }
        for one in here {
            match &*mark.quality {
                "exact" if is_exact(one) => found.told += 1,
                "exact" => found.missed.push(format!("{place}: {} {}", one["kind"], one["reason"])),
                // A claim that no mark of the loop allows is a wrong one. Code that is here is
                // what runs, so more may be told in the open world than a mark asks for.
                _ if is_exact(one) && !is_ever_exact(all, mark.line) => {
                    found.wrong.push(format!("{place}: told exact: {}", one["expression"]));
                }
                _ if is_exact(one) => found.told += 1,
                "bound" if one["kind"] == "bound" => found.told += 1,
                "bound" => found.missed.push(format!("{place}: no bound: {}", one["reason"])),
                _ => found.told += 1,
            }
        }
    }
    compare_numbers(path, (marks, &plain), world, found);
}

/// The formulas with numbers in place of names, against those of the marks.
fn compare_numbers(path: &str, (marks, plain): (&[&Mark], &[Value]), world: &str, found: &mut Found) {
    let names = names_of(path, world);
    for round in 0..ROUNDS {
        let given: Names = names
            .iter()
            .enumerate()
            .map(|(position, name)| (name.clone(), NUMBERS[(position * 2 + round) % NUMBERS.len()]))
            .collect();
        let words: Vec<String> = given.iter().map(|(name, number)| format!("{name}={number}")).collect();
        let sets = words.iter().flat_map(|word| ["--set", word]);
        let flags: Vec<&str> = ["-O0", "--world", world, path].into_iter().chain(sets).collect();
        let all = loops(&flags);
        for mark in marks {
            let is_meant = mark.condition.as_ref().is_none_or(|test| evaluate(test, &given) == Some(1));
            let Some(expected) = evaluate(&mark.body, &given).filter(|_| is_meant) else { continue };
            for (one, unbound) in at_line(&all, mark.line).into_iter().zip(at_line(plain, mark.line)) {
                // A name that the mark does not have got a number that it never is.
                if !is_of_names(unbound["expression"].as_str().unwrap_or(""), &mark.body, &names) {
                    continue;
                }
                let Some(told) = one["expression"].as_str().and_then(|text| text.parse::<i128>().ok()) else {
                    continue;
                };
                found.compared += 1;
                // Bounds may be less tight than the mark's; less they may not be.
                let is_right = if mark.quality == "exact" { told == expected } else { told >= expected };
                let is_claimed = is_exact(one) || one["kind"] == "bound";
                if is_claimed && !is_right {
                    let shown = format!("{path}:{} {given:?}: {told}, by the mark {expected}", mark.line);
                    found.wrong.push(shown);
                }
            }
        }
    }
}

/// Whether some mark of the line says that the loop's count is exact.
fn is_ever_exact(all: &[Mark], line: u64) -> bool {
    all.iter().any(|mark| mark.line == line && mark.quality == "exact")
}

/// Whether every name of a formula is one of the mark's.
fn is_of_names(formula: &str, body: &str, names: &[String]) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        text.split(|letter| !is_part(letter)).map(str::to_owned).collect()
    };
    let (formula, body) = (words(formula), words(body));
    names
        .iter()
        .flat_map(|name| words(name))
        .filter(|word| !word.is_empty())
        .all(|word| !formula.contains(&word) || body.contains(&word))
}

fn names_of(path: &str, world: &str) -> Vec<String> {
    let output = super::opcost(&["loops", "--json", "-", "-O0", "--world", world, path]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let names = document["names"].as_array().expect("names");
    names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

#[test]
fn hard_loops_are_told_as_their_marks_say() {
    let folder = corpus("loops/hard");
    let mut by_source: BTreeMap<String, Found> = BTreeMap::new();
    for entry in std::fs::read_dir(&folder).expect("the hard loops") {
        let path = entry.expect("an entry").path();
        let is_source = path.extension().is_some_and(|extension| extension == "c");
        if !is_source {
            continue;
        }
        let marks = read(&std::fs::read_to_string(&path).expect("a source"));
        let found = by_source.entry(path.to_string_lossy().into_owned()).or_default();
        for (is_closed, world) in [(false, "open"), (true, "closed")] {
            let here: Vec<&Mark> = marks.iter().filter(|mark| mark.is_closed == is_closed).collect();
            if !here.is_empty() {
                hold(&path.to_string_lossy(), (&here, &marks), world, found);
            }
        }
    }
    assert!(by_source.len() >= 15, "the hard loops are there");
    let all =
        |part: fn(&Found) -> &Vec<String>| by_source.values().flat_map(part).cloned().collect::<Vec<_>>();
    let (wrong, missed) = (all(|found| &found.wrong), all(|found| &found.missed));
    let told: usize = by_source.values().map(|found| found.told).sum();
    let compared: usize = by_source.values().map(|found| found.compared).sum();
    assert!(wrong.is_empty(), "wrong claims:\n{}", wrong.join("\n"));
    eprintln!(
        "{told} as marked, {compared} numbers compared, {} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
    assert!(
        missed.len() < MISSED && told >= TOLD && compared >= COMPARED,
        "fewer loops are told than before"
    );
}

/// What is reached today; fewer told, or so many missed, is a step back.
const MISSED: usize = 40;
const TOLD: usize = 100;
const COMPARED: usize = 200;
