//! Are widths as the marks in the programs of `corpus/bits` say?
//!
//! Marks are checked against runs by `cargo xtask bits`, which knows of no
//! analysis; here opcost is held against them. The source is rewritten so that
//! behind each marked line a function of its own gets the value: its parameter
//! needs what the value needs there. Fewer bits than runs have shown are wrong.
//! More than the mark says are weak, and stand, with the bits that are told, in
//! `weak_marks.txt`, word for word: who makes them fewer takes them out.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use opcost_testkit::command::corpus;
use opcost_testkit::{WidthClaim, WidthMark, read_widths};
use serde_json::Value;

use super::{Source, document};

/// Calls of functions that keep what they are given, by the number of the claim.
fn rewritten(text: &str, marks: &[WidthMark]) -> String {
    let count: usize = marks.iter().map(|mark| mark.claims.len()).sum();
    let mut result = String::from("long long bits_kept;\n");
    for number in 0..count {
        let _ = writeln!(
            result,
            "static __attribute__((noinline, optnone)) void bits_mark_{number}(long long value) {{ bits_kept = value; }}"
        );
    }
    result.push_str("#line 1\n");
    let mut number = 0;
    for (line, content) in (1..).zip(text.lines()) {
        let Some(mark) = marks.iter().find(|mark| mark.line == line) else {
            let _ = writeln!(result, "{content}");
            continue;
        };
        let code = content.split("/* bits:").next().unwrap_or_default().trim_end();
        let mut calls = String::new();
        for claim in &mark.claims {
            let _ = write!(calls, " bits_mark_{number}({});", claim.name);
            number += 1;
        }
        let _ = match code.trim_start().starts_with("return") {
            true => writeln!(result, "{calls} {code}"),
            false => writeln!(result, "{code}{calls}"),
        };
    }
    result
}

/// What is told of the marks of a program of `corpus/bits`, by line and name.
pub(super) fn widths(program: &str, world: &str) -> BTreeMap<(usize, String), u64> {
    let path = PathBuf::from(corpus("bits")).join(program);
    let text = std::fs::read_to_string(&path).expect("a program");
    let marks = read_widths(&text).expect("marks");
    let source = Source::new("marked.c", &rewritten(&text, &marks));
    let told = told(&source, &path.parent().expect("a folder").to_string_lossy(), world);
    let claims = marks.iter().flat_map(|mark| mark.claims.iter().map(|claim| (mark.line, claim)));
    let width = |(number, (line, claim)): (usize, (usize, &WidthClaim))| {
        Some(((line, claim.name.clone()), *told.get(&number)?))
    };
    claims.enumerate().filter_map(width).collect()
}

/// What is told of each claim, by its number.
fn told(source: &Source, headers: &str, world: &str) -> BTreeMap<usize, u64> {
    let document = document("bits", &["-I", headers, "--world", world, &source.path]);
    let functions = document["functions"].as_array().expect("functions");
    let number = |name: &str| name.strip_prefix("bits_mark_")?.parse().ok();
    let marks = functions.iter().filter_map(|one| Some((number(one["name"].as_str()?)?, one)));
    marks
        .map(|(number, one)| {
            let values = one["values"].as_array().expect("values");
            // Of what is always the same the parameter is gone; what is stored is not.
            let kept = values.iter().find(|value| value["opcode"] == "argument");
            let kept = kept.or_else(|| values.iter().find(|value| value["opcode"] == "load"));
            let kept = kept.unwrap_or_else(|| panic!("{number}: {one:#?}"));
            (number, kept["width"].as_u64().expect("a number").max(bits_of_constant(kept)))
        })
        .collect()
}

/// A constant needs no bit; marks count those of its number.
fn bits_of_constant(value: &Value) -> u64 {
    let number = value["least"].as_i64().filter(|_| value["least"] == value["greatest"]);
    let bits = |number: i64| u64::from(i64::BITS - number.leading_zeros());
    number.map_or(0, |number| if number < 0 { bits(!number) + 1 } else { bits(number) })
}

/// Programs, twins and hard cases, by their names from the corpus on.
fn programs() -> Vec<(String, PathBuf)> {
    let mut all = Vec::new();
    for folder in ["bits", "bits/twins", "bits/hard"] {
        for entry in std::fs::read_dir(corpus(folder)).expect("corpus") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "c") {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                let set = folder.strip_prefix("bits/").map_or(String::new(), |set| format!("{set}/"));
                all.push((set + &name, path));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn marks_of_the_corpus_hold() {
    let (mut weak, mut judged, mut full) = (String::new(), 0, 0);
    for (name, path) in programs() {
        let text = std::fs::read_to_string(&path).expect("a program");
        let marks = read_widths(&text).expect("marks");
        let source = Source::new("marked.c", &rewritten(&text, &marks));
        let headers = path.parent().expect("a folder").to_string_lossy().into_owned();
        let claims: Vec<(usize, &WidthClaim)> =
            marks.iter().flat_map(|mark| mark.claims.iter().map(|claim| (mark.line, claim))).collect();
        for world in ["open", "closed"] {
            let told = told(&source, &headers, world);
            for (number, &(line, claim)) in claims.iter().enumerate() {
                if claim.is_closed && world == "open" {
                    continue;
                }
                let Some(&bits) = told.get(&number) else {
                    panic!("{name}:{line} {} is never come by", claim.name)
                };
                let WidthClaim { name: value, bits: mark, shown, .. } = claim;
                assert!(
                    bits >= u64::from(*shown),
                    "{name}:{line}, {world}: {value} has {bits} bits, runs show {shown}"
                );
                judged += 1;
                full += usize::from(name.starts_with("twins") && bits >= 32);
                if bits > u64::from(*mark) {
                    let _ = writeln!(weak, "{name}:{line} {world} {value}: {mark}, told {bits}");
                }
            }
        }
    }
    println!("{weak}{judged} judged");
    assert!(judged > 800, "{judged}");
    assert!(full > 100, "twins keep their widths: {full}");
    let known = include_str!("weak_marks.txt");
    assert!(weak == known, "other marks are weak than weak_marks.txt says:\n{weak}");
}
