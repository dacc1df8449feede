//! Does every value lie in the range that was told?
//!
//! Random loops (and what surrounds them: calls, tables, data that is written)
//! and random branches are analysed once and run with many inputs; 8-bit
//! parameters are tried out. Every value that a result or parameter ever has
//! must be in its range, in every function of the module; poison and undefined
//! values are none. No violation is excused.
//!
//! `PROPTEST_CASES=5000 cargo test -p opcost-analysis --test propagation` goes on
//! for longer.

mod backwards;
mod contracts;
mod filled;
mod floats;
mod garbage;
mod speed;
mod undefined;

use std::collections::HashSet;

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Propagation, Range};
use opcost_ir::{FunctionText, Layout, Module, Type, Value, parse_module};
use opcost_key::FunctionId;
use opcost_library::Effects;
use opcost_testkit::{
    Case, Interpreter, Memory, Reply, Scalar, all_inputs, function_named, nothing_known, random_branches,
    random_loops,
};

/// What came of the claims.
#[derive(Default, Debug)]
struct Tally {
    unread: u64,
    values: u64,
    checked: u64,
    /// Bits of the types of integers, and of their ranges.
    declared: u64,
    needed: u64,
    given_up: usize,
}

fn number_from(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn contains(range: &Range, bits: u128) -> bool {
    match range {
        Range::Integer(range) => range.contains(bits),
        Range::Float(range) => range.contains(f64::from_bits(bits as u64)),
    }
}

fn is_pointer(module: &Module, function: FunctionId, value: Value) -> bool {
    let body = &module.functions[function];
    let ty = match value {
        Value::Instruction(id) => body.instructions[id].ty,
        Value::Argument(position) => match &module.types[body.ty] {
            Type::Function(_, parameters, _) => parameters[position as usize],
            _ => return false,
        },
        _ => return false,
    };
    matches!(module.types[ty], Type::Pointer(_))
}

/// A module, the function to be run, and how.
struct Subject<'a> {
    seed: u64,
    module: &'a Module,
    text: &'a str,
    world: World,
    function: FunctionId,
    inputs: Vec<Vec<Scalar>>,
    steps: u64,
}

fn judge(
    subject: &Subject<'_>,
    mut externals: impl FnMut() -> Box<dyn FnMut(&mut Memory, &str, &[Scalar]) -> Reply>,
    tally: &mut Tally,
) {
    let (module, id) = (subject.module, subject.function);
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let program = MemoryModel::of(module, &layout, &effects, subject.world);
    let ranges = Propagation::compute(&program);
    assert_eq!(ranges.not_closed(), [], "seed {}\n{}", subject.seed, subject.text);
    tally.given_up += ranges.given_up;
    for at in module.functions[id].instructions.ids() {
        if let Some(Range::Integer(range)) = ranges.range(id, Value::Instruction(at)) {
            tally.declared += u64::from(range.type_width());
            tally.needed += u64::from(range.needed_width().bits);
        }
    }
    let interpreter = Interpreter::new(module).with_values().with_step_limit(subject.steps);
    let mut seen: HashSet<(FunctionId, Value, u128)> = HashSet::new();
    for input in &subject.inputs {
        let run = interpreter.run(id, input, &mut externals());
        for &(function, value, bits) in &run.values {
            if !seen.insert((function, value, bits)) {
                continue;
            }
            let Some(range) = ranges.range(function, value) else { continue };
            tally.checked += 1;
            if !contains(range, bits) {
                let body = &module.functions[function];
                let name = match value {
                    Value::Instruction(at) => FunctionText::new(module, body).instruction(at),
                    other => format!("{other:?}"),
                };
                panic!(
                    "seed {}: {} of {}: {bits} is not in {range:?}, pointer {}, input {input:?}, ended {:?}\n{}",
                    subject.seed,
                    name,
                    body.name,
                    is_pointer(module, function, value),
                    run.ended,
                    subject.text
                );
            }
        }
    }
    tally.values += seen.len() as u64;
}

fn judge_loops(case: &Case, world: World, inputs: usize, tally: &mut Tally) {
    // A program begins at `main`.
    let text = if world == World::Closed { case.text.replace("@run", "@main") } else { case.text.clone() };
    let name = if world == World::Closed { "main" } else { case.function };
    // A name that the grammar gives twice, seldom.
    let Ok(module) = parse_module(&text) else { return tally.unread += 1 };
    let function = function_named(&module, name).expect("the function to be run");
    let inputs = all_inputs(&case.parameters, if case.parameters == [8] { 256 } else { inputs });
    let subject =
        Subject { seed: case.seed, module: &module, text: &text, world, function, inputs, steps: 6_000 };
    judge(&subject, || Box::new(case.externals()), tally);
}

#[test]
fn values_of_random_loops_lie_in_their_ranges() {
    let cases = number_from("PROPTEST_CASES", 200);
    let first = number_from("FIRST_SEED", 0);
    let inputs = number_from("INPUTS", 64) as usize;
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let case = random_loops(seed);
        judge_loops(&case, World::Open, inputs, &mut tally);
        // What others do to exported data is not what a closed world allows.
        if case.text.contains("global internal @cell8") {
            judge_loops(&case, World::Closed, inputs, &mut tally);
        }
    }
    println!("{tally:#?}");
    assert!(tally.unread * 100 < cases * 2, "texts are programs: {tally:?}");
    assert!(tally.checked > 1000 * cases, "ranges are checked: {tally:?}");
    assert!(tally.needed * 100 < tally.declared * 50, "ranges are told: {tally:?}");
}

#[test]
fn values_of_random_branches_lie_in_their_ranges() {
    let cases = number_from("PROPTEST_CASES", 200);
    let first = number_from("FIRST_SEED", 0);
    let inputs = all_inputs(&[8, 8], number_from("INPUTS", 1 << 10) as usize);
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let text = random_branches(seed);
        let module = parse_module(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let function = function_named(&module, "run").expect("the function to be run");
        let (world, inputs) = (World::Open, inputs.clone());
        let subject = Subject { seed, module: &module, text: &text, world, function, inputs, steps: 600 };
        judge(&subject, || Box::new(nothing_known), &mut tally);
    }
    println!("{tally:#?}");
    assert!(tally.checked > 200 * cases, "ranges are checked: {tally:?}");
    assert!(tally.needed * 100 < tally.declared * 90, "ranges are told: {tally:?}");
}
