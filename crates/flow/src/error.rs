//! What can be wrong with a flow? The counts, or the choice of what to count.
//!
//! `Undetermined` is the fault of whoever chose the chords; the others say
//! that the counts do not belong to this graph: a torn file, a wrong map, a
//! way out of a function that nobody noted.

use opcost_index::Id;
use thiserror::Error;

/// Why the counts of a graph's edges could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FlowError<N: Id, E: Id> {
    /// The edges of this cycle (directions ignored) are all unknown, so any
    /// amount could be added round it. One of them must be counted.
    #[error("counts are not determined: nothing is known on the cycle {}", list(.cycle))]
    Undetermined {
        /// The edges, in order of their ids.
        cycle: Vec<E>,
    },
    /// More flows into a place than out of it, or the other way round.
    #[error("counts contradict each other: {inflow} into {}, {outflow} out of it", name(.node))]
    Contradiction {
        /// The place; `None` is the outside.
        node: Option<N>,
        /// Sum of the edges into it; from `bounds`, the most it can be.
        inflow: i128,
        /// Sum of the edges out of it; from `bounds`, the least it can be.
        outflow: i128,
    },
    /// The only solution has control go backwards over an edge.
    #[error("counts contradict each other: {edge} would have been taken {count} times")]
    Negative {
        /// The edge.
        edge: E,
        /// Its count, below 0.
        count: i128,
    },
    /// A sum that includes this edge leaves the range of 128 bits.
    #[error("the count of {edge} makes a sum of more than 128 bits")]
    Overflow {
        /// The edge.
        edge: E,
    },
}

fn name<N: Id>(place: &Option<N>) -> String {
    place.map_or_else(|| "the outside".to_owned(), |node| node.to_string())
}

/// The ids with commas between them.
pub(crate) fn list<E: Id>(edges: &[E]) -> String {
    edges.iter().map(E::to_string).collect::<Vec<_>>().join(", ")
}
