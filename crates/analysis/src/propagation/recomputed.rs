//! What is a value, computed again from what is known now?
//!
//! A value may have been computed before something was asked of what it is
//! computed from: an optimizer computes both arms of a `select`, and both values
//! that a phi takes, above the condition. Where such a value is taken, it is as
//! if it were computed there: of sources of which more is known by now its own
//! operation is done again, through at most [`DEEPEST`] operations.
//!
//! Why it is sound: what is known at a place is said of the values that were
//! defined last before it. A source is defined above the value, and the value
//! above the place, so between a source and the place the value is computed, from
//! that same source. Cost: for each value that is taken at most
//! [`MOST_OPERATIONS`] operations.

use opcost_ir::{Opcode, Value};

use super::range::Kind;
use super::variables::{Definition, VariableId};
use super::walker::Walker;
use crate::ranges::Operation;

/// How deep operations are nested.
const DEEPEST: u32 = 3;
/// How many are looked at for one value.
const MOST_OPERATIONS: u32 = 8;

impl Walker<'_, '_> {
    /// What is known of a value here, by what is known of its sources, too.
    pub(super) fn again(&mut self, value: Value) -> Option<VariableId> {
        let mut left = MOST_OPERATIONS;
        self.computed_again(value, DEEPEST, &mut left)
    }

    fn computed_again(&mut self, value: Value, depth: u32, left: &mut u32) -> Option<VariableId> {
        let known = self.now(value)?;
        let Value::Instruction(at) = value else { return Some(known) };
        if depth == 0 || *left == 0 || !is_of_its_operands(self.function.instructions[at].opcode) {
            return Some(known);
        }
        let Some(result) = self.all.base(self.id, value) else { return Some(known) };
        let variable = self.all.variables.get(result);
        let (kind, Definition::Step(step, before)) = (variable.kind, &variable.definition) else {
            return Some(known);
        };
        let operands = self.function.operands_of(at);
        // Of a square that is one of two that are the same.
        let operands = if step.operation == Operation::Square { &operands[..1] } else { operands };
        if !matches!(kind, Kind::Integer(_)) || operands.len() != before.len() {
            return Some(known);
        }
        let (step, before) = (*step, before.clone());
        *left -= 1;
        let now: Option<Vec<VariableId>> =
            operands.iter().map(|&operand| self.computed_again(operand, depth - 1, left)).collect();
        let Some(now) = now.filter(|now| has_changed(now, &before, |id| self.all.variables.get(id).kind))
        else {
            return Some(known);
        };
        let again = self.add(kind, Definition::Step(step, now.into()));
        Some(self.add(kind, Definition::Meet([known, again].into())))
    }
}

/// Whether a result's sources are the instruction's operands, one by one: of an
/// address they are offsets, scaled already.
fn is_of_its_operands(opcode: Opcode) -> bool {
    use Opcode::{AShr, Add, And, LShr, Mul, Or, SDiv, SExt, SRem, Shl, Sub, Trunc, UDiv, URem, Xor, ZExt};
    let all = [Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor, Trunc, ZExt, SExt];
    all.contains(&opcode)
}

/// Whether the sources are others than those, of the same kinds.
fn has_changed(now: &[VariableId], before: &[VariableId], kind: impl Fn(VariableId) -> Kind) -> bool {
    now != before && now.iter().zip(before).all(|(&one, &two)| kind(one) == kind(two))
}
