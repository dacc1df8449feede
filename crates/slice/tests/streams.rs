//! Does a slice enter the same loops, and does each iterate as often?
//!
//! The referee is an interpreter: the program and what its removal leaves are run with the same
//! arguments, and all activations of all loops must be the same, in the same order, with the same result.
//! Beside that, every write that a load of the slice was seen to read must be in the slice.

mod common;

use std::collections::HashMap;

use common::applied;
use opcost_analysis::memory::{MemoryModel, World};
use opcost_index::Id;
use opcost_ir::{Layout, Module, parse_module};
use opcost_key::FunctionId;
use opcost_library::Effects;
use opcost_slice::{ConstantLoop, CountedBlock, Level, LoopNumber, Slice, SliceOptions, SliceSite, check};
use opcost_testkit::{
    Ended, InterpretedRun, Interpreter, LoopShape, ObservedWriter, all_inputs, function_named, natural_loops,
    random_branches, random_loops,
};
use proptest::prelude::*;

fn sliced(module: &Module, options: &SliceOptions) -> Slice {
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let memory = MemoryModel::of(module, &layout, &effects, World::Closed);
    let slice = Slice::of(&memory, options).unwrap_or_else(|refused| panic!("{refused}"));
    check(module, &slice.removal)
        .unwrap_or_else(|fault| panic!("{fault}\n{}", opcost_ir::print_module(module)));
    slice
}

fn shapes(module: &Module) -> Vec<LoopShape> {
    module.functions.iter().flat_map(|(id, function)| natural_loops(id, function)).collect()
}

/// All that a run reports of its loops, and its result. A constant loop of the slice reports its entries
/// alone, or nothing; then so do loops around the others.
fn stream(run: &InterpretedRun, shapes: &[LoopShape], slice: &Slice) -> String {
    let mut text = format!("{:?}\n", run.ended);
    for one in &run.activations {
        let frame = run.frames[one.frame].function;
        let constant = constant_of(slice, &shapes[one.shape]);
        match constant {
            None if slice.constants.is_empty() => {
                text +=
                    &format!("{frame} {} {:?} {}\n", one.shape, one.outer_back_edges, one.header_executions);
            }
            None => text += &format!("{frame} {} {}\n", one.shape, one.header_executions),
            Some(ConstantLoop { entries: None, .. }) => text += &format!("{frame} {}\n", one.shape),
            Some(_) => {}
        }
    }
    text
}

fn constant_of(slice: &Slice, shape: &LoopShape) -> Option<ConstantLoop> {
    let is_it = |number: LoopNumber| {
        slice.loops[number].function == shape.function && slice.loops[number].header == shape.header
    };
    slice.constants.iter().find(|&(&number, _)| is_it(number)).map(|(_, &constant)| constant)
}

/// What is claimed of constant loops is so in the whole program; how many claims were compared.
fn constants_hold(
    run: &InterpretedRun,
    shapes: &[LoopShape],
    slice: &Slice,
    program: &dyn Fn() -> String,
) -> usize {
    let mut entered: HashMap<(usize, usize), u64> = HashMap::new();
    let mut compared = 0;
    for one in &run.activations {
        let Some(constant) = constant_of(slice, &shapes[one.shape]) else { continue };
        assert_eq!(one.header_executions, constant.headers, "{}", program());
        compared += 1;
        if let Some(parent) = one.parent {
            *entered.entry((parent, one.shape)).or_default() += 1;
        }
    }
    for (number, inner) in shapes.iter().enumerate() {
        let Some(ConstantLoop { entries: Some(entries), .. }) = constant_of(slice, inner) else { continue };
        let numbered =
            slice.loops.values().find(|one| one.function == inner.function && one.header == inner.header);
        let around = &slice.loops[numbered.and_then(|one| one.parent).expect("a loop around")];
        for (position, outer) in run.activations.iter().enumerate() {
            let shape = &shapes[outer.shape];
            if shape.function == around.function && shape.header == around.header {
                let actual = entered.get(&(position, number)).copied().unwrap_or(0);
                assert_eq!(actual, entries, "{}", program());
            }
        }
    }
    compared
}

/// How much was compared.
#[derive(Default)]
struct Compared {
    runs: usize,
    /// Times that a constant loop was entered.
    constants: usize,
}

