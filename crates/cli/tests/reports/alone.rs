//! Is what `--json -` writes to stdout one document and nothing else?
//!
//! Asked of every verb that has the flag, as the help of the program lists them, with a program
//! that writes to stdout itself, in whole and by a child. What fails leaves one document, too:
//! that of the failure, or the one that was written before it.

use std::collections::BTreeSet;

use opcost_testkit::command::{ProgramOutput, Workplace};

use crate::workplace::workplace;

const LOUD: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static unsigned work(unsigned n) {
  unsigned x = n;
  for (unsigned i = 0; i < n; i++) x = x * 1664525u + 1013904223u;
  return x;
}
int main(void) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 300; i++) sum += work(1000000 + i);
  printf("{loud %u\n", sum);
  fflush(stdout);
  return write(1, "[raw\n", 5) != 5 || system("echo shell") != 0;
}
"#;

/// A folder with a program and a file of each kind that is made of it.
fn loud() -> Workplace {
    let place = workplace();
    place.write("loud.c", LOUD);
    place.write("opcost.toml", "[run.loud]\ninputs = [\"loud.c\"]\n");
    for line in [
        &["check", "--update", "--reason", "first"][..],
        &["count", "--ledger", "counted.opc", "loud.c"],
        &["sample", "--emit", "exe", "-o", "prog", "loud.c"],
        &["sample", "--raw", "raw.opc", "--ledger", "sampled.opc", "prog"],
        &["loops", "--ledger", "answers.opc", "loud.c"],
    ] {
        place.opcost(line).expect(0);
    }
    place
}

/// Lines of each verb: those that answer, and those that fail or find something.
const LINES: [&[&str]; 39] = [
    &["count", "--json", "-", "loud.c"],
    &["count", "--json", "-", "--list", "functions", "loud.c"],
    &["count", "--json", "-", "--function", "nosuch", "loud.c"],
    &["count", "--json", "-", "--budget", "10", "loud.c"],
    &["count", "--json", "-", "--repeat", "2", "loud.c"],
    &["count", "--json", "-", "--ledger", "/dev/full", "loud.c"],
    &["count", "--json", "-", "--ledger", "/nowhere/at/all.opc", "loud.c"],
    &["count", "--json", "-", "--no-such-flag", "loud.c"],
    &["count", "--json", "-", "--emit", "exe", "-o", "made", "loud.c"],
    &["fuel", "--json", "-", "--limit", "1T", "loud.c"],
    &["fuel", "--json", "-", "--limit", "100", "loud.c"],
    &["fuel", "--json", "-", "--check", "loud.c"],
    &["life", "--json", "-", "loud.c:7"],
    &["loops", "--json", "-", "loud.c"],
    &["predict", "--json", "-", "loud.c"],
    &["slice", "--json", "-", "loud.c"],
    &["slice", "--json", "-", "--verify", "loud.c"],
    &["tune", "--json", "-", "--runs", "1", "-o", "tuned", "loud.c"],
    &["run", "--json", "-", "--explain", "loud.c"],
    &["explain", "--json", "-", "loud.c:7"],
    &["values", "--json", "-", "--trip-counts", "loud.c"],
    &["values", "--json", "-", "--verify", "loud.c"],
    &["bits", "--json", "-", "loud.c"],
    &["bits", "--json", "-", "--observe", "loud.c"],
    &["bits", "--json", "-", "--narrow", "-o", "narrow.bc", "loud.c"],
    &["hdl", "--json", "-", "--top", "nosuch", "-o", "circuit", "loud.c"],
    &["sample", "--json", "-", "prog"],
    &["sample", "--json", "-", "--list", "functions", "prog"],
    &["sample", "--json", "-", "--function", "nosuch", "prog"],
    &["sample", "--json", "-", "--ledger", "/dev/full", "prog"],
    &["sample", "--json", "-", "nothing.c"],
    &["repair", "--json", "-", "raw.opc", "prog"],
    &["overlap", "--json", "-", "sampled.opc", "counted.opc"],
    &["report", "--json", "-", "counted.opc"],
    &["report", "--json", "-", "answers.opc"],
    &["diff", "--json", "-", "counted.opc", "counted.opc"],
    &["check", "--json", "-"],
    &["doctor", "--json"],
    &["cache", "--json"],
];

#[test]
fn stdout_has_one_document_alone() {
    let place = loud();
    for line in LINES {
        let said = place.opcost(line);
        assert!(said.json()["schema"].is_string() || said.json().get("error").is_some(), "{line:?}");
        assert!(!said.stderr.contains("panicked"), "{line:?}: {}", said.stderr);
    }
}

/// Verbs that have `--json`.
fn verbs_with_json(place: &Workplace) -> BTreeSet<String> {
    let help: ProgramOutput = place.opcost(&["--help"]).expect(0);
    let words = help.stdout.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let words =
        words.filter(|word| !word.is_empty() && word.chars().all(|letter| letter.is_ascii_lowercase()));
    let has_json = |verb: &&str| place.opcost(&[verb, "--help"]).stdout.contains("--json");
    // Cargo's own and those of compilers go on to another program.
    words
        .filter(|verb| !["cargo", "cc", "flang", "opcost"].contains(verb))
        .filter(has_json)
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_verb_is_left_out() {
    let asked: BTreeSet<String> = LINES.iter().map(|line| line[0].to_owned()).collect();
    assert_eq!(verbs_with_json(&workplace()), asked);
}

#[test]
fn two_outputs_cannot_both_be_stdout() {
    let place = workplace();
    for line in [
        &["count", "--json", "-", "--html", "-", "a.c"][..],
        &["count", "--json", "-", "-o", "-", "a.c"],
        &["sample", "--json", "-", "--collapsed", "-", "a.c"],
        &["life", "--json", "-", "--svg", "-", "a.c:7"],
        &["explain", "--json", "-", "--dot", "-", "a.c:7"],
        &["bits", "--json", "-", "--certificate", "-", "a.c"],
        &["values", "--json", "-", "--plot", "-", "--function", "work", "--line", "7", "a.c"],
    ] {
        let said = place.opcost(line).expect(2);
        said.expect_stderr(&["cannot both be written to stdout", "name a file"]);
        assert!(said.json().is_object(), "{line:?}");
    }
}

#[test]
fn what_is_no_text_needs_a_file() {
    let place = loud();
    for line in [
        &["count", "--ledger", "-", "prog"][..],
        &["count", "--emit", "exe", "-o", "-", "loud.c"],
        &["sample", "--raw", "-", "prog"],
        &["sample", "--keep", "-", "prog"],
        &["loops", "--ledger", "-", "loud.c"],
        &["bits", "--narrow", "-o", "-", "loud.c"],
        &["merge", "counted.opc", "-o", "-"],
        &["repair", "raw.opc", "prog", "-o", "-"],
        &["export", "--to", "pprof", "counted.opc", "-o", "-"],
    ] {
        place.opcost(line).expect(2).expect_stderr(&["writes no text for stdout; name a file"]);
        assert!(!place.path("-").exists(), "{line:?}");
    }
}
