//! Which nodes lie on a common cycle? Strongly connected components.
//!
//! Tarjan, "Depth-first search and linear graph algorithms" (1972), with an
//! explicit stack. Components come out callees first (reverse topological
//! order of the condensation). Cost: nodes + edges.

use crate::{Graph, Id, IdMap};

/// The components of a graph, callees first.
#[derive(Clone, Debug)]
pub struct Components<N: Id> {
    /// Members of each component; every edge that leaves a component leads to
    /// an earlier one.
    pub members: Vec<Vec<N>>,
    /// Position in `members` of each node's component.
    pub component_of: IdMap<N, usize>,
}

struct Search<N: Id> {
    order: IdMap<N, Option<u32>>,
    low: IdMap<N, u32>,
    assigned: IdMap<N, usize>,
    open: Vec<N>,
    next: u32,
    members: Vec<Vec<N>>,
}

const UNASSIGNED: usize = usize::MAX;

/// Components of the whole graph, unreachable nodes included.
pub fn strongly_connected_components<G: Graph>(graph: &G) -> Components<G::Node> {
    let count = graph.node_count();
    let mut search = Search {
        order: IdMap::filled(count, None),
        low: IdMap::filled(count, 0),
        assigned: IdMap::filled(count, UNASSIGNED),
        open: Vec::new(),
        next: 0,
        members: Vec::new(),
    };
    for root in (0..count).map(G::Node::new) {
        if search.order[root].is_none() {
            search.visit_from(graph, root);
        }
    }
    Components { members: search.members, component_of: search.assigned }
}

impl<N: Id> Search<N> {
    fn enter(&mut self, node: N) {
        self.order[node] = Some(self.next);
        self.low[node] = self.next;
        self.next += 1;
        self.open.push(node);
    }

    fn visit_from<G: Graph<Node = N>>(&mut self, graph: &G, root: N) {
        self.enter(root);
        let mut stack = vec![(root, graph.successors(root))];
        while let Some((node, rest)) = stack.last_mut() {
            let node = *node;
            match rest.next() {
                Some(next) if self.order[next].is_none() => {
                    self.enter(next);
                    stack.push((next, graph.successors(next)));
                }
                Some(next) if self.assigned[next] == UNASSIGNED => {
                    let order = self.order[next].expect("an open node was entered");
                    self.low[node] = self.low[node].min(order);
                }
                Some(_) => {}
                None => {
                    stack.pop();
                    if let Some((parent, _)) = stack.last() {
                        self.low[*parent] = self.low[*parent].min(self.low[node]);
                    }
                    self.close_if_root(node);
                }
            }
        }
    }

    fn close_if_root(&mut self, node: N) {
        if self.order[node] != Some(self.low[node]) {
            return;
        }
        let start = self.open.iter().rposition(|&open| open == node).expect("a root is still open");
        let members = self.open.split_off(start);
        for &member in &members {
            self.assigned[member] = self.members.len();
        }
        self.members.push(members);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{AdjacencyGraph, reachable_from};

    crate::define_id!(struct Node, "n");

    proptest! {
        /// Referee: two nodes share a component exactly when each reaches the other.
        #[test]
        fn agrees_with_mutual_reachability(edges in prop::collection::vec((0usize..9, 0usize..9), 0..25)) {
            let mut graph = AdjacencyGraph::<Node>::new(9);
            for (from, to) in edges {
                graph.add_edge(Node::new(from), Node::new(to));
            }
            let found = strongly_connected_components(&graph);
            let reach: Vec<_> = (0..9).map(|n| reachable_from(&graph, Node::new(n))).collect();
            for a in 0..9 {
                for b in 0..9 {
                    let together = found.component_of[Node::new(a)] == found.component_of[Node::new(b)];
                    let mutual = reach[a].contains(Node::new(b)) && reach[b].contains(Node::new(a));
                    prop_assert_eq!(together, mutual);
                    if reach[a].contains(Node::new(b)) {
                        prop_assert!(found.component_of[Node::new(b)] <= found.component_of[Node::new(a)]);
                    }
                }
            }
        }
    }
}
