//! More work, less work, or the same work with different code?

use opcost_testkit::command::{Said, Workplace};

use crate::workplace::workplace;

/// `before.opc` and `after.opc`, with one change in `a.c` and one of flags.
fn two(from: &str, to: &str, flags: &[&str]) -> Workplace {
    let place = workplace();
    place.opcost(&["count", "a.c", "--ledger", "before.opc"]).expect(0);
    let text = place.read("a.c");
    assert!(text.contains(from));
    place.write("a.c", text.replacen(from, to, 1));
    place.opcost(&[&["count", "a.c", "--ledger", "after.opc"], flags].concat()).expect(0);
    place
}

fn diff(place: &Workplace, flags: &[&str]) -> Said {
    place.opcost(&[&["diff", "before.opc", "after.opc"], flags].concat())
}

#[test]
fn more_work_fails_when_asked() {
    let place = two("sum ^= sum * 31 + i", "sum ^= (sum * 31 + i) % 7", &[]);
    let said = diff(&place, &[]).expect(0);
    assert!(
        said.stdout.contains("more work: 1\n") && said.stdout.contains("  work  a.c:4"),
        "{}",
        said.stdout
    );
    assert!(said.stdout.contains("lines: ") && said.stdout.contains("a.c:7"), "{}", said.stdout);
    for when in ["more-work", "more-work-anywhere", "any-change"] {
        diff(&place, &["--fail-on", when]).expect(3);
    }
    let back = place.opcost(&["diff", "after.opc", "before.opc", "--fail-on", "more-work"]).expect(0);
    assert!(back.stdout.contains("less work: 1"), "{}", back.stdout);
}

#[test]
fn other_code_for_the_same_work_is_told_apart() {
    let place = two("n / 3", "n % 3", &[]);
    let said = diff(&place, &["--fail-on", "more-work", "--json", "d.json"]).expect(0);
    assert!(said.stdout.contains("same work with different code: 1   rest"), "{}", said.stdout);
    assert_eq!(place.json("d.json")["verdict"], "same work with different code");
    diff(&place, &["--fail-on", "any-change"]).expect(3);
}

#[test]
fn new_and_gone_functions_are_named() {
    let place = two("int rest(int n)", "int other(int n)", &["-Drest=other"]);
    diff(&place, &[]).expect(1).tells(&["flags: '-O2' before, '-O2 -Drest=other' after"]);
    let said = diff(&place, &["--force"]).expect(0).stdout;
    assert!(said.contains("not alike: flags") && said.contains("moved: 1   rest → other"), "{said}");
    // With another body it is another function.
    let place =
        two("int rest(int n) { return n / 3;", "int other(int n) { return n / 7 + n;", &["-Drest=other"]);
    let said = diff(&place, &["--force"]).expect(0).stdout;
    assert!(said.contains("new: 1") && said.contains("gone: 1"), "{said}");
}

#[test]
fn equal_ledgers_are_the_same() {
    let place = two("int rest", "int  rest", &[]);
    let said = diff(&place, &["--fail-on", "any-change"]).expect(0).stdout;
    assert!(said.contains("3 functions unchanged") && said.contains("   same\n"), "{said}");
}

#[test]
fn other_models_and_programs_are_refused() {
    let place = two("n / 3", "n % 3", &["--cflag=-march=haswell"]);
    diff(&place, &[]).expect(1).tells(&["flags: '-O2' before", "--force"]);
    place.write("e.c", "int main(void) { return 0; }\n");
    for (model, ledger) in [("unit/1", "unit.opc"), ("block-size/1", "size.opc")] {
        place.opcost(&["count", "e.c", "--cost", model, "--ledger", ledger]).expect(0);
    }
    let said = place.opcost(&["diff", "unit.opc", "size.opc"]).expect(1);
    said.tells(&["cost model: unit/1", "block-size/1", "--force"]);
    place.write("c.cpp", "int f(int x) { return x; }\nint main(int n, char**) { return f(n) - 1; }\n");
    place.shell("$OPCOST count --ledger c.opc c.cpp").expect(0);
    let said = place.opcost(&["merge", "before.opc", "c.opc", "-o", "m.opc"]).expect(1);
    said.tells(&["c.opc comes from another build than before.opc"]);
    assert!(!place.path("m.opc").exists());
}

