//! Are hot calls replaced by what they call, with entries that a run confirms?
//!
//! A program in which LLVM leaves a call that opcost replaces, calls that must stay, and functions that are hard
//! to inline: exceptions, memory on the stack, assembly with labels, structures that are handed over by value. Each must
//! print the same, and a counted run must have the counts that were divided.

use opcost_testkit::command::holds_to_schema;
use serde_json::Value;

use crate::support::Bench;

fn inline(bench: &Bench, words: &[&str], run: &[&str]) -> Value {
    let all = ["tune", "--json", "-", "-o", "tuned", "--only", "inline", "--verify", "--runs", "1"];
    let json = bench.opcost(&[&all, words, &["--"], run].concat()).expect(0).json();
    holds_to_schema(&json);
    assert_ne!(json["outputs_equal"], false, "{json:#}");
    json
}

fn calls(json: &Value) -> Vec<String> {
    let all = json["inlined"].as_array().expect("calls");
    all.iter().map(|one| format!("{} in {}", one["callee"], one["caller"]).replace('"', "")).collect()
}

fn step<'a>(json: &'a Value, name: &str) -> &'a Value {
    let all = json["transforms"].as_array().expect("transforms");
    all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("no {name}: {json:#}"))
}

/// `mix` is long and has one block. Beside the loop that takes nearly all executions of blocks it is not hot to LLVM.
const MIXED: &str = "#include <stdio.h>
#include <stdlib.h>
#define STEP(k) a = a * 5u + b; b = (b ^ (a >> 7)) + k; c += a & b; d = d * 3u ^ c;
static unsigned mix(unsigned a, unsigned b, unsigned c, unsigned d) {
  STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8)
  return a ^ b ^ c ^ d;
}
int main(int argc, char **argv) {
  unsigned n = atoi(argv[1]), sum = 1;
  for (unsigned i = 0; i < n; i++) {
    sum += mix(i, sum, i ^ 5, 7);
    for (unsigned j = 0; j < 300; j++) { sum = sum * 31 + j; __asm__ volatile(\"\" : \"+r\"(sum)); }
  }
  if (sum == 12345) sum += mix(sum, 1, 2, 3);
  printf(\"%u\\n\", sum);
  return 0;
}
";

#[test]
fn a_hot_call_that_llvm_leaves_is_replaced_and_the_cold_one_stays() {
    let bench = Bench::new(&[("mixed.c", MIXED)]);
    let json = inline(&bench, &["--cflag=-g", "mixed.c"], &["2000"]);
    assert_eq!(calls(&json), ["mix in main"], "{json:#}");
    let call = &json["inlined"][0];
    assert_eq!(call["executions"], 2000, "{json:#}");
    assert_eq!(call["location"], "mixed.c:11");
    let conserved = &json["conserved"];
    // The block of the call, and the entries of `mix` that are left.
    assert_eq!(
        (&conserved["holds"], &conserved["blocks"]),
        (&Value::from(true), &Value::from(2)),
        "{json:#}"
    );
    let line = "tune --json - -o tuned --only inline --runs 1 --links 1 --simulate mixed.c -- 2000";
    let json = bench.opcost(&line.split(' ').collect::<Vec<_>>()).expect(0).json();
    let instructions = &step(&json, "inline")["gain"]["instructions"];
    let number = |what: &str| instructions[what].as_u64().expect("valgrind counts");
    assert!(number("after") + 2000 < number("before"), "{json:#}");
}

#[test]
fn calls_that_nothing_is_known_of_stay() {
    let left = "#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) unsigned one(unsigned a) { return a * 3 + 1; }
__attribute__((weak)) unsigned two(unsigned a) { return a * 5 + 1; }
unsigned three(int n, ...) { va_list all; va_start(all, n); unsigned sum = 0; while (n--) sum += va_arg(all, unsigned); va_end(all); return sum; }
unsigned four(unsigned a) { return a < 2 ? a : four(a - 1) + four(a - 2); }
unsigned five(unsigned a) { __asm__ volatile(\"nop\"); return a + 5; }
unsigned six(unsigned a) { volatile unsigned all[400]; all[a % 400] = a; return all[a % 399]; }
unsigned seven(unsigned a) { volatile char all[a % 50 + 1]; all[0] = a; return all[0]; }
int main(int argc, char **argv) {
  unsigned sum = 0;
  for (int i = 0; i < atoi(argv[1]); i++) sum += one(i) + two(i) + three(2, i, i) + four(i % 7) + five(i) + six(i) + seven(i);
  printf(\"%u\\n\", sum);
  return 0;
}
";
    let bench = Bench::new(&[("left.c", left)]);
    let json = inline(&bench, &["left.c"], &["3000"]);
    let is_left = |name: &str| calls(&json).iter().all(|call| !call.starts_with(&format!("{name} ")));
    for name in ["one", "two", "three", "five", "six", "seven"] {
        assert!(is_left(name), "{name}: {:?}", calls(&json));
    }
    assert!(!calls(&json).contains(&"four in four".to_owned()), "{:?}", calls(&json));
}

#[test]
fn programs_that_are_hard_to_inline_in_stay_right() {
    let thrown = "#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
struct Big { int all[30]; };
struct Guard { int *count; ~Guard() { ++*count; } };
static int sum(Big big, int from) { int s = 0; for (int i = from; i < 30; i++) { s += big.all[i]; big.all[i] = 0; } return s; }
static int checked(int i, int *count) {
  Guard guard{count};
  if (i % 5 == 0) throw std::runtime_error(std::to_string(i));
  if (i % 7 == 0) throw i;
  return i * 3;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), count = 0; long all = 0; Big big{};
  for (int i = 0; i < n; i++) {
    big.all[i % 30] = i;
    all += sum(big, i % 3);
    try { all += checked(i, &count); } catch (std::exception &error) { all += atoi(error.what()); } catch (int other) { all -= other; }
  }
  printf(\"%ld %d %d\\n\", all, count, big.all[3]);
}
";
    let jumped = "#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf back;
static int seen;
static int may_leave(int i) { seen += i; if (i % 11 == 3) longjmp(back, i + 1); seen ^= i * 5; return seen & 0xff; }
static int tries(int i) { if (setjmp(back)) return -1; return may_leave(i) + 1; }
static int outer(int i) { return tries(i) + tries(i + 1); }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), all = 0;
  for (int i = 0; i < n; i++) all += outer(i);
  printf(\"%d %d\\n\", all, seen);
  return 7;
}
";
    let bench = Bench::new(&[("thrown.cpp", thrown), ("jumped.c", jumped)]);
    for level in ["-O1", "-O2", "-O3", "-Os"] {
        let json = inline(&bench, &[level, "thrown.cpp"], &["2000"]);
        assert_ne!(json["conserved"]["holds"], false, "{level}: {json:#}");
    }
    // Its status is not 0, which a training run must have.
    bench.opcost(&["tune", "--only", "inline", "-o", "tuned", "jumped.c", "--", "2001"]).expect(2);
    let ends_well = jumped.replace("return 7", "return 0");
    let bench = Bench::new(&[("jumped.c", &ends_well)]);
    inline(&bench, &["-O2", "jumped.c"], &["2001"]);
}

#[test]
fn functions_of_several_modules_keep_their_counts() {
    let header = "#pragma once
#define STEP(k) a = a * 5u + b; b = (b ^ (a >> 7)) + k; a += a & b;
inline unsigned shared(unsigned a, unsigned b) { STEP(11) STEP(12) STEP(13) STEP(14) STEP(15) STEP(16) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) return a ^ b; }
static unsigned local(unsigned a, unsigned b) { STEP(3) STEP(2) STEP(1) STEP(4) STEP(5) STEP(6) STEP(7) STEP(8) STEP(9) return a ^ b; }
unsigned other(unsigned n);
";
    let part = |name: &str, factor: u32| {
        format!(
            "#include <cstdio>\n#include <cstdlib>\n#include \"shared.h\"\nunsigned {name}(unsigned n) {{\n  unsigned sum = 0;\n  \
             for (unsigned i = 0; i < n; i++) {{ sum += shared(i, sum) + local(sum, i * {factor}u);\n    for (unsigned j = 0; j < 200; \
             j++) {{ sum = sum * 31 + j; __asm__ volatile(\"\" : \"+r\"(sum)); }} }}\n  if (sum == 7) sum = local(n, 3);\n  return sum;\n}}\n"
        )
    };
    let main = part("own", 3)
        + "int main(int argc, char **argv) { unsigned n = atoi(argv[1]); printf(\"%u %u\\n\", own(n), other(n / 3)); }\n";
    let bench = Bench::new(&[("shared.h", header), ("main.cpp", &main), ("other.cpp", &part("other", 5))]);
    let json = inline(&bench, &["main.cpp", "other.cpp"], &["3000"]);
    assert!(calls(&json).len() >= 2, "{json:#}");
    assert_eq!(json["conserved"]["holds"], true, "{json:#}");
}

#[test]
fn the_tuned_program_can_be_counted_by_its_modules() {
    let bench = Bench::new(&[("mixed.c", MIXED)]);
    let line = "tune --json - -o tuned --only inline --runs 0 --cflag=-g --save modules mixed.c -- 2000";
    bench.opcost(&line.split(' ').collect::<Vec<_>>()).expect(0);
    let counted = ["count", "--json", "-", "modules/0.mixed.bc", "--", "2000"];
    let json = bench.opcost(&counted).expect(0).json();
    let functions = json["functions"].as_array().expect("functions");
    let entries =
        |name: &str| functions.iter().find(|one| one["name"] == name).map(|one| one["calls"].clone());
    // The hot call is none any more, and the cold one did not run.
    assert_eq!(entries("main"), Some(Value::from(1)), "{functions:#?}");
    assert!(entries("mix").is_none_or(|calls| calls == 0), "{functions:#?}");
}

#[test]
fn inlining_and_copies_of_joins_go_together() {
    let bench = Bench::new(&[("mixed.c", MIXED)]);
    let line = "tune --json - -o tuned --inline --split --unroll --verify --runs 6 mixed.c -- 2000";
    let json = bench.opcost(&line.split(' ').collect::<Vec<_>>()).expect(0).json();
    holds_to_schema(&json);
    assert_eq!(json["outputs_equal"], true, "{json:#}");
    assert_eq!(json["conserved"]["holds"], true, "{json:#}");
    assert_eq!(calls(&json), ["mix in main"]);
    let given = "tune --json - -o tuned --inline --unroll --runs 0 --profile run.opc mixed.c -- 2000";
    bench.opcost(&["count", "--anchor", "pgo", "--ledger", "run.opc", "mixed.c", "--", "2000"]).expect(0);
    let json = bench.opcost(&given.split(' ').collect::<Vec<_>>()).expect(0).json();
    for name in ["inline", "unroll"] {
        let why = step(&json, name)["refused"][0]["why"].as_str().expect("why");
        assert!(why.contains("give a training run"), "{why}");
    }
}
