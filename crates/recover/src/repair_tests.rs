//! Planted truth: counts are chosen, samples are made of them, and the repair must
//! find the counts again.

use opcost_index::{Id, IdMap};
use opcost_key::{
    AddressHeld, Callee, EdgeId, EdgeKind, EdgeMap, FunctionId, FunctionMap, Hash128, KnownLoop, Meter,
    ModuleMap, Pointers, SegmentId,
};

use super::{RepairOptions, RepairSolver, Repaired, SampledModule, Starts, repair};
use crate::example::{branch, call_left, diamond, edge, function, module, segment, single_loop, with_call};
use crate::{ModuleObservations, Observation};

#[path = "repair_tests/certain.rs"]
mod certain;
#[path = "repair_tests/unseen.rs"]
mod unseen;

const OPTIONS: RepairOptions = RepairOptions {
    cycles_per_sample: 100.0,
    error: 0.3,
    solver: RepairSolver::Likeliest,
    starts: Starts::ONCE,
};

/// Samples by segment and function: (samples, cycles).
fn observed(functions: &[&[(u64, f64)]]) -> ModuleObservations {
    let of = |seen: &&[(u64, f64)]| -> IdMap<SegmentId, Observation> {
        seen.iter().map(|&(samples, cycles)| Observation::busy(samples, cycles)).collect()
    };
    ModuleObservations { functions: functions.iter().map(of).collect(), without_block: 0 }
}

fn repaired(map: &ModuleMap, seen: &[&[(u64, f64)]]) -> Repaired {
    let observed = observed(seen);
    let repaired = repair(&[SampledModule { map, observed: &observed }], OPTIONS).expect("counts");
    assert!(repaired.is_optimal, "gap {}", repaired.gap);
    repaired
}

/// Counts of the segments of a function.
fn counts(repaired: &Repaired, function: usize) -> Vec<u64> {
    let counts = &repaired.counts[0].functions[FunctionId::new(function)];
    counts.segments.values().copied().collect()
}

#[track_caller]
fn near(found: &[u64], wanted: &[u64], share: f64) {
    let is_near =
        |(&found, &wanted): (&u64, &u64)| found.abs_diff(wanted) as f64 <= share * wanted as f64 + 1.0;
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(is_near), "{found:?} for {wanted:?}");
}

#[test]
fn noise_free_samples_give_the_truth() {
    // 100 cycles are a sample: counts of thousands, cycles of 2 to 50.
    let map = diamond();
    let found = repaired(&map, &[&[(200, 2.0), (600, 20.0), (700, 10.0), (5000, 50.0)]]);
    near(&counts(&found, 0), &[10_000, 3000, 7000, 10_000], 0.001);
    let found = repaired(&single_loop(), &[&[(30, 3.0), (7000, 7.0), (50, 5.0)]]);
    near(&counts(&found, 0), &[1000, 100_000, 1000], 0.001);
    // Nobody in the module calls it.
    assert_eq!((found.left, found.from_outside), (0, found.entries));
}

#[test]
fn one_slow_load_moves_its_block_only() {
    // Loops behind each other: what runs once a call stands between them.
    let mut edges = vec![edge(None, segment(0), EdgeKind::Enter, Meter::Derived)];
    for at in 0..6 {
        edges.push(edge(segment(at), segment(at + 1), branch(at, 0), Meter::Derived));
    }
    edges.push(edge(segment(3), segment(3), branch(3, 1), Meter::Derived));
    edges.push(edge(segment(6), None, EdgeKind::Return, Meter::Derived));
    let map = module("slow.c", vec![function("f", &[&[&[1u32][..]][..]; 7], edges)], 0);
    let even =
        [(1000, 10.0), (1000, 10.0), (1000, 10.0), (50_000, 5.0), (1000, 10.0), (1000, 10.0), (1000, 10.0)];
    let truth = [10_000, 10_000, 10_000, 1_000_000, 10_000, 10_000, 10_000];
    near(&counts(&repaired(&map, &[&even]), 0), &truth, 0.001);
    // The load of one block takes five times what the model says.
    let mut slow = even;
    slow[1].0 *= 5;
    near(&counts(&repaired(&map, &[&slow]), 0), &truth, 0.2);
    // Inside the loop it is the loop that moves, and nothing else.
    let mut slow = even;
    slow[3].0 *= 5;
    let all = counts(&repaired(&map, &[&slow]), 0);
    near(&[&all[..3], &all[4..]].concat(), &[10_000; 6], 0.001);
}

