//! Is each thing told as itself?
//!
//! LLVM gives the address of what it deleted to what it makes next. A story that goes by addresses tells that one
//! became the other, and tells it otherwise in the next run.

use serde_json::Value;

use super::{corpus, is_checked, life, opcodes, steps};

/// What a step says: change, opcode, reason.
fn reasons<'a>(life: &'a Value, stage: &str) -> Vec<[&'a str; 3]> {
    let stages = life["stages"].as_array().expect("stages");
    let found = stages.iter().filter(|one| one["stage"] == stage);
    let steps = found.flat_map(|one| one["steps"].as_array().expect("steps"));
    steps
        .filter_map(|step| {
            Some([step["change"].as_str()?, step["opcode"].as_str()?, step["because"].as_str()?])
        })
        .collect()
}

/// A division by a constant becomes a multiplication: seven nodes are selected, each by a reason of its own.
#[test]
fn each_node_has_its_own_reason() {
    let found = life(&[&format!("{}:2", corpus("life/third.c"))]);
    is_checked(&found);
    let selected: Vec<[&str; 2]> =
        reasons(&found, "dag").into_iter().map(|[_, opcode, why]| [opcode, why]).collect();
    let expected = [
        ["MOVSX64rr32", "sign_extend: by the table of patterns"],
        ["IMUL64rri32", "mul: by the table of patterns"],
        ["SHR64ri", "srl: by the table of patterns"],
        ["SHR64ri", "srl: by the table of patterns"],
        ["EXTRACT_SUBREG", "truncate: by the table of patterns"],
        ["EXTRACT_SUBREG", "truncate: by the table of patterns"],
        ["ADD32rr", "add: by the table of patterns"],
        ["RET", "X86ISD::RET_GLUE: by the table of patterns"],
    ];
    assert_eq!(selected, expected);
}

/// Nothing of the division is left when the multiplication is made.
#[test]
fn a_node_does_not_become_another() {
    let found = life(&[&format!("{}:2", corpus("life/third.c"))]);
    let graph = steps(&found, "dag");
    let combined: Vec<(&str, &str)> =
        graph.iter().filter(|step| step[0] == "combine 1").map(|step| (step[1], step[2])).collect();
    assert!(combined.iter().all(|(change, _)| *change != "became"), "{combined:?}");
    assert!(combined.contains(&("went", "sdiv")) && combined.contains(&("new", "mul")), "{combined:?}");
}

/// The branch around the last call takes the call in: that is the machine code of both.
#[test]
fn a_call_on_a_condition_is_the_code_of_the_call() {
    let source = corpus("life/bytewise.cpp");
    let found = life(&[&format!("{source}:8")]);
    is_checked(&found);
    let encoded = steps(&found, "mc");
    assert!(encoded.iter().any(|step| step[3].starts_with("JCC_1 memcpy")), "{encoded:?}");
    assert_eq!(steps(&found, "bytes").len(), encoded.len());
    let stages = found["stages"].as_array().expect("stages");
    let bytes = stages.iter().find(|stage| stage["stage"] == "bytes").expect("bytes");
    assert_eq!(bytes["steps"][0]["certainty"], "inferred", "{bytes}");
    // The condition of the loop is the other half.
    let condition = life(&[&format!("{source}:7")]);
    let of_condition = steps(&condition, "mc");
    assert!(of_condition.iter().any(|step| step[3].starts_with("JCC_1 memcpy")), "{of_condition:?}");
}

/// What another instruction does along with its own work has that for its code.
#[test]
fn a_load_that_an_addition_does_itself_has_code() {
    let source = corpus("life/folded.c");
    let load = life(&["--function", "folded", "--value", "%2", &source]);
    is_checked(&load);
    assert_eq!(opcodes(&load, "ir", "is"), ["load"], "{load:#}");
    assert_eq!(reasons(&load, "dag"), [["went", "load", "folded into ADD32rm"]]);
    let encoded = steps(&load, "mc");
    assert!(encoded.len() == 1 && encoded[0][2] == "ADD32rm", "{encoded:?}");
    let stages = load["stages"].as_array().expect("stages");
    let bytes = stages.iter().find(|stage| stage["stage"] == "bytes").expect("bytes");
    assert_eq!(bytes["steps"][0]["certainty"], "merged", "{bytes}");
    // The addition is told as itself.
    let both = life(&[&format!("{source}:3")]);
    let stages = both["stages"].as_array().expect("stages");
    let bytes = stages.iter().find(|stage| stage["stage"] == "bytes").expect("bytes");
    let places = both["places"].as_array().expect("places");
    let add = bytes["steps"].as_array().expect("steps").iter().find(|step| step["opcode"] == "ADD32rm");
    let add = &add.expect("an addition")["key"];
    assert!(places.iter().any(|place| place["key"] == *add && place["column"] == 12), "{add} {places:?}");
}

/// A branch is no dead code, and not merged with a store.
#[test]
fn a_branch_that_went_says_what_its_block_ends_in() {
    for (name, function) in
        [("life/bytewise.cpp", "bytewise"), ("life/tail.c", "both"), ("life/loop.c", "add")]
    {
        for level in ["-O1", "-O2", "-O3"] {
            let found = life(&[level, "--function", function, &corpus(name)]);
            for [change, opcode, why] in reasons(&found, "ir") {
                let is_branch = matches!(opcode, "br" | "switch" | "ret" | "unreachable");
                if change != "went" || !is_branch {
                    continue;
                }
                assert!(!why.contains("nothing"), "{name} {level} {opcode}: {why}");
                let other = why.split_once('\'').map_or("br", |(_, text)| text);
                let is_terminator =
                    ["br", "switch", "ret", "unreachable"].iter().any(|one| other.starts_with(one));
                assert!(is_terminator, "{name} {level} {opcode}: {why}");
            }
        }
    }
}

/// A call that was inlined went for that, and a function that nothing calls takes all it has along.
#[test]
fn what_was_inlined_says_so() {
    let found = life(&["--function", "first", &corpus("life/calls.c")]);
    let gone = reasons(&found, "ir");
    assert!(gone.contains(&["went", "call", "inlined"]), "{gone:?}");
}

/// Many instructions come and go: whatever the addresses of a run are, the story is the same.
#[test]
fn twenty_stories_are_one() {
    let questions: [&[&str]; 2] = [
        &["-O2", "--function", "main", &corpus("kernel/kn.c")],
        &["-O2", &format!("{}:4", corpus("life/loop.c"))],
    ];
    for question in questions {
        let story = || {
            let mut found = life(question);
            let work = found["coverage"]["work"].as_object_mut().expect("work");
            work.remove("milliseconds").expect("what it took");
            found.to_string()
        };
        let first = story();
        for turn in 1..20 {
            assert!(story() == first, "{question:?}: story {turn} is another");
        }
    }
}
