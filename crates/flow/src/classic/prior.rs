//! How often was an edge taken, when only blocks were sampled?
//!
//! As the source has it: the weight of its block times its probability, where
//! probabilities come from a static look at branches and loops. Parts are
//! rounded by largest remainder (Hamilton's method, ties to the smaller edge),
//! so that the edges out of a block sum to its weight to the digit; otherwise
//! rounding alone would unbalance a profile that is consistent. Edges that
//! were measured keep their weight, and the others share what is left.
//!
//! Edges from the outside have no block before them. Together they get what
//! their target has beyond its other edges. A virtual exit gets what comes
//! into its component, but not more than its block has; a block without any
//! other way out gives it everything.
//!
//! Input: block weights and a [`Prior`] for every edge. Output: a weight for
//! every way. Cost: nodes + edges log edges. Limit: a guess; see the parent.

use std::cmp::Reverse;

use opcost_index::{Id, IdMap};

use crate::classic::CountedPlace;
use crate::classic::live::{LiveGraph, Way};

/// What is known of an edge before the repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prior {
    /// It was measured and this often taken.
    Measured(u64),
    /// It was not. Its probability is this by the sum of the shares of the unmeasured edges next to
    /// it; when all are 0 they are equal.
    Share(u64),
}

impl Prior {
    /// An unmeasured edge with this probability, exact to 2^-53; `None` when
    /// it is not between 0 and 1.
    pub fn probability(probability: f64) -> Option<Self> {
        let one = (1u64 << 53) as f64;
        (0.0..=1.0).contains(&probability).then(|| Self::Share((probability * one).round() as u64))
    }
}

/// A weight for every way.
pub(super) fn weights<N: Id, E: Id>(
    live: &LiveGraph<N, E>,
    blocks: &IdMap<N, u64>,
    priors: &IdMap<E, Prior>,
) -> IdMap<Way, u64> {
    let measured = |name: &CountedPlace<N, E>| match *name {
        CountedPlace::Edge(edge) => match priors[edge] {
            Prior::Measured(weight) => weight,
            Prior::Share(_) => 0,
        },
        CountedPlace::Node(_) | CountedPlace::VirtualExit(_) => 0,
    };
    let weight = live.names.values().map(measured).collect();
    let mut sharing = Sharing { live, blocks, priors, weight };
    // Virtual exits need what comes into their component, and the exits' own
    // edges need the virtual exits; nothing else needs either, but for the
    // entries behind such an edge.
    let mut is_stuck = IdMap::filled(blocks.len(), false);
    live.dead_ends.iter().for_each(|dead_end| is_stuck[dead_end.exit] = true);
    let waits =
        |node: N| live.into[node].iter().any(|&way| live.edges[way].from.is_some_and(|from| is_stuck[from]));
    live.order.iter().filter(|&&node| !is_stuck[node]).for_each(|&node| sharing.share_out(node));
    live.order.iter().filter(|&&node| !waits(node)).for_each(|&node| sharing.share_entries(node));
    sharing.fill_virtual_exits();
    live.dead_ends.iter().for_each(|dead_end| sharing.share_out(dead_end.exit));
    live.order.iter().filter(|&&node| waits(node)).for_each(|&node| sharing.share_entries(node));
    sharing.weight
}

struct Sharing<'a, N: Id, E: Id> {
    live: &'a LiveGraph<N, E>,
    blocks: &'a IdMap<N, u64>,
    priors: &'a IdMap<E, Prior>,
    /// 0 for those not filled yet.
    weight: IdMap<Way, u64>,
}

