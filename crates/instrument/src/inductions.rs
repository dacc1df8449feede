//! Which loops have counted their iterations themselves when they are left?
//!
//! An induction variable moves by one step each time the loop goes back, so at an exit its distance from
//! where it began says how often that was. The back edge of such a loop costs nothing while the loop runs:
//!
//! ```text
//! header:  i = phi [start, before], [next, latch]        exit, where next was computed:  (next - start) / step - 1
//! latch:   next = i + step ; br …, header, …             at any other exit:              (i - start) / step
//! ```
//!
//! A loop that is left only where the variable meets its bound is not even asked for the variable: the bound is
//! read in its place. Code generation rewrites induction variables (LLVM's loop strength reduction), and one
//! that is read after the loop can take a register and an addition of its own (`findings/lsr-value-after-loop.sh`).
//!
//! Arithmetic wraps. A bound is met first after so many steps as its distance from the start has, in any width.
//! Without a bound: in 64 bits no loop goes round often enough to pass its start again. In fewer bits a step
//! of one meets every number once before it does, and some test that each iteration makes must fail at one of
//! them: `!=` at its bound, `<` and `>` at the last number. (LLVM's scalar evolution knows the
//! same from flags; none is believed here.)
//!
//! Where a step must not overflow (`nsw`) and no branch depends on it, the program may overflow all the same. That
//! promise is taken off the step, or the distance would be poison.
//!
//! Taken are natural loops with one back edge, that no call can leave, with exits that can be cut. Input: a
//! function and its loops. Output: by latch what says how often it went back. Cost: the instructions of loop
//! headers. Limits: steps are powers of two up to [`MOST_STEP`]; a step in memory is none.

use std::collections::BTreeMap;

use opcost_analysis::trips::{number, step_of};
use opcost_graph::dominators::Dominators;
use opcost_graph::edge::Edge;
use opcost_graph::loops::{Loop, LoopForest, LoopId};
use opcost_index::IdMap;
use opcost_ir::{Edit, EditPoint, Flow, Function, Module, Opcode, Predicate, Type, Value};
use opcost_key::{BlockId, CounterId, EdgeId, InstructionId};

use crate::registers::Registers;
use crate::skeleton::Way;

/// A loop of this step would run for years before 64 bits wrap.
const MOST_STEP: u64 = 64;
/// Exits at which the distance is computed, at most.
const MOST_EXITS: usize = 4;
/// What computing and adding it takes, in additions to a counter.
const COST: u64 = 2;

/// The loop's own count of its iterations.
#[derive(Clone, Debug)]
pub(crate) struct Induction {
    /// The back edge that it counts.
    back: Edge<BlockId>,
    /// The variable.
    phi: InstructionId,
    /// What it is in the next iteration.
    next: InstructionId,
    step: i64,
    /// Whether it may overflow and no branch depends on it.
    may_overflow: bool,
    /// The comparison and its operand that is the bound, if the loop is left only where that is met.
    bound: Option<(InstructionId, u32)>,
    /// Exits, where they are settled, and whether the next value is known there.
    exits: Vec<(Edge<BlockId>, EditPoint, bool)>,
}

impl Induction {
    /// What counting by it costs, if exits are taken that often.
    fn cost(&self, frequency: impl Fn(Edge<BlockId>) -> u64) -> u64 {
        let exits = self.exits.iter().map(|(exit, ..)| frequency(*exit));
        exits.fold(0, u64::saturating_add).saturating_mul(COST)
    }

    /// The edits that count the back edge.
    pub(crate) fn edits(&self, counter: CounterId) -> impl Iterator<Item = Edit> + '_ {
        self.exits.iter().map(move |&(_, exit, is_next)| Edit::CountIterations {
            exit,
            phi: self.phi,
            next: self.next,
            is_next,
            bound: self.bound,
            step: self.step,
            may_overflow: self.may_overflow,
            counter,
        })
    }
}

/// By back edge the variable that counts it, and what that costs.
pub(crate) type Inductions = BTreeMap<EdgeId, (Induction, u64)>;

/// Finds the variables of one function.
pub(crate) struct Finder<'a> {
    pub(crate) module: &'a Module,
    pub(crate) function: &'a Function,
    pub(crate) dominators: &'a Dominators<BlockId>,
    pub(crate) loops: &'a LoopForest<BlockId>,
    pub(crate) registers: &'a Registers<'a>,
}