const SEARCH: &str = "#include <stdio.h>\n#include <stdlib.h>\n\
    static unsigned table[4096];\n\
    ATTRIBUTE static long search(int rounds) {\n\
    \x20 long sum = 0;\n\
    \x20 for (int r = 0; r < rounds; r++) sum += table[(unsigned)r * 37u & 4095] & 255;\n\
    \x20 return sum;\n\
    }\n\
    int main(int argc, char **argv) {\n\
    \x20 for (int i = 0; i < 4096; i++) table[i] = i * 2654435761u;\n\
    \x20 printf(\"%ld\\n\", search(argc > 1 ? atoi(argv[1]) : 1000));\n\
    \x20 return 0;\n\
    }\n";

#[test]
fn inlining_is_no_more_work() {
    let place = workplace();
    for (ledger, attribute) in [("apart.opc", "__attribute__((noinline))"), ("inlined.opc", "")] {
        place.write("s.c", SEARCH.replace("ATTRIBUTE", attribute));
        place.opcost(&["count", "-O2", "s.c", "--ledger", ledger]).expect(0);
    }
    let said =
        place.opcost(&["diff", "apart.opc", "inlined.opc", "--fail-on", "more-work-anywhere"]).expect(0);
    assert!(said.stdout.contains("same work, inlined elsewhere"), "{}", said.stdout);
    // More rounds are more work, inlined or not.
    place.opcost(&["count", "-O2", "s.c", "--ledger", "more.opc", "--", "2000"]).expect(0);
    place.opcost(&["diff", "inlined.opc", "more.opc", "--fail-on", "more-work-anywhere"]).expect(3);
    place.opcost(&["diff", "apart.opc", "more.opc", "--fail-on", "more-work-anywhere"]).expect(3);
}

#[test]
fn two_programs_are_not_compared() {
    let place = workplace();
    place.write(
        "b.c",
        "int main(void) { volatile long t = 1; for (int k = 0; k < 90; k++) t = t * 3 + k; return 0; }",
    );
    place.opcost(&["count", "a.c", "--ledger", "a.opc"]).expect(0);
    place.opcost(&["count", "b.c", "--ledger", "b.opc"]).expect(0);
    place.opcost(&["diff", "a.opc", "b.opc"]).expect(1).tells(&["two programs", "--force"]);
    place.opcost(&["diff", "a.opc", "b.opc", "--force"]).expect(0);
}

#[test]
fn a_renamed_function_has_moved() {
    let place = workplace();
    place.opcost(&["count", "a.c", "--ledger", "a.opc"]).expect(0);
    let renamed = place.read("a.c").replace("work(", "labour(");
    place.write("a.c", renamed);
    place.opcost(&["count", "a.c", "--ledger", "b.opc"]).expect(0);
    let said = place.opcost(&["diff", "a.opc", "b.opc"]).expect(0).stdout;
    assert!(said.contains("moved: 1   work → labour"), "{said}");
    assert!(!said.contains("new:") && !said.contains("gone:"), "{said}");
}

#[test]
fn calls_that_are_not_counted_are_named() {
    let place = workplace();
    place.write("s.c", "#include <stdlib.h>\nint main(void) { return 0; }\n");
    place.opcost(&["count", "s.c", "--ledger", "a.opc"]).expect(0);
    place.write("s.c", "#include <stdlib.h>\nint main(void) { srand(1); return rand() & 0; }\n");
    place.opcost(&["count", "s.c", "--ledger", "b.opc"]).expect(0);
    let said = place.opcost(&["diff", "a.opc", "b.opc", "--json", "d.json"]).expect(0).stdout;
    assert!(said.contains("more calls into code that is not counted:"), "{said}");
    assert_eq!(place.json("d.json")["outside"].as_array().expect("a list").len(), 2);
}
