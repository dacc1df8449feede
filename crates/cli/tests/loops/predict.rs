//! Is what is predicted what a run counts, and is what cannot be predicted said?

use opcost_testkit::command::{Workplace, holds_to_schema};
use serde_json::Value;

use super::workplace;

/// A triangle of calls over two files; the size is an argument.
const MAIN: &str = "#include <stdio.h>\n#include <stdlib.h>\nlong rows(int n);\nint main(int argc, char **argv) {\n  \
                    int n = argc > 1 ? atoi(argv[1]) : 100;\n  printf(\"%ld\\n\", rows(n));\n  return 0;\n}\n";
const ROWS: &str = "volatile int sink;\nlong rows(int n) {\n  long sum = 0;\n  for (int i = 0; i < n; i++)\n    for \
                    (int j = i; j < n; j++) {\n      sink = j;\n      sum += sink;\n    }\n  return sum;\n}\n";

fn two_files(work: &Workplace) -> [String; 2] {
    [work.write("main.c", MAIN), work.write("rows.c", ROWS)]
}

/// The document of a prediction.
fn predicted(work: &Workplace, arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["predict", "--json", "-"].into_iter().chain(arguments.iter().copied()).collect();
    let document = work.opcost(&all).expect(0).json();
    holds_to_schema(&document);
    document
}

