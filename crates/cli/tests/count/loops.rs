//! Do loops that are paid for where they are entered cost what they do?
//!
//! `opcost count` counts every turn of them; the auditor carries out what the
//! program computes. Here both meet a run.

use std::path::PathBuf;

use crate::fuel::{Spent, run, spend};
use crate::harness::{Bench, corpus};

fn source(name: &str) -> [PathBuf; 1] {
    [corpus().join("../metered").join(name)]
}

/// One program, counted and metered with the same flags.
struct Both {
    bench: Bench,
}

impl Both {
    fn build(name: &str, flags: &[&str]) -> Both {
        let bench = Bench::new();
        let [source] = source(name);
        let source = source.to_str().expect("UTF-8");
        for verb in
            [&["count", "--cost", "fuel/1", "-o", "counted"][..], &["fuel", "--audit", "-o", "metered"]]
        {
            let of_verb = flags.iter().filter(|flag| verb[0] == "fuel" || **flag != "--unchecked");
            let all: Vec<&str> =
                verb.iter().chain(&["--emit", "exe"]).chain(of_verb).chain(&[source]).copied().collect();
            bench.opcost(&all).expect(0);
        }
        Both { bench }
    }

    /// What it is counted to do, which it must spend.
    fn check(&self, arguments: &[&str]) -> u64 {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let counted = self.bench.count(&[], &[self.bench.path("counted")], &arguments).counts().total();
        let spent = self.spend(&[], &arguments);
        assert_eq!((spent.verdict(), spent.amount()), ("finished", counted), "{arguments:?}: {}", spent.1);
        counted
    }

    /// It passes with what it costs and not with one less.
    fn check_limits(&self, arguments: &[&str]) {
        let counted = self.check(arguments);
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        for (limit, verdict) in [(counted, "finished"), (counted - 1, "used-up")] {
            let spent = self.spend(&["--limit", &limit.to_string()], &arguments);
            assert_eq!(spent.verdict(), verdict, "{limit}: {}", spent.1);
        }
    }

    fn spend(&self, flags: &[&str], arguments: &[String]) -> Spent {
        run(&self.bench, flags, &[self.bench.path("metered")], arguments)
    }
}

#[test]
fn counted_loops_cost_what_they_do() {
    for flags in [&["-O1"][..], &["-O2"], &["-O3"], &["--anchor", "source"], &["-O3", "--codegen", "0"]] {
        let both = Both::build("loops.c", flags);
        for arguments in [["1", "0"], ["2", "255"], ["255", "255"], ["4000", "3999"]] {
            both.check(&arguments);
        }
        both.check_limits(&["1000", "17"]);
    }
}

#[test]
fn strange_counters_cost_what_they_do() {
    for flags in [&[][..], &["--codegen", "0"], &["--unchecked"]] {
        let both = Both::build("loops.ll", flags);
        for n in ["1", "2", "5", "6", "65541"] {
            both.check(&[n]);
        }
        if flags != ["--unchecked"] {
            both.check_limits(&["77"]);
        }
        if flags != ["--codegen", "0"] {
            // Round the end of their width: 2^29 turns, and 2^16.
            assert!(both.check(&["536870912"]) > 5 << 29);
        }
    }
}

/// They would run for hours, or for ever.
#[test]
fn long_loops_are_stopped_before_they_begin() {
    let bench = Bench::new();
    for (name, text) in [
        ("two to the 48", "for (unsigned long i = 0; i != 1ul << 48; i++) x += x ^ i;"),
        ("round the end", "for (unsigned long i = n; ++i != n;) x += x ^ i;"),
        ("over the bound", "for (unsigned long i = n; i != 8 * n + 2; i += 8) x += x ^ i;"),
        ("an address", "for (char *p = (char *)n; p != (char *)v[0]; p++) x += x ^ (unsigned long)p;"),
    ] {
        let text = format!(
            "unsigned long x;\nint main(int c, char **v) {{ unsigned long n = (unsigned long)c;\n{text}\nreturn (int)x; }}\n"
        );
        bench.write("a.c", text);
        let spent = spend(&bench, &["--limit", "1T", "-O1"], &[bench.path("a.c")], &[]);
        assert_eq!(spent.verdict(), "used-up", "{name}: {}", spent.1);
        assert!(spent.1.contains("main") && spent.1.contains(":3"), "{name}: {}", spent.1);
        assert!(spent.amount() > 1 << 40, "{name}: {}", spent.1);
    }
}
