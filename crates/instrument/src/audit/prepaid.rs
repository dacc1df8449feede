//! Which loops carry no metering because they are paid for where they are
//! entered?
//!
//! A loop of plain code without a word of metering in it goes round unasked, so it must have been
//! paid for, iteration by iteration, by whatever leads into it: either the branch costs all
//! iterations, where their number is constant in the code, or it costs one and the program has
//! computed the rest and charged it. This file finds such loops in the metered module, and finds
//! out what their iterations cost (every way round comes to one sum). The computation is not
//! compared with a formula: it is carried out, for chosen starts and numbers of iterations, and so
//! is the loop's own counter, step by step.
//!
//! Whether the charge is there, and is asked for, is the question of `values`. Cost: blocks of
//! loops, and some hundred iterations per loop.

use std::collections::BTreeMap;

use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{Loop, LoopForest, LoopId};
use opcost_index::Id;
use opcost_ir::{Opcode, Predicate, Trips, Type, Value};
use opcost_key::{BlockId, InstructionId};

use super::module::Before;
use super::paid::{Counter, Entry, Prepaid};

/// The loops of a function. `before` must know of none yet.
pub(super) fn find(before: &Before<'_>) -> Prepaid {
    let function = before.function;
    let mut prepaid = Prepaid::default();
    if function.blocks.is_empty() {
        return prepaid;
    }
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    // From the inside out.
    for id in forest.loops.ids().rev() {
        let natural = &forest.loops[id];
        let Some(turn) = Turn { before, forest: &forest, id, prepaid: &prepaid }.cost() else { continue };
        let Some((entry, counter)) = entered(before, &forest, id) else { continue };
        let is_computed = is_computed_before(before, entry);
        let back = counter.known_back_edges(before);
        let at_entry = match back {
            _ if is_computed => turn,
            Some(back) => turn.saturating_mul(back.saturating_add(1)),
            None => continue,
        };
        for &member in &natural.members {
            prepaid.blocks.insert(member);
        }
        prepaid.back_edges.extend(natural.back_edges.iter().map(|edge| (edge.from, edge.to)));
        prepaid.entries.insert(entry, Entry { counter, turn, at_entry, is_computed });
    }
    prepaid
}

/// Whether `charge` is what the loop after the branch costs in addition to one iteration, however
/// often it iterates.
pub(super) fn is_cost_of_loop(before: &Before<'_>, charge: Value, entry: InstructionId) -> bool {
    let Some(entry) = before.prepaid.entries.get(&entry) else { return false };
    let counter = entry.counter;
    let mask = counter.mask();
    let charged = |start: u64, bound: u64| {
        let known = |value: Value| match value {
            _ if value == counter.start => Some(start & mask),
            _ if value == counter.bound => Some(bound & mask),
            _ => None,
        };
        evaluate(before, charge, &known).map(u128::from)
    };
    let expected = |turns: u64| (u128::from(turns)).min(u128::from(Trips::MOST)) * entry.turn as u128;
    if let (Some(start), Some(bound)) = (before.number(counter.start), before.number(counter.bound)) {
        let turns = counter.known_back_edges(before).map_or(Trips::MOST, |back| back as u64);
        return entry.is_computed && charged(start as u64, bound as u64) == Some(expected(turns));
    }
    let few = [0, 1, 2, 3, 7, 100];
    let is_right = few.into_iter().chain([counter.most_back_edges()]).all(|turns| {
        counter.runs(before, turns).all(|(start, bound)| {
            let is_walked = turns > 100 || counter.walk(start, bound) == Some(turns);
            // A counter that is too narrow for so many turns meets its bound earlier.
            !is_walked || charged(start, bound) == Some(expected(turns))
        })
    });
    // One that steps over its bound never ends.
    let is_divisible = low_zeros(before, counter.start) >= counter.step.trailing_zeros()
        && low_zeros(before, counter.bound) >= counter.step.trailing_zeros();
    let is_endless_seen = is_divisible
        || counter.runs(before, 5).all(|(start, bound)| {
            let (start, bound) = match before.number(counter.bound) {
                Some(_) => (start ^ 1, bound),
                None => (start, bound ^ 1),
            };
            charged(start, bound) == Some(expected(Trips::MOST))
        });
    entry.is_computed && is_right && is_endless_seen
}

/// The cost of one iteration.
struct Turn<'a> {
    before: &'a Before<'a>,
    forest: &'a LoopForest<BlockId>,
    id: LoopId,
    prepaid: &'a Prepaid,
}

