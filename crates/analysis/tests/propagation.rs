//! Does every value lie in the range that was told?
//!
//! Random loops (and what surrounds them: calls, tables, data that is written)
//! are analysed once, in the open world, and run with many inputs; 8-bit
//! parameters are tried out. Every value that a result or parameter ever has
//! must be in its range, in every function of the module; poison and undefined
//! values are none. No violation is excused.
//!
//! `PROPTEST_CASES=5000 cargo test -p opcost-analysis --test propagation` goes on
//! for longer.

use std::collections::HashSet;

use opcost_analysis::memory::effects::Effects;
use opcost_analysis::memory::{Memory, World};
use opcost_analysis::propagation::{Propagation, Range};
use opcost_index::Id;
use opcost_ir::{FunctionText, Layout, Module, Type, Value};
use opcost_key::FunctionId;
use opcost_testkit::{Case, Interpreter, all_inputs, function_named, random_loops};

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

fn judge(case: &Case, inputs: usize, steps: u64, tally: &mut Tally) {
    // A name that the grammar gives twice, seldom.
    let Ok(module) = case.module() else { return tally.unread += 1 };
    let id = function_named(&module, case.function).expect("the function to be run");
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = Memory::of(&module, &layout, &effects, World::Open);
    let ranges = Propagation::compute(&program);
    tally.given_up += ranges.given_up;
    for at in module.functions[id].instructions.ids() {
        if let Some(Range::Integer(range)) = ranges.range(id, Value::Instruction(at)) {
            tally.declared += u64::from(range.type_width());
            tally.needed += u64::from(range.needed_width().bits);
        }
    }
    let interpreter = Interpreter::new(&module).with_values().with_step_limit(steps);
    let mut seen: HashSet<(FunctionId, Value, u128)> = HashSet::new();
    for input in &all_inputs(&case.parameters, inputs) {
        let run = interpreter.run(id, input, &mut case.externals());
        for &(function, value, bits) in &run.values {
            if !seen.insert((function, value, bits)) {
                continue;
            }
            let Some(range) = ranges.range(function, value) else { continue };
            tally.checked += 1;
            if !contains(range, bits) {
                let body = &module.functions[function];
                let name = match value {
                    Value::Instruction(at) => FunctionText::new(&module, body).instruction(at),
                    other => format!("{other:?}"),
                };
                panic!(
                    "seed {}: {} of {}: {bits} is not in {range:?}, pointer {}, input {input:?}, ended {:?}\n{}",
                    case.seed,
                    name,
                    body.name,
                    is_pointer(&module, function, value),
                    run.ended,
                    case.text
                );
            }
        }
    }
    tally.values += seen.len() as u64;
}

#[test]
fn values_of_random_loops_lie_in_their_ranges() {
    let cases = number_from("PROPTEST_CASES", 200);
    let first = number_from("FIRST_SEED", 0);
    let inputs = number_from("INPUTS", 64) as usize;
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let case = random_loops(seed);
        judge(&case, if case.parameters == [8] { 256 } else { inputs }, 6_000, &mut tally);
    }
    println!("{tally:#?}");
    assert!(tally.unread * 100 < cases, "texts are programs: {tally:?}");
    assert!(tally.checked > 1000 * cases, "ranges are checked: {tally:?}");
    assert!(tally.needed * 100 < tally.declared * 80, "ranges are told: {tally:?}");
    let _ = FunctionId::new(0);
}
