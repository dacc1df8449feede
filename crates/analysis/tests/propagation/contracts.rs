//! Does every value lie in the range that a contract leaves, where callers keep it?
//!
//! Random branches, each with a random contract for each of its two parameters,
//! some of them around the ends of the type; all inputs that keep both are run.

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Backwards, Contract, Propagation, Range, RangeOptions};
use opcost_analysis::ranges::{Interval, ValueRange};
use opcost_ir::{Layout, Module, Value, parse_module};
use opcost_key::FunctionId;
use opcost_library::Effects;
use opcost_testkit::{
    Ended, Interpreter, Random, Scalar, all_inputs, function_named, nothing_known, random_branches,
    with_accesses,
};

use crate::{contains, number_from};

#[derive(Default, Debug)]
struct Tally {
    runs: u64,
    checked: u64,
    /// Bits of ranges under contracts, and without.
    promised: u64,
    anything: u64,
}

fn contract(function: FunctionId, position: u32, random: &mut Random) -> Contract {
    let (low, span) = (random.below(256), random.below(64));
    let range = ValueRange::from(Interval::new(8, low.into(), ((low + span) % 256).into()));
    Contract { function, position, range: Range::Integer(range) }
}

fn is_kept(contracts: &[Contract], input: &[Scalar]) -> bool {
    contracts.iter().all(|contract| match input[contract.position as usize] {
        Scalar::Integer { bits, .. } => contains(&contract.range, bits),
        _ => false,
    })
}

struct Subject<'a> {
    seed: u64,
    module: &'a Module,
    text: &'a str,
}

fn judge(
    Subject { seed, module, text }: Subject<'_>,
    inputs: &[Vec<Scalar>],
    backwards: bool,
    tally: &mut Tally,
) {
    let id = function_named(module, "run").expect("the function to be run");
    let (layout, effects) = (Layout::of(module), Effects::built_in());
    let program = MemoryModel::of(module, &layout, &effects, World::Open);
    let mut random = Random::new(seed);
    let contracts = [contract(id, 0, &mut random), contract(id, 1, &mut random)];
    let direction = if backwards { Backwards::WithinObjects } else { Backwards::No };
    let options = RangeOptions { backwards: direction, ..RangeOptions::default() };
    let without = Propagation::compute_with(&program, options);
    let ranges = Propagation::compute_under(&program, options, &contracts);
    assert_eq!(ranges.not_closed(), [], "seed {seed}\n{text}");
    let bits = |ranges: &Propagation, value: Value| match ranges.range(id, value) {
        Some(Range::Integer(range)) => u64::from(range.needed_width().bits),
        _ => 0,
    };
    for at in module.functions[id].instructions.ids().map(Value::Instruction) {
        tally.anything += bits(&without, at);
        tally.promised += bits(&ranges, at);
    }
    let interpreter = Interpreter::new(module).with_values().with_step_limit(3000);
    for input in inputs.iter().filter(|input| is_kept(&contracts, input)) {
        let run = interpreter.run(id, input, &mut nothing_known);
        tally.runs += 1;
        if backwards && !matches!(run.ended, Ended::Returned(_)) {
            continue;
        }
        for &(function, value, bits) in &run.values {
            let Some(range) = ranges.range(function, value) else { continue };
            tally.checked += 1;
            assert!(
                contains(range, bits),
                "seed {seed}: {value:?} of {}: {bits} is not in {range:?}, input {input:?}\n{text}",
                module.functions[function].name
            );
        }
    }
}

#[test]
fn values_lie_in_what_contracts_leave() {
    let cases = number_from("PROPTEST_CASES", 60);
    let first = number_from("FIRST_SEED", 0);
    let inputs = all_inputs(&[8, 8], 1 << 16);
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let plain = random_branches(seed);
        let sown = with_accesses(&plain, &mut Random::new(seed));
        for (text, backwards) in [(&plain, false), (&sown, true)] {
            let Ok(module) = parse_module(text) else { continue };
            judge(Subject { seed, module: &module, text }, &inputs, backwards, &mut tally);
        }
    }
    println!("{tally:#?}");
    assert!(tally.runs > 100 * cases && tally.checked > 1000 * cases, "values are checked: {tally:?}");
    assert!(tally.promised * 100 < tally.anything * 85, "contracts say something: {tally:?}");
}
