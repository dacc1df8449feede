//! Does LLVM's own counting pass say the same, block by block?
//!
//! The anchor module as opcost gives it (`--emit bc`), its blocks named, goes
//! through `pgo-instr-gen,instrprof` and runs; `pgo-instr-use` then prints
//! every block's count. LLVM's equations are false where a frame never
//! returns, so the programs here return from every call, on one thread.

use std::collections::BTreeMap;
use std::path::PathBuf;

use opcost_testkit::command::ProgramOutput;

use crate::harness::{Bench, corpus};

/// Function and position of a block.
type Block = (String, u64);

struct Referee {
    bench: Bench,
    sources: Vec<PathBuf>,
    flags: Vec<String>,
    libraries: Vec<String>,
    arguments: Vec<String>,
}

impl Referee {
    fn of(name: &str) -> Referee {
        Referee {
            bench: Bench::new(),
            sources: vec![corpus().join(name)],
            flags: Vec::new(),
            libraries: Vec::new(),
            arguments: Vec::new(),
        }
    }

    fn check(&self, anchor: &str) {
        let theirs = self.theirs(anchor);
        let mut flags = vec!["--anchor", anchor];
        let given: Vec<&str> = self.flags.iter().flat_map(|flag| ["--cflag", flag.as_str()]).collect();
        flags.extend(&given);
        let libraries: Vec<&str> = self
            .libraries
            .iter()
            .filter_map(|name| name.strip_prefix("-l"))
            .flat_map(|name| ["-l", name])
            .collect();
        flags.extend(&libraries);
        let counted = self.bench.count(&flags, &self.sources, &self.arguments);
        let counts = counted.counts();
        assert!(counts.is_exact(), "{:?}", counts.reasons());
        let mut ours: BTreeMap<Block, u64> = BTreeMap::new();
        for (function, position, count) in counts.blocks() {
            ours.insert((function, position), count);
        }
        let ran = theirs.values().filter(|count| **count > 0).count();
        assert!(ran > 0, "LLVM saw {ran} blocks run");
        for (block, count) in &theirs {
            assert_eq!(ours.get(block).copied().unwrap_or(0), *count, "{block:?} ({anchor})");
        }
        for (block, count) in &ours {
            assert!(theirs.contains_key(block), "{block:?} ran {count} times, and LLVM has no such block");
        }
    }

    /// Counts of all blocks by LLVM.
    fn theirs(&self, anchor: &str) -> BTreeMap<Block, u64> {
        let bench = &self.bench;
        let mut objects = Vec::new();
        for (position, source) in self.sources.iter().enumerate() {
            let [bitcode, named, counted, object] =
                ["anchor.bc", "named.bc", "counted.bc", "counted.o"].map(|name| format!("{position}-{name}"));
            let mut emit = vec!["count", "--emit", "anchor", "--anchor", anchor, "-o", &bitcode];
            emit.extend(self.flags.iter().flat_map(|flag| ["--cflag", flag.as_str()]));
            emit.push(source.to_str().expect("UTF-8"));
            bench.opcost(&emit).expect(0);
            bench.tool("opt-22", &["-passes=instnamer", &bitcode, "-o", &named]);
            bench.tool("opt-22", &["-passes=pgo-instr-gen,instrprof", "-disable-vp", &named, "-o", &counted]);
            let compile = ["-O2", "-Xclang", "-disable-llvm-passes", "-c", &counted, "-o", &object];
            bench.tool("clang-22", &compile);
            objects.push(object);
        }
        let mut link = vec!["-fprofile-generate", "-o", "theirs"];
        link.extend(objects.iter().map(String::as_str));
        link.extend(self.libraries.iter().map(String::as_str));
        bench.tool("clang-22", &link);
        let mut program = bench.program(bench.path("theirs"));
        program.args(&self.arguments).env("LLVM_PROFILE_FILE", bench.path("theirs.profraw"));
        assert_eq!(ProgramOutput::of(&mut program).signal, None, "LLVM's program comes to its end");
        bench.tool("llvm-profdata-22", &["merge", "-o", "theirs.profdata", "theirs.profraw"]);
        let mut blocks = BTreeMap::new();
        for position in 0..self.sources.len() {
            let named = format!("{position}-named.bc");
            let order = block_order(&bench.tool("opt-22", &["-S", &named, "-o", "-"]).stdout);
            let view = ["-passes=pgo-instr-use", "-pgo-test-profile-file=theirs.profdata"];
            let view = [view[0], view[1], "-pgo-view-raw-counts=text", &named, "-o", "/dev/null"];
            blocks.extend(raw_counts(&bench.tool("opt-22", &view).stderr, &order));
        }
        blocks
    }
}

