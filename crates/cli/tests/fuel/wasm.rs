//! Does WebAssembly spend what is counted, in every engine?
//!
//! The referee charges each segment of the same module at its own start
//! (`--by-segment`, `crates/instrument/src/fuel/segments.rs`) and is held against
//! `opcost count` on the machine at hand. The programs are those of
//! `corpus/portable` in C, the kernel, and `corpus/wasm`.

use std::path::{Path, PathBuf};

use opcost_testkit::command::{ProgramOutput, corpus};

use crate::bench::{Answer, Bench};

const ENGINES: [&str; 2] = ["node", "wasmtime"];

/// What WASI's library has not: `printf` of a `long double`, and an end of `divided.c`,
/// which divides by zero, or of `endless.c`.
const OTHERS: [&str; 3] = ["longdouble.c", "divided.c", "endless.c"];

/// Programs, and their arguments.
fn programs() -> Vec<(PathBuf, &'static [&'static str])> {
    let folder = PathBuf::from(corpus(""));
    let portable = std::fs::read_dir(folder.join("portable")).expect("a folder");
    let mut found: Vec<PathBuf> = portable.map(|entry| entry.expect("an entry").path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "c"));
    found.retain(|path| OTHERS.iter().all(|other| !path.ends_with(other)));
    found.sort();
    let mut programs: Vec<(PathBuf, &[&str])> = found.into_iter().map(|path| (path, &[][..])).collect();
    programs.push((folder.join("kernel/kn.c"), &["1"]));
    programs.push((folder.join("wasm/recursion.c"), &[]));
    programs.push((folder.join("wasm/indirect.c"), &["one", "two"]));
    programs
}

/// A bench with a program and its input.
struct Case {
    bench: Bench,
    name: String,
    arguments: &'static [&'static str],
}

impl Case {
    fn new(program: &Path, arguments: &'static [&'static str]) -> Case {
        let bench = Bench::new();
        let text = std::fs::read_to_string(program).expect("a source");
        let input = text.lines().find_map(|line| line.strip_prefix("// Input: ")).unwrap_or_default();
        bench.write("input", input.replace("\\n", "\n"));
        let name = bench.copy(program);
        Case { bench, name, arguments }
    }

    fn fuel(&self, flags: &[&str]) -> Answer {
        let mut all = vec!["--stdin", "input", "--stdout", "output"];
        all.extend(flags);
        all.push(&self.name);
        all.push("--");
        all.extend(self.arguments);
        self.bench.fuel(&all)
    }

    fn run(&self, engine: &str, flags: &[&str]) -> Answer {
        self.fuel(&[&["--machine", "wasm32-wasi", "--engine", engine], flags].concat())
    }

    /// Builds it once with these flags, for several runs by [`Case::run_built`].
    fn build(&self, flags: &[&str]) {
        let emit = ["--machine", "wasm32-wasi", "--emit", "exe", "-o", "built.wasm"];
        self.bench.build(&[&emit, flags, &[&self.name]].concat());
    }

    fn run_built(&self, engine: &str, flags: &[&str]) -> Answer {
        let fixed = ["--engine", engine, "--stdin", "input", "--stdout", "output"];
        self.bench.fuel(&[&fixed, flags, &["built.wasm", "--"], self.arguments].concat())
    }

    fn output(&self) -> String {
        String::from_utf8(std::fs::read(self.bench.path("output")).unwrap_or_default()).expect("text")
    }
}

fn spent(answer: &Answer) -> u64 {
    answer.json["spent"].as_u64().unwrap_or_else(|| panic!("{}", answer.said()))
}

