//! In which order are the blocks of a loop looked at, the loops inside it being one each?
//!
//! A region is the whole function or one loop. It has its own blocks, and each loop inside it as one
//! unit. They are in reverse postorder, so that all edges but back edges lead forward. Cost: blocks
//! times depth.

use rustc_hash::FxHashMap as HashMap;

use opcost_graph::loops::{LoopForest, LoopId};
use opcost_index::IdMap;
use opcost_key::BlockId;

/// A block, or a loop as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Block(BlockId),
    Loop(LoopId),
}

/// The units of one region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Region {
    pub(crate) units: Vec<Unit>,
    /// The position of the unit that begins with a block.
    pub(crate) position: HashMap<BlockId, usize>,
}

/// The function and its loops.
#[derive(Clone, Debug)]
pub(crate) struct Regions {
    whole: Region,
    loops: IdMap<LoopId, Region>,
}

impl Regions {
    /// `order` is what the entry reaches, in reverse postorder.
    pub(crate) fn of(forest: &LoopForest<BlockId>, order: &[BlockId]) -> Regions {
        let mut regions = Regions {
            whole: Region::default(),
            loops: forest.loops.ids().map(|_| Region::default()).collect(),
        };
        for &block in order {
            if let Some(id) = forest.loop_with_header(block) {
                regions.region_mut(forest.loops[id].parent).add(Unit::Loop(id), block);
            }
            regions.region_mut(forest.innermost[block]).add(Unit::Block(block), block);
        }
        regions
    }

    pub(crate) fn region(&self, scope: Option<LoopId>) -> &Region {
        scope.map_or(&self.whole, |id| &self.loops[id])
    }

    fn region_mut(&mut self, scope: Option<LoopId>) -> &mut Region {
        match scope {
            Some(id) => &mut self.loops[id],
            None => &mut self.whole,
        }
    }
}

impl Region {
    fn add(&mut self, unit: Unit, first: BlockId) {
        self.position.insert(first, self.units.len());
        self.units.push(unit);
    }

    /// The loops right inside.
    pub(crate) fn inner(&self) -> impl Iterator<Item = LoopId> + '_ {
        self.units.iter().filter_map(|unit| match unit {
            Unit::Loop(id) => Some(*id),
            Unit::Block(_) => None,
        })
    }
}
