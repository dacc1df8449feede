//! Which bytes has a loop written when it is left? Its iterations, one by one.
//!
//! A loop with one latch is played through: what merges at its head has the values that they begin
//! with, each is computed again for the next iteration, and the condition of one exit is asked,
//! which is in every iteration that goes back. The first iteration in which it leads out is the
//! last one, if the loop is left there. Writes that are on every way to the end of an iteration are
//! done in it. So is what a loop inside has written, whichever exit leads on to the end of the
//! iteration. An exit that does not lead there (to a call that never returns, to `unreachable`, out
//! of both loops) is none that this iteration has taken. What is computed from anything but
//! constants and these phis is not known; a loop whose condition is not known has written nothing
//! that is reported.
//!
//! Source: "first write, then read" of arrays as in Feautrier, "Dataflow analysis of array and
//! scalar references" (1991), by enumeration. Cost: an evaluation for each write and iteration,
//! [`MOST_STEPS`] in all.

use std::rc::Rc;

use opcost_index::{AdjacencyGraph, Graph, IdMap, IdSet};
use opcost_ir::{ConstantValue, Function, Opcode, Predicate, Type, Value};
use opcost_key::{BlockId, InstructionId};
use rustc_hash::FxHashMap;

use super::bytes::Bytes;
use crate::memory::MemoryModel;
use crate::memory::addresses::displacement::{PointerMove, steps_of};
use crate::ranges::word::{mask, signed};
use crate::ranges::{RangeStep, concrete};
use opcost_graph::dominators::Dominators;
use opcost_graph::edge::Edge;
use opcost_graph::loops::{LoopForest, LoopId};

/// Evaluations for one function and object.
const MOST_STEPS: usize = 200_000;
/// Operations that one value is computed through.
const DEEPEST: u32 = 16;
/// Loops in loops that are played through.
const MOST_NESTED: u32 = 4;

/// A function, looked at once.
pub(super) struct Body<'a> {
    pub(super) function: &'a Function,
    pub(super) dominators: Dominators<BlockId>,
    pub(super) forest: LoopForest<BlockId>,
    /// Its edges, backwards.
    pub(super) before: AdjacencyGraph<BlockId>,
    /// The loops right inside each loop.
    pub(super) inside: IdMap<LoopId, Vec<LoopId>>,
    /// All its writes of known length.
    pub(super) writes: Vec<Filled>,
}

/// A write of so many bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filled {
    pub(super) at: InstructionId,
    pub(super) pointer: Value,
    pub(super) length: u64,
}

/// Writes of a loop: block, pointer and bytes.
type Writes = Rc<[(BlockId, Value, u64)]>;

impl Body<'_> {
    /// The exits of an inner loop from which an iteration of the outer one gets to `end`. On the
    /// way the loop is not entered again, and no other iteration begins.
    fn exits_to(&self, inner: LoopId, end: BlockId) -> Rc<[Edge<BlockId>]> {
        let natural = &self.forest.loops[inner];
        let next_turn = natural.parent.map(|around| self.forest.loops[around].header);
        let mut leads = IdSet::new();
        let mut work = vec![end];
        while let Some(block) = work.pop() {
            let is_of_the_turn = next_turn != Some(block) && !self.forest.contains(inner, block);
            if is_of_the_turn && leads.insert(block) {
                work.extend(self.before.successors(block));
            }
        }
        natural.exits.iter().filter(|exit| leads.contains(exit.to)).copied().collect()
    }
}

/// The loops of a function, played through.
pub(super) struct Filling<'b, 'a> {
    program: &'b MemoryModel<'a>,
    body: &'b Body<'a>,
    /// Pointers that are known to point into the object, and where.
    roots: &'b [(Value, i64)],
    size: u64,
    writes: FxHashMap<LoopId, Writes>,
    /// Loops that write, or that have one inside that does; the others are not
    /// played.
    writing: IdSet<LoopId>,
    /// By which exits of a loop inside an iteration gets to its end.
    exits: FxHashMap<(LoopId, BlockId), Rc<[Edge<BlockId>]>>,
    /// What phis are in the iteration at hand.
    now: FxHashMap<InstructionId, u128>,
    left: usize,
}