#[test]
fn a_short_block_without_samples_is_as_often_as_what_leads_to_it() {
    let map = single_loop();
    // The block behind the loop takes a cycle and was never seen: one sample was due.
    let found = repaired(&map, &[&[(30, 30.0), (7000, 7.0), (0, 1.0)]]);
    let all = counts(&found, 0);
    assert_eq!(all[0], all[2]);
    near(&all, &[100, 100_000, 100], 0.12);
}

#[test]
fn code_that_nobody_saw_did_not_run() {
    let map = diamond();
    let found = repaired(&map, &[&[(1000, 10.0), (0, 20.0), (1000, 10.0), (1000, 10.0)]]);
    near(&counts(&found, 0), &[10_000, 0, 10_000, 10_000], 0.02);
    let found = repaired(&map, &[&[(0, 10.0), (0, 20.0), (0, 10.0), (0, 10.0)]]);
    assert_eq!(counts(&found, 0), [0, 0, 0, 0]);
}

#[test]
fn frames_are_left_where_nothing_comes_back() {
    let map = call_left();
    let found = repaired(&map, &[&[(1000, 10.0), (0, 10.0)]]);
    let all = counts(&found, 0);
    near(&all, &[10_000, 0], 0.2);
    assert_eq!(found.left, u128::from(all[0] - all[1]));
    // What comes back nearly always did not leave.
    let found = repaired(&map, &[&[(1000, 10.0), (960, 10.0)]]);
    assert_eq!(found.left, 0);
}

/// A loop that nothing leads out of.
fn server() -> FunctionMap {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(1), branch(0, 0), Meter::Derived),
        edge(segment(1), segment(1), branch(1, 0), Meter::Derived),
    ];
    function("main", &[&[&[1]], &[&[1]]], edges)
}

#[test]
fn what_turns_for_ever_is_still_running() {
    let map = module("server.c", vec![server()], 0);
    let found = repaired(&map, &[&[(0, 10.0), (5000, 10.0)]]);
    let all = counts(&found, 0);
    near(&all, &[1, 50_000], 0.01);
    assert_eq!((found.entries, found.left), (1, 1));
}

#[test]
fn the_classic_method_conserves_flow_too() {
    let classic = RepairOptions { solver: RepairSolver::Classic, ..OPTIONS };
    let map = single_loop();
    let seen = observed(&[&[(30, 3.0), (6500, 7.0), (90, 5.0)]]);
    let found = repair(&[SampledModule { map: &map, observed: &seen }], classic).expect("counts");
    let all = counts(&found, 0);
    assert_eq!((all[0], all[2]), (found.entries as u64, found.entries as u64), "{all:?}");
    near(&[all[1]], &[92_857], 0.02);
    // A server's loop, and code that nobody saw.
    let map = module("server.c", vec![server(), caller("idle", &[])], 0);
    let seen = observed(&[&[(0, 10.0), (5000, 10.0)], &[(0, 1.0)]]);
    let found = repair(&[SampledModule { map: &map, observed: &seen }], classic).expect("counts");
    near(&counts(&found, 0), &[1, 50_000], 0.01);
    assert_eq!((counts(&found, 1), found.left), (vec![0], found.entries));
}

