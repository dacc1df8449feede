//! Does `--harden` keep a program off its counter, and honest ones as they are?
//!
//! The programs of `corpus/hardened` say at their top how they end: `Rejected:
//! WORDS` of the report, or `Allowed`. Without the flag the same attacks get
//! through, or the test would show nothing.

use std::path::PathBuf;

use opcost_testkit::command::corpus;

use crate::bench::Bench;

fn programs() -> Vec<(String, String, PathBuf)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(corpus("hardened")).expect("corpus/hardened") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a source");
        let first = text.lines().next().and_then(|line| line.strip_prefix("// ")).expect("an expectation");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        all.push((name, first.to_owned(), path));
    }
    all.sort();
    all
}

#[test]
fn writes_to_the_counter_are_rejected_with_their_place() {
    let programs = programs();
    assert!(programs.len() >= 5);
    for (name, expected, path) in programs {
        for level in ["-O0", "-O2"] {
            let bench = Bench::new();
            bench.copy(&path);
            let plain = bench.fuel(&[level, "--limit", "100M", &name]);
            assert_eq!(plain.status, 0, "{name} {level}: {}", plain.said());
            let hard = bench.fuel(&[level, "--limit", "100M", "--harden", &name]);
            let Some(words) = expected.strip_prefix("Rejected: ") else {
                // What it spends and prints is the same: nothing of it is weighed.
                assert_eq!(hard.status, 0, "{name} {level}: {}", hard.said());
                assert_eq!(hard.json["spent"], plain.json["spent"], "{name} {level}");
                assert_eq!(hard.stdout, plain.stdout, "{name} {level}");
                let asked = hard.json["hardened"]["asked"].as_u64().expect("a number");
                assert!(asked > 0 && asked < hard.json["hardened"]["stores"].as_u64().expect("a number"));
                continue;
            };
            assert_eq!(hard.status, 3, "{name} {level}: {}", hard.said());
            assert_eq!(hard.json["verdict"], "rejected", "{name} {level}: {}", hard.said());
            assert!(
                hard.json["reason"].as_str().is_some_and(|why| why.starts_with(words)),
                "{}",
                hard.said()
            );
        }
    }
}

/// Programs with all kinds of ends spend the same under guard.
#[test]
fn hostile_programs_spend_the_same() {
    for name in [
        "throw_cleanups.cpp",
        "constructors.cpp",
        "goto_hundred.c",
        "jump_hot_loop.c",
        "jump_qsort.c",
        "tail_must.c",
        "switch_parallel.ll",
        "duff.c",
        "flow_strange.ll",
    ] {
        let path = corpus(&format!("hostile/{name}"));
        let bench = Bench::new();
        let plain = bench.fuel(&["--cflag=-fno-finite-loops", &path]);
        let hard = bench.fuel(&["--cflag=-fno-finite-loops", "--harden", &path]);
        assert_eq!(hard.status, plain.status, "{name}: {}", hard.said());
        assert!(hard.json["hardened"]["stores"].is_u64(), "{name}: {}", hard.said());
        assert!(plain.json["spent"].as_u64().is_some_and(|spent| spent > 0), "{}", plain.said());
        assert_eq!(hard.json["spent"], plain.json["spent"], "{name}: {}", hard.said());
    }
}

#[test]
fn the_counter_has_no_name_for_the_program() {
    let bench = Bench::new();
    bench.write("a.c", "extern long opc_fuel;\nint main(void) { opc_fuel = 1L << 61; return 0; }\n");
    let answer = bench.fuel(&["--harden", "a.c"]);
    assert!(answer.status == 1 && answer.stderr.contains("it names opc_fuel"), "{}", answer.said());
    bench.opcost(&["fuel", "--harden", "--emit", "shared", "-o", "a.so", "a.c"]).expect(2);
}
