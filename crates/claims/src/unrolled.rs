//! How often does the loop of the source run that the unroller split in two?
//!
//! A body with so many copies of the source's, and a loop of one copy that does
//! what is left, before it or behind it. The unroller marks the second
//! (`llvm.loop.unroll.disable`), but does not say what belongs to it. Two loops
//! are a pair where they have one line of the source, and where a counter goes on
//! from one to the other: it starts in the second with what it was when the first
//! was left, and its step in the body is `copies` times its step in the other.
//! Then the counter passes, in both together,
//!
//! ```text
//! copies · body + remainder
//! ```
//!
//! steps of the source. Input: a function and its loops. Output: pairs; a number
//! where both counts are exact and it is certain which parts run. Cost: the
//! phis of each marked loop and of those beside it. Limit: a body without a remainder
//! (a count that its copies divide) is not told from any other loop.

use opcost_ir::{Function, Module, Opcode, Value};
use opcost_key::{BlockId, InstructionId};

use crate::claim::number_of;
use crate::describer::LoopDescriber;
use crate::names::loop_location;
use opcost_analysis::evolution::{FunctionEvolution, TripCount};
use opcost_analysis::expression::{Facts, FormulaId};
use opcost_answer::loops::{EntryKind, UnrolledAnswer};
use opcost_graph::loops::{LoopForest, LoopId};

/// How many phis one after the other lead a counter from one loop to the other.
const MOST_PHIS: usize = 4;

/// Two loops that were one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) body: LoopId,
    pub(super) remainder: LoopId,
    copies: u64,
}

/// A phi of a header that moves by one number.
struct Counter {
    phi: InstructionId,
    next: InstructionId,
    start: Value,
    step: i64,
}

/// All pairs of a function.
pub(super) fn pairs(module: &Module, function: &Function, forest: &LoopForest<BlockId>) -> Vec<Pair> {
    let search = Search { module, function, forest };
    let mut pairs = Vec::new();
    for remainder in forest.loops.ids().filter(|&id| search.is_marked(id)) {
        let bodies = forest.loops.ids().filter(|&body| search.is_beside(body, remainder));
        let mut found =
            bodies.filter_map(|body| Some(Pair { body, remainder, copies: search.copies(body, remainder)? }));
        // Two candidates are none.
        if let (Some(pair), None) = (found.next(), found.next()) {
            pairs.push(pair);
        }
    }
    pairs
}

struct Search<'a> {
    module: &'a Module,
    function: &'a Function,
    forest: &'a LoopForest<BlockId>,
}

impl Search<'_> {
    fn is_marked(&self, id: LoopId) -> bool {
        let mut latches = self.forest.loops[id].latches().into_iter();
        latches.any(|latch| {
            let facts = &self.function.blocks[latch].latch;
            facts.is_unrolled && !facts.is_vectorized
        })
    }

    fn is_beside(&self, one: LoopId, other: LoopId) -> bool {
        let line = |id| {
            let place = &self.module.places[loop_location(self.module, self.function, self.forest, id)?];
            Some((place.file, place.line))
        };
        one != other
            && self.forest.loops[one].parent == self.forest.loops[other].parent
            && line(one) == line(other)
    }

    /// How many steps of the remainder are one of the body, if a counter goes through both.
    fn copies(&self, body: LoopId, remainder: LoopId) -> Option<u64> {
        let (bodies, remainders) = (self.counters(body), self.counters(remainder));
        bodies.iter().find_map(|of_body| {
            remainders.iter().find_map(|of_rest| {
                let goes_on = self.comes_from(of_body.start, of_rest, MOST_PHIS)
                    || self.comes_from(of_rest.start, of_body, MOST_PHIS);
                let divides = of_rest.step != 0 && of_body.step.checked_rem(of_rest.step)? == 0;
                let copies = of_body.step.checked_div(of_rest.step)?;
                (goes_on && divides && copies >= 2).then_some(copies.unsigned_abs())
            })
        })
    }

    /// Whether a value is, on some way, what the counter was after its loop.
    fn comes_from(&self, value: Value, counter: &Counter, depth: usize) -> bool {
        let Value::Instruction(at) = value else { return false };
        if at == counter.next || at == counter.phi {
            return true;
        }
        let is_phi = self.function.instructions[at].opcode == Opcode::Phi;
        is_phi
            && depth > 0
            && self
                .function
                .operands_of(at)
                .chunks_exact(2)
                .any(|pair| self.comes_from(pair[0], counter, depth - 1))
    }

    fn counters(&self, id: LoopId) -> Vec<Counter> {
        let natural = &self.forest.loops[id];
        let function = self.function;
        let &[back] = &natural.back_edges[..] else { return Vec::new() };
        let phis = function
            .instructions_of(natural.header)
            .filter(|&at| function.instructions[at].opcode == Opcode::Phi);
        let counter = |phi| {
            let pairs = || function.operands_of(phi).chunks_exact(2);
            let is_back = |pair: &&[Value]| pair[1] == Value::Block(back.from);
            let Value::Instruction(next) = pairs().find(is_back)?[0] else { return None };
            let mut starts = pairs().filter(|pair| !is_back(pair));
            let (start, None) = (starts.next()?[0], starts.next()) else { return None };
            Some(Counter { phi, next, start, step: self.step(next, phi)? })
        };
        phis.filter_map(counter).collect()
    }

    /// By how much `phi` moves in `next`: a sum, or an address so many elements on.
    fn step(&self, next: InstructionId, phi: InstructionId) -> Option<i64> {
        let &[Value::Instruction(from), Value::Constant(by)] = self.function.operands_of(next) else {
            return None;
        };
        let opcode = self.function.instructions[next].opcode;
        let is_step = from == phi && matches!(opcode, Opcode::Add | Opcode::GetElementPtr);
        self.module.constants[by].text.parse().ok().filter(|_| is_step)
    }
}

impl LoopDescriber<'_> {
    /// What an unrolled body is a part of.
    pub(super) fn unrolled(
        &mut self,
        pair: &Pair,
        evolution: &FunctionEvolution,
        facts: &Facts,
    ) -> UnrolledAnswer {
        let body = self.certain(evolution.trip_count(pair.body));
        let rest = self.certain(evolution.trip_count(pair.remainder));
        let source = body.zip(rest).map(|(body, rest)| {
            let whole = self.formulas.scale(body, i128::from(pair.copies));
            let whole = self.formulas.add(whole, rest);
            self.settled(whole, facts)
        });
        UnrolledAnswer {
            copies: pair.copies,
            remainder: number_of(self.scope.forest.loops[pair.remainder].header),
            source_iterations: source.map(|source| self.text(source)),
        }
    }

    /// How often the body of a part runs, if it is certain whether that part is entered.
    fn certain(&mut self, trips: &TripCount) -> Option<FormulaId> {
        match self.entry(&trips.entered).kind {
            EntryKind::Never => Some(self.formulas.constant(0)),
            EntryKind::Always => trips.body_iterations.exact(),
            EntryKind::If | EntryKind::OnlyIf | EntryKind::Unknown => None,
        }
    }
}