#[test]
fn spent_is_the_count_by_segment_in_both_engines() {
    let programs = programs();
    assert!(programs.len() >= 10, "{programs:?}");
    for (program, arguments) in programs {
        let case = Case::new(&program, arguments);
        // Code without optimisation is another module; that of a few is enough.
        let is_short = ["streams.c", "indirect.c", "recursion.c"].contains(&&*case.name);
        let levels: [&[&str]; 2] = [&[], &["-O0", "--anchor", "source"]];
        for level in levels.into_iter().take(1 + usize::from(is_short)) {
            let counted = case.run("node", &[level, &["--by-segment"]].concat());
            let output = case.output();
            assert_eq!(counted.json["verdict"], "finished", "{}: {}", case.name, counted.said());
            for flags in [&["--audit"] as &[&str], &["--by-segment"]] {
                case.build(&[level, flags].concat());
                for engine in ENGINES {
                    let answer = case.run_built(engine, &[]);
                    let what = format!("{} {level:?} {flags:?} in {engine}: {}", case.name, answer.said());
                    assert_eq!(spent(&answer), spent(&counted), "{what}");
                    assert_eq!(answer.json["program_status"], counted.json["program_status"], "{what}");
                    assert_eq!(
                        (&answer.json["verdict"], case.output()),
                        (&"finished".into(), output.clone())
                    );
                    assert_eq!(answer.json["engine"], engine, "{what}");
                }
            }
        }
    }
}

/// Prints locals that were never written. WebAssembly and `--portable` say what they hold.
/// On the machine at hand they hold what the start of the program left there, which
/// differs from processor to processor, and printing takes as long as there are digits.
const NEVER_WRITTEN: &str = "never_written.c";

/// The referee counts what `opcost count` counts.
#[test]
fn the_referee_is_right_on_the_machine_at_hand() {
    for (program, arguments) in
        programs().into_iter().filter(|(program, _)| !program.ends_with(NEVER_WRITTEN))
    {
        let case = Case::new(&program, arguments);
        let fixed = ["count", "--cost", "fuel/1", "--stdin", "input", "--stdout", "output"];
        let named = ["--json", "counts.json", &case.name, "--cflag=-w", "-l", "m", "--"];
        case.bench.opcost(&[&fixed, &named[..], arguments].concat());
        let answer = case.fuel(&["--by-segment", "-l", "m"]);
        assert_eq!(spent(&answer), case.bench.total(), "{}: {}", case.name, answer.said());
    }
}

#[test]
fn the_limit_is_met_to_the_instruction() {
    for name in ["wasm/recursion.c", "wasm/indirect.c", "portable/sorting.c", "portable/streams.c"] {
        let case = Case::new(corpus(name).as_ref(), &[]);
        let enough = spent(&case.run("node", &[]));
        let (enough, short) = (enough.to_string(), (enough - 1).to_string());
        case.build(&[]);
        for engine in ENGINES {
            assert_eq!(
                case.run_built(engine, &["--limit", &enough]).json["verdict"],
                "finished",
                "{name} {engine}"
            );
            let stopped = case.run_built(engine, &["--limit", &short]);
            assert_eq!((stopped.status, &stopped.json["verdict"]), (3, &"used-up".into()), "{name} {engine}");
        }
    }
}

#[test]
fn an_endless_program_is_stopped_with_its_place() {
    let case = Case::new(corpus("portable/endless.c").as_ref(), &[]);
    let stopped = ENGINES.map(|engine| {
        let answer = case.run(engine, &["--limit", "300k"]);
        assert_eq!((answer.status, &answer.json["verdict"]), (3, &"used-up".into()), "{}", answer.said());
        assert_eq!(answer.json["stopped"]["file"], "endless.c", "{}", answer.said());
        (spent(&answer), answer.json["stopped"].to_string())
    });
    assert_eq!(stopped[0], stopped[1]);
}

/// Also of a program that was built earlier.
#[test]
fn what_was_spent_is_known_after_every_end() {
    let words = [
        "instruction that ends it",
        "left its memory",
        "divided by zero",
        "too large",
        "no function of that type",
    ];
    let case = Case::new(corpus("wasm/ends.c").as_ref(), &[]);
    case.bench.build(&["--machine", "wasm32-wasi", "--emit", "exe", "-o", "ends.wasm", "ends.c"]);
    let run = |engine: &str, end: &str| {
        let answer = case.bench.fuel(&["--engine", engine, "ends.wasm", "--", end]);
        assert_eq!(answer.stdout, "begun\n", "{end}: {}", answer.said());
        answer
    };
    for (position, words) in words.iter().enumerate() {
        let end = (position + 1).to_string();
        let answers = ENGINES.map(|engine| run(engine, &end));
        for answer in &answers {
            assert_eq!((answer.status, &answer.json["verdict"]), (4, &"crashed".into()), "{}", answer.said());
            assert!(answer.stderr.contains(words), "{}", answer.said());
            assert!(spent(answer) > 100, "{}", answer.said());
        }
        assert_eq!(spent(&answers[0]), spent(&answers[1]), "{end}");
    }
    for (end, verdict) in [("6", "stack"), ("7", "stack"), ("8", "finished")] {
        for engine in ENGINES {
            assert_eq!(run(engine, end).json["verdict"], verdict, "{end} in {engine}");
        }
    }
}

