//! Which order of a function's blocks is good?
//!
//! If few blocks ran, all orders are tried ([`crate::layout::few`]). Else chains of blocks are merged greedily
//! ([`crate::layout::chains`]), and pieces of the order are moved while that helps ([`crate::layout::polish`]).
//! An order is taken only if it scores better than the one that is there, and if its jumps do not cost more:
//! those that are taken, and unconditional ones. Of few blocks it is the best such order; of many it may not be.
//!
//! Input: a graph. Output: an [`Order`]: every block once, the entry first, which [`Order::new`] checks by itself.
//! Cost: near to quadratic in the number of blocks that ran. Limits: the counts are those of one run.

use opcost_index::{Id as _, IdMap};

use crate::layout::chains::merge_chains;
use crate::layout::few::best_of_few;
use crate::layout::graph::{CodeBlockId, CodeGraph};
use crate::layout::polish::polish;
use crate::layout::score::{Score, spare_jumps, taken_jumps};

/// An order of all blocks of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order(Vec<CodeBlockId>);

/// What is wrong with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongOrder {
    /// The entry is not the first block.
    EntryNotFirst,
    /// A block is not there, or twice.
    NotOnce(CodeBlockId),
    /// A block is named that the graph does not have.
    Unknown(CodeBlockId),
}

impl Order {
    /// Takes an order if it has every block of the graph once and the entry first.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(graph: &CodeGraph, order: Vec<CodeBlockId>) -> Result<Order, WrongOrder> {
        let mut seen = IdMap::filled(graph.blocks.len(), 0u32);
        for &block in &order {
            if block.index() >= seen.len() {
                return Err(WrongOrder::Unknown(block));
            }
            seen[block] += 1;
        }
        if let Some(block) = seen.ids().find(|&block| seen[block] != 1) {
            return Err(WrongOrder::NotOnce(block));
        }
        if order.first().is_some_and(|&first| first.index() != 0) {
            return Err(WrongOrder::EntryNotFirst);
        }
        Ok(Order(order))
    }

    /// The blocks in the order of their addresses.
    pub fn blocks(&self) -> &[CodeBlockId] {
        &self.0
    }
}

/// An order that scores at least as well as that of the graph, and whose jumps do not cost more.
pub fn order_blocks(graph: &CodeGraph) -> Order {
    let before: Vec<CodeBlockId> = graph.blocks.ids().collect();
    let most = jumps(graph, &before);
    let allowed = |order: &[CodeBlockId]| jumps(graph, order) <= most;
    let mut order = merged(graph);
    if Score::of(graph, &order) <= Score::of(graph, &before) || !allowed(&order) {
        order = before;
    }
    let order = best_of_few(graph, &order, allowed).unwrap_or(order);
    match Order::new(graph, order) {
        Ok(order) => order,
        Err(wrong) => unreachable!("merging and moving keep every block: {wrong:?}"),
    }
}

/// By merging and moving.
fn merged(graph: &CodeGraph) -> Vec<CodeBlockId> {
    let mut order = merge_chains(graph);
    polish(graph, &mut order);
    order
}