impl Finder<'_> {
    /// Back edges that their loops count themselves at less cost than a counter, with that cost. `frequencies` has
    /// how often edges are taken.
    pub(crate) fn cheaper(&self, frequencies: &IdMap<EdgeId, u64>) -> Inductions {
        let known = self.registers.spots.skeleton.edges.iter();
        let edges: BTreeMap<(BlockId, u32), EdgeId> = known
            .filter_map(|(edge, known)| match known.kind {
                Way::Branch { block, slot } => Some(((block, slot), edge)),
                _ => None,
            })
            .collect();
        let priced = |(id, natural)| {
            let induction: Induction = self.of_loop(id, natural)?;
            let back = *edges.get(&(induction.back.from, induction.back.slot))?;
            let taken =
                |exit: Edge<BlockId>| edges.get(&(exit.from, exit.slot)).map_or(0, |&edge| frequencies[edge]);
            let cost = induction.cost(taken);
            (cost < frequencies[back]).then_some((back, (induction, cost)))
        };
        self.loops.loops.iter().filter_map(priced).collect()
    }

    fn of_loop(&self, id: LoopId, found: &Loop<BlockId>) -> Option<Induction> {
        let &[back] = &found.back_edges[..] else { return None };
        let is_few = (1..=MOST_EXITS).contains(&found.exits.len());
        (is_few && self.registers.is_closed(found)).then_some(())?;
        let phis = self.function.instructions_of(found.header);
        let phis = phis.take_while(|&at| self.function.instructions[at].opcode == Opcode::Phi);
        let candidates = phis.filter_map(|phi| self.variable(id, found, back, phi));
        // One that a test of the loop needs anyway takes no register.
        candidates.max_by_key(|one| (one.bound.is_some(), self.is_tested(found, one)))
    }

    fn variable(
        &self,
        id: LoopId,
        found: &Loop<BlockId>,
        back: Edge<BlockId>,
        phi: InstructionId,
    ) -> Option<Induction> {
        let (mut start, mut next) = (None, None);
        for pair in self.function.operands_of(phi).chunks_exact(2) {
            let Value::Block(from) = pair[1] else { return None };
            let known = if from == back.from { &mut next } else { &mut start };
            known.replace((pair[0], from)).is_none_or(|(before, _)| before == pair[0]).then_some(())?;
        }
        let ((start, before), (Value::Instruction(next), _)) = (start?, next?) else { return None };
        let (from, step) = step_of(self.module, self.function, next)?;
        let size = step.unsigned_abs();
        (from == phi && size.is_power_of_two() && self.is_stable(start, before, phi)).then_some(())?;
        let width = match self.module.types[self.function.instructions[phi].ty] {
            Type::Integer(bits @ 2..=64) => bits,
            Type::Pointer(0) if !self.module.triple.starts_with("wasm32") => 64,
            _ => return None,
        };
        let bound = self.bound(id, found, before, [phi, next]).filter(|_| size.trailing_zeros() < width);
        let is_exact = bound.is_some()
            || (width == 64 && size <= MOST_STEP)
            || (size == 1 && self.passes_no_number_twice(id, found, back, [phi, next]));
        is_exact.then_some(())?;
        if let (Some((test, side, is_next)), &[exit]) = (bound, &found.exits[..]) {
            let exits = vec![(exit, self.registers.spot_of(&exit)?, is_next)];
            return Some(Induction {
                back,
                phi,
                next,
                step,
                may_overflow: false,
                bound: Some((test, side)),
                exits,
            });
        }
        let step_block = self.function.block_of(next);
        let exit = |edge: &Edge<BlockId>| {
            Some((*edge, self.registers.spot_of(edge)?, self.dominators.dominates(step_block, edge.from)))
        };
        let exits = found.exits.iter().map(exit).collect::<Option<_>>()?;
        let may_overflow = !self.is_overflow_noticed(found, back, [phi, next]);
        Some(Induction { back, phi, next, step, may_overflow, bound: None, exits })
    }

    /// Whether a program has no meaning whose variable overflows against the promise of its step, before it is
    /// read: a branch depends on it.
    fn is_overflow_noticed(
        &self,
        found: &Loop<BlockId>,
        back: Edge<BlockId>,
        [phi, next]: [InstructionId; 2],
    ) -> bool {
        found.exits.iter().filter(|exit| self.dominators.dominates(exit.from, back.from)).any(|exit| {
            let Some(test) = self.test(exit) else { return false };
            let sides = self.function.operands_of(test);
            let is_first =
                || found.exits.iter().all(|other| self.dominators.dominates(exit.from, other.from));
            sides.contains(&Value::Instruction(next))
                || (sides.contains(&Value::Instruction(phi)) && is_first())
        })
    }

    /// The comparison by which alone the loop is left, at its end. Also which side of it is the bound, and whether
    /// the next value meets it.
    fn bound(
        &self,
        id: LoopId,
        found: &Loop<BlockId>,
        before: BlockId,
        [phi, next]: [InstructionId; 2],
    ) -> Option<(InstructionId, u32, bool)> {
        let (&[exit], &[back]) = (&found.exits[..], &found.back_edges[..]) else { return None };
        let test = self.test(&exit).filter(|_| exit.from == back.from)?;
        let wanted = if exit.slot == 0 { Predicate::Eq } else { Predicate::Ne };
        (self.function.instructions[test].predicate == Some(wanted)).then_some(())?;
        let &[left, right] = self.function.operands_of(test) else { return None };
        let names = [phi, next].map(Value::Instruction);
        [(left, right, 1), (right, left, 0)].into_iter().find_map(|(ours, bound, side)| {
            let is_ours = names.contains(&ours) && !names.contains(&bound);
            let is_held = is_ours && self.is_fixed(id, bound) && self.is_stable(bound, before, phi);
            is_held.then_some((test, side, ours == names[1]))
        })
    }

    /// The comparison of integers by which an edge out of a block of two ways is chosen.
    fn test(&self, exit: &Edge<BlockId>) -> Option<InstructionId> {
        let end = self.function.terminator_of(exit.from);
        let is_choice = self.function.instructions[end].opcode == Opcode::Br
            && self.function.blocks[exit.from].successors.len() == 2;
        let Some(&Value::Instruction(test)) = self.function.operands_of(end).first() else { return None };
        (is_choice && self.function.instructions[test].opcode == Opcode::ICmp).then_some(test)
    }

    fn is_fixed(&self, id: LoopId, value: Value) -> bool {
        match value {
            Value::Instruction(at) => !self.loops.contains(id, self.function.block_of(at)),
            Value::Argument(_) | Value::Constant(_) => true,
            _ => false,
        }
    }

    /// Whether a start or bound has one value wherever it is read. It is a number, or can be held fast on the one
    /// edge that leads to the loop.
    fn is_stable(&self, value: Value, before: BlockId, phi: InstructionId) -> bool {
        let is_one_edge = self.function.operands_of(phi).len() == 2 * 2;
        match value {
            Value::Constant(_) => number(self.module, value).is_some(),
            Value::Instruction(_) | Value::Argument(_) => {
                is_one_edge && self.function.blocks[before].flow == Flow::Splittable
            }
            _ => false,
        }
    }

    /// Whether each iteration makes a test that a variable which meets every number must fail before it meets
    /// one twice.
    fn passes_no_number_twice(
        &self,
        id: LoopId,
        found: &Loop<BlockId>,
        back: Edge<BlockId>,
        names: [InstructionId; 2],
    ) -> bool {
        found.exits.iter().any(|exit| {
            let always = self.dominators.dominates(exit.from, back.from);
            always && self.must_fail(id, exit, names)
        })
    }

    fn must_fail(&self, id: LoopId, exit: &Edge<BlockId>, names: [InstructionId; 2]) -> bool {
        let Some(test) = self.test(exit) else { return false };
        let &[left, right] = self.function.operands_of(test) else { return false };
        let is_ours = |value| matches!(value, Value::Instruction(at) if names.contains(&at));
        let bound = match (is_ours(left), is_ours(right)) {
            (true, false) => right,
            (false, true) => left,
            _ => return false,
        };
        // The first successor is taken where the comparison holds.
        let leaves_if_true = exit.slot == 0;
        match (self.function.instructions[test].predicate, leaves_if_true) {
            (Some(Predicate::Ne), false) | (Some(Predicate::Eq), true) => self.is_fixed(id, bound),
            (Some(Predicate::Ult | Predicate::Ugt | Predicate::Slt | Predicate::Sgt), false)
            | (Some(Predicate::Uge | Predicate::Ule | Predicate::Sge | Predicate::Sle), true) => true,
            _ => false,
        }
    }

    /// Whether a branch out of the loop asks for it.
    fn is_tested(&self, found: &Loop<BlockId>, one: &Induction) -> bool {
        found.exits.iter().filter_map(|exit| self.test(exit)).any(|test| {
            let sides = self.function.operands_of(test);
            sides
                .iter()
                .any(|side| matches!(side, Value::Instruction(at) if *at == one.phi || *at == one.next))
        })
    }
}
