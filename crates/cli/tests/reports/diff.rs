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
    assert!(
        said.contains("not alike: flags") && said.contains("new: 1") && said.contains("gone: 1"),
        "{said}"
    );
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
