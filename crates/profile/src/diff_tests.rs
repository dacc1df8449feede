//! Cases of the comparison of two ledgers: a verdict each, and what is refused.

use opcost_key::{Anchor, Hash128};

use super::{CountChange, DiffVerdict, FunctionDiff, diff};
use crate::example::{facts_of, function, ledger, line, place, program, sample};
use crate::{Ledger, Quality};

fn change(before: u128, after: u128) -> CountChange {
    CountChange { before: Some(before), after: Some(after) }
}

/// The one function of two ledgers, compared.
fn only(before: &Ledger, after: &Ledger) -> FunctionDiff {
    let mut functions = diff(before, after, false).unwrap().functions;
    assert_eq!(functions.len(), 1);
    functions.remove(0)
}

#[test]
fn a_ledger_is_the_same_as_itself() {
    let same = diff(&sample(), &sample(), false).unwrap();
    assert!(same.functions.iter().all(|function| function.verdict == DiffVerdict::Same), "{same:?}");
    assert!(same.lines.is_empty() && same.unlike.is_empty() && same.total.is_none());
}

#[test]
fn each_verdict_has_its_case() {
    let before = ledger(facts_of(&function("f", 1, 1), 2, 100, &[2, 20]));
    let verdict = |shape, body, calls, work, blocks: &[u64]| {
        only(&before, &ledger(facts_of(&function("f", shape, body), calls, work, blocks))).verdict
    };
    assert_eq!(verdict(1, 1, 2, 100, &[2, 20]), DiffVerdict::Same);
    assert_eq!(verdict(1, 1, 2, 101, &[2, 21]), DiffVerdict::MoreWork);
    assert_eq!(verdict(1, 2, 2, 99, &[2, 20]), DiffVerdict::LessWork);
    assert_eq!(verdict(3, 2, 2, 100, &[2]), DiffVerdict::SameWorkOtherCode);
    assert_eq!(verdict(1, 1, 3, 100, &[3, 19]), DiffVerdict::SameTotalOtherFlow);
    let moved = ledger(facts_of(&function("g", 1, 1), 2, 100, &[2, 20]));
    let only_moved = only(&before, &moved);
    assert_eq!((&*only_moved.key.name, only_moved.verdict), ("g", DiffVerdict::Moved));
    assert_eq!(only_moved.was.expect("it had another name").name.as_ref(), "f");
    let other = ledger(facts_of(&function("g", 1, 7), 2, 100, &[2, 20]));
    let functions = diff(&before, &other, false).unwrap().functions;
    let verdicts: Vec<_> = functions.iter().map(|f| (&*f.key.name, f.verdict)).collect();
    assert_eq!(verdicts, [("f", DiffVerdict::Removed), ("g", DiffVerdict::New)]);
    assert_eq!(functions[1].instructions, CountChange { before: None, after: Some(100) });
    assert_eq!(DiffVerdict::SameWorkOtherCode.to_string(), "same work with different code");
}

#[test]
fn of_totals_that_are_not_exact_nothing_is_said() {
    let exact = facts_of(&function("f", 1, 1), 2, 100, &[2, 20]);
    let mut killed = facts_of(&function("f", 1, 1), 1, 50, &[1, 10]);
    killed[1].quality = Quality::LowerBound;
    assert_eq!(only(&ledger(exact.clone()), &ledger(killed)).verdict, DiffVerdict::Unsure);
    let mut unknown = exact.clone();
    unknown[1].quality = Quality::Unknown("not recorded".into());
    unknown[1].value = None;
    let found = only(&ledger(unknown), &ledger(exact));
    assert_eq!((found.verdict, found.instructions.before), (DiffVerdict::Unsure, None));
}

#[test]
fn blocks_compare_only_where_anchor_and_shape_agree() {
    let before = ledger(facts_of(&function("f", 1, 1), 2, 100, &[2, 20, 2]));
    let mut after = ledger(facts_of(&function("f", 1, 2), 2, 110, &[2, 30, 2]));
    assert_eq!(only(&before, &after).blocks, Some(vec![(1, change(20, 30))]));
    after.about.modules[0].anchor = Anchor::Source;
    assert!(diff(&before, &after, false).is_err());
    assert_eq!(diff(&before, &after, true).unwrap().functions[0].blocks, None);
    let reshaped = ledger(facts_of(&function("f", 9, 2), 2, 110, &[2, 30, 2]));
    assert_eq!(only(&before, &reshaped).blocks, None);
}

#[test]
fn lines_and_the_total_compare() {
    let with_texts = |mut ledger: Ledger, texts: &[(u32, u32)]| {
        texts.iter().for_each(|&(line, text)| ledger.about.texts.insert(place(line), text));
        ledger
    };
    let before = ledger(vec![line(1, 10), line(2, 5), line(3, 7), program(22)]);
    let before = with_texts(before, &[(1, 11), (2, 12), (3, 13)]);
    // A line behind the first, and the last one is gone.
    let after = ledger(vec![line(1, 10), line(2, 7), line(3, 6), program(23)]);
    let after = with_texts(after, &[(1, 11), (2, 14), (3, 12)]);
    let diff = diff(&before, &after, false).unwrap();
    assert_eq!(diff.total, change(22, 23));
    let lines: Vec<_> =
        diff.lines.iter().map(|line| (line.place().map(|at| at.line), line.instructions)).collect();
    let gone = CountChange { before: Some(7), after: None };
    let new = CountChange { before: None, after: Some(7) };
    assert_eq!(lines, [(Some(2), new), (Some(3), change(5, 6)), (Some(3), gone)]);
    assert_eq!(diff.lines[1].before, Some(place(2)));
    assert!(diff.unaligned.is_empty());
}

