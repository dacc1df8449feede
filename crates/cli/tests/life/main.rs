//! Does the story of an instruction say what LLVM did?
//!
//! Bendersky's function first; then loops, calls, merged ends;
//! three machines at four levels, where watching must change nothing.

mod asked;
mod beside;
mod bytes;
mod counted;
mod drawn;
mod inputs;
mod joined;
mod page;
mod possible;
mod reasons;
mod recorded;
mod selected;
mod sweep;

use opcost_testkit::command::{ProgramOutput, Workplace, corpus};
use serde_json::Value;

fn workplace() -> Workplace {
    Workplace::new(env!("CARGO_BIN_EXE_opcost"))
}

/// Runs the command where no file is.
fn opcost(arguments: &[&str]) -> ProgramOutput {
    workplace().opcost(arguments)
}

/// The document of a life that was recorded.
fn life(arguments: &[&str]) -> Value {
    let all: Vec<&str> = ["life", "--json", "-"].iter().chain(arguments).copied().collect();
    let said = opcost(&all);
    assert_eq!(said.status, 0, "{arguments:?}: {}", said.stderr);
    said.json()
}

/// The steps of a stage: pass, what happened, opcode, text.
fn steps<'a>(life: &'a Value, stage: &str) -> Vec<[&'a str; 4]> {
    let stages = life["stages"].as_array().expect("stages");
    let found = stages.iter().find(|one| one["stage"] == stage);
    let steps = found.and_then(|one| one["steps"].as_array()).into_iter().flatten();
    steps
        .map(|step| ["pass", "change", "opcode", "text"].map(|key| step[key].as_str().expect("a text")))
        .collect()
}

fn opcodes<'a>(life: &'a Value, stage: &str, change: &str) -> Vec<&'a str> {
    steps(life, stage).into_iter().filter(|step| step[1] == change).map(|step| step[2]).collect()
}

fn is_checked(life: &Value) {
    assert_eq!(life["self_check"]["text_identical"], true, "{life:#}");
    assert_eq!(life["self_check"]["compiler_identical"], true, "{life:#}");
}

/// Bendersky, "Life of an instruction in LLVM" (2012), stage by stage.
#[test]
fn the_division_of_the_source_document() {
    let source = corpus("life/foo.c");
    let life = life(&[&format!("{source}:3:14")]);
    is_checked(&life);
    let tree = steps(&life, "ast");
    assert!(
        tree.iter().any(|step| step[0] == "3:14 /" && step[3].contains("BinaryOperator int '/'")),
        "{tree:?}"
    );
    assert_eq!(opcodes(&life, "ir", "is"), ["sdiv"]);
    assert_eq!(opcodes(&life, "dag", "is"), ["sdiv"]);
    let graph = steps(&life, "dag");
    let legal = graph.iter().find(|step| step[2] == "sdivrem" && step[1] == "new").expect("sdivrem");
    assert_eq!(legal[0], "legalise operations");
    let reasons: Vec<&Value> = life["stages"]
        .as_array()
        .expect("stages")
        .iter()
        .flat_map(|stage| stage["steps"].as_array().expect("steps"))
        .map(|step| &step["because"])
        .collect();
    assert!(reasons.iter().any(|reason| **reason == "sdiv i32: Expand"), "{reasons:?}");
    let selected: Vec<&str> =
        graph.iter().filter(|step| step[0] == "select" && step[1] == "new").map(|step| step[2]).collect();
    for operation in ["CopyToReg", "CDQ", "IDIV32r", "CopyFromReg"] {
        assert!(selected.contains(&operation), "{selected:?}");
    }
    let machine = steps(&life, "mir");
    let of_division: Vec<&[&str; 4]> = machine.iter().filter(|step| step[2] == "IDIV32r").collect();
    assert!(of_division[0][3].contains("IDIV32r %2"), "virtual first: {machine:?}");
    assert!(of_division.last().expect("steps")[3].contains("$ecx"), "physical then: {machine:?}");
    let encoded: Vec<&str> =
        steps(&life, "mc").iter().map(|step| step[3].split(' ').next().expect("a word")).collect();
    assert_eq!(encoded, ["MOV32rr", "CDQ", "IDIV32r"], "the divisor's copy serves the division alone");
    let bytes: Vec<(&str, &str)> = steps(&life, "bytes").iter().map(|step| (step[0], step[3])).collect();
    assert_eq!(bytes, [("+0x0", "89 d1"), ("+0x5", "99"), ("+0x6", "f7 f9")]);
    let stages = life["stages"].as_array().expect("stages");
    let code = stages.iter().find(|stage| stage["stage"] == "bytes").expect("bytes");
    let certain: Vec<&Value> =
        code["steps"].as_array().expect("steps").iter().map(|step| &step["certainty"]).collect();
    assert_eq!(certain, ["inferred", "exact", "exact"]);
}

#[test]
fn an_addition_becomes_a_lea() {
    let source = corpus("life/foo.c");
    let life = life(&["--function", "foo", "--value", "add", &source]);
    is_checked(&life);
    assert!(opcodes(&life, "mir", "is").iter().any(|opcode| opcode.starts_with("ADD32rr")));
    let machine = steps(&life, "mir");
    assert!(machine.iter().any(|step| step[2].starts_with("LEA64_32r")), "{machine:?}");
    let bytes: Vec<&str> = steps(&life, "bytes").iter().map(|step| step[3]).collect();
    assert_eq!(bytes, ["8d 04 37"]);
}