#[test]
fn a_program_of_two_files_is_predicted_as_it_runs() {
    let work = workplace();
    let [main, rows] = two_files(&work);
    work.opcost(&["count", "-O1", "--ledger", "run.opc", &main, &rows, "--", "317"]).expect(0);
    let document = predicted(&work, &["-O1", "--against", "run.opc", &main, &rows, "--", "317"]);
    let against = &document["against"];
    assert_eq!(against["within_1_percent"], 1.0, "{against}");
    assert_eq!(against["mean_error"], 0.0, "{against}");
    assert!(against["llvm"]["within_1_percent"].as_f64().unwrap() < 0.5, "{against}");
    assert_eq!(against["overlap"]["program_block"], 1.0, "{against}");
    let inner =
        document["blocks"].as_array().unwrap().iter().find(|block| block["executions"] == 317 * 318 / 2);
    let inner = inner.expect("the inner loop runs n(n+1)/2 times");
    assert_eq!((&inner["class"], &inner["exact"]), (&"loop_formula".into(), &true.into()));
    let shares: f64 =
        document["classes"].as_object().unwrap().values().map(|share| share.as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    // All that it executes is what was counted.
    let counted = work.opcost(&["count", "-O1", "--json", "-", &main, &rows, "--", "317"]).expect(0).json();
    assert_eq!(document["total"], counted["total"], "{}", counted["total"]);
}

/// Formulas name what C reads from a word, and the parameter of `main` as the source calls it.
#[test]
fn words_of_the_command_line_have_the_values_that_programs_read() {
    let work = workplace();
    for reader in ["atoi(w[1])", "strtol(w[1], 0, 10)", "strtoul(w[1], 0, 10)"] {
        let text = format!(
            "#include <stdlib.h>\nvolatile int sink;\nint main(int words, char **w) {{\n  int n = {reader};\n  \
             for (int i = 0; i < n; i++) sink = i;\n  for (int i = 0; i < words; i++) sink = n;\n  return 0;\n}}\n"
        );
        let source = work.write("word.c", text);
        // A negative word has another value for unsigned readers, so it is no input there.
        let words: &[&str] = if reader.starts_with("strtoul") { &["25"] } else { &["25", "-4"] };
        for word in words {
            work.opcost(&["count", "-O2", "--ledger", "word.opc", &source, "--", word]).expect(0);
            let document = predicted(&work, &["-O2", "--against", "word.opc", &source, "--", word]);
            assert_eq!(document["against"]["within_1_percent"], 1.0, "{reader} {word}");
        }
    }
}

/// What leaves the program in an iteration, or returns twice, makes all that comes after it a guess.
/// A vector loop's rest is not entered where the size is a multiple of the vector. Its count wraps then, and is no
/// count, though nothing decides the guard: two sizes are possible.
#[test]
fn the_count_of_a_loop_that_no_size_enters_is_not_believed() {
    let work = workplace();
    let text = "program p
  implicit none
  integer :: n, i
  real(8), allocatable :: a(:)
  character(len=32) :: w
  n = 100
  if (command_argument_count() >= 1) then
    call get_command_argument(1, w)
    read (w, *) n
  end if
  allocate(a(n))
  a = 1
  do i = 2, n - 1
    a(i) = a(i - 1) + a(i + 1)
  end do
  print *, a(n / 2)
end program p
";
    let source = work.write("rest.f90", text);
    let document = predicted(&work, &["-O2", "--guess", "--set", "n=1000", &source]);
    let most = document["blocks"].as_array().unwrap().iter().filter_map(|one| one["executions"].as_f64());
    assert!(most.clone().all(|executions| executions < 1e6), "{:?}", most.collect::<Vec<f64>>());
}

/// The usual way to read a size in Fortran; hostile variants of it are no numbers.
#[test]
fn fortran_reads_its_sizes_from_the_command_line() {
    let work = workplace();
    let program = |length: &str, between: &str, items: &str| {
        format!(
            "program p
  implicit none
  integer :: n, m, i, a(64)
  character(len={length}) :: text
  n = 6
  m = 1
  a = 0
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    {between}
    read (text, *) {items}
  end if
  do i = 1, n
    a(mod(i * m, 64) + 1) = a(mod(i, 64) + 1) + i
  end do
  print *, a
end program p
"
        )
    };
    let cases = [
        ("usual.f90", program("16", "", "n"), "1000", true),
        ("usual.f90", program("16", "", "n"), "-3", true),
        ("long.f90", program("300", "", "n"), "77", true),
        ("changed.f90", program("300", "text(2:2) = '9'", "n"), "1000", false),
        ("late.f90", program("300", "text(290:290) = '9'", "n"), "1000", false),
        ("short.f90", program("2", "", "n"), "1000", false),
        ("zeros.f90", program("16", "", "n"), "00000000000000001000", false),
    ];
    for (name, text, word, is_exact) in cases {
        let source = work.write(name, &text);
        for level in ["-O1", "-O2"] {
            work.opcost(&["count", level, "--ledger", "run.opc", &source, "--", word]).expect(0);
            let document = predicted(&work, &["--guess", level, "--against", "run.opc", &source, "--", word]);
            let against = &document["against"]["within_1_percent"];
            let exact = document["blocks"].as_array().unwrap().iter().all(|one| one["exact"] == true);
            assert_eq!(exact, is_exact, "{name} {level} {word}: {document}");
            if is_exact {
                assert_eq!(*against, 1.0, "{name} {level} {word}: {document}");
            }
        }
    }
    // The second item is not in the text: the program ends there, so nothing is said of what follows.
    let source = work.write("two.f90", program("16", "", "n, m"));
    let document = predicted(&work, &["--guess", "-O1", &source, "--", "20"]);
    assert!(document["blocks"].as_array().unwrap().iter().any(|one| one["exact"] == false), "{document}");
}

/// `--defaults` says that there is no file; it does not say what a program reads from its own arguments.
#[test]
fn a_read_from_an_argument_does_not_fail_because_there_is_no_file() {
    let work = workplace();
    let c = "#include <stdio.h>
int a[64];
int main(int argc, char **argv) {
  int n = 6;
  if (argc > 1) sscanf(argv[1], \"%d\", &n);
  for (int i = 0; i < n; i++) a[i & 63] += i;
  return a[3] & 1;
}
";
    let fortran = "program p
  implicit none
  integer :: n, i, a(64)
  character(len=16) :: text
  n = 6
  a = 0
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) n
  end if
  do i = 1, n
    a(mod(i, 64) + 1) = a(mod(i, 64) + 1) + i
  end do
  print *, a(3)
end program p
";
    for (name, text) in [("text.c", c), ("text.f90", fortran)] {
        let source = work.write(name, text);
        for level in ["-O0", "-O1"] {
            // What is called exact is what a run counts.
            let said = work.opcost(&["predict", "--defaults", level, "--json", "-", &source, "--", "9"]);
            let document = said.expect(0).json();
            let blocks = document["blocks"].as_array().unwrap();
            let is_exact = blocks.iter().all(|one| one["exact"] == true && !one["executions"].is_null());
            assert!(name == "text.f90" || !is_exact, "{name} {level}: {document}");
            if is_exact {
                let counted =
                    work.opcost(&["count", level, "--json", "-", &source, "--", "9"]).expect(0).json();
                assert_eq!(document["total"], counted["total"], "{name} {level}");
            }
        }
    }
}

#[test]
fn nothing_is_exact_where_the_program_may_end_early() {
    let work = workplace();
    let head =
        "#include <setjmp.h>\n#include <stdlib.h>\n#include <unistd.h>\nvolatile int sink; jmp_buf b;\n";
    let early = [
        "__attribute__((noinline)) void leaf(int i) { sink = i; if (i == 7) exit(0); }\nint main(void) { for (int i = 0; \
         i < 100; i++) leaf(i); return 0; }\n",
        "__attribute__((noinline)) void leaf(int i) { sink = i; if (i == 3) longjmp(b, 1); }\nint main(void) { if \
         (setjmp(b)) return 0; for (int i = 0; i < 100; i++) leaf(i); return 0; }\n",
        "int main(void) { fork(); for (int i = 0; i < 13; i++) sink = i; return 0; }\n",
        "int main(void) { for (int i = 0; i < 13; i++) if (sink) abort(); return 0; }\n",
    ];
    for body in early {
        let source = work.write("early.c", format!("{head}{body}"));
        let document = predicted(&work, &["-O1", &source]);
        assert!(document["ends_early"].as_str().is_some_and(|at| at.starts_with("early.c:")), "{document}");
        let blocks = document["blocks"].as_array().unwrap();
        assert!(blocks.iter().all(|block| block["exact"] == false), "{document}");
        let text = work.opcost(&["predict", "-O1", &source]).expect(0).stdout;
        assert!(text.contains("no number is exact"), "{text}");
    }
    // The last thing that main does cuts nothing off, nor what is never reached.
    let whole =
        "int main(void) { for (int i = 0; i < 13; i++) sink = i; if (sizeof(int) == 1) abort(); exit(0); }\n";
    let source = work.write("whole.c", format!("{head}{whole}"));
    let document = predicted(&work, &["-O1", &source]);
    assert_eq!(document["ends_early"], Value::Null, "{document}");
    assert!(document["blocks"].as_array().unwrap().iter().all(|block| block["exact"] == true), "{document}");
}

#[test]
fn a_predicted_ledger_goes_where_counted_ones_go() {
    let work = workplace();
    let [main, rows] = two_files(&work);
    work.opcost(&["predict", "-O1", "--ledger", "said.opc", &main, &rows, "--", "50"]).expect(0);
    work.opcost(&["count", "-O1", "--ledger", "run.opc", &main, &rows, "--", "50"]).expect(0);
    assert!(work.opcost(&["report", "said.opc"]).expect(0).all().contains("rows"));
    work.opcost(&["diff", "run.opc", "said.opc"]).expect(0);
    let overlap = work.opcost(&["overlap", "said.opc", "run.opc"]).expect(0).stdout;
    assert!(overlap.contains("100.0 %"), "{overlap}");
}

#[test]
fn inputs_without_values_are_listed_and_no_counts_are_made_of_them() {
    let work = workplace();
    let [main, rows] = two_files(&work);
    let document = predicted(&work, &["-O1", &main, &rows]);
    assert_eq!(document["total"], Value::Null);
    let inputs = document["inputs"].as_array().unwrap();
    assert!(inputs.iter().any(|input| input["flag"].as_str().unwrap().starts_with("--set '")), "{inputs:?}");
    let open: Vec<&Value> =
        document["blocks"].as_array().unwrap().iter().filter(|block| block["executions"].is_null()).collect();
    assert!(open.iter().any(|block| block["formula"].is_string()), "{open:?}");
    work.opcost(&["count", "-O1", "--ledger", "run.opc", &main, &rows]).expect(0);
    for wanted in [["--against", "run.opc"], ["--ledger", "said.opc"]] {
        let said = work.opcost(&["predict", "-O1", wanted[0], wanted[1], &main, &rows]).expect(2);
        for word in [wanted[0], "--set", "--guess"] {
            assert!(said.stderr.contains(word), "{}", said.stderr);
        }
    }
    assert!(!work.path("said.opc").exists());
    let guessed = predicted(&work, &["-O1", "--guess", "--against", "run.opc", &main, &rows]);
    assert!(guessed["classes"]["static_loop"].as_f64().unwrap() > 0.0, "{}", guessed["classes"]);
    let said = work.opcost(&["predict", "-O1", "--set", "nowhere=1", &main, &rows]).expect(2);
    assert!(said.stderr.contains("'nowhere'"), "{}", said.stderr);
}

#[test]
fn a_ledger_of_another_build_is_refused() {
    let work = workplace();
    let [main, rows] = two_files(&work);
    work.opcost(&["count", "-O0", "--ledger", "run.opc", &main, &rows]).expect(0);
    let arguments = ["predict", "-O1", "--against", "run.opc", &main, &rows, "--", "5"];
    let said = work.opcost(&arguments).expect(2);
    assert!(said.stderr.contains("another build") && said.stderr.contains("run.opc"), "{}", said.stderr);
    let other = work.write("other.c", "int main(void) { return 0; }\n");
    work.opcost(&["count", "--ledger", "other.opc", &other]).expect(0);
    let arguments = ["predict", "-O1", "--against", "other.opc", &main, &rows, "--", "5"];
    assert!(work.opcost(&arguments).expect(2).stderr.contains("another build"));
    let said = work.opcost(&["predict", "--against", "none.opc", &other]).expect(1);
    assert!(said.stderr.contains("none.opc"), "{}", said.stderr);
}

/// Recursion and a call through a pointer.
const MARKED: &str = "volatile int sink;\n__attribute__((noinline)) int down(int n) { sink = n; return n < 1 ? 0 : 1 + \
                      down(n - 1) + down(n - 2); }\n__attribute__((noinline)) void called(void) { sink = 1; }\nvoid \
                      (*volatile target)(void) = called;\nint main(void) { for (int i = 0; i < 10; i++) target(); \
                      return down(5) == 7; }\n";

#[test]
fn recursion_and_calls_through_pointers_are_marked_with_their_reason() {
    let work = workplace();
    let source = work.write("marked.c", MARKED);
    let document = predicted(&work, &["-O1", &source]);
    let function = |name: &str| {
        let all = document["functions"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap_or_else(|| panic!("{name}")).clone()
    };
    for (name, word) in [("down", "recursion"), ("called", "pointers")] {
        let one = function(name);
        assert_eq!(one["class"], "unknown", "{one}");
        assert!(one["reason"].as_str().unwrap().contains(word), "{one}");
    }
    assert_eq!(function("main")["class"], "static_block");
    let text = work.opcost(&["predict", "-O1", &source]).expect(0).stdout;
    assert!(["unknown: ", "recursion", "pointers"].iter().all(|word| text.contains(word)), "{text}");
}

/// More executions than 64 bits hold.
const HUGE: &str = "volatile int sink;\nint main(void) {\n  for (unsigned long i = 0; i < 1ul << 60; i++)\n    for \
                    (unsigned long j = 0; j < 1ul << 60; j++) sink = 1;\n  return 0;\n}\n";

#[test]
fn numbers_of_more_than_64_bits_are_whole_and_no_ledger_holds_them() {
    let work = workplace();
    let source = work.write("huge.c", HUGE);
    let document = predicted(&work, &["-O1", &source]);
    let digits = (1u128 << 120).to_string();
    let blocks = document["blocks"].as_array().unwrap();
    assert!(blocks.iter().any(|block| block["executions"] == digits.as_str()), "{blocks:?}");
    let said = work.opcost(&["predict", "-O1", "--ledger", "huge.opc", &source]).expect(1);
    assert!(said.stderr.contains("64 bits"), "{}", said.stderr);
    work.opcost(&["predict", "-O1", &source]).expect(0);
}

#[test]
fn lines_fit_a_terminal_of_80_columns() {
    let work = workplace();
    let [main, rows] = two_files(&work);
    for arguments in [vec!["--", "50"], vec![]] {
        let all: Vec<&str> = ["predict", "-O1", &main, &rows].into_iter().chain(arguments).collect();
        let output = work.command(&all).env("COLUMNS", "80").output().expect("it runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        for line in text.lines().filter(|line| !line.starts_with("next: ") && !line.contains(" world")) {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