#[test]
fn a_loop_whose_turns_stand_in_the_code_tells_how_often_it_was_entered() {
    // Only the loop is long enough to be seen: 100,000 turns, 50 at a time.
    let mut map = single_loop();
    let seen: &[&[(u64, f64)]] = &[&[(0, 0.001), (7000, 7.0), (0, 0.001)]];
    assert_eq!(counts(&repaired(&map, seen), 0)[0], 1, "nothing says more");
    let function = &mut map.functions[FunctionId::new(0)];
    let edges = |is_wanted: &dyn Fn(&EdgeMap) -> bool| -> Vec<EdgeId> {
        function.edges.iter().filter(|(_, edge)| is_wanted(edge)).map(|(id, _)| id).collect()
    };
    let back = edges(&|edge| edge.from == segment(1) && edge.to == segment(1));
    let entering = edges(&|edge| edge.from == segment(0) && edge.to == segment(1));
    assert_eq!((back.len(), entering.len()), (1, 1));
    function.expected.loops = vec![KnownLoop { entering, back, back_edge_count: 49 }];
    let found = repaired(&map, seen);
    near(&counts(&found, 0), &[2000, 100_000, 2000], 0.01);
    assert_eq!(found.loops, (1, 0));
    // It outweighs what was seen, that it turned as often as it was entered.
    let found = repaired(&map, &[&[(1000, 1.0), (1000, 1.0), (1000, 1.0)]]);
    let all = counts(&found, 0);
    near(&all[1..2], &[50 * all[0]], 0.01);
    assert_eq!(found.loops, (1, 0));
    // What cannot be is told: 49 turns more for each entry, and 3.
    let function = &mut map.functions[FunctionId::new(0)];
    let other = KnownLoop { back_edge_count: 3, ..function.expected.loops[0].clone() };
    function.expected.loops.push(other);
    assert_eq!(repaired(&map, seen).loops, (2, 1));
}

/// A function of one block that calls.
fn caller(name: &str, callees: &[Callee]) -> FunctionMap {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), None, EdgeKind::Return, Meter::Derived),
    ];
    let weights = vec![1; callees.len() + 1];
    let made = function(name, &[&[&weights]], edges);
    callees.iter().enumerate().fold(made, |made, (at, callee)| with_call(made, at, callee.clone()))
}

fn defined(position: usize) -> Callee {
    Callee::Defined(FunctionId::new(position))
}

#[test]
fn a_function_is_entered_as_often_as_it_is_called() {
    // Two callers, one of which calls twice; the callee is so short that it is hardly seen.
    let functions =
        vec![caller("one", &[defined(2), defined(2)]), caller("two", &[defined(2)]), caller("helper", &[])];
    let map = module("calls.c", functions, 0);
    let found = repaired(&map, &[&[(1000, 10.0)], &[(3000, 10.0)], &[(480, 1.0)]]);
    let [one, two, helper] = [0, 1, 2].map(|function| counts(&found, function)[0]);
    assert_eq!(helper, 2 * one + two, "to the digit");
    near(&[one, two, helper], &[10_000, 30_000, 50_000], 0.15);
    // What the two are called by is not here; the helper has its callers.
    assert_eq!(found.from_outside, u128::from(one + two));
}

#[test]
fn calls_from_elsewhere_stay() {
    // A comparator that only a library calls, and one that both do.
    let functions = vec![caller("root", &[defined(2)]), caller("compare", &[]), caller("both", &[])];
    let map = module("calls.c", functions, 0);
    let found = repaired(&map, &[&[(10, 10.0)], &[(100_000, 10.0)], &[(100_000, 10.0)]]);
    near(&counts(&found, 1), &[1_000_000], 0.001);
    near(&counts(&found, 2), &[1_000_000], 0.2);
    assert!(found.from_outside > 1_500_000, "{found:?}");
}

