//! Do clang and rustc read in our profdata what LLVM's own counters would have said?
//!
//! Referee: the same program with LLVM's counters, its profile shown by `llvm-profdata`;
//! hashes and all counters are equal.

use std::collections::BTreeMap;

use opcost_testkit::command::ProgramOutput;

use super::{count, fine, place, silent, text};
use crate::harness::Bench;

/// Computed gotos, exceptions, a longjmp: the profile pass splits blocks here.
const HARD: &str = r#"
#include <cstdio>
#include <cstdlib>
#include <csetjmp>
#include <stdexcept>
#include <vector>
#include <algorithm>
static int run(const unsigned char *p, int n) {
  static void *table[] = {&&add, &&sub, &&loop, &&halt};
  int acc = 0, turns = n;
  const unsigned char *start = p;
  goto *table[*p++];
add: acc += 3; if (acc > 1000000) goto sub; goto *table[*p++];
sub: acc -= 1; goto *table[*p++];
loop: if (--turns > 0) { p = start; goto *table[*p++]; } 
halt: return acc;
}
__attribute__((noinline)) static int thrower(int i) { if (i % 10 == 9) throw std::runtime_error("x"); return i; }
static jmp_buf buf;
int main(int c, char **v) {
  unsigned char prog[] = {0, 0, 1, 0, 2, 3};
  int n = c > 1 ? atoi(v[1]) : 100, s = run(prog, n);
  for (int i = 0; i < n; i++) { try { s += thrower(i); } catch (std::exception &) { s++; } }
  std::vector<int> q; for (int i = 0; i < n; i++) q.push_back((i * 7919) % 1009);
  std::sort(q.begin(), q.end());
  volatile int k = 0;
  if (setjmp(buf) < 5) { k++; longjmp(buf, k); }
  switch (n % 5) { case 0: case 3: s += q[n / 2]; break; case 1: abort(); default: s++; }
  printf("%d\n", s);
}
"#;

/// Hash and counters of all functions of a profile.
fn counters(bench: &Bench, profile: &str) -> BTreeMap<String, (String, Vec<u64>)> {
    let shown = silent(bench, "llvm-profdata-22", &["show", "--all-functions", "--counts", profile]);
    let mut all = BTreeMap::new();
    let (mut name, mut hash) = (String::new(), String::new());
    for line in shown.lines() {
        if let Some(value) = line.strip_prefix("    Hash: ") {
            value.clone_into(&mut hash);
        } else if let Some(list) = line.strip_prefix("    Block counts: [") {
            let numbers = list.trim_end_matches(']').split(", ").filter(|number| !number.is_empty());
            let counts = numbers.map(|number| number.parse().expect("a number")).collect();
            all.insert(name.clone(), (hash.clone(), counts));
        } else if let Some(found) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) {
            found.trim_end_matches(':').clone_into(&mut name);
        }
    }
    all
}

/// The same by LLVM's own counters in the same program.
fn theirs(
    bench: &Bench,
    compiler: &str,
    source: &str,
    argument: &str,
) -> BTreeMap<String, (String, Vec<u64>)> {
    bench.tool(compiler, &["-O2", "-fno-vectorize", "-fprofile-generate", "-o", "theirs", source]);
    let mut run = bench.program(bench.path("theirs"));
    ProgramOutput::of(run.arg(argument).env("LLVM_PROFILE_FILE", bench.path("theirs.profraw"))).expect(0);
    bench.tool("llvm-profdata-22", &["merge", "-o", "theirs.profdata", "theirs.profraw"]);
    counters(bench, "theirs.profdata")
}