/// Runs a program and its slices at all levels with these inputs.
fn compare(module: &Module, parameters: &[u32], seed: Option<u64>, most: usize) -> Compared {
    let main = function_named(module, "main").expect("main");
    let mut compared = Compared::default();
    for level in [Level::Flow, Level::Calls, Level::Needed] {
        let slice = sliced(module, &SliceOptions { level, ..SliceOptions::default() });
        let left = applied(module, &slice.removal);
        let whole = Interpreter::new(module).with_loops(shapes(module)).with_step_limit(20_000).with_loads();
        let part = Interpreter::new(&left).with_loops(shapes(module)).with_step_limit(40_000);
        for input in all_inputs(parameters, most) {
            let [first, second] = [&whole, &part].map(|interpreter| match seed {
                Some(seed) => interpreter.run(main, &input, &mut random_loops(seed).externals()),
                None => interpreter.run(main, &input, &mut opcost_testkit::nothing_known),
            });
            if !matches!(first.ended, Ended::Returned(_) | Ended::Stopped | Ended::Unwound) {
                continue;
            }
            let program = || opcost_ir::print_module(module);
            let rest = || opcost_ir::print_module(&left);
            let shapes = shapes(module);
            let [one, other] = [&first, &second].map(|run| stream(run, &shapes, &slice));
            assert_eq!(one, other, "{level:?} {input:?}\n{}\n{}", program(), rest());
            compared.constants += constants_hold(&first, &shapes, &slice, &program);
            writers_stay(&slice, &first, &program);
            compared.runs += 1;
        }
    }
    compared
}

/// The dynamic slice through memory is in the static one.
fn writers_stay(slice: &Slice, run: &InterpretedRun, program: &dyn Fn() -> String) {
    let stays =
        |function: FunctionId, instruction| !slice.chain(SliceSite { function, instruction }).is_empty();
    for load in run.loads.iter().filter(|load| stays(load.at.function, load.at.instruction)) {
        for writer in &load.writers {
            if let ObservedWriter::Instruction(write) = writer {
                let (function, instruction) = (write.at.function, write.at.instruction);
                assert!(stays(function, instruction), "{function} {instruction} goes\n{}", program());
            }
        }
    }
}

/// Each block by itself, as if it were a loop: executions of its header are those of the block.
fn block_shapes(slice: &Slice) -> Vec<LoopShape> {
    let shape = |one: &CountedBlock| LoopShape {
        function: one.function,
        header: one.block,
        members: vec![one.block],
        watched: Vec::new(),
    };
    slice.counted.iter().map(shape).collect()
}

fn executions(run: &InterpretedRun, blocks: usize) -> Vec<u64> {
    let mut counts = vec![0; blocks];
    run.activations.iter().for_each(|one| counts[one.shape] += one.header_executions);
    counts
}

/// Blocks whose branches the slice has run as often as in the program; how many were compared.
fn blocks_are_counted(module: &Module, parameters: &[u32], seed: u64, any_status: bool) -> usize {
    let main = function_named(module, "main").expect("main");
    let options =
        SliceOptions { level: Level::Needed, counts_blocks: true, any_status, ..SliceOptions::default() };
    let slice = sliced(module, &options);
    let left = applied(module, &slice.removal);
    let whole = Interpreter::new(module).with_loops(block_shapes(&slice)).with_step_limit(20_000);
    let part = Interpreter::new(&left).with_loops(block_shapes(&slice)).with_step_limit(40_000);
    let mut compared = 0;
    for input in all_inputs(parameters, 12) {
        let [first, second] = [&whole, &part]
            .map(|interpreter| interpreter.run(main, &input, &mut random_loops(seed).externals()));
        if !matches!(first.ended, Ended::Returned(_) | Ended::Stopped | Ended::Unwound) {
            continue;
        }
        let blocks = slice.counted.len();
        let [first, second] = [&first, &second].map(|run| executions(run, blocks));
        let texts = || [module, &left].map(opcost_ir::print_module).join("\n");
        assert_eq!(first, second, "{seed} {input:?}\n{:?}\n{}", slice.counted, texts());
        compared += blocks;
    }
    compared
}

