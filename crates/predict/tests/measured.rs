//! Is what follows from counts of some blocks what a run does?
//!
//! An interpreter runs a program and counts all of its blocks. Some of the counts are given, as a run of a slice
//! would, and those of all loops. Whatever is called exact then must be what the interpreter counted.
//!
//! Random programs call code that is not seen, which may change the data that they export. No closed world has that:
//! a program with such data is predicted in the open world alone.

use std::collections::BTreeMap;

use opcost_analysis::dependence::Reads;
use opcost_analysis::memory::{MemoryModel, World};
use opcost_claims::Bindings;
use opcost_index::Id;
use opcost_ir::{GlobalId, Layout, Module, parse_module};
use opcost_key::{BlockId, FunctionId};
use opcost_library::Effects;
use opcost_predict::{LoopRun, Measured, Prediction, Wishes, predict};
use opcost_testkit::{
    Ended, Interpreter, LoopShape, Memory, Reply, Scalar, all_inputs, function_named, natural_loops,
    nothing_known, random_loops,
};
use proptest::prelude::*;

/// What is taken for true of a program besides its counts.
#[derive(Clone, Copy, Debug)]
struct Setting {
    world: World,
    is_followed: bool,
    reads: Reads,
}

/// The usual one of a whole program.
const WHOLE: Setting = Setting { world: World::Closed, is_followed: true, reads: Reads::Open };
/// All that a prediction may take for true; values are followed in the closed world alone.
const SETTINGS: [Setting; 4] = [
    WHOLE,
    Setting { is_followed: false, ..WHOLE },
    Setting { reads: Reads::Absent, ..WHOLE },
    Setting { world: World::Open, ..WHOLE },
];

fn predicted(module: &Module, measured: Measured, setting: Setting) -> Prediction {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let Setting { world, is_followed, reads } = setting;
    let program = MemoryModel::of(module, &layout, &effects, world);
    let wishes = Wishes { is_guess: true, is_followed, measured: Some(measured), ..Wishes::default() };
    predict(&program, &Bindings { reads, ..Bindings::default() }, &wishes).0
}

/// Executions of all blocks, and entries and headers of all loops.
#[derive(Default)]
struct Truth {
    blocks: BTreeMap<(FunctionId, BlockId), u64>,
    loops: BTreeMap<(FunctionId, BlockId), [u64; 2]>,
}

/// What one run does; none if it does not return. `outside` makes the code that is not seen, one for each run.
fn truth<E>(module: &Module, input: &[Scalar], outside: impl Fn() -> E) -> Option<Truth>
where
    E: FnMut(&mut Memory, &str, &[Scalar]) -> Reply,
{
    let block = |function, header| LoopShape { function, header, members: vec![header], watched: Vec::new() };
    let functions = || module.functions.iter();
    let blocks: Vec<LoopShape> = functions()
        .flat_map(|(id, body)| body.blocks.ids().map(move |header| (id, header)))
        .map(|(id, header)| block(id, header))
        .collect();
    let loops: Vec<LoopShape> = functions().flat_map(|(id, body)| natural_loops(id, body)).collect();
    let main = function_named(module, "main").expect("main");
    let mut truth = Truth::default();
    for (shapes, is_loop) in [(blocks, false), (loops, true)] {
        let interpreter = Interpreter::new(module).with_loops(shapes.clone()).with_step_limit(20_000);
        let run = interpreter.run(main, input, &mut outside());
        if !matches!(run.ended, Ended::Returned(_)) {
            return None;
        }
        for one in &run.activations {
            let at = (shapes[one.shape].function, shapes[one.shape].header);
            if is_loop {
                let counts = truth.loops.entry(at).or_default();
                *counts = [counts[0] + 1, counts[1] + one.header_executions];
            } else {
                *truth.blocks.entry(at).or_default() += one.header_executions;
            }
        }
        // No edge leads to the entry of a function: it runs as often as there are frames.
        for (id, _) in module.functions.iter().filter(|_| !is_loop) {
            let frames = run.frames.values().filter(|frame| frame.function == id).count() as u64;
            truth.blocks.insert((id, BlockId::new(0)), frames);
        }
    }
    Some(truth)
}

/// Blocks that are measured, by the bits of a number; entries of functions always are.
fn some_blocks(module: &Module, truth: &Truth, bits: u64) -> Measured {
    let mut measured = Measured::default();
    let mut number = 0;
    for (id, body) in module.functions.iter() {
        for block in body.blocks.ids() {
            number += 1;
            if block.index() == 0 || bits >> (number % 61) & 1 == 1 {
                let count = truth.blocks.get(&(id, block)).copied().unwrap_or(0);
                measured.add_block(id, block, count);
            }
        }
        for one in natural_loops(id, body) {
            let [entries, headers] = truth.loops.get(&(id, one.header)).copied().unwrap_or_default();
            measured.add_loop(id, one.header, LoopRun { entries, headers });
        }
    }
    measured
}

