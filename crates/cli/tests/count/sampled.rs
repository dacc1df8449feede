//! `opcost sample` and `opcost overlap` as a user runs them.
//!
//! Times of this machine are noisy, so what is asked of estimates has wide margins;
//! what must hold of every one of them (flow is conserved, kept samples tell the
//! same again, what is no program of ours is refused) has none. Where the kernel
//! permits no events, opcost says so and goes on with a timer.

use std::ops::Deref;

use opcost_testkit::command::{ProgramOutput, Workplace, holds_to_schema};
use serde_json::Value;

pub(super) const HOT: &str = "
#include <stdlib.h>
__attribute__((noinline)) static unsigned hot(unsigned n) {
  unsigned x = n;
  for (unsigned i = 0; i < n; i++)
    x = x * 1664525u + 1013904223u;
  return x;
}
__attribute__((noinline)) static unsigned cold(unsigned n) {
  unsigned x = n;
  for (unsigned i = 0; i < n / 20; i++)
    x = x * 22695477u + 1u;
  return x;
}
__attribute__((noinline)) static int compare(const void *a, const void *b) {
  unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}
int main(int argc, char **argv) {
  unsigned sum = 0, turns = argc > 1 ? atoi(argv[1]) : 1500;
  static unsigned numbers[20000];
  for (unsigned i = 0; i < turns; i++)
    sum += hot(1000000 + i) + cold(1000000 + i);
  for (unsigned round = 0; round < 40; round++) {
    for (unsigned i = 0; i < 20000; i++)
      numbers[i] = i * 2654435761u + round + sum;
    qsort(numbers, 20000, sizeof numbers[0], compare);
  }
  if (argc > 2)
    *(volatile int *)0 = 1;
  return numbers[7] == 42;
}
";

pub(super) struct Place(Workplace);

impl Deref for Place {
    type Target = Workplace;

    fn deref(&self) -> &Workplace {
        &self.0
    }
}

impl Place {
    pub(super) fn new() -> Place {
        Place(Workplace::new(env!("CARGO_BIN_EXE_opcost")))
    }

    pub(super) fn file(&self, name: &str) -> String {
        self.at(name)
    }

    pub(super) fn source(&self, text: &str) -> String {
        self.at(&self.write("hot.c", text))
    }
}

/// Runs the command where no file is.
pub(super) fn opcost(arguments: &[&str]) -> ProgramOutput {
    Place::new().opcost(arguments)
}

pub(super) fn fine(arguments: &[&str]) -> ProgramOutput {
    opcost(arguments).expect(0)
}

/// What is told of a function.
pub(super) fn function<'d>(document: &'d Value, name: &str) -> &'d Value {
    let all = document["functions"].as_array().expect("functions");
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}: {all:#?}"))
}

pub(super) fn fits(name: &str, document: &Value) {
    assert_eq!(document["schema"], format!("opcost.{name}/1"));
    holds_to_schema(document);
}

#[test]
fn what_is_hot_is_found_and_what_is_told_adds_up() {
    let place = Place::new();
    let (source, program) = (place.source(HOT), place.file("hot"));
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    let (sampled, counted) = (place.file("sampled.opc"), place.file("counted.opc"));
    let told = fine(&["sample", "--json", "-", "--ledger", &sampled, &program]).json();
    fits("count", &told);
    assert_eq!(told["quality"]["kind"], "estimate", "{:#}", told["quality"]);
    let work = |name: &str| function(&told, name)["instructions"].as_u64().expect("a number");
    assert!(work("hot") > 4 * work("cold"), "{} and {}", work("hot"), work("cold"));
    // A library calls it, a million times and more. Samples do not say how often.
    assert!(work("compare") > 500_000 && function(&told, "compare")["calls"].is_null(), "{told:#}");
    fine(&["count", "--ledger", &counted, &source]);
    let agreement = fine(&["overlap", "--json", "-", &sampled, &counted]).json();
    fits("overlap", &agreement);
    let measure = |name: &str| agreement[name].as_f64().expect("a number");
    assert!(measure("residual") == 0.0 && measure("leak") < 0.05, "{agreement:#}");
    assert!(measure("in_function_block") > 0.7 && measure("program_block") > 0.5, "{agreement:#}");
    // The same against itself, and shown again without the program.
    let same = fine(&["overlap", "--json", "-", &counted, &counted]).json();
    assert!((same["program_block"].as_f64().expect("a number") - 1.0).abs() < 1e-9, "{same:#}");
    let report = fine(&["report", &sampled]);
    let text = report.stdout + &report.stderr;
    assert!(text.contains("about, by samples") && text.contains("hot"), "{text}");
}