/// Loops without events: those that remain have theirs, as often and in the same order; how many were compared.
fn others_remain(module: &Module, parameters: &[u32], seed: u64) -> usize {
    let main = function_named(module, "main").expect("main");
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let memory = MemoryModel::of(module, &layout, &effects, World::Closed);
    let loops = Slice::loops(&memory).unwrap_or_else(|refused| panic!("{refused}"));
    let unmarked = loops.ids().filter(|number| (seed >> (number.index() % 60)) & 1 == 1).collect();
    let options = SliceOptions { level: Level::Needed, unmarked, ..SliceOptions::default() };
    let slice = sliced(module, &options);
    let left = applied(module, &slice.removal);
    let is_measured = |shape: &LoopShape| {
        let mut all = slice.loops.iter();
        let number = all.find(|(_, one)| one.function == shape.function && one.header == shape.header);
        let number = number.map(|(number, _)| number);
        number.is_some_and(|number| {
            !options.unmarked.contains(number) && !slice.constants.contains_key(&number)
        })
    };
    let measured: Vec<LoopShape> = shapes(module).into_iter().filter(is_measured).collect();
    let whole = Interpreter::new(module).with_loops(measured.clone()).with_step_limit(20_000);
    let part = Interpreter::new(&left).with_loops(measured).with_step_limit(40_000);
    let mut compared = 0;
    for input in all_inputs(parameters, 12) {
        let [first, second] = [&whole, &part]
            .map(|interpreter| interpreter.run(main, &input, &mut random_loops(seed).externals()));
        if !matches!(first.ended, Ended::Returned(_) | Ended::Stopped | Ended::Unwound) {
            continue;
        }
        let events = |run: &InterpretedRun| -> Vec<(usize, u64)> {
            run.activations.iter().map(|one| (one.shape, one.header_executions)).collect()
        };
        let texts = || [module, &left].map(opcost_ir::print_module).join("\n");
        assert_eq!(events(&first), events(&second), "{seed} {input:?}\n{}", texts());
        assert_eq!(first.ended, second.ended, "{seed} {input:?}\n{}", texts());
        compared += first.activations.len();
    }
    compared
}

fn kept(text: &str) -> (usize, usize) {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    sliced(&module, &SliceOptions::default()).counts()
}

/// The document's example: a loop that computes a sum, `n` times. Its counter stays, the sum goes.
const SUM: &str = "
global internal @total type double = { }
define i32 @main(i32 %n) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %old = load double, ptr @total
  %new = fadd double %old, 1.0
  store double %new, ptr @total
  %i1 = add i32 %i, 1
  br label %head
done:
  ret i32 0
}
";

#[test]
fn the_counter_stays_and_what_is_summed_goes() {
    assert_eq!(kept(SUM), (10, 5));
    let module = parse_module(SUM).expect("a module");
    assert!(compare(&module, &[32], None, 20).runs > 10);
}

/// A bound that comes through memory, a call and an argument.
const THROUGH: &str = "
global internal @bound type i32 = { 0: i32 3 }
global internal @other type i32 = { 0: i32 5 }
define internal void @set(i32 %v, i32 %w) {
  store i32 %v, ptr @bound
  store i32 %w, ptr @other
  ret void
}
define internal i32 @get() {
  %b = load i32, ptr @bound
  ret i32 %b
}
define i32 @main(i32 %n) {
entry:
  %twice = mul i32 %n, 2
  %and = and i32 %n, 15
  call void @set(i32 %and, i32 %twice)
  %bound = call i32 @get()
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i1, %head ]
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %bound
  br i1 %more, label %head, label %done
done:
  ret i32 0
}
";

#[test]
fn what_is_stored_and_passed_and_returned_stays_and_its_neighbour_goes() {
    let module = parse_module(THROUGH).expect("a module");
    let slice = sliced(&module, &SliceOptions::default());
    let main = function_named(&module, "main").expect("main");
    let set = function_named(&module, "set").expect("set");
    let stays: Vec<bool> = slice.because[set].values().map(Option::is_some).collect();
    assert_eq!(stays, [true, false, false]);
    let stays: Vec<bool> = slice.because[main].values().take(4).map(Option::is_some).collect();
    assert_eq!(stays, [false, true, true, true]);
    assert!(compare(&module, &[32], None, 40).runs > 10);
}

/// Three loops of which two iterate equally often: they go at the last level, and what is claimed of them
/// is so.
#[test]
fn loops_that_iterate_equally_often_go() {
    let text = "
global internal @total type double = { }
define i32 @main(i32 %n) {
entry:
  br label %outer
outer:
  %i = phi i32 [ 0, %entry ], [ %i1, %outer.latch ]
  br label %middle
middle:
  %j = phi i32 [ 0, %outer ], [ %j1, %middle.latch ]
  %in = icmp slt i32 %j, 7
  br i1 %in, label %body, label %outer.latch
body:
  br label %inner
inner:
  %k = phi i32 [ 0, %body ], [ %k1, %inner ]
  store double 2.0, ptr @total
  %k1 = add i32 %k, 1
  %again = icmp slt i32 %k1, 5
  br i1 %again, label %inner, label %middle.latch
middle.latch:
  %j1 = add i32 %j, 1
  br label %middle
outer.latch:
  %i1 = add i32 %i, 1
  %more = icmp slt i32 %i1, %n
  br i1 %more, label %outer, label %done
done:
  ret i32 0
}
";
    let module = parse_module(text).expect("a module");
    let slice = sliced(&module, &SliceOptions { level: Level::Needed, ..SliceOptions::default() });
    let mut constants: Vec<(u64, Option<u64>)> =
        slice.constants.values().map(|one| (one.headers, one.entries)).collect();
    constants.sort_unstable();
    assert_eq!(constants, [(5, Some(7)), (8, None)]);
    let left = applied(&module, &slice.removal);
    assert_eq!(shapes(&left).len(), 1, "{}", opcost_ir::print_module(&left));
    assert!(compare(&module, &[32], None, 20).runs > 10);
}

