//! Is a sampled training run as good as any, and are links simulated as many as were asked for?
//!
//! Estimates differ from run to run. So what is checked holds for each of them: hot code is known, the program does
//! the same, and what needs exact counts is refused.

use opcost_testkit::command::holds_to_schema;

use crate::support::Bench;

/// Half a second of work, in one function that is left seldom.
const BUSY: &str = "#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static unsigned seldom(unsigned s) { return s / 3 + 1; }
__attribute__((noinline)) static unsigned mix(unsigned s) {
  if (s % 1024 == 5) return seldom(s);
  return s * 69069u + 1;
}
int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 5;
  unsigned s = 1;
  for (long i = 0; i < n; i++) s = mix(s);
  printf(\"%u\\n\", s);
  return 0;
}
";

#[test]
fn a_sampled_run_serves_both_steps() {
    let bench = Bench::new(&[("busy.c", BUSY)]);
    for only in [&[][..], &["--only", "placement"]] {
        let words = ["tune", "--sample", "--json", "-", "-o", "tuned", "--runs", "1", "--judge", "1000"];
        let words = [&words, only, &["busy.c", "--", "200000000"]].concat();
        let said = bench.opcost(&words);
        // A machine may let nobody sample.
        if said.stderr.contains("perf_event") {
            return;
        }
        let json = said.expect(0).json();
        holds_to_schema(&json);
        let steps = json["transforms"].as_array().expect("steps");
        assert_eq!(steps.len(), if only.is_empty() { 2 } else { 1 }, "{json:#}");
        assert!(steps.iter().all(|step| step["done"] == true), "{json:#}");
        assert_eq!(json["outputs_equal"], true, "{json:#}");
        let hot = json["functions"].as_array().expect("functions");
        assert!(hot.iter().any(|one| one["symbol"] == "mix"), "{json:#}");
    }
}

#[test]
fn what_needs_exact_counts_is_refused() {
    let bench = Bench::new(&[("busy.c", BUSY)]);
    for words in [
        &["--split"][..],
        &["--inline"],
        &["--only", "split"],
        &["--only", "unroll"],
        &["--verify"],
        &["--profile", "run.opc"],
    ] {
        let words = [&["tune", "--sample", "busy.c"], words, &["--", "5"]].concat();
        let said = bench.opcost(&words).expect(2).stderr;
        assert!(said.contains("--sample"), "{said}");
    }
    // Nothing can be said of a run that is over at once.
    let said = bench.opcost(&["tune", "--sample=100", "busy.c", "--", "5"]);
    assert_ne!(said.status, 0, "{}", said.stderr);
    assert!(said.stderr.contains("sample"), "{}", said.stderr);
}

#[test]
fn a_failing_run_is_no_training() {
    let bench = Bench::new(&[(
        "fails.c",
        "int main(void) { for (volatile int i = 0; i < 100000000; i++) ; return 3; }",
    )]);
    let said = bench.opcost(&["tune", "--sample", "fails.c"]).expect(2).stderr;
    assert!(said.contains("ended with status 3"), "{said}");
}

#[test]
fn figures_of_several_links_are_whole() {
    let bench = Bench::new(&[("busy.c", BUSY)]);
    let line = "tune --json - -o tuned --only profile --runs 1 --links 3 --simulate=3 busy.c -- 1000";
    let json = bench.opcost(&line.split(' ').collect::<Vec<_>>()).expect(0).json();
    let figures = &json["transforms"][0]["gain"]["instructions"];
    assert!(figures["before"].as_u64() > Some(1000) && figures["after"].as_u64() > Some(1000), "{json:#}");
}
