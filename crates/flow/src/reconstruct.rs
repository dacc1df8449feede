//! What did every edge carry, given the counts of the chords?
//!
//! Ball and Larus (1994), section 3.1: the unknown edges form a forest; at a
//! leaf only one edge is unknown, so conservation of flow gives its count;
//! take it off and go on. Each tree's last place has no unknown left, and its
//! equation becomes a check.
//!
//! Input: what is known, of any sign (a child process leaves frames that it
//! never entered). Output: all counts, in times taken. Cost: nodes + edges.
//! Limit: the flow must balance. After an asynchronous end (a kill) frames are
//! still open and it does not; see [`bounds`](crate::bounds()).

use opcost_index::{Id, IdMap, IdSet};

use crate::forest::{Leaf, find_cycle, peel};
use crate::graph::{PlaceMap, assert_ends_exist};
use crate::{FlowEdge, FlowError};

/// All counts, where every count that is not known must be 0 or more.
///
/// # Errors
/// Those of [`solve`], and [`FlowError::Negative`] for the first edge that
/// would have been taken a negative number of times.
///
/// # Panics
/// As [`solve`].
pub fn reconstruct<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    known: &IdMap<E, Option<i128>>,
) -> Result<IdMap<E, i128>, FlowError<N, E>> {
    let counts = solve(nodes, edges, known)?;
    let negative = counts.iter().find(|&(edge, &count)| known[edge].is_none() && count < 0);
    match negative {
        Some((edge, &count)) => Err(FlowError::Negative { edge, count }),
        None => Ok(counts),
    }
}

/// The only counts, of whatever sign, that agree with what is known.
///
/// # Errors
/// [`FlowError::Undetermined`] when unknown edges form a cycle,
/// [`FlowError::Contradiction`] when a place's equation fails, and
/// [`FlowError::Overflow`] when a sum leaves 128 bits.
///
/// # Panics
/// When the maps differ in length or an edge ends at a node past `nodes`.
pub fn solve<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    known: &IdMap<E, Option<i128>>,
) -> Result<IdMap<E, i128>, FlowError<N, E>> {
    let order = leaves_of_unknown(nodes, edges, known)?;
    let mut sums = Sums::new(nodes);
    for (edge, count) in known.iter().filter_map(|(edge, &count)| Some((edge, count?))) {
        sums.add(edges[edge], count).ok_or(FlowError::Overflow { edge })?;
    }
    let mut counts: IdMap<E, i128> = known.values().map(|count| count.unwrap_or(0)).collect();
    for (leaf, edge) in order {
        let ends = edges[edge];
        let missing = sums.missing(leaf, ends).ok_or(FlowError::Overflow { edge })?;
        sums.add(ends, missing).ok_or(FlowError::Overflow { edge })?;
        counts[edge] = missing;
    }
    match sums.unbalanced() {
        Some((node, inflow, outflow)) => Err(FlowError::Contradiction { node, inflow, outflow }),
        None => Ok(counts),
    }
}

/// The forest of unknown edges, leaves first; shared with `bounds`.
pub(crate) fn leaves_of_unknown<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    known: &IdMap<E, Option<i128>>,
) -> Result<Vec<Leaf<N, E>>, FlowError<N, E>> {
    assert_ends_exist(nodes, edges);
    assert_eq!(edges.len(), known.len(), "one count or none per edge");
    let unknown: IdSet<E> = known.iter().filter(|(_, count)| count.is_none()).map(|(edge, _)| edge).collect();
    let peeling = peel(nodes, edges, &unknown);
    if peeling.core.is_empty() {
        return Ok(peeling.order);
    }
    let cycle = find_cycle(nodes, edges, &unknown).expect("a core that is not empty holds a cycle");
    Err(FlowError::Undetermined { cycle })
}

/// What is known so far to flow into and out of every place.
struct Sums<N: Id> {
    inflow: PlaceMap<N, i128>,
    outflow: PlaceMap<N, i128>,
}

impl<N: Id> Sums<N> {
    fn new(nodes: usize) -> Self {
        Self { inflow: PlaceMap::filled(nodes, 0), outflow: PlaceMap::filled(nodes, 0) }
    }

    /// `None` when a sum overflows.
    fn add(&mut self, ends: FlowEdge<N>, count: i128) -> Option<()> {
        self.outflow[ends.from] = self.outflow[ends.from].checked_add(count)?;
        self.inflow[ends.to] = self.inflow[ends.to].checked_add(count)?;
        Some(())
    }

    /// What the last unknown edge at `leaf` must carry.
    fn missing(&self, leaf: Option<N>, ends: FlowEdge<N>) -> Option<i128> {
        let surplus = self.inflow[leaf].checked_sub(self.outflow[leaf])?;
        if ends.from == leaf { Some(surplus) } else { surplus.checked_neg() }
    }

    fn unbalanced(&self) -> Option<(Option<N>, i128, i128)> {
        let place = self.inflow.places().find(|&place| self.inflow[place] != self.outflow[place])?;
        Some((place, self.inflow[place], self.outflow[place]))
    }
}
