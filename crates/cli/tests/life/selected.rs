//! How is a node selected that no pattern is for?
//!
//! LLVM treats some nodes itself before it asks the table of patterns: on every machine a freeze is
//! a copy, and an assertion of a range goes. A target drops casts that are nothing to it. The right
//! words were read in LLVM's source (`SelectionDAGISel::SelectCodeCommon`, `X86DAGToDAGISel::Select`)
//! and in the jump table of the library.

use serde_json::Value;

use super::{corpus, workplace};

/// Opcode, what happened to it and why, of each node that was selected with a reason.
fn selected(target: &str, function: &str) -> Vec<(String, String, String)> {
    let place = workplace();
    let text = std::fs::read_to_string(corpus("life/by_hand.ll")).expect("a module");
    let text = if target == "x86_64" { text } else { text.replace("\"rsp\"", "\"sp\"") };
    place.write("by_hand.ll", format!("target triple = \"{target}-unknown-linux-gnu\"\n{text}"));
    let said = place.opcost(&["life", "--json", "-", "--function", function, "by_hand.ll"]);
    assert_eq!(said.status, 0, "{}", said.stderr);
    let found = said.json();
    let stages = found["stages"].as_array().expect("stages");
    let graph = stages.iter().find(|stage| stage["stage"] == "dag").expect("a graph");
    let text = |step: &Value, key: &str| step[key].as_str().unwrap_or("").to_owned();
    let steps = graph["steps"].as_array().expect("steps").iter().filter(|step| step["pass"] == "select");
    let all = steps.map(|step| (text(step, "opcode"), text(step, "change"), text(step, "because")));
    all.filter(|(_, _, why)| !why.is_empty()).collect()
}

fn has(all: &[(String, String, String)], opcode: &str, change: &str, why: &str) {
    let is_it = |one: &(String, String, String)| one.0 == opcode && one.1 == change && one.2 == why;
    assert!(all.iter().any(is_it), "{opcode} {change} {why}: {all:#?}");
}

#[test]
fn a_freeze_is_a_copy_and_no_pattern() {
    for target in ["x86_64", "aarch64", "riscv64"] {
        let all = selected(target, "frozen");
        has(&all, "COPY", "became", "freeze: without the table of patterns");
        assert!(all.iter().all(|(_, _, why)| why != "freeze: by the table of patterns"), "{all:#?}");
    }
    // A division is made by X86's own code.
    let why = "sdivrem: without the table of patterns, CopyFromReg took its place";
    has(&selected("x86_64", "frozen"), "sdivrem", "went", why);
}

#[test]
fn what_asserts_goes() {
    let all = selected("aarch64", "ranged");
    for operation in ["AssertZext", "AssertSext"] {
        let why = format!("{operation}: without the table of patterns, its operand took its place");
        has(&all, operation, "went", &why);
    }
}

/// A vector is cast to another of as many bits: x86 drops that in code of its own, AArch64 by a pattern.
#[test]
fn a_cast_that_is_nothing_says_so() {
    for (target, how) in [("x86_64", "without"), ("aarch64", "by")] {
        let why = format!("bitcast: {how} the table of patterns, its operand took its place");
        has(&selected(target, "cast"), "bitcast", "went", &why);
    }
}

#[test]
fn registers_and_uses_are_no_patterns_either() {
    for target in ["x86_64", "aarch64"] {
        let all = selected(target, "other_ways");
        let why = "READ_REGISTER: without the table of patterns, CopyFromReg took its place";
        has(&all, "READ_REGISTER", "went", why);
        has(&all, "FAKE_USE", "became", "fake_use: without the table of patterns");
    }
}
