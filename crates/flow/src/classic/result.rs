//! What is a repaired profile? Counts before and after, and what is to be told.
//!
//! The count of a node is the sum of the edges into it, and the cost is summed
//! from the counts alone, so a mistake in the network shows against it (the
//! tests solve the same graphs by another method). Cost: nodes + edges.

use opcost_index::{Id, IdMap, IdSet};

use crate::FlowEdge;
use crate::classic::cost::{Price, Prices};
use crate::classic::live::{LiveGraph, Way};
use crate::classic::{CountedPlace, Prior, RepairError};

/// A count, in the unit of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The weight: sampled, measured, or a share of one.
    pub before: u64,
    /// The count in the consistent flow.
    pub after: u64,
}

impl Count {
    /// How far it moved; below 0, it was lowered.
    pub fn moved(self) -> i128 {
        i128::from(self.after) - i128::from(self.before)
    }

    fn cost(self, price: Price) -> Option<u128> {
        let unit = if self.moved() > 0 { price.raise } else { price.lower };
        self.moved().unsigned_abs().checked_mul(u128::from(unit))
    }
}

/// A way out that had to be added, since flow could not leave otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VirtualExit<N: Id> {
    /// Where it is: the heaviest node of the component.
    pub node: N,
    /// The nodes that had no way out, in order.
    pub component: Vec<N>,
    /// How often it was taken.
    pub count: Count,
}

/// How much work it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlowEffort {
    /// Augmenting paths of the maximum flow.
    pub augmentations: u64,
    /// Negative cycles cancelled.
    pub cycles: u64,
    /// Passes over the network in search of them.
    pub passes: u64,
}

/// A profile that is a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair<N: Id, E: Id> {
    /// Of each node.
    pub nodes: IdMap<N, Count>,
    /// Of each edge.
    pub edges: IdMap<E, Count>,
    /// Ways out that are not among the caller's edges.
    pub virtual_exits: Vec<VirtualExit<N>>,
    /// Nodes that no entry reaches. They and their edges have the count 0
    /// after, for which nothing is charged.
    pub unreachable: IdSet<N>,
    /// Parts of the flow of minimum cost that no entry fed, as their nodes.
    pub islands: Vec<Vec<N>>,
    /// The price of all moves, of live nodes, edges and virtual exits, and of
    /// what joined islands.
    pub cost: u128,
    /// Whether no flow is cheaper (that which joined islands apart).
    pub is_optimal: bool,
    /// What it took.
    pub effort: FlowEffort,
}

impl<N: Id, E: Id> Repair<N, E> {
    /// The caller's edges with the virtual exits after them, and the counts after, as
    /// [`check_conservation`](crate::check_conservation) takes them.
    ///
    /// # Panics
    /// When there is not one edge for each of [`edges`](Self::edges).
    pub fn closed(&self, edges: &IdMap<E, FlowEdge<N>>) -> (IdMap<E, FlowEdge<N>>, IdMap<E, i128>) {
        assert_eq!(edges.len(), self.edges.len(), "the edges that were repaired");
        let mut closed = edges.clone();
        let mut counts: IdMap<E, i128> = self.edges.values().map(|count| i128::from(count.after)).collect();
        for exit in &self.virtual_exits {
            closed.push(FlowEdge { from: Some(exit.node), to: None });
            counts.push(i128::from(exit.count.after));
        }
        (closed, counts)
    }
}

/// What was found on the way.
pub(super) struct Findings<N> {
    pub(super) islands: Vec<Vec<N>>,
    pub(super) is_optimal: bool,
    pub(super) effort: FlowEffort,
}

/// A flow on the live part of a graph.
pub(super) struct Solved<'a, N: Id, E: Id> {
    pub(super) live: &'a LiveGraph<N, E>,
    pub(super) weights: &'a IdMap<Way, u64>,
    pub(super) prices: &'a Prices<N>,
    pub(super) counts: &'a IdMap<Way, u128>,
}

impl<N: Id, E: Id> Solved<'_, N, E> {
    pub(super) fn report(
        &self,
        blocks: &IdMap<N, u64>,
        priors: &IdMap<E, Prior>,
        findings: Findings<N>,
    ) -> Result<Repair<N, E>, RepairError<N, E>> {
        let live = self.live;
        let mut cost = Some(0u128);
        let mut charge = |count: Count, price| {
            cost = cost.and_then(|sum| sum.checked_add(count.cost(price)?));
        };
        let mut nodes: IdMap<N, Count> = blocks.values().map(|&before| Count { before, after: 0 }).collect();
        for &node in &live.order {
            let inflow =
                live.into[node].iter().try_fold(0u128, |sum, &way| sum.checked_add(self.counts[way]));
            nodes[node].after = fit(CountedPlace::Node(node), inflow.ok_or(RepairError::SumOverflow)?)?;
            charge(nodes[node], self.prices.nodes[node]);
        }
        let mut edges: IdMap<E, Count> = priors.values().map(|&prior| unused(prior)).collect();
        let mut ways: IdMap<Way, Count> = IdMap::new();
        for (way, &name) in live.names.iter() {
            let count = Count { before: self.weights[way], after: fit(name, self.counts[way])? };
            charge(count, self.prices.edges[way]);
            ways.push(count);
            if let CountedPlace::Edge(edge) = name {
                edges[edge] = count;
            }
        }
        Ok(Repair {
            unreachable: nodes.ids().filter(|&node| !live.is_live[node]).collect(),
            nodes,
            edges,
            virtual_exits: self.virtual_exits(&ways),
            islands: findings.islands,
            cost: cost.ok_or(RepairError::SumOverflow)?,
            is_optimal: findings.is_optimal,
            effort: findings.effort,
        })
    }

    fn virtual_exits(&self, counts: &IdMap<Way, Count>) -> Vec<VirtualExit<N>> {
        let exit = |dead_end: &super::live::DeadEnd<N>| VirtualExit {
            node: dead_end.exit,
            component: dead_end.members.clone(),
            count: counts[dead_end.edge],
        };
        self.live.dead_ends.iter().map(exit).collect()
    }
}

/// An edge that no flow reaches.
fn unused(prior: Prior) -> Count {
    match prior {
        Prior::Measured(before) => Count { before, after: 0 },
        Prior::Share(_) => Count::default(),
    }
}

fn fit<N: Id, E: Id>(counted: CountedPlace<N, E>, count: u128) -> Result<u64, RepairError<N, E>> {
    u64::try_from(count).map_err(|_| RepairError::CountOverflow { counted, count })
}
