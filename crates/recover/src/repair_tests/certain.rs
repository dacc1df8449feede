//! Planted truth about what is certain: `main` is entered as often as the program was started,
//! loops have their trip counts unless they are left early, calls are entries.
//!
//! Observations of the first tests are those of programs that were sampled at 1, 4 and 10 kHz:
//! most samples of short segments lie at their neighbours.

use super::*;
use crate::example::left;
use crate::repair::error_of;
use crate::{MODEL_ERROR, ModuleObservations};

/// What all counts of a program may be wrong by, either way, as `opcost sample` reports it of large
/// ones.
const SCALE: f64 = 2.6;

/// The same of made-up programs, each of whose segments is wrong besides.
const PLANTED: f64 = 3.0;

fn options(cycles_per_sample: f64) -> RepairOptions {
    RepairOptions { cycles_per_sample, error: MODEL_ERROR, ..OPTIONS }
}

/// Samples, cycles and those of them that a segment is busy, by segment.
type Seen<'a> = &'a [(u64, f64, f64)];

fn sampled(map: &ModuleMap, seen: &[Seen<'_>], options: RepairOptions) -> Repaired {
    let of = |seen: &Seen<'_>| -> IdMap<SegmentId, Observation> {
        seen.iter().map(|&(samples, cycles, busy)| Observation { samples, cycles, busy }).collect()
    };
    let observed = ModuleObservations { functions: seen.iter().map(of).collect(), without_block: 0 };
    repair(&[SampledModule { map, observed: &observed }], options).expect("counts")
}

#[track_caller]
fn within_scale(found: u64, truth: f64) {
    let scale = found as f64 / truth;
    assert!((1.0 / SCALE..=SCALE).contains(&scale), "{found} for {truth}");
}

/// That no pointer leads to any of them, and only `main` is known to others.
fn unpointed(mut map: ModuleMap) -> ModuleMap {
    for function in map.functions.values_mut() {
        function.is_local = function.name != "main";
        *function = looked_at(function.clone(), false, OTHER);
    }
    map
}

/// Adds one to a counter, and exits some day.
fn step() -> FunctionMap {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(1), branch(0, 0), Meter::Derived),
        edge(segment(0), segment(3), branch(0, 1), Meter::Derived),
        edge(segment(1), segment(2), EdgeKind::Fall, Meter::Derived),
        edge(segment(1), None, left(0), Meter::LeftFrames),
        edge(segment(3), None, EdgeKind::Return, Meter::Derived),
    ];
    let made = function("step", &[&[&[1; 4]], &[&[1; 2], &[1]], &[&[1]]], edges);
    with_call(made, 5, Callee::Declared("exit".into()))
}

/// `for (;;) step();`
fn for_ever() -> ModuleMap {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(1), branch(0, 0), Meter::Derived),
        edge(segment(1), segment(2), EdgeKind::Fall, Meter::Derived),
        edge(segment(1), None, left(0), Meter::LeftFrames),
        edge(segment(2), segment(1), branch(1, 0), Meter::Derived),
    ];
    let main = with_call(function("main", &[&[&[1]], &[&[1], &[1]]], edges), 1, defined(1));
    unpointed(module("step.c", vec![main, step()], 0))
}

/// A loop of a known trip count around a call.
fn counted_loop(name: &str, turns: u64, callee: usize) -> FunctionMap {
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(2), branch(0, 0), Meter::Derived),
        edge(segment(1), None, EdgeKind::Return, Meter::Derived),
        edge(segment(2), segment(3), EdgeKind::Fall, Meter::Derived),
        edge(segment(2), None, left(0), Meter::LeftFrames),
        edge(segment(3), segment(1), branch(2, 1), Meter::Derived),
        edge(segment(3), segment(2), branch(2, 0), Meter::Derived),
    ];
    let mut made = with_call(function(name, &[&[&[1]], &[&[1]], &[&[1], &[1]]], edges), 2, defined(callee));
    let (entering, back) = (vec![EdgeId::new(1)], vec![EdgeId::new(6)]);
    made.expected.loops = vec![KnownLoop { entering, back, back_edge_count: turns }];
    made
}