/// Functions that opcost's library charges for are there on this machine, too.
#[test]
fn what_the_library_charges_for_is_there() {
    let bench = Bench::new();
    bench.write(
        "lines.c",
        "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n\
         char *line = 0, *text;\n  size_t room = 0;\n  long read = getline(&line, &room, stdin);\n\
         if (asprintf(&text, \"%ld\", read) < 0 || fflush(stdout)) return 1;\n\
         return fopen(\"nothing\", \"r\") != 0;\n}\n",
    );
    bench.build(&["--machine", "wasm32-wasi", "--emit", "exe", "-o", "lines.wasm", "lines.c"]);
    for engine in ENGINES {
        let answer = bench.fuel(&["--engine", engine, "lines.wasm"]);
        assert_eq!(answer.json["verdict"], "finished", "{}", answer.said());
        assert!(spent(&answer) > 1000, "{}", answer.said());
    }
}

#[test]
fn what_cannot_be_is_said_clearly() {
    let bench = Bench::new();
    bench.write("setjmp.c", "#include <setjmp.h>\nint main(void) { jmp_buf b; return setjmp(b); }\n");
    bench.write("threads.c", "#include <pthread.h>\nint main(void) { return 0; }\n");
    bench.write("throw.cpp", "int main() { throw 3; }\n");
    bench.write(
        "other.ll",
        "target triple = \"x86_64-pc-linux-gnu\"\ndefine i32 @other() {\n  ret i32 0\n}\n",
    );
    bench.write("wasm.ll", "target triple = \"wasm32-unknown-wasi\"\ndefine i32 @main() {\n  ret i32 0\n}\n");
    bench.write("a.c", "int main(void) { return 0; }\n");
    let wasm = ["--machine", "wasm32-wasi"];
    for (flags, status, words) in [
        (&["setjmp.c"][..], 1, "'setjmp.h' file not found"),
        (&["threads.c"], 1, "'pthread.h' file not found"),
        (&["throw.cpp"], 1, "exceptions disabled"),
        (&["other.ll"], 1, "WebAssembly has an IR of its own"),
        (&["a.c", "other.ll"], 1, "is for x86_64-pc-linux-gnu, and the others are for wasm32"),
        (&["--portable", "a.c"], 2, "leave --portable"),
        (&["--check", "a.c"], 2, "cannot be used with"),
    ] {
        let answer = bench.fuel(&[&wasm, flags].concat());
        assert!(answer.status == status && answer.stderr.contains(words), "{flags:?}: {}", answer.said());
    }
    let answer = bench.fuel(&["wasm.ll"]);
    assert!(answer.status == 1 && answer.stderr.contains("give --machine wasm32-wasi"), "{}", answer.said());
    let answer = bench.fuel(&["--engine", "node", "a.c"]);
    assert!(answer.status == 2 && answer.stderr.contains("leave the flag"), "{}", answer.said());
}

#[test]
fn an_engine_that_is_not_there_is_named() {
    let bench = Bench::new();
    bench.write("a.c", "int main(void) { return 0; }\n");
    let run = |flags: &[&str]| {
        let mut command = bench.command(&["fuel"]);
        command.args(flags).env("PATH", "/nowhere").env("OPCOST_PYTHON", "/nowhere/python");
        ProgramOutput::of(&mut command).stderr
    };
    bench.build(&["--machine", "wasm32-wasi", "--emit", "exe", "-o", "a.wasm", "a.c"]);
    let said = run(&["a.wasm"]);
    assert!(said.contains("Node or wasmtime") && said.contains("apt-get install nodejs"), "{said}");
    let said = run(&["--engine", "wasmtime", "a.wasm"]);
    assert!(said.contains("pip install wasmtime"), "{said}");
}
