//! How do two values of one activation stand to each other?
//!
//! The other value (the base) is computed before the value, in a block that
//! dominates it or before it in its own: so it stands still from then on until
//! both are computed anew, and the claim is about the moment when the value is
//! computed.
//!
//! Phis of one block are computed at once. Of two of them what comes along an
//! edge is compared with what comes along the same edge: not with what the base
//! was in the turn before, which is another word of it. (Of those that may be
//! undefined nothing is believed: the words that come together need not be the
//! words that are looked at later.) What counters that are moved in step gain
//! together, or one from the other, follows from that by induction over the turns.
//! Cost: one question, of phis one for each edge.

use std::collections::BTreeSet;

use opcost_ir::{Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::checker::Checker;
use crate::relation::{Goal, Relation};
use crate::verdict::{ClaimId, SolverVerdict, refused};

impl Checker<'_> {
    pub(crate) fn check_difference(
        &self,
        place: usize,
        at: usize,
        used: &mut BTreeSet<ClaimId>,
    ) -> SolverVerdict {
        let claim = &self.claims(place).differences[at];
        if claim.range.is_anything() {
            return SolverVerdict::Holds;
        }
        let (id, value, base) = (self.functions[place], claim.value.value(), claim.base.value());
        let shape = &self.shapes[id];
        let is_before = match (base, value) {
            (Value::Instruction(base), Value::Instruction(value)) => {
                let (above, below) = (shape.block_of[base], shape.block_of[value]);
                let are_phis = [base, value].iter().all(|&one| self.is_phi(id, one));
                shape.dominates(above, below) && (above != below || base < value || are_phis)
            }
            (Value::Argument(_), _) => true,
            _ => false,
        };
        if !is_before {
            return refused("the other value changes");
        }
        let apart = Relation { base, range: &claim.range, if_both: claim.if_both, times: claim.times };
        self.value_follows(id, value, Goal::From(apart), used)
    }

    fn is_phi(&self, id: FunctionId, at: InstructionId) -> bool {
        self.module.functions[id].instructions[at].opcode == Opcode::Phi
    }

    /// What is wanted of what comes along an edge into a phi. If the base is a phi of the same
    /// block, it is that of what comes along the edge into it. None if that is no word.
    pub(crate) fn at_the_same_time<'w>(
        &self,
        id: FunctionId,
        phi: InstructionId,
        from: BlockId,
        wanted_of: Goal<'w>,
    ) -> Option<Goal<'w>> {
        let Goal::From(apart) = wanted_of else { return Some(wanted_of) };
        let Value::Instruction(base) = apart.base else { return Some(wanted_of) };
        let (function, shape) = (&self.module.functions[id], &self.shapes[id]);
        if shape.block_of[base] != shape.block_of[phi] || !self.is_phi(id, base) {
            return Some(wanted_of);
        }
        if [phi, base].iter().any(|&one| self.may_be_undefined(id, Value::Instruction(one))) {
            return None;
        }
        let mut edges = function.operands_of(base).chunks_exact(2);
        let base = edges.find(|pair| pair[1] == Value::Block(from))?[0];
        Some(Goal::From(Relation { base, ..apart }))
    }
}
