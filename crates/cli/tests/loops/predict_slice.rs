//! Is what a run of the slice says of a program what the program does?
//!
//! Each number that is called exact must be that of a count, block by block; the rest must be called a guess. A
//! slice must leave no trace: it prints nothing and touches no file, or it is not run.

use std::collections::BTreeMap;

use opcost_testkit::command::{Workplace, corpus, holds_to_schema};
use serde_json::Value;

use super::slice::{MEMBERS, Member, input_of, sources};
use super::workplace;

/// Blocks, those that are called exact, and executions of both.
#[derive(Default, Debug)]
struct Compared {
    blocks: usize,
    exact: usize,
    executions: u64,
    exact_executions: u64,
}

/// Predicts by the slice and counts, and holds each exact number against the count.
fn compared(work: &Workplace, line: &[&str], words: &[&str]) -> (Compared, Value) {
    let with = |start: &[&'static str]| -> Vec<String> {
        [start, line, &["--"], words].concat().iter().map(|word| word.to_string()).collect()
    };
    let predict = with(&["predict", "--by-slice", "--json", "-"]);
    let said = work.opcost(&predict.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(said.status, 0, "{}\n{}", said.line, said.all());
    assert_eq!(said.stderr, "", "{}", said.line);
    let document = said.json();
    holds_to_schema(&document);
    assert_eq!(document["source"], "slice");
    // Its output comes before the document where that goes to standard output.
    let count = with(&["count", "--json", "count.json", "--stdout", "out.txt"]);
    work.opcost(&count.iter().map(String::as_str).collect::<Vec<_>>());
    let counted: Value = serde_json::from_str(&work.read("count.json")).expect("a document");
    let mut truth: BTreeMap<(String, String), u64> = BTreeMap::new();
    for block in counted["blocks"].as_array().expect("blocks") {
        let text = |field: &str| block[field].as_str().expect("a text").to_owned();
        truth.insert((text("function"), text("block")), block["count"].as_u64().expect("a count"));
    }
    let mut all = Compared::default();
    for block in document["blocks"].as_array().expect("blocks") {
        let key = block["function"].as_str().expect("a key");
        let function =
            document["functions"].as_array().expect("functions").iter().find(|one| one["key"] == key);
        let name = function.expect("its function")["linkage_name"].as_str().expect("a name").to_owned();
        let executions = truth.get(&(name, format!("block{}", block["block"]))).copied().unwrap_or(0);
        all.blocks += 1;
        all.executions += executions;
        if block["exact"] == true {
            assert_eq!(block["executions"], executions, "{line:?} {words:?}: {block}");
            all.exact += 1;
            all.exact_executions += executions;
        } else {
            assert!(block["reason"].is_string() || document["ends_early"].is_string(), "{block}");
        }
    }
    if all.exact == all.blocks {
        assert_eq!(document["total"], counted["total"], "{line:?} {words:?}");
    }
    (all, document)
}

fn of_corpus(folder: &str, member: &Member, level: &str) -> Compared {
    let work = workplace();
    let sources = sources(folder, member.name);
    let [own, common] = [corpus(folder), corpus(folder) + "/common"].map(|folder| format!("-I{folder}"));
    let mut line = vec![level, &own, &common];
    line.extend(sources.iter().map(String::as_str));
    work.write(member.file, input_of(member));
    compared(&work, &line, &[]).0
}

/// Kernels compute, and their loops hang on sizes alone: nearly all is exact.
#[test]
fn kernels_are_predicted_as_they_are_counted() {
    let mut kernels: Vec<String> = std::fs::read_dir(corpus("loops/kernels"))
        .expect("kernels")
        .filter_map(|file| Some(file.ok()?.path().to_string_lossy().into_owned()))
        .filter(|path| path.ends_with(".c"))
        .collect();
    kernels.sort();
    assert!(kernels.len() >= 12, "{kernels:?}");
    let work = workplace();
    for kernel in &kernels {
        for level in ["-O1", "-O2"] {
            let (all, document) = compared(&work, &[level, kernel], &[]);
            assert!(all.exact_executions * 100 >= all.executions * 99, "{kernel} {level} {all:?}");
            assert!(document["slice"]["kept"].as_u64() < document["slice"]["instructions"].as_u64());
        }
    }
}

#[test]
fn programs_in_c_are_predicted_by_their_slices() {
    for member in MEMBERS {
        let all = of_corpus("loops/c", &member, "-O1");
        // `rng` counts pairs by where they fall, and a branch decides that.
        let share = if member.name == "rng" { 80 } else { 99 };
        assert!(all.exact_executions * 100 >= all.executions * share, "{} {all:?}", member.name);
    }
}

#[test]
fn programs_in_fortran_are_predicted_by_their_slices() {
    for member in MEMBERS.iter().filter(|one| ["cg", "fft", "mg", "sort", "stencil"].contains(&one.name)) {
        let all = of_corpus("loops/fortran", member, "-O1");
        assert!(all.exact_executions * 100 >= all.executions * 99, "{} {all:?}", member.name);
    }
}

/// A branch on computed data is not in the slice: its ways are guesses, and say so. What comes before and after is exact.
#[test]
fn a_block_whose_branch_is_not_in_the_slice_is_a_guess() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
double x = 1;
__attribute__((noinline)) static void often(void) { x = x * 1.5 - 3; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (int i = 0; i < n; i++) {
    if (x > 2)
      often();
    x += 1;
  }
  printf(\"%g\\n\", x);
  return x > 100;
}
";
    let source = work.write("guess.c", text);
    let (all, document) = compared(&work, &["-O1", &source], &["1000"]);
    assert!(all.exact < all.blocks && all.exact_executions > 1000, "{all:?}");
    let blocks = document["blocks"].as_array().unwrap();
    let guess = blocks.iter().find(|block| block["line"] == 9).expect("the call");
    assert_eq!(guess["exact"], false, "{guess}");
    assert!(guess["reason"].as_str().unwrap().contains("not in the slice"), "{guess}");
    let callee = blocks.iter().find(|block| block["function"] == "guess.c@often").expect("its callee");
    assert_eq!((&callee["exact"], &callee["executions"]), (&false.into(), &guess["executions"]), "{callee}");
}

/// Recursion, calls through pointers, and calls of a library's function back.
#[test]
fn entries_that_no_formula_gives_are_counted() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int once(int x) { return x + 1; }
static int twice(int x) { return x * 2 + once(x); }
int main(int argc, char **argv) {
  int n = atoi(argv[1]), values[200];
  int (*calls[2])(int) = {once, twice};
  for (int i = 0; i < n; i++) values[i] = calls[i % 3 == 0](i * 7919 % 101);
  qsort(values, n, sizeof *values, by_value);
  printf(\"%d %d\\n\", fib(n / 10), values[n / 2]);
  return 0;
}
";
    let source = work.write("odd.c", text);
    for level in ["-O0", "-O1"] {
        let (all, document) = compared(&work, &[level, &source], &["150"]);
        assert_eq!(all.exact, all.blocks, "{all:?}\n{document}");
    }
}

/// What ends the program before its code is through makes no number exact that a count does not bear out.
#[test]
fn ends_in_the_middle_are_no_exact_numbers() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
static int checked(int n) {
  if (n > 50) exit(3);
  return n * 2;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]), sum = 0;
  for (int i = 0; i < n; i++) {
    sum += checked(i);
    printf(\"%d\\n\", sum);
  }
  return 0;
}
";
    let source = work.write("ends.c", text);
    for n in ["20", "90"] {
        let (_, document) = compared(&work, &["-O0", &source], &[n]);
        assert_eq!(document["ends_early"].is_string(), n == "90", "{document}");
    }
    let text = "#include <cstdlib>
