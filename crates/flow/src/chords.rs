//! Which edges must be counted so that all counts follow, at least cost?
//!
//! Knuth and Stevenson (1973), in the form of Ball and Larus (1994), section
//! 3: the counts of the edges outside a spanning tree determine those in it,
//! and no smaller set of edges does. Counting costs what the chords carry, so
//! the tree is one of maximum weight (Kruskal 1956). Ties go to the smaller
//! id, so a program is always instrumented alike.
//!
//! Input: edges, and what is possible on each. Output: the chords. Code that
//! the outside never reaches forms trees of its own and is solvable alike.
//! Edges whose counts are known anyway enter neither tree nor chords.
//! Number of chords: edges not known - places + trees.
//! Cost: E log E. Limit: weights are estimates, but a wrong estimate costs
//! time, never a count.

use std::cmp::Reverse;

use opcost_index::{Id, IdMap, IdSet};
use thiserror::Error;

use crate::FlowEdge;
use crate::error::list;
use crate::forest::{Trees, find_cycle};
use crate::graph::assert_ends_exist;

/// What it takes to learn the count of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Countability {
    /// Nothing: it is measured without a counter.
    Measured,
    /// A counter, which is incremented an estimated `weight` times (in any
    /// unit, the same for all edges of a graph).
    Countable {
        /// Relative frequency; the heavier, the sooner the edge goes without a counter.
        weight: u64,
    },
    /// There is no place for a counter; the count must follow from others.
    Uncountable,
}

/// Some cycle has no edge that can be counted, so no choice determines it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no edge of the cycle {} can be counted", list(.edges))]
pub struct UncountableCycle<E: Id> {
    /// The edges of the cycle (directions ignored), in order of their ids.
    pub edges: Vec<E>,
}

/// The edges to count: those outside a spanning forest of maximum weight that
/// holds all uncountable edges.
///
/// # Errors
/// [`UncountableCycle`] when the uncountable edges are no forest; a self-loop
/// is a cycle of one edge.
///
/// # Panics
/// When the maps differ in length or an edge ends at a node past `nodes`.
pub fn choose_chords<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    countability: &IdMap<E, Countability>,
) -> Result<IdSet<E>, UncountableCycle<E>> {
    assert_ends_exist(nodes, edges);
    assert_eq!(edges.len(), countability.len(), "one countability per edge");
    let mut trees = Trees::new(nodes);
    let uncountable = uncountable(countability);
    for edge in uncountable.iter() {
        if !trees.join(edges[edge]) {
            let cycle = find_cycle(nodes, edges, &uncountable);
            return Err(UncountableCycle { edges: cycle.expect("an edge closed a cycle") });
        }
    }
    let heaviest_first = by_weight(countability);
    Ok(heaviest_first.into_iter().filter(|&edge| !trees.join(edges[edge])).collect())
}

fn uncountable<E: Id>(countability: &IdMap<E, Countability>) -> IdSet<E> {
    countability.iter().filter(|&(_, &c)| c == Countability::Uncountable).map(|(edge, _)| edge).collect()
}

/// Countable edges, heaviest first, equal ones in order of their ids.
fn by_weight<E: Id>(countability: &IdMap<E, Countability>) -> Vec<E> {
    let mut weighted: Vec<(Reverse<u64>, E)> = countability
        .iter()
        .filter_map(|(edge, &c)| match c {
            Countability::Countable { weight } => Some((Reverse(weight), edge)),
            Countability::Measured | Countability::Uncountable => None,
        })
        .collect();
    weighted.sort_unstable();
    weighted.into_iter().map(|(_, edge)| edge).collect()
}
