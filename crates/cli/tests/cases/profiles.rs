//! Does a profile say to clang what was counted, and is it told when it cannot?
//!
//! Referee: what `clang`, `opt` and `llvm-profdata` read of the file.

use opcost_testkit::command::Workplace;

use super::{cases, opcost};

/// Counts a program into `run.opc`, whatever its status is.
fn counted(place: &Workplace, line: &str) {
    opcost(place, &format!("count -i --ledger run.opc {line}")).expect(0);
}

/// What a tool prints on both streams.
fn tool(place: &Workplace, line: &str) -> String {
    let mut words = line.split(' ');
    let name = words.next().expect("a tool");
    let said = place.tool(name, &words.collect::<Vec<_>>());
    format!("{}{}", said.stdout, said.stderr)
}

#[test]
fn ledgers_of_two_anchors_are_not_compared() {
    let place = cases();
    opcost(&place, "count --ledger one.opc toy.c").expect(0);
    opcost(&place, "count --anchor source --ledger two.opc toy.c").expect(0);
    let said = opcost(&place, "diff --fail-on more-work one.opc two.opc").expect(1);
    assert!(said.stderr.contains("anchor: optimized before, source after"), "{}", said.stderr);
    opcost(&place, "diff --force one.opc two.opc").expect(0);
    let report = opcost(&place, "report two.opc").expect(0);
    let both = format!("{}{}", report.stdout, report.stderr);
    assert!(both.contains("anchor source, clang"), "{both}");
}

#[test]
fn clang_reads_blocks_of_one_line_with_counts_of_their_own() {
    let place = cases();
    counted(&place, "loop25.c");
    opcost(&place, "export --to llvm-sample run.opc -o run.prof").expect(0);
    tool(
        &place,
        "clang-22 -O2 -gline-tables-only -fprofile-sample-use=run.prof -S -emit-llvm -o used.ll loop25.c",
    );
    let used = place.read("used.ll");
    assert!(used.contains("!\"branch_weights\", i32 1000}"), "the call of g: {used}");
    // No discriminators are there before any pass ran.
    counted(&place, "--anchor source loop25.c");
    let refused = opcost(&place, "export --to llvm-sample run.opc -o none.prof").expect(1).stderr;
    assert!(refused.contains("1040 and 40 times") && refused.contains("--anchor pgo"), "{refused}");
}

#[test]
fn a_target_has_its_share_of_all_calls() {
    let place = cases();
    counted(&place, "--anchor pgo targets93.c");
    opcost(&place, "export --to profdata run.opc -o run.profdata").expect(0);
    tool(&place, "clang-22 -O2 -fprofile-use=run.profdata -S -emit-llvm -o used.ll targets93.c");
    let used = place.read("used.ll");
    let promoted = used.contains("icmp eq ptr");
    assert!(!promoted && used.contains("!\"VP\", i32 0, i64 100000, "), "{used}");
}

#[test]
fn a_loop_with_two_ways_in_has_its_counts() {
    let place = cases();
    counted(&place, "irreducible.c");
    opcost(&place, "export --to bitcode run.opc -o run.bc").expect(0);
    let read = tool(&place, "opt-22 -passes=print<block-freq> -disable-output run.bc");
    for count in ["107712", "11639"] {
        let wanted = format!("count = {count}, irr_loop_header_weight = {count}");
        assert!(read.contains(&wanted), "{wanted}: {read}");
    }
}

#[test]
fn a_count_at_its_end_is_no_mark_of_llvm() {
    let place = cases();
    counted(&place, "--anchor pgo many_targets.c -- 1000");
    for _ in 0..60 {
        opcost(&place, "merge run.opc run.opc -o twice.opc").expect(0);
        std::fs::rename(place.path("twice.opc"), place.path("run.opc")).expect("renamed");
    }
    opcost(&place, "export --to profdata run.opc -o run.profdata").expect(0);
    let shown = tool(&place, "llvm-profdata-22 show --all-functions --counts run.profdata");
    assert!(shown.contains("[18446744073709551613]"), "the largest count: {shown}");
    assert_eq!(shown.matches("Block counts: [").count(), 31, "{shown}");
}

#[test]
fn a_run_that_was_ended_is_told() {
    let place = cases();
    counted(&place, "--anchor pgo aborted.c");
    for line in [
        "export --to profdata run.opc -o run.profdata",
        "tune --only profile --profile run.opc --runs 0 aborted.c -o tuned",
    ] {
        let said = opcost(&place, line).stderr;
        assert!(said.contains("run.opc: signal 6 ended the program"), "{line}: {said}");
    }
}