#[test]
fn segments_of_two_instructions_that_were_not_hit_do_not_outvote_thousands_of_samples() {
    // 200 million calls in half a second.
    let map = for_ever();
    let one: [[Seen<'_>; 2]; 3] = [
        [
            &[(0, 0.251, 0.133), (0, 0.251, 0.133), (3, 0.203, 0.085)],
            &[(441, 0.693, 0.451), (0, 0.455, 0.334), (0, 0.0, 0.0), (50, 0.207, 0.087)],
        ],
        [
            &[(0, 0.238, 0.126), (3, 0.238, 0.126), (8, 0.193, 0.081)],
            &[(1942, 0.701, 0.451), (0, 0.455, 0.335), (0, 0.0, 0.0), (181, 0.207, 0.087)],
        ],
        [
            &[(0, 0.236, 0.125), (1, 0.236, 0.125), (10, 0.191, 0.080)],
            &[(4803, 0.712, 0.451), (0, 0.454, 0.334), (0, 0.0, 0.0), (433, 0.207, 0.087)],
        ],
    ];
    for (seen, cycles_per_sample) in one.iter().zip([2_500_000.0, 625_000.0, 250_000.0]) {
        let found = sampled(&map, seen, options(cycles_per_sample));
        within_scale(counts(&found, 1)[0], 2e8);
        assert_eq!(counts(&found, 0)[1], counts(&found, 1)[0], "calls are entries");
        assert_eq!(counts(&found, 0)[0], 1);
    }
}

#[test]
fn a_known_trip_count_does_not_hold_where_the_loop_was_left() {
    let map = unpointed(module("step.c", vec![counted_loop("main", 1_999_999_999, 1), step()], 0));
    // Exited in the 200,000,001st call.
    let one: [[Seen<'_>; 2]; 3] = [
        [
            &[(0, 0.326, 0.208), (0, 0.404, 0.285), (1, 0.251, 0.133), (1, 0.279, 0.161)],
            &[(488, 0.689, 0.451), (0, 0.455, 0.334), (0, 0.0, 0.0), (47, 0.207, 0.087)],
        ],
        [
            &[(0, 0.314, 0.201), (0, 0.389, 0.275), (2, 0.242, 0.128), (5, 0.273, 0.155)],
            &[(1943, 0.705, 0.451), (0, 0.455, 0.334), (0, 0.0, 0.0), (178, 0.207, 0.087)],
        ],
        [
            &[(0, 0.292, 0.186), (0, 0.361, 0.255), (6, 0.224, 0.119), (14, 0.265, 0.144)],
            &[(5117, 0.709, 0.451), (0, 0.455, 0.334), (0, 0.0, 0.0), (540, 0.207, 0.087)],
        ],
    ];
    for (seen, cycles_per_sample) in one.iter().zip([2_500_000.0, 625_000.0, 250_000.0]) {
        let found = sampled(&map, seen, options(cycles_per_sample));
        within_scale(counts(&found, 1)[0], 200_000_001.0);
        assert_eq!((counts(&found, 0)[0], counts(&found, 0)[1], found.loops), (1, 0, (1, 1)));
        // A whole run takes ten times as long.
        let whole: Vec<Vec<(u64, f64, f64)>> = seen
            .iter()
            .map(|function| function.iter().map(|&(hits, cycles, busy)| (10 * hits, cycles, busy)).collect())
            .collect();
        let whole: Vec<Seen<'_>> = whole.iter().map(Vec::as_slice).collect();
        let found = sampled(&map, &whole, options(cycles_per_sample));
        near(&counts(&found, 1)[..1], &[2_000_000_000], 0.001);
        assert_eq!((found.left + u128::from(counts(&found, 0)[1]), found.loops), (1, (1, 0)));
    }
}

#[test]
fn few_samples_do_not_say_that_a_loop_was_left() {
    // A thousand calls of what takes no time, and nothing but three samples elsewhere.
    let map = unpointed(module("few.c", vec![counted_loop("main", 999, 1), step()], 0));
    let seen: [Seen<'_>; 2] = [
        &[(3, 0.3, 0.2), (0, 0.4, 0.3), (0, 0.3, 0.1), (0, 0.3, 0.2)],
        &[(0, 0.7, 0.5), (0, 0.5, 0.3), (0, 0.0, 0.0), (0, 0.2, 0.1)],
    ];
    let found = sampled(&map, &seen, options(625_000.0));
    assert_eq!((counts(&found, 1)[0], found.left), (1000, 0));
}

#[test]
fn of_two_nested_loops_the_outer_one_was_left() {
    // `for (i < 10,000,000) for (j < 1000) step();`, exited in the 100,000,001st call.
    let functions = vec![counted_loop("main", 9_999_999, 1), counted_loop("inner", 999, 2), step()];
    let map = unpointed(module("nested.c", functions, 0));
    let seen: [Seen<'_>; 3] = [
        &[(0, 0.332, 0.212), (0, 0.410, 0.290), (0, 0.255, 0.135), (0, 0.284, 0.164)],
        &[(0, 0.326, 0.208), (0, 0.341, 0.223), (0, 0.251, 0.133), (2, 0.280, 0.161)],
        &[(842, 0.751, 0.451), (0, 0.454, 0.334), (0, 0.0, 0.0), (132, 0.207, 0.087)],
    ];
    let found = sampled(&map, &seen, options(625_000.0));
    within_scale(counts(&found, 2)[0], 100_000_001.0);
    within_scale(counts(&found, 1)[0], 100_001.0);
    assert_eq!(counts(&found, 0)[0], 1);
}

#[test]
fn a_program_is_started_once_however_long_its_loop_took() {
    let mut burn = single_loop().functions[FunctionId::new(0)].clone();
    burn.name = "burn".into();
    burn.expected.loops = vec![KnownLoop {
        entering: vec![EdgeId::new(1)],
        back: vec![EdgeId::new(2)],
        back_edge_count: 24_999_999,
    }];
    let map = unpointed(module("once.c", vec![caller("main", &[defined(1)]), burn], 0));
    // From twice as fast as expected to 14 times slower.
    let of = |hits: u64, samples: u64, starts: Starts| {
        let seen: [Seen<'_>; 2] =
            [&[(hits, 1.267, 1.096)], &[(0, 0.351, 0.231), (samples, 3.709, 2.529), (0, 0.207, 0.087)]];
        sampled(&map, &seen, RepairOptions { starts, ..options(625_000.0) })
    };
    for samples in [70, 150, 300, 1148, 2000] {
        let found = of(1, samples, Starts::ONCE);
        assert_eq!((counts(&found, 0)[0], counts(&found, 1)[0]), (1, 1), "{samples}");
        near(&counts(&found, 1)[1..2], &[25_000_000], 0.001);
    }
    assert_eq!(counts(&of(0, 450, Starts { least: 3, most: 3 }), 0)[0], 3, "three runs");
    // Children that go on where their parent forked are no starts, but look like some.
    assert!((2..=4).contains(&counts(&of(0, 450, Starts { least: 1, most: 4 }), 0)[0]));
}

#[test]
fn what_is_certain_tells_by_how_much_all_code_is_slower() {
    // main calls `known`, whose loop has a trip count, and `asked`, whose loop has none.
    let turning = |name: &str, loops: Vec<KnownLoop>| {
        let mut made = single_loop().functions[FunctionId::new(0)].clone();
        made.name = name.into();
        made.expected.loops = loops;
        made
    };
    let tied = vec![KnownLoop {
        entering: vec![EdgeId::new(1)],
        back: vec![EdgeId::new(2)],
        back_edge_count: 99_999_999,
    }];
    let of = |loops: &[KnownLoop], slower: f64| {
        let functions = vec![
            caller("main", &[defined(1), defined(2)]),
            turning("known", loops.to_vec()),
            turning("asked", vec![]),
        ];
        let map = unpointed(module("scale.c", functions, 0));
        // 100 million iterations of each, at a sample in 600,000 cycles.
        let hits = (1e8 * 3.0 * slower / 600_000.0) as u64;
        let body: Seen<'_> = &[(0, 0.3, 0.3), (hits, 3.0, 3.0), (0, 0.2, 0.2)];
        let found = sampled(&map, &[&[(0, 1.0, 1.0)], body, body], options(600_000.0));
        assert_eq!(counts(&found, 0)[0], 1);
        counts(&found, 2)[1] as f64 / 1e8
    };
    for slower in [0.4, 0.7, 1.0, 1.5, 2.5] {
        // Of two loops one says it, as surely as one observation can.
        let found = of(&tied, slower);
        let before = (slower.ln().abs()).exp();
        let after = (found.ln().abs()).exp();
        assert!(after < 1.0 + 0.6 * (before - 1.0) + 0.02, "{slower}: {found}");
        // Where nothing is certain nothing is said.
        assert!((of(&[], slower) / slower - 1.0).abs() < 0.01);
    }
}

#[test]
fn a_first_function_that_calls_itself_is_started_once() {
    // main: 0 returns at once (1) or calls main (2), 9999 times of 10,000.
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(1), branch(0, 0), Meter::Derived),
        edge(segment(0), segment(2), branch(0, 1), Meter::Derived),
        edge(segment(1), None, EdgeKind::Return, Meter::Derived),
        edge(segment(2), None, EdgeKind::Return, Meter::Derived),
    ];
    let body = with_call(function("main", &[&[&[1]], &[&[1]], &[&[1]]], edges), 2, defined(0));
    let map = module("recursion.c", vec![looked_at(body, false, OTHER)], 0);
    let found = repaired(&map, &[&[(1000, 10.0), (0, 10.0), (1000, 10.0)]]);
    assert_eq!(found.from_outside, 1);
    near(&counts(&found, 0)[2..], &[10_000], 0.01);
}

#[test]
fn an_exit_that_nobody_saw_is_the_usual_one() {
    // Behind the loop all is too short to be seen, and the landing pad is shorter.
    let edges = vec![
        edge(None, segment(0), EdgeKind::Enter, Meter::Derived),
        edge(segment(0), segment(0), branch(0, 0), Meter::Derived),
        edge(segment(0), segment(1), branch(0, 1), Meter::Derived),
        edge(segment(1), segment(2), branch(1, 0), Meter::Derived),
        edge(segment(1), segment(3), branch(1, 1), Meter::Derived),
        edge(segment(2), None, EdgeKind::Return, Meter::Derived),
        edge(segment(3), None, EdgeKind::Return, Meter::Derived),
    ];
    let block: &[&[u32]] = &[&[1]];
    let mut main = function("main", &[block; 4], edges);
    main.expected.frequencies = [1 << 20, 1 << 25, 1 << 20, 1 << 20, 1, 1 << 20, 1].into_iter().collect();
    let map = module("pad.c", vec![main], 0);
    let seen: [Seen<'_>; 1] = [&[(500, 2.0, 2.0), (0, 0.5, 0.5), (0, 3.0, 3.0), (0, 0.3, 0.3)]];
    let found = sampled(&map, &seen, options(600_000.0));
    assert_eq!(counts(&found, 0)[1..], [1, 1, 0]);
}

/// Numbers that look random, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn part(&mut self) -> f64 {
        self.below(1 << 20) as f64 / f64::from(1 << 20)
    }
}

