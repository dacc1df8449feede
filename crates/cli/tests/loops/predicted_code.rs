//! Does a program with its prediction in it add up what `opcost predict` says, and else do what it did?

use opcost_testkit::command::{ProgramOutput, Workplace, corpus};

use super::workplace;

/// What a program says of itself at its end.
#[derive(Debug)]
struct Own {
    text: String,
    run: ProgramOutput,
}

impl Own {
    fn word(&self, key: &str) -> &str {
        let line = self.text.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or_else(|| panic!("{key} is missing in:\n{}\n{}", self.text, self.run.all())).trim()
    }

    fn total(&self) -> u128 {
        self.word("predicted ").parse().expect("a number")
    }

    fn has_no_guess(&self) -> bool {
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
    let run = ProgramOutput::of(
        work.program(work.path("own")).args(words).env("OPCOST_PREDICTED", work.path("own.txt")),
    );
    Own { text: work.read("own.txt"), run }
}

/// Sources, and what the program is given.
#[derive(Clone, Copy, Default)]
struct Program<'a> {
    flags: &'a [&'a str],
    sources: &'a [&'a str],
    words: &'a [&'a str],
    /// A file of the corpus that it reads, in its folder.
    input: Option<&'a str>,
}

/// The total of a count, what the counted program printed, and its status.
fn counted(work: &Workplace, program: &Program<'_>) -> (u128, String, i64) {
    let all = ["count", "--json", "count.json", "--stdout", "count.out"];
    let all = all.iter().chain(program.flags).chain(program.sources).chain([&"--"]).chain(program.words);
    let said = work.opcost(&all.copied().collect::<Vec<_>>());
    let document = work.json("count.json");
    let total = document["total"].as_u64().unwrap_or_else(|| panic!("a total: {}", said.all()));
    (total.into(), work.read("count.out"), document["program_status"]["code"].as_i64().unwrap_or(0))
}

/// The total of `opcost predict`, and whether all of it is exact.
fn predicted(work: &Workplace, program: &Program<'_>) -> (Option<u128>, bool) {
    let all = ["predict", "--json", "-"];
    let mut all: Vec<&str> = all.iter().chain(program.flags).chain(program.sources).copied().collect();
    if !program.words.is_empty() {
        all.push("--");
        all.extend(program.words);
    }
    let document = work.opcost(&all).expect(0).json();
    let is_exact = document["blocks"].as_array().expect("blocks").iter().all(|block| block["exact"] == true);
    (document["total"].as_u64().map(u128::from), is_exact)
}

/// Where the tool says exact, the program says the same number; where no guess took part, it counts so. What the
/// program says.
#[track_caller]
fn agrees(program: &Program<'_>) -> Own {
    let work = workplace();
    emit(&work, program.flags, program.sources);
    agrees_once_made(&work, program)
}

#[track_caller]
fn agrees_once_made(work: &Workplace, program: &Program<'_>) -> Own {
    if let Some(input) = program.input {
        let name = input.rsplit('/').next().expect("a name");
        std::fs::copy(corpus(input), work.path(name)).expect("an input");
    }
    let own = run(work, program.words);
    let (total, printed, status) = counted(work, program);
    let what = format!("{:?} {:?}\n{}", program.sources, program.words, own.text);
    assert_eq!((&*own.run.stdout, i64::from(own.run.status)), (&*printed, status), "{what}");
    let (tool, is_tool_exact) = predicted(work, program);
    if own.has_no_guess() {
        assert_eq!(own.total(), total, "{what}");
    }
    if is_tool_exact && tool.is_some() {
        assert_eq!((Some(own.total()), Some(total)), (tool, tool), "the tool is exact: {what}");
        assert!(own.has_no_guess(), "the tool is exact: {what}");
    }
    own
}

