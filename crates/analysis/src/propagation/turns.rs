//! What do the iterations of a loop say? Bounds on what merges at its head.
//!
//! A phi at a loop's head is one of its arms (`Join`), and besides:
//!
//! - what its closed form gives over all iterations ([`closed`](super::closed));
//! - the start plus a sum of at most as many changes as the loop goes back (`Times`), where all
//!   ways through an iteration lead from the phi by sums to what comes back; an inner loop adds its
//!   own changes times its own iterations. This needs no constant step: `s += a[i]` grows by what
//!   is in `a`.
//!
//! How often the loop goes back (`Trips`) is a variable too: at most what recurrences say, at most
//! what is between a counter's start and what it meets at last ([`counted`](super::counted)), and
//! at most the span of any counter by its step. A counter is a phi with a constant step that a
//! branch looks at in each iteration: poison would be undefined there. Its range is one step from
//! the head's before, and not what is met with the bounds made here: else a bound could prove
//! itself.
//!
//! Source: Antoniadis (2011), section 4.3 (linear sequences), generalised.
//! Cost: instructions between phi and latch, at most [`MOST_PARTS`] a phi.

use opcost_ir::{Flags, Opcode, Value};
use opcost_key::InstructionId;
use rustc_hash::FxHashMap;

use super::closed::Differences;
use super::facts::Distance;
use super::heads::Turns;
use super::range::Kind;
use super::transfer::plain;
use super::variables::{Definition, VariableId};
use super::walker::Walker;
use crate::ranges::{Interval, Operation, ValueRange};
use opcost_graph::loops::{Loop, LoopId};
use opcost_key::BlockId;

/// Instructions that one change is made of.
const MOST_PARTS: usize = 64;
/// How deep sums are nested.
const DEEPEST: u32 = 24;

/// A change, while it is looked for.
struct Change<'t> {
    turns: &'t Turns<'t>,
    phi: InstructionId,
    id: LoopId,
    left: usize,
    known: FxHashMap<Value, Option<VariableId>>,
}

impl Walker<'_, '_> {
    /// Defines every phi; those at heads of loops with what is known of iterations.
    pub(super) fn define_phis(
        &mut self,
        turns: &mut Turns<'_>,
        most_turns: &FxHashMap<LoopId, u128>,
        polynomials: &mut FxHashMap<InstructionId, Differences>,
    ) {
        let phis: Vec<InstructionId> = self
            .function
            .instructions
            .iter()
            .filter(|(at, one)| one.opcode == Opcode::Phi && self.dominators.is_reachable(self.blocks[*at]))
            .map(|(at, _)| at)
            .collect();
        let mut at_heads = Vec::new();
        for at in phis {
            let Some(variable) = self.all.values[self.id].results[opcost_index::Id::index(at)] else {
                continue;
            };
            let kind = self.all.variables.get(variable).kind;
            let arms = self.arms.get(&at).map_or(&[][..], Vec::as_slice);
            let join = Definition::Join(arms.iter().map(|&(_, source)| source).collect());
            let id = turns.forest.loop_with_header(self.blocks[at]);
            if let (Some(id), Kind::Integer(width)) = (id, kind) {
                let join = self.add(kind, join);
                turns.joins.insert(at, join);
                self.all.variables.define(variable, Definition::Join([join].into()));
                at_heads.push((at, id, variable, width));
            } else {
                self.all.variables.define(variable, join);
            }
        }
        for id in turns.forest.loops.ids() {
            let trips = self.trips(turns, id, most_turns.get(&id).copied());
            turns.trips.insert(id, trips);
        }
        for (at, id, variable, width) in at_heads {
            let mut parts = vec![turns.joins[&at]];
            parts.extend(self.sum(turns, at, id, width));
            if let Some(Differences { of, under }) = polynomials.remove(&at) {
                let kind = Kind::Integer(width);
                let polynomial = Definition::Polynomial { differences: of, under, trips: turns.trips[&id] };
                let changes = self.add(kind, polynomial);
                let start = self.start(turns, at, id, kind);
                let sum = Definition::Step(plain(Operation::Add, width), [start, changes].into());
                parts.push(self.add(kind, sum));
            }
            if parts.len() > 1 {
                self.all.variables.define(variable, Definition::Meet(parts.into()));
            }
        }
    }

    /// The start and as many changes as there are iterations.
    fn sum(&mut self, turns: &Turns<'_>, phi: InstructionId, id: LoopId, width: u32) -> Option<VariableId> {
        let delta = self.change_of(turns, phi, id, DEEPEST)?;
        let kind = Kind::Integer(width);
        let changes = self.add(kind, Definition::Times { delta, trips: turns.trips[&id] });
        let start = self.start(turns, phi, id, kind);
        Some(self.add(kind, Definition::Step(plain(Operation::Add, width), [start, changes].into())))
    }