#[test]
fn what_was_seen_ran_however_seldom() {
    // main calls once a function that loops a million times: one call is no sample.
    let mut map = single_loop();
    let mut body = map.functions[FunctionId::new(0)].clone();
    body.name = "loops".into();
    map = module("once.c", vec![caller("main", &[defined(1)]), body], 0);
    let found = repaired(&map, &[&[(0, 3.0)], &[(0, 3.0), (50_000, 5.0), (0, 3.0)]]);
    assert_eq!(counts(&found, 0), [1]);
    let all = counts(&found, 1);
    assert_eq!((all[0], all[2]), (1, 1));
    near(&all[1..2], &[1_000_000], 0.001);
    // Nor does it turn by itself where nobody is known to call.
    let alone = single_loop();
    let all = counts(&repaired(&alone, &[&[(0, 3.0), (50_000, 5.0), (0, 3.0)]]), 0);
    assert!(all[0] >= 1 && all[0] == all[2] && all[1] > 900_000, "{all:?}");
}

#[test]
fn recursion_circulates() {
    // f: 0 either returns at once (1) or calls itself once (2); half of the calls do.
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(1), branch(0, 0), Meter::Derived),
        edge(segment(0), segment(2), branch(0, 1), Meter::Derived),
        edge(segment(1), None, EdgeKind::Return, Meter::Derived),
        edge(segment(2), None, EdgeKind::Return, Meter::Derived),
    ];
    let body = with_call(function("f", &[&[&[1]], &[&[1]], &[&[1]]], edges), 2, defined(0));
    let map = module("recursion.c", vec![body, caller("root", &[defined(0)])], 0);
    let found = repaired(&map, &[&[(2000, 10.0), (1000, 10.0), (1000, 10.0)], &[(1000, 10.0)]]);
    near(&counts(&found, 0), &[20_000, 10_000, 10_000], 0.01);
    near(&counts(&found, 1), &[10_000], 0.01);
}

#[test]
fn modules_call_each_other_by_name() {
    let first = module("a.c", vec![caller("root", &[Callee::Declared("shared".into())])], 0);
    let second = module("b.c", vec![caller("shared", &[])], 0);
    let (one, other) = (observed(&[&[(1000, 10.0)]]), observed(&[&[(60, 1.0)]]));
    let modules =
        [SampledModule { map: &first, observed: &one }, SampledModule { map: &second, observed: &other }];
    let found = repair(&modules, OPTIONS).expect("counts");
    let of = |module: usize| found.counts[module].functions[FunctionId::new(0)].entries;
    assert_eq!(of(0), of(1));
}

#[test]
fn nothing_is_nothing() {
    let found = repair(&[], OPTIONS).expect("no counts");
    assert!(found.counts.is_empty() && found.is_optimal);
}

/// Types of functions.
const INTEGER: Hash128 = Hash128(1);
const OTHER: Hash128 = Hash128(2);

/// The same function, where somebody looked for pointers.
fn looked_at(function: FunctionMap, is_address_taken: bool, signature: Hash128) -> FunctionMap {
    let address = if is_address_taken { AddressHeld::InCode } else { AddressHeld::Nowhere };
    addressed(function, address, signature)
}

fn addressed(mut function: FunctionMap, address: AddressHeld, signature: Hash128) -> FunctionMap {
    let indirect = function.calls.iter().filter(|call| call.callee == Callee::Indirect);
    let calls = indirect.map(|call| (call.instruction, INTEGER)).collect();
    function.expected.pointers = Some(Pointers { address, signature, calls, threads: vec![] });
    function
}

#[test]
fn nobody_else_calls_what_no_pointer_leads_to() {
    let helper = |is_address_taken| {
        let helper = FunctionMap { is_local: true, ..caller("helper", &[]) };
        let functions = vec![caller("root", &[defined(1)]), looked_at(helper, is_address_taken, INTEGER)];
        let map = module("calls.c", functions, 0);
        let found = repaired(&map, &[&[(1000, 10.0)], &[(100_000, 10.0)]]);
        (counts(&found, 0)[0], counts(&found, 1)[0], found.from_outside)
    };
    let (root, entered, outside) = helper(false);
    assert_eq!((entered, outside), (root, u128::from(root)), "only root comes from elsewhere");
    let (root, entered, _) = helper(true);
    near(&[root, entered], &[10_000, 1_000_000], 0.2);
}