/// A made-up program: counts of each segment, and the cycles that one execution takes.
struct Planted {
    map: ModuleMap,
    truth: Vec<Vec<f64>>,
    cycles: Vec<Vec<f64>>,
}

/// A chain of loops, each of which calls the next function. Some trip counts are known. The last
/// function may end the program in the first tenth of the outermost loop.
fn chain(numbers: &mut Numbers) -> Planted {
    let depth = 1 + numbers.below(3) as usize;
    let is_left = numbers.below(2) == 0;
    let (mut functions, mut truth, mut cycles) = (Vec::new(), Vec::new(), Vec::new());
    let mut entries = 1.0f64;
    for level in 0..depth {
        let turns = if level == 0 { 1_000 + numbers.below(1_000_000) } else { 2 + numbers.below(20) };
        let name = if level == 0 { "main".to_owned() } else { format!("level{level}") };
        let mut map = counted_loop(&name, turns - 1, level + 1);
        if numbers.below(2) == 0 {
            map.expected.loops.clear();
        }
        functions.push(map);
        let is_left = level == 0 && is_left;
        let ran = if is_left { (turns as f64 / 10.0).ceil() } else { entries * turns as f64 };
        truth.push(vec![entries, if is_left { 0.0 } else { entries }, ran, ran]);
        cycles.push((0..4).map(|_| 0.2 + 2.0 * numbers.part()).collect());
        entries = ran;
    }
    functions.push(step());
    truth.push(vec![entries, f64::from(u8::from(is_left)), 0.0, entries]);
    cycles.push(vec![0.5 + 2.0 * numbers.part(), 0.4, 0.0, 0.2 + 0.3 * numbers.part()]);
    Planted { map: unpointed(module("chain.c", functions, 0)), truth, cycles }
}