    /// By how much the phi changes in one iteration.
    fn change_of(
        &mut self,
        turns: &Turns<'_>,
        phi: InstructionId,
        id: LoopId,
        depth: u32,
    ) -> Option<VariableId> {
        let mut change = Change { turns, phi, id, left: MOST_PARTS, known: FxHashMap::default() };
        let mut deltas = Vec::new();
        for pair in self.function.operands_of(phi).chunks_exact(2) {
            let Value::Block(from) = pair[1] else { return None };
            if turns.forest.contains(id, from) && self.dominators.is_reachable(from) {
                deltas.push(self.distance(&mut change, pair[0], depth)?);
            }
        }
        let kind = self.all.variables.get(*deltas.first()?).kind;
        Some(match deltas[..] {
            [only] => only,
            _ => self.add(kind, Definition::Join(deltas.into())),
        })
    }

    /// How far a value is from the phi in the same iteration; none if no sum leads from one to the
    /// other.
    fn distance(&mut self, change: &mut Change<'_>, value: Value, depth: u32) -> Option<VariableId> {
        let Value::Instruction(at) = value else { return None };
        if let Some(&known) = change.known.get(&value) {
            return known;
        }
        if change.left == 0 || depth == 0 || !change.turns.forest.contains(change.id, self.blocks[at]) {
            return None;
        }
        change.left -= 1;
        // What depends on itself is no sum.
        change.known.insert(value, None);
        let found = self.find_phi_distance(change, at, depth - 1);
        if let (Opcode::Phi, Some(variable)) = (self.function.instructions[at].opcode, found)
            && at != change.phi
        {
            let (function, from) = (self.id, change.phi);
            self.all.distances.push(Distance { function, phi: at, from, variable });
        }
        change.known.insert(value, found);
        found
    }

    fn find_phi_distance(
        &mut self,
        change: &mut Change<'_>,
        at: InstructionId,
        depth: u32,
    ) -> Option<VariableId> {
        let result = self.all.values[self.id].results[opcost_index::Id::index(at)]?;
        let Kind::Integer(width) = self.all.variables.get(result).kind else { return None };
        if at == change.phi {
            return Some(self.all.variables.word(width, 0));
        }
        let operands = self.function.operands_of(at);
        let instruction = &self.function.instructions[at];
        match instruction.opcode {
            Opcode::Add => {
                let [left, right] = *self.operands.get(&at)?;
                let (before, added) = match self.distance(change, operands[0], depth) {
                    Some(before) => (before, right),
                    None => (self.distance(change, operands[1], depth)?, left),
                };
                self.step(Operation::Add, width, before, added)
            }
            Opcode::Or if instruction.flags.has(Flags::DISJOINT) => {
                let [_, right] = *self.operands.get(&at)?;
                let before = self.distance(change, operands[0], depth)?;
                self.step(Operation::Add, width, before, right)
            }
            Opcode::Sub => {
                let [_, right] = *self.operands.get(&at)?;
                let before = self.distance(change, operands[0], depth)?;
                self.step(Operation::Sub, width, before, right)
            }
            Opcode::GetElementPtr => {
                let before = self.distance(change, operands[0], depth)?;
                match &self.all.variables.get(result).definition {
                    Definition::Step(_, list) => {
                        let added = list[1];
                        self.step(Operation::Add, width, before, added)
                    }
                    Definition::Join(_) => Some(before),
                    _ => None,
                }
            }
            Opcode::Select => self.either(change, &operands[1..], width, depth),
            Opcode::Phi => match change.turns.forest.loop_with_header(self.blocks[at]) {
                Some(inner) => self.inner_sum(change, at, inner, depth),
                None => {
                    let arms: Vec<Value> = operands.iter().copied().step_by(2).collect();
                    self.either(change, &arms, width, depth)
                }
            },
            _ => None,
        }
    }

    /// A phi at the head of a loop inside: how far its start is, and its own
    /// changes.
    fn inner_sum(
        &mut self,
        change: &mut Change<'_>,
        at: InstructionId,
        inner: LoopId,
        depth: u32,
    ) -> Option<VariableId> {
        let is_inside = change.turns.forest.chain(Some(inner)).skip(1).any(|around| around == change.id);
        let trips = *change.turns.trips.get(&inner).filter(|_| is_inside)?;
        let operands = self.function.operands_of(at);
        let outside: Vec<Value> = operands
            .chunks_exact(2)
            .filter(
                |pair| matches!(pair[1], Value::Block(from) if !change.turns.forest.contains(inner, from)),
            )
            .map(|pair| pair[0])
            .collect();
        let result = self.all.values[self.id].results[opcost_index::Id::index(at)]?;
        let Kind::Integer(width) = self.all.variables.get(result).kind else { return None };
        let start = self.either(change, &outside, width, depth)?;
        let delta = self.change_of(change.turns, at, inner, depth)?;
        let changes = self.add(Kind::Integer(width), Definition::Times { delta, trips });
        self.step(Operation::Add, width, start, changes)
    }

