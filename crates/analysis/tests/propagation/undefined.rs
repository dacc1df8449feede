//! Does every word that an undefined operand lets a value be lie in its range?
//!
//! Random functions whose operands are `undef`, frozen, or given and returned by
//! others; a referee tries all words that each use can be. That a product of one
//! value is a square is believed only where both uses are one word.

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Propagation, Range};
use opcost_index::Id;
use opcost_ir::{Layout, Opcode, Value, parse_module};
use opcost_key::InstructionId;
use opcost_library::Effects;
use opcost_testkit::{function_named, random_undefined};

use crate::number_from;

#[test]
fn words_of_undefined_operands_lie_in_their_ranges() {
    let cases = number_from("PROPTEST_CASES", 2000);
    let first = number_from("FIRST_SEED", 0);
    let (mut narrow, mut wide) = (0, 0);
    for seed in first..first + cases {
        let case = random_undefined(seed);
        let module = parse_module(&case.text).unwrap_or_else(|error| panic!("{error}\n{}", case.text));
        let (layout, effects) = (Layout::of(&module), Effects::built_in());
        let program = MemoryModel::of(&module, &layout, &effects, World::Open);
        let ranges = Propagation::compute(&program);
        assert_eq!(ranges.not_closed(), [], "seed {seed}\n{}", case.text);
        for ((function, number), words) in case.words() {
            let id = function_named(&module, function).expect("a function");
            let at = InstructionId::new(number);
            let Some(Range::Integer(range)) = ranges.range(id, Value::Instruction(at)) else { continue };
            for word in words {
                assert!(
                    range.contains(word),
                    "seed {seed}: {function}:{at} can be {word}, not in {range:?}\n{}",
                    case.text
                );
            }
            // No square is 2 by four; of the others only what may be no square.
            let body = &module.functions[id];
            let operands = body.operands_of(at);
            if body.instructions[at].opcode == Opcode::Mul && operands[0] == operands[1] {
                match range.contains(2) {
                    true => wide += 1,
                    false => narrow += 1,
                }
            }
        }
    }
    println!("{narrow} squares, {wide} products that are perhaps none");
    assert!(narrow > cases && wide > cases / 4, "{narrow} {wide}");
}
