//! What else goes, and is what is said of it true?
//!
//! Constant loops, statements that print, ends of the program, calls through pointers; loops that a user waives,
//! that arguments decide, or that are light. Numbers that are not run are held against those of a run.

use opcost_testkit::command::{ProgramOutput, corpus};
use serde_json::Value;

use super::slice::verified;
use super::workplace;

/// At the last level a loop that iterates equally often each time goes, and its numbers are right all the same:
/// those of the program are counted, those of the slice are computed.
#[test]
fn constant_loops_go_and_their_numbers_stay() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
static double total;
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 7; j++)
      for (int k = 0; k < 5; k++)
        total += j * k;
  printf(\"%g\\n\", total);
  return 0;
}
";
    let source = work.write("constant.c", text);
    for n in ["0", "1", "40"] {
        let document = verified(&work, &["-O1", "--level", "3", &source], &[n]);
        let loops = document["loops"].as_array().unwrap();
        let fates: Vec<&Value> = loops.iter().map(|one| &one["fate"]).collect();
        assert_eq!(fates, ["thinned", "constant", "constant"], "{document}");
        let times: u64 = n.parse().unwrap();
        assert_eq!(loops[2]["run"]["entries"], times * 7, "{document}");
        assert_eq!(loops[2]["run"]["slice_iterations"], times * 35, "{document}");
    }
    work.opcost(&["slice", "-O1", "--level", "3", "-o", "mini", &source]).expect(0);
    let said = ProgramOutput::of(
        work.program(work.path("mini")).arg("40").env("OPCOST_SLICE", work.path("trips.txt")),
    );
    assert_eq!(said.status, 0, "{said:?}");
    let trips = work.read("trips.txt");
    assert!(trips.lines().nth(2).is_some_and(|line| line.starts_with("280 1400 ")), "{trips}");
    work.opcost(&["slice", "-O1", "--level", "3", "-o", "mini.bc", &source]).expect(0);
    let text = work.tool("opt-22", &["-passes=print<loops>", "-disable-output", "mini.bc"]).stderr;
    assert_eq!(text.matches("Loop at depth").count(), 1, "{text}");
    let shown = work.opcost(&["slice", "-O1", "--level", "3", &source]).expect(0).stdout;
    assert!(shown.contains("its header runs 5 times for each entry, entered 7 times"), "{shown}");
}

/// The compiler merges the ends of two printing statements into one call. Nothing stays for the sake of it.
#[test]
fn printing_statements_with_one_end_go() {
    let work = workplace();
    let text = "program sums
  implicit none
  integer :: i, n
  double precision :: x
  read (*, *) n
  x = 1.0d0
  do i = 1, n
    x = x * 1.25d0 + i
  end do
  if (x > 100.0d0) then
    write (6, '(a)') 'large'
  else
    write (6, '(a)') 'small'
  end if
  read (*, *) n
  do i = 1, n
    x = x + 1.0d0
  end do
end program sums
";
    let both = work.write("both.f90", text);
    work.write("numbers", "9\n4\n");
    verified(&work, &["-O1", "--any-status", "--stdin", "numbers", &both], &[]);
    work.opcost(&["slice", "-O1", "--any-status", "-o", "both.bc", &both]).expect(0);
    let text = work.tool("llvm-dis-22", &["both.bc", "-o", "-"]).stdout;
    assert!(!text.contains("fmul") && !text.contains("ExternalFormattedOutput"), "{text}");
    assert!(text.contains("ExternalListInput"), "{text}");
}

