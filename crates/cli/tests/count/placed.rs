//! Are numbers the same wherever an earlier run says that counters go?

use std::time::Duration;

use opcost_testkit::command::ProgramOutput;
use serde_json::Value;

use crate::harness::Bench;
use crate::referee::real_program;

/// What is rare in the code, is frequent in the run: a static estimate is wrong in each way.
const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static unsigned odd(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++) {
    if (__builtin_expect(i % 16 != 3, 0)) sum += i * 7; else { sum ^= i; if (sum & 1) sum += 3; }
    for (unsigned j = 0; j < i % 2; j++) sum += j ^ sum;
  }
  return sum;
}
static unsigned other(unsigned n) { return n > 5 ? n * EXTRA : n + 2; }
int main(int argc, char **argv) {
  unsigned n = argc > 1 ? atoi(argv[1]) : 1000;
  printf("%u\n", odd(n) + other(n));
  if (n == 7) abort();
  return 0;
}
"#;

fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("odd.c", SOURCE.replace("EXTRA", "3"));
    bench
}

fn fine(bench: &Bench, line: &str) -> ProgramOutput {
    bench.opcost(&line.split_whitespace().collect::<Vec<_>>()).expect(0)
}

/// A document without how it was called.
fn document(bench: &Bench, line: &str) -> Value {
    let mut document = fine(bench, line).json();
    document.as_object_mut().expect("an object").remove("command");
    document
}

#[test]
fn a_ledger_places_counters_and_no_number_changes() {
    let bench = bench();
    let count = "count --stdout /dev/null --json -";
    let before = document(&bench, &format!("{count} --ledger run.opc odd.c -- 3000"));
    let after =
        document(&bench, &format!("{count} --ledger placed.opc --placement-from run.opc odd.c -- 3000"));
    assert_eq!(before, after);
    let paths = |flags: &str| document(&bench, &format!("{count} --paths {flags} odd.c -- 3000"));
    assert_eq!(paths(""), paths("--placement-from run.opc"));
    // The program is another one: its counters are elsewhere.
    let built = |name: &str, flags: &str| {
        fine(&bench, &format!("count --emit exe -o {name} {flags} odd.c"));
        std::fs::read(bench.path(name)).expect("a program")
    };
    assert_ne!(built("plain", ""), built("placed", "--placement-from run.opc"));
    assert_eq!(document(&bench, &format!("{count} ./placed -- 3000"))["total"], before["total"]);
    // Ledgers of both are of one build.
    fine(&bench, "merge run.opc placed.opc -o both.opc");
    fine(&bench, "diff run.opc placed.opc");
    let life = |ledger: &str| {
        fine(&bench, &format!("life --ledger {ledger} odd.c:8")).stdout.replace(ledger, "run.opc")
    };
    assert_eq!(life("run.opc"), life("placed.opc"));
}

/// A run of less work places the counters of programs with thousands of functions.
#[test]
fn real_programs_have_one_number() {
    for name in ["kernel", "zstd"] {
        let bench = Bench::new();
        let program = real_program(name);
        let mut flags: Vec<String> = program.flags.iter().map(|flag| format!("--cflag={flag}")).collect();
        flags.extend(program.libraries);
        let count = |further: &[&str]| {
            let flags: Vec<&str> = flags.iter().map(String::as_str).chain(further.iter().copied()).collect();
            let mut document = bench.count(&flags, &program.sources, &program.small).counts().0.clone();
            document.as_object_mut().expect("an object").remove("command");
            document
        };
        let before = count(&["--ledger", "run.opc"]);
        assert!(before == count(&["--placement-from", "run.opc"]), "{name}: another number");
    }
}

#[test]
fn fuel_is_the_same_wherever_it_is_paid() {
    let bench = bench();
    fine(&bench, "count --stdout /dev/null --ledger run.opc odd.c -- 3000");
    for rest in ["", "--limit 50M", "--limit 2M --overshoot 1000", "--unchecked", "--audit", "--sandbox"] {
        let spent = |flags: &str| {
            document(&bench, &format!("fuel {rest} {flags} --stdout out --json - odd.c -- 9000"))
        };
        let plain = spent("");
        assert!(plain["spent"].as_u64() > Some(100_000), "{plain:#}");
        assert_eq!(plain, spent("--placement-from run.opc"), "{rest}");
    }
    let stopped = |flags: &str| {
        let line = format!("fuel --limit 40k --overshoot 500 {flags} --stdout out --json - odd.c -- 9000");
        bench.opcost(&line.split_whitespace().collect::<Vec<_>>()).expect(3).json()
    };
    for flags in ["", "--placement-from run.opc"] {
        let document = stopped(flags);
        let spent = document["spent"].as_u64().expect("a number");
        assert!((40_000..=40_500).contains(&spent), "{flags}: {document:#}");
    }
}