    fn either(
        &mut self,
        change: &mut Change<'_>,
        values: &[Value],
        width: u32,
        depth: u32,
    ) -> Option<VariableId> {
        let each: Option<Vec<VariableId>> =
            values.iter().map(|&value| self.distance(change, value, depth)).collect();
        let each = each.filter(|each| !each.is_empty())?;
        Some(self.add(Kind::Integer(width), Definition::Join(each.into())))
    }

    fn step(
        &mut self,
        operation: Operation,
        width: u32,
        one: VariableId,
        two: VariableId,
    ) -> Option<VariableId> {
        let is_zero = self.all.variables.as_word(one) == Some(0);
        if is_zero && operation == Operation::Add {
            return Some(two);
        }
        Some(self.add(Kind::Integer(width), Definition::Step(plain(operation, width), [one, two].into())))
    }

    /// How often a loop goes back at most.
    fn trips(&mut self, turns: &Turns<'_>, id: LoopId, most: Option<u128>) -> VariableId {
        let most = most.map_or(ValueRange::full(64), |most| ValueRange::from(Interval::new(64, 0, most)));
        let mut parts = vec![self.fixed(most)];
        let header = turns.forest.loops[id].header;
        for at in self.function.instructions_of(header) {
            if self.function.instructions[at].opcode != Opcode::Phi || turns.comes_again {
                break;
            }
            parts.extend(self.trips_of(turns, at, id));
            parts.extend(self.turns_until_met(turns, at, id));
        }
        match parts[..] {
            [only] => only,
            _ => self.add(Kind::Integer(64), Definition::Meet(parts.into())),
        }
    }

    /// The same from one counter.
    fn trips_of(&mut self, turns: &Turns<'_>, phi: InstructionId, id: LoopId) -> Option<VariableId> {
        let natural = &turns.forest.loops[id];
        let [latch] = natural.latches()[..] else { return None };
        let result = self.all.values[self.id].results[opcost_index::Id::index(phi)]?;
        let Kind::Integer(width) = self.all.variables.get(result).kind else { return None };
        let pairs = self.function.operands_of(phi).chunks_exact(2);
        let next = pairs.into_iter().find(|pair| pair[1] == Value::Block(latch)).map(|pair| pair[0])?;
        let Value::Instruction(at) = next else { return None };
        let operands = self.function.operands_of(at);
        let operation = match self.function.instructions[at].opcode {
            Opcode::Add => Operation::Add,
            Opcode::Sub => Operation::Sub,
            _ => return None,
        };
        let step = self.word(*operands.get(1)?).filter(|&step| step != 0)?;
        if operands[0] != Value::Instruction(phi) {
            return None;
        }
        let kind = Kind::Integer(width);
        let comes_back = if self.is_tested(natural, latch, at) {
            // What comes back is no poison, and what was asked of it holds.
            self.arms.get(&phi)?.iter().find(|&&(from, _)| from == latch)?.1
        } else if self.is_tested(natural, latch, phi) {
            // As the machine adds, whatever was promised: it is looked at too late.
            let [before, added] = *self.operands.get(&at)?;
            self.add(kind, Definition::Step(plain(operation, width), [before, added].into()))
        } else {
            return None;
        };
        let start = self.start(turns, phi, id, kind);
        let counter = self.add(kind, Definition::Join([start, comes_back].into()));
        let zero = self.all.variables.word(width, 0);
        let step = self.all.variables.word(width, step);
        let delta = self.add(kind, Definition::Step(plain(operation, width), [zero, step].into()));
        Some(self.add(Kind::Integer(64), Definition::Trips { counter, delta }))
    }

    /// Whether each iteration that goes back compares the value and branches on that.
    fn is_tested(&self, natural: &Loop<BlockId>, latch: BlockId, value: InstructionId) -> bool {
        natural.members.iter().any(|&block| {
            let terminator = self.function.terminator_of(block);
            let is_branch = self.function.instructions[terminator].opcode == Opcode::Br;
            let condition = self.function.operands_of(terminator).first();
            let Some(&Value::Instruction(test)) = condition else { return false };
            is_branch
                && self.dominators.dominates(block, latch)
                && self.function.instructions[test].opcode == Opcode::ICmp
                && self.function.operands_of(test).contains(&Value::Instruction(value))
        })
    }
}