impl Planted {
    /// What is seen of it. Cycles are wrong by as much as the repair takes them to be. Half of all
    /// segments of a few instructions have their samples at others.
    fn observed(&self, numbers: &mut Numbers, cycles_per_sample: f64) -> Vec<Vec<(u64, f64, f64)>> {
        let functions = self.truth.iter().zip(&self.cycles);
        functions.map(|(truth, cycles)| hits(truth, cycles, numbers, cycles_per_sample)).collect()
    }
}

fn hits(truth: &[f64], cycles: &[f64], numbers: &mut Numbers, per_sample: f64) -> Vec<(u64, f64, f64)> {
    let one = |(&ran, &cycles): (&f64, &f64)| {
        let error = error_of(&Observation::busy(0, cycles), MODEL_ERROR);
        let factor = (error * (2.0 * numbers.part() - 1.0)).exp();
        ((ran * cycles * factor / per_sample) as u64, cycles, cycles)
    };
    let mut seen: Vec<(u64, f64, f64)> = truth.iter().zip(cycles).map(one).collect();
    // They lie where the function takes most of its time.
    let most = (0..seen.len()).max_by_key(|&at| seen[at].0).expect("a segment");
    for at in (0..seen.len()).filter(|&at| at != most) {
        if seen[at].1 < 0.6 && numbers.below(2) == 0 {
            seen[most].0 += std::mem::take(&mut seen[at].0);
        }
    }
    seen
}