/// How many jumps an order costs: those that are taken, and those that a better order would spare.
fn jumps(graph: &CodeGraph, order: &[CodeBlockId]) -> u128 {
    u128::from(taken_jumps(graph, order)) + u128::from(spare_jumps(graph, order))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::graph::{CodeBlock, Jump};
    use proptest::prelude::*;
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    fn id(number: usize) -> CodeBlockId {
        CodeBlockId::new(number)
    }

    fn graph(blocks: &[(u64, u64)], jumps: &[(usize, usize, u64)]) -> CodeGraph {
        CodeGraph {
            blocks: blocks.iter().map(|&(bytes, executions)| CodeBlock { bytes, executions }).collect(),
            jumps: jumps
                .iter()
                .map(|&(from, to, taken)| Jump { from: id(from), to: id(to), taken })
                .collect(),
        }
    }

    /// The best score of all orders that cost at most so many jumps.
    fn best(graph: &CodeGraph, most: u128) -> Score {
        fn go(graph: &CodeGraph, order: &mut Vec<CodeBlockId>, most: u128, best: &mut Score) {
            if order.len() == graph.blocks.len() {
                if jumps(graph, order) <= most {
                    *best = (*best).max(Score::of(graph, order));
                }
                return;
            }
            for block in graph.blocks.ids() {
                if !order.contains(&block) {
                    order.push(block);
                    go(graph, order, most, best);
                    order.pop();
                }
            }
        }
        let mut best = Score::default();
        go(graph, &mut vec![id(0)], most, &mut best);
        best
    }

    #[test]
    fn the_hot_way_falls_through_and_cold_blocks_are_last() {
        // An error that never happens lies in the middle of a loop.
        let loop_with_error = graph(
            &[(8, 1), (12, 1000), (40, 0), (20, 1000), (6, 1)],
            &[(0, 1, 1), (1, 2, 0), (1, 3, 1000), (2, 3, 0), (3, 1, 999), (3, 4, 1)],
        );
        let order = order_blocks(&loop_with_error);
        assert_eq!(order.blocks(), [0, 1, 3, 4, 2].map(id));
        assert_eq!(taken_jumps(&loop_with_error, order.blocks()), 999);
    }

    #[test]
    fn a_loop_is_turned_so_that_its_hot_jump_falls_through() {
        // 0 jumps into the middle of the loop 1 → 2 → 1, whose exit is in 2.
        let rotated =
            graph(&[(4, 1), (10, 99), (10, 100), (4, 1)], &[(0, 2, 1), (1, 2, 99), (2, 1, 99), (2, 3, 1)]);
        let order = order_blocks(&rotated);
        assert_eq!(Score::of(&rotated, order.blocks()), best(&rotated, u128::MAX));
    }

    #[test]
    fn nothing_that_ran_leaves_the_order_as_it_is() {
        let never = graph(&[(4, 0), (4, 0), (4, 0)], &[(0, 1, 0), (0, 2, 0)]);
        assert_eq!(order_blocks(&never).blocks(), [0, 1, 2].map(id));
        assert_eq!(order_blocks(&CodeGraph::default()).blocks(), []);
    }

    #[test]
    fn wrong_orders_are_named() {
        let two = graph(&[(4, 1), (4, 1)], &[(0, 1, 1)]);
        let new = |order: &[usize]| Order::new(&two, order.iter().map(|&number| id(number)).collect());
        assert_eq!(new(&[1, 0]), Err(WrongOrder::EntryNotFirst));
        assert_eq!(new(&[0]), Err(WrongOrder::NotOnce(id(1))));
        assert_eq!(new(&[0, 1, 1]), Err(WrongOrder::NotOnce(id(1))));
        assert_eq!(new(&[0, 2]), Err(WrongOrder::Unknown(id(2))));
        assert!(new(&[0, 1]).is_ok());
    }

    /// Graphs with the counts of walks from the entry, so that flow is conserved.
    fn walked(most: usize) -> impl Strategy<Value = CodeGraph> {
        let blocks = prop::collection::vec(1u64..200, 2..=most);
        let ways = prop::collection::vec((any::<u16>(), any::<u16>()), most);
        let steps = prop::collection::vec(any::<bool>(), 1..60);
        (blocks, ways, steps).prop_map(|(bytes, ways, steps)| {
            let count = bytes.len();
            let to = |block: usize, second: bool| {
                let (first, other) = ways[block];
                usize::from(if second { other } else { first }) % count
            };
            let mut executions = vec![0; count];
            let mut taken = std::collections::BTreeMap::new();
            let mut at = 0;
            executions[0] = 1;
            for second in steps {
                let next = to(at, second);
                if next == 0 {
                    break;
                }
                *taken.entry((at, next)).or_insert(0) += 1;
                executions[next] += 1;
                at = next;
            }
            CodeGraph {
                blocks: bytes
                    .iter()
                    .zip(executions)
                    .map(|(&bytes, executions)| CodeBlock { bytes, executions })
                    .collect(),
                jumps: taken
                    .into_iter()
                    .map(|((from, to), taken)| Jump { from: id(from), to: id(to), taken })
                    .collect(),
            }
        })
    }

    proptest! {
        #[test]
        fn an_order_is_never_worse_than_the_one_that_is_there(graph in walked(40)) {
            let before: Vec<_> = graph.blocks.ids().collect();
            let order = order_blocks(&graph);
            prop_assert!(Score::of(&graph, order.blocks()) >= Score::of(&graph, &before));
            prop_assert_eq!(order_blocks(&graph), order);
        }

        #[test]
        fn of_few_blocks_the_order_is_the_best(graph in walked(7)) {
            let before: Vec<_> = graph.blocks.ids().collect();
            let most = jumps(&graph, &before);
            let order = order_blocks(&graph);
            prop_assert!(jumps(&graph, order.blocks()) <= most);
            prop_assert_eq!(Score::of(&graph, order.blocks()), best(&graph, most));
        }
    }

    #[test]
    fn merging_and_moving_come_near_to_the_best_order() {
        // The same graphs each time: of one graph nothing is promised.
        let mut runner = TestRunner::deterministic();
        let (mut ours, mut all) = (0.0, 0.0);
        for _ in 0..300 {
            let graph = walked(7).new_tree(&mut runner).expect("nothing is rejected").current();
            ours += Score::of(&graph, &merged(&graph)).fall_throughs();
            all += best(&graph, u128::MAX).fall_throughs();
        }
        assert!(ours >= 0.98 * all, "{ours} of {all}");
    }
}