#[test]
fn the_last_run_places_what_changed() {
    let bench = bench();
    let cache = bench.path("cache");
    let count = |words: &[&str]| {
        // What was written just now may change while it is read, and is not kept.
        std::thread::sleep(Duration::from_millis(50));
        let flags = ["count", "--stdout", "/dev/null", "--json", "-"];
        let mut command = bench.command(&[&flags, words, &["odd.c", "--", "3000"]].concat());
        let done = ProgramOutput::of(command.env("OPCOST_CACHE", &cache)).expect(0);
        (done.json()["total"].clone(), done.stderr)
    };
    let says = |said: &str| said.contains("an earlier run says where");
    let (first, said) = count(&["--time"]);
    assert!(!says(&said), "nothing ran before: {said}");
    let (again, said) = count(&["--time"]);
    assert!(says(&said) && again == first, "{said}");
    bench.write("odd.c", SOURCE.replace("EXTRA", "5"));
    let (changed, said) = count(&["--time"]);
    assert!(says(&said), "two functions are as they were: {said}");
    assert_eq!(count(&["--no-cache"]).0, changed);
    assert_eq!(count(&["--placement", "every-segment"]).0, changed);
    let (_, said) = count(&["--no-cache", "--time"]);
    assert!(!says(&said), "{said}");
}

#[test]
fn a_program_that_ends_badly_is_a_run_as_well() {
    let bench = bench();
    bench.opcost(&["count", "--ledger", "run.opc", "odd.c", "--", "7"]).expect(4);
    fine(&bench, "count --placement-from run.opc odd.c -- 10");
}

#[test]
fn real_compilers_place_counters_too() {
    let bench = bench();
    fine(&bench, "count --stdout /dev/null --ledger run.opc odd.c -- 3000");
    let total = |name: &str, ledger: &str| {
        let word = format!("--opcost-placement-from={ledger}");
        let build = ["cc", "-O2", "odd.c", "-o", name, &word];
        bench.opcost(if ledger.is_empty() { &build[..5] } else { &build }).expect(0);
        fine(&bench, &format!("count --stdout /dev/null --json - ./{name} -- 3000")).json()["total"].clone()
    };
    assert_eq!(total("plain", ""), total("placed", "run.opc"));
    let read = |name: &str| std::fs::read(bench.path(name)).expect("a program");
    assert_ne!(read("plain"), read("placed"));
    let mut build = bench.command(&["cc", "-O2", "odd.c", "-o", "wrong"]);
    let refused = ProgramOutput::of(build.env("OPCOST_PLACEMENT_FROM", "missing.opc")).expect(1);
    assert!(refused.stderr.contains("missing.opc"), "{}", refused.stderr);
}

#[test]
fn what_says_nothing_of_branches_is_noted() {
    let bench = bench();
    bench.write("text.opc", "no ledger\n");
    for (ledger, status, words) in [("missing.opc", 1, "missing.opc"), ("text.opc", 2, "text.opc")] {
        for verb in ["count", "fuel"] {
            let refused = bench.opcost(&[verb, "--placement-from", ledger, "odd.c"]).expect(status);
            assert!(refused.stderr.contains(words), "{verb} {ledger}: {}", refused.stderr);
        }
    }
    // A run of something else, or one without edges, is no reason to stop.
    fine(&bench, "count --stdout /dev/null --ledger run.opc odd.c");
    fine(&bench, "count --placement every-segment --stdout /dev/null --ledger segments.opc odd.c");
    bench.write("other.c", "int main(void) { return 0; }\n");
    for (ledger, source) in [("run.opc", "other.c"), ("segments.opc", "odd.c")] {
        let noted = bench.opcost(&["count", "--placement-from", ledger, source]).expect(0).stderr;
        assert!(noted.contains("does not say which way branches of this program go"), "{noted}");
    }
    fine(&bench, "count --emit exe -o built odd.c");
    let built = bench.opcost(&["count", "--placement-from", "run.opc", "./built"]).expect(2).stderr;
    assert!(built.contains("--placement-from"), "{built}");
}
