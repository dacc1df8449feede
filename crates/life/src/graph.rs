//! What does the graph of a block look like behind each phase of selection?
//!
//! Nodes are what the recorder tells of a state, edges what they work on: a
//! value, an order (chain) or a bond that nothing may come between (glue), by
//! the type of the result. Registers, constants and other leaves are written
//! into the nodes that use them. A phase that left the graph as it was is named
//! with the one before. A large graph is cut to what stands within some edges of
//! the chosen nodes; order alone reaches everywhere and is followed last.
//!
//! Input: events that were recorded whole. Output: finished graphs, operands
//! before users. Cost: linear in the events; the cut, in nodes and edges.

use std::collections::{HashMap, VecDeque};

use opcost_answer::life::{GraphEdge, GraphEdgeKind, LifeGraph, Node};
use opcost_llvm::{LifeEvent, LifeItem, Stage};

/// Nodes that a graph may have before it is cut.
pub const NODES: usize = 60;

/// The graphs that hold chosen nodes, phase by phase, each cut to `limit` nodes.
pub fn graphs(events: &[LifeEvent], limit: usize) -> Vec<LifeGraph> {
    let mut graphs: Vec<LifeGraph> = Vec::new();
    let mut blocks: HashMap<&str, u32> = HashMap::new();
    for event in events {
        let LifeEvent::State { stage: Stage::Dag, pass, function, items, .. } = event else { continue };
        if !items.iter().any(|item| item.is_chosen) {
            continue;
        }
        let block = blocks.entry(function).or_default();
        // A graph is built for each block anew.
        *block += u32::from(pass == "built" || *block == 0);
        let mut graph = cut(whole(items), limit);
        match graphs.last_mut() {
            Some(last)
                if last.function == *function && last.block == *block && is_equivalent(last, &graph) =>
            {
                last.also.push(pass.clone());
            }
            _ => {
                (graph.pass, graph.function, graph.block) = (pass.clone(), function.clone(), *block);
                graphs.push(graph);
            }
        }
    }
    graphs
}

fn whole(items: &[LifeItem]) -> LifeGraph {
    let by_id: HashMap<u64, &LifeItem> = items.iter().map(|item| (item.node, item)).collect();
    // A leaf is written into its users; one that has none any more is left out.
    let is_leaf =
        |item: &LifeItem| item.inputs.is_empty() && !item.is_chosen && item.operation != "EntryToken";
    let order = sorted(items);
    let kept: Vec<&LifeItem> = order.into_iter().filter(|item| !is_leaf(item)).collect();
    let position: HashMap<u64, usize> = kept.iter().enumerate().map(|(at, item)| (item.node, at)).collect();
    let mut graph = LifeGraph::default();
    for (to, item) in kept.iter().enumerate() {
        let (types, flags) = types_and_flags(&item.text);
        let mut details = vec![flags.to_owned()];
        let mut leaves = Vec::new();
        for input in &item.inputs {
            match (position.get(&input.node), by_id.get(&input.node)) {
                (Some(&from), Some(operand)) => {
                    let kind = kind_of(&types_and_flags(&operand.text).0, input.result);
                    graph.edges.push(GraphEdge { from, result: input.result, to, kind });
                }
                (None, Some(leaf)) => leaves.push(leaf_text(leaf)),
                _ => {}
            }
        }
        details.push(leaves.join(", "));
        details.retain(|part| !part.is_empty());
        graph.nodes.push(Node {
            operation: item.operation.clone(),
            details: details.join(" "),
            types,
            key: item.number,
            is_chosen: item.is_chosen,
        });
    }
    graph
}

/// Each after what it works on, else as they are reported.
fn sorted(items: &[LifeItem]) -> Vec<&LifeItem> {
    let position: HashMap<u64, usize> = items.iter().enumerate().map(|(at, item)| (item.node, at)).collect();
    let mut done = vec![false; items.len()];
    let mut order = Vec::with_capacity(items.len());
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..items.len() {
        stack.push((root, 0));
        while let Some((at, next)) = stack.pop() {
            if done[at] {
                continue;
            }
            match items[at].inputs.get(next) {
                Some(input) => {
                    stack.push((at, next + 1));
                    stack.extend(position.get(&input.node).filter(|&&to| !done[to]).map(|&to| (to, 0)));
                }
                None => {
                    done[at] = true;
                    order.push(&items[at]);
                }
            }
        }
    }
    order
}

