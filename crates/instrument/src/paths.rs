//! How are the paths of a function counted?
//!
//! Ball and Larus (1996), on segments and edges of the skeleton: a register holds the number of the
//! path that is being taken (`opcost_flow::paths` has the numbering and the increments on chords),
//! and where a path ends the counter of that number goes up. Paths go on after calls. They end
//! where the function ends, at a call that never returns, and at edges that are cut: those that
//! lead back, and in a function with more than [`most_paths`] others too.
//!
//! A frame that is left for good during a call takes its path along: it is not
//! counted, and is known to be missing by the frames that were left. Refused
//! (their edges are counted as ever) are functions that a second return of
//! `setjmp` can enter in the middle, calls that stay jumps and share a `ret`,
//! and loops that go round by an edge that cannot be cut.
//!
//! Input: the skeleton with a spot for each edge. Output: edits, in an order in which paths go, so
//! that edits at one spot are in the order in which they must happen. Cost: edges * log edges.

use opcost_flow::FlowEdge;
use opcost_flow::paths::{Increments, PathError, PathGraph, PathNumbering, cut_to_fit};
use opcost_index::{IdMap, IdSet};
use opcost_ir::{Edit, EditPoint};
use opcost_key::{CounterId, EdgeId, SegmentId};

use crate::skeleton::{Skeleton, Way};
use crate::spots::Counting;

/// Paths of one function, at most: 1,024, and in a large function as many as there are when
/// nearly every edge is cut.
fn most_paths(skeleton: &Skeleton) -> u64 {
    (2 * skeleton.edges.len() as u64).max(1024)
}

/// The counting of one function's paths.
pub(crate) struct PathPlan {
    /// How many there are.
    pub(crate) count: u32,
    /// Edges at which paths end and begin.
    pub(crate) cut: Vec<EdgeId>,
    /// What happens where.
    pub(crate) edits: Vec<Edit>,
}

/// Why the paths of a function cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Pathless {
    #[error("a call in it can return twice (setjmp)")]
    Twice,
    #[error("it has no entry")]
    NoEntry,
    #[error("it has more than {0} paths between edges that cannot be cut")]
    TooMany(u64),
    #[error("a loop in it goes round by an edge that cannot be cut")]
    Uncut,
    #[error(transparent)]
    Numbering(#[from] PathError),
    #[error("edges in it that cannot be cut go round")]
    Fixed,
}

/// Plans the counting of paths, the counter of path 0 being `first`.
///
/// # Errors
/// Why they cannot be counted.
pub(crate) fn plan_paths(
    skeleton: &Skeleton,
    counting: &IdMap<EdgeId, Counting>,
    weights: &IdMap<EdgeId, u64>,
    first: CounterId,
) -> Result<PathPlan, Pathless> {
    if skeleton.edges.values().any(|edge| matches!(edge.kind, Way::Again(_))) {
        return Err(Pathless::Twice);
    }
    let ends: IdMap<EdgeId, FlowEdge<SegmentId>> =
        skeleton.edges.values().map(|edge| FlowEdge { from: edge.from, to: edge.to }).collect();
    let is_left = |edge: &EdgeId| matches!(skeleton.edges[*edge].kind, Way::Left(_));
    let without: IdSet<EdgeId> = skeleton.edges.ids().filter(is_left).collect();
    let entry = skeleton.edges.iter().find(|(_, edge)| edge.kind == Way::Enter);
    let (entry, _) = entry.ok_or(Pathless::NoEntry)?;
    let spot_of = |edge: EdgeId| match counting[edge] {
        Counting::At(spot) => Some(spot),
        Counting::ByPredecessor { .. } | Counting::Again(_) | Counting::LeftFrames => None,
    };
    let graph = PathGraph { nodes: skeleton.segments.len(), edges: &ends, entry, without: &without };
    let most = most_paths(skeleton);
    let cut = cut_to_fit(&graph, most, |edge| spot_of(edge).is_some()).ok_or(Pathless::TooMany(most))?;
    if cut.iter().any(|edge| spot_of(edge).is_none()) {
        return Err(Pathless::Uncut);
    }
    let numbering = PathNumbering::compute(&graph, &cut)?;
    let fixed: IdSet<EdgeId> = skeleton.edges.ids().filter(|&edge| spot_of(edge).is_none()).collect();
    let increments = numbering.increments(weights, &fixed).map_err(|_| Pathless::Fixed)?;
    let edits = Writer { skeleton, first, numbering: &numbering, increments: &increments };
    Ok(PathPlan {
        count: u32::try_from(numbering.count()).expect("there are few paths"),
        cut: cut.iter().collect(),
        edits: edits.write(|edge| spot_of(edge).expect("something happens only where it can")),
    })
}

struct Writer<'a> {
    skeleton: &'a Skeleton,
    first: CounterId,
    numbering: &'a PathNumbering<SegmentId, EdgeId>,
    increments: &'a Increments<SegmentId, EdgeId>,
}

impl Writer<'_> {
    fn write(&self, spot_of: impl Fn(EdgeId) -> EditPoint) -> Vec<Edit> {
        let mut edits = Vec::new();
        for edge in self.numbering.edges_in_order() {
            let Some(&value) = self.increments.on.get(&edge) else { continue };
            let ends = &self.skeleton.edges[edge];
            if ends.from.is_none() {
                edits.push(Edit::BeginPath { spot: spot_of(edge), value });
            } else if ends.to.is_none() || self.numbering.cut().contains(edge) {
                let spot = spot_of(edge);
                edits.push(Edit::CountPath { spot, value, first: self.first });
                if let Some(to) = ends.to {
                    edits.push(Edit::BeginPath { spot, value: self.increments.starts[&to] });
                }
            } else if value != 0 {
                edits.push(Edit::AddToPath { spot: spot_of(edge), value });
            }
        }
        edits
    }
}