static void thrower(int n) { if (n == 40) throw n; }
static int sink;
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  try {
    for (int i = 0; i < n; i++) { thrower(i); sink += 2; }
  } catch (int caught) { sink = caught; }
  return 0;
}
";
    let source = work.write("throws.cpp", text);
    for n in ["20", "90"] {
        compared(&work, &["-O0", &source], &[n]);
    }
}

/// Files, and a terminal, belong to the user: a slice that might write there is not run.
#[test]
fn a_slice_leaves_no_trace() {
    let work = workplace();
    work.write("precious.txt", "precious\n");
    let begin = "#include <stdio.h>\n#include <stdlib.h>\n#include <fcntl.h>\n#include <unistd.h>\n";
    let cases = [
        ("FILE *f = fopen(\"precious.txt\", \"w\");\n  if (!f) return 1;", "fopen at"),
        ("FILE *f = fopen(\"precious.txt\", argv[0]);\n  if (!f) return 1;", "fopen at"),
        ("FILE *f = fopen(\"precious.txt\", \"r+\");\n  if (!f) return 1;", "fopen at"),
        ("int f = open(\"precious.txt\", O_RDWR | O_TRUNC);\n  if (f < 0) return 1;", "open at"),
        ("if (remove(\"precious.txt\")) return 1;", "remove at"),
        ("if (system(\"rm precious.txt\")) return 1;", "system at"),
        ("if (unlink(\"precious.txt\")) n = 0;", "unlink at"),
    ];
    for (what, place) in cases {
        let text = format!(
            "{begin}int main(int argc, char **argv) {{\n  int n = atoi(argv[1]);\n  {what}\n  for (int i = 0; i < n; i++) \
             puts(\"line\");\n  return 0;\n}}\n"
        );
        let source = work.write("trace.c", text);
        let said = work.opcost(&["predict", "--by-slice", &source, "--", "7"]).expect(1);
        assert!(said.stderr.contains(place) && said.stderr.contains("opcost count"), "{}", said.stderr);
        assert_eq!(work.read("precious.txt"), "precious\n");
    }
    // What is read stays and is read; what is printed reaches nobody.
    let text = format!(
        "{begin}int main(int argc, char **argv) {{\n  FILE *f = fopen(\"numbers.txt\", \"r\");\n  int n = 0;\n  if (!f || \
         fscanf(f, \"%d\", &n) != 1) {{ fprintf(stderr, \"no number\\n\"); return 1; }}\n  for (int i = 0; i < n; i++) \
         {{ puts(\"line\"); write(2, \"x\", 1); write(1, \"y\", 1); }}\n  return 0;\n}}\n"
    );
    let source = work.write("reads.c", text);
    work.write("numbers.txt", "31\n");
    let said = work.opcost(&["predict", "-O1", "--by-slice", &source]).expect(0);
    assert_eq!(said.stderr, "");
    assert!(!said.stdout.contains("line") && !said.stdout.contains("xx"), "{}", said.stdout);
    assert!(said.stdout.contains("counted by a run of its slice"), "{}", said.stdout);
    let (all, _) = compared_quietly(&work, &source);
    assert_eq!(all.exact, all.blocks, "{all:?}");
}

