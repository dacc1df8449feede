//! Does a program with its prediction in it add up what `opcost predict` says, and else do what it did?

use opcost_testkit::command::{Said, Workplace, corpus};

use super::workplace;

/// What a program says of itself at its end.
#[derive(Debug)]
struct Own {
    text: String,
    run: Said,
}

impl Own {
    fn word(&self, key: &str) -> &str {
        let line = self.text.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_else(|| panic!("{key} is missing in:\n{}\n{}", self.text, self.run.all())).trim()
    }

    fn total(&self) -> u128 {
        self.word("predicted ").parse().expect("a number")
    }

    fn is_exact(&self) -> bool {
        self.word("without_guesses ") == "yes"
    }
}

/// Builds the program with its prediction in it.
fn emit(work: &Workplace, flags: &[&str], sources: &[&str]) {
    let all = ["predict", "--emit", "exe", "-o", "own"];
    let all: Vec<&str> = all.iter().chain(flags).chain(sources).copied().collect();
    let said = work.opcost(&all).expect(0);
    assert_eq!(said.stdout, "", "{}", said.all());
}

/// Runs it. What it prints to stdout stays its own.
fn run(work: &Workplace, words: &[&str]) -> Own {
    let run =
        Said::of(work.program(work.path("own")).args(words).env("OPCOST_PREDICTED", work.path("own.txt")));
    Own { text: work.read("own.txt"), run }
}

/// The total of a count, and what the counted program printed.
fn counted(work: &Workplace, flags: &[&str], source: &str, words: &[&str]) -> (u128, String) {
    let all = ["count", "--json", "count.json", "--stdout", "count.out"];
    let all: Vec<&str> = all.iter().chain(flags).chain([&source, &"--"]).chain(words).copied().collect();
    work.opcost(&all).expect(0);
    let total = work.json("count.json")["total"].as_u64().expect("a total");
    (total.into(), work.read("count.out"))
}

/// The total of `opcost predict`, and whether all of it is exact.
fn predicted(work: &Workplace, flags: &[&str], source: &str, words: &[&str]) -> (Option<u128>, bool) {
    let all = ["predict", "--json", "-"];
    let mut all: Vec<&str> = all.iter().chain(flags).chain([&source]).copied().collect();
    if !words.is_empty() {
        all.push("--");
        all.extend(words);
    }
    let document = work.opcost(&all).expect(0).json();
    let is_exact = document["blocks"].as_array().expect("blocks").iter().all(|block| block["exact"] == true);
    (document["total"].as_u64().map(u128::from), is_exact)
}

/// Where the tool says exact, the program says the same number; where the program says exact, it counts so.
#[track_caller]
fn agrees(flags: &[&str], source: &str, words: &[&str]) -> bool {
    let work = workplace();
    emit(&work, flags, &[source]);
    let own = run(&work, words);
    let (total, printed) = counted(&work, flags, source, words);
    assert_eq!(own.run.stdout, printed, "{source}");
    assert_eq!(own.run.status, 0, "{}", own.run.all());
    let (tool, is_tool_exact) = predicted(&work, flags, source, words);
    if own.is_exact() {
        assert_eq!(own.total(), total, "{source}\n{}", own.text);
    }
    if is_tool_exact && tool.is_some() {
        assert!(own.is_exact(), "{source}: the tool is exact\n{}", own.text);
        assert_eq!(Some(own.total()), tool, "{source}");
    }
    own.is_exact()
}

#[test]
fn kernels_of_the_corpus_predict_themselves() {
    let names = ["gemm", "cholesky", "lu", "durbin", "trisolv", "jacobi_2d", "floyd_warshall", "correlation"];
    let exact =
        names.iter().filter(|name| agrees(&["-O1"], &corpus(&format!("loops/kernels/{name}.c")), &[]));
    let exact: Vec<_> = exact.collect();
    assert!(exact.contains(&&"gemm") && exact.len() >= 4, "{exact:?}");
}

#[test]
fn fortran_predicts_itself() {
    agrees(&["-O1"], &corpus("fortran/heat.f90"), &["20"]);
}

const NEST: &str = "#include <stdio.h>\n#include <stdlib.h>\nvolatile int sink;\nint main(int argc, char **argv) {\n  int n = \
                    atoi(argv[1]);\n  long sum = 0;\n  for (int i = 0; i < n; i++)\n    for (int j = i; j < n; j++) { sink = j; \
                    sum += sink; }\n  printf(\"%ld\\n\", sum);\n  return 0;\n}\n";

/// One program, many inputs: no iteration, one, many.
#[test]
fn inputs_of_the_run_decide_the_number() {
    let work = workplace();
    let source = work.write("nest.c", NEST);
    emit(&work, &["-O1"], &[&source]);
    for n in ["0", "-5", "1", "2", "317"] {
        let own = run(&work, &[n]);
        let (total, printed) = counted(&work, &["-O1"], &source, &[n]);
        assert_eq!(own.run.stdout, printed);
        assert!(own.is_exact(), "{n}: {}", own.text);
        assert_eq!(own.total(), total, "{n}: {}", own.text);
        assert_eq!(predicted(&work, &["-O1"], &source, &[n]), (Some(total), false), "{n}");
    }
}