#[test]
fn calls_through_pointers_enter_what_has_their_type() {
    // One function of the type is too short to be seen much, one has another type.
    let short = looked_at(caller("short", &[]), true, INTEGER);
    let other = looked_at(caller("other", &[]), true, OTHER);
    let never = looked_at(caller("never", &[]), false, INTEGER);
    let root = looked_at(caller("root", &[Callee::Indirect]), false, OTHER);
    let map = module("pointers.c", vec![root, short, other, never], 0);
    let found = repaired(&map, &[&[(5000, 10.0)], &[(0, 0.001)], &[(700, 10.0)], &[(0, 0.001)]]);
    assert_eq!(counts(&found, 0), counts(&found, 1), "to the digit");
    near(&counts(&found, 0), &[50_000], 0.01);
    near(&counts(&found, 2), &[7000], 0.01);
    assert_eq!(counts(&found, 3), [0]);
}

#[test]
fn calls_enter_what_only_tables_lead_to() {
    // By itself the call site says 4000 calls, and what it calls 12,000.
    let entered = |address| {
        let target = addressed(caller("target", &[]), address, INTEGER);
        let root = looked_at(caller("root", &[Callee::Indirect]), false, OTHER);
        let found = repaired(&module("table.c", vec![root, target], 0), &[&[(40, 10.0)], &[(120, 10.0)]]);
        (counts(&found, 0)[0], counts(&found, 1)[0])
    };
    let apart = |address| {
        let (ran, entries) = entered(address);
        entries as f64 / ran as f64
    };
    // Others may have been given it, and called it.
    let (table, code) = (apart(AddressHeld::InData), apart(AddressHeld::InCode));
    assert!(code > 1.1 && table < 1.01, "{table} {code}");
}

#[test]
fn what_runs_at_the_start_runs_once() {
    // Two samples strayed into its loop.
    let mut before = single_loop().functions[FunctionId::new(0)].clone();
    before.name = "before".into();
    let before = addressed(FunctionMap { is_local: true, ..before }, AddressHeld::AtStart, OTHER);
    let main = looked_at(caller("main", &[]), false, OTHER);
    let map = module("start.c", vec![main, before], 0);
    let found = repaired(&map, &[&[(700, 1e9)], &[(0, 1.0), (2, 1.0), (0, 1.0)]]);
    assert_eq!((counts(&found, 0)[0], counts(&found, 1)[0]), (1, 1));
}

/// C's `main` of a Fortran program holds the main program; what is left of that by itself does not run.
#[test]
fn a_program_begins_in_one_function() {
    let start = |name: &str| looked_at(caller(name, &[]), false, OTHER);
    let map = module("fortran.f90", vec![start("_QQmain"), start("main")], 0);
    let found = repaired(&map, &[&[(0, 10.0)], &[(700, 1e9)]]);
    assert_eq!((counts(&found, 0)[0], counts(&found, 1)[0]), (0, 1));
    let map = module("alone.f90", vec![start("_QQmain")], 0);
    let found = repaired(&map, &[&[(700, 1e9)]]);
    assert_eq!(counts(&found, 0)[0], 1);
}

#[test]
fn a_thread_begins_as_often_as_it_is_started() {
    // Main starts two threads, in a function that takes as long as twenty.
    let start = || Callee::Declared("pthread_create".into());
    let mut main = caller("main", &[start(), start()]);
    main = looked_at(main, false, OTHER);
    let starts = main.calls.iter().map(|call| (call.instruction, defined(1))).collect();
    main.expected.pointers.as_mut().expect("looked at").threads = starts;
    let worker = FunctionMap { is_local: true, ..caller("worker", &[]) };
    let map = module("threads.c", vec![main, addressed(worker, AddressHeld::InData, OTHER)], 0);
    let found = repaired(&map, &[&[(0, 10.0)], &[(200, 1000.0)]]);
    assert_eq!((counts(&found, 0)[0], counts(&found, 1)[0]), (1, 2));
}