#[test]
fn kernels_of_the_corpus_predict_themselves() {
    let names = ["gemm", "cholesky", "lu", "durbin", "trisolv", "jacobi_2d", "floyd_warshall", "correlation"];
    let has_no_guess = |name: &&&str| {
        let source = corpus(&format!("loops/kernels/{name}.c"));
        agrees(&Program { flags: &["-O1"], sources: &[&source], ..Program::default() }).has_no_guess()
    };
    let exact: Vec<_> = names.iter().filter(has_no_guess).collect();
    assert!(exact.contains(&&"gemm") && exact.len() >= 4, "{exact:?}");
}

/// No guess takes part: the numbers are those of counts, for each input.
#[track_caller]
fn is_exact_for(source: &str, inputs: &[&str]) {
    let work = workplace();
    let source = corpus(source);
    emit(&work, &["-O1"], &[&source]);
    for input in inputs {
        let program = Program { flags: &["-O1"], sources: &[&source], words: &[input], input: None };
        let own = agrees_once_made(&work, &program);
        assert!(own.has_no_guess(), "{input}: {}", own.text);
    }
}

#[test]
fn products_of_matrices_in_fortran_predict_themselves() {
    is_exact_for("fortran/matmul.f90", &["0", "1", "3", "17"]);
}

#[test]
fn a_plate_of_heat_in_fortran_predicts_itself() {
    is_exact_for("fortran/heat.f90", &["0", "1", "20"]);
}

/// Several modules: each predicts itself, and bounds are in memory that another one writes. A line of the input file
/// that is skipped character by character is a guess; all else of these programs follows from formulas.
#[test]
fn programs_whose_bounds_are_in_memory_predict_themselves() {
    let common = |extension: &str| {
        ["clock", "random", "report"].map(|name| {
            let folder = if extension == "c" { "c" } else { "fortran" };
            corpus(&format!("loops/{folder}/common/{name}.{extension}"))
        })
    };
    for (name, folder, extension) in [("adi", "c", "c"), ("penta", "c", "c"), ("penta", "fortran", "f")] {
        let work = workplace();
        let own = corpus(&format!("loops/{folder}/{name}.{extension}"));
        let common = common(extension);
        let sources: Vec<&str> = [&own].into_iter().chain(&common).map(String::as_str).collect();
        let input = format!("loops/inputs/input{name}.data");
        let program = Program { flags: &["-O1", "-lm"], sources: &sources, words: &[], input: Some(&input) };
        emit(&work, program.flags, program.sources);
        let own = agrees_once_made(&work, &program);
        let counted = work.json("count.json")["total"].as_u64().map_or(0, u128::from);
        assert!(
            own.total().abs_diff(counted) < counted / 100_000,
            "{name}.{extension} {counted} {}",
            own.text
        );
        assert_eq!(own.has_no_guess(), (name, extension) == ("penta", "c"), "{}", own.text);
    }
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
        let program = Program { flags: &["-O1"], sources: &[&source], words: &[n], input: None };
        let own = agrees_once_made(&work, &program);
        assert!(own.has_no_guess(), "{n}: {}", own.text);
        assert_eq!(predicted(&work, &program).0, Some(own.total()), "{n}");
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
        let own = agrees_once_made(
            &work,
            &Program { flags: &["-O1"], sources: &[&source], words: &words, input: None },
        );
        assert_eq!(own.run.status, 0, "{}", own.run.all());
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
    assert_eq!((own.has_no_guess(), own.word("more_than_128_bits ")), (false, "no"));
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
    let own =
        agrees_once_made(&work, &Program { flags: &["-O1"], sources: &[&source], ..Program::default() });
    let total = own.total();
    assert!(own.has_no_guess(), "{}", own.text);
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
    assert_eq!((own.run.status, own.has_no_guess()), (0, false), "{}", own.text);
    assert_ne!(own.word("from_static_probabilities "), "0");
    let said = ProgramOutput::of(&mut work.program(work.path("own")));
    said.expect_stderr(&["instructions predicted (an estimate"]);
}

/// Writes a source, and holds the program against a count.
fn small(name: &str, text: &str, flags: &[&str]) -> Own {
    let work = workplace();
    let source = work.write(name, text);
    emit(&work, flags, &[&source]);
    agrees_once_made(&work, &Program { flags, sources: &[&source], ..Program::default() })
}