impl<'b, 'a> Filling<'b, 'a> {
    pub(super) fn new(
        program: &'b MemoryModel<'a>,
        body: &'b Body<'a>,
        roots: &'b [(Value, i64)],
        size: u64,
        writes: &[Filled],
    ) -> Self {
        let mut by_loop: FxHashMap<LoopId, Vec<_>> = FxHashMap::default();
        let mut writing = IdSet::new();
        for write in writes {
            let block = body.function.block_of(write.at);
            if let Some(id) = body.forest.innermost[block] {
                by_loop.entry(id).or_default().push((block, write.pointer, write.length));
                body.forest.chain(Some(id)).for_each(|around| _ = writing.insert(around));
            }
        }
        let writes = by_loop.into_iter().map(|(id, writes)| (id, Rc::from(writes))).collect();
        let (exits, now) = (FxHashMap::default(), FxHashMap::default());
        Filling { program, body, roots, size, writes, writing, exits, now, left: MOST_STEPS }
    }

    /// Where in the object a pointer points, if that is one place.
    pub(super) fn place(&mut self, pointer: Value) -> Option<i64> {
        self.evaluate(pointer, DEEPEST).map(|word| word as u64 as i64)
    }

    /// What a loop has written when it is left by this edge; none if that is not
    /// known, or nothing.
    pub(super) fn left_by(&mut self, id: LoopId, exit: Edge<BlockId>) -> Option<Bytes> {
        if !self.writing.contains(id) {
            return None;
        }
        self.now.clear();
        let mut out = Bytes::none(self.size);
        self.play(id, exit, &mut out, MOST_NESTED).then_some(out)
    }

    /// Plays a loop through. No if its end is not known; what was added then is
    /// not to be used.
    fn play(
        &mut self,
        id: LoopId,
        Edge { from, to, .. }: Edge<BlockId>,
        out: &mut Bytes,
        depth: u32,
    ) -> bool {
        let function = self.body.function;
        let natural = &self.body.forest.loops[id];
        let (&[latch], true) = (&natural.latches()[..], depth > 0) else { return false };
        let terminator = function.terminator_of(from);
        let &[condition, Value::Block(yes), Value::Block(no)] = function.operands_of(terminator) else {
            return false;
        };
        let is_asked = function.instructions[terminator].opcode == Opcode::Br && yes != no;
        let other = if to == yes { no } else { yes };
        let is_exit = !self.body.forest.contains(id, to) && self.body.forest.contains(id, other);
        if !is_asked || !is_exit || !self.body.dominators.dominates(from, latch) {
            return false;
        }
        let phis: Vec<InstructionId> = function
            .instructions_of(natural.header)
            .take_while(|&at| function.instructions[at].opcode == Opcode::Phi)
            .collect();
        let starts: Vec<Option<u128>> = phis.iter().map(|&phi| self.start(phi, id)).collect();
        self.set(&phis, &starts);
        let is_known = loop {
            let Some(test) = self.evaluate(condition, DEEPEST).filter(|_| self.left > 0) else {
                break false;
            };
            let leaves = (test == 1) == (to == yes);
            self.turn(id, if leaves { from } else { latch }, out, depth);
            if leaves {
                break true;
            }
            let next: Vec<Option<u128>> = phis.iter().map(|&phi| self.next(phi, latch)).collect();
            self.set(&phis, &next);
        };
        phis.iter().for_each(|phi| _ = self.now.remove(phi));
        is_known
    }

    /// What one iteration writes that gets to the end of a block.
    fn turn(&mut self, id: LoopId, end: BlockId, out: &mut Bytes, depth: u32) {
        let body = self.body;
        let own = self.writes.get(&id).cloned();
        for &(block, pointer, length) in own.iter().flat_map(|own| own.iter()) {
            if body.dominators.dominates(block, end)
                && let Some(place) = self.place(pointer)
            {
                out.add(place, length);
            }
        }
        for &inner in &body.inside[id] {
            let natural = &body.forest.loops[inner];
            if !self.writing.contains(inner)
                || body.forest.contains(inner, end)
                || !body.dominators.dominates(natural.header, end)
            {
                continue;
            }
            if let Some(written) = self.left_towards(inner, end, depth - 1) {
                out.join(&written);
            }
        }
    }

    /// What an inner loop has written when an iteration gets from it to its end. It is what the
    /// loop writes by whichever of the exits that lead there it is left.
    fn left_towards(&mut self, inner: LoopId, end: BlockId, depth: u32) -> Option<Bytes> {
        let body = self.body;
        let exits = self.exits.entry((inner, end)).or_insert_with(|| body.exits_to(inner, end)).clone();
        let mut all: Option<Bytes> = None;
        for &exit in exits.iter() {
            let mut part = Bytes::none(self.size);
            if !self.play(inner, exit, &mut part, depth) {
                return None;
            }
            match &mut all {
                Some(all) => all.meet(&part),
                None => all = Some(part),
            }
        }
        all
    }