/// An inline function has a copy in each module; a static one is its module's.
#[test]
fn copies_of_a_function_add_and_local_ones_stay_apart() {
    let of = |module: &str, name: &str, work| {
        let mut function = (*function(name, 1, 1)).clone();
        function.module = module.into();
        facts_of(&function.into(), 1, work, &[1])
    };
    let before = ledger([of("a.c", "shared", 10), of("b.c", "shared", 20)].concat());
    let after = ledger(of("c.c", "shared", 30));
    let shared = only(&before, &after);
    assert_eq!((shared.instructions, shared.calls), (change(30, 30), change(2, 1)));
    assert_eq!(shared.verdict, DiffVerdict::SameTotalOtherFlow);
    let locals = ledger([of("a.c", "local", 10), of("b.c", "local", 20)].concat());
    let functions = diff(&locals, &locals, false).unwrap().functions;
    assert_eq!(
        functions.iter().map(|f| f.key.module.as_deref()).collect::<Vec<_>>(),
        [Some("a.c"), Some("b.c")]
    );
}

#[test]
fn unlike_ledgers_are_refused_with_every_reason_unless_forced() {
    let before = sample();
    let mut after = sample();
    let build = &mut after.about.modules[0].build;
    build.compiler = "clang 23.0.0".into();
    build.flags = vec!["-O3".into(), "-g".into()];
    build.target = "aarch64-linux-gnu".into();
    after.about.cost.hash = Hash128(4);
    after.about.runs = 2;
    let refused = diff(&before, &after, false).unwrap_err();
    let what: Vec<_> = refused.reasons.iter().map(|reason| reason.what).collect();
    assert_eq!(what, ["compiler", "flags", "target", "cost model", "number of runs"]);
    let text = refused.to_string();
    assert!(text.contains("compiler: clang 22.1.8 before, clang 23.0.0 after"), "{text}");
    assert!(text.contains("flags: '-O2' before, '-O3 -g' after") && text.contains("--force"), "{text}");
    let forced = diff(&before, &after, true).unwrap();
    assert_eq!(forced.unlike, refused.reasons);
    assert!(forced.functions.iter().all(|function| function.verdict == DiffVerdict::Same));
}

/// Facts of a local `step` of a module with this much work; `home` if it was linked.
fn step_of(name: &str, module: &str, home: Option<&str>, work: u64) -> Vec<crate::Fact> {
    let mut function = (*function("local", 1, 1)).clone();
    (function.name, function.module) = (name.into(), module.into());
    function.home = home.map(|home| home.parse().expect("a key"));
    facts_of(&function.into(), 1, work, &[1])
}

fn told(before: &Ledger, after: &Ledger) -> Vec<(String, DiffVerdict)> {
    let functions = diff(before, after, false).unwrap().functions;
    let name = |f: &FunctionDiff| format!("{}@{}", f.key.module.as_deref().unwrap_or_default(), f.key.name);
    functions.iter().map(|f| (name(f), f.verdict)).collect()
}

#[test]
fn two_local_functions_of_one_name_are_joined_right_in_any_order() {
    let [a, b] = [step_of("step", "a.c", None, 10), step_of("step", "b.c", None, 20)];
    let (one, other) = (ledger([a.clone(), b.clone()].concat()), ledger([b.clone(), a.clone()].concat()));
    let same = [("a.c@step".to_owned(), DiffVerdict::Same), ("b.c@step".to_owned(), DiffVerdict::Same)];
    assert_eq!(told(&one, &other), same);
    // One that is in one program only is not taken for the other of its name.
    let gone = [("a.c@step".to_owned(), DiffVerdict::Same), ("b.c@step".to_owned(), DiffVerdict::Removed)];
    assert_eq!(told(&one, &ledger(a)), gone);
    let new = [("a.c@step".to_owned(), DiffVerdict::New), ("b.c@step".to_owned(), DiffVerdict::Same)];
    assert_eq!(told(&ledger(b), &one), new);
}

/// A linker renames the second `step` that it sees.
#[test]
fn modules_that_were_linked_in_another_order_are_joined_by_home() {
    let linked = |first: (&str, u64), second: (&str, u64)| {
        let home = |module: &str| Some(format!("{module}@step"));
        let first = step_of("step", "whole.bc", home(first.0).as_deref(), first.1);
        let second = step_of("step.1", "whole.bc", home(second.0).as_deref(), second.1);
        ledger([first, second].concat())
    };
    let one = linked(("a.c", 10), ("b.c", 20));
    let same = [("a.c@step".to_owned(), DiffVerdict::Same), ("b.c@step".to_owned(), DiffVerdict::Same)];
    assert_eq!(told(&one, &linked(("b.c", 20), ("a.c", 10))), same);
    let apart = [step_of("step", "a.c", None, 10), step_of("step", "b.c", None, 20)].concat();
    assert_eq!(told(&one, &ledger(apart)), same, "nor does it matter whether they were");
    // A ledger that keeps no homes names them by the module at hand.
    let old = [step_of("step", "whole.bc", None, 10), step_of("step.1", "whole.bc", None, 20)].concat();
    let named = ["whole.bc@step", "whole.bc@step.1"].map(|name| (name.to_owned(), DiffVerdict::Same));
    assert_eq!(told(&ledger(old.clone()), &ledger(old)), named);
}
