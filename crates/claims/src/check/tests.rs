//! Do three say the same of a formula: the analysis that made it, the steps that
//! are held against open activations, and the runtime's own evaluator in C?
//!
//! Random formulas of every kind, on random numbers. The analysis is exact and
//! knows nothing of steps. Where it has a number, the steps have the same or
//! none (inside of a wrap it needs no more than the residue of what is too
//! large); where it has none, neither have they. The two evaluators of steps
//! agree always.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use opcost_analysis::expression::{
    Domain, FormulaId, FormulaInterval, Formulas, NoNumber, Relation, Rounding, Symbol, SymbolId, Test,
};
use opcost_instrument::{ClaimStep, NoResult, evaluate, steps_over_arguments};
use opcost_ir::{CheckStep, MOST_STEPS, Value};

use super::steps::Maker;

/// Numbers without end, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn formula(table: &mut Formulas, random: &mut Random, depth: u32) -> FormulaId {
    if depth == 0 {
        return match random.below(4) {
            0 => table.constant(i128::from(random.below(50)) - 20),
            position => table.symbol(Symbol::Argument(position as u32 - 1), FormulaInterval::signed(64)),
        };
    }
    let [a, b] = [0, 1].map(|_| formula(table, random, depth - 1));
    let rounding = [Rounding::Floor, Rounding::Ceiling, Rounding::Truncate][random.below(3) as usize];
    let divisor = i128::from(random.below(9)) + 1;
    match random.below(13) {
        0 => table.add(a, b),
        1 => table.multiply(a, b),
        2 => table.divide_by_constant(rounding, a, divisor),
        3 => table.divide(rounding, a, b),
        4 => table.least(a, b),
        5 => table.greatest(a, b),
        6 => {
            let bits = 1 + random.below(126) as u32;
            table.wrap(Domain { bits, signed: bits.is_multiple_of(2) }, a)
        }
        7 => {
            let exponent = table.not_negative(a);
            table.power(2 + divisor, exponent)
        }
        8 => table.ceil_log(1 + divisor, a),
        9 => table.ceil_root(a),
        10 => {
            let relation = [Relation::Negative, Relation::Zero][random.below(2) as usize];
            let of = table.subtract(a, b);
            table.select(Test { relation, of }, a, b)
        }
        11 => {
            let by = table.constant(divisor);
            table.modulo(a, by)
        }
        _ => {
            let index = table.fresh_index(a);
            let Some(id) = table.as_symbol(index) else { return a };
            let square = table.multiply(index, index);
            let term = table.greatest(square, a);
            let term = table.ceil_log(2, term);
            let count = table.constant(divisor);
            table.series(id, count, term)
        }
    }
}

/// Arguments are inputs of the same number.
fn steps(table: &Formulas, of: FormulaId) -> Option<Vec<CheckStep>> {
    let symbol = |id: SymbolId, out: &mut Vec<ClaimStep>| {
        out.push(match table.symbol_of(id) {
            Symbol::Argument(position) => ClaimStep::Value(Value::Argument(*position)),
            Symbol::Index(index) => ClaimStep::Index(*index),
            other => panic!("{other:?}"),
        });
        if matches!(out.last(), Some(ClaimStep::Value(_))) {
            out.push(ClaimStep::Wrap { bits: 64, signed: true });
        }
        Ok(())
    };
    let mut made = Vec::new();
    Maker { formulas: table, symbol: &symbol }.steps(of, &mut made).ok()?;
    if made.len() > MOST_STEPS { None } else { steps_over_arguments(&made) }
}

/// Numbers of every size.
fn numbers(random: &mut Random) -> [u64; 3] {
    [0; 3].map(|_| {
        let bits = random.below(65);
        let wide = random.below(1 << 31) << 33 | random.below(1 << 31) << 2 | random.below(4);
        let number = if bits == 0 { 0 } else { wide >> (64 - bits) };
        if random.below(3) == 0 { number.wrapping_neg() } else { number }
    })
}