    fn set(&mut self, phis: &[InstructionId], values: &[Option<u128>]) {
        for (&phi, &value) in phis.iter().zip(values) {
            match value {
                Some(value) => _ = self.now.insert(phi, value),
                None => _ = self.now.remove(&phi),
            }
        }
    }

    /// What comes into a phi from outside, if that is one value.
    fn start(&mut self, phi: InstructionId, id: LoopId) -> Option<u128> {
        let pairs = self.body.function.operands_of(phi).chunks_exact(2);
        let mut found = None;
        for pair in pairs {
            let Value::Block(from) = pair[1] else { return None };
            if !self.body.forest.contains(id, from) && found.replace(pair[0]).is_some_and(|it| it != pair[0])
            {
                return None;
            }
        }
        self.evaluate(found?, DEEPEST)
    }

    fn next(&mut self, phi: InstructionId, latch: BlockId) -> Option<u128> {
        let mut pairs = self.body.function.operands_of(phi).chunks_exact(2);
        let next = pairs.find(|pair| pair[1] == Value::Block(latch))?[0];
        self.evaluate(next, DEEPEST)
    }

    /// A number, or a place in the object as a word of 64 bits; none of what is
    /// poison, too.
    fn evaluate(&mut self, value: Value, depth: u32) -> Option<u128> {
        self.left = self.left.checked_sub(1)?;
        if let Some(&(_, offset)) = self.roots.iter().find(|(root, _)| *root == value) {
            return Some(u128::from(offset as u64));
        }
        let (module, function) = (self.program.module, self.body.function);
        let at = match value {
            Value::Constant(id) => match module.constants[id].value {
                ConstantValue::Integer(word) => return Some(word),
                _ => return None,
            },
            Value::Instruction(at) if depth > 0 => at,
            _ => return None,
        };
        if let Some(&known) = self.now.get(&at) {
            return Some(known);
        }
        let instruction = &function.instructions[at];
        match (instruction.opcode, &module.types[instruction.ty]) {
            (Opcode::GetElementPtr, Type::Pointer(_)) => self.moved(at, depth - 1),
            (opcode, Type::Integer(width @ 1..=64)) => {
                let operands = function.operands_of(at);
                let step = RangeStep::of_opcode(opcode, instruction.predicate, instruction.flags, *width)?;
                let from = self.width_of(*operands.first()?)?;
                let is_pointer = from.1;
                let is_equality = matches!(instruction.predicate, Some(Predicate::Eq | Predicate::Ne));
                if is_pointer && !(opcode == Opcode::ICmp && is_equality) {
                    return None;
                }
                let words: Option<Vec<u128>> =
                    operands.iter().map(|&operand| self.evaluate(operand, depth - 1)).collect();
                concrete::evaluate(&step, from.0, &words?)
            }
            _ => None,
        }
    }

    /// Bits of a number or pointer, and whether it is a pointer.
    fn width_of(&self, value: Value) -> Option<(u32, bool)> {
        let ty = match value {
            Value::Constant(id) => self.program.module.constants[id].ty,
            Value::Instruction(at) => self.body.function.instructions[at].ty,
            Value::Argument(_) => return Some((64, true)),
            _ => return None,
        };
        match &self.program.module.types[ty] {
            Type::Integer(width @ 1..=64) => Some((*width, false)),
            Type::Pointer(_) => Some((64, true)),
            _ => None,
        }
    }

    fn moved(&mut self, at: InstructionId, depth: u32) -> Option<u128> {
        let (module, function) = (self.program.module, self.body.function);
        let base = self.evaluate(function.operands_of(at)[0], depth)?;
        let mut sum = base as u64;
        for one in steps_of(module, self.program.layout, function, at)? {
            let part = match one {
                PointerMove::Bytes(bytes) => bytes as u64,
                PointerMove::Index { index, stride, .. } => {
                    let (width, _) = self.width_of(index).filter(|(_, is_pointer)| !is_pointer)?;
                    let index = signed(self.evaluate(index, depth)? & mask(width), width);
                    (index as u64).wrapping_mul(stride)
                }
            };
            sum = sum.wrapping_add(part);
        }
        Some(u128::from(sum))
    }
}
