//! What did the blocks of a graph really run, given counts that were sampled?
//!
//! A sampling profiler tells how many samples fell on each block. Delays
//! between event and record, and chance, make these numbers wrong, and no flow
//! has them: more seems to come into a block than leaves it. This module moves
//! them, at least cost, until flow is conserved. Method: Avetisyan, Dolgorukova
//! and Kurmangaleev, "Dynamic profiling for LLVM" (in Russian; Proceedings of
//! ISP RAS, 2011-12), section 3, after Ramasamy, Yuan, Chen and Hundt (GCC
//! Summit 2008) and Levin, Newman and Haber (HiPEAC 2008):
//!
//! | step | file |
//! |---|---|
//! | take out what the entry does not reach; close dead ends | `live.rs` |
//! | weights of edges: block weight times probability | `prior.rs` |
//! | prices of raising and lowering | `cost.rs` |
//! | the fixup graph: split vertices, reverse edges, s* and t* | `fixup.rs`, `network.rs` |
//! | maximum flow, Edmonds and Karp | `max_flow.rs` |
//! | of minimum cost, Klein's negative cycles | `cancel.rs` |
//! | islands, which the source does not see | `islands.rs` |
//!
//! Input: a weight for each block. The source takes the mean of the samples of
//! the block's instructions, since a sum grows with the length of the block;
//! that is left to the caller, as are probabilities. The ways into and out of
//! the graph are its edges from and to the outside; a call that may not return
//! is one more edge to the outside. Output: [`Repair`].
//!
//! Unlike GCC's: entries and exits are joined, so that either side may move (GCC
//! fixes the smaller); an entry gets its 1 only when an island needs it; and
//! there is no limit of rounds unless one is asked for.
//!
//! Cost: Edmonds and Karp O(V E^2); Bellman and Ford O(V E) for each cycle,
//! whose number no polynomial bounds. With every count wrong there were one to
//! two cycles for each block, and it took 0.2 s for 1,000 blocks, 2 s for 3,000
//! and 18 s for 10,000. A long function with few wrong counts is quick.
//!
//! Weaknesses of the method, which are kept:
//! - A price is per unit and linear. Two counts of 1 off by 100 cost as much as
//!   one of 10^6 off by 200 at the same price, and with ties it is chance
//!   which vertex of many moves: it tends to move one count far and not many
//!   a little. `GccMcf` mends the first only by a logarithm.
//! - No sample is taken as a measured 0, not as unknown.
//! - Guessed weights of edges are defended like measured ones.
//! - Each graph is alone: no sum of calls is held against a callee's entries.
//! - Where several flows are cheapest, the one taken depends on the order of
//!   nodes and edges. It is the same each time.

mod cancel;
mod cost;
mod error;
mod fixup;
mod islands;
mod live;
mod max_flow;
mod network;
mod prior;
mod result;

use opcost_index::{Id, IdMap};

use crate::FlowEdge;
use cost::Prices;
use fixup::Fixup;
use live::{LiveGraph, Way};

pub use cost::{LevinPrices, LinearPrices, Price, TimeModel};
pub use error::{CountedPlace, RepairError};
pub use prior::Prior;
pub use result::{Count, FlowEffort, Repair, VirtualExit};

/// What becomes of flow that no entry feeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Islands {
    /// Each is joined to the rest by one unit.
    #[default]
    Join,
    /// They stay and are only reported: the flow of minimum cost.
    Retain,
}

/// How to repair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowOptions {
    /// The most passes over the network in search of a cheaper flow; `None`:
    /// until there is none. The flow is consistent in any case.
    pub budget: Option<u64>,
    /// What becomes of islands.
    pub islands: Islands,
}

/// The consistent flow that is cheapest to come to from these counts.
///
/// `blocks` are the sampled weights of the nodes, `priors` what is known of
/// the edges. An edge from the outside (`None`) is an entry, one to it an exit.
///
/// # Errors
/// [`RepairError::NoEntry`] when no edge leads into the graph; the others when
/// a number does not fit.
///
/// # Panics
/// When maps differ in length or an edge ends at a node past `blocks`.
pub fn repair<N: Id, E: Id>(
    blocks: &IdMap<N, u64>,
    edges: &IdMap<E, FlowEdge<N>>,
    priors: &IdMap<E, Prior>,
    model: &TimeModel<N, E>,
    options: FlowOptions,
) -> Result<Repair<N, E>, RepairError<N, E>> {
    assert_eq!(edges.len(), priors.len(), "one prior per edge");
    if let TimeModel::Linear(prices) = model {
        assert_eq!(blocks.len(), prices.nodes.len(), "one price per node");
        assert_eq!(edges.len(), prices.edges.len(), "one price per edge");
    }
    let live = LiveGraph::new(blocks, edges)?;
    let weights = prior::weights(&live, blocks, priors);
    let prices = Prices::new(model, &live, blocks, &weights);
    let mut fixup = Fixup::new(&live, blocks, &weights, &prices);
    let (is_optimal, effort) = solve(&mut fixup, options.budget).ok_or(RepairError::SumOverflow)?;
    let mut counts = read_back(&fixup, &weights).ok_or(RepairError::SumOverflow)?;
    let islands = islands::find_islands(&live, &counts);
    if options.islands == Islands::Join {
        islands::join(&live, &islands, &mut counts);
    }
    let solved = result::Solved { live: &live, weights: &weights, prices: &prices, counts: &counts };
    solved.report(blocks, priors, result::Findings { islands, is_optimal, effort })
}

/// The maximum flow of minimum cost; `None` when a number leaves 128 bits.
fn solve(fixup: &mut Fixup, budget: Option<u64>) -> Option<(bool, FlowEffort)> {
    let flow = max_flow::max_flow(&mut fixup.network, fixup.source, fixup.sink)?;
    assert_eq!(flow.value, fixup.supply, "lowering every count to 0 meets every supply");
    let cancelling = cancel::cancel_negative_cycles(&mut fixup.network, budget)?;
    let effort = FlowEffort {
        augmentations: flow.augmentations,
        cycles: cancelling.cycles,
        passes: cancelling.passes,
    };
    Some((cancelling.is_optimal, effort))
}

/// Weights and moves together; `None` when a count leaves 128 bits.
fn read_back(fixup: &Fixup, weights: &IdMap<Way, u64>) -> Option<IdMap<Way, u128>> {
    let count = |(way, element): (Way, &fixup::Element)| {
        let count = i128::from(weights[way]).checked_add(element.moved(&fixup.network)?)?;
        Some(u128::try_from(count).expect("lowering stops at 0"))
    };
    fixup.edges.iter().map(count).collect::<Option<Vec<u128>>>().map(IdMap::from_vec)
}
