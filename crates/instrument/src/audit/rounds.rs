//! Which loops may go round without a question, because they cannot go round
//! often?
//!
//! Nothing is computed: the loop's own counter is followed, from each number that it starts at,
//! step by step as its code adds and compares, until the loop is left; one that is not left after
//! so many steps is none of these. The test must be one that every iteration comes to. What else
//! happens in the loop, and whether it is left earlier, does not matter. How much work the
//! iterations may do is the question of `ways`.
//!
//! Input: a metered function. Output: its loops with the most back edges of each, those inside
//! first. Cost: the iterations of each such loop, a million or so at most where they never end.

use std::collections::BTreeSet;

use opcost_graph::dominators::Dominators;
use opcost_graph::edge::Edge;
use opcost_graph::loops::{Loop, LoopForest};
use opcost_index::{Id, IdSet};
use opcost_ir::{Opcode, Type, Value};
use opcost_key::{BlockId, InstructionId};

use super::module::Before;

/// After so many steps a counter is left alone.
const MOST_STEPS: u64 = 1 << 21;

/// A loop that goes back so often at most.
pub(super) struct Round {
    pub(super) header: BlockId,
    pub(super) members: IdSet<BlockId>,
    pub(super) back_edges: u64,
}

/// The loops of a function whose iterations are bounded by its code.
#[derive(Default)]
pub(super) struct Rounds {
    /// Each after those inside.
    pub(super) list: Vec<Round>,
    edges: BTreeSet<(BlockId, BlockId)>,
}

impl Rounds {
    pub(super) fn is_back_edge(&self, from: BlockId, to: BlockId) -> bool {
        self.edges.contains(&(from, to))
    }
}

/// Follows the counters of all loops of a function.
pub(super) fn find(before: &Before<'_>) -> Rounds {
    let function = before.function;
    let mut rounds = Rounds::default();
    if function.blocks.is_empty() {
        return rounds;
    }
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    for (_, natural) in forest.loops.iter().rev() {
        let is_passed =
            |exit: &&Edge<BlockId>| natural.latches().iter().all(|&at| dominators.dominates(exit.from, at));
        let passed = natural.exits.iter().filter(is_passed);
        let Some(back_edges) = passed.filter_map(|exit| walked(before, natural, exit)).min() else {
            continue;
        };
        let mut members = IdSet::new();
        natural.members.iter().for_each(|&member| {
            members.insert(member);
        });
        rounds.edges.extend(natural.back_edges.iter().map(|edge| (edge.from, edge.to)));
        rounds.list.push(Round { header: natural.header, members, back_edges });
    }
    rounds
}

/// How many tests the loop passes by its counter before this exit takes it out.
fn walked(before: &Before<'_>, natural: &Loop<BlockId>, exit: &Edge<BlockId>) -> Option<u64> {
    let function = before.function;
    let branch = function.terminator_of(exit.from);
    let &Value::Instruction(test) = function.operands_of(branch).first()? else { return None };
    let is_test = function.instructions[branch].opcode == Opcode::Br
        && function.instructions[test].opcode == Opcode::ICmp;
    let predicate = function.instructions[test].predicate.filter(|_| is_test)?;
    let sides = [side(before, natural, test, 0)?, side(before, natural, test, 1)?];
    let counter = sides[0].counter.or(sides[1].counter)?;
    if sides.iter().any(|side| side.counter.is_some_and(|other| other != counter)) {
        return None;
    }
    let Type::Integer(bits @ 1..=64) = before.module().types[function.instructions[counter].ty] else {
        return None;
    };
    let (starts, step) = starts_and_step(before, natural, counter)?;
    let out = |value: u64| {
        let [left, right] = sides.map(|side| match side.counter {
            Some(_) => value.wrapping_add(side.number),
            None => side.number,
        });
        // The first successor is taken where the comparison holds.
        predicate.holds(left, right, bits).map(|holds| holds == (exit.slot == 0))
    };
    let mut most = 0;
    for start in starts {
        let (mut value, mut tests) = (start, 0);
        while !out(value)? {
            tests += 1;
            value = value.wrapping_add(step);
            if tests > MOST_STEPS {
                return None;
            }
        }
        most = most.max(tests);
    }
    Some(most)
}

/// A side of a comparison: a number, or so much more than a counter.
#[derive(Clone, Copy)]
struct Side {
    counter: Option<InstructionId>,
    number: u64,
}

fn side(before: &Before<'_>, natural: &Loop<BlockId>, test: InstructionId, position: usize) -> Option<Side> {
    let value = *before.function.operands_of(test).get(position)?;
    if let Some(number) = before.number(value) {
        return Some(Side { counter: None, number: number as u64 });
    }
    let Value::Instruction(at) = value else { return None };
    if is_counter(before, natural, at) {
        return Some(Side { counter: Some(at), number: 0 });
    }
    let (counter, number) = sum(before, at)?;
    is_counter(before, natural, counter).then_some(Side { counter: Some(counter), number })
}

fn is_counter(before: &Before<'_>, natural: &Loop<BlockId>, at: InstructionId) -> bool {
    let function = before.function;
    function.instructions[at].opcode == Opcode::Phi && function.block_of(at) == natural.header
}

/// `x + number`
fn sum(before: &Before<'_>, at: InstructionId) -> Option<(InstructionId, u64)> {
    let is_sum = before.function.instructions[at].opcode == Opcode::Add;
    let &[Value::Instruction(from), by] = before.function.operands_of(at) else { return None };
    Some((from, before.number(by).filter(|_| is_sum)? as u64))
}

/// The numbers that a counter starts at, and what every way back adds to it.
fn starts_and_step(
    before: &Before<'_>,
    natural: &Loop<BlockId>,
    counter: InstructionId,
) -> Option<(BTreeSet<u64>, u64)> {
    let (mut starts, mut steps) = (BTreeSet::new(), BTreeSet::new());
    for pair in before.function.operands_of(counter).chunks_exact(2) {
        let &[value, Value::Block(from)] = pair else { return None };
        if !natural.members.contains(&from) {
            starts.insert(before.number(value)? as u64);
            continue;
        }
        let Value::Instruction(next) = value else { return None };
        let (moved, step) = sum(before, next)?;
        if moved != counter {
            return None;
        }
        steps.insert(step);
    }
    let [step] = steps.into_iter().collect::<Vec<_>>()[..] else { return None };
    Some((starts, step))
}
