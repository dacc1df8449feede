//! How much work can pass without a question?
//!
//! Each function is summed up by its longest ways: from its entry to a question or an end (`head`),
//! from its entry to a return without a question (`through`), from a question to a return (`tail`).
//! These are the least solution of equations over all functions, and are found by solving them
//! again and again from nothing: a recursion that nobody asks grows without end and is found when
//! it passes what was promised. Within a function the blocks between two questions must have no
//! cycle; neither may blocks that cost nothing, or a program could go round there for free; loops
//! that were paid for when they were entered excepted. A loop that cannot go round often (`rounds`)
//! may do so without a question: its most expensive unasked iteration counts that often where it is
//! entered, and nests multiply.
//!
//! Code of other modules is taken to keep to what is set for it, or to be as
//! bad as the worst function that it can call here.

use std::collections::BTreeMap;

use opcost_index::{AdjacencyGraph, Id, IdMap, strongly_connected_components};
use opcost_ir::{Block, Call, CalleeRef, Flow, Linkage, Opcode};
use opcost_key::{BlockId, FunctionId, InstructionId};

use super::input::{Audit, Fault};
use super::module::Before;
use super::paid::PaidElsewhere;
use super::rounds::{self, Round, Rounds};
use super::values::AuditFacts;
use crate::fuel::fuel_access::{FuelAccess, fuel_access};

/// The longest ways of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lengths {
    head: u64,
    through: Option<u64>,
    tail: Option<u64>,
}

/// Of a call in which nothing is done that is paid for apart from it.
const NOTHING: Lengths = Lengths { head: 0, through: Some(0), tail: None };

/// Longest ways to the current place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ways {
    from_entry: Option<u64>,
    from_question: Option<u64>,
    /// What the question counted as done and is still to come.
    counted: u64,
}

impl Ways {
    fn longest(self) -> u64 {
        self.from_entry.max(self.from_question).unwrap_or(0)
    }

    fn and(self, work: u64) -> Ways {
        let more = |way: Option<u64>, work: u64| way.map(|way| way.saturating_add(work));
        let counted = self.counted.min(work);
        Ways {
            from_entry: more(self.from_entry, work),
            from_question: more(self.from_question, work - counted),
            counted: self.counted - counted,
        }
    }

    fn or(self, other: Ways) -> Ways {
        Ways {
            from_entry: self.from_entry.max(other.from_entry),
            from_question: self.from_question.max(other.from_question),
            counted: self.counted.min(other.counted),
        }
    }
}

/// What a loop that goes round unasked adds where it is entered.
#[derive(Clone, Copy, Debug)]
struct Around {
    /// By all its back edges.
    work: u64,
    /// The longest way from a question inside to the end of an iteration.
    behind_question: Option<u64>,
}

impl Around {
    fn enter(self, ways: Ways) -> Ways {
        let more = |way: Option<u64>| way.map(|way| way.saturating_add(self.work));
        let is_free = self.work == 0 && self.behind_question.is_none();
        Ways {
            from_entry: more(ways.from_entry),
            from_question: more(ways.from_question.max(self.behind_question)),
            counted: if is_free { ways.counted } else { 0 },
        }
    }
}

/// Checks the ways of the whole module.
pub(super) fn check(
    audit: &Audit<'_>,
    promised: u64,
    paid: PaidElsewhere<'_>,
    found: &IdMap<FunctionId, AuditFacts>,
    objections: &mut Vec<Fault>,
) {
    let mut program = Program {
        audit,
        promised,
        paid,
        facts: found,
        rounds: IdMap::new(),
        orders: IdMap::new(),
        lengths: IdMap::filled(audit.metered.functions.len(), Lengths::default()),
        foreign: Lengths { head: audit.outside, through: Some(audit.outside), tail: Some(audit.outside) },
        longest: (0, None),
        longest_head: 0,
    };
    let earlier = objections.len();
    for id in audit.metered.functions.ids() {
        program.rounds.push(rounds::find(&program.before(id)));
        let order = program.order(id, objections);
        program.orders.push(order);
    }
    if objections.len() > earlier {
        return;
    }
    for id in audit.metered.functions.ids() {
        program.asks_at_once(id, objections);
    }
    program.solve();
    let (longest, place) = program.longest;
    let bound = longest.saturating_add(program.longest_head);
    if bound > promised {
        let (id, at) = place.expect("a way has an end");
        let before = program.before(id);
        objections.push(before.object(at, format!("{bound} without a question, {promised} promised")));
    }
}

