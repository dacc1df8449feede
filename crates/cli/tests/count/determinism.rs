//! The same number every time: twenty runs, under load, addresses at random,
//! built twice.

use std::process::{Child, Command, Stdio};

use crate::harness::{Bench, corpus};

/// Two processes that keep the machine busy until dropped.
struct Load(Vec<Child>);

impl Load {
    fn new() -> Load {
        let busy = || {
            let mut shell = Command::new("sh");
            shell.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
            shell.spawn().expect("a shell")
        };
        Load(vec![busy(), busy()])
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn twenty_runs_of_two_builds_agree() {
    let kernel = corpus().join("../kernel/kn.c");
    let [exceptions, threads] = ["throw_cleanups.cpp", "threads_std.cpp"].map(|name| corpus().join(name));
    let random = std::fs::read_to_string("/proc/sys/kernel/randomize_va_space").expect("/proc");
    assert_ne!(random.trim(), "0", "addresses must be random for this test to mean anything");
    let load = Load::new();
    for (source, arguments) in [(kernel, vec!["2".to_owned()]), (exceptions, vec![]), (threads, vec![])] {
        check_twenty(source.to_str().expect("UTF-8"), &arguments);
    }
    drop(load);
}

fn check_twenty(source: &str, arguments: &[String]) {
    let bench = Bench::new();
    let mut seen = Vec::new();
    for program in ["first", "second"] {
        let output = bench.opcost(&["count", "--emit", "exe", "-o", program, source]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for _ in 0..10 {
            let counted = bench.count(&[], &[bench.path(program)], arguments);
            let counts = counted.counts();
            assert!(counts.is_exact(), "{:?}", counts.reasons());
            seen.push((counts.total(), counts.functions(), counts.blocks()));
        }
    }
    assert_eq!(seen.len(), 20);
    assert!(seen[0].0 > 100);
    assert!(seen.iter().all(|run| *run == seen[0]), "{source}");
}

#[test]
fn repeat_says_that_runs_agree() {
    let bench = Bench::new();
    let counted = bench.count(&["--repeat", "3"], &[corpus().join("recursion.c")], &[]);
    assert!(counted.said().contains("all 3 runs agree to the digit"), "{}", counted.said());
}