fn compared_quietly(work: &Workplace, source: &str) -> (Compared, Value) {
    compared(work, &["-O1", source], &[])
}

#[test]
fn what_is_refused_says_why_and_what_else_can_be_done() {
    let work = workplace();
    let jump = "#include <setjmp.h>\njmp_buf b;\nint main(void) {\n  if (setjmp(b)) return 1;\n  longjmp(b, 1);\n}\n";
    let source = work.write("jump.c", jump);
    let said = work.opcost(&["predict", "--by-slice", "-O0", &source]).expect(1);
    for words in ["jump.c:4", "cannot be sliced", "without --by-slice", "opcost count"] {
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
    let killed = "#include <stdlib.h>\nint main(int n, char **w) {\n  for (int i = 0; i < n; i++) if (i == 1) \
                  abort();\n  return 0;\n}\n";
    let source = work.write("killed.c", killed);
    let said = work.opcost(&["predict", "--by-slice", "-O0", &source, "--", "7"]).expect(1);
    assert!(said.stderr.contains("the slice ended with signal 6"), "{}", said.stderr);
    for flags in [&["--by-slice", "--set", "n=7"][..], &["--by-slice", "--defaults"], &["--stdin", "x"]] {
        work.opcost(&[&["predict"], flags, &[&source]].concat()).expect(2);
    }
}

/// The ledger has the counts with their quality, and is held against a count.
#[test]
fn a_ledger_by_a_slice_is_held_against_a_count() {
    let work = workplace();
    let source = corpus("loops/kernels") + "/trisolv.c";
    work.opcost(&["count", "-O1", "--ledger", "run.opc", &source]).expect(0);
    let line = ["predict", "-O1", "--by-slice", "--against", "run.opc", "--ledger", "by.opc", &source];
    let said = work.opcost(&line).expect(0);
    assert!(said.stdout.contains("against the run"), "{}", said.stdout);
    let said = work.opcost(&["diff", "run.opc", "by.opc"]);
    assert!(said.status <= 1, "{}", said.all());
}
