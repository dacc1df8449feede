//! Which edges of a function are counted?
//!
//! The chords of a maximum-weight spanning tree over segments and the outside
//! (Knuth and Stevenson 1973; Ball and Larus 1994): all edges outside the tree
//! are counted, those inside follow by conservation. Left frames and second
//! returns are known anyway and never need a place in the tree.
//!
//! Weights are estimated frequencies. An edge that needs a block of its own or a look at the
//! predecessor costs more when counted, so it weighs more and is sooner part of the tree. Only the
//! first return of a `returns_twice` call has no spot at all: its second return passes every spot
//! after the call. Such edges join a segment to the next one, so they never close a cycle.
//!
//! Conservation gives counts and checks nothing: a frame that vanished would only make other
//! counts. Where a call may do that ([`Balance::Checked`]), all ways into the function and out of
//! it are counted, and the tree spans its segments alone: one counter more, and
//! `entries = returns + left` is a check.

use opcost_flow::{Countability, FlowEdge, choose_chords};
use opcost_index::{IdMap, IdSet};
use opcost_ir::EditPoint;
use opcost_key::{EdgeId, FunctionId, SegmentId};

use crate::inductions::Inductions;
use crate::leaving::Leaving;
use crate::skeleton::{PlacedEdge, Skeleton, Way};
use crate::spots::{Counting, SPLIT_FACTOR, Spots};

/// Whether a function's counts can show that a frame of it vanished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Balance {
    /// No: its ways out follow from the others.
    Assumed,
    /// Yes: each way in or out is known by itself.
    Checked,
}

/// The edges of one function that get a counter, and how.
pub(crate) struct Chords {
    pub(crate) counted: IdSet<EdgeId>,
    pub(crate) counting: IdMap<EdgeId, Counting>,
}

/// What counting an edge takes.
pub(crate) struct Costs<'a> {
    /// How often each is taken, at a guess.
    pub(crate) frequencies: &'a IdMap<EdgeId, u64>,
    /// Those that their loops count.
    pub(crate) inductions: &'a Inductions,
}

impl Chords {
    /// Chooses the edges to count.
    pub(crate) fn choose(
        spots: &Spots<'_>,
        leaving: &Leaving,
        id: FunctionId,
        costs: &Costs<'_>,
        balance: Balance,
    ) -> Chords {
        let (skeleton, Costs { frequencies: weights, inductions }): (&Skeleton, _) = (spots.skeleton, costs);
        let counting: IdMap<EdgeId, Counting> =
            skeleton.edges.values().map(|edge| spots.of_edge(edge, leaving, id)).collect();
        let is_counted_anyway = |edge: &PlacedEdge| {
            let is_outside = edge.from.is_none() || edge.to.is_none();
            matches!(edge.kind, Way::Again(_))
                || (balance == Balance::Checked && is_outside && !matches!(edge.kind, Way::Left(_)))
        };
        let countability = skeleton
            .edges
            .iter()
            .map(|(edge, known)| match counting[edge] {
                _ if is_first_return(spots, known) => Countability::Uncountable,
                Counting::LeftFrames => Countability::Measured,
                _ if is_counted_anyway(known) => Countability::Measured,
                _ if inductions.contains_key(&edge) => {
                    Countability::Countable { weight: inductions[&edge].1 }
                }
                Counting::At(EditPoint::Edge(..)) | Counting::ByPredecessor { .. } => {
                    Countability::Countable { weight: weights[edge].saturating_mul(SPLIT_FACTOR) }
                }
                Counting::At(_) | Counting::Again(_) => Countability::Countable { weight: weights[edge] },
            })
            .collect();
        let edges: IdMap<EdgeId, FlowEdge<SegmentId>> =
            skeleton.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
        let mut counted = choose_chords(skeleton.segments.len(), &edges, &countability)
            .expect("edges that cannot be counted are a forest");
        for (edge, known) in skeleton.edges.iter() {
            if is_counted_anyway(known) {
                counted.insert(edge);
            }
        }
        Chords { counted, counting }
    }
}

/// Whether the edge is the first return of a call that can return again.
fn is_first_return(spots: &Spots<'_>, edge: &PlacedEdge) -> bool {
    let (Way::Fall, Some(from)) = (edge.kind, edge.from) else { return false };
    let call = spots.function.call(spots.skeleton.segments[from].last);
    call.is_some_and(|call| call.returns_twice)
}
