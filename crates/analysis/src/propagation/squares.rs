//! Is a product the square of one word?
//!
//! A step takes its operands as unrelated, so that a product of numbers with sign
//! has a sign. The product of a word with itself has none. Both factors are the
//! same word if they are one value that is the same at all its uses
//! ([`undefined`](super::undefined)). At -O0 they are read from memory: two loads of
//! one version that a store began read what it has put there, and casts of one
//! word are one word.
//!
//! A factor that is poison makes the product poison, which is no word. Both factors
//! are of one moment: what the product is computed from dominates it, so none of it
//! was computed anew since.
//!
//! Input: a product and its operands. Output: its definition. Cost: casts one above
//! another, at most [`DEEPEST`].

use opcost_ir::{Opcode, Value};

use super::variables::{Definition, VariableId};
use super::walker::Walker;
use crate::cells::{CellDefinition, Cells};
use crate::ranges::{Operation, RangeStep};

/// How deep casts are nested.
const DEEPEST: u32 = 4;

impl Walker<'_, '_> {
    /// A step; the product of one word with itself is its square.
    pub(super) fn of_operands(
        &mut self,
        step: RangeStep,
        operands: &[Value],
        numbers: &[VariableId],
    ) -> Definition {
        match (step.operation, operands, numbers) {
            (Operation::Mul, &[one, other], &[number, same]) if self.is_same_word(one, other, DEEPEST) => {
                let square = RangeStep { operation: Operation::Square, ..step };
                let root = if number == same { number } else { self.all.variables.meet(&[number, same]) };
                Definition::Step(square, [root].into())
            }
            _ => Definition::Step(step, numbers.into()),
        }
    }

    /// Whether two values are one and the same word, unless they are poison. Such are one value
    /// that is not undefined, what two loads read that one store has put there, and casts of these.
    fn is_same_word(&mut self, one: Value, other: Value, depth: u32) -> bool {
        if one == other {
            return self.all.is_one_word(self.id, one);
        }
        let (Value::Instruction(one), Value::Instruction(other)) = (one, other) else { return false };
        let [first, second] = [one, other].map(|at| &self.function.instructions[at]);
        let is_same_step = (first.opcode, first.ty) == (second.opcode, second.ty);
        if !is_same_step || depth == 0 || self.all.options.stepwise {
            return false;
        }
        if matches!(first.opcode, Opcode::SExt | Opcode::ZExt | Opcode::Trunc) {
            let [one, other] = [one, other].map(|at| self.function.operands_of(at)[0]);
            let types = [one, other].map(|from| self.all.type_of(self.function, from));
            return types[0] == types[1] && self.is_same_word(one, other, depth - 1);
        }
        let Some(cells) = self.cells else { return false };
        let version = cells.read_by(one).filter(|&version| cells.read_by(other) == Some(version));
        match version.map(|version| cells.definition(version)) {
            Some(CellDefinition::Stored { value, .. }) => self.all.is_one_word(self.id, value),
            _ => false,
        }
    }
}