/// The guard keeps the division away; neither program nor prediction divides.
#[test]
fn a_divisor_that_is_zero_behind_a_guard_traps_nothing() {
    let work = workplace();
    let text = "#include <stdlib.h>\nvolatile int sink;\nint main(int argc, char **argv) {\n  int n = atoi(argv[1]), step = \
                atoi(argv[2]);\n  if (step > 0)\n    for (int i = 0; i < n / step; i++) sink = i;\n  for (int i = 0; i < n; i += \
                step ? step : 1) sink = i;\n  return 0;\n}\n";
    let source = work.write("guard.c", text);
    emit(&work, &["-O1"], &[&source]);
    for words in [["100", "0"], ["100", "7"], ["0", "0"], ["-3", "2"]] {
        let own = run(&work, &words);
        assert_eq!(own.run.status, 0, "{}", own.run.all());
        let (total, _) = counted(&work, &["-O1"], &source, &words);
        assert!(!own.is_exact() || own.total() == total, "{words:?} {total}\n{}", own.text);
    }
}

/// The loops would run for centuries; the program ends in the first iteration and has predicted them all.
#[test]
fn what_was_predicted_at_entries_counts_even_if_the_program_ends_and_beyond_64_bits() {
    let work = workplace();
    let text = "#include <stdlib.h>\n#include <stdio.h>\nvolatile long sink;\n__attribute__((noinline)) void work(unsigned long \
                n, int last) {\n  for (unsigned long i = 0; i < n; i++) {\n    sink = i; sink = i; sink = i; sink = i;\n    if \
                (sink == last) { puts(\"out\"); exit(0); }\n  }\n}\nint main(int argc, char **argv) {\n  work(strtoul(argv[1], 0, \
                10), atoi(argv[2]));\n  puts(\"end\");\n  return 0;\n}\n";
    let source = work.write("long.c", text);
    emit(&work, &["-O1"], &[&source]);
    let own = run(&work, &["18446744073709551615", "0"]);
    assert_eq!((own.run.status, &*own.run.stdout), (0, "out\n"));
    assert!(own.total() > u128::from(u64::MAX) * 4, "{}", own.text);
    assert_eq!((own.is_exact(), own.word("more_than_128_bits ")), (false, "no"));
    assert_eq!(own.word("may_end_early "), "yes");
    assert_eq!(run(&work, &["10", "-1"]).run.stdout, "end\n");
}

#[test]
fn recursion_and_calls_add_up_by_themselves() {
    let work = workplace();
    let text = "#include <stdio.h>\nvolatile int sink;\n__attribute__((noinline)) int down(int n) {\n  for (int i = 0; i < n; \
                i++) sink = i;\n  return n > 0 ? down(n - 1) + down(n - 2) : 1;\n}\nint main(void) { printf(\"%d\\n\", down(12)); \
                return 0; }\n";
    let source = work.write("down.c", text);
    emit(&work, &["-O1"], &[&source]);
    let own = run(&work, &[]);
    let (total, printed) = counted(&work, &["-O1"], &source, &[]);
    assert_eq!((own.is_exact(), own.total(), &*own.run.stdout), (true, total, &*printed), "{}", own.text);
    let functions: u128 = own
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("function ")?.split(' ').next()?.parse::<u128>().ok())
        .sum();
    assert_eq!(functions, total, "{}", own.text);
}

/// A search ends when the data say so: an estimate, and it says so.
#[test]
fn a_loop_without_a_formula_is_an_estimate() {
    let work = workplace();
    let text = "volatile int data[100];\nint main(void) {\n  int i = 0;\n  data[40] = 1;\n  while (!data[i]) i++;\n  return i == \
                40 ? 0 : 1;\n}\n";
    let source = work.write("search.c", text);
    emit(&work, &["-O1"], &[&source]);
    let own = run(&work, &[]);
    assert_eq!((own.run.status, own.is_exact()), (0, false), "{}", own.text);
    assert_ne!(own.word("from_static_probabilities "), "0");
    let said = Said::of(&mut work.program(work.path("own")));
    said.tells(&["instructions predicted (an estimate"]);
}

#[test]
fn bitcode_is_whole() {
    let work = workplace();
    let source = work.write("nest.c", NEST);
    emit(&work, &["-O1"], &[&source]);
    let exe = run(&work, &["50"]);
    work.opcost(&["predict", "--emit", "bc", "-o", "own.bc", "-O1", &source]).expect(0);
    work.tool("clang-22", &["own.bc", "-o", "own"]).expect(0);
    let own = run(&work, &["50"]);
    assert_eq!((own.total(), own.is_exact()), (exe.total(), true), "{}", own.text);
}

#[test]
fn flags_that_mean_nothing_with_emit_are_refused() {
    let work = workplace();
    let source = work.write("nest.c", NEST);
    for flags in [&["--set", "n=3"][..], &["--guess"], &["--json", "-"], &["--defaults"]] {
        let all: Vec<&str> = ["predict", "--emit", "exe", "-o", "own", &source]
            .into_iter()
            .chain(flags.iter().copied())
            .collect();
        work.opcost(&all).expect(2).tells(&["cannot be used with"]);
    }
    work.opcost(&["predict", "--emit", "exe", &source]).expect(2).tells(&["--output"]);
    work.opcost(&["predict", "--emit", "bc", "-o", "own.bc", &source, &work.write("other.c", "int x;\n")])
        .expect(2)
        .tells(&["one input"]);
}
