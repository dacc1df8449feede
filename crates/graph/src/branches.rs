//! Which way does a branch go? Probabilities, before any run.
//!
//! Wu and Larus, "Static branch frequency and program profile analysis"
//! (MICRO 27, 1994), kept to what pays: hints where there are any; otherwise
//! the ways that stay in the loop get 88 % together (their loop branch
//! heuristic), and equals share. Cold ways get next to nothing.
//!
//! Input: a graph, its loops, a hint for each edge. Output: probabilities that
//! sum to 1 at every node with successors. Cost: edges times depth of nesting.
//! Limit: a guess; see [`frequency`](crate::frequency).

use opcost_index::{Graph, Id, IdMap};

use crate::edge::{Edge, edges_from};
use crate::loops::LoopForest;

/// How often a branch stays in the loop that it can leave.
const STAYS_IN_LOOP: f64 = 0.88;
/// All cold ways out of a node together, where there are others.
const COLD: f64 = 1.0 / (1u64 << 20) as f64;

/// What is known of an edge before any run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Nothing.
    None,
    /// It leads to a throw, an abort, an error path.
    Cold,
    /// Its share among the weights of its node's edges (as LLVM's branch
    /// weights). Where one edge has a weight above 0, those without are cold.
    Weight(u32),
}

/// The probability of each edge, by source and slot.
pub fn branch_probabilities<G: Graph>(
    graph: &G,
    loops: &LoopForest<G::Node>,
    hint: impl Fn(Edge<G::Node>) -> Hint,
) -> IdMap<G::Node, Vec<f64>> {
    let at = |node| {
        let (edges, hints): (Vec<_>, Vec<_>) = edges_from(graph, node).map(|edge| (edge, hint(edge))).unzip();
        normalize(&weights(&hints).unwrap_or_else(|| loop_branch(&edges, &hints, loops)))
    };
    (0..graph.node_count()).map(|node| at(G::Node::new(node))).collect()
}

/// The shares that the hints name; `None` when no hint names any.
fn weights(hints: &[Hint]) -> Option<Vec<f64>> {
    let weight = |hint: &Hint| match hint {
        Hint::Weight(weight) => f64::from(*weight),
        Hint::None | Hint::Cold => 0.0,
    };
    let weights: Vec<f64> = hints.iter().map(weight).collect();
    weights.iter().any(|&weight| weight > 0.0).then_some(weights)
}

/// The loop branch heuristic; cold edges have no share.
fn loop_branch<N: Id>(edges: &[Edge<N>], hints: &[Hint], loops: &LoopForest<N>) -> Vec<f64> {
    let stays = |edge: &Edge<N>| loops.innermost[edge.from].is_none_or(|id| loops.contains(id, edge.to));
    let warm = |(edge, hint): (&Edge<N>, &Hint)| (*hint != Hint::Cold).then(|| stays(edge));
    let stays: Vec<Option<bool>> = edges.iter().zip(hints).map(warm).collect();
    let share = |group: &Option<bool>| {
        let equals = stays.iter().filter(|&other| other == group).count() as f64;
        match group {
            Some(true) => STAYS_IN_LOOP / equals,
            Some(false) => (1.0 - STAYS_IN_LOOP) / equals,
            None => 0.0,
        }
    };
    stays.iter().map(share).collect()
}

/// Makes shares sum to 1, where those of 0 divide [`COLD`] among themselves.
fn normalize(shares: &[f64]) -> Vec<f64> {
    let total: f64 = shares.iter().sum();
    let without = shares.iter().filter(|&&share| share == 0.0).count() as f64;
    if total == 0.0 {
        return vec![1.0 / without; shares.len()];
    }
    let warm = if without > 0.0 { 1.0 - COLD } else { 1.0 };
    let probability = |&share: &f64| if share == 0.0 { COLD / without } else { warm * share / total };
    shares.iter().map(probability).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dominators::Dominators;
    use crate::random_graphs::{graph, n};

    /// A loop 1, 2 that node 1 may leave to 3 or 4.
    fn at_the_exit(hints: [Hint; 3]) -> Vec<f64> {
        let graph = graph(5, &[(0, 1), (1, 2), (1, 3), (1, 4), (2, 1)]);
        let loops = LoopForest::compute(&graph, &Dominators::compute(&graph, n(0)));
        let hint = |edge: Edge<_>| if edge.from == n(1) { hints[edge.slot as usize] } else { Hint::None };
        branch_probabilities(&graph, &loops, hint)[n(1)].clone()
    }

    fn assert_near(found: &[f64], wanted: [f64; 3]) {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
        assert!(found.iter().zip(&wanted).all(near), "{found:?} instead of {wanted:?}");
    }

    #[test]
    fn hints_come_first_then_the_loop() {
        use Hint::{Cold, None, Weight};
        assert_near(&at_the_exit([None, None, None]), [0.88, 0.06, 0.06]);
        assert_near(&at_the_exit([None, None, Cold]), [0.88 * (1.0 - COLD), 0.12 * (1.0 - COLD), COLD]);
        assert_near(&at_the_exit([None, Cold, Cold]), [1.0 - COLD, COLD / 2.0, COLD / 2.0]);
        assert_near(&at_the_exit([Weight(1), Weight(2), Weight(1)]), [0.25, 0.5, 0.25]);
        assert_near(&at_the_exit([Cold, Cold, Cold]), [1.0 / 3.0; 3]);
        assert_near(
            &at_the_exit([Weight(0), Weight(0), Cold]),
            [0.88 * (1.0 - COLD), 0.12 * (1.0 - COLD), COLD],
        );
    }
}