impl<N: Id, E: Id> Sharing<'_, N, E> {
    /// The share of a way that was not measured.
    fn share(&self, way: Way) -> Option<u64> {
        match self.live.names[way] {
            CountedPlace::Edge(edge) => match self.priors[edge] {
                Prior::Share(share) => Some(share),
                Prior::Measured(_) => None,
            },
            CountedPlace::Node(_) | CountedPlace::VirtualExit(_) => None,
        }
    }

    /// The block's weight, less what is filled already, to its other edges.
    fn share_out(&mut self, node: N) {
        let live = self.live;
        self.distribute(node, &live.out[node], live.out[node].iter().copied());
    }

    /// The block's weight, less its other edges', to those from the outside.
    fn share_entries(&mut self, node: N) {
        let live = self.live;
        let entries = live.into[node].iter().copied().filter(|&way| live.edges[way].from.is_none());
        self.distribute(node, &live.into[node], entries);
    }

    fn distribute(&mut self, node: N, beside: &[Way], candidates: impl Iterator<Item = Way>) {
        let missing: Vec<(Way, u64)> = candidates.filter_map(|way| Some((way, self.share(way)?))).collect();
        let filled: u128 = beside.iter().map(|&way| u128::from(self.weight[way])).sum();
        let left = u128::from(self.blocks[node]).saturating_sub(filled);
        let left = u64::try_from(left).expect("not more than the block's weight");
        let shares: Vec<u64> = missing.iter().map(|&(_, share)| share).collect();
        for ((way, _), part) in missing.into_iter().zip(apportion(left, &shares)) {
            self.weight[way] = part;
        }
    }

    fn fill_virtual_exits(&mut self) {
        // No edge leads from one dead end to another.
        let mut is_inside = IdMap::filled(self.blocks.len(), false);
        self.live.dead_ends.iter().flat_map(|end| &end.members).for_each(|&node| is_inside[node] = true);
        for dead_end in &self.live.dead_ends {
            let comes_in = |way: &&Way| self.live.edges[**way].from.is_none_or(|from| !is_inside[from]);
            let ways = dead_end.members.iter().flat_map(|&node| &self.live.into[node]);
            let inflow: u128 = ways.filter(comes_in).map(|&way| u128::from(self.weight[way])).sum();
            let most = self.blocks[dead_end.exit];
            let is_only_way = self.live.out[dead_end.exit].len() == 1;
            let weight = u64::try_from(inflow).map_or(most, |inflow| inflow.min(most));
            self.weight[dead_end.edge] = if is_only_way { most } else { weight };
        }
    }
}

/// `total` in parts proportional to `shares`, which sum to it unless there are
/// none.
fn apportion(total: u64, shares: &[u64]) -> Vec<u64> {
    let equal = vec![1; shares.len()];
    let shares = if shares.iter().all(|&share| share == 0) { &equal } else { shares };
    let sum: u128 = shares.iter().map(|&share| u128::from(share)).sum();
    let product = |share: u64| u128::from(total) * u128::from(share);
    let part = |&share: &u64| u64::try_from(product(share) / sum).expect("a part of a 64-bit total");
    let mut parts: Vec<u64> = shares.iter().map(part).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by_key(|&position| (Reverse(product(shares[position]) % sum), position));
    let given: u64 = parts.iter().sum();
    // Less than one for each remainder that is not 0.
    let rest = usize::try_from(total - given).unwrap_or(usize::MAX);
    order.into_iter().take(rest).for_each(|position| parts[position] += 1);
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_largest_remainders_are_rounded_up() {
        assert_eq!(apportion(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(apportion(100, &[88, 6, 6]), [88, 6, 6]);
        assert_eq!(apportion(1, &[1, 3]), [0, 1]);
        assert_eq!(apportion(7, &[0, 0]), [4, 3]);
        assert_eq!(apportion(7, &[0, 5]), [0, 7]);
        assert_eq!(apportion(u64::MAX, &[u64::MAX, u64::MAX]), [(1 << 63), (1 << 63) - 1]);
        assert_eq!(apportion(5, &[]), [0u64; 0]);
    }

    #[test]
    fn a_probability_is_one_of_those_between_0_and_1() {
        assert_eq!(Prior::probability(0.5), Some(Prior::Share(1 << 52)));
        assert_eq!(Prior::probability(1.0), Some(Prior::Share(1 << 53)));
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Prior::probability(wrong), None);
        }
    }

    proptest! {
        /// Each part is its exact quotient rounded up or down, and nothing is lost.
        #[test]
        fn parts_sum_to_the_total(total in any::<u64>(), shares in prop::collection::vec(any::<u64>(), 1..6)) {
            let parts = apportion(total, &shares);
            prop_assert_eq!(parts.iter().map(|&part| u128::from(part)).sum::<u128>(), u128::from(total));
            let sum: u128 = shares.iter().map(|&share| u128::from(share)).sum();
            prop_assume!(sum > 0);
            for (&part, &share) in parts.iter().zip(&shares) {
                let floor = u128::from(total) * u128::from(share) / sum;
                prop_assert!(u128::from(part) == floor || u128::from(part) == floor + 1);
            }
        }
    }
}
