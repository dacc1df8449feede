//! Do profiles that opcost writes say to their readers what was counted?
//!
//! Each format has a referee that is not ours: LLVM's own instrumented run and
//! `llvm-profdata` for profdata, LLVM's block frequencies for bitcode, `llvm-profdata` and
//! clang for llvm-sample, gzip and a decoder of a few lines for pprof, the report's
//! total for folded stacks. What does not fit is refused and leaves no file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::harness::Bench;
use crate::json::Counts;

const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char from[512], to[512];
__attribute__((noinline)) static long pick(long n) {
  switch (n % 11) {
  case 1: case 4: case 7: return n * 3;
  case 2: return n ^ 0x55;
  case 3: fputs("three\n", stderr); return 7;
  default: return n > 60 ? n - 1 : n + 1;
  }
}
__attribute__((noinline)) static long never(long n) { return n ? never(n - 1) + 2 : 1; }
static long often(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    if (i % 7 == 3)
      sum += pick(i);
    else if (i & 1)
      sum -= i;
    memcpy(to, from, (size_t)(i & 255));
  }
  return sum;
}
long (*volatile chosen)(long) = pick;
int main(int argc, char **argv) {
  long turns = argc > 1 ? atol(argv[1]) : 1000, sum = 0;
  for (long i = 0; i < turns; i++) sum += often(i & 63) + chosen(i & 1023);
  if (argc > 5) sum += never(argc);
  printf("%ld\n", sum);
  return 0;
}
"#;

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

