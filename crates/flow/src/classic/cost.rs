//! What does it cost to move a count by one?
//!
//! A [`Price`] for raising and one for lowering, per unit, the same for the
//! first unit as for the millionth. Where they come from can be chosen:
//!
//! - [`TimeModel::Levin`]: Levin, Newman and Haber (HiPEAC 2008) give each
//!   edge of the network two confidence constants, k+ and k-. Here they are
//!   constants of its kind.
//! - [`TimeModel::GccMcf`]: Ramasamy et al. (GCC Summit 2008) as GCC's `mcf.c`
//!   has it: k / ln(w + 2), with b = sqrt(mean block weight), k+ = b and
//!   k- = 50 b. What weighs more is trusted less per unit, and lowering is
//!   dearer than raising.
//! - [`TimeModel::Linear`]: every price from the caller.
//!
//! GCC's own arithmetic spoils its formula: its ln is the number of times that
//! e goes in, its square root is good to 3 %, and prices become integers by
//! dropping the fraction, so that with small counts most are equal or 0. Here
//! prices are integers too, but in units of 2^-24: the logarithm is computed
//! to 2^-40 by squaring (no floating point, so all machines agree) and the
//! root is exact to 2^-24. b is the same for all of a graph and cancels;
//! it is at least 1, so that a graph with few samples has no prices of 0.
//! Large weights that are nearly equal may still cost alike.

use opcost_index::{Id, IdMap};

use crate::classic::CountedPlace;
use crate::classic::live::{LiveGraph, Way};

/// What one unit costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// To raise the count by one.
    pub raise: u64,
    /// To lower it by one.
    pub lower: u64,
}

/// Prices of counts by kind, for [`TimeModel::Levin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevinPrices {
    /// Blocks with samples.
    pub block: Price,
    /// Blocks without. They may be dead or short, so raising may be cheaper.
    pub unsampled: Price,
    /// Edges between blocks.
    pub branch: Price,
    /// Edges from the outside.
    pub entry: Price,
    /// Edges to the outside, virtual exits included.
    pub exit: Price,
}

/// All prices from the caller, for [`TimeModel::Linear`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearPrices<N: Id, E: Id> {
    /// Of each node.
    pub nodes: IdMap<N, Price>,
    /// Of each edge.
    pub edges: IdMap<E, Price>,
    /// Of every virtual exit.
    pub virtual_exit: Price,
}

/// Where prices come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimeModel<N: Id, E: Id> {
    /// Constants by kind.
    Levin(LevinPrices),
    /// k / ln(w + 2), in units of 2^-24.
    GccMcf,
    /// The caller's.
    Linear(LinearPrices<N, E>),
}

/// The prices of one graph.
pub(super) struct Prices<N: Id> {
    /// Of each node; of no use where it is not live.
    pub(super) nodes: IdMap<N, Price>,
    /// Of each way.
    pub(super) edges: IdMap<Way, Price>,
}

impl<N: Id> Prices<N> {
    /// # Panics
    /// When maps of [`LinearPrices`] are shorter than the graph's.
    pub(super) fn new<E: Id>(
        model: &TimeModel<N, E>,
        live: &LiveGraph<N, E>,
        blocks: &IdMap<N, u64>,
        weights: &IdMap<Way, u64>,
    ) -> Self {
        match model {
            TimeModel::Levin(prices) => Self::by_kind(prices, live, blocks),
            TimeModel::GccMcf => {
                let b = root_of_mean(live.order.iter().map(|&node| blocks[node]));
                let price = |&weight: &u64| by_weight(b, weight);
                Self {
                    nodes: blocks.values().map(price).collect(),
                    edges: weights.values().map(price).collect(),
                }
            }
            TimeModel::Linear(prices) => {
                let of_way = |name: &CountedPlace<N, E>| match *name {
                    CountedPlace::Edge(edge) => prices.edges[edge],
                    CountedPlace::Node(_) | CountedPlace::VirtualExit(_) => prices.virtual_exit,
                };
                Self { nodes: prices.nodes.clone(), edges: live.names.values().map(of_way).collect() }
            }
        }
    }

