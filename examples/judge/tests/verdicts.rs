//! Verdicts of the judge: a submission that ends, one that never does, and one that does not compile.

use std::path::PathBuf;
use std::process::{Command, Output};

fn judge(limit: &str, name: &str, text: &str) -> Output {
    let folder = std::env::temp_dir().join(format!("opcost-judge-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let source: PathBuf = folder.join(name);
    std::fs::write(&source, text).expect("a source");
    let output =
        Command::new(env!("CARGO_BIN_EXE_judge")).arg(limit).arg(&source).output().expect("it starts");
    std::fs::remove_dir_all(&folder).expect("removed");
    output
}

#[test]
fn what_ends_is_told_by_its_work() {
    let output = judge("1000", "ends.c", "int main(void) { return 0; }\n");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("finished: 1 of 1000"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn what_never_ends_is_stopped() {
    let output = judge("1000000", "spins.c", "int main(void) { for (volatile int i = 0;; i = i + 1) {} }\n");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.starts_with("used up: 1000000 instructions, in main"), "{said}");
}

#[test]
fn what_does_not_compile_is_no_verdict() {
    let output = judge("1000", "wrong.c", "int main(void) { return x; }\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("judge: clang"));
}
