//! Planted truth about functions that nobody saw: the shape of their code, but for what was
//! seen behind it.

use super::*;

#[test]
fn a_function_that_nobody_saw_has_the_shape_of_its_code() {
    // Called 1000 times; its arms are said to be taken 3 to 1.
    let mut chosen = diamond().functions[FunctionId::new(0)].clone();
    chosen.name = "chosen".into();
    let share = |edge: &EdgeMap| match (edge.from, edge.to) {
        (Some(from), Some(to)) => match (from.index(), to.index()) {
            (_, 1) | (1, _) => 3 << 18,
            _ => 1 << 18,
        },
        _ => 1 << 20,
    };
    chosen.expected.frequencies = chosen.edges.values().map(share).collect();
    let map = module("calls.c", vec![caller("root", &[defined(1)]), chosen], 0);
    let unseen: &[(u64, f64)] = &[(0, 0.01), (0, 0.01), (0, 0.01), (0, 0.01)];
    let found = repaired(&map, &[&[(100, 10.0)], unseen]);
    let root = counts(&found, 0)[0];
    assert_eq!(counts(&found, 1)[0], root);
    near(&counts(&found, 1), &[root, root * 3 / 4, root / 4, root], 0.01);
    // Of 100 cycles the dearer arm would have been seen, so it was not taken.
    let dear: &[(u64, f64)] = &[(0, 0.01), (0, 100.0), (0, 0.01), (0, 0.01)];
    let found = repaired(&map, &[&[(100, 10.0)], dear]);
    assert_eq!(counts(&found, 1)[1], 0);
}

#[test]
fn loops_turn_as_seen_however_often_code_that_nobody_saw_calls_them() {
    // root calls `each` once, whose loop calls `loops`; by its code 1000 times, and nobody
    // saw it. `loops` turned 100,000 times in all, whoever called it.
    let mut each = single_loop().functions[FunctionId::new(0)].clone();
    each.name = "each".into();
    let turns = |edge: &EdgeMap| if edge.from == edge.to { 999 << 10 } else { 1 << 10 };
    each.expected.frequencies = each.edges.values().map(turns).collect();
    let each = with_call(each, 1, defined(2));
    let mut loops = single_loop().functions[FunctionId::new(0)].clone();
    loops.name = "loops".into();
    let map = module("calls.c", vec![caller("main", &[defined(1)]), each, loops], 0);
    let unseen: &[(u64, f64)] = &[(0, 0.01), (0, 0.01), (0, 0.01)];
    let found = repaired(&map, &[&[(0, 10.0)], unseen, &[(0, 0.01), (7000, 7.0), (0, 0.01)]]);
    assert_eq!(counts(&found, 1), [1, 1000, 1]);
    near(&counts(&found, 2), &[1000, 100_000, 1000], 0.01);
}

#[test]
fn what_was_seen_keeps_its_counts_behind_code_that_nobody_saw() {
    // root calls `choose`, which is so short that nobody saw it, and whose unlikely arm
    // calls `work`, where all the time went.
    let mut choose = diamond().functions[FunctionId::new(0)].clone();
    choose.name = "choose".into();
    let share = |edge: &EdgeMap| match (edge.from, edge.to) {
        (Some(from), Some(to)) if from.index() == 1 || to.index() == 1 => 1,
        (Some(_), Some(_)) => (1 << 20) - 1,
        _ => 1 << 20,
    };
    choose.expected.frequencies = choose.edges.values().map(share).collect();
    let choose = with_call(choose, 2, defined(2));
    let mut work = single_loop().functions[FunctionId::new(0)].clone();
    work.name = "work".into();
    work.is_local = true;
    let work = looked_at(work, false, Hash128(1));
    let map = module("calls.c", vec![caller("root", &[defined(1)]), choose, work], 0);
    let unseen: &[(u64, f64)] = &[(0, 0.01), (0, 0.01), (0, 0.01), (0, 0.01)];
    let found = repaired(&map, &[&[(100, 10.0)], unseen, &[(30, 3.0), (7000, 7.0), (50, 5.0)]]);
    assert_eq!(counts(&found, 1)[1], counts(&found, 2)[0]);
    near(&counts(&found, 2), &[1000, 100_000, 1000], 0.1);
}

#[test]
fn loops_that_turned_for_nobody_are_not_multiplied() {
    // root calls `sometimes`, one of whose arms calls `each`, whose loop calls `work`; only
    // root and `work` were seen. It is cheapest that `each` is never entered and its loop
    // turns for nobody. By the shape of `sometimes` it is entered 500 times.
    let shaped = |map: ModuleMap, name: &str, share: &dyn Fn(&EdgeMap) -> u64| {
        let mut one = map.functions[FunctionId::new(0)].clone();
        one.name = name.into();
        one.expected.frequencies = one.edges.values().map(share).collect();
        one.is_local = true;
        looked_at(one, false, Hash128(1))
    };
    let half = |edge: &EdgeMap| if edge.from.is_some() && edge.to.is_some() { 1 << 9 } else { 1 << 10 };
    let turns = |edge: &EdgeMap| if edge.from == edge.to { 9 << 10 } else { 1 << 10 };
    let sometimes = with_call(shaped(diamond(), "sometimes", &half), 2, defined(2));
    let each = with_call(shaped(single_loop(), "each", &turns), 1, defined(3));
    let work = looked_at(FunctionMap { is_local: true, ..caller("work", &[]) }, false, Hash128(1));
    let map = module("calls.c", vec![caller("root", &[defined(1)]), sometimes, each, work], 0);
    let unseen: &[(u64, f64)] = &[(0, 0.01), (0, 0.01), (0, 0.01), (0, 0.01)];
    let found = repaired(&map, &[&[(100, 10.0)], unseen, &unseen[..3], &[(10_000, 10.0)]]);
    let [sometimes, each, work] = [1, 2, 3].map(|function| counts(&found, function));
    assert_eq!((sometimes[0], sometimes[1]), (counts(&found, 0)[0], each[0]));
    assert!(each[0] > 0 && each[1] == work[0] && work[0] <= 200_000, "{sometimes:?} {each:?} {work:?}");
}