/// The `ret` behind the end of a Fortran program, and the `unreachable` behind `exit`. Neither runs.
#[test]
fn what_stands_behind_the_end_of_the_program_is_not_predicted() {
    let fortran = "program h\n  implicit none\n  integer :: i\n  integer, volatile :: s\n  do i = 1, 10\n    s = i\n  end do\nend \
                   program\n";
    let c = "#include <stdlib.h>\nvolatile int s;\nint main(void) { for (int i = 0; i < 10; i++) s = i; exit(0); }\n";
    for flag in ["-O0", "-O1", "-O2"] {
        for (name, text) in [("hello.f90", fortran), ("ends.c", c)] {
            let work = workplace();
            let source = work.write(name, text);
            emit(&work, &[flag], &[&source]);
            let program = Program { flags: &[flag], sources: &[&source], ..Program::default() };
            let own = agrees_once_made(&work, &program);
            assert!(own.has_no_guess(), "{name} {flag} {}", own.text);
            let tool = predicted(&work, &program);
            assert_eq!(tool, (Some(own.total()), true), "{name} {flag}");
            let ledger = ["predict", "--ledger", "own.opc", flag, &source];
            work.opcost(&ledger).expect(0);
            let shown = work.opcost(&["report", "--json", "-", "own.opc"]).expect(0).json();
            assert_eq!(shown["total"].as_u64().map(u128::from), Some(own.total()), "{name} {flag}");
        }
    }
}

/// Subroutine `exit` ends the program, which its declaration does not say. What follows is still code.
#[test]
fn a_call_that_ends_the_program_in_the_middle_is_no_exact_prediction() {
    let text = "program h\n  implicit none\n  integer :: i\n  integer, volatile :: s\n  do i = 1, 10\n    s = i\n  end do\n  \
                call exit(0)\n  do i = 1, 1000\n    s = i\n  end do\nend program\n";
    for flag in ["-O0", "-O1"] {
        let work = workplace();
        let source = work.write("middle.f90", text);
        emit(&work, &[flag], &[&source]);
        let program = Program { flags: &[flag], sources: &[&source], ..Program::default() };
        let own = agrees_once_made(&work, &program);
        let (total, ..) = counted(&work, &program);
        assert!(!own.has_no_guess() || own.total() == total, "{flag}: {total} {}", own.text);
        assert!(!predicted(&work, &program).1 || own.total() == total, "{flag}: {total}");
    }
}

/// Frames are left in the middle of a loop that was charged whole.
#[test]
fn a_jump_out_of_a_charged_loop_is_stated() {
    let jump = "#include <setjmp.h>\n#include <stdio.h>\njmp_buf back;\nvolatile int s;\n__attribute__((noinline)) void \
                jump(int i) { if (i == s) longjmp(back, 1); }\nint main(void) {\n  s = 3;\n  if (setjmp(back)) { puts(\"out\"); return \
                0; }\n  for (int i = 0; i < 100; i++) jump(i);\n  return 1;\n}\n";
    let thrown = "#include <cstdio>\nvolatile int s = 3;\n__attribute__((noinline)) void jump(int i) { if (i == s) throw i; \
                  }\nint main() {\n  try { for (int i = 0; i < 100; i++) jump(i); }\n  catch (int i) { std::printf(\"%d\\n\", i); \
                  }\n  return 0;\n}\n";
    let library = "#include <cstdio>\n#include <stdexcept>\n#include <string>\nvolatile int s = 3;\nint main() {\n  std::string \
                   text(\"abc\");\n  try { for (int i = 0; i < 100; i++) s = text.at(i); }\n  catch (const std::exception &) { \
                   std::puts(\"out\"); }\n  return 0;\n}\n";
    for (name, text) in [("jump.c", jump), ("thrown.cpp", thrown), ("library.cpp", library)] {
        for flag in ["-O0", "-O1"] {
            let own = small(name, text, &[flag]);
            assert_eq!(
                (own.has_no_guess(), own.word("may_end_early ")),
                (false, "yes"),
                "{name}\n{}",
                own.text
            );
        }
    }
}