#[test]
fn a_thread_whose_callee_was_seen_began() {
    // main goes one of two ways, and starts a thread on the longer one; all that was seen is
    // what the thread calls in a loop.
    let mut main = diamond().functions[FunctionId::new(0)].clone();
    main.name = "main".into();
    let way = SegmentId::new(1);
    let start = main.segments[way].first_instruction;
    let main = with_call(main, start.index(), Callee::Declared("pthread_create".into()));
    let mut main = looked_at(main, false, OTHER);
    main.expected.pointers.as_mut().expect("looked at").threads = vec![(start, defined(1))];
    let round = single_loop().functions[FunctionId::new(0)].clone();
    let at = round.segments[SegmentId::new(1)].first_instruction.index();
    let worker = FunctionMap { name: "worker".into(), is_local: true, ..with_call(round, at, defined(2)) };
    let own = FunctionMap { is_local: true, ..caller("own", &[]) };
    let functions = vec![main, addressed(worker, AddressHeld::InData, OTHER), looked_at(own, false, INTEGER)];
    let map = module("thread.c", functions, 0);
    let main: &[(u64, f64)] = &[(0, 1.0), (0, 9.0), (0, 1.0), (0, 1.0)];
    let found = repaired(&map, &[main, &[(0, 0.01), (0, 0.01), (0, 0.01)], &[(900, 1000.0)]]);
    assert_eq!((counts(&found, 0)[way.index()], counts(&found, 1)[0]), (1, 1));
    assert_eq!(counts(&found, 1)[1], counts(&found, 2)[0]);
}

#[test]
fn pointers_of_other_modules_count() {
    let callback = looked_at(caller("callback", &[]), false, INTEGER);
    let root = looked_at(caller("root", &[defined(1)]), false, OTHER);
    let first = module("a.c", vec![root, callback], 0);
    let mut second = module("b.c", vec![], 0);
    let seen = observed(&[&[(10, 10.0)], &[(2000, 10.0)]]);
    let nothing = observed(&[]);
    let mut entered = |taken: &[&str]| {
        second.addresses_taken = taken.iter().map(|&name| (name.to_owned(), AddressHeld::InCode)).collect();
        let modules = [
            SampledModule { map: &first, observed: &seen },
            SampledModule { map: &second, observed: &nothing },
        ];
        counts(&repair(&modules, OPTIONS).expect("counts"), 1)[0]
    };
    near(&[entered(&["callback"])], &[20_000], 0.2);
    // Code of others may still know its name, but that is dearer.
    let by_name = entered(&["another"]);
    assert!(by_name < entered(&["callback"]), "{by_name}");
}

#[test]
fn one_of_the_known_callers_called() {
    // main goes one of two ways, and the longer one calls a function that loops; nothing of
    // main was seen, and the way to the call costs more than a call from elsewhere would.
    let mut main = diamond().functions[FunctionId::new(0)].clone();
    main.name = "main".into();
    let way = SegmentId::new(1);
    let call = main.segments[way].first_instruction.index();
    let main = looked_at(with_call(main, call, defined(1)), false, OTHER);
    let body = FunctionMap { name: "turns".into(), ..single_loop().functions[FunctionId::new(0)].clone() };
    let map = module("calls.c", vec![main, looked_at(body, false, INTEGER)], 0);
    let unseen: &[(u64, f64)] = &[(0, 1.0), (0, 9.0), (0, 1.0), (0, 1.0)];
    let found = repaired(&map, &[unseen, &[(0, 0.01), (50_000, 5.0), (0, 0.01)]]);
    assert_eq!((counts(&found, 0)[way.index()], counts(&found, 1)[0]), (1, 1));
    assert_eq!(found.from_outside, 1, "main's own");
}
