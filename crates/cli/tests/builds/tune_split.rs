//! Are hot joins there once for each way in, with counts that a run confirms?
//!
//! Programs whose branches hang on where control came from, and programs that are hard to copy in: computed jumps,
//! frames that are left, exceptions, assembly, switches with equal cases. Each must print the same, and a counted run of
//! the program with copies must have the counts that were divided.

use opcost_testkit::command::holds_to_schema;
use serde_json::Value;

use crate::support::Bench;

fn split(bench: &Bench, words: &[&str], run: &[&str]) -> Value {
    let all = ["tune", "--json", "-", "-o", "tuned", "--only", "split", "--verify", "--runs", "1"];
    let json = bench.opcost(&[&all, words, &["--"], run].concat()).expect(0).json();
    holds_to_schema(&json);
    assert_ne!(json["outputs_equal"], false, "{json:#}");
    json
}

fn copies(json: &Value) -> &[Value] {
    json["copies"].as_array().expect("copies")
}

fn step<'a>(json: &'a Value, name: &str) -> &'a Value {
    let all = json["transforms"].as_array().expect("transforms");
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}: {json:#}"))
}

/// The second branch of the loop goes as the first did. What lies between is too long for LLVM to thread jumps past it.
const CORRELATED: &str = "#include <stdio.h>
#include <stdlib.h>
volatile unsigned seen;
__attribute__((noinline)) static unsigned next(unsigned s) { return s * 69069u + 12345u; }
__attribute__((noinline)) static unsigned run(long n) {
  unsigned s = 1, sum = 0;
  for (long i = 0; i < n; i++) {
    s = next(s);
    unsigned kind = (s >> 16) % 3;
    if (kind == 0) sum += next(s); else seen = s;
    seen = sum, seen = s, seen = 3, seen = kind + sum, seen = kind + s;
    if (kind == 0) sum = next(sum); else sum -= 7;
  }
  return sum;
}
int main(int argc, char **argv) {
  printf(\"%u\\n\", run(argc > 1 ? atol(argv[1]) : 5));
  return 0;
}
";

#[test]
fn copies_have_exact_counts_by_paths() {
    let bench = Bench::new(&[("correlated.c", CORRELATED)]);
    let json = split(&bench, &["-O2", "correlated.c"], &["30000"]);
    let [copy] = copies(&json) else { panic!("{json:#}") };
    assert_eq!(copy["symbol"], "run");
    // A third of the numbers, or two thirds: whichever came by the way that is less frequent.
    let executions = copy["executions"].as_u64().expect("by paths");
    assert!((9_000..11_000).contains(&executions) && copy["of"] == 30_000, "{json:#}");
    let conserved = &json["conserved"];
    assert_eq!((&conserved["holds"], &conserved["wrong_in_copies"]), (&Value::from(true), &Value::from(0)));
    assert_eq!(conserved["copied_executions"].as_u64(), Some(executions), "{json:#}");
    let location = copy["location"].as_str().expect("a line");
    assert!(location.starts_with("correlated.c:"), "{location}");
}

#[test]
fn what_comes_after_a_copy_is_decided() {
    let bench = Bench::new(&[("correlated.c", CORRELATED)]);
    let line = "tune --json - -o tuned --only split --runs 1 --links 1 --simulate correlated.c -- 300000";
    let json = bench.opcost(&line.split(' ').collect::<Vec<_>>()).expect(0).json();
    let instructions = &step(&json, "split")["gain"]["instructions"];
    let number = |what: &str| instructions[what].as_u64().expect("valgrind counts");
    assert!(number("after") < number("before"), "{json:#}");
}

#[test]
fn loops_and_cold_code_have_no_copies() {
    let looped = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  unsigned n = atoi(argv[1]), sum = 0;
  for (unsigned i = 0; i < n; i++) { sum = sum * 31 + i; __asm__ volatile(\"\" : \"+r\"(sum)); }
  printf(\"%u\\n\", sum);
  return 0;
}
";
    let bench = Bench::new(&[("looped.c", looped), ("correlated.c", CORRELATED)]);
    let json = split(&bench, &["looped.c"], &["1000"]);
    let none = step(&json, "split");
    assert_eq!((copies(&json).len(), &none["done"]), (0, &Value::from(false)), "{json:#}");
    assert!(none["refused"][0]["why"].as_str().expect("why").contains("no join is hot"), "{json:#}");
    // The same join, but it ran too seldom.
    assert_eq!(copies(&split(&bench, &["correlated.c"], &["90"])).len(), 0);
}

/// A join of a loop that never ends: its frame is left during a call, after some branches.
const LEFT: &str = "#include <stdio.h>
#include <stdlib.h>
volatile int seen;
static long n;
__attribute__((noinline)) static unsigned next(unsigned s) {
  if (n-- == 0) { printf(\"%u\\n\", s); exit(0); }
  return s * 69069u + 1;
}
int main(int argc, char **argv) {
  n = atol(argv[1]);
  for (unsigned s = 1;;) {
    s = s * 5 + 3;
    unsigned kind = s & 0x30000;
    if (kind) seen = 1; else seen += 2;
    seen = s;
    if (kind) s = next(s); else s += seen;
  }
}
";

#[test]
fn functions_whose_paths_do_not_add_up_are_counted_again() {
    let bench = Bench::new(&[("left.c", LEFT)]);
    let json = split(&bench, &["left.c"], &["20000"]);
    assert!(!copies(&json).is_empty(), "{json:#}");
    assert!(copies(&json).iter().all(|copy| copy["executions"].is_null()), "{json:#}");
    // Nothing was divided, so nothing can be wrong.
    assert_eq!(json["conserved"]["blocks"], 0, "{json:#}");
    let expected = bench.shell("clang-22 -O2 left.c -o plain && ./plain 777").expect(0).stdout;
    assert_eq!(bench.shell("./tuned 777").expect(0).stdout, expected);
}

#[test]
fn joins_beside_computed_jumps_have_copies() {
    let threaded = "#include <stdio.h>
#include <stdlib.h>
volatile int seen;
int main(int argc, char **argv) {
  static void *labels[] = {&&add, &&twice, &&end};
  unsigned n = atoi(argv[1]), s = 1, i = 0;
  goto *labels[0];
add:
  s = s * 69069u + 1;
  if (s & 0x10000) seen = 1; else seen += 2;
  seen = s;
  if (s & 0x10000) seen ^= 3; else s += seen;
  goto *labels[i++ < n ? (s >> 20) % 2 : 2];
twice:
  s = s * 2 + 1;
  if (s & 0x20000) { seen = 1; if (s == 77) goto *labels[2]; } else seen += 2;
  seen = s;
  if (s & 0x20000) seen ^= 3; else s += seen;
  goto *labels[i++ < n ? (s >> 21) % 2 : 2];
end:
  printf(\"%u %u\\n\", s, i);
  return 0;
}
";
    let bench = Bench::new(&[("threaded.c", threaded)]);
    let json = split(&bench, &["threaded.c"], &["20000"]);
    assert!(copies(&json).len() > 1, "{json:#}");
    assert_eq!(json["conserved"]["holds"], true, "{json:#}");
    let expected = bench.shell("clang-22 -O2 threaded.c -o plain && ./plain 777").expect(0).stdout;
    assert_eq!(bench.shell("./tuned 777").expect(0).stdout, expected);
}

#[test]
fn programs_that_are_hard_to_copy_in_stay_right() {
    let exceptions = "#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
struct Guard { int &count; ~Guard() { count++; } };
static int risky(int x, int &count) {
  Guard guard{count};
  if (x % 7 == 3) throw std::runtime_error(std::to_string(x));
  return x * 3;
}
int main(int argc, char **argv) {
  int n = std::atoi(argv[1]), caught = 0, count = 0;
  std::map<std::string, int> words;
  for (int i = 0; i < n; i++) {
    int way = 0;
    try { way = risky(i, count) % 2 ? 1 : 2; }
    catch (const std::runtime_error &error) { caught++; words[error.what()]++; way = 3; }
    switch (way) { case 1: words[\"odd\"] += i; break; case 2: words[\"even\"] += i; break; case 3: case 4: caught++; break; }
  }
  long sum = 0;
  for (auto &[word, times] : words) sum = sum * 7 + times + (long)word.size();
  std::printf(\"%ld %d %d\\n\", sum, caught, count);
}
";
    let jumps = "#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static int depth;
volatile int seen;
__attribute__((noinline)) static int dive(int n) {
  depth++;
  if (n % 13 == 0) longjmp(back, n + 1);
  int r = n;
  if (n & 1) seen = r * 3; else depth += 3;
  seen = r;
  if (n & 1) r -= depth; else depth -= 2;
  return n > 20 ? dive(n - 1) + r : r;
}
static int parse(const char *text) {
  int state = 0, words = 0;
  for (; *text; text++) {
    switch (*text) {
    case ' ': case '\\t': case '\\n': if (state) words++; state = 0; break;
    case 'a': case 'e': case 'i': state |= 2; break;
    default: state |= 1;
    }
    if (state == 3) { state = 1; words += 2; }
  }
  return words + state;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  volatile long sum = 0;
  for (int i = 1; i < n; i++) {
    int got = setjmp(back);
    sum += got ? got : dive(i);
    sum += parse(\"the quick brown fox jumped  over\\na lazy dog\");
    __asm__ volatile(\".Lown%=: nop\" ::: \"memory\");
  }
  printf(\"%ld %d\\n\", sum, depth);
  return 0;
}
";
    let bench = Bench::new(&[("exceptions.cpp", exceptions), ("jumps.c", jumps)]);
    for (source, words) in [("exceptions.cpp", "3000"), ("jumps.c", "700")] {
        let compiler = if source.ends_with("cpp") { "clang++-22" } else { "clang-22" };
        let plain = bench.shell(&format!("{compiler} -O2 {source} -o plain && ./plain 500")).expect(0).stdout;
        for level in ["-O1", "-O2", "-O3", "-Os"] {
            let json = split(&bench, &[level, source], &[words]);
            assert!(!copies(&json).is_empty(), "{source} {level} {json:#}");
            assert_eq!(json["conserved"]["holds"], true, "{source} {level} {json:#}");
            assert_eq!(bench.shell("./tuned 500").expect(0).stdout, plain, "{source} {level}");
        }
    }
}

#[test]
fn where_no_copies_are_possible_it_is_said() {
    let bench = Bench::new(&[("correlated.c", CORRELATED)]);
    let why = |words: &[&str]| {
        let json = split(&bench, words, &["3000"]);
        step(&json, "split")["refused"][0]["why"].as_str().expect("a reason").to_owned()
    };
    assert!(why(&["-O0", "correlated.c"]).contains("no optimiser"));
    assert!(why(&["--cflag=-fno-vectorize", "correlated.c"]).starts_with("-fno-vectorize changes"));
    bench
        .opcost(&["count", "--anchor", "pgo", "--ledger", "run.opc", "correlated.c", "--", "3000"])
        .expect(0);
    assert!(why(&["--profile", "run.opc", "correlated.c"]).contains("run.opc has no paths"));
}

#[test]
fn all_steps_go_together() {
    let bench = Bench::new(&[("correlated.c", CORRELATED)]);
    let line = "tune --json - -o tuned --split --verify --link static --native --runs 1 --links 1 correlated.c -- 30000";
    let json = bench.opcost(&line.split(' ').collect::<Vec<_>>()).expect(0).json();
    let names: Vec<&str> =
        json["transforms"].as_array().expect("steps").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["static", "native", "profile", "split", "placement"]);
    assert_eq!(
        (&json["conserved"]["holds"], &json["outputs_equal"]),
        (&Value::from(true), &Value::from(true))
    );
    let expected = bench.shell("clang-22 -O2 correlated.c -o plain && ./plain 777").expect(0).stdout;
    assert_eq!(bench.shell("./tuned 777").expect(0).stdout, expected);
}

/// The pass that reads profiles puts blocks into edges from one of several ways out to one of several ways in.
#[test]
fn copies_are_made_past_blocks_on_edges() {
    let edges = "#include <stdio.h>
#include <stdlib.h>
volatile unsigned seen;
__attribute__((noinline)) static unsigned next(unsigned s) { return s * 69069u + 12345u; }
__attribute__((noinline)) static unsigned run(unsigned n) {
  unsigned s = 1, sum = 0;
  for (unsigned i = 0; i < n; i++) {
    s = next(s);
    unsigned kind = (s >> 16) % 5;
    if (kind > 1) sum += next(s);
    seen = sum, seen = s, seen = 3, seen = kind + sum, seen = kind + s;
    if (kind > 1) seen = next(sum);
    switch (kind) { case 0: seen = 1; break; case 1: case 2: case 3: break; default: if (sum & 64) break; seen = 2; }
    seen = sum, seen = s, seen = 5, seen = kind + sum, seen = kind + s;
    if (kind == 2) continue;
    if (kind) sum ^= next(i); else seen = 4;
  }
  return sum;
}
int main(int argc, char **argv) { printf(\"%u\\n\", run(atoi(argv[1]))); return 0; }
";
    let bench = Bench::new(&[("edges.c", edges)]);
    let json = split(&bench, &["edges.c"], &["30000"]);
    assert!(copies(&json).len() > 2, "{json:#}");
    assert!(copies(&json).iter().all(|copy| copy["executions"].as_u64() > Some(0)), "{json:#}");
    assert_eq!(json["conserved"]["holds"], true, "{json:#}");
    let expected = bench.shell("clang-22 -O2 edges.c -o plain && ./plain 777").expect(0).stdout;
    assert_eq!(bench.shell("./tuned 777").expect(0).stdout, expected);
}