/// Position of each named block, by function.
fn block_order(module: &str) -> BTreeMap<(String, String), u64> {
    let mut order = BTreeMap::new();
    let (mut function, mut position) = (String::new(), 0);
    for line in module.lines() {
        if let Some(rest) = line.strip_prefix("define ") {
            let name = rest.split_once('@').expect("a name").1;
            name.split('(').next().expect("parameters").clone_into(&mut function);
            position = 0;
        } else if let Some((label, _)) = line.split_once(':')
            && !label.is_empty()
            && !label.contains(|c: char| c.is_whitespace() || c == '"')
            && !function.is_empty()
        {
            order.insert((function.clone(), label.to_owned()), position);
            position += 1;
        } else if line == "}" {
            function.clear();
        }
    }
    order
}

/// Lines such as `BB: bb7  Index=3  Count=8`; blocks that LLVM made to count
/// an edge are not in the order and are passed over.
fn raw_counts(printed: &str, order: &BTreeMap<(String, String), u64>) -> Vec<(Block, u64)> {
    let mut function = "";
    let mut counts = Vec::new();
    for line in printed.lines() {
        if let Some(name) = line.strip_prefix("pgo-view-raw-counts: ") {
            function = name;
        } else if let Some(rest) = line.trim().strip_prefix("BB: ")
            && let Some((name, rest)) = rest.split_once("  Index=")
            && let Some((_, count)) = rest.split_once("Count=")
            && let Some(&position) = order.get(&(function.to_owned(), name.trim().to_owned()))
        {
            counts.push(((function.to_owned(), position), count.trim().parse().expect("a count")));
        }
    }
    counts
}

#[test]
fn own_programs() {
    for name in ["return.c", "duff.c", "stack.c", "recursion.c", "goto_computed.c"] {
        Referee::of(name).check("source");
        Referee::of(name).check("optimized");
    }
}

/// A program of the corpus that `cargo xtask corpus` prepares (`./x test` does
/// so first); without it there is nothing to ask.
#[test]
fn sqlite() {
    let program = real_program("sqlite");
    let mut flags = program.flags;
    // Lookaside memory compares addresses of the heap, which LLVM's runtime
    // uses too: without it both programs do the same.
    flags.push("-DSQLITE_OMIT_LOOKASIDE".to_owned());
    let referee = Referee {
        bench: Bench::new(),
        sources: program.sources,
        flags,
        libraries: program.libraries,
        arguments: program.small,
    };
    referee.check("optimized");
}

/// A program of `cargo xtask corpus`.
pub(crate) struct RealProgram {
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) flags: Vec<String>,
    pub(crate) libraries: Vec<String>,
    /// Arguments for slow observers.
    pub(crate) small: Vec<String>,
}

/// Finds it by name.
pub(crate) fn real_program(name: &str) -> RealProgram {
    let list = std::env::var_os("OPCOST_CORPUS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/corpus")),
        PathBuf::from,
    );
    let text = std::fs::read_to_string(list.join("corpus.json"))
        .expect("the corpus; run `cargo xtask corpus`, or `./x test`, which does it");
    let list: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let programs = list["programs"].as_array().expect("programs");
    let program = programs.iter().find(|program| program["name"] == name).expect(name);
    let words = |field: &str| -> Vec<String> {
        let words = program[field].as_array().expect(field);
        words.iter().map(|word| word.as_str().expect("text").to_owned()).collect()
    };
    RealProgram {
        sources: words("sources").into_iter().map(PathBuf::from).collect(),
        flags: words("flags"),
        libraries: words("libraries"),
        small: words("small"),
    }
}
