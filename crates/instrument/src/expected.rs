//! What does code say of how often it runs, before it does?
//!
//! Frequencies of edges by static branch prediction (`weights`), loops whose number of iterations
//! is constant in the code (`opcost_analysis::trips`), and who may be called through pointers
//! (`pointers`). Anyone who repairs a sampled profile takes the first for functions that nobody
//! saw, and holds the others against what was seen.
//!
//! Output: [`Expected`], of a map's edges. Cost: as the loop forest.

use std::collections::HashMap;

use opcost_analysis::trips::CountedLoop;
use opcost_graph::dominators::Dominators;
use opcost_graph::loops::LoopForest;
use opcost_index::Id;
use opcost_ir::Module;
use opcost_key::{BlockId, EdgeId, EdgeKind, Expected, FunctionId, FunctionMap, KnownLoop};

use crate::pointers::{TakenByCode, pointers};
use crate::skeleton::Skeleton;
use crate::weights;

/// Loops of more iterations are no help: a loop that goes on for longer is seen.
const MOST_TURNS: u64 = 1 << 40;

pub(crate) fn expected(
    module: &Module,
    taken: &TakenByCode,
    id: FunctionId,
    skeleton: &Skeleton,
    map: &FunctionMap,
) -> Expected {
    let function = &module.functions[id];
    if map.blocks.is_empty() {
        return Expected::default();
    }
    let dominators = Dominators::compute(function, BlockId::new(0));
    let forest = LoopForest::compute(function, &dominators);
    let mut branches: HashMap<(BlockId, u32), EdgeId> = HashMap::new();
    for (id, edge) in map.edges.iter() {
        if let EdgeKind::Branch { block, slot } = edge.kind {
            branches.insert((block, slot), id);
        }
    }
    let known = |id| {
        let counted = CountedLoop::recognise(module, function, &forest, id)?;
        let turns = counted.back_edges.filter(|&turns| turns < MOST_TURNS)?;
        let natural = &forest.loops[id];
        let entering = branches.get(&(counted.preheader, 0)).copied()?;
        let back = natural.back_edges.iter().map(|edge| branches.get(&(edge.from, edge.slot)).copied());
        Some(KnownLoop {
            entering: vec![entering],
            back: back.collect::<Option<_>>()?,
            back_edge_count: turns,
        })
    };
    let loops = forest.loops.ids().filter_map(known).collect();
    let pointers = Some(pointers(module, taken, id));
    Expected { frequencies: weights::estimate(function, skeleton, &forest), loops, pointers }
}
