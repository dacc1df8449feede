//! How often does a counted loop go round in a walk that knows no values?
//!
//! As often as its numbers say, or by the dice where it is a matter of values;
//! but what was charged for the loop, if anything, is what it then does.

use std::collections::HashMap;

use opcost_analysis::trips::CountedLoop;
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_ir::{Function, Module};
use opcost_key::{BlockId, InstructionId};

use crate::dice::Dice;

/// The counted loops of a function.
pub(crate) struct Counted {
    loops: Vec<(BlockId, CountedLoop)>,
}

impl Counted {
    pub(crate) fn find(module: &Module, function: &Function) -> Counted {
        if function.blocks.is_empty() {
            return Counted { loops: Vec::new() };
        }
        let dominators = Dominators::compute(function, BlockId::new(0));
        let forest = LoopForest::compute(function, &dominators);
        let counted = forest.loops.iter().filter_map(|(id, natural)| {
            Some((natural.back_edges[0].from, CountedLoop::recognise(module, function, &forest, id)?))
        });
        Counted { loops: counted.collect() }
    }
}

/// The loops that a frame is in.
#[derive(Default)]
pub(crate) struct Turns {
    /// By latch: how often it still goes back.
    left: HashMap<BlockId, u64>,
    /// Where turns were charged that begin next.
    charged_at: Option<InstructionId>,
}

impl Turns {
    pub(crate) fn are_none(&self) -> bool {
        self.left.is_empty()
    }

    /// Whether turns were charged before this branch, and not begun yet.
    pub(crate) fn are_charged_at(&mut self, at: InstructionId) -> bool {
        self.charged_at.take_if(|charged| *charged == at).is_some()
    }

    /// How often the loop of this counter will go back.
    pub(crate) fn charged(
        &mut self,
        counted: &Counted,
        at: InstructionId,
        counter: InstructionId,
        dice: &mut Dice,
    ) -> u64 {
        let found = counted.loops.iter().find(|(_, facts)| facts.trips.counter == counter);
        let (latch, facts) = found.expect("what is charged is a counted loop");
        let turns = facts.back_edges.unwrap_or_else(|| dice.length() % 6);
        self.left.insert(*latch, turns);
        self.charged_at = Some(at);
        turns
    }

    /// The slot by which a block is left.
    pub(crate) fn branch(
        &mut self,
        counted: &Counted,
        function: &Function,
        block: BlockId,
        dice: &mut Dice,
    ) -> u32 {
        for (latch, facts) in counted.loops.iter().filter(|(_, facts)| facts.preheader == block) {
            let turns = facts.back_edges.unwrap_or_else(|| dice.length() % 6);
            self.left.entry(*latch).or_insert(turns);
        }
        let Some((latch, facts)) = counted.loops.iter().find(|(latch, _)| *latch == block) else {
            return dice.choose(function, block);
        };
        let header = function.block_of(facts.trips.counter);
        let back = u32::from(function.blocks[block].successors[0] != header);
        match self.left.get_mut(latch) {
            Some(left @ 1..) => {
                *left -= 1;
                back
            }
            _ => {
                self.left.remove(latch);
                1 - back
            }
        }
    }
}