/// `add (i32, ch) nsw` → its types, and `nsw`.
fn types_and_flags(text: &str) -> (Vec<String>, &str) {
    let Some((_, rest)) = text.split_once(" (") else { return (Vec::new(), "") };
    let Some((types, flags)) = rest.split_once(')') else { return (Vec::new(), "") };
    (types.split(", ").filter(|one| !one.is_empty()).map(str::to_owned).collect(), flags.trim())
}

fn kind_of(types: &[String], result: u16) -> GraphEdgeKind {
    match types.get(usize::from(result)).map(String::as_str) {
        Some("ch") => GraphEdgeKind::Chain,
        Some("glue") => GraphEdgeKind::Glue,
        _ => GraphEdgeKind::Data,
    }
}

/// `Register (i32) $eax` → `$eax`, `TargetConstant (i32)<0>` → `0`.
fn leaf_text(leaf: &LifeItem) -> String {
    let (_, flags) = types_and_flags(&leaf.text);
    let bare = flags.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).unwrap_or(flags);
    if bare.is_empty() { leaf.operation.clone() } else { bare.to_owned() }
}

/// What is nearest to the chosen nodes, if there are more than `limit`.
fn cut(mut graph: LifeGraph, limit: usize) -> LifeGraph {
    if graph.nodes.len() <= limit {
        return graph;
    }
    let distance = distances(&graph);
    let farthest = distance.iter().copied().filter(|&far| far != usize::MAX).max().unwrap_or(0);
    let within = |reach: usize| distance.iter().filter(|&&far| far <= reach).count();
    let reach = (1..=farthest).rev().find(|&reach| within(reach) <= limit).unwrap_or(1);
    let mut kept: Vec<usize> = (0..graph.nodes.len()).filter(|&at| distance[at] <= reach).collect();
    // Chosen ones alone may be too many.
    kept.sort_by_key(|&at| (distance[at], at));
    kept.truncate(limit);
    kept.sort_unstable();
    let position: HashMap<usize, usize> = kept.iter().enumerate().map(|(now, &was)| (was, now)).collect();
    graph.left_out = graph.nodes.len() - kept.len();
    graph.reach = reach;
    graph.nodes = kept.iter().map(|&at| graph.nodes[at].clone()).collect();
    graph.edges = graph
        .edges
        .iter()
        .filter_map(|edge| {
            Some(GraphEdge { from: *position.get(&edge.from)?, to: *position.get(&edge.to)?, ..*edge })
        })
        .collect();
    graph
}

/// Edges from the nearest chosen node; order counts four times.
fn distances(graph: &LifeGraph) -> Vec<usize> {
    let mut beside: Vec<Vec<(usize, usize)>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        let far = if edge.kind == GraphEdgeKind::Chain { 4 } else { 1 };
        beside[edge.from].push((edge.to, far));
        beside[edge.to].push((edge.from, far));
    }
    let mut distance = vec![usize::MAX; graph.nodes.len()];
    let chosen = (0..graph.nodes.len()).filter(|&at| graph.nodes[at].is_chosen);
    let mut queue: VecDeque<usize> = chosen.inspect(|&at| distance[at] = 0).collect();
    // Steps are few, so a queue that comes back to a node is cheap enough.
    while let Some(at) = queue.pop_front() {
        for &(next, far) in &beside[at] {
            if distance[at] + far < distance[next] {
                distance[next] = distance[at] + far;
                queue.push_back(next);
            }
        }
    }
    distance
}

/// The same nodes at work on the same, in whatever order they are reported.
fn is_equivalent(graph: &LifeGraph, other: &LifeGraph) -> bool {
    graph.nodes.len() == other.nodes.len() && graph.left_out == other.left_out && words(graph) == words(other)
}