/// Hashes and all counters but selects' are equal. Selects come last; which value they
/// chose is not known, and half is said.
fn agree(ours: &BTreeMap<String, (String, Vec<u64>)>, theirs: &BTreeMap<String, (String, Vec<u64>)>) {
    assert!(theirs.len() >= 3, "{theirs:?}");
    assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
    let mut equal = 0;
    for (name, (hash, counts)) in theirs {
        let (our_hash, our_counts) = &ours[name];
        assert_eq!((our_hash, our_counts.len()), (hash, counts.len()), "{name}");
        let same = counts.iter().zip(our_counts).take_while(|(theirs, ours)| theirs == ours).count();
        assert!(counts.len() - same <= 2, "{name}: {our_counts:?} for {counts:?}");
        equal += same;
    }
    assert!(equal > 10, "{theirs:?}");
}

#[test]
fn split_blocks_and_frames_that_never_return_have_their_counters() {
    let bench = Bench::new();
    bench.write("a.cpp", HARD);
    fine(
        &bench,
        &[
            "count",
            "--anchor",
            "pgo",
            "--ledger",
            "run.opc",
            "--cflag",
            "-fno-vectorize",
            "a.cpp",
            "--",
            "500",
        ],
    );
    fine(&bench, &["export", "--to", "profdata", "run.opc", "-o", "ours.profdata"]);
    let theirs = theirs(&bench, "clang++-22", "a.cpp", "500");
    agree(&counters(&bench, "ours.profdata"), &theirs);
    let warnings = ["-Wall", "-Werror", "-Wprofile-instr-missing"];
    let use_it = ["-O2", "-fno-vectorize", "-fprofile-use=ours.profdata", "-o", "fast", "a.cpp"];
    silent(&bench, "clang++-22", &[&warnings[..], &use_it[..]].concat());
}

#[test]
fn profdata_holds_what_llvms_own_counters_count() {
    let bench = place();
    count(&bench, "pgo");
    fine(&bench, &["export", "--to", "profdata", "run.opc", "-o", "ours.profdata"]);
    let theirs = theirs(&bench, "clang-22", "a.c", "3000");
    agree(&counters(&bench, "ours.profdata"), &theirs);
    // clang takes it without a word, and knows of hot code by it.
    let use_it = [
        "-O2",
        "-fprofile-use=ours.profdata",
        "-Wall",
        "-Werror",
        "-Wprofile-instr-missing",
        "-Werror=profile-instr-out-of-date",
    ];
    let mut arguments = use_it.to_vec();
    arguments.extend(["-fno-vectorize", "-S", "-emit-llvm", "-o", "used.ll", "a.c"]);
    silent(&bench, "clang-22", &arguments);
    let used = text(&bench, "used.ll");
    assert!(used.contains("!\"function_entry_count\"") && used.contains("!\"ProfileSummary\""), "{used}");
}

/// Two ways to step, one of each type or two of one, called through pointers and by name.
const POINTERS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int often(int x) { return x * 3 + 1; }
__attribute__((noinline)) static int seldom(int x) { return x ^ 5; }
__attribute__((noinline)) static double only(double x) { return x * 0.5 + 1; }
static int (*volatile steps[])(int) = {often, often, often, seldom};
static double (*volatile halve)(double) = only;
int main(int c, char **v) {
  int n = atoi(v[1]), s = 0;
  double d = 0;
  for (int i = 0; i < n; i++) s = steps[i % 4](s);
  for (int i = 0; i < n / 2; i++) d = halve(d);
  for (int i = 0; i < n; i++) s += often(i) + seldom(s);
  printf("%d %f\n", s, d);
}
"#;

/// Targets of the calls through pointers of all functions of a profile, by what
/// `llvm-profdata` shows of them.
fn targets(bench: &Bench, profile: &str) -> Vec<(String, u64)> {
    let shown = silent(bench, "llvm-profdata-22", &["show", "--all-functions", "--ic-targets", profile]);
    let lines = shown.lines().filter(|line| line.contains(", a.c;"));
    let target = |line: &str| {
        let fields: Vec<&str> = line.trim_matches(|c: char| !c.is_alphanumeric()).split(", ").collect();
        let calls = fields[2].split_whitespace().next().expect("a number");
        (fields[1].trim().to_owned(), calls.parse().expect("a number"))
    };
    lines.map(target).collect()
}

