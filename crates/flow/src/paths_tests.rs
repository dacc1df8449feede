//! The paper's example, then every path of random graphs against enumeration.

use std::collections::BTreeSet;

use opcost_index::{Id, IdMap, IdSet, define_id};
use proptest::prelude::*;

use super::{PathError, PathGraph, PathNumbering, cut_to_fit};
use crate::FlowEdge;

define_id!(
    struct Node, "node"
);
define_id!(
    struct Way, "way"
);

/// Edges between nodes by number; the outside is -1. The first is the entry.
fn edges(list: &[(i32, i32)]) -> IdMap<Way, FlowEdge<Node>> {
    let place = |at: i32| usize::try_from(at).ok().map(Node::new);
    list.iter().map(|&(from, to)| FlowEdge { from: place(from), to: place(to) }).collect()
}

fn graph<'a>(
    nodes: usize,
    edges: &'a IdMap<Way, FlowEdge<Node>>,
    without: &'a IdSet<Way>,
) -> PathGraph<'a, Node, Way> {
    PathGraph { nodes, edges, entry: Way::new(0), without }
}

/// All paths, by trying every way: from the entry, and from behind each cut edge.
fn enumerate(graph: &PathGraph<'_, Node, Way>, cut: &IdSet<Way>) -> BTreeSet<Vec<Way>> {
    let mut found = BTreeSet::new();
    let starts: BTreeSet<Node> = cut.iter().filter_map(|edge| graph.edges[edge].to).collect();
    let mut reached = vec![graph.edges[graph.entry].to.unwrap()];
    let mut at = 0;
    while at < reached.len() {
        let here = reached[at];
        let followed =
            |(edge, ends): &(Way, &FlowEdge<Node>)| ends.from == Some(here) && !graph.without.contains(*edge);
        for to in graph.edges.iter().filter(followed).filter_map(|(_, ends)| ends.to) {
            if !reached.contains(&to) {
                reached.push(to);
            }
        }
        at += 1;
    }
    let mut open: Vec<(Node, Vec<Way>)> = vec![(reached[0], vec![graph.entry])];
    open.extend(starts.into_iter().filter(|start| reached.contains(start)).map(|start| (start, Vec::new())));
    while let Some((node, path)) = open.pop() {
        for (edge, ends) in graph.edges.iter() {
            if ends.from != Some(node) || graph.without.contains(edge) {
                continue;
            }
            let longer = [path.as_slice(), &[edge]].concat();
            match ends.to {
                Some(to) if !cut.contains(edge) => open.push((to, longer)),
                _ => assert!(found.insert(longer), "a path is found once"),
            }
        }
    }
    found
}

/// Numbers are a bijection, and both values and increments add up to them.
fn check(
    graph: &PathGraph<'_, Node, Way>,
    cut: &IdSet<Way>,
    weights: &IdMap<Way, u64>,
    fixed: &IdSet<Way>,
) -> u64 {
    // A cut edge that cannot be reached begins nothing that is ever counted.
    let numbering = PathNumbering::compute(graph, cut).unwrap();
    let paths: Vec<Vec<Way>> = (0..numbering.count()).map(|number| numbering.edges_of(number)).collect();
    let distinct: BTreeSet<Vec<Way>> = paths.iter().cloned().collect();
    assert_eq!(distinct.len(), paths.len(), "two numbers are one path");
    assert_eq!(distinct, enumerate(graph, cut));
    let increments = numbering.increments(weights, fixed).unwrap();
    for (number, path) in paths.iter().enumerate() {
        let begins = graph.edges[path[0]].from;
        let start = begins.map_or(0, |node| increments.starts[&node]);
        let sum = path.iter().fold(start, |sum, edge| sum.wrapping_add(increments.on[edge]));
        assert_eq!(sum, number as i64, "{path:?}");
    }
    for edge in fixed.iter() {
        let ends = graph.edges[edge];
        if ends.from.is_some() && ends.to.is_some() && !cut.contains(edge) {
            assert_eq!(increments.on.get(&edge).copied().unwrap_or(0), 0, "nothing is added on {edge}");
        }
    }
    numbering.count()
}

/// Figure 2 of the paper: A to F are 0 to 5, and the table of its six paths.
#[test]
fn the_papers_example() {
    let (a, b, c, d, e, f) = (0, 1, 2, 3, 4, 5);
    let edges = edges(&[(-1, a), (a, c), (a, b), (b, c), (b, d), (c, d), (d, f), (d, e), (e, f), (f, -1)]);
    let without = IdSet::new();
    let graph = graph(6, &edges, &without);
    let numbering = PathNumbering::compute(&graph, &IdSet::new()).unwrap();
    assert_eq!(numbering.count(), 6);
    let table = ["ACDF", "ACDEF", "ABCDF", "ABCDEF", "ABDF", "ABDEF"];
    for (number, names) in table.iter().enumerate() {
        let path = numbering.edges_of(number as u64);
        let visited: String = path
            .iter()
            .filter_map(|&way| edges[way].to)
            .map(|node| (b'A' + node.index() as u8) as char)
            .collect();
        assert_eq!(visited, *names);
    }
    // Section 3.3: one increment less than values that are not zero.
    let weights = IdMap::filled(edges.len(), 1);
    check(&graph, &IdSet::new(), &weights, &IdSet::new());
    let increments = numbering.increments(&weights, &IdSet::new()).unwrap();
    let inner = |way: &Way| edges[*way].from.is_some() && edges[*way].to.is_some();
    let adding = increments.on.iter().filter(|(way, amount)| inner(way) && **amount != 0).count();
    assert!(adding <= 3, "{increments:?}");
}