#[test]
fn a_loop_becomes_vectors_and_a_rest() {
    let life = life(&[&format!("{}:4", corpus("life/loop.c"))]);
    is_checked(&life);
    let code = steps(&life, "ir");
    let vectors =
        code.iter().filter(|step| step[0] == "loop-vectorize" && step[3].contains("add nsw <4 x i32>"));
    assert!(vectors.count() > 0, "{code:#?}");
    let machine: Vec<&str> = steps(&life, "mc").iter().map(|step| step[2]).collect();
    assert!(machine.iter().any(|opcode| opcode.starts_with("PADDD")), "{machine:?}");
    assert!(machine.iter().any(|opcode| opcode.starts_with("ADD32")), "{machine:?}");
}

#[test]
fn what_was_inlined_is_followed_in_each_caller() {
    let source = corpus("life/calls.c");
    let life = life(&[&format!("{source}:3")]);
    is_checked(&life);
    let stages = life["stages"].as_array().expect("stages");
    let bytes = stages.iter().find(|stage| stage["stage"] == "bytes").expect("bytes");
    let functions: Vec<&str> = bytes["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| step["function"].as_str().expect("a name"))
        .collect();
    assert!(functions.contains(&"first") && functions.contains(&"second"), "{functions:?}");
}

#[test]
fn what_instcombine_removed_says_why() {
    let life = life(&[&format!("{}:9:18", corpus("life/calls.c"))]);
    is_checked(&life);
    let stages = life["stages"].as_array().expect("stages");
    let code = stages.iter().find(|stage| stage["stage"] == "ir").expect("ir");
    let gone: Vec<&Value> =
        code["steps"].as_array().expect("steps").iter().filter(|step| step["change"] == "went").collect();
    assert!(
        gone.iter().any(|step| step["opcode"] == "sdiv"
            && step["because"].as_str().is_some_and(|why| why.starts_with("it is %a"))),
        "{gone:#?}"
    );
    assert!(stages.iter().all(|stage| stage["stage"] != "bytes"), "nothing of it is left");
}

#[test]
fn an_end_that_was_merged_says_with_what() {
    let life = life(&["--function", "both", &corpus("life/tail.c")]);
    is_checked(&life);
    let products = steps(&life, "ir").iter().filter(|step| step[1] == "is" && step[2] == "mul").count();
    assert_eq!(products, 2, "{life:#}");
    let stages = life["stages"].as_array().expect("stages");
    let code = stages.iter().find(|stage| stage["stage"] == "ir").expect("ir");
    let is_merged = |step: &&Value| {
        step["change"] == "went" && step["because"].as_str().is_some_and(|why| why.starts_with("merged with"))
    };
    let merged: Vec<&str> = code["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .filter(is_merged)
        .map(|step| step["opcode"].as_str().expect("a text"))
        .collect();
    assert!(merged.contains(&"call"), "{merged:?}");
}

/// Whatever the machine and the level, the code is that of a build that nobody
/// watched and of clang itself.
#[test]
fn watching_changes_nothing() {
    for target in ["x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu"] {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            for (name, line) in [("life/foo.c", 3), ("life/loop.c", 4), ("life/calls.c", 3)] {
                let source = format!("{}:{line}", corpus(name));
                let found = life(&["--target", target, level, &source]);
                assert_eq!(found["self_check"]["text_identical"], true, "{target} {level} {name}");
                assert_eq!(found["self_check"]["compiler_identical"], true, "{target} {level} {name}");
                let stages = found["stages"].as_array().expect("stages");
                assert!(stages.iter().any(|stage| stage["stage"] == "mir"), "{target} {level} {name}");
            }
        }
    }
}

#[test]
fn real_programs_are_what_clang_makes_of_them() {
    for (program, function) in [("kernel/kn.c", "main"), ("portable/contest.cpp", "main")] {
        let found = life(&["--function", function, &corpus(program)]);
        is_checked(&found);
        let coverage = &found["coverage"];
        let number = |key: &str| coverage[key].as_u64().expect("a number");
        assert!(number("keyed") * 10 >= number("instructions") * 9, "{coverage}");
        assert_eq!(number("explained"), number("instructions"), "{coverage}");
    }
}

#[test]
fn wrong_questions_are_answered_with_what_to_do() {
    let source = corpus("life/foo.c");
    let cases: [(&[&str], i32, &str); 6] = [
        (&[&source], 2, "which instruction?"),
        (&[&format!("{source}:4000")], 2, "the nearest line that has is"),
        (&[&format!("{source}:3:1")], 2, "has no code in that column"),
        (&["--function", "fou", &source], 2, "no function is called 'fou'; did you mean foo?"),
        (&["--function", "foo", "--value", "nothing", &source], 2, "foo has no value nothing"),
        (&["--target", "nowhere-unknown-none", &format!("{source}:3")], 1, "clang"),
    ];
    for (arguments, status, words) in cases {
        let all: Vec<&str> = ["life"].iter().chain(arguments).copied().collect();
        let output = opcost(&all);
        let said = &output.stderr;
        assert_eq!(output.status, status, "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_terminal_shows_the_way_on_one_screen() {
    let output = opcost(&["life", &format!("{}:3:14", corpus("life/foo.c"))]);
    let text = &output.stdout;
    assert!(text.lines().count() <= 40, "{text}");
    let mut from = 0;
    for words in ["BinaryOperator", "sdiv", "sdivrem", "IDIV32r", "$ecx", "f7 f9", "identical to clang"] {
        let at =
            text[from..].find(words).unwrap_or_else(|| panic!("{words} is missing or too early\n{text}"));
        from += at;
    }
}
