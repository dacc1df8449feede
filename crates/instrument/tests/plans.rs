//! Are plans right? Text in, edits and equal counts out, without LLVM.
//!
//! Each file of `cases/` is a module with what is expected of its plan as
//! comments; `OPCOST_BLESS=1 cargo test -p opcost-instrument` writes them anew.
//! Every case, and thousands of random modules, are walked through at random
//! (`walk`), and the counts that `opcost-recover` makes of what the plan counted
//! are compared with what the walk did, instruction by instruction and edge by
//! edge (`check`). Meterings are walked through likewise (`meter`).

#[path = "plans/check.rs"]
mod check;
#[path = "plans/dice.rs"]
mod dice;
#[path = "plans/edits.rs"]
mod edits;
#[path = "plans/meter.rs"]
mod meter;
#[path = "plans/random.rs"]
mod random;
#[path = "plans/render.rs"]
mod render;
#[path = "plans/turns.rs"]
mod turns;
#[path = "plans/values.rs"]
mod values;
#[path = "plans/walk.rs"]
mod walk;

use std::path::Path;

use opcost_index::Id;
use opcost_instrument::{CostModel, CostTable};
use opcost_ir::parse_module;
use opcost_key::{FunctionId, FunctionKey, Placement};
use proptest::prelude::*;

/// Text of a case without what is expected, and what is expected.
fn split(text: &str) -> (String, String) {
    let is_expected = |line: &&str| line.starts_with("; expect ");
    let join = |lines: Vec<&str>| lines.into_iter().map(|line| format!("{line}\n")).collect();
    let (expected, rest) = text.lines().partition(is_expected);
    (join(rest), join(expected))
}

/// A map says what a local function was called before its module was linked to others.
#[test]
fn maps_keep_the_homes_of_local_functions() {
    let text = "define internal void @step.1() {\n  ret void\n}\n\
        define internal void @own() {\n  ret void\n}\ndefine void @main() {\n  ret void\n}\n";
    let mut module = parse_module(text).expect("a module");
    let home: FunctionKey = "b.c@step".parse().expect("a key");
    // Of a function that all can name nothing is believed.
    module.homes = [0, 2].map(|at| (FunctionId::new(at), home.clone())).into_iter().collect();
    let map = check::planned(&module, CostModel::Unit, Placement::Chords).expect("it can be counted").map;
    let keys = map.functions.values().map(|function| function.key(&map.module).to_string());
    assert_eq!(keys.collect::<Vec<_>>(), ["b.c@step", "case@own", "@main"]);
}

#[test]
fn cases_are_planned_as_expected_and_count_what_runs() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = std::fs::read_dir(directory).expect("the cases are there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a case is a text");
        let name = path.display();
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let is_block_size = text.contains("; cost block-size/1\n");
        let cost = if is_block_size { CostModel::BlockSize } else { CostModel::Unit };
        let made = check::planned(&module, cost.clone(), Placement::Chords).expect("the case can be counted");
        let (rest, expected) = split(&text);
        let found = render::plan(&module, &made);
        if std::env::var_os("OPCOST_BLESS").is_some() {
            std::fs::write(&path, format!("{}\n{found}", rest.trim_end())).expect("the case can be written");
        } else {
            assert_eq!(found, expected, "{name}");
        }
        for overshoot in [None, Some(10), Some(100), Some(1_000_000)] {
            for is_whole in [false, true] {
                let ended = (0..100).filter(|&seed| meter::walks_pay(&module, overshoot, is_whole, seed));
                assert!(ended.count() > 0, "{name}: no metered walk came to an end");
            }
        }
        // Each walk's paths are held against its edges where counts are recovered.
        let paths = check::planned(&module, cost.clone(), Placement::Paths).expect("as before");
        let ended = (0..200).filter(|&seed| check::walks_agree(&module, &paths, seed)).count();
        assert!(ended > 0, "{name}: no walk came to an end");
        let referee = check::planned(&module, cost, Placement::EverySegment).expect("as before");
        let ended = (0..200).filter(|&seed| check::walks_agree(&module, &made, seed)).count();
        assert!(ended > 0, "{name}: no walk came to an end");
        (0..50).for_each(|seed| {
            check::walks_agree(&module, &referee, seed);
        });
    }
}

/// Counters that a run placed count the same, and less often.
#[test]
fn counters_go_where_little_ran() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut less = 0;
    for entry in std::fs::read_dir(directory).expect("the cases are there") {
        let path = entry.expect("an entry").path();
        let module = parse_module(&std::fs::read_to_string(&path).expect("a text")).expect("a module");
        let mut sums = [0, 0];
        for counted in (0..100).filter_map(|seed| check::counted_by_code_and_by_run(&module, seed)) {
            sums = [sums[0] + counted[0], sums[1] + counted[1]];
        }
        assert!(sums[1] <= sums[0], "{}: {sums:?}", path.display());
        less += usize::from(sums[1] < sums[0]);
    }
    assert!(less > 5, "{less} of all cases");
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_modules_count_what_runs(bytes in proptest::collection::vec(any::<u8>(), 0..160)) {
        let text = random::module(&bytes);
        let module = parse_module(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        for placement in [Placement::Chords, Placement::EverySegment, Placement::Paths] {
            let cost = CostModel::Table(CostTable::fuel());
            if let Ok(made) = check::planned(&module, cost, placement) {
                (0..8).for_each(|seed| {
                    check::walks_agree(&module, &made, seed);
                });
            }
        }
        (0..4).for_each(|seed| {
            check::counted_by_code_and_by_run(&module, seed);
        });
    }

    #[test]
    fn random_modules_pay_for_what_runs(bytes in proptest::collection::vec(any::<u8>(), 0..160)) {
        let text = random::module(&bytes);
        let module = parse_module(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        for overshoot in [None, Some(8), Some(60), Some(1_000)] {
            (0..8).for_each(|seed| {
                meter::walks_pay(&module, overshoot, seed % 2 == 0, seed);
            });
        }
    }
}
