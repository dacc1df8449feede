//! Which branches decide whether a block runs?
//!
//! Ferrante, Ottenstein and Warren, "The Program Dependence Graph and Its Use in
//! Optimization" (1987): a block depends on a branch if one way of the branch
//! always leads to the block, and another way may pass it by. That is read off
//! the tree of postdominators: the blocks on the chain from a successor up to,
//! but not including, the immediate postdominator of the branch.
//!
//! One exit is needed for that. Blocks that return or stop lead to it. A part of
//! the graph that never ends has none, so each of its blocks is taken to lead
//! to the exit, too. That only makes more branches decide. Nothing is assumed of the
//! shape of the graph: cycles with several entries are as good as others.
//!
//! Input: a function. Output: [`Control`]. Cost: dominators, and the length of
//! the chains, quadratic at worst.

use opcost_graph::dominators::Dominators;
use opcost_index::{AdjacencyGraph, Graph, Id, IdMap, IdSet, reachable_from, strongly_connected_components};
use opcost_ir::Function;
use opcost_key::BlockId;

/// Control dependence of one function.
#[derive(Clone, Debug)]
pub(crate) struct Control {
    /// The blocks whose branches decide whether a block runs.
    deciders: IdMap<BlockId, Vec<BlockId>>,
    /// The next block that every way passes; none where a way ends before.
    postdominator: IdMap<BlockId, Option<BlockId>>,
}

impl Control {
    /// Control dependence of a function.
    pub(crate) fn of(function: &Function) -> Control {
        let blocks = function.blocks.len();
        let exit = BlockId::new(blocks);
        let whole = with_exit(function, exit);
        let backwards = opcost_index::reverse(&whole);
        let tree = Dominators::compute(&backwards, exit);
        let next = |block: BlockId| tree.immediate(block).filter(|&after| after != exit);
        let mut deciders = IdMap::filled(blocks, Vec::new());
        let reached = reachable_from(function, BlockId::new(0));
        for branch in function.blocks.ids().filter(|&block| reached.contains(block)) {
            let mut ways: Vec<BlockId> = whole.successors(branch).collect();
            ways.sort_unstable();
            ways.dedup();
            if ways.len() < 2 {
                continue;
            }
            let stop = next(branch);
            for way in ways.into_iter().filter(|&way| way != exit) {
                let mut at = Some(way);
                while let Some(block) = at.filter(|_| at != stop) {
                    if deciders[block].last() != Some(&branch) {
                        deciders[block].push(branch);
                    }
                    at = next(block);
                }
            }
        }
        let postdominator = function.blocks.ids().map(next).collect();
        Control { deciders, postdominator }
    }

    /// The blocks whose branches decide whether this one runs.
    pub(crate) fn deciders(&self, block: BlockId) -> &[BlockId] {
        &self.deciders[block]
    }

    /// The next block that every way from this one passes.
    pub(crate) fn postdominator(&self, block: BlockId) -> Option<BlockId> {
        self.postdominator[block]
    }
}

/// The graph with one exit that every block reaches.
fn with_exit(function: &Function, exit: BlockId) -> AdjacencyGraph<BlockId> {
    let mut whole = AdjacencyGraph::new(exit.index() + 1);
    for (block, body) in function.blocks.iter() {
        body.successors.iter().for_each(|&next| whole.add_edge(block, next));
        if body.successors.is_empty() {
            whole.add_edge(block, exit);
        }
    }
    let mut ends: IdSet<BlockId> = reachable_from(&opcost_index::reverse(&whole), exit);
    if function.blocks.ids().all(|block| ends.contains(block)) {
        return whole;
    }
    // Components come before those that lead to them: the first of an endless part is its end.
    for members in strongly_connected_components(function).members {
        let leads_on =
            |block: &BlockId| function.blocks[*block].successors.iter().any(|&next| ends.contains(next));
        if !members.iter().any(|&block| ends.contains(block) || leads_on(&block)) {
            members.iter().for_each(|&block| whole.add_edge(block, exit));
        }
        members.iter().for_each(|&block| _ = ends.insert(block));
    }
    whole
}

#[cfg(test)]
mod tests {
    use opcost_ir::parse_module;
    use opcost_key::FunctionId;

    use super::*;

    fn deciders(text: &str) -> Vec<Vec<usize>> {
        let module = parse_module(text).expect("a module");
        let control = Control::of(&module.functions[FunctionId::new(0)]);
        let numbers = |blocks: &[BlockId]| blocks.iter().map(|block| block.index()).collect();
        control.deciders.ids().map(|block| numbers(control.deciders(block))).collect()
    }

    /// Figure 1 of the paper's kind: what is behind both ways depends on nothing.
    #[test]
    fn ways_depend_on_their_branch_and_the_join_does_not() {
        let text = "define void @f(i1 %c) {
a:
  br i1 %c, label %b, label %d
b:
  br label %e
d:
  br label %e
e:
  ret void
}
";
        assert_eq!(deciders(text), [vec![], vec![0], vec![0], vec![]]);
    }

    #[test]
    fn a_loop_depends_on_its_own_exit() {
        let text = "define void @f(i1 %c) {
a:
  br label %h
h:
  br i1 %c, label %body, label %out
body:
  br label %h
out:
  ret void
}
";
        assert_eq!(deciders(text), [vec![], vec![1], vec![1], vec![]]);
    }

    /// One way never ends: the block behind depends on the branch, and so does what never ends.
    #[test]
    fn an_endless_loop_is_decided_by_who_enters_it() {
        let text = "define void @f(i1 %c) {
a:
  br i1 %c, label %spin, label %out
spin:
  br label %spin
out:
  ret void
}
";
        assert_eq!(deciders(text), [vec![], vec![0, 1], vec![0]]);
    }

    /// A cycle with two entries: both of its blocks depend on all branches.
    #[test]
    fn a_cycle_with_two_entries_has_its_deciders() {
        let text = "define void @f(i1 %c) {
a:
  br i1 %c, label %l, label %r
l:
  br i1 %c, label %r, label %out
r:
  br label %l
out:
  ret void
}
";
        assert_eq!(deciders(text), [vec![], vec![1], vec![0, 1], vec![]]);
    }
}
