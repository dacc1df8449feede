//! Can ledgers be averaged, subtracted, reduced and listed, and are paths
//! counted that edges cannot tell?
//!
//! The referee of paths is the same program counted without them: edges and
//! blocks must be equal to the digit.

use serde_json::Value;

use crate::workplace::{headline, workplace};
use opcost_testkit::command::Workplace;

/// `both` has four ways through, of which two are taken; edges alone look the
/// same when all four are. Loops, calls, an `exit` and a `longjmp` besides.
const PATHS: &str = r"
#include <setjmp.h>
#include <stdlib.h>
volatile unsigned char first[4] = {1, 1, 0, 0}, second[4] = {1, 1, 0, 0};
volatile int sum;
jmp_buf back;
int both(int i) {
    int result = 0;
    if (first[i % 4]) result += 3; else result -= 5;
    if (second[i % 4]) result *= 7; else result ^= 9;
    return result;
}
void thrower(int i) { if (i == 3) longjmp(back, 1); sum += i; }
void middle(int i) { if (i > 1) sum += 2; thrower(i); sum++; }
void jumper(void) {
    if (setjmp(back)) return;
    for (int i = 0; i < 9; i++) middle(i);
}
void leave(int code) { if (code) exit(0); sum++; }
int main(int argc, char **argv) {
    for (int i = 0; i < 12; i++) sum += both(i);
    jumper();
    leave(0);
    leave(argc);
    return 1;
}
";

fn rows(place: &Workplace, ledger: &str, kind: &str) -> Vec<Value> {
    place.opcost(&["report", ledger, "--list", kind, "--sort", "none", "--json", "list.json"]).expect(0);
    place.json("list.json")["rows"].as_array().unwrap().clone()
}

/// Counts of a function's paths by the blocks along them.
fn paths(place: &Workplace, ledger: &str, function: &str) -> Vec<(String, u64)> {
    let of = rows(place, ledger, "paths").into_iter().filter(|row| row["function"] == function);
    let mut found: Vec<_> =
        of.map(|row| (row["what"].as_str().unwrap().to_owned(), row["count"].as_u64().unwrap())).collect();
    found.sort();
    found
}

#[test]
fn paths_tell_what_edges_cannot_and_add_up_to_them() {
    let place = workplace();
    place.write("p.c", PATHS);
    place.opcost(&["count", "-O0", "--paths", "--ledger", "paths.opc", "p.c"]).expect(0);
    place.opcost(&["count", "-O0", "--ledger", "edges.opc", "p.c"]).expect(0);
    for kind in ["edges", "blocks", "functions", "lines"] {
        assert_eq!(rows(&place, "paths.opc", kind), rows(&place, "edges.opc", kind), "{kind}");
    }
    let both = paths(&place, "paths.opc", "both");
    assert_eq!(both.len(), 2, "two of four paths are taken: {both:?}");
    assert!(both.iter().all(|(_, count)| *count == 6), "{both:?}");
    // Three of four activations of `middle` came to their end, by two ways.
    let middle: u64 = paths(&place, "paths.opc", "middle").iter().map(|(_, count)| count).sum();
    assert_eq!(middle, 3);
    // The call of `exit` ends a path; `main`, which it leaves, has no end.
    let leave = paths(&place, "paths.opc", "leave");
    assert_eq!(leave.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 1], "{leave:?}");
    let main = paths(&place, "paths.opc", "main");
    assert!(main.iter().all(|(what, _)| what.ends_with('…')), "only the loop's paths ended: {main:?}");
    assert!(paths(&place, "paths.opc", "jumper").is_empty());
    let said = place.opcost(&["count", "-O0", "--paths", "--list", "paths", "p.c"]).expect(0);
    said.expect_stderr(&["both path", "setjmp", "p.c:"]);
    assert!(rows(&place, "edges.opc", "paths").is_empty());
}

