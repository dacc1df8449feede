//! Is nothing called exact that a guess is in, or that nobody followed?
//!
//! Cycles with several entries, recursion that only a guessed loop reaches, ways of a switch that are as likely by
//! every measure, and names that another function has as well.

use serde_json::Value;

use super::{cases, json, opcost};

/// Blocks of a function: how often each runs, and whether that is exact.
fn blocks(predicted: &Value, function: &str) -> Vec<(u64, bool)> {
    let all = predicted["blocks"].as_array().expect("blocks").iter();
    let own = all.filter(|block| {
        block["function"].as_str().is_some_and(|key| key.split('@').next_back() == Some(function))
    });
    own.map(|block| (block["executions"].as_u64().unwrap_or(0), block["exact"] == true)).collect()
}

#[test]
fn what_comes_after_a_cycle_with_several_entries_is_not_exact() {
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let predicted = json(&format!("predict {level} several_entries.c -- 9"));
        let wrong = blocks(&predicted, "duff").into_iter().any(|(times, is_exact)| is_exact && times == 0);
        assert!(!wrong, "{level}: a block that runs is called exact and never run");
    }
}

#[test]
fn recursion_that_a_guessed_loop_reaches_is_unknown() {
    let predicted = json("predict -O0 recursion_in_test.c");
    assert!(blocks(&predicted, "hgt").into_iter().all(|(_, is_exact)| !is_exact), "{predicted}");
}

#[test]
fn a_slice_leaves_out_no_loop_that_nobody_counted() {
    let place = cases();
    for line in [
        "slice --level 4 --verify -O1 several_entries_before.c -- 9",
        "slice --level 4 --verify -O1 recursion_in_guess.c -- 13 4",
        "slice --level 4 --verify -O1 names_of_main.c -- 5 6",
        "slice --level 1 --verify -O0 returned_flag.c",
    ] {
        let said = opcost(&place, line);
        assert_eq!(said.status, 0, "{line}: {}{}", said.stdout, said.stderr);
    }
}

#[test]
fn words_of_the_command_line_are_those_of_main() {
    for level in ["-O0", "-O1", "-O2"] {
        let line = format!("{level} --stdout out names_of_main.c -- 5 6");
        let counted = json(&format!("count {line}"))["total"].clone();
        assert_eq!(json(&format!("predict {level} names_of_main.c -- 5 6"))["total"], counted, "{level}");
    }
}

#[test]
fn ways_that_are_alike_by_two_measures_are_guesses() {
    let words = "2 2 2 2 9 9 9 9 9 9 9 9 9 9 9 9";
    let predicted = json(&format!("predict -O0 middle_case.c -- {words}"));
    let exact: Vec<bool> = blocks(&predicted, "sel").into_iter().map(|(_, is_exact)| is_exact).collect();
    assert_eq!(exact, [true, false, false, true]);
}

/// What runs after `main` has its loops counted, too.
#[test]
fn a_slice_counts_what_destructors_do() {
    let predicted = json("predict --by-slice -O0 in_destructor.c");
    let own = blocks(&predicted, "after");
    assert!(own.iter().any(|(times, _)| *times == 5), "{own:?}");
    let said = opcost(&cases(), "slice --verify -O0 in_destructor.c");
    assert_eq!(said.status, 0, "{}", said.stderr);
}

/// `argv` and its strings are the program's own to change: by a store, by a copy, by `getopt`, which sorts them.
#[test]
fn words_that_the_program_changes_are_no_inputs() {
    let place = cases();
    let of_store = ["", "-DCH", "-DCPY", "-DSWAP"].map(|flag| ("argv_store.c", flag, "17 25"));
    let of_getopt = [("", "5 -k 25"), ("-DQSORT", "17 25"), ("-DHELP", "17 25"), ("-DSPR", "17")];
    let of_getopt = of_getopt.map(|(flag, words)| ("argv_getopt.c", flag, words));
    for (program, flag, words) in of_store.into_iter().chain(of_getopt) {
        for level in ["-O0", "-O2"] {
            let line =
                format!("{level} --cflag=-w --cflag={flag} {program} -- {words}").replace("--cflag= ", "");
            let said = opcost(&place, &format!("slice --level 4 --verify {line}"));
            assert_eq!(said.status, 0, "{line}: {}", said.stdout);
            let predicted = json(&format!("predict {line}"));
            let counted = json(&format!("count --stdout out {line}"))["total"].clone();
            let is_exact =
                predicted["blocks"].as_array().expect("blocks").iter().all(|block| block["exact"] == true);
            assert!(!is_exact || predicted["total"] == counted, "{line}: {}", predicted["total"]);
        }
    }
}