impl Turn<'_> {
    /// None if the loop is no plain code, or its ways cost different sums.
    fn cost(&self) -> Option<i64> {
        let natural = &self.forest.loops[self.id];
        let mut arrived: BTreeMap<BlockId, i64> = BTreeMap::from([(natural.header, 0)]);
        let mut round = None;
        let mut waiting = vec![natural.header];
        while let Some(block) = waiting.pop() {
            let sum = arrived[&block] + self.of_block(block)?;
            for &next in &self.before.function.blocks[block].successors {
                if next == natural.header {
                    if *round.get_or_insert(sum) != sum {
                        return None;
                    }
                } else if self.forest.contains(self.id, next) && !self.prepaid.is_back_edge(block, next) {
                    match arrived.get(&next) {
                        Some(&known) if known != sum => return None,
                        Some(_) => {}
                        None => {
                            arrived.insert(next, sum);
                            waiting.push(next);
                        }
                    }
                }
            }
        }
        round.filter(|&round| round > 0)
    }

    fn of_block(&self, block: BlockId) -> Option<i64> {
        let function = self.before.function;
        let end = function.terminator_of(block);
        let is_branch = matches!(function.instructions[end].opcode, Opcode::Br | Opcode::Switch);
        let mut sum = self.prepaid.at_entry(end);
        for at in function.instructions_of(block) {
            let is_measured = self.before.length(at).is_some() || self.prepaid.is_computed(end);
            if self.before.is_metering(at) || self.before.looking_call(at).is_some() || is_measured {
                return None;
            }
            sum += self.before.weight(at);
        }
        is_branch.then_some(if self.prepaid.contains(block) { 0 } else { sum })
    }
}

/// The branch that leads into the loop, if it is the only way in, and the
/// counter by which alone the loop is left.
fn entered(
    before: &Before<'_>,
    forest: &LoopForest<BlockId>,
    id: LoopId,
) -> Option<(InstructionId, Counter)> {
    let function = before.function;
    let natural = &forest.loops[id];
    let outside = function
        .blocks
        .iter()
        .filter(|(block, facts)| facts.successors.contains(&natural.header) && !forest.contains(id, *block));
    let [(preheader, facts)] = outside.collect::<Vec<_>>()[..] else { return None };
    let entry = function.terminator_of(preheader);
    let is_plain = facts.successors.len() == 1 && function.instructions[entry].opcode == Opcode::Br;
    if !is_plain || before.is_metering(entry) {
        return None;
    }
    Some((entry, counter(before, natural, preheader)?))
}

fn counter(before: &Before<'_>, natural: &Loop<BlockId>, preheader: BlockId) -> Option<Counter> {
    let function = before.function;
    let ([back], [exit]) = (&natural.back_edges[..], &natural.exits[..]) else { return None };
    let latch = back.from;
    let &Value::Instruction(test) = function.operands_of(function.terminator_of(latch)).first()? else {
        return None;
    };
    let goes_on_if_true = back.slot == 0;
    let is_equality = function.instructions[test].predicate
        == Some(if goes_on_if_true { Predicate::Ne } else { Predicate::Eq });
    if exit.from != latch || function.instructions[test].opcode != Opcode::ICmp || !is_equality {
        return None;
    }
    let is_inside = |value: Value| match value {
        Value::Instruction(at) => natural.members.contains(&function.block_of(at)),
        _ => false,
    };
    let &[left, right] = function.operands_of(test) else { return None };
    let (moving, bound) = if is_inside(left) { (left, right) } else { (right, left) };
    let Value::Instruction(tested) = moving else { return None };
    let is_next_tested = function.instructions[tested].opcode != Opcode::Phi;
    let phi = if is_next_tested { stepped(before, tested)?.0 } else { tested };
    let is_of_header =
        function.instructions[phi].opcode == Opcode::Phi && function.block_of(phi) == natural.header;
    if is_inside(bound) || !is_inside(moving) || !is_of_header {
        return None;
    }
    let mut pairs = function.operands_of(phi).chunks_exact(2);
    let start = pairs.clone().find(|pair| pair[1] == Value::Block(preheader))?[0];
    let Value::Instruction(next) = pairs.find(|pair| pair[1] == Value::Block(latch))?[0] else { return None };
    let (from, step) = stepped(before, next)?;
    let width = match before.module().types[function.instructions[phi].ty] {
        Type::Integer(bits) if bits <= 64 => bits,
        Type::Pointer(0) => 64,
        _ => return None,
    };
    let is_one_step = from == phi && (!is_next_tested || next == tested) && step != 0;
    is_one_step.then_some(Counter { start, bound, step, is_next_tested, width })
}

/// `x + number`, or `x` so many bytes on.
fn stepped(before: &Before<'_>, at: InstructionId) -> Option<(InstructionId, i64)> {
    let instruction = &before.function.instructions[at];
    let &[Value::Instruction(from), by] = before.function.operands_of(at) else { return None };
    let is_byte = |ty| before.module().types[ty] == Type::Integer(8);
    let is_sum = instruction.opcode == Opcode::Add
        || (instruction.opcode == Opcode::GetElementPtr && instruction.second_type.is_some_and(is_byte));
    Some((from, before.number(by).filter(|_| is_sum)?))
}

/// Whether metering computes something right before the branch.
fn is_computed_before(before: &Before<'_>, entry: InstructionId) -> bool {
    let is_difference = |at: &InstructionId| {
        before.is_metering(*at) && before.function.instructions[*at].opcode == Opcode::Sub
    };
    let mut differences = before.function.instructions.ids().filter(is_difference);
    differences.any(|at| super::module::next_of_program(before, at) == Some(entry))
}