#[test]
fn the_analysis_and_both_evaluators_agree() {
    let mut random = Random(7);
    let (mut asked, mut expected, mut held) = (String::new(), Vec::new(), 0);
    for round in 0..3000 {
        let mut table = Formulas::new();
        let of = formula(&mut table, &mut random, 1 + round % 4);
        if table.is_too_big(of) {
            continue;
        }
        let Some(steps) = steps(&table, of) else { continue };
        let inputs = numbers(&mut random);
        let binding = |symbol: &Symbol| match symbol {
            Symbol::Argument(position) => Some(i128::from(inputs[*position as usize] as i64)),
            _ => None,
        };
        let ours = evaluate(&steps, &inputs.map(Some));
        match (table.evaluate(of, &binding), ours) {
            (Ok(exact), Ok(number)) => {
                assert_eq!(exact, number, "{steps:?} of {inputs:?}");
                held += 1;
            }
            (Ok(_), Err(_)) => {}
            (Err(NoNumber::Unbound(symbol)), _) => panic!("{symbol:?}"),
            // A part that nobody needs may be too large or divided by zero.
            (Err(reason), Ok(number)) => panic!("{reason}, and {number}: {steps:?} of {inputs:?}"),
            (Err(_), Err(_)) => {}
        }
        asked += &as_text(&steps, &inputs);
        expected.push(words(ours));
    }
    assert!(held > 1000, "{held} formulas had numbers");
    let said = ask_the_runtime(&asked);
    assert_eq!(said.lines().count(), expected.len());
    for ((said, expected), asked) in said.lines().zip(&expected).zip(asked.lines()) {
        assert_eq!(said, expected, "{asked}");
    }
}

fn words(result: Result<i128, NoResult>) -> String {
    match result {
        Ok(number) => format!("{} {}", number as u64, (number >> 64) as i64),
        Err(NoResult::NoNumber) => "no number".to_owned(),
        Err(NoResult::TooLong) => "too long".to_owned(),
    }
}

fn as_text(steps: &[CheckStep], inputs: &[u64; 3]) -> String {
    let mut line = format!("{} {} {} {}", inputs[0], inputs[1], inputs[2], steps.len());
    for step in steps {
        let (operation, argument, constant) = step.encode();
        let (low, high) = (constant as u64, (constant >> 64) as i64);
        write!(line, " {operation} {argument} {low} {high}").expect("a string");
    }
    line + "\n"
}

/// The runtime's evaluator behind standard input.
const HARNESS: &str = r#"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include "values.h"
#define opc_in_order() __asm__ volatile("" ::: "memory")
#include "values_check.c"
int main(void) {
    static struct opc_step steps[4096];
    struct opc_slot slot = {0};
    uint64_t count;
    while (scanf("%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, slot.inputs, slot.inputs + 1, slot.inputs + 2, &count) == 4) {
        for (uint64_t i = 0; i < count; i++)
            if (scanf("%" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNd64, &steps[i].operation, &steps[i].argument, &steps[i].low, &steps[i].high) != 4)
                return 1;
        struct opc_what what = {.steps = steps, .step_count = count};
        struct opc_number result = opc_evaluate(&what, &slot);
        if (result.known == OPC_FINE)
            printf("%" PRIu64 " %" PRId64 "\n", (uint64_t)result.value, (int64_t)(result.value >> 64));
        else
            puts(result.known == OPC_TOO_LONG ? "too long" : "no number");
        (void)opc_hold;
    }
    return 0;
}
"#;

fn ask_the_runtime(asked: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in opcost_runtime::values::SOURCES {
        std::fs::write(folder.path().join(name), text).expect("a source");
    }
    let (source, program) = (folder.path().join("harness.c"), folder.path().join("harness"));
    std::fs::write(&source, HARNESS).expect("a source");
    // What is undefined ends it.
    let flags = ["-O1", "-fsanitize=undefined,bounds", "-fsanitize-trap=all", "-w", "-o"];
    let made = Command::new("clang-22").args(flags).arg(&program).arg(&source).status();
    assert!(made.expect("clang-22 starts").success());
    let mut command = Command::new(&program);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    let text = asked.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("a thread").expect("all is read");
    assert!(output.status.success(), "{:?}", output.status);
    String::from_utf8(output.stdout).expect("text")
}