struct Program<'a> {
    audit: &'a Audit<'a>,
    promised: u64,
    paid: PaidElsewhere<'a>,
    facts: &'a IdMap<FunctionId, AuditFacts>,
    /// Loops that cannot go round often.
    rounds: IdMap<FunctionId, Rounds>,
    /// Blocks so that each comes after all that lead to it without a question.
    orders: IdMap<FunctionId, Vec<BlockId>>,
    lengths: IdMap<FunctionId, Lengths>,
    foreign: Lengths,
    /// The longest way of all, and where it ends.
    longest: (u64, Option<(FunctionId, InstructionId)>),
    /// The most work before a landing pad asks.
    longest_head: u64,
}

impl<'a> Program<'a> {
    fn before(&self, id: FunctionId) -> Before<'a> {
        Before::new(self.audit, self.paid.folded, &self.paid.prepaid[id], id)
    }

    fn asks(&self, id: FunctionId, block: BlockId) -> bool {
        let end = self.audit.metered.functions[id].terminator_of(block);
        self.facts[id].questions.contains_key(&end)
    }

    /// Blocks whose end control can come to.
    fn passed(&self, id: FunctionId) -> impl Iterator<Item = (BlockId, &'a Block)> {
        let found = self.facts;
        let blocks = self.audit.metered.functions[id].blocks.iter();
        blocks.filter(move |(block, _)| found[id].passed.contains(*block))
    }

    /// Blocks in topological order of the edges without a question; objects to
    /// cycles of these, and to cycles that cost nothing.
    fn order(&self, id: FunctionId, objections: &mut Vec<Fault>) -> Vec<BlockId> {
        let before = self.before(id);
        let function = before.function;
        let is_paid = |block: BlockId| before.prepaid.contains(block);
        let mut free = AdjacencyGraph::new(function.blocks.len());
        for (block, facts) in self.passed(id).filter(|(block, _)| !is_paid(*block)) {
            let work: i64 = function.instructions_of(block).map(|at| before.weight(at)).sum();
            for &next in &facts.successors {
                if work == 0 {
                    free.add_edge(block, next);
                }
            }
        }
        let components = strongly_connected_components(&free).component_of;
        for (block, _) in self.passed(id).filter(|(block, _)| !is_paid(*block)) {
            let goes_round = |next: &&BlockId| components[**next] == components[block];
            let work: i64 = function.instructions_of(block).map(|at| before.weight(at)).sum();
            if work == 0 && function.blocks[block].successors.iter().any(|next| goes_round(&next)) {
                objections.push(before.object(function.terminator_of(block), "goes round and costs nothing"));
            }
        }
        let mut waiting = IdMap::filled(function.blocks.len(), 0);
        // A loop that is paid for ahead was asked for with that.
        let leads_on = |block: BlockId, next: BlockId| {
            !before.prepaid.is_back_edge(block, next) && !self.rounds[id].is_back_edge(block, next)
        };
        for (block, facts) in self.passed(id).filter(|(block, _)| !self.asks(id, *block)) {
            let targets = facts.successors.iter().filter(|next| leads_on(block, **next));
            targets.for_each(|&next| waiting[next] += 1);
        }
        let mut order: Vec<BlockId> = function.blocks.ids().filter(|&block| waiting[block] == 0).collect();
        let mut next = 0;
        while let Some(&block) = order.get(next) {
            next += 1;
            if self.asks(id, block) || !self.facts[id].passed.contains(block) {
                continue;
            }
            for &successor in function.blocks[block].successors.iter().filter(|next| leads_on(block, **next))
            {
                waiting[successor] -= 1;
                if waiting[successor] == 0 {
                    order.push(successor);
                }
            }
        }
        if let Some(block) = function.blocks.ids().find(|&block| waiting[block] > 0) {
            objections.push(before.object(function.terminator_of(block), "goes round without a question"));
        }
        order
    }

    /// Solves the equations from nothing until no length grows, or one is
    /// longer than was promised.
    fn solve(&mut self) {
        loop {
            let known = (self.lengths.clone(), self.foreign);
            for id in self.audit.metered.functions.ids() {
                let lengths = self.function(id);
                self.lengths[id] = lengths;
                if self.audit.is_reachable_from_outside(id) {
                    self.foreign = Lengths {
                        head: self.foreign.head.max(lengths.head),
                        through: self.foreign.through.max(lengths.through),
                        tail: self.foreign.tail.max(lengths.tail),
                    };
                }
            }
            if known == (self.lengths.clone(), self.foreign) || self.longest.0 > self.promised {
                return;
            }
        }
    }

    fn function(&mut self, id: FunctionId) -> Lengths {
        let before = self.before(id);
        let function = before.function;
        let mut lengths = Lengths::default();
        if function.blocks.is_empty() || function.linkage == Linkage::Elsewhere {
            return lengths;
        }
        let mut around = BTreeMap::new();
        for at in 0..self.rounds[id].list.len() {
            let turn = self.flow(id, Some(at), &around, &mut Lengths::default());
            let Round { header, back_edges, .. } = self.rounds[id].list[at];
            let work = turn.from_entry.unwrap_or(0).saturating_mul(back_edges);
            around.insert(header, Around { work, behind_question: turn.from_question });
        }
        self.flow(id, None, &around, &mut lengths);
        lengths
    }

    /// The ways through a function, or round one of its loops; returns those to the end of an
    /// iteration.
    fn flow(
        &mut self,
        id: FunctionId,
        inside: Option<usize>,
        around: &BTreeMap<BlockId, Around>,
        lengths: &mut Lengths,
    ) -> Ways {
        let before = self.before(id);
        let function = before.function;
        let inside = inside.map(|at| &self.rounds[id].list[at]);
        let header = inside.map(|round| round.header);
        let members = inside.map(|round| round.members.clone());
        let is_member = |block: BlockId| members.as_ref().is_none_or(|members| members.contains(block));
        let mut turn = Ways::default();
        // Where a question leads to, and what it counted as done already.
        let mut counted: IdMap<BlockId, u64> = IdMap::filled(function.blocks.len(), 0);
        let mut arriving: IdMap<BlockId, Ways> = IdMap::filled(function.blocks.len(), Ways::default());
        arriving[header.unwrap_or(BlockId::new(0))].from_entry = Some(0);
        // What a question leads to begins anew, however late it is listed.
        let asking = function.blocks.ids().filter(|&block| is_member(block) && self.asks(id, block));
        for block in asking {
            for &next in &function.blocks[block].successors {
                if Some(next) == header {
                    turn.from_question = turn.from_question.max(Some(0));
                    continue;
                }
                arriving[next].from_question = Some(0);
                counted[next] = self.facts[id].questions[&function.terminator_of(block)];
            }
        }
        for at in 0..self.orders[id].len() {
            let block = self.orders[id][at];
            if !is_member(block) {
                continue;
            }
            let mut arrived = Ways { counted: counted[block], ..arriving[block] };
            if let Some(around) = around.get(&block) {
                arrived = around.enter(arrived);
            }
            let ways = self.pass(&before, block, arrived, lengths);
            for (slot, &next) in function.blocks[block].successors.iter().enumerate() {
                let is_unwinding = function.blocks[block].flow == Flow::Invoke && slot == 1;
                if self.asks(id, block) || is_unwinding {
                    continue;
                }
                let there = if Some(next) == header { &mut turn } else { &mut arriving[next] };
                *there = there.or(ways);
            }
        }
        turn
    }

    /// Goes over a block; returns the ways to its end.
    fn pass(&mut self, before: &Before<'_>, block: BlockId, arriving: Ways, lengths: &mut Lengths) -> Ways {
        let function = before.function;
        let mut ways = arriving;
        let mut done_before = None;
        for at in function.instructions_of(block) {
            if done_before == Some(at) {
                continue;
            }
            ways = ways.and(before.weight(at) as u64);
            if let Some(&end) = self.facts[before.id].jumps.get(&at) {
                done_before = Some(end);
                ways = ways.and(before.weight(end) as u64);
            }
            if let Some(call) = function.call(at).filter(|_| !before.is_metering(at)) {
                let callee = self.lengths_of(call);
                self.ends(before.id, at, ways.and(callee.head), lengths);
                let through = |way: Option<u64>| Some(way?.saturating_add(callee.through?));
                // Behind a call that runs nothing of the program it goes on as before.
                let counted = if callee == NOTHING { ways.counted } else { 0 };
                ways = Ways {
                    from_entry: through(ways.from_entry),
                    from_question: through(ways.from_question).max(callee.tail),
                    counted,
                };
            }
            self.ends(before.id, at, ways, lengths);
            if self.facts[before.id].last.contains(at) {
                return Ways::default();
            }
        }
        let end = function.terminator_of(block);
        if matches!(function.instructions[end].opcode, Opcode::Ret | Opcode::Resume) {
            lengths.through = lengths.through.max(ways.from_entry);
            lengths.tail = lengths.tail.max(ways.from_question);
        }
        ways
    }

    /// A way may end here: at a question, an exception, the end of the program.
    fn ends(&mut self, id: FunctionId, at: InstructionId, ways: Ways, lengths: &mut Lengths) {
        lengths.head = lengths.head.max(ways.from_entry.unwrap_or(0));
        if ways.longest() > self.longest.0 {
            self.longest = (ways.longest(), Some((id, at)));
        }
    }

    fn lengths_of(&self, call: &Call) -> Lengths {
        match call.callee {
            CalleeRef::Function(callee) if self.paid.folded[callee].is_some() => NOTHING,
            CalleeRef::Function(callee) => {
                let known = self.lengths[callee];
                match self.audit.before.functions[callee].linkage {
                    Linkage::Local | Linkage::Exact => known,
                    _ if self.audit.is_whole
                        && self.audit.before.functions[callee].linkage != Linkage::Elsewhere =>
                    {
                        known
                    }
                    _ => Lengths {
                        head: known.head.max(self.foreign.head),
                        through: known.through.max(self.foreign.through),
                        tail: known.tail.max(self.foreign.tail),
                    },
                }
            }
            _ if fuel_access(self.audit.metered, call, self.audit.own_in_calls) == FuelAccess::Freely => {
                self.foreign
            }
            _ => NOTHING,
        }
    }

    /// An exception leads to any landing pad, and a jump to the code after any `setjmp`. Each asks
    /// before it does anything.
    fn asks_at_once(&mut self, id: FunctionId, objections: &mut Vec<Fault>) {
        let before = self.before(id);
        let function = before.function;
        if function.linkage == Linkage::Elsewhere {
            return;
        }
        for (at, instruction) in function.instructions.iter() {
            let returns_twice = function.call(at).is_some_and(|call| call.returns_twice);
            if instruction.opcode == Opcode::LandingPad {
                self.longest_head = self.longest_head.max(before.weight(at) as u64);
            }
            if (instruction.opcode == Opcode::LandingPad || returns_twice) && !self.asks_behind(&before, at) {
                objections.push(before.object(at, "what comes here does not ask at once"));
            }
        }
    }

    /// Whether a question comes before any instruction of the program.
    fn asks_behind(&self, before: &Before<'_>, at: InstructionId) -> bool {
        let function = before.function;
        let end = function.terminator_of(function.block_of(at));
        let between = (at.index() + 1..end.index()).map(InstructionId::new);
        self.facts[before.id].questions.contains_key(&end)
            && between.into_iter().all(|id| before.is_metering(id) || before.weight(id) == 0)
    }
}
