//! Does every value lie in its range where it comes through floating point numbers?
//!
//! Random straight-line functions of two bytes: conversions, arithmetic that is
//! not relaxed, rounding, comparisons with selects, and back to integers, which
//! is poison where it does not fit. Some of the arithmetic is relaxed: the
//! machine of the test computes it exactly, so it must lie in the range all the
//! same. Which number a relaxed operation may give instead is not tried here;
//! nothing is told of it.

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Propagation, Range};
use opcost_ir::{Layout, Value, parse_module};
use opcost_library::Effects;
use opcost_testkit::{Interpreter, Random, all_inputs, function_named, nothing_known};

use crate::{contains, number_from};

/// A function of the names of its numbers so far.
fn function(random: &mut Random) -> String {
    let ty = *random.of(&["double", "float"]);
    let suffix = if ty == "double" { "f64" } else { "f32" };
    let mut text =
        format!("define i32 @run(i8 %a, i8 %b) {{\n  %x0 = sitofp {ty} i8 %a\n  %x1 = uitofp {ty} i8 %b\n");
    let constants = ["1.5e+00", "2.5e-01", "-3.0e+00", "1.0e+02", "0.0e+00", "7.0e+00"];
    let mut numbers = 2;
    for at in 0..4 + random.below(10) {
        let mut operand = || match random.one_in(3) {
            true => (*random.of(&constants)).to_owned(),
            false => format!("%x{}", random.below(numbers)),
        };
        let (one, two) = (operand(), operand());
        match random.below(8) {
            0..=3 => {
                let operation = random.of(&["fadd", "fsub", "fmul", "fdiv", "frem"]);
                let fast = if random.one_in(12) { " fast" } else { "" };
                text += &format!("  %x{numbers} = {operation}{fast} {ty} {one}, {two}\n");
            }
            4 => {
                let name = random.of(&["fabs", "floor", "ceil", "trunc", "sqrt"]);
                text += &format!("  %x{numbers} = call {ty} @llvm.{name}.{suffix}({ty} {one})\n");
            }
            5 => {
                let predicate = random.of(&["olt", "ogt", "ult", "oeq", "une"]);
                text += &format!("  %c{at} = fcmp {predicate} {ty} {one}, {two}\n");
                text += &format!("  %x{numbers} = select {ty} i1 %c{at}, {one}, {two}\n");
            }
            6 => {
                let to = random.of(&["fptosi", "fptoui"]);
                text += &format!("  %i{at} = {to} i16 {ty} {one}\n  %x{numbers} = sitofp {ty} i16 %i{at}\n");
            }
            _ => text += &format!("  %x{numbers} = fneg {ty} {one}\n"),
        }
        numbers += 1;
    }
    text += &format!("  %back = fptosi i32 {ty} %x{}\n  ret i32 %back\n}}\n", numbers - 1);
    let names = ["fabs", "floor", "ceil", "trunc", "sqrt"];
    names.iter().for_each(|name| text += &format!("declare {ty} @llvm.{name}.{suffix}({ty})\n"));
    text
}

#[test]
fn values_that_come_through_floats_lie_in_their_ranges() {
    let cases = number_from("PROPTEST_CASES", 300);
    let first = number_from("FIRST_SEED", 0);
    let inputs = all_inputs(&[8, 8], 1 << 10);
    let (mut checked, mut declared, mut needed) = (0_u64, 0_u64, 0_u64);
    for seed in first..first + cases {
        let text = function(&mut Random::new(seed));
        let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let id = function_named(&module, "run").expect("the function to be run");
        let (layout, effects) = (Layout::of(&module), Effects::built_in());
        let program = MemoryModel::of(&module, &layout, &effects, World::Open);
        let ranges = Propagation::compute(&program);
        for at in module.functions[id].instructions.ids() {
            if let Some(Range::Integer(range)) = ranges.range(id, Value::Instruction(at)) {
                declared += u64::from(range.type_width());
                needed += u64::from(range.needed_width().bits);
            }
        }
        let interpreter = Interpreter::new(&module).with_values().with_step_limit(1000);
        for input in &inputs {
            for (function, value, bits) in interpreter.run(id, input, &mut nothing_known).values {
                let Some(range) = ranges.range(function, value) else { continue };
                checked += 1;
                assert!(
                    contains(range, bits),
                    "seed {seed}: {value:?} {bits} not in {range:?}, {input:?}\n{text}"
                );
            }
        }
    }
    println!("{checked} values, {declared} bits declared, {needed} needed");
    assert!(checked > 1000 * cases && needed * 100 < declared * 85, "{checked} {declared} {needed}");
}
