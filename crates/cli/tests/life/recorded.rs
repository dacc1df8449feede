//! Is all of the machine code explained, is inference right, and is the work in
//! proportion to what changed?

use opcost_testkit::command::corpus;
use serde_json::Value;

use super::{is_checked, life, steps};

fn number(of: &Value, name: &str) -> u64 {
    of[name].as_u64().unwrap_or_else(|| panic!("{name}: {of}"))
}

#[test]
fn a_c_program_is_explained_and_printed_only_where_it_changes() {
    let found = life(&["--function", "main", &corpus("portable/contest.cpp")]);
    is_checked(&found);
    let coverage = &found["coverage"];
    let all = number(coverage, "instructions");
    assert!(all > 20_000, "{coverage}");
    assert_eq!(number(coverage, "explained"), all, "{coverage}");
    assert!(number(coverage, "keyed") * 100 >= all * 90, "{coverage}");
    // What has no key has a kind and a maker, and these add up.
    let reasons = coverage["reasons"].as_object().expect("reasons");
    let sum: u64 = reasons.values().filter_map(Value::as_u64).sum();
    assert_eq!(sum, all - number(coverage, "keyed"), "{coverage}");
    assert!(reasons.keys().all(|reason| reason.contains(": ")), "{coverage}");
    assert!(reasons.keys().any(|reason| reason.starts_with("frame set-up: Prologue")), "{coverage}");
    // Where LLVM itself kept the location of a copy or a constant.
    let referee = &coverage["referee"];
    let (right, wrong) = (number(referee, "right"), number(referee, "wrong"));
    assert!(right > 1000 && wrong * 100 <= right, "{referee}");
    // Printed is what is told, not what is looked at.
    let work = &coverage["work"];
    let told: usize = ["ir", "dag", "mir"].iter().map(|stage| steps(&found, stage).len()).sum();
    assert!(number(work, "printed") <= told as u64, "{work} {told}");
    assert!(number(work, "printed") * 10 <= number(work, "compared"), "{work}");
}

/// Both arms of the branch end in one call: each is followed into it.
#[test]
fn a_merged_call_is_followed_from_both_of_its_lines() {
    let source = corpus("life/tail.c");
    let mut bytes = Vec::new();
    for line in [5, 8] {
        let found = life(&[&format!("{source}:{line}")]);
        is_checked(&found);
        let stages = found["stages"].as_array().expect("stages");
        let code = stages.iter().find(|stage| stage["stage"] == "bytes").expect("bytes of a merged call");
        let calls = code["steps"].as_array().expect("steps").iter();
        let calls: Vec<&Value> = calls
            .filter(|step| step["opcode"].as_str().is_some_and(|word| word.starts_with("CALL")))
            .collect();
        assert_eq!(calls.len(), 1, "{code:#}");
        assert_eq!(calls[0]["certainty"], "merged");
        bytes.push((calls[0]["pass"].clone(), calls[0]["text"].clone()));
    }
    assert_eq!(bytes[0], bytes[1], "it is one call");
}

#[test]
fn selection_without_graphs_goes_by_its_name() {
    let source = format!("{}:3", corpus("life/foo.c"));
    let passes = |found: &Value| -> Vec<String> {
        steps(found, "mir").iter().map(|step| step[0].to_owned()).collect()
    };
    let fast = life(&["-O0", &source]);
    assert_eq!(passes(&fast)[0], "FastISel", "{fast:#}");
    assert!(steps(&fast, "dag").is_empty());
    let fallen = life(&["-O0", &format!("{}:3", corpus("life/wide.c"))]);
    assert!(passes(&fallen)[0].starts_with("FastISel, fell back to "), "{:?}", passes(&fallen));
    assert!(steps(&fallen, "dag").iter().any(|step| step[0] == "select"));
    let global = passes(&life(&["-O0", "--target", "aarch64-linux-gnu", &source]));
    for pass in ["IRTranslator", "RegBankSelect", "InstructionSelect"] {
        assert!(global.iter().any(|known| known == pass), "{pass}: {global:?}");
    }
}

/// What the target wants done with an operation is told where it is not legal;
/// where it is, how it was selected.
#[test]
fn the_legaliser_says_why_on_each_machine() {
    for (target, action) in [
        ("x86_64-linux-gnu", "srem i32: Expand"),
        ("aarch64-linux-gnu", "srem i32: Expand"),
        // One instruction does it there.
        ("riscv64-linux-gnu", "srem: by the table of patterns"),
    ] {
        let found = life(&["--target", target, &format!("{}:3", corpus("life/rest.c"))]);
        is_checked(&found);
        let told = found["stages"].as_array().expect("stages").iter();
        let told: Vec<&str> = told
            .flat_map(|stage| stage["steps"].as_array().expect("steps"))
            .filter_map(|step| step["because"].as_str())
            .collect();
        assert!(told.contains(&action), "{target}: {told:?}");
    }
}
