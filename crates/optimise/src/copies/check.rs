//! Is what ran before still what runs, copies and all?
//!
//! A checker that shares no code with splitting: each node of the copied body leads where the node leads that it
//! is a copy of, or to a copy of that. Each node with its copies runs as often as it did, and each branch is taken
//! as often. What runs into a node runs out of it, unless it ends there. All is in integers.

use opcost_index::{Id as _, IdMap};
use thiserror::Error;

use crate::copies::body::{Body, BodyNodeId, CopiedBody};
use crate::copies::routes::RouteCounts;

/// Where a copied body does not do what the body does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotConserved {
    /// A branch leads elsewhere.
    #[error("branch {branch} of {node} leads elsewhere than that of the node that it is a copy of")]
    Leads {
        /// The node.
        node: BodyNodeId,
        /// The position of the branch.
        branch: usize,
    },
    /// A node and its copies do not run as often as the node did.
    #[error("{node} ran {before} times, and with its copies {after} times")]
    Node {
        /// The node.
        node: BodyNodeId,
        /// How often it ran.
        before: u64,
        /// How often it runs now, with its copies.
        after: u64,
    },
    /// A branch and its copies are not taken as often as the branch was.
    #[error("branch {branch} of {node} is not taken as often as before")]
    Branch {
        /// The node.
        node: BodyNodeId,
        /// The position of the branch.
        branch: usize,
    },
    /// What runs into a node does not run out of it.
    #[error("what runs into {0} does not run out of it")]
    Flow(BodyNodeId),
}

/// Holds a copied body with its counts against the body with its own.
///
/// # Errors
/// The first difference.
pub fn check_split(
    body: &Body,
    before: &RouteCounts,
    copied: &CopiedBody,
    after: &RouteCounts,
) -> Result<(), NotConserved> {
    let mut nodes: IdMap<BodyNodeId, u64> = IdMap::filled(body.nodes.len(), 0);
    let mut branches: IdMap<BodyNodeId, Vec<u64>> =
        body.nodes.values().map(|node| vec![0; node.successors.len()]).collect();
    let mut into: IdMap<BodyNodeId, u64> = IdMap::filled(copied.nodes.len(), 0);
    for (node, one) in copied.nodes.iter() {
        let ends = &body.nodes[one.of].successors;
        for branch in 0..ends.len().max(one.successors.len()) {
            let to = one.successors.get(branch).map(|&to| copied.nodes[to].of);
            if to != ends.get(branch).copied() {
                return Err(NotConserved::Leads { node, branch });
            }
            let taken = after.branches[node][branch];
            branches[one.of][branch] += taken;
            into[one.successors[branch]] += taken;
        }
        nodes[one.of] += after.nodes[node];
    }
    for (node, &after) in nodes.iter() {
        if after != before.nodes[node] {
            return Err(NotConserved::Node { node, before: before.nodes[node], after });
        }
        if let Some(branch) =
            (0..branches[node].len()).find(|&at| branches[node][at] != before.branches[node][at])
        {
            return Err(NotConserved::Branch { node, branch });
        }
    }
    // The entry is called, and a node may be left for good, as it was before.
    let flows = |node: BodyNodeId| {
        let out: u64 = after.branches[node].iter().sum();
        let of = copied.nodes[node].of;
        let ends: u64 = before.branches[of].iter().sum();
        let may_end = ends != before.nodes[of];
        (node.index() == 0 || into[node] == after.nodes[node]) && (may_end || out == after.nodes[node])
    };
    match copied.nodes.ids().find(|&node| !flows(node)) {
        Some(node) => Err(NotConserved::Flow(node)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copies::body::BodyNode;
    use crate::copies::routes::{Route, count_routes};

    /// 0 → 1 or 2 → 3 → 4 or 5, with a copy of 3 for 2.
    fn example() -> (Body, CopiedBody, Vec<Route>) {
        let id = BodyNodeId::new;
        let ends: [&[usize]; 6] = [&[1, 2], &[3], &[3], &[4, 5], &[], &[]];
        let node = |ends: &[usize]| BodyNode {
            size: 1,
            can_copy: true,
            can_lead_elsewhere: true,
            successors: ends.iter().map(|&end| id(end)).collect(),
        };
        let body = Body { nodes: ends.into_iter().map(node).collect() };
        let mut copied = CopiedBody::new(&body);
        copied.copy(id(3), id(2));
        let route = |branches: &[u32], count| Route { start: id(0), branches: branches.to_vec(), count };
        (body, copied, vec![route(&[0, 0, 0], 70), route(&[1, 0, 0], 10), route(&[1, 0, 1], 20)])
    }

    #[test]
    fn each_kind_of_loss_is_noticed() {
        let (body, copied, routes) = example();
        let before = count_routes(&CopiedBody::new(&body), &routes).expect("routes fit");
        let after = count_routes(&copied, &routes).expect("routes fit");
        let check = |copied: &CopiedBody, after: &RouteCounts| check_split(&body, &before, copied, after);
        assert_eq!(check(&copied, &after), Ok(()));
        let (join, copy, left) = (BodyNodeId::new(3), BodyNodeId::new(6), BodyNodeId::new(4));
        let mut other = copied.clone();
        other.nodes[copy].successors.swap(0, 1);
        assert_eq!(check(&other, &after), Err(NotConserved::Leads { node: copy, branch: 0 }));
        let mut lost = after.clone();
        lost.nodes[copy] -= 1;
        assert_eq!(check(&copied, &lost), Err(NotConserved::Node { node: join, before: 100, after: 99 }));
        let mut elsewhere = after.clone();
        elsewhere.branches[copy] = vec![9, 20];
        assert_eq!(check(&copied, &elsewhere), Err(NotConserved::Branch { node: join, branch: 0 }));
        // Sums are right, but a copy runs more often than control comes to it.
        let mut moved = after.clone();
        (moved.nodes[join], moved.nodes[copy]) = (69, 31);
        assert_eq!(check(&copied, &moved), Err(NotConserved::Flow(join)));
        let mut ends = after;
        ends.nodes[left] += 1;
        assert_eq!(check(&copied, &ends), Err(NotConserved::Node { node: left, before: 80, after: 81 }));
    }
}