/// A program that only decides at its end whether it was right computes nothing for that, with `--any-status`.
/// Where loops come after the decision, or around it, all of it stays.
#[test]
fn an_exit_that_nothing_follows_goes_with_what_decides_about_it() {
    let work = workplace();
    let text = |first: &str, within: &str, last: &str| {
        format!(
            "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {{
  int n = atoi(argv[1]);
  double x = 1.0;
  for (int i = 0; i < n; i++) {{
    x = x * 1.25 + i;
    {within}
  }}
  {first}
  for (int i = 0; i < n; i++)
    putchar('.');
  {last}
  return 0;
}}
"
        )
    };
    let wrong = "if (x > 1000.0) { puts(\"wrong\"); exit(3); }";
    let cases = [
        ("last.c", text("", "", wrong), false),
        ("first.c", text(wrong, "", ""), true),
        ("within.c", text("", wrong, ""), true),
    ];
    for (name, text, stays) in cases {
        let source = work.write(name, &text);
        for level in ["-O0", "-O1"] {
            for cut in ["1", "2", "3"] {
                for n in ["0", "4", "40"] {
                    verified(&work, &[level, "--level", cut, "--any-status", &source], &[n]);
                }
            }
            work.opcost(&["slice", level, "--any-status", "-o", "mini.bc", &source]).expect(0);
            let shown = work.tool("llvm-dis-22", &["mini.bc", "-o", "-"]).stdout;
            assert_eq!(shown.contains("fmul") || shown.contains("fmuladd"), stays, "{name} {level}: {shown}");
        }
    }
    let stop = "program sums
  implicit none
  integer :: i, n
  double precision :: x
  read (*, *) n
  x = 1.0d0
  do i = 1, n
    x = x * 1.25d0 + i
  end do
  if (x > 100.0d0) stop 1
end program sums
";
    let source = work.write("stop.f90", stop);
    work.write("numbers", "19\n");
    verified(&work, &["-O1", "--any-status", "--stdin", "numbers", &source], &[]);
    work.opcost(&["slice", "-O1", "--any-status", "-o", "stop.bc", &source]).expect(0);
    let shown = work.tool("llvm-dis-22", &["stop.bc", "-o", "-"]).stdout;
    // The program was inlined into `main`. Its other body is not reached, so nothing was cut there.
    let (_, main) = shown.split_once("define i32 @main(").expect("main");
    assert!(!main.contains("fmul") && !main.contains("call void @_FortranAStop"), "{shown}");
}

/// An endless loop that is waived is there all the same: a slice ends where its program ends, and not before.
#[test]
fn a_waived_loop_that_never_ends_is_no_reason_to_go_on_behind_it() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  double sum = 0;
  if (n == 77)
    for (;;) sum += 1;
  for (int i = 0; i < n; i++) sum += i;
  printf(\"%g\\n\", sum);
  return 0;
}
";
    let source = work.write("endless.c", text);
    for level in ["1", "2", "3"] {
        let document =
            verified(&work, &["-O1", "--level", level, "--bounded", "endless.c:7", &source], &["50"]);
        let fates: Vec<&Value> =
            document["loops"].as_array().unwrap().iter().map(|one| &one["fate"]).collect();
        assert!(fates.contains(&&Value::from("waived")), "{document}");
        work.opcost(&["slice", "-O1", "--level", level, "--bounded", "endless.c:7", "-o", "mini", &source])
            .expect(0);
        let said = work.shell("timeout 1 ./mini 77 || echo ended $?");
        assert_eq!(said.stdout, "ended 124\n", "{said:?}");
    }
}

#[test]
fn a_waived_loop_goes_and_a_chain_leads_to_the_loop() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  double x = 1;
  for (int i = 0; i < n; i++)
    x = x * 1.5 + i;
  while (x > 1e-3)
    x /= 2;
  printf(\"%g\\n\", x);
  return 0;
}
";
    let source = work.write("waive.c", text);
    let whole = verified(&work, &["-O1", &source], &["30"]);
    assert!(!whole["computed"].as_array().unwrap().is_empty(), "{whole}");
    let waived = verified(&work, &["-O1", "--bounded", "waive.c:8", &source], &["30"]);
    assert!(waived["computed"].as_array().unwrap().is_empty(), "{waived}");
    assert_eq!(waived["loops"][1]["fate"], "waived", "{waived}");
    let said = work.opcost(&["slice", "-O1", "--why", "waive.c:7", &source]).expect(0);
    for words in ["why it stays:", "waive.c:8", "it decides when the loop at"] {
        assert!(said.stdout.contains(words), "{}", said.stdout);
    }
    let line = work.opcost(&["slice", "-O1", "--criterion", "waive.c:9", "-o", "part.bc", &source]).expect(0);
    assert!(line.stdout.contains("decide the line"), "{}", line.stdout);
}

