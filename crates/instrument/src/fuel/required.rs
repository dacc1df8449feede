//! Where must a check be, however little work there is?
//!
//! Where a cycle of blocks closes: before the branch of every retreating edge of a depth-first
//! traversal, so that irreducible cycles have one too; at its target, if nothing can be before the
//! branch, or what was there would ask in every iteration of a loop inside. And where chains of
//! calls could go on unasked (`recursion`). Two ways are in no graph: a `longjmp` leads to the code
//! after any `setjmp`, an exception to any landing pad, so one is there too.
//!
//! A loop that is paid for ahead needs none: it was asked for whole. Nor does one that is asked in
//! every iteration anyway, or whose iterations are few enough for what may pass between two checks
//! (`rounds`).
//!
//! Input: the stretches of a function, and the lengths of those it calls. Cost:
//! blocks of loops, once for each loop around.

use opcost_analysis::bounds::most_back_edges;
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{Flow, Function, Opcode};
use opcost_key::{BlockId, FunctionId};

use crate::fuel::lengths::{Checks, OUTSIDE, called};
use crate::fuel::rounds::{MOST_TURNS, Round, Rounds, Turn, Walked, Ways};
use crate::fuel::stretch::{End, StretchId, Stretches};

/// Checks that cycles need.
pub(super) struct Required {
    pub(super) checked: IdSet<StretchId>,
    pub(super) ends: IdSet<BlockId>,
    /// Blocks on cycles all of whose successors are checked in their place.
    pub(super) gotos: IdSet<BlockId>,
    /// Loops that no check closes.
    pub(super) rounds: Rounds,
}

/// The code of a function, and its stretches.
#[derive(Clone, Copy)]
struct Body<'a> {
    function: &'a Function,
    stretches: &'a Stretches,
}

/// A loop, and what it is in.
struct AtHand<'a> {
    function: &'a Function,
    stretches: &'a Stretches,
    dominators: &'a Dominators<BlockId>,
    forest: &'a LoopForest<BlockId>,
    around: LoopId,
    /// Its members in reverse postorder.
    members: Vec<BlockId>,
}

impl AtHand<'_> {
    fn header(&self) -> BlockId {
        self.forest.loops[self.around].header
    }

    /// Whether a way from this block into the loop has a place of its own, on which the loop's
    /// iterations can be paid for. True of a block that leads elsewhere.
    fn can_be_led_into_by(&self, block: BlockId) -> bool {
        let end = self.stretches.list[self.stretches.last_of(block, self.function)].end;
        !self.function.blocks[block].successors.contains(&self.header())
            || self.forest.contains(self.around, block)
            || end == End::Branch
    }
}

