//! Verdicts of the judge: a submission that ends, one that never does, and one that does not compile.

use opcost_testkit::command::{Said, Workplace};

fn judge(limit: &str, name: &str, text: &str) -> Said {
    let place = Workplace::new(env!("CARGO_BIN_EXE_judge"));
    place.write(name, text);
    Said::of(&mut place.command(&[limit, name]))
}

#[test]
fn what_ends_is_told_by_its_work() {
    let said = judge("1000", "ends.c", "int main(void) { return 0; }\n");
    assert!(said.stdout.starts_with("finished: 1 of 1000"), "{}", said.all());
}

#[test]
fn what_never_ends_is_stopped() {
    let said = judge("1000000", "spins.c", "int main(void) { for (volatile int i = 0;; i = i + 1) {} }\n");
    assert!(said.stdout.starts_with("used up: 1000000 instructions, in main"), "{}", said.all());
}

#[test]
fn what_does_not_compile_is_no_verdict() {
    let said = judge("1000", "wrong.c", "int main(void) { return x; }\n").expect(1);
    assert!(said.stdout.is_empty(), "{}", said.all());
    assert!(said.stderr.contains("judge: clang"), "{}", said.all());
}
