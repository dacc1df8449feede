//! How often did each node and each branch run, copies too?
//!
//! A route is one acyclic path as paths are counted (Ball and Larus 1996): from the entry, or from the target of an
//! edge back, to the end of the function or past an edge back. On the way through a copied body its
//! branches lead to copies by themselves, so the sums over all routes are the counts of the copies.
//!
//! Cost: the lengths of all routes.

use std::collections::BTreeMap;

use opcost_index::{Id as _, IdMap};

use crate::copies::body::{BodyNodeId, CopiedBody};

/// A path that control took, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Where it begins: the entry, or a node to which an edge led at which paths are cut.
    pub start: BodyNodeId,
    /// The branches that it takes, by position in the branch of each node along it. The last one may lead to the
    /// start of another route.
    pub branches: Vec<u32>,
    /// How often it was taken.
    pub count: u64,
}

/// Counts of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteCounts {
    /// How often each node ran.
    pub nodes: IdMap<BodyNodeId, u64>,
    /// How often each branch was taken, by position.
    pub branches: IdMap<BodyNodeId, Vec<u64>>,
}

/// By a node and the node before it: how often each branch of the node was taken when control came that way.
pub type InEdgeCounts = BTreeMap<InEdge, Vec<u64>>;

/// A way into a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct InEdge {
    /// The node.
    pub node: BodyNodeId,
    /// The node before it.
    pub from: BodyNodeId,
}

/// Adds up routes by ways. Routes fit the body.
pub fn count_in_edges(body: &CopiedBody, routes: &[Route]) -> InEdgeCounts {
    let mut counts = InEdgeCounts::new();
    for route in routes {
        let mut from = None;
        let mut node = route.start;
        for &branch in &route.branches {
            let successors = &body.nodes[node].successors;
            if let Some(from) = from {
                let taken = counts.entry(InEdge { node, from }).or_insert_with(|| vec![0; successors.len()]);
                taken[branch as usize] += route.count;
            }
            from = Some(node);
            node = successors[branch as usize];
        }
    }
    counts
}

/// Adds up routes. None if a route takes a branch that is not there, or a count has more than 64 bits.
pub fn count_routes(body: &CopiedBody, routes: &[Route]) -> Option<RouteCounts> {
    let mut counts = RouteCounts {
        nodes: IdMap::filled(body.nodes.len(), 0),
        branches: body.nodes.values().map(|node| vec![0; node.successors.len()]).collect(),
    };
    for route in routes {
        let mut node = route.start;
        // All other starts follow a branch of another route, which counts them.
        if node.index() == 0 {
            counts.nodes[node] = counts.nodes[node].checked_add(route.count)?;
        }
        for &branch in &route.branches {
            let taken = counts.branches[node].get_mut(branch as usize)?;
            *taken = taken.checked_add(route.count)?;
            node = body.nodes[node].successors[branch as usize];
            counts.nodes[node] = counts.nodes[node].checked_add(route.count)?;
        }
    }
    Some(counts)
}