impl Checks<'_> {
    /// Checks that every cycle needs.
    pub(super) fn required(&mut self, id: FunctionId, stretches: &Stretches, order: &[BlockId]) -> Required {
        let function = &self.module.functions[id];
        let body = Body { function, stretches };
        let mut required = Required {
            checked: self.required_by_calls(id, stretches),
            ends: IdSet::new(),
            gotos: IdSet::new(),
            rounds: Rounds::none(function),
        };
        let mut position = IdMap::filled(function.blocks.len(), None);
        for (at, &block) in order.iter().enumerate() {
            position[block] = Some(at);
        }
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        for &block in order {
            for &target in &function.blocks[block].successors {
                // In reverse postorder exactly the retreating edges go back.
                if position[target] <= position[block] && !dominators.dominates(target, block) {
                    self.close(body, block, target, &mut required);
                }
            }
        }
        // From the inside out.
        for around in forest.loops.ids().rev() {
            let natural = &forest.loops[around];
            // A loop that is paid for ahead was asked for with that.
            let is_asked_for = |from| stretches.prepaid.goes_on_inside(from, natural.header);
            if natural.back_edges.iter().all(|edge| is_asked_for(edge.from)) {
                continue;
            }
            let mut members = natural.members.clone();
            members.sort_by_key(|&member| position[member]);
            let at_hand =
                AtHand { function, stretches, dominators: &dominators, forest: &forest, around, members };
            if !self.goes_unasked(&at_hand, &mut required) {
                for edge in &natural.back_edges {
                    self.close(body, edge.from, edge.to, &mut required);
                }
            }
        }
        required
    }

    /// Checks that entries, calls and lengths need.
    fn required_by_calls(&mut self, id: FunctionId, stretches: &Stretches) -> IdSet<StretchId> {
        let function = &self.module.functions[id];
        let mut checked = IdSet::new();
        if self.recursion.is_asked_at_entry(id) {
            checked.insert(StretchId::new(0));
            self.comes_from_elsewhere(stretches, StretchId::new(0));
        }
        for stretch in stretches.list.ids() {
            let call = |call| function.call(call).expect("the stretch ends at a call");
            let is_asked = |at| self.recursion.is_asked_behind(self.module, id, call(at));
            // Nobody knows yet how much work comes now.
            if stretches.list[stretch].measured.is_some() {
                checked.insert(stretch);
            }
            match stretches.list[stretch].end {
                End::Call(at) if call(at).returns_twice || is_asked(at) => {
                    checked.insert(stretches.behind(stretch));
                    self.comes_from_elsewhere(stretches, stretches.behind(stretch));
                }
                End::Invoke(at) => {
                    let ways = stretches.ways_on(function, stretch);
                    let is_checked = |slot: Option<u32>| slot == Some(1) || is_asked(at);
                    for (_, next) in ways.into_iter().filter(|(slot, _)| is_checked(*slot)) {
                        checked.insert(next);
                        self.comes_from_elsewhere(stretches, next);
                    }
                }
                _ => {}
            }
        }
        checked
    }

    /// A check where an edge closes a cycle.
    fn close(&self, body: Body<'_>, from: BlockId, to: BlockId, required: &mut Required) {
        let Body { function, stretches } = body;
        if self.is_computed_goto(body, to) {
            required.gotos.insert(to);
            for &next in &function.blocks[to].successors {
                required.checked.insert(stretches.first[next]);
            }
        } else if function.blocks[from].flow == Flow::Splittable && !required.rounds.is_bounded(from) {
            required.ends.insert(from);
        } else {
            required.checked.insert(stretches.first[to]);
        }
    }

    /// Whether a loop needs no check where it closes; then it is noted.
    fn goes_unasked(&self, at_hand: &AtHand<'_>, required: &mut Required) -> bool {
        let header = at_hand.header();
        if self.is_computed_goto(Body { function: at_hand.function, stretches: at_hand.stretches }, header) {
            return false;
        }
        let walked = self.walk_a_turn(at_hand, required);
        let behind_check = walked.ways.from_check;
        if !walked.is_unasked && behind_check.unwrap_or(0) <= self.allowance / 2 {
            required.rounds.add_asked(header, behind_check);
            return true;
        }
        let Some(round) = self.bounded_round(at_hand, &walked) else { return false };
        required.rounds.add_bounded(header, &at_hand.members, round);
        true
    }

    /// What one iteration of a loop takes, with the checks that are there so far.
    fn walk_a_turn(&self, at_hand: &AtHand<'_>, required: &Required) -> Walked {
        let AtHand { function, stretches, around, ref members, .. } = *at_hand;
        let Required { checked, ends, rounds, .. } = required;
        let behind = |at: StretchId, ways: Ways| {
            let ways = self.worked(&stretches.list[at], ways, checked.contains(at));
            called(ways, self.callee_of(function, stretches.list[at].end))
        };
        Turn { function, stretches, forest: at_hand.forest, id: around, members, rounds, checked, ends }
            .walk(behind)
    }

    /// What all iterations of a loop take, if its code bounds them and they are few enough.
    fn bounded_round(&self, at_hand: &AtHand<'_>, walked: &Walked) -> Option<Round> {
        let AtHand { function, dominators, forest, around, .. } = *at_hand;
        let turns = most_back_edges(self.module, function, dominators, forest, around);
        let turns = turns.filter(|&turns| turns <= MOST_TURNS)?;
        let turn = walked.ways.from_entry.unwrap_or(0);
        let behind_check = walked.ways.from_check;
        let around = turns.saturating_mul(turn);
        let all = around.saturating_add(turn).saturating_add(behind_check.unwrap_or(0));
        let is_bounded =
            all <= self.allowance && function.blocks.ids().all(|block| at_hand.can_be_led_into_by(block));
        is_bounded.then_some(Round { around, turn, behind_check })
    }

    /// A block that jumps to where a pointer says and does little else is best left alone. Code
    /// generation copies it to its predecessors.
    fn is_computed_goto(&self, body: Body<'_>, block: BlockId) -> bool {
        let Body { function, stretches } = body;
        let stretch = &stretches.list[stretches.first[block]];
        stretch.last == function.terminator_of(block)
            && function.instructions[stretch.last].opcode == Opcode::IndirectBr
            && stretch.work <= self.allowance / OUTSIDE
    }
}
