//! What is a condition made of? Truth values as trees of comparisons.
//!
//! `and`, `or`, `xor true`, the `select`s that represent `&&` and `||`, and the phis that a front
//! end makes of them: a block that several tests lead to with a constant, and the last one with its
//! own value. A `switch` leaves by a case where its value is that case, by the default where it is
//! none of them. Cost: the parts, at most [`MOST_PARTS`] of one condition.

use opcost_ir::{Opcode, Predicate, Value};
use opcost_key::{BlockId, InstructionId};

use super::answer::Reason;
use super::predicates::inverse;
use super::solver::Solver;
use crate::expression::Domain;
use opcost_graph::edge::Edge;

/// How many parts of one condition are looked at.
pub(super) const MOST_PARTS: usize = 16;

/// When a loop goes on or leaves.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    /// It leaves where one of these does.
    Any(Vec<Condition>),
    /// It leaves where all of these do.
    All(Vec<Condition>),
    /// It goes on while this holds.
    Comparison {
        at: InstructionId,
        stays: Predicate,
        sides: [Value; 2],
        domain: Domain,
    },
    /// It goes on while this value is so, which is made of no comparison.
    Truth {
        value: Value,
        stays_if: bool,
    },
    Always(bool),
    Unknown(Reason),
}

/// Truth values of which all must hold, or one.
#[derive(Clone, Debug)]
pub(super) struct Logic {
    pub(super) is_and: bool,
    /// Each with the value that it holds at.
    pub(super) parts: Vec<(Value, bool)>,
}

impl Solver<'_, '_> {
    /// A truth value as a conjunction or disjunction.
    pub(super) fn logic(&self, id: InstructionId) -> Option<Logic> {
        let function = self.source.function;
        let plain = |is_and, parts: &[Value]| {
            Some(Logic { is_and, parts: parts.iter().map(|&part| (part, true)).collect() })
        };
        match (function.instructions[id].opcode, function.operands_of(id)) {
            (Opcode::And, &[a, b]) => plain(true, &[a, b]),
            (Opcode::Or, &[a, b]) => plain(false, &[a, b]),
            (Opcode::Xor, &[a, b]) if self.is_true(b) => {
                Some(Logic { is_and: true, parts: vec![(a, false)] })
            }
            // `a && b`, `a || b`, `!a && b`, `!a || b` without poison from b.
            (Opcode::Select, &[a, b, c]) if self.is_false(c) => plain(true, &[a, b]),
            (Opcode::Select, &[a, b, c]) if self.is_true(b) => plain(false, &[a, c]),
            (Opcode::Select, &[a, b, c]) if self.is_false(b) => {
                Some(Logic { is_and: true, parts: vec![(a, false), (c, true)] })
            }
            (Opcode::Select, &[a, b, c]) if self.is_true(c) => {
                Some(Logic { is_and: false, parts: vec![(a, false), (b, true)] })
            }
            (Opcode::Phi, _) => self.phi_logic(id),
            _ => None,
        }
    }

    /// `phi [ false, %test1 ], [ false, %test2 ], [ %last, %rest ]`
    fn phi_logic(&self, id: InstructionId) -> Option<Logic> {
        let function = self.source.function;
        let block = self.state.blocks[id];
        if self.source.forest.loop_with_header(block).is_some() {
            return None;
        }
        let mut tests: Vec<(BlockId, bool)> = Vec::new();
        let mut last: Option<(BlockId, Value)> = None;
        for pair in function.operands_of(id).chunks_exact(2) {
            let Value::Block(from) = pair[1] else { return None };
            match (self.is_true(pair[0]), self.is_false(pair[0])) {
                (false, false) if last.is_none() => last = Some((from, pair[0])),
                (false, false) => return None,
                (holds, _) => tests.push((from, holds)),
            }
        }
        let ((rest, last), &(_, early)) = (last?, tests.first()?);
        if tests.len() > MOST_PARTS || tests.iter().any(|&(_, holds)| holds != early) {
            return None;
        }
        let mut parts = Vec::new();
        for (position, &(from, _)) in tests.iter().enumerate() {
            let (condition, slot, other) = self.two_ways(from, block)?;
            let behind = tests.iter().enumerate().filter(|&(later, _)| later != position);
            // Each test comes before or behind each other, and all before the rest.
            let is_ordered = behind.into_iter().all(|(_, &(later, _))| {
                self.source.dominators.dominates(other, later)
                    || self.source.dominators.dominates(later, from)
            });
            if !is_ordered || !self.source.dominators.dominates(other, rest) {
                return None;
            }
            // An early `true` makes a disjunction of the ways to here.
            parts.push((condition, if early { slot == 0 } else { slot != 0 }));
        }
        parts.push((last, true));
        Some(Logic { is_and: !early, parts })
    }