/// A branch that decides nothing goes to where its ways meet.
#[test]
fn a_branch_that_decides_nothing_is_gone() {
    let text = SUM.replace(
        "  %old = load",
        "  %odd = icmp eq i32 %i, 3
  br i1 %odd, label %left, label %right
left:
  store double 2.0, ptr @total
  br label %join
right:
  store double 3.0, ptr @total
  br label %join
join:
  %old = load",
    );
    let text = text.replace("[ %i1, %body ]", "[ %i1, %join ]");
    assert_eq!(kept(&text), (16, 5));
    assert!(compare(&parse_module(&text).expect("a module"), &[32], None, 20).runs > 10);
}

/// Most random programs run to their end, and lose something: the comparison compares.
#[test]
fn random_programs_are_compared_and_become_smaller() {
    let (mut runs, mut constants, mut all, mut stay) = (0, 0, 0, 0);
    for seed in 0..60 {
        let case = random_loops(seed);
        let module = parse_module(&case.text.replace("@run(", "@main(")).expect("a module");
        let compared = compare(&module, &case.parameters, Some(seed), 8);
        (runs, constants) = (runs + compared.runs, constants + compared.constants);
        let counts = sliced(&module, &SliceOptions::default()).counts();
        (all, stay) = (all + counts.0, stay + counts.1);
    }
    assert!(runs > 300 && constants > 100, "{runs} runs, {constants} constant loops");
    assert!(stay * 10 < all * 9, "{stay} of {all} instructions stay");
}

/// Blocks that are said to be counted are counted right, and most blocks are counted.
#[test]
fn blocks_run_as_often_as_in_the_program() {
    let (mut compared, mut counted, mut all) = (0, 0, 0);
    for seed in 1000..1060 {
        let case = random_loops(seed);
        let module = parse_module(&case.text.replace("@run(", "@main(")).expect("a module");
        for any_status in [false, true] {
            compared += blocks_are_counted(&module, &case.parameters, seed, any_status);
        }
        let options = SliceOptions { level: Level::Needed, counts_blocks: true, ..SliceOptions::default() };
        counted += sliced(&module, &options).counted.len();
        all += module.functions.values().map(|function| function.blocks.len()).sum::<usize>();
    }
    assert!(compared > 5000 && counted * 2 > all, "{compared} compared, {counted} of {all} counted");
}

/// Recursion is no loop, and no formula gives how often a function calls itself: its calls stay to be counted.
#[test]
fn calls_of_what_calls_itself_stay_to_be_counted() {
    let text = "
define internal void @down(i32 %n) {
entry:
  %more = icmp sgt i32 %n, 0
  br i1 %more, label %again, label %done
again:
  %less = sub i32 %n, 1
  call void @down(i32 %less)
  br label %done
done:
  ret void
}
define i32 @main(i32 %n) {
entry:
  %small = and i32 %n, 15
  call void @down(i32 %small)
  ret i32 0
}
";
    let module = parse_module(text).expect("a module");
    let of = |counts_blocks| {
        let options = SliceOptions { level: Level::Needed, counts_blocks, ..SliceOptions::default() };
        sliced(&module, &options).counts().1
    };
    assert_eq!((of(false), of(true)), (1, 7));
    assert!(blocks_are_counted(&module, &[32], 0, false) >= 40);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn random_loops_have_the_same_stream(seed in any::<u64>()) {
        let case = random_loops(seed);
        let module = parse_module(&case.text.replace("@run(", "@main(")).expect("a module");
        compare(&module, &case.parameters, Some(seed), 24);
    }

    #[test]
    fn loops_without_events_leave_the_others_alone(seed in any::<u64>()) {
        let case = random_loops(seed);
        let module = parse_module(&case.text.replace("@run(", "@main(")).expect("a module");
        others_remain(&module, &case.parameters, seed);
    }

    #[test]
    fn random_loops_have_the_same_blocks(seed in any::<u64>()) {
        let case = random_loops(seed);
        let module = parse_module(&case.text.replace("@run(", "@main(")).expect("a module");
        blocks_are_counted(&module, &case.parameters, seed, seed % 2 == 0);
    }

    #[test]
    fn random_branches_have_the_same_result(seed in any::<u64>()) {
        let text = random_branches(seed).replace("@run(", "@main(");
        compare(&parse_module(&text).expect("a module"), &[8, 8], None, 24);
    }
}
