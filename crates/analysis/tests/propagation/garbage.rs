//! Does anybody notice what is put into bits that are not demanded?
//!
//! Random programs are run as they are, and all values noted; then once more
//! without the promises of their instructions, with random garbage in all bits
//! of all values that are not demanded. Both runs must take the same way, each
//! demanded bit must be the same, as must addresses, and the end. From the first
//! value on that is poison or undefined nothing is claimed any more.

use std::cell::{Cell, RefCell};

use opcost_analysis::demand::Demand;
use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Propagation, Range};
use opcost_analysis::ranges::{Sign, ValueRange};
use opcost_ir::{Flags, Layout, Module, Opcode, Value, parse_module};
use opcost_key::FunctionId;
use opcost_library::Effects;
use opcost_testkit::{
    Case, Interpreter, Memory, Random, Reply, Scalar, all_inputs, function_named, nothing_known,
    random_branches, random_loops,
};

use crate::number_from;

/// What came of it.
#[derive(Default, Debug)]
struct Tally {
    values: u64,
    /// Bits that are not demanded, where values have their range.
    garbage: u64,
    held: u64,
    whole_runs: u64,
    runs: u64,
}

/// The module without promises of instructions.
fn without_promises(module: &Module) -> Module {
    let mut module = module.clone();
    for function in module.functions.values_mut() {
        for instruction in function.instructions.values_mut() {
            let is_address = instruction.opcode == Opcode::GetElementPtr;
            let kept = [Flags::VOLATILE, Flags::ATOMIC];
            let kept = kept.into_iter().filter(|&flag| instruction.flags.has(flag));
            if !is_address {
                instruction.flags = kept.fold(Flags::NONE, Flags::with);
            }
        }
    }
    module
}

/// What is held of a word, garbage in the bits that are not demanded.
fn with_garbage(range: &ValueRange, demanded: u128, word: u128, garbage: u128) -> u128 {
    let (width, needed) = (range.type_width(), range.needed_width());
    if let Some(constant) = range.as_constant() {
        return constant;
    }
    if needed.bits == 0 {
        return word;
    }
    let low = u128::MAX >> (128 - needed.bits);
    let held = (word & demanded | garbage & !demanded) & low;
    let is_negative = needed.sign == Sign::Signed && held >> (needed.bits - 1) & 1 == 1;
    let high = if is_negative { !low } else { 0 };
    (held | high) & u128::MAX >> (128 - width)
}

type Externals = Box<dyn FnMut(&mut Memory, &str, &[Scalar]) -> Reply>;

struct Subject<'a> {
    seed: u64,
    text: &'a str,
    world: World,
    name: &'a str,
    inputs: Vec<Vec<Scalar>>,
    steps: u64,
}