fn words(graph: &LifeGraph) -> Vec<String> {
    let of = |at: usize| {
        let node = &graph.nodes[at];
        format!("{} {} {:?} {}", node.operation, node.details, node.types, node.key)
    };
    let mut words: Vec<String> = (0..graph.nodes.len()).map(of).collect();
    words
        .extend(graph.edges.iter().map(|edge| format!("{} ▸{} {}", of(edge.from), edge.result, of(edge.to))));
    words.sort_unstable();
    words
}

#[cfg(test)]
mod tests {
    use opcost_llvm::LifeInput;

    use super::*;

    fn item(node: u64, text: &str, inputs: &[(u64, u16)]) -> LifeItem {
        LifeItem {
            certainty: opcost_llvm::RecordedCertainty::Exact,
            node,
            number: node as u32,
            is_chosen: text.starts_with("sdiv"),
            operation: text.split(' ').next().unwrap_or("").to_owned(),
            text: text.to_owned(),
            block: String::new(),
            inputs: inputs.iter().map(|&(node, result)| LifeInput { node, result }).collect(),
        }
    }

    fn state(pass: &str, items: Vec<LifeItem>) -> LifeEvent {
        LifeEvent::State {
            stage: Stage::Dag,
            pass: pass.into(),
            function: "f".into(),
            items,
            gone: Vec::new(),
        }
    }

    fn division() -> Vec<LifeItem> {
        vec![
            item(9, "RET (ch)", &[(5, 0), (8, 0), (5, 1)]),
            item(1, "EntryToken (ch, glue)", &[]),
            item(2, "Register (i32) %0", &[]),
            item(3, "CopyFromReg (i32, ch)", &[(1, 0), (2, 0)]),
            item(4, "sdiv (i32) exact", &[(3, 0), (3, 0)]),
            item(5, "CopyToReg (ch, glue)", &[(3, 1), (7, 0), (4, 0)]),
            item(7, "Register (i32) $eax", &[]),
            item(8, "TargetConstant (i32)<0>", &[]),
        ]
    }

    #[test]
    fn leaves_are_written_into_their_users_and_edges_have_kinds() {
        let mut other = division();
        other.reverse();
        let found = graphs(&[state("built", division()), state("combine 1", other)], NODES);
        assert_eq!(found.len(), 1, "a phase that changed nothing is named with the one before");
        let graph = &found[0];
        assert_eq!((&*graph.pass, &graph.also[..], graph.block), ("built", &["combine 1".to_owned()][..], 1));
        let names: Vec<String> =
            graph.nodes.iter().map(|node| format!("{} {}", node.operation, node.details)).collect();
        assert_eq!(names, ["EntryToken ", "CopyFromReg %0", "sdiv exact", "CopyToReg $eax", "RET 0"]);
        let kinds: Vec<(usize, usize, GraphEdgeKind)> =
            graph.edges.iter().map(|edge| (edge.from, edge.to, edge.kind)).collect();
        assert!(
            kinds.contains(&(0, 1, GraphEdgeKind::Chain)) && kinds.contains(&(1, 2, GraphEdgeKind::Data))
        );
        assert!(kinds.contains(&(3, 4, GraphEdgeKind::Glue)), "{kinds:?}");
        assert!(graph.edges.iter().all(|edge| edge.from < edge.to), "operands come first");
    }

    #[test]
    fn a_large_graph_is_cut_around_the_chosen_node() {
        let mut items = vec![item(1, "EntryToken (ch, glue)", &[])];
        items.extend(
            (2..100).map(|at| item(at, if at == 50 { "sdiv (i32)" } else { "add (i32)" }, &[(at - 1, 0)])),
        );
        let graph = &graphs(&[state("built", items)], 11)[0];
        assert_eq!((graph.nodes.len(), graph.reach, graph.left_out), (11, 5, 88));
        assert!(graph.nodes[5].is_chosen, "five before it, five behind");
        assert_eq!(graph.edges.len(), 10);
    }
}