#[test]
fn profdata_names_whom_pointers_called() {
    let bench = Bench::new();
    bench.write("a.c", POINTERS);
    fine(&bench, &["count", "--anchor", "pgo", "--ledger", "run.opc", "a.c", "--", "4000"]);
    fine(&bench, &["export", "--to", "profdata", "run.opc", "-o", "ours.profdata"]);
    theirs(&bench, "clang-22", "a.c", "4000");
    let ours = targets(&bench, "ours.profdata");
    let wanted = [("a.c;often", 3000), ("a.c;seldom", 1000), ("a.c;only", 2000)];
    assert_eq!(ours, wanted.map(|(name, calls)| (name.to_owned(), calls)));
    assert_eq!(targets(&bench, "theirs.profdata"), ours);
    // clang compares with them before it calls.
    let use_it = ["-O2", "-fprofile-use=ours.profdata", "-S", "-emit-llvm", "-o", "used.ll", "a.c"];
    silent(&bench, "clang-22", &use_it);
    let used = text(&bench, "used.ll");
    assert!(used.contains("icmp eq ptr %") && used.contains("@only"), "{used}");
}

#[test]
fn a_sampled_ledger_becomes_profdata_too() {
    let bench = place();
    fine(&bench, &["sample", "--anchor", "pgo", "--ledger", "run.opc", "a.c", "--", "3000000"]);
    let output = fine(&bench, &["export", "--to", "profdata", "run.opc", "-o", "ours.profdata"]);
    assert!(output.stderr.contains("functions in ours.profdata"), "{}", output.stderr);
    let sampled = counters(&bench, "ours.profdata");
    let of =
        |name: &str| sampled.get(name).map_or(0, |(_, counts)| counts.iter().copied().max().unwrap_or(0));
    assert!(of("a.c;pick") > 0 && of("main") > of("a.c;never"), "{sampled:?}");
    silent(
        &bench,
        "clang-22",
        &["-O2", "-fprofile-use=ours.profdata", "-Wall", "-Werror", "-o", "fast", "a.c"],
    );
}

#[test]
fn rustc_takes_profdata_without_a_word() {
    let bench = Bench::new();
    let source = "#[inline(never)]
        fn step(n: u64) -> u64 { if n % 3 == 0 { n / 3 } else { 2 * n + 1 } }
        fn main() { let mut x = 27; for i in 0..100_000u64 { x = step(x % 100_003) + i; } println!(\"{x}\"); }";
    bench.write("a.rs", source);
    let level = ["-Copt-level=3", "-Ccodegen-units=1", "--edition=2024"];
    let emit = ["--emit=llvm-bc", "-Cno-prepopulate-passes", "-o", "a.bc", "a.rs"];
    silent(&bench, "rustc", &[&level[..], &emit[..]].concat());
    let folder = silent(&bench, "rustc", &["--print", "target-libdir"]).trim().to_owned();
    let library = std::fs::read_dir(&folder).expect("rustc's libraries").filter_map(Result::ok);
    let library = library
        .filter_map(|entry| entry.file_name().into_string().ok())
        .find_map(|name| Some(name.strip_prefix("libstd-")?.strip_suffix(".so")?.to_owned()))
        .expect("std");
    let library = format!("std-{library}");
    let rpath = format!("-Wl,-rpath,{folder}");
    let count = ["count", "--anchor", "pgo", "-O", "3", "--ledger", "run.opc", "a.bc"];
    let link = ["-L", &folder, "-l", &library, "--cflag", &rpath];
    fine(&bench, &[&count[..], &link[..]].concat());
    fine(&bench, &["export", "--to", "profdata", "run.opc", "-o", "a.profdata"]);
    let profile = counters(&bench, "a.profdata");
    let step = profile.iter().find(|(name, _)| name.contains("4step")).expect("step");
    assert_eq!(step.1.1.iter().sum::<u64>(), 100_000, "{profile:?}");
    silent(&bench, "rustc", &[&level[..], &["-Cprofile-use=a.profdata", "-o", "a", "a.rs"]].concat());
}