/// Holds what is exact against the truth: how much is, and of how much.
fn compare(module: &Module, truth: &Truth, bits: u64, setting: Setting) -> [u32; 2] {
    let prediction = predicted(module, some_blocks(module, truth, bits), setting);
    let mut compared = [0, 0];
    for (id, one) in prediction.functions.iter() {
        let Some(one) = one else { continue };
        for (block, predicted) in one.blocks.iter() {
            compared[1] += 1;
            if predicted.is_exact && prediction.early_end.is_none() {
                let count = truth.blocks.get(&(id, block)).copied().unwrap_or(0);
                let text = || opcost_ir::print_module(module);
                assert_eq!(
                    predicted.least.to_u64(),
                    Some(count),
                    "{id} {block} {bits:b} {setting:?}\n{}",
                    text()
                );
                compared[0] += 1;
            }
        }
    }
    compared
}

fn compare_random(seed: u64, bits: u64) -> [u32; 2] {
    // Code outside changes data that it sees. A closed world has none.
    let is_whole = random_loops(seed).text.contains("global internal @bound8");
    let settings = SETTINGS.into_iter().filter(|one| is_whole || one.world == World::Open);
    compare_in(seed, bits, &settings.collect::<Vec<Setting>>())
}

fn compare_in(seed: u64, bits: u64, settings: &[Setting]) -> [u32; 2] {
    let case = random_loops(seed);
    let module = parse_module(&case.text.replace("@run(", "@main(")).expect("a module");
    let mut compared = [0, 0];
    for input in all_inputs(&case.parameters, 4) {
        let Some(truth) = truth(&module, &input, || case.externals()) else { continue };
        for &setting in settings {
            let [exact, all] = compare(&module, &truth, bits, setting);
            compared = [compared[0] + exact, compared[1] + all];
        }
    }
    compared
}

/// A branch that nobody knows: with one way counted the other follows, and with none both are guesses.
#[test]
fn a_way_that_is_counted_gives_the_other() {
    let text = "
global internal @sink type i32 = { 0: i32 3 }
define internal void @leaf() {
  ret void
}
define i32 @main(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %join ]
  %odd = and i32 %i, %n
  %is = icmp eq i32 %odd, 0
  br i1 %is, label %left, label %right
left:
  call void @leaf()
  br label %join
right:
  store i32 %i, ptr @sink
  br label %join
join:
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, 10
  br i1 %more, label %head, label %done
done:
  ret i32 0
}
";
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let truth = truth(&module, &[Scalar::integer(32, 5)], || nothing_known).expect("it returns");
    let main = function_named(&module, "main").expect("main");
    let leaf = function_named(&module, "leaf").expect("leaf");
    let counts = |known: &[usize]| {
        let mut measured = Measured::default();
        for &block in known {
            measured.add_block(main, BlockId::new(block), truth.blocks[&(main, BlockId::new(block))]);
        }
        measured.add_loop(main, BlockId::new(1), LoopRun { entries: 1, headers: 10 });
        let prediction = predicted(&module, measured, WHOLE);
        let of = |id: FunctionId, block: usize| {
            let one = &prediction.functions[id].as_ref().expect("a function").blocks[BlockId::new(block)];
            (one.least.to_u64(), one.is_exact)
        };
        [of(main, 2), of(main, 3), of(leaf, 0)]
    };
    let left = truth.blocks[&(main, BlockId::new(2))];
    assert!(left > 0 && left < 10, "{left}");
    let right = 10 - left;
    assert_eq!(counts(&[0, 1, 2, 4, 5]), [(Some(left), true), (Some(right), true), (Some(left), true)]);
    let guessed = counts(&[0, 1, 4, 5]);
    assert!(guessed.iter().all(|(_, is_exact)| !is_exact), "{guessed:?}");
}

/// A loop whose bound is halved before each of five entries: 5 + 3 + 2 + 1 + 1 iterations.
const HALVED: &str = "
global LINKAGE @bound type i8 = { 0: i8 9 }
declare void @keep(ptr)
declare void @halve()
define internal void @own_halve() {
  %old = load i8, ptr @bound
  %new = lshr i8 %old, 1
  store i8 %new, ptr @bound
  ret void
}
define internal void @leaf() {
  ret void
}
define i32 @main() {
entry:
  KEEP
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %join ]
  call void @CHANGE()
  br label %inner
inner:
  %j = phi i8 [ 0, %outer ], [ %j1, %latch ]
  call void @leaf()
  br label %latch
