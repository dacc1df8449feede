//! Does what is claimed of a truncation follow from the low bits alone?
//!
//! The low bits of a sum, a difference or a product are those of the same
//! operation on the low bits of its operands, and of an extension they are those
//! of what is extended. So if numbers between two ends are, but for multiples of
//! `2^w`, what the operands are, then the operation on the ends says between which
//! numbers the truncation to `w` bits is, but for such multiples. Compilers write
//! `trunc(zext x * zext y)` for sums in closed form. No solver is asked, for which
//! products are hard.
//!
//! Input: a truncation and the ends of what it is made of. Cost: at most some
//! dozens of operations on numbers.

use std::collections::BTreeSet;

use opcost_ir::{Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use crate::checker::Checker;
use crate::intervals::{Ends, combined, holds, squared};
use crate::relation::Goal;
use crate::value_facts::integer_width;
use crate::verdict::ClaimId;

/// How many operations deep is looked.
const MOST_DEEP: u32 = 3;
/// How many ends are kept of each value.
const MOST_ENDS: usize = 4;

/// What the ends of operands say of low bits.
struct LowBits<'l, 'c> {
    checker: &'l Checker<'c>,
    id: FunctionId,
    /// How many bits.
    width: u32,
    rests_on: Vec<ClaimId>,
}

impl Checker<'_> {
    /// Whether the low bits of the operands are enough.
    pub(crate) fn low_bits_imply(
        &self,
        id: FunctionId,
        at: InstructionId,
        wanted_of: Goal<'_>,
        used: &mut BTreeSet<ClaimId>,
    ) -> bool {
        let Goal::Range(range) = wanted_of else { return false };
        let function = &self.module.functions[id];
        let says_more = range.set.is_some() || range.ones.0 != 0 || range.modulus.0 > 1;
        if function.instructions[at].opcode != Opcode::Trunc || says_more || range.width > 64 {
            return false;
        }
        let mut low = LowBits { checker: self, id, width: range.width, rests_on: Vec::new() };
        let all = low.ends(function.operands_of(at)[0], MOST_DEEP);
        let is_implied = all.iter().any(|&ends| holds(range, ends));
        if is_implied {
            used.extend(low.rests_on);
        }
        is_implied
    }
}

impl LowBits<'_, '_> {
    /// Ends between which a number is that the value is but for multiples of
    /// `2^width`; the value has at least so many bits.
    fn ends(&mut self, value: Value, deep: u32) -> Vec<Ends> {
        let mut all = Vec::new();
        if let Some(known) = self.checker.ends(self.id, value, &mut self.rests_on) {
            all.extend([known.signed, known.unsigned]);
        }
        if let (Value::Instruction(at), true) = (value, deep > 0) {
            all.extend(self.computed(at, deep - 1));
        }
        all.sort_by_key(|(low, high)| (high - low, *low));
        all.dedup();
        all.truncate(MOST_ENDS);
        all
    }

    /// What is made wider is the same number, without sign or with.
    fn extended(&mut self, opcode: Opcode, value: Value) -> Option<Ends> {
        let known = self.checker.ends(self.id, value, &mut self.rests_on)?;
        match opcode {
            Opcode::ZExt => Some(known.unsigned),
            Opcode::SExt => Some(known.signed),
            _ => None,
        }
    }

    fn computed(&mut self, at: InstructionId, deep: u32) -> Vec<Ends> {
        let function = &self.checker.module.functions[self.id];
        let (opcode, operands) = (function.instructions[at].opcode, function.operands_of(at));
        match opcode {
            Opcode::ZExt | Opcode::SExt | Opcode::Trunc => {
                let from = self.checker.type_of(self.id, operands[0]);
                match from.and_then(|ty| integer_width(self.checker.module, ty)) {
                    Some(from) if from >= self.width => self.ends(operands[0], deep),
                    _ => self.extended(opcode, operands[0]).into_iter().collect(),
                }
            }
            Opcode::Mul if self.checker.is_square(self.id, at) => {
                self.ends(operands[0], deep).into_iter().filter_map(|ends| squared(ends, None)).collect()
            }
            Opcode::Add | Opcode::Sub | Opcode::Mul => {
                let (one, two) = (self.ends(operands[0], deep), self.ends(operands[1], deep));
                let pairs = one.iter().flat_map(|&one| two.iter().map(move |&two| (one, two)));
                pairs.filter_map(|(one, two)| combined(opcode, one, two)).collect()
            }
            _ => Vec::new(),
        }
    }
}