#[test]
fn planted_programs_come_back_within_the_scale() {
    for seed in 1..=1500u64 {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let planted = chain(&mut numbers);
        let all = planted.truth.iter().flatten().zip(planted.cycles.iter().flatten());
        let time: f64 = all.map(|(ran, cycles)| ran * cycles).sum();
        let cycles_per_sample = time / (100.0 + numbers.below(5000) as f64);
        let seen = planted.observed(&mut numbers, cycles_per_sample);
        let seen: Vec<Seen<'_>> = seen.iter().map(Vec::as_slice).collect();
        let found = sampled(&planted.map, &seen, options(cycles_per_sample));
        let all: Vec<Vec<u64>> = (0..seen.len()).map(|function| counts(&found, function)).collect();
        let words = || format!("seed {seed}: {all:?} for {:?}, {seen:?}", planted.truth);
        assert_eq!(all[0][0], 1, "main, {}", words());
        for calls in all.windows(2) {
            assert_eq!(calls[0][2], calls[1][0], "calls are entries, {}", words());
        }
        let sum: f64 = planted.truth.iter().flatten().sum();
        let scale = all.iter().flatten().sum::<u64>() as f64 / sum;
        assert!((1.0 / PLANTED..=PLANTED).contains(&scale), "{scale}, {}", words());
    }
}
