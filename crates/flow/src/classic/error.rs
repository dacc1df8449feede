//! What can go wrong with a repair? The graph has no way in, or numbers do not
//! fit. Any counts, however wrong, have a repair: the flow of nothing at all
//! is one, only a dear one.

use std::fmt;

use opcost_index::Id;
use thiserror::Error;

/// Something that has a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedPlace<N: Id, E: Id> {
    /// A node of the caller's.
    Node(N),
    /// An edge of the caller's.
    Edge(E),
    /// The way out that was added at this node.
    VirtualExit(N),
}

impl<N: Id, E: Id> fmt::Display for CountedPlace<N, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(node) => write!(f, "{node}"),
            Self::Edge(edge) => write!(f, "{edge}"),
            Self::VirtualExit(node) => write!(f, "the virtual exit of {node}"),
        }
    }
}

/// Why there is no repaired profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RepairError<N: Id, E: Id> {
    /// No edge leads from the outside to a node.
    #[error("no edge leads into the graph, so all of it is unreachable")]
    NoEntry,
    /// The repaired count of one thing leaves 64 bits.
    #[error("{counted} would have the count {count}, which is more than 64 bits hold")]
    CountOverflow {
        /// What has this count.
        counted: CountedPlace<N, E>,
        /// The count.
        count: u128,
    },
    /// A sum of flows or costs leaves 128 bits.
    #[error("the flows or costs of the repair make a sum of more than 128 bits")]
    SumOverflow,
}