#[test]
fn a_loop_ends_and_begins_paths() {
    let edges = edges(&[(-1, 0), (0, 1), (1, 2), (1, 2), (2, 1), (2, -1)]);
    let without = IdSet::new();
    let graph = graph(3, &edges, &without);
    let back = graph.back_edges();
    assert_eq!(back.iter().collect::<Vec<_>>(), [Way::new(4)]);
    // From the entry or the head of the loop, by one of two ways, round or out.
    assert_eq!(check(&graph, &back, &IdMap::filled(6, 1), &IdSet::new()), 8);
    assert_eq!(PathNumbering::compute(&graph, &IdSet::new()).unwrap_err(), PathError::Cycle);
}

/// A row of diamonds doubles the paths each time.
fn diamonds(number: i32) -> (usize, IdMap<Way, FlowEdge<Node>>) {
    let mut list = vec![(-1, 0)];
    for at in 0..number {
        list.extend([
            (3 * at, 3 * at + 1),
            (3 * at, 3 * at + 2),
            (3 * at + 1, 3 * at + 3),
            (3 * at + 2, 3 * at + 3),
        ]);
    }
    list.push((3 * number, -1));
    (3 * number as usize + 1, edges(&list))
}

#[test]
fn too_many_paths_are_cut_until_they_fit() {
    let (nodes, edges) = diamonds(100);
    let without = IdSet::new();
    let graph = graph(nodes, &edges, &without);
    assert_eq!(PathNumbering::compute(&graph, &IdSet::new()).unwrap_err(), PathError::TooMany);
    let cut = cut_to_fit(&graph, 1000, |_| true).unwrap();
    let count = check(&graph, &cut, &IdMap::filled(edges.len(), 1), &IdSet::new());
    assert!(count <= 1000 && !cut.is_empty(), "{count}");
    assert_eq!(cut_to_fit(&graph, 100, |_| true), None, "no cut leaves fewer paths than edges");
    assert_eq!(cut_to_fit(&graph, 1000, |_| false), None);
    let (nodes, edges) = diamonds(9);
    let graph = self::graph(nodes, &edges, &without);
    assert!(cut_to_fit(&graph, 512, |_| true).unwrap().is_empty(), "what fits is left alone");
}

#[test]
fn a_hundred_thousand_blocks_need_no_stack() {
    let (nodes, edges) = diamonds(33_000);
    let without = IdSet::new();
    let graph = graph(nodes, &edges, &without);
    let cut = cut_to_fit(&graph, 1 << 20, |_| true).unwrap();
    assert!(PathNumbering::compute(&graph, &cut).unwrap().count() <= 1 << 20);
}

prop_compose! {
    /// A graph entered at node 0, in which every node has a way out or on.
    fn graphs()(nodes in 1usize..7)(
        nodes in Just(nodes),
        ways in prop::collection::vec((0..nodes as i32, -1..nodes as i32), 1..12),
        last in prop::collection::vec(-1..nodes as i32, nodes),
        weights in prop::collection::vec(0u64..50, 40),
        picks in prop::collection::vec(any::<bool>(), 40),
    ) -> (usize, Vec<(i32, i32)>, Vec<u64>, Vec<bool>) {
        let mut list = vec![(-1, 0)];
        list.extend(ways);
        list.extend(last.iter().enumerate().map(|(node, &to)| (node as i32, to)));
        (nodes, list, weights, picks)
    }
}

proptest! {
    #[test]
    fn numbers_are_a_bijection_and_increments_add_up((nodes, list, weights, picks) in graphs()) {
        let edges = edges(&list);
        let without: IdSet<Way> =
            edges.ids().filter(|way| way.index() > 0 && picks[way.index()] && weights[way.index()] < 5).collect();
        let graph = graph(nodes, &edges, &without);
        let weights: IdMap<Way, u64> = weights[..edges.len()].iter().copied().collect();
        let back = graph.back_edges();
        let all = check(&graph, &back, &weights, &IdSet::new());
        // At most one fixed edge out of each node is a forest, as in a program.
        let mut fixed: IdSet<Way> = IdSet::new();
        for node in 0..nodes {
            let mut out = edges.iter().filter(|(way, ends)| {
                ends.from == Some(Node::new(node)) && ends.to.is_some() && !back.contains(*way) && picks[way.index()]
            });
            if let Some((way, _)) = out.next() {
                fixed.insert(way);
            }
        }
        check(&graph, &back, &weights, &fixed);
        for most in [all / 2, all / 4 + 1] {
            if let Some(cut) = cut_to_fit(&graph, most, |way| !fixed.contains(way)) {
                prop_assert!(check(&graph, &cut, &weights, &IdSet::new()) <= most);
            }
        }
    }
}