/// Sizes from an argument decide two loops, a search decides a third: only what the argument does not decide is run,
/// and the numbers of the others are those of the program.
#[test]
fn loops_that_arguments_decide_are_evaluated() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
double total;
static unsigned seed = 7;
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (int i = 0; i < n; i++)
    for (int j = i; j < 2 * n; j++)
      total += i * 0.5 + j;
  int steps = 0;
  for (unsigned x = n; x != 1 && steps < 1000; steps++) {
    seed = seed * 1103515245u + 12345u;
    x = x % 2 ? 3 * x + 1 : x / 2;
  }
  printf(\"%g %d %u\\n\", total, steps, seed);
  return 0;
}
";
    let source = work.write("sizes.c", text);
    for n in ["27", "60"] {
        let document = verified(&work, &["-O1", "--level", "4", &source], &[n]);
        let loops = document["loops"].as_array().expect("loops");
        let fates: Vec<&str> = loops.iter().map(|one| one["fate"].as_str().expect("a fate")).collect();
        assert_eq!(fates.iter().filter(|&&fate| fate == "evaluated").count(), 2, "{document}");
        let size: u64 = n.parse().unwrap();
        for one in loops.iter().filter(|one| one["fate"] == "evaluated") {
            assert_eq!(one["evaluated"]["entries"], one["run"]["entries"], "{document}");
            assert_eq!(one["evaluated"]["headers"], one["run"]["iterations"], "{document}");
            assert!(one["run"]["entries"] == 1 || one["run"]["entries"] == size, "{document}");
        }
    }
    // Without the argument nothing is known of the sizes: the loops stay.
    let said = work.opcost(&["slice", "-O1", "--level", "4", "--json", "-", &source]).expect(0).json();
    assert!(said["loops"].as_array().unwrap().iter().all(|one| one["fate"] != "evaluated"), "{said}");
    // The program itself reports what was evaluated.
    work.opcost(&["slice", "-O1", "--level", "4", "-o", "mini", &source, "--", "60"]).expect(0);
    ProgramOutput::of(work.program(work.path("mini")).arg("60").env("OPCOST_SLICE", work.path("trips.txt")));
    let trips = work.read("trips.txt");
    assert!(trips.starts_with("1 60 ") && trips.contains("\n60 5430 "), "{trips}");
}

/// A guard that nothing decides keeps its loop, and what another argument would do is noticed.
#[test]
fn a_loop_behind_an_open_guard_is_not_evaluated() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int n = atoi(argv[1]), c = getchar();
  if (c == 'x')
    for (int i = 0; i < n; i++) putchar('.');
  for (int i = 0; i < n; i++) putchar(c);
  return 0;
}
";
    let source = work.write("guard.c", text);
    for input in ["x", "y"] {
        let stdin = work.write("in.txt", input);
        let document = verified(&work, &["-O1", "--level", "4", "--stdin", &stdin, &source], &["9"]);
        let loops = document["loops"].as_array().unwrap();
        assert_ne!(loops[0]["fate"], "evaluated", "{document}");
        assert_eq!(loops[1]["fate"], "evaluated", "{document}");
    }
}

/// Programs of the corpus at level 4, where they have no arguments: numbers are those of a run.
#[test]
fn evaluated_loops_of_the_corpus_have_their_numbers() {
    for name in ["cholesky", "gemm", "lu", "trmm"] {
        let work = workplace();
        let source = format!("{}/{name}.c", corpus("loops/kernels"));
        let document = verified(&work, &["-O1", "--level", "4", &source], &[]);
        let loops = document["loops"].as_array().unwrap();
        let evaluated = loops.iter().filter(|one| one["fate"] == "evaluated").count();
        assert!(evaluated * 2 > loops.len(), "{name}: {document}");
    }
}

