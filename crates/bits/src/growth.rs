//! Into which values are bits shifted in each turn of a loop?
//!
//! Phis of which what comes back is made of themselves moved to the left by some
//! places: codes that are read bit by bit, words that are put together from bytes,
//! quotients of long divisions. They are claimed to gain no more than those places
//! in each turn.
//!
//! Nothing here need be true: the checker decides. Input: the ranges and the claims
//! of turns of a function. Output: [`SumClaim`]s. Cost: a look at some operations
//! behind each phi.

use opcost_certificate::{RangeClaim, SumClaim, TurnsClaim, ValueName};
use opcost_index::Id;
use opcost_ir::{Opcode, Type, Value};
use opcost_key::InstructionId;

use crate::claimed::Claimant;

/// How many operations after a phi are looked at.
const MOST_DEEP: u32 = 3;

impl Claimant<'_> {
    /// Phis at heads of loops whose iterations are claimed.
    pub(crate) fn shifted_into(&self, turns: &[TurnsClaim]) -> Vec<SumClaim> {
        let phis = self.function.instructions.iter().filter(|(_, one)| one.opcode == Opcode::Phi);
        phis.filter_map(|(phi, _)| self.shifted_phi(turns, phi)).collect()
    }

    fn shifted_phi(&self, turns: &[TurnsClaim], phi: InstructionId) -> Option<SumClaim> {
        let head = self.function.block_of(phi).index() as u32;
        let Type::Integer(width @ 1..=64) = self.program.module.types[self.function.instructions[phi].ty]
        else {
            return None;
        };
        let (mut places, mut last) = (0, 0);
        for &value in self.function.operands_of(phi).iter().step_by(2) {
            match self.left_shift(phi, value, MOST_DEEP) {
                Some(by) => places = places.max(by),
                None => last = last.max(self.greatest(value)?),
            }
        }
        let of_head = turns.iter().filter(|turns| turns.head == head);
        let most = of_head.map(|turns| turns.most).min()?;
        let (value, start) = (ValueName::of(Value::Instruction(phi))?, RangeClaim::arc(width, 0, last));
        let claim = SumClaim { value, base: None, start, least: 0, greatest: 0, places, turns: most };
        (places > 0 && !claim.result().is_anything()).then_some(claim)
    }

    /// By how many places the phi is moved to the left to be a part of the value.
    fn left_shift(&self, phi: InstructionId, value: Value, deep: u32) -> Option<u32> {
        let Value::Instruction(at) = value else { return None };
        let operands = self.function.operands_of(at);
        match self.function.instructions[at].opcode {
            Opcode::Shl | Opcode::Mul => {
                let (falls, places) = self.least_shift(phi, value)?;
                (!falls).then_some(places)
            }
            Opcode::Add if operands == [Value::Instruction(phi); 2] => Some(1),
            Opcode::Add | Opcode::Or | Opcode::Xor | Opcode::And | Opcode::Select if deep > 0 => {
                operands.iter().filter_map(|&operand| self.left_shift(phi, operand, deep - 1)).max()
            }
            _ => None,
        }
    }

    /// The greatest word that a value can be.
    fn greatest(&self, value: Value) -> Option<u128> {
        if let Value::Constant(id) = value {
            let (width, number) = self.constant(id)?;
            return Some(number as u128 & (u128::MAX >> (128 - width)));
        }
        Some(self.ranges.range(self.id, value)?.integer()?.unsigned_range()?.1)
    }
}
