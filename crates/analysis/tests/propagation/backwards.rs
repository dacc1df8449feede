//! Does every value lie in the range that is demanded of it?
//!
//! Random programs with accesses sown into them, analysed backwards too, and run
//! with many inputs. Of executions that do something undefined nothing is
//! claimed, so runs count that return; in these every value must be in its range.

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Backwards, Propagation, Range, RangeOptions};
use opcost_ir::{Layout, Value, parse_module};
use opcost_library::Effects;
use opcost_testkit::{
    Ended, ExternalCalls, Interpreter, Random, Scalar, all_inputs, function_named, nothing_known,
    random_branches, random_loops, with_accesses,
};

use crate::{contains, number_from};

#[derive(Default, Debug)]
struct Tally {
    runs: u64,
    returned: u64,
    checked: u64,
    /// Bits of ranges forwards only, and backwards too.
    forwards: u64,
    backwards: u64,
}

struct Subject<'a> {
    seed: u64,
    text: &'a str,
    name: &'a str,
}

fn judge(
    Subject { seed, text, name }: Subject<'_>,
    inputs: &[Vec<Scalar>],
    mut externals: impl FnMut() -> Box<ExternalCalls<'static>>,
    tally: &mut Tally,
) {
    let Ok(module) = parse_module(text) else { return };
    let id = function_named(&module, name).expect("the function to be run");
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, World::Open);
    let forwards = Propagation::compute(&program);
    let ranges = Propagation::compute_with(
        &program,
        RangeOptions { backwards: Backwards::WithinObjects, ..RangeOptions::default() },
    );
    assert_eq!(ranges.not_closed(), [], "seed {seed}\n{text}");
    let bits = |ranges: &Propagation, value: Value| match ranges.range(id, value) {
        Some(Range::Integer(range)) => u64::from(range.needed_width().bits),
        _ => 0,
    };
    for at in module.functions[id].instructions.ids().map(Value::Instruction) {
        tally.forwards += bits(&forwards, at);
        tally.backwards += bits(&ranges, at);
    }
    let interpreter = Interpreter::new(&module).with_values().with_step_limit(3000);
    for input in inputs {
        let run = interpreter.run(id, input, &mut externals());
        tally.runs += 1;
        if !matches!(run.ended, Ended::Returned(_)) {
            continue;
        }
        tally.returned += 1;
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
fn values_lie_in_what_is_demanded_of_them() {
    let cases = number_from("PROPTEST_CASES", 400);
    let first = number_from("FIRST_SEED", 0);
    let inputs = all_inputs(&[8, 8], number_from("INPUTS", 1 << 9) as usize);
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let text = with_accesses(&random_branches(seed), &mut Random::new(seed));
        judge(Subject { seed, text: &text, name: "run" }, &inputs, || Box::new(nothing_known), &mut tally);
    }
    println!("{tally:#?}");
    assert!(tally.returned * 20 > tally.runs, "runs count: {tally:?}");
    assert!(tally.checked > 100 * cases, "values are checked: {tally:?}");
    assert!(tally.backwards < tally.forwards, "something is demanded: {tally:?}");
}

#[test]
fn the_same_in_random_loops() {
    let cases = number_from("PROPTEST_CASES", 150);
    let first = number_from("FIRST_SEED", 0);
    let mut tally = Tally::default();
    for seed in first..first + cases {
        let case = random_loops(seed);
        let text = with_accesses(&case.text, &mut Random::new(seed));
        let inputs = all_inputs(&case.parameters, number_from("INPUTS", 24) as usize);
        judge(
            Subject { seed, text: &text, name: case.function },
            &inputs,
            || Box::new(case.externals()),
            &mut tally,
        );
    }
    println!("{tally:#?}");
    assert!(tally.checked > 10 * cases, "values are checked: {tally:?}");
}