/// A light loop goes, and what is lost is said before the run and after it.
#[test]
fn light_loops_are_dropped_and_what_is_lost_is_said() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
double total, small;
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      total += i * 0.5 + j;
  for (int i = 0; i < n; i++)
    small += i;
  printf(\"%g %g\\n\", total, small);
  return 0;
}
";
    let source = work.write("light.c", text);
    let document = verified(&work, &["-O1", "--below", "0.1", &source], &["100"]);
    let loops = document["loops"].as_array().unwrap();
    let of = |fate: &str| loops.iter().filter(|one| one["fate"] == fate).count();
    assert_eq!((of("dropped"), loops.len(), document["level"].as_u64()), (1, 3, Some(5)), "{document}");
    for field in ["dropped_share", "dropped_share_of_run"] {
        let share = document[field].as_f64().expect("a share");
        assert!(share > 0.001 && share < 0.05, "{field}: {document}");
    }
    assert_eq!(document["loops_compared"], 2, "{document}");
    let dropped = loops.iter().find(|one| one["fate"] == "dropped").unwrap();
    assert_eq!((&dropped["run"]["equal"], &dropped["run"]["iterations"]), (&Value::Null, &100.into()));
    let said = work.opcost(&["slice", "-O1", "--below", "0.1", "--verify", &source, "--", "100"]).expect(0);
    for words in ["approximate: dropped loops are predicted", "in this run", ", 1 dropped"] {
        assert!(said.stdout.contains(words), "{}", said.stdout);
    }
    // A run says how often loops iterate of which no formula speaks.
    work.opcost(&["count", "-O1", "--ledger", "run.opc", &source, "--", "100"]).expect(0);
    let line = ["slice", "-O1", "--below", "0.1", "--trip-counts", "run.opc", "--json", "-", &source];
    let by_run = work.opcost(&line).expect(0).json();
    let fates = by_run["loops"].as_array().unwrap().iter().filter(|one| one["fate"] == "dropped").count();
    assert_eq!(fates, 1, "{by_run}");
    for wrong in [&["--below", "0"][..], &["--below", "2"], &["--level", "5"], &["--trip-counts", "run.opc"]]
    {
        work.opcost(&[&["slice"], wrong, &[&source]].concat()).expect(2);
    }
    work.opcost(&["slice", "--level", "4", "--criterion", "light.c:8", &source]).expect(2);
}

/// A call through a pointer goes at level 3 where all functions that it may call go, and stays where one of them has a
/// loop.
#[test]
fn a_call_through_a_pointer_goes_where_its_callees_do() {
    let work = workplace();
    let text = "#include <stdio.h>
#include <stdlib.h>
static double sum;
static int sink;
static void add(int n) { sum += n; }
static void take(int n) { sum -= n; }
static void often(int n) { for (int i = 0; i < n; i++) sink++; }
static void (*const quiet[2])(int) = {add, take};
static void (*const loud[2])(int) = {add, often};
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  for (int i = 0; i < n; i++) {
    quiet[i & 1](i);
    loud[i % 3 == 0](i);
  }
  printf(\"%g %d\\n\", sum, sink);
  return 0;
}
";
    let source = work.write("table.c", text);
    for n in ["0", "1", "20"] {
        let document = verified(&work, &["-O0", "--level", "3", &source], &[n]);
        let line = |number: u64| {
            let lines = document["lines"].as_array().unwrap();
            let line = lines.iter().find(|line| line["place"]["line"] == number);
            line.unwrap_or_else(|| panic!("{document}"))["kept"].as_u64().unwrap()
        };
        assert_eq!((line(13), line(5)), (0, 0), "{document}");
        assert!(line(14) > 3 && line(7) > 3, "{document}");
    }
}
