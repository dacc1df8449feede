//! Which loops are paid for where they are entered?
//!
//! A counted loop (`opcost_analysis::trips`) in which nobody looks at the cell and every iteration
//! costs the same, whichever way it goes, costs
//!
//! ```text
//! cost · (back edges + 1)
//! ```
//!
//! once it is begun: nothing can leave it early. Where both numbers are constant in the code the
//! product belongs to the branch that leads into the loop, as if it were straight code; then the
//! loop around it may cost one number too. Otherwise the branch costs one iteration, and the
//! running program computes what the back edges cost, is charged for them and asked, before it goes
//! on. In both cases the loop's own blocks are left as they are.
//!
//! Input: the weights of blocks that are plain code. Output: [`Prepaid`]. Cost: the blocks of each
//! loop. Limits: a trap in the middle of such a loop (a bad address) ends the program before all is
//! done that was charged; what is reported then is what was charged.

use opcost_analysis::trips::CountedLoop;
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::{Id, IdMap, IdSet};
use opcost_ir::{Function, Module, Trips};
use opcost_key::BlockId;

use crate::fuel::around::Around;

/// The loops of a function that are paid for ahead.
#[derive(Default)]
pub(crate) struct Prepaid {
    /// All blocks of such loops.
    pub(crate) blocks: IdSet<BlockId>,
    /// By the block that leads into the loop.
    entered: IdMap<BlockId, Option<Entered>>,
}

/// A loop, as it is paid for.
#[derive(Clone, Copy)]
pub(crate) struct Entered {
    /// What the branch into it costs in addition to its weight.
    pub(crate) at_entry: u64,
    /// How often it goes round, when that must be computed.
    pub(crate) trips: Option<Trips>,
    /// What going round costs, once.
    pub(crate) cost: u32,
}

impl Prepaid {
    /// `plain_work` is what a block costs in which nothing is charged when the
    /// program runs and nobody looks, and which only branches.
    pub(crate) fn find(
        module: &Module,
        function: &Function,
        around: &Around<'_>,
        plain_work: impl Fn(BlockId) -> Option<u64>,
    ) -> Prepaid {
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        let entered = IdMap::filled(function.blocks.len(), None);
        let mut prepaid = Prepaid { blocks: IdSet::new(), entered };
        if forest.loops.is_empty() {
            return prepaid;
        }
        let mut work: IdMap<BlockId, Option<u64>> = function.blocks.ids().map(plain_work).collect();
        // From the inside out.
        for id in forest.loops.ids().rev() {
            let Some(counted) = CountedLoop::recognise(module, function, &forest, id) else { continue };
            let Some(cost) = cost_of_turn(function, &forest, id, &work) else { continue };
            let Some(entered) = how_paid(&counted, cost, around) else { continue };
            for &member in &forest.loops[id].members {
                work[member] = Some(0);
                prepaid.blocks.insert(member);
                // What is inside is paid for with what is around it.
                prepaid.entered[member] = None;
            }
            let before = &mut work[counted.preheader];
            *before = before.filter(|_| entered.trips.is_none()).map(|work| work + entered.at_entry);
            prepaid.entered[counted.preheader] = Some(entered);
        }
        prepaid
    }

    /// The loop into which the block leads by its end.
    pub(crate) fn entered_by(&self, block: BlockId) -> Option<&Entered> {
        self.entered[block].as_ref()
    }

    /// Whether an edge leads from one block of such a loop to another.
    pub(crate) fn goes_on_inside(&self, from: BlockId, to: BlockId) -> bool {
        self.blocks.contains(from) && self.blocks.contains(to)
    }
}

fn how_paid(counted: &CountedLoop, cost: u32, around: &Around<'_>) -> Option<Entered> {
    let all = counted.back_edges.and_then(|back| back.checked_add(1)?.checked_mul(u64::from(cost)));
    if let Some(at_entry) = all.filter(|&all| all <= around.most_known) {
        return Some(Entered { at_entry, trips: None, cost });
    }
    let entered = Entered { at_entry: u64::from(cost), trips: Some(counted.trips), cost };
    around.are_trips_charged.then_some(entered)
}

/// What one iteration costs whichever way it goes, if that is one number and the loop is left to
/// where it does not go back.
fn cost_of_turn(
    function: &Function,
    forest: &LoopForest<BlockId>,
    id: LoopId,
    work: &IdMap<BlockId, Option<u64>>,
) -> Option<u32> {
    let natural = &forest.loops[id];
    let exit = natural.exits.first()?;
    // The question of the cycle around would stand inside this loop.
    let goes_back = forest.chain(natural.parent).any(|around| forest.loops[around].header == exit.to);
    if goes_back || forest.irreducible.iter().any(|part| part.contains(&exit.to)) {
        return None;
    }
    let mut before: IdMap<BlockId, Option<u64>> = IdMap::filled(function.blocks.len(), None);
    before[natural.header] = Some(0);
    let mut stack = vec![natural.header];
    let mut walked = IdSet::new();
    while let Some(block) = stack.pop() {
        if !walked.insert(block) {
            continue;
        }
        let behind = before[block]?.checked_add(work[block]?)?;
        for &next in &function.blocks[block].successors {
            // Loops inside are paid for where they are entered.
            let is_inside = forest.contains(id, next) && next != natural.header;
            if is_inside && *before[next].get_or_insert(behind) != behind {
                return None;
            }
            if is_inside {
                stack.push(next);
            }
        }
    }
    let latch = natural.back_edges.first()?.from;
    let cost = before[latch]?.checked_add(work[latch]?)?;
    u32::try_from(cost).ok().filter(|cost| (1..=Trips::MOST_COST).contains(cost))
}