latch:
  %j1 = add i8 %j, 1
  %most = load i8, ptr @bound
  %again = icmp ult i8 %j, %most
  br i1 %again, label %inner, label %join
join:
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, 5
  br i1 %more, label %outer, label %done
done:
  ret i32 0
}
";

/// Code outside that halves the bound.
fn halves(memory: &mut Memory, name: &str, _: &[Scalar]) -> Reply {
    if name == "halve" {
        let bound = memory.global(GlobalId::new(0));
        let old = memory.load_integer(bound, 8).expect("a number");
        memory.store_integer(bound, 8, old / 2);
    }
    if name == "keep" || name == "halve" { Reply::Nothing } else { Reply::Unknown }
}

/// What is said of the inner loop's header, its latch, and the function that it calls, with the blocks at hand counted.
fn of_halved(module: &Module, truth: &Truth, setting: Setting, known: &[usize]) -> [(u64, bool); 3] {
    let [main, leaf] = ["main", "leaf"].map(|name| function_named(module, name).expect(name));
    let mut measured = Measured::default();
    for &block in known {
        measured.add_block(main, BlockId::new(block), truth.blocks[&(main, BlockId::new(block))]);
    }
    for header in [1, 2] {
        let [entries, headers] = truth.loops[&(main, BlockId::new(header))];
        measured.add_loop(main, BlockId::new(header), LoopRun { entries, headers });
    }
    let prediction = predicted(module, measured, setting);
    [(main, 2), (main, 3), (leaf, 0)].map(|(id, block)| {
        let one = &prediction.functions[id].as_ref().expect("a function").blocks[BlockId::new(block)];
        (one.least.to_u64().expect("a whole number"), one.is_exact)
    })
}

fn halved(linkage: &str, keep: &str, change: &str) -> (Module, Truth) {
    let text = HALVED.replace("LINKAGE ", linkage).replace("KEEP", keep).replace("CHANGE", change);
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}"));
    let truth = truth(&module, &[], || halves).expect("it returns");
    (module, truth)
}

/// A bound may change between two entries of a loop: the first one says nothing of the others.
#[test]
fn a_bound_that_changes_between_entries_is_not_that_of_the_first() {
    let open = Setting { world: World::Open, ..WHOLE };
    let escaped = "call void @keep(ptr @bound)";
    let kinds = [
        ("its own function", halved("internal ", "", "own_halve"), &SETTINGS[..]),
        ("code that has the address", halved("internal ", escaped, "halve"), &SETTINGS[..]),
        ("code that sees the name", halved("", "", "halve"), &[open][..]),
    ];
    for (what, (module, truth), settings) in kinds {
        for &setting in settings {
            for known in [&[0, 1, 4, 5][..], &[0, 5], &[0]] {
                let [header, latch, leaf] = of_halved(&module, &truth, setting, known);
                assert_eq!([header, (latch.0, true), leaf], [(12, true); 3], "{what} {setting:?} {known:?}");
            }
        }
    }
}

/// Code outside does what no closed world allows, and the run shows it: what was counted goes before what the code says.
#[test]
fn a_count_goes_before_the_code_that_it_contradicts() {
    let (module, halved) = halved("", "", "halve");
    let same =
        truth(&module, &[], || |_: &mut Memory, _: &str, _: &[Scalar]| Reply::Nothing).expect("it returns");
    for known in [&[0, 1, 4, 5][..], &[0, 5], &[0]] {
        let said = of_halved(&module, &halved, WHOLE, known);
        assert_eq!(said, [(12, true), (12, false), (12, true)], "{known:?}");
        assert_eq!(of_halved(&module, &same, WHOLE, known), [(50, true); 3], "{known:?}");
    }
}

/// The same in random programs.
#[test]
fn random_loops_are_entered_with_other_bounds() {
    let cases = [
        (7_043_015_812_015_858_078, 17_559_885_401_560_064),
        (16_791_613_129_949_484_552, 9_371_428_980_577_601_544),
        (16_791_613_129_949_484_552, 0),
    ];
    cases.into_iter().for_each(|(seed, bits)| _ = compare_in(seed, bits, &SETTINGS));
}

#[test]
fn much_follows_from_half_of_the_blocks() {
    let mut compared = [0, 0];
    for seed in 0..40 {
        let [exact, all] = compare_random(seed, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        compared = [compared[0] + exact, compared[1] + all];
    }
    assert!(compared[1] > 1000 && compared[0] * 10 > compared[1] * 5, "{compared:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn what_follows_is_what_a_run_does(seed in any::<u64>(), bits in any::<u64>()) {
        compare_random(seed, bits);
    }
}