    fn by_kind<E: Id>(prices: &LevinPrices, live: &LiveGraph<N, E>, blocks: &IdMap<N, u64>) -> Self {
        let of_block = |&weight: &u64| if weight > 0 { prices.block } else { prices.unsampled };
        let of_way = |ends: &crate::FlowEdge<N>| match (ends.from, ends.to) {
            (_, None) => prices.exit,
            (None, _) => prices.entry,
            (Some(_), Some(_)) => prices.branch,
        };
        Self {
            nodes: blocks.values().map(of_block).collect(),
            edges: live.edges.values().map(of_way).collect(),
        }
    }
}

/// Prices are in units of 2^-24.
const PRICE_BITS: u32 = 24;
/// Logarithms are in units of 2^-40.
const LOG_BITS: u32 = 40;
/// GCC's constant: lowering costs so many times what raising does.
const LOWER_BY_RAISE: u64 = 50;
/// ln 2 in units of 2^-64.
const LN_2: u128 = 0xB172_17F7_D1CF_79AB;

/// b = sqrt(mean), at least 1, in units of 2^-24; below 2^56.
fn root_of_mean(weights: impl ExactSizeIterator<Item = u64>) -> u64 {
    let count = weights.len() as u128;
    let sum: u128 = weights.map(u128::from).sum();
    // In two steps, as the sum has up to 96 bits and the shift takes 48.
    let fraction = ((sum % count) << (2 * PRICE_BITS)) / count;
    let mean = ((sum / count) << (2 * PRICE_BITS)) + fraction;
    let root = u64::try_from(mean.isqrt()).expect("the root of 112 bits");
    root.max(1 << PRICE_BITS)
}

fn by_weight(b: u64, weight: u64) -> Price {
    let logarithm = ln(u128::from(weight) + 2);
    let price = |k: u64| {
        let exact = (u128::from(k) << LOG_BITS) + logarithm / 2;
        u64::try_from(exact / logarithm).expect("50 * 2^56 / ln 2 has 63 bits")
    };
    Price { raise: price(b), lower: price(LOWER_BY_RAISE * b) }
}

/// The natural logarithm of an integer above 1 and below 2^65, in units of
/// 2^-40: the binary one, bit by bit, times ln 2.
fn ln(x: u128) -> u128 {
    let whole = x.ilog2();
    // The mantissa m, 1 <= m < 2, in units of 2^-63. Squaring it doubles its
    // logarithm; a square of 2 or more gives the next bit.
    let mut mantissa = if whole <= 63 { x << (63 - whole) } else { x >> (whole - 63) };
    let mut binary = u128::from(whole);
    for _ in 0..LOG_BITS {
        mantissa = (mantissa * mantissa) >> 63;
        let bit = mantissa >> 64;
        mantissa >>= bit;
        binary = binary << 1 | bit;
    }
    (binary * LN_2) >> 64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the machine's own logarithm.
    #[test]
    fn the_logarithm_is_one() {
        let near =
            (2..2000u128).chain((1..=64).flat_map(|bit| [(1 << bit) + 1, (1 << bit) + (1 << bit) / 3]));
        for x in near.chain([1 << 64, (1 << 64) + 1]) {
            let ours = ln(x) as f64 / (1u64 << LOG_BITS) as f64;
            let theirs = (x as f64).ln();
            assert!((ours - theirs).abs() < 1e-11, "ln {x}: {ours} {theirs}");
        }
    }

    #[test]
    fn prices_follow_the_formula_without_steps() {
        let b = root_of_mean([400, 100, 0, 100].into_iter());
        assert_eq!(b, 205_478_092, "sqrt(150) is 12.247448713...");
        let unit = (1u64 << PRICE_BITS) as f64;
        for weight in [0u64, 1, 5, 6, 100, 101, u64::MAX] {
            let price = by_weight(b, weight);
            let theirs = 150f64.sqrt() / (weight as f64 + 2.0).ln();
            assert!((price.raise as f64 / unit - theirs).abs() < 1e-6);
            assert!((price.lower as f64 / unit - 50.0 * theirs).abs() < 1e-5);
        }
        // GCC's stepwise ln cannot tell these apart.
        assert!(by_weight(b, 100).raise > by_weight(b, 101).raise);
    }

    #[test]
    fn extremes_neither_overflow_nor_vanish() {
        let most = root_of_mean([u64::MAX].into_iter());
        assert!(by_weight(most, 0).lower > by_weight(most, u64::MAX).lower);
        let least = root_of_mean([0, 0].into_iter());
        assert_eq!(least, 1 << PRICE_BITS);
        assert!(by_weight(least, u64::MAX).raise > 300_000);
    }
}