#[test]
fn a_program_that_crashes_keeps_its_samples() {
    let place = Place::new();
    let (source, ledger) = (place.source(HOT), place.file("crashed.opc"));
    let output = opcost(&["sample", "--ledger", &ledger, &source, "--", "200", "crash"]);
    assert_eq!(output.status, 4, "{}", output.stderr);
    assert!(output.stderr.contains("signal 11 ended the program"), "{}", output.stderr);
    let agreement = fine(&["overlap", "--json", "-", &ledger, &ledger]).json();
    assert_eq!(agreement["residual"], 0.0, "{agreement:#}");
    let ignored = opcost(&["sample", "-i", &source, "--", "50", "crash"]);
    assert_eq!(ignored.status, 0, "{}", ignored.stderr);
}

/// Whether the kernel permits events here; else opcost has said that it does not.
pub(super) fn kept(program: &str, file: &str) -> bool {
    let output = opcost(&["sample", "--keep", file, program]);
    match output.status {
        0 => true,
        _ => {
            let words = &output.stderr;
            assert!(words.contains("perf_event"), "{words}");
            eprintln!("events are not permitted here: {words}");
            false
        }
    }
}

#[test]
fn kept_samples_tell_the_same_again_and_broken_ones_say_so() {
    let place = Place::new();
    let (source, program, samples) = (place.source(HOT), place.file("hot"), place.file("perf.data"));
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    if !kept(&program, &samples) {
        return;
    }
    let told = fine(&["sample", "--json", "-", "--perf", &samples, &program]).json();
    let work = |name: &str| function(&told, name)["instructions"].as_u64().expect("a number");
    assert!(work("hot") > 4 * work("cold"), "{} and {}", work("hot"), work("cold"));
    // Cut off in the middle: what comes before is reported, and that it breaks off.
    let whole = std::fs::read(&samples).expect("samples");
    std::fs::write(&samples, &whole[..whole.len() / 2]).expect("a file");
    let half = opcost(&["sample", "--perf", &samples, &program]);
    assert!(half.stderr.contains("breaks off"), "{}", half.stderr);
    std::fs::write(&samples, b"no samples").expect("a file");
    let refused = opcost(&["sample", "--perf", &samples, &program]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    // Another build lies at the place of the one that ran.
    std::fs::write(&samples, &whole).expect("a file");
    std::fs::remove_file(&program).expect("removed");
    let other = place.source(&HOT.replace("1664525u", "1664527u"));
    fine(&["sample", "--emit", "exe", "-o", &program, &other]);
    let refused = opcost(&["sample", "--perf", &samples, &program]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("another build"), "{}", refused.stderr);
}

/// Two named threads, a child that only forks, and one that becomes this program again.
const FAMILY: &str = "
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static inline unsigned turn(unsigned x) { __asm__ volatile(\"\" : \"+r\"(x)); return x * 1664525u + 1013904223u; }
__attribute__((noinline)) static unsigned own(unsigned n) { unsigned x = n; while (n--) x = turn(x); return x; }
__attribute__((noinline)) static unsigned forked(unsigned n) { unsigned x = n; while (n--) x = turn(x); return x; }
__attribute__((noinline)) static unsigned again(unsigned n) { unsigned x = n; while (n--) x = turn(x); return x; }
volatile unsigned sink;
static void *thread(void *turns) {
  prctl(PR_SET_NAME, (long)turns > 100 ? \"diligent\" : \"idle one\");
  for (long i = 0; i < (long)turns; i++) sink += own(1000000);
  return 0;
}
int main(int argc, char **argv) {
  pthread_t threads[2];
  if (argc > 1) { prctl(PR_SET_NAME, \"become\"); for (int i = 0; i < 100; i++) sink += again(1000000); return 0; }
  if (fork() == 0) { prctl(PR_SET_NAME, \"child\"); for (int i = 0; i < 100; i++) sink += forked(1000000); _exit(0); }
  if (fork() == 0) { execl(argv[0], argv[0], \"again\", (char *)0); _exit(1); }
  pthread_create(&threads[0], 0, thread, (void *)50);
  pthread_create(&threads[1], 0, thread, (void *)200);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  while (wait(0) > 0) {}
  return 0;
}
";

#[test]
fn samples_are_told_by_process_and_thread_and_add_up_in_the_ledger() {
    let place = Place::new();
    let (source, ledger) = (place.source(FAMILY), place.file("family.opc"));
    let output = fine(&["sample", "--json", "-", "--ledger", &ledger, &source]);
    let told = output.json();
    fits("count", &told);
    let processes = told["samples_by_process"].as_array().expect("processes");
    let of = |all: &'_ [Value], name: &str| -> (u64, Vec<Value>) {
        let found = all.iter().filter(|one| one["name"] == name).max_by_key(|one| one["samples"].as_u64());
        let found = found.unwrap_or_else(|| panic!("no {name}: {processes:#?}"));
        let threads = found["threads"].as_array().cloned().unwrap_or_default();
        (found["samples"].as_u64().expect("a number"), threads)
    };
    let ((child, _), (become_, _), (family, threads)) =
        (of(processes, "child"), of(processes, "become"), of(processes, "program"));
    let ((more, _), (less, _)) = (of(&threads, "diligent"), of(&threads, "idle one"));
    assert!(more > 2 * less && more + less <= family, "{processes:#?}");
    // 250 turns, 100 and 100.
    assert!(family > child && family > become_ && child > 5 && become_ > 5, "{processes:#?}");
    let text = &output.stderr;
    assert!(text.contains("samples by process and thread\n") && text.contains("  diligent  "), "{text}");
    // Whoever works, one ledger has it all.
    let document = place.file("report.json");
    fine(&["report", "--json", &document, &ledger]);
    let report: Value = place.json("report.json");
    fits("count", &report);
    assert_eq!(report.get("samples_by_process"), None, "a ledger does not tell");
    let work = |name: &str| function(&report, name)["instructions"].as_u64().expect("a number");
    let (own, forked, again) = (work("own"), work("forked"), work("again"));
    // By how much is a matter of a busy machine's time.
    assert!(own > forked && own > again && forked > 0 && again > 0, "{own} {forked} {again}");
    // One thread needs no line.
    let alone = place.source(HOT);
    let text = fine(&["sample", &alone, "--", "300"]).stderr;
    assert!(!text.contains("samples by process"), "{text}");
}

#[test]
fn what_is_wrong_is_said_with_what_to_do() {
    let place = Place::new();
    let source = place.source(HOT);
    let [plain, sampled, counted] = ["plain", "a.opc", "b.opc"].map(|name| place.file(name));
    place.tool("clang-22", &["-O1", &source, "-o", &plain]);
    let refused = opcost(&["sample", &plain]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("was not built by opcost sample"), "{}", refused.stderr);
    for (arguments, words) in [
        (vec!["sample", "--overhead", "120%", &source], "is no share of the time"),
        (vec!["sample", "--event", "no-such-counter", &source], "no-such-counter"),
        (vec!["sample", "--pid", "1", "--for", "never"], "is no time"),
        (vec!["sample", "--perf", "perf.data", &source], "wants the very program"),
    ] {
        let refused = opcost(&arguments);
        assert_eq!(refused.status, 2, "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.contains(words), "{arguments:?}: {}", refused.stderr);
    }
    // Ledgers of two programs have nothing in common.
    fine(&["count", "--ledger", &sampled, &source, "--", "1"]);
    let other = place.file("other.c");
    std::fs::write(&other, "int main(void) { return 0; }\n").expect("a source");
    fine(&["count", "--ledger", &counted, &other]);
    let refused = opcost(&["overlap", &sampled, &counted]);
    assert_eq!(refused.status, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("no block in common"), "{}", refused.stderr);
}

#[test]
fn ledgers_of_other_builds_tell_which_functions_are_not_compared() {
    let place = Place::new();
    let ledger = |name: &str, text: &str| {
        let (source, ledger) = (place.source(text), place.file(name));
        fine(&["count", "--ledger", &ledger, &source, "--", "3"]);
        ledger
    };
    let first = ledger("first.opc", HOT);
    let second = ledger("second.opc", &HOT.replace("x * 1664525u", "x ^ 1664525u"));
    let told = fine(&["overlap", "--json", "-", &first, &second]).json();
    fits("overlap", &told);
    let refused = told["refused"].as_array().expect("functions");
    let names: Vec<&str> = refused.iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["hot"], "{told:#}");
    let share = |name: &str| refused[0][name].as_f64().expect("a share");
    assert!(share("truth") > 0.01 && share("estimate") > 0.01, "{told:#}");
    assert!(refused[0]["module"].as_str().is_some_and(|module| module.ends_with("hot.c")), "{told:#}");
    let text = fine(&["overlap", &first, &second]).stdout;
    assert!(text.contains("refused: 1 function has other code") && text.contains("  hot  ("), "{text}");
    let same = fine(&["overlap", "--json", "-", &first, &first]).json();
    assert_eq!(same["refused"], Value::Array(Vec::new()));
    // Nothing at all in common, and still it is said of what.
    let small = [
        ledger("small.opc", "int main(void) { return 0; }"),
        ledger("other.opc", "int main(int n, char **a) { return n > 9 ? a[0][0] : 0; }"),
    ];
    let refused = opcost(&["overlap", &small[0], &small[1]]);
    let words = &refused.stderr;
    assert!(words.contains("no block in common") && words.contains("  main\n"), "{words}");
}

#[test]
fn raw_samples_are_repaired_as_they_would_have_been_at_once() {
    let place = Place::new();
    let (source, program) = (place.source(HOT), place.file("hot"));
    fine(&["sample", "--emit", "exe", "-o", &program, &source]);
    let (raw, at_once, counted) = (place.file("raw.opc"), place.file("once.opc"), place.file("counted.opc"));
    let said_so = fine(&["sample", "--raw", &raw, "--ledger", &at_once, &program]).stderr;
    assert!(said_so.contains("next: opcost repair") && said_so.contains("raw.opc"), "{said_so}");
    fine(&["count", "--ledger", &counted, &source]);
    // By themselves samples tell of neither calls nor edges.
    let alone = fine(&["overlap", "--json", "-", &raw, &counted]).json();
    fits("overlap", &alone);
    for name in ["entry", "leak", "residual"] {
        assert!(alone[name].is_null(), "{name}: {alone:#}");
    }
    assert!(alone["in_function_block"].as_f64().expect("a share") > 0.5, "{alone:#}");
    let text = fine(&["overlap", &raw, &counted]).stdout;
    assert!(text.contains("left frames by calls –, blocks that do not add up –, "), "{text}");
    let repaired = place.file("repaired.opc");
    // The ledger names its program.
    let told = fine(&["repair", &raw, "-o", &repaired, "--json", "-"]).json();
    fits("repair", &told);
    assert_eq!((&told["solver"], &told["is_optimal"]), (&"likeliest".into(), &true.into()));
    let moved = told["moved"].as_f64().expect("a number");
    assert!(moved > 0.0 && moved < told["before"].as_f64().expect("a number"), "{told:#}");
    // Cycles are kept to a thousandth, so that counts may differ as little.
    let same = fine(&["overlap", "--json", "-", &repaired, &at_once]).json();
    assert!(same["program_block"].as_f64().expect("a share") > 0.99, "{same:#}");
    assert_eq!((&same["residual"], &same["blocks"]), (&0.0.into(), &same["blocks"]));
    // Built again from its sources, the program is the same; the older method too.
    let classic = place.file("classic.opc");
    let told = fine(&["repair", "--solver", "classic", &raw, &source, "-o", &classic]);
    let text = &told.stdout;
    assert!(text.contains("of their counts had to move") && text.contains("hot.c:"), "{text}");
    let found = fine(&["overlap", "--json", "-", &classic, &counted]).json();
    assert_eq!(found["residual"], 0.0, "{found:#}");
    assert!(found["in_function_block"].as_f64().expect("a share") > 0.5, "{found:#}");
}

#[test]
fn what_cannot_be_repaired_says_why() {
    let place = Place::new();
    let (source, raw, counted) = (place.source(HOT), place.file("raw.opc"), place.file("counted.opc"));
    fine(&["sample", "--raw", &raw, &source, "--", "300"]);
    fine(&["count", "--ledger", &counted, &source, "--", "3"]);
    let refused = |arguments: &[&str], status: i32, words: &str| {
        let output = opcost(arguments);
        assert_eq!(output.status, status, "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.contains(words), "{arguments:?}: {}", output.stderr);
    };
    refused(&["repair", &counted, &source], 2, "counted or repaired already");
    std::fs::remove_file(&source).expect("it was there");
    refused(&["repair", &raw], 2, "name it or its sources");
    let other = place.file("other.c");
    std::fs::write(&other, "int main(void) { return 0; }").expect("a source");
    refused(&["repair", &raw, &other], 1, "is in this program as it was then");
    refused(&["repair", "--solver", "best", &raw, &other], 2, "likeliest or classic");
}

const RUST: &str = "
#[inline(never)]
fn hot(n: u32) -> u32 {
    (0..n).fold(n, |x, _| { let y = x.wrapping_mul(1664525).wrapping_add(1013904223); y ^ (y >> 7) })
}
fn main() {
    println!(\"{}\", (0..20_000).fold(0, |sum, k| sum ^ hot(5000 + k % 7)));
}
";

/// Most of Rust's library is in the module and not in the program: what the linker left
/// out is no place for counts that nothing speaks against.
#[test]
fn what_the_linker_left_out_did_not_run() {
    let place = Place::new();
    let source = place.file("hot.rs");
    std::fs::write(&source, RUST).expect("a source");
    let told = fine(&["sample", "--json", "-", &source]).json();
    let (all, hot) = (&told["total"], &function(&told, "hot::hot")["instructions"]);
    let share = hot.as_f64().expect("a number") / all.as_f64().expect("a number");
    assert!(share > 0.9, "{share}: {told:#}");
}