/// The system ends it: nothing is written, and the program ends as it did.
#[test]
fn a_program_that_aborts_writes_nothing() {
    let work = workplace();
    let text = "#include <stdlib.h>\nvolatile int s;\nint main(void) { for (int i = 0; i < 100; i++) { s = i; if (s == 3) abort(); \
                } return 0; }\n";
    let source = work.write("abort.c", text);
    emit(&work, &["-O1"], &[&source]);
    let run = ProgramOutput::of(work.program(work.path("own")).env("OPCOST_PREDICTED", work.path("own.txt")));
    assert_ne!(run.status, 0);
    assert!(!work.path("own.txt").exists() && !run.stderr.contains("predicted"), "{}", run.all());
}

/// Threads add to the same sums. One that is not through when the program ends was charged whole.
#[test]
fn threads_add_up_and_are_stated() {
    let text = "#include <pthread.h>\nvolatile int sinks[4];\nvoid *work(void *n) {\n  volatile int *s = n;\n  for (int i = 0; i < \
                1000; i++) *s = i;\n  return 0;\n}\nint main(void) {\n  pthread_t all[4];\n  for (int i = 0; i < 4; i++) \
                pthread_create(&all[i], 0, work, (void *)&sinks[i]);\n  for (int i = 0; i < 4; i++) pthread_join(all[i], 0);\n  return \
                0;\n}\n";
    let work = workplace();
    let source = work.write("threads.c", text);
    emit(&work, &["-O1"], &[&source]);
    let program = Program { flags: &["-O1"], sources: &[&source], ..Program::default() };
    let own = agrees_once_made(&work, &program);
    let counted = work.json("count.json")["total"].as_u64().map(u128::from);
    assert_eq!((own.has_no_guess(), Some(own.total())), (false, counted), "{}", own.text);
}

/// The parent alone writes, and says that code ran twice.
#[test]
fn a_child_of_fork_writes_nothing() {
    let text = "#include <stdio.h>\n#include <sys/wait.h>\n#include <unistd.h>\nvolatile int s;\nint main(void) {\n  pid_t child = \
                fork();\n  for (int i = 0; i < 50; i++) s = i;\n  if (!child) return 0;\n  waitpid(child, 0, 0);\n  return \
                0;\n}\n";
    let work = workplace();
    let source = work.write("fork.c", text);
    emit(&work, &["-O1"], &[&source]);
    let own = run(&work, &[]);
    assert_eq!((own.text.matches("predicted ").count(), own.has_no_guess()), (1, false), "{}", own.text);
}

/// The bound is in the other module.
#[test]
fn two_inputs_are_one_prediction() {
    let work = workplace();
    let main = work.write(
        "main.c",
        "extern int size;\nlong work(int n);\nint main(int argc, char **argv) { size = argc + 6; return work(size) == 42 ? 1 : 0; \
         }\n",
    );
    let other = work.write(
        "other.c",
        "int size;\nvolatile long s;\nlong work(int n) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) s = j; return s; \
         }\n",
    );
    emit(&work, &["-O1"], &[&main, &other]);
    for words in [&[][..], &["a"], &["a", "b", "c"]] {
        let program = Program { flags: &["-O1"], sources: &[&main, &other], words, input: None };
        let own = agrees_once_made(&work, &program);
        assert!(own.has_no_guess(), "{words:?} {}", own.text);
        assert!(own.text.contains(" main\n") && own.text.contains(" work\n"), "{}", own.text);
    }
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
    assert_eq!((own.total(), own.has_no_guess()), (exe.total(), true), "{}", own.text);
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
        work.opcost(&all).expect(2).expect_stderr(&["cannot be used with"]);
    }
    work.opcost(&["predict", "--emit", "exe", &source]).expect(2).expect_stderr(&["--output"]);
    work.opcost(&["predict", "--emit", "bc", "-o", "own.bc", &source, &work.write("other.c", "int x;\n")])
        .expect(2)
        .expect_stderr(&["one input"]);
}