impl Counter {
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width)
    }

    /// As many as a counter can do that meets its bound for sure.
    fn most_back_edges(&self) -> u64 {
        self.mask() >> (self.step.trailing_zeros() + 1)
    }

    /// Starts, each with the bound that ends the loop after so many back edges; one of both is not
    /// known.
    fn runs<'a>(&'a self, before: &Before<'_>, turns: u64) -> impl Iterator<Item = (u64, u64)> + 'a {
        let steps = turns.wrapping_add(u64::from(self.is_next_tested));
        let way = (self.step as u64).wrapping_mul(steps);
        let (start, bound) = (before.number(self.start), before.number(self.bound));
        let half = 1_u64 << (self.width - 1);
        let starts = [0, 64, 1_u64.wrapping_neg() << 6, half, half.wrapping_sub(64), 4096];
        starts.into_iter().map(move |any| match (start, bound) {
            (Some(start), _) => (start as u64, (start as u64).wrapping_add(way)),
            (None, Some(bound)) => ((bound as u64).wrapping_sub(way), bound as u64),
            (None, None) => (any, any.wrapping_add(way)),
        })
    }

    /// The loop itself, a few hundred iterations of it.
    fn walk(&self, start: u64, bound: u64) -> Option<u64> {
        let mut counter = start;
        (0..200).find(|_| {
            let next = counter.wrapping_add(self.step as u64);
            let tested = if self.is_next_tested { next } else { counter };
            counter = next;
            tested & self.mask() == bound & self.mask()
        })
    }

    /// How often it goes back, where that is constant.
    fn known_back_edges(&self, before: &Before<'_>) -> Option<i64> {
        let (start, bound) = (before.number(self.start)?, before.number(self.bound)?);
        let way = i128::from(bound) - i128::from(start);
        let modulus = 1_i128 << self.width;
        let step = i128::from(self.step);
        // The first time that steps and way differ by whole turns of the counter.
        let magnitude = step.abs();
        let way = (way * step.signum()).rem_euclid(modulus);
        let steps = if way == 0 && self.is_next_tested { modulus } else { way };
        let is_met = magnitude.count_ones() == 1 && steps % magnitude == 0;
        let back = steps / magnitude - i128::from(self.is_next_tested);
        i64::try_from(back).ok().filter(|_| is_met)
    }
}

/// How many of its lowest bits are zero whatever happens.
fn low_zeros(before: &Before<'_>, value: Value) -> u32 {
    if let Some(number) = before.number(value) {
        return number.trailing_zeros();
    }
    let Value::Instruction(at) = value else { return 0 };
    let &[_, by] = before.function.operands_of(at) else { return 0 };
    match (before.function.instructions[at].opcode, before.number(by)) {
        (Opcode::And, Some(mask)) => mask.trailing_zeros(),
        (Opcode::Shl, Some(by)) => by.clamp(0, 63) as u32,
        _ => 0,
    }
}

/// What metering computes, when these values are known.
fn evaluate(before: &Before<'_>, value: Value, known: &impl Fn(Value) -> Option<u64>) -> Option<u64> {
    let at = match value {
        _ if known(value).is_some() => return known(value),
        Value::Instruction(at) if before.is_metering(at) => at,
        _ => return before.number(value).map(|number| number as u64),
    };
    let function = before.function;
    let instruction = &function.instructions[at];
    let width = |value: Value| match value {
        Value::Instruction(at) => Some(bits_of(before, function.instructions[at].ty)),
        Value::Constant(id) => Some(bits_of(before, before.module().constants[id].ty)),
        _ => None,
    };
    let bits = bits_of(before, instruction.ty);
    let operands: Option<Vec<u64>> =
        function.operands_of(at).iter().map(|&operand| evaluate(before, operand, known)).collect();
    let computed = match (instruction.opcode, &operands?[..]) {
        (Opcode::Sub, &[a, b]) => a.wrapping_sub(b),
        (Opcode::Mul, &[a, b]) => a.wrapping_mul(b),
        (Opcode::And, &[a, b]) => a & b,
        (Opcode::LShr, &[a, b]) => a.checked_shr(u32::try_from(b).ok()?)?,
        (Opcode::ZExt | Opcode::PtrToInt, &[a]) => a,
        (Opcode::Select, &[which, a, b]) => {
            if which != 0 {
                a
            } else {
                b
            }
        }
        (Opcode::ICmp, &[a, b]) => {
            let mask = function.operands_of(at).iter().find_map(|&side| width(side)).map(mask_of)?;
            let (a, b) = (a & mask, b & mask);
            u64::from(match instruction.predicate? {
                Predicate::Ugt => a > b,
                Predicate::Ne => a != b,
                _ => return None,
            })
        }
        _ => return None,
    };
    Some(computed & mask_of(bits))
}

fn bits_of(before: &Before<'_>, ty: opcost_ir::TypeId) -> u32 {
    match before.module().types[ty] {
        Type::Integer(bits) => bits.clamp(1, 64),
        _ => 64,
    }
}

fn mask_of(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}
