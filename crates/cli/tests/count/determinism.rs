//! The same number every time: twenty runs, under load, addresses at random,
//! built twice.

use std::process::{Child, Command, Stdio};

use opcost_testkit::command::ProgramOutput;

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
        bench.opcost(&["count", "--emit", "exe", "-o", program, source]).expect(0);
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

/// Without a cache, with an empty one, with a full one, and with one that is no folder.
#[test]
fn what_is_taken_from_the_cache_counts_the_same() {
    let bench = Bench::new();
    let cache = bench.path("a cache with a blank");
    let file = bench.path("file");
    bench.write("file", "no folder");
    for (verb, name) in [("count", "throw_cleanups.cpp"), ("fuel", "recursion.c")] {
        let source = corpus().join(name);
        let run = |cache: Option<&std::path::Path>| {
            let mut command = bench.command(&[verb, "--json", "-", "--stdout", "/dev/null"]);
            command.arg(&source).env_remove("HOME").env_remove("XDG_CACHE_HOME").env_remove("OPCOST_CACHE");
            command.envs(cache.map(|cache| ("XDG_CACHE_HOME", cache)));
            let document = ProgramOutput::of(&mut command).expect(0).json();
            ["total", "spent", "functions", "quality"].map(|field| document[field].clone())
        };
        let without = run(None);
        assert!(without.iter().any(|field| !field.is_null()));
        for cache in [&cache, &cache, &file] {
            assert_eq!(run(Some(cache)), without, "{verb} {}: {}", source.display(), cache.display());
        }
    }
    let files = std::fs::read_dir(cache.join("opcost/kept-1")).expect("the cache");
    let kept = files.filter(|file| file.as_ref().is_ok_and(|file| file.file_name() != ".total")).count();
    // The runtime of counted programs, that of metered ones, and the functions that pay; of each program
    // its bitcode and its object, and of the counted one which way branches went. And clang's version, and where it looks for headers of C and of C++.
    assert_eq!(kept, 3 + 2 * 2 + 1 + 1 + 2);
}