fn judge(subject: &Subject<'_>, mut externals: impl FnMut() -> Externals, tally: &mut Tally) {
    let Ok(module) = parse_module(subject.text) else { return };
    let id = function_named(&module, subject.name).expect("the function to be run");
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, subject.world);
    let ranges = Propagation::compute(&program);
    let demand = Demand::compute(&program, &ranges);
    let free = without_promises(&module);
    let random = RefCell::new(Random::new(subject.seed));
    for input in &subject.inputs {
        let trace: RefCell<Vec<(FunctionId, Value, Scalar)>> = RefCell::default();
        let noting =
            Interpreter::new(&module).with_step_limit(subject.steps).with_rewriting(|id, of, value| {
                trace.borrow_mut().push((id, of, value.clone()));
                value
            });
        let first = noting.run(id, input, &mut externals());
        let trace = trace.borrow();
        // Where something is poison for the first time.
        let end = trace.iter().position(|(.., value)| !value.is_known()).unwrap_or(trace.len());
        let position = Cell::new(0);
        let (counted, garbled) = (Cell::new((0, 0)), Cell::new(0));
        let rewriting = |id: FunctionId, of: Value, value: Scalar| {
            let at = position.replace(position.get() + 1);
            if at >= end {
                return value;
            }
            let (own, of_own, right) = &trace[at];
            assert_eq!((*own, *of_own), (id, of), "seed {}: another way\n{}", subject.seed, subject.text);
            let demanded = demand.bits(id, of);
            let (Some(demanded), &Scalar::Integer { bits: right, width }) = (demanded, right) else {
                assert_eq!(&value, right, "seed {}: {of:?} of {input:?}\n{}", subject.seed, subject.text);
                return value;
            };
            let word = match (value, demanded) {
                (Scalar::Integer { bits, .. }, _) => bits,
                (_, 0) => 0,
                (other, _) => {
                    panic!("seed {}: {of:?} is {other:?} for {right}\n{}", subject.seed, subject.text)
                }
            };
            let Some(Range::Integer(range)) = ranges.range(id, of) else { panic!("an integer has a range") };
            assert_eq!(
                (word ^ right) & demanded,
                0,
                "seed {}: {of:?} of {}, {demanded:#x} of {range:?}: {word} for {right}, input {input:?}\n{}",
                subject.seed,
                module.functions[id].name,
                subject.text
            );
            let mut random = random.borrow_mut();
            let garbage = u128::from(random.number()) << 64 | u128::from(random.number());
            let (held, free) = counted.get();
            let bits = range.needed_width().bits;
            let undemanded = bits - (demanded.count_ones()).min(bits);
            counted.set((held + u64::from(bits), free + u64::from(undemanded)));
            let taken = with_garbage(range, demanded, word, garbage);
            garbled.set(garbled.get() + u64::from(taken != right));
            Scalar::integer(width, taken)
        };
        let again = Interpreter::new(&free).with_step_limit(subject.steps).with_rewriting(rewriting);
        let second = again.run(id, input, &mut externals());
        tally.values += garbled.get();
        tally.held += counted.get().0;
        tally.garbage += counted.get().1;
        tally.runs += 1;
        if end == trace.len() {
            tally.whole_runs += 1;
            let ends = ((&first.ended, first.steps), (&second.ended, second.steps));
            assert_eq!(ends.0, ends.1, "seed {}: {input:?}\n{}", subject.seed, subject.text);
        }
    }
}

fn judge_loops(case: &Case, world: World, inputs: usize, tally: &mut Tally) {
    let (text, name) = match world {
        World::Closed => (case.text.replace("@run", "@main"), "main"),
        World::Open => (case.text.clone(), case.function),
    };
    let inputs = all_inputs(&case.parameters, inputs);
    let subject = Subject { seed: case.seed, text: &text, world, name, inputs, steps: 4_000 };
    judge(&subject, || Box::new(case.externals()), tally);
}

#[test]
fn nobody_notices_garbage_in_random_loops() {
    let cases = number_from("PROPTEST_CASES", 200);
    let first = number_from("FIRST_SEED", 0);
    let inputs = number_from("INPUTS", 12) as usize;
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let case = random_loops(seed);
        judge_loops(&case, World::Open, inputs, &mut tally);
        if case.text.contains("global internal @cell8") {
            judge_loops(&case, World::Closed, inputs, &mut tally);
        }
    }
    println!("{tally:#?}");
    assert!(tally.values > cases, "there is garbage: {tally:?}");
    assert!(tally.whole_runs * 2 > tally.runs, "most runs are claimed to their end: {tally:?}");
}

#[test]
fn nobody_notices_garbage_in_random_branches() {
    let cases = number_from("PROPTEST_CASES", 400);
    let first = number_from("FIRST_SEED", 0);
    let inputs = all_inputs(&[8, 8], number_from("INPUTS", 1 << 5) as usize);
    let mut tally = Tally::default();
    for seed in first..first + cases {
        // The operand of `abs`, `ctlz` and `cttz` is a promise too.
        let text = random_branches(seed).replace(", i1 1)", ", i1 0)").replace(", i1 true)", ", i1 false)");
        let (world, inputs) = (World::Open, inputs.clone());
        let subject = Subject { seed, text: &text, world, name: "run", inputs, steps: 600 };
        judge(&subject, || Box::new(nothing_known), &mut tally);
    }
    println!("{tally:#?}");
    assert!(tally.values > 100 * cases, "there is garbage: {tally:?}");
}
