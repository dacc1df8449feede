//! Do profiles that opcost writes say to their readers what was counted?
//!
//! Each format has a referee that is not ours: LLVM's own instrumented run and
//! `llvm-profdata` for [`profdata`], LLVM's block frequencies for bitcode, `llvm-profdata`
//! and clang for llvm-sample, and those of [`viewers`]. What does not fit is refused and
//! leaves no file.

mod corpus;
mod profdata;
mod viewers;

use std::collections::BTreeMap;
use std::path::PathBuf;

use opcost_testkit::command::ProgramOutput;

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

/// A folder with the program in it.
fn place() -> Bench {
    let bench = Bench::new();
    bench.write("a.c", PROGRAM);
    bench
}

fn fine(bench: &Bench, arguments: &[&str]) -> ProgramOutput {
    bench.opcost(arguments).expect(0)
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
    bench.read(name)
}

/// A tool that must succeed without a word to stderr.
fn silent(bench: &Bench, name: &str, arguments: &[&str]) -> String {
    let output = bench.tool(name, arguments);
    assert_eq!(output.stderr, "", "{name} {arguments:?}");
    output.stdout
}

/// Counts of blocks as LLVM reads them from weights and entries.
fn frequencies(bench: &Bench, bitcode: &str) -> BTreeMap<(String, u64), u64> {
    let output = bench.tool("opt-22", &["-passes=print<block-freq>", "-disable-output", bitcode]);
    let (mut name, mut position) = (String::new(), 0);
    let mut all = BTreeMap::new();
    for line in output.stderr.lines() {
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
        let run = ProgramOutput::of(bench.program(bench.path("a")).arg("3000"));
        assert_eq!(run.status, 0);
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
        bench.write(name, text);
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
        assert!(output.stderr.contains("4 functions in "), "{}", output.stderr);
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
    let run = ProgramOutput::of(&mut bench.program(bench.path("a")));
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

/// Refused with these words, and no file is there.
fn refused(bench: &Bench, arguments: &[&str], status: i32, words: &str) {
    let output = bench.opcost(&[arguments, &["-o", "nothing"]].concat());
    assert_eq!(output.status, status, "{arguments:?}: {}", output.stderr);
    assert!(output.stderr.contains(words), "{arguments:?} does not say '{words}': {}", output.stderr);
    assert!(!bench.path("nothing").exists(), "{arguments:?} left a file");
}

#[test]
fn what_does_not_fit_is_refused_with_a_remedy() {
    let bench = place();
    count(&bench, "optimized");
    let export = |format| ["export", "--to", format, "run.opc"];
    refused(&bench, &export("profdata"), 2, "--anchor pgo");
    refused(&bench, &["export", "--to", "pprof", "a.c"], 2, "a.c is a source, not an opcost ledger");
    refused(&bench, &["export", "--to", "bitcode", "run.opc", "b.c"], 2, "it has a.c");
    let full = bench.opcost(&["export", "--to", "pprof", "run.opc", "-o", "/dev/full"]);
    assert_eq!(full.status, 1, "{}", full.stderr);
    assert!(full.stderr.contains("cannot write /dev/full"), "{}", full.stderr);
    let away = bench.opcost(&["export", "--to", "pprof", "run.opc", "-o", "no/such/folder"]);
    assert_eq!(away.status, 1, "{}", away.stderr);
    // One function has another flow: the others are exported all the same.
    bench.write("a.c", PROGRAM.replace("case 2: return n ^ 0x55;", ""));
    let output = fine(&bench, &[&export("bitcode")[..], &["-o", "a.bc"]].concat());
    assert!(output.stderr.contains("without counts: 1 (pick): its flow is another now"), "{}", output.stderr);
    // Nothing is as it was.
    std::fs::write(bench.path("a.c"), "int main(int argc, char **argv) { return argc > 2 ? 3 : argc; }")
        .expect("a source");
    refused(&bench, &export("bitcode"), 1, "no function of the module is as it was counted");
    bench.write("a.c", PROGRAM);
    let all = ["count", "--placement", "every-segment", "--ledger", "run.opc", "a.c", "--", "10"];
    fine(&bench, &all);
    refused(&bench, &export("bitcode"), 1, "every-segment");
}