/// A folder with the program in it.
fn place() -> Bench {
    let bench = Bench::new();
    std::fs::write(bench.path("a.c"), PROGRAM).expect("a source");
    bench
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn fine(bench: &Bench, arguments: &[&str]) -> Output {
    let output = bench.opcost(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    output
}

/// Counts at an anchor, into `run.opc`.
fn count(bench: &Bench, anchor: &str) -> Counts {
    let counted = bench.count(
        &[
            "--anchor",
            anchor,
            "--ledger",
            "run.opc",
            "--cflag=-fno-vectorize",
            "--cflag=-fdebug-info-for-profiling",
        ],
        &[PathBuf::from("a.c")],
        &["3000".to_owned()],
    );
    Counts(counted.counts().0.clone())
}

fn text(bench: &Bench, name: &str) -> String {
    std::fs::read_to_string(bench.path(name)).expect("a file of text")
}

/// A tool that must succeed without a word to stderr.
fn silent(bench: &Bench, name: &str, arguments: &[&str]) -> String {
    let output = bench.tool(name, arguments);
    assert_eq!(said(&output), "", "{name} {arguments:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

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
    let run = Command::new(bench.path("theirs"))
        .arg(argument)
        .env("LLVM_PROFILE_FILE", bench.path("theirs.profraw"))
        .output()
        .expect("it starts");
    assert!(run.status.success());
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
    std::fs::write(bench.path("a.cpp"), HARD).expect("a source");
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

#[test]
fn a_sampled_ledger_becomes_profdata_too() {
    let bench = place();
    fine(&bench, &["sample", "--anchor", "pgo", "--ledger", "run.opc", "a.c", "--", "3000000"]);
    let output = fine(&bench, &["export", "--to", "profdata", "run.opc", "-o", "ours.profdata"]);
    assert!(said(&output).contains("functions in ours.profdata"), "{}", said(&output));
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
    std::fs::write(bench.path("a.rs"), source).expect("a source");
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

/// Counts of blocks as LLVM reads them from weights and entries.
fn frequencies(bench: &Bench, bitcode: &str) -> BTreeMap<(String, u64), u64> {
    let output = bench.tool("opt-22", &["-passes=print<block-freq>", "-disable-output", bitcode]);
    let (mut name, mut position) = (String::new(), 0);
    let mut all = BTreeMap::new();
    for line in said(&output).lines() {
        if let Some(found) = line.strip_prefix("block-frequency-info: ") {
            found.clone_into(&mut name);
            position = 0;
        } else if line.starts_with(" - ") {
            if let Some((_, count)) = line.split_once("count = ") {
                let count = count.split(',').next().expect("a number");
                all.insert((name.clone(), position), count.trim().parse().expect("a number"));
            }
            position += 1;
        }
    }
    all
}

#[test]
fn llvm_reads_the_counts_back_from_bitcode() {
    for anchor in ["optimized", "pgo"] {
        let bench = place();
        let counts = count(&bench, anchor);
        fine(&bench, &["export", "--to", "bitcode", "run.opc", "-o", "a.bc"]);
        silent(&bench, "opt-22", &["-passes=verify", "-disable-output", "a.bc"]);
        let read = frequencies(&bench, "a.bc");
        assert!(read.len() > 10, "{read:?}");
        for (function, position, count) in counts.blocks() {
            let there = *read
                .get(&(function.clone(), position))
                .unwrap_or_else(|| panic!("no {function} {position}"));
            let error = (there as f64 - count as f64).abs();
            assert!(
                error <= 2.0 + 1e-4 * count as f64,
                "{function} {position}: {there} for {count} ({anchor})"
            );
        }
        // Code generation goes on from there.
        bench.tool("clang-22", &["-O2", "-Xclang", "-disable-llvm-passes", "-o", "a", "a.bc"]);
        let run = Command::new(bench.path("a")).arg("3000").output().expect("it starts");
        assert!(run.status.success());
    }
}

/// One template that `two.cpp` instantiates for both (`available_externally` in the
/// other), and one of which the linker keeps one of two bodies.
const HEADER: &str = "
template <class T> struct Bag {
  T sum = 0;
  void put(T x) { if (x % 3) sum += x; else for (T k = 0; k < x % 5; k++) sum ^= k; }
};
extern template struct Bag<long>;
template <class T> T twist(T x) { T s = x; for (int i = 0; i < (x & 7); i++) s = s * 3 + 1; return s; }
";

#[test]
fn bodies_that_run_in_another_module_have_its_counts() {
    let bench = Bench::new();
    let main = "#include \"h.h\"\n#include <cstdio>\nlong other(long);\nint main() { Bag<long> bag; \
                for (long i = 0; i < 900; i++) { bag.put(i); bag.sum += twist(i); bag.sum ^= other(i); } \
                std::printf(\"%ld\\n\", bag.sum); }\n";
    let two = "#include \"h.h\"\ntemplate struct Bag<long>;\n\
               long other(long x) { Bag<long> bag; bag.put(x); return twist(x + 1) + bag.sum; }\n";
    for (name, text) in [("h.h", HEADER), ("one.cpp", main), ("two.cpp", two)] {
        std::fs::write(bench.path(name), text).expect("a source");
    }
    let flags = ["--anchor", "source", "-O2", "--ledger", "run.opc"];
    let counted = bench.count(&flags, &["one.cpp".into(), "two.cpp".into()], &[]);
    let counts = counted.counts();
    let mut whole: BTreeMap<(String, u64), u64> = BTreeMap::new();
    for (function, position, count) in counts.blocks() {
        *whole.entry((function, position)).or_default() += count;
    }
    let mut objects = Vec::new();
    for (source, own) in [("one.cpp", "main"), ("two.cpp", "_Z5otherl")] {
        let (bitcode, object) = (format!("{source}.bc"), format!("{source}.o"));
        let output = fine(&bench, &["export", "--to", "bitcode", "run.opc", source, "-o", &bitcode]);
        assert!(said(&output).contains("4 functions in "), "{}", said(&output));
        let read = frequencies(&bench, &bitcode);
        // Each body has what it did in the whole program, wherever it ran.
        for name in [own, "_ZN3BagIlE3putEl", "_Z5twistIlET_S0_"] {
            let blocks: Vec<_> = read.keys().filter(|(function, _)| function == name).collect();
            assert!(
                blocks.len() >= if name == own && own != "main" { 1 } else { 4 },
                "{source}: {name} {read:?}"
            );
            for block in blocks {
                let (there, count) = (read[block], whole.get(block).copied().unwrap_or(0));
                assert!(
                    (there as f64 - count as f64).abs() <= 2.0 + 1e-4 * count as f64,
                    "{source} {block:?}: {there} for {count}"
                );
            }
        }
        assert_eq!(read[&("_ZN3BagIlE3putEl".to_owned(), 0)], 1800, "{source}");
        bench.tool("clang-22", &["-O2", "-c", "-o", &object, &bitcode]);
        objects.push(object);
    }
    bench.tool(
        "clang++-22",
        &[&["-o", "a"], &objects.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat(),
    );
    let run = Command::new(bench.path("a")).output().expect("it starts");
    assert_eq!(run.stdout, counted.output.stdout);
    // What is added up over modules has each count once.
    fine(&bench, &["export", "--to", "collapsed", "run.opc", "-o", "a.folded"]);
    let folded = text(&bench, "a.folded");
    let numbers = folded.lines().filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok());
    assert_eq!(numbers.sum::<u64>(), counts.total(), "{folded}");
}

#[test]
fn counts_of_more_than_32_bits_keep_their_proportions() {
    let bench = place();
    let counts = count(&bench, "optimized");
    std::fs::copy(bench.path("run.opc"), bench.path("0.opc")).expect("a copy");
    let doublings = 24;
    for round in 0..doublings {
        let [half, whole] = [round, round + 1].map(|number| format!("{number}.opc"));
        fine(&bench, &["merge", &half, &half, "-o", &whole]);
    }
    fine(&bench, &["export", "--to", "bitcode", "24.opc", "-o", "a.bc"]);
    let read = frequencies(&bench, "a.bc");
    let mut large = 0;
    for (function, position, count) in counts.blocks() {
        let count = count << doublings;
        let there = read[&(function.clone(), position)];
        assert!(there > 0 || count == 0, "{function} {position}");
        let error = (there as f64 - count as f64).abs() / count.max(1) as f64;
        assert!(error < 1e-3, "{function} {position}: {there} for {count}");
        large += u64::from(count > u64::from(u32::MAX));
    }
    assert!(large > 3, "{large} large counts");
}

#[test]
fn clang_takes_samples_by_line() {
    let bench = place();
    count(&bench, "optimized");
    fine(&bench, &["export", "--to", "llvm-sample", "run.opc", "-o", "a.prof"]);
    let shown = silent(&bench, "llvm-profdata-22", &["show", "--sample", "a.prof"]);
    let profile = text(&bench, "a.prof");
    assert!(shown.contains("Function: main:") && shown.contains("Function: pick:"), "{shown}");
    // The line of the switch: once for each of 27 thousand calls and more.
    let pick = profile.lines().skip_while(|line| !line.starts_with("pick:")).take(3).collect::<Vec<_>>();
    let head: Vec<&str> = pick[0].split(':').collect();
    let calls: u64 = head[2].parse().expect("entries");
    assert!(calls > 3000 && pick[1] == format!(" 1: {calls}"), "{profile}");
    assert!(profile.contains(": often:"), "often was inlined: {profile}");
    assert!(!profile.lines().any(|line| line.starts_with("never:")), "{profile}");
    let arguments =
        ["-O2", "-gline-tables-only", "-fprofile-sample-use=a.prof", "-Wall", "-Werror", "-S", "-emit-llvm"];
    silent(&bench, "clang-22", &[&arguments[..], &["-o", "used.ll", "a.c"]].concat());
    let used = text(&bench, "used.ll");
    assert!(used.contains("!\"SampleProfile\"") && used.contains("!\"function_entry_count\""), "{used}");
}

/// Sums of the two values of a pprof profile's samples.
fn pprof_sums(bench: &Bench, file: &str) -> [u64; 2] {
    let plain = bench.tool("gzip", &["-dc", file]).stdout;
    let mut sums = [0; 2];
    each_field(&plain, |tag, sample| {
        if tag == 2 {
            each_field(sample, |tag, values| {
                if tag == 2 {
                    let (first, rest) = varint(values);
                    sums[0] += first;
                    sums[1] += varint(rest).0;
                }
            });
        }
    });
    sums
}

fn varint(data: &[u8]) -> (u64, &[u8]) {
    let length = data.iter().position(|byte| byte & 0x80 == 0).expect("an end") + 1;
    let value = data[..length].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    (value, &data[length..])
}

/// Fields of a message that are bytes.
fn each_field(mut data: &[u8], mut with: impl FnMut(u64, &[u8])) {
    while !data.is_empty() {
        let (key, rest) = varint(data);
        let (value, rest) = varint(rest);
        data = rest;
        if key & 7 == 2 {
            let (bytes, rest) = data.split_at(usize::try_from(value).expect("a length"));
            with(key >> 3, bytes);
            data = rest;
        }
    }
}

#[test]
fn viewers_are_told_all_instructions() {
    let bench = place();
    let counts = count(&bench, "optimized");
    let total = counts.total();
    fine(&bench, &["export", "--to", "collapsed", "run.opc", "-o", "a.folded"]);
    let folded = text(&bench, "a.folded");
    let lines = || folded.lines().map(|line| line.rsplit_once(' ').expect("a stack and a number"));
    let sum: u64 = lines().map(|(_, number)| number.parse::<u64>().expect("a number")).sum();
    assert_eq!(sum, total, "{folded}");
    assert!(
        lines().any(|(stack, _)| stack == "main;often") && lines().any(|(stack, _)| stack == "pick"),
        "{folded}"
    );
    fine(&bench, &["export", "--to", "pprof", "run.opc", "-o", "a.pb.gz"]);
    let [executions, instructions] = pprof_sums(&bench, "a.pb.gz");
    assert_eq!(instructions, total);
    assert!(executions >= instructions, "{executions}");
    // Equal ledgers are equal files.
    fine(&bench, &["export", "--to", "pprof", "run.opc", "-o", "b.pb.gz"]);
    let [a, b] = ["a.pb.gz", "b.pb.gz"].map(|name| std::fs::read(bench.path(name)).expect("a file"));
    assert_eq!(a, b);
}

/// Refused with these words, and no file is there.
fn refused(bench: &Bench, arguments: &[&str], status: i32, words: &str) {
    let output = bench.opcost(&[arguments, &["-o", "nothing"]].concat());
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", said(&output));
    assert!(said(&output).contains(words), "{arguments:?} does not say '{words}': {}", said(&output));
    assert!(!bench.path("nothing").exists(), "{arguments:?} left a file");
}

#[test]
fn what_does_not_fit_is_refused_with_a_remedy() {
    let bench = place();
    count(&bench, "optimized");
    let export = |format| ["export", "--to", format, "run.opc"];
    refused(&bench, &export("profdata"), 2, "--anchor pgo");
    refused(&bench, &["export", "--to", "pprof", "a.c"], 2, "a ledger is missing");
    refused(&bench, &["export", "--to", "bitcode", "run.opc", "b.c"], 1, "it has a.c");
    let full = bench.opcost(&["export", "--to", "pprof", "run.opc", "-o", "/dev/full"]);
    assert_eq!(full.status.code(), Some(1), "{}", said(&full));
    assert!(said(&full).contains("cannot write /dev/full"), "{}", said(&full));
    let away = bench.opcost(&["export", "--to", "pprof", "run.opc", "-o", "no/such/folder"]);
    assert_eq!(away.status.code(), Some(1), "{}", said(&away));
    // One function has another flow: the others are exported all the same.
    std::fs::write(bench.path("a.c"), PROGRAM.replace("case 2: return n ^ 0x55;", "")).expect("a source");
    let output = fine(&bench, &[&export("bitcode")[..], &["-o", "a.bc"]].concat());
    assert!(said(&output).contains("without counts: 1 (pick): its flow is another now"), "{}", said(&output));
    // Nothing is as it was.
    std::fs::write(bench.path("a.c"), "int main(int argc, char **argv) { return argc > 2 ? 3 : argc; }")
        .expect("a source");
    refused(&bench, &export("bitcode"), 1, "no function of the module is as it was counted");
    std::fs::write(bench.path("a.c"), PROGRAM).expect("a source");
    let all = ["count", "--placement", "every-segment", "--ledger", "run.opc", "a.c", "--", "10"];
    fine(&bench, &all);
    refused(&bench, &export("bitcode"), 1, "every-segment");
}
