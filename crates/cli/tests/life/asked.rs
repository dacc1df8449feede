//! Is every way to ask answered, the wrong ones too?

use serde_json::Value;

use crate::{corpus, is_checked, life, opcost};

/// `-Os` and `-Oz` have pipelines of their own.
#[test]
fn sizes_are_what_clang_makes_of_them() {
    for target in ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"] {
        for level in ["-Os", "-Oz"] {
            for (name, line) in [("life/foo.c", 3), ("life/loop.c", 4), ("life/calls.c", 3)] {
                is_checked(&life(&["--target", target, level, &format!("{}:{line}", corpus(name))]));
            }
        }
    }
    is_checked(&life(&["-Oz", "--function", "main", &corpus("kernel/kn.c")]));
}

#[test]
fn a_failure_stands_where_the_document_was_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("life.json");
    let path = path.to_str().expect("UTF-8");
    let output = opcost(&["life", "--json", path, &format!("{}:4000", corpus("life/foo.c"))]);
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&std::fs::read(path).expect("it is written")).expect("JSON");
    assert_eq!(document["schema"], "opcost.error/1");
    let message = document["error"]["message"].as_str().expect("a text");
    assert!(message.contains("the nearest line that has is"), "{message}");
}

#[test]
fn a_stage_that_is_none_is_told_with_those_that_are() {
    let output = opcost(&["life", "--stage", "assembly", &corpus("life/foo.c")]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("ast, ir, dag, mir, mc, bytes"), "{said}");
}