#[test]
fn a_killed_program_keeps_its_finished_paths_as_bounds() {
    let place = workplace();
    let killed = PATHS.replace("if (code) exit(0);", "if (code) __builtin_trap();");
    place.write("p.c", killed);
    place.opcost(&["count", "-O0", "--paths", "--ledger", "k.opc", "p.c"]).expect(4);
    let rows = rows(&place, "k.opc", "paths");
    let both: Vec<_> = rows.iter().filter(|row| row["function"] == "both").collect();
    assert_eq!(both.len(), 2);
    assert!(both.iter().all(|row| row["count"] == 6 && row["quality"] == "lower bound"), "{both:?}");
}

#[test]
fn ledgers_are_averaged_subtracted_and_reduced() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    for (ledger, turns) in [("1.opc", "10"), ("2.opc", "2000")] {
        place.opcost(&["count", "--ledger", ledger, "./a", "--", turns]).expect(0);
    }
    let merge = |arguments: &[&str]| place.opcost(&[&["merge", "-o", "made.opc"], arguments].concat());
    let total = |name: &str| headline(&place.opcost(&["report", name]).expect(0).stdout);
    let (one, two) = (total("1.opc"), total("2.opc"));
    merge(&["--average", "1.opc", "2.opc"]).expect(0).expect_stderr(&["the mean run"]);
    assert_eq!(total("made.opc"), (one + two).div_ceil(2));
    place.opcost(&["merge", "1.opc", "2.opc", "-o", "both.opc"]).expect(0);
    merge(&["--subtract", "both.opc", "1.opc"]).expect(0);
    assert_eq!(total("made.opc"), two);
    assert_eq!(rows(&place, "made.opc", "edges"), rows(&place, "2.opc", "edges"));
    merge(&["--subtract", "1.opc", "2.opc"]).expect(1).expect_stderr(&["of the program is", "opcost diff"]);
    merge(&["--subtract", "1.opc"]).expect(2).expect_stderr(&["two at least"]);
    merge(&["--to-blocks", "1.opc"]).expect(0);
    assert!(rows(&place, "made.opc", "edges").is_empty());
    assert_eq!(rows(&place, "made.opc", "blocks"), rows(&place, "1.opc", "blocks"));
}

#[test]
fn lists_are_sorted_and_instructions_need_the_program() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--emit", "exe", "-o", "a"]).expect(0);
    place.opcost(&["count", "--ledger", "a.opc", "./a", "--", "10"]).expect(0);
    let list = |arguments: &[&str]| place.opcost(&[&["report", "a.opc", "--list"], arguments].concat());
    let functions = list(&["functions"]).expect(0).stdout;
    assert!(functions.starts_with("3 functions, "), "{functions}");
    let at = |name: &str| functions.find(name).unwrap_or_else(|| panic!("{name} in {functions}"));
    assert!(at(" work") < at(" rest"), "the costliest first: {functions}");
    list(&["functions", "--sort", "name", "--json", "n.json"]).expect(0);
    let names: Vec<Value> =
        place.json("n.json")["rows"].as_array().unwrap().iter().map(|row| row["function"].clone()).collect();
    assert_eq!(names, ["main", "rest", "work"]);
    list(&["instructions"]).expect(2).expect_stderr(&["--program"]);
    list(&["instructions", "--program", "a", "--sort", "none", "--json", "i.json"]).expect(0);
    let document = place.json("i.json");
    let ran: u64 = document["rows"].as_array().unwrap().iter().filter_map(|row| row["count"].as_u64()).sum();
    // Phis weigh nothing, so more instructions ran than were paid for.
    assert!(u128::from(ran) >= headline(&place.opcost(&["report", "a.opc"]).expect(0).stdout));
    let shown = place.opcost(&["report", "a.opc", "--program", "a", "--ir"]).expect(0).stdout;
    assert!(shown.contains("by block in IR text") && shown.contains("ret i32"), "{shown}");
    let source = list(&["blocks"]).expect(0).stdout;
    assert!(source.contains("a.c:") && source.contains("sum ^= sum * 31 + i"), "{source}");
}
