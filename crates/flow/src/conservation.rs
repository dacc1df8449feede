//! Do these counts balance? The checker beside the clever parts.
//!
//! Sums what flows into and out of every place by going through the edges
//! once. Shares no code with the reconstruction, so that a mistake there
//! cannot hide here. Cost: nodes + edges.

use opcost_index::{Id, IdMap};

use crate::{FlowEdge, FlowError};

/// Succeeds when as much flows into every place, the outside included, as out
/// of it.
///
/// # Errors
/// [`FlowError::Contradiction`] for the first place where it does not (nodes
/// in order, then the outside); [`FlowError::Overflow`] when a sum leaves 128
/// bits.
///
/// # Panics
/// When the maps differ in length or an edge ends at a node past `nodes`.
pub fn check_conservation<N: Id, E: Id>(
    nodes: usize,
    edges: &IdMap<E, FlowEdge<N>>,
    counts: &IdMap<E, i128>,
) -> Result<(), FlowError<N, E>> {
    assert_eq!(edges.len(), counts.len(), "one count per edge");
    // The outside is the last position of both.
    let position = |place: Option<N>| place.map_or(nodes, N::index);
    let mut inflow = vec![0i128; nodes + 1];
    let mut outflow = vec![0i128; nodes + 1];
    for (edge, ends) in edges.iter() {
        for (sums, place) in [(&mut outflow, ends.from), (&mut inflow, ends.to)] {
            let sum = &mut sums[position(place)];
            *sum = sum.checked_add(counts[edge]).ok_or(FlowError::Overflow { edge })?;
        }
    }
    match (0..=nodes).find(|&place| inflow[place] != outflow[place]) {
        None => Ok(()),
        Some(place) => Err(FlowError::Contradiction {
            node: (place < nodes).then(|| N::new(place)),
            inflow: inflow[place],
            outflow: outflow[place],
        }),
    }
}