    /// The condition of a branch of two, the slot that leads to `to`, and the
    /// other block, which nothing else leads to.
    fn two_ways(&self, from: BlockId, to: BlockId) -> Option<(Value, usize, BlockId)> {
        let function = self.source.function;
        let terminator = function.terminator_of(from);
        let &[first, second] = &function.blocks[from].successors[..] else { return None };
        if function.instructions[terminator].opcode != Opcode::Br || first == second {
            return None;
        }
        let slot = usize::from(second == to);
        let other = if slot == 0 { second } else { first };
        self.is_only_way(from, other).then(|| (function.operands_of(terminator)[0], slot, other))
    }

    /// A truth value as a tree; the loop is left where it is `leaves_if`.
    pub(super) fn condition(&self, value: Value, leaves_if: bool) -> Condition {
        let mut left = MOST_PARTS;
        self.condition_part(value, leaves_if, &mut left)
    }

    fn condition_part(&self, value: Value, leaves_if: bool, left: &mut usize) -> Condition {
        if self.is_true(value) || self.is_false(value) {
            return Condition::Always(self.is_true(value) == leaves_if);
        }
        let truth = Condition::Truth { value, stays_if: !leaves_if };
        let Value::Instruction(id) = value else { return truth };
        if *left == 0 {
            return Condition::Unknown(Reason::TooBig);
        }
        *left -= 1;
        let function = self.source.function;
        match (function.instructions[id].opcode, function.operands_of(id)) {
            (Opcode::ICmp, &[a, b]) => return self.comparison_part(id, [a, b], leaves_if, left),
            (Opcode::FCmp, _) => return Condition::Unknown(Reason::FloatingComparison(id)),
            _ => {}
        }
        let Some(logic) = self.logic(id) else { return truth };
        let parts = logic
            .parts
            .into_iter()
            .map(|(part, holds_if)| self.condition_part(part, leaves_if == holds_if, left))
            .collect();
        // It leaves where `a && b` fails, where one fails.
        if logic.is_and == leaves_if { Condition::All(parts) } else { Condition::Any(parts) }
    }

    /// `a ? b`; a comparison of a widened truth value with zero is that value.
    fn comparison_part(
        &self,
        at: InstructionId,
        sides: [Value; 2],
        leaves_if: bool,
        left: &mut usize,
    ) -> Condition {
        let instruction = &self.source.function.instructions[at];
        let domain = instruction.second_type.and_then(|ty| self.domain(ty));
        let (Some(domain), Some(predicate)) = (domain, instruction.predicate) else {
            return Condition::Unknown(Reason::NoComparison(at));
        };
        if let (Predicate::Eq | Predicate::Ne, true) = (predicate, self.is_zero(sides[1]))
            && let Some(inner) = self.widened_truth(sides[0])
        {
            let leaves_if = (predicate == Predicate::Ne) == leaves_if;
            return self.condition_part(inner, leaves_if, left);
        }
        let stays = if leaves_if { inverse(predicate) } else { predicate };
        Condition::Comparison { at, stays, sides, domain }
    }

    fn is_zero(&self, value: Value) -> bool {
        let Value::Constant(id) = value else { return false };
        self.source.module.constants[id].value == opcost_ir::ConstantValue::Integer(0)
    }

    /// The truth value that was widened to this value.
    fn widened_truth(&self, value: Value) -> Option<Value> {
        let Value::Instruction(id) = value else { return None };
        let opcode = self.source.function.instructions[id].opcode;
        let &[of] = self.source.function.operands_of(id) else { return None };
        let ty = self.type_of_operand(of)?;
        let is_truth = self.source.module.types[ty] == opcost_ir::Type::Integer(1);
        (is_truth && matches!(opcode, Opcode::ZExt | Opcode::SExt)).then_some(of)
    }

    /// A switch leaves by an edge where its value is one of the edge's cases.
    pub(super) fn switch_condition(&self, terminator: InstructionId, exit: Edge<BlockId>) -> Condition {
        let operands = self.source.function.operands_of(terminator);
        let value = operands[0];
        let domain = self.type_of_operand(value).and_then(|ty| self.domain(ty));
        let Some(domain) = domain else { return Condition::Unknown(Reason::NoComparison(terminator)) };
        let comparison =
            |stays, case| Condition::Comparison { at: terminator, stays, sides: [value, case], domain };
        let cases = operands[2..].chunks_exact(2);
        if exit.slot > 0 {
            let case = operands.get(2 * exit.slot as usize).copied();
            return match case {
                Some(case) => comparison(Predicate::Ne, case),
                None => Condition::Unknown(Reason::NoComparison(terminator)),
            };
        }
        // The default: none of the cases.
        if cases.len() > MOST_PARTS {
            return Condition::Unknown(Reason::TooBig);
        }
        Condition::All(cases.map(|pair| comparison(Predicate::Eq, pair[0])).collect())
    }
}
