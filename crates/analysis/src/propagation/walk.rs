//! In which order is a function traversed? Its dominator tree, depth first.
//!
//! What a branch says holds below the block that it leads to ([`edges`](super::edges)), each result
//! is defined where it is ([`instructions`](super::instructions)), and phis take what is known at
//! the edges to them. Cost: linear in the instructions.

use opcost_index::{Id, IdMap, reverse};
use opcost_key::BlockId;

use super::walker::Walker;

impl Walker<'_, '_> {
    /// Traverses the dominator tree, depth first.
    pub(super) fn walk(&mut self) {
        let entry = BlockId::new(0);
        let mut children: IdMap<BlockId, Vec<BlockId>> =
            IdMap::filled(self.function.blocks.len(), Vec::new());
        for block in self.function.blocks.ids() {
            if let Some(above) = self.dominators.immediate(block).filter(|_| block != entry) {
                children[above].push(block);
            }
        }
        let before = reverse(self.function);
        let mut stack: Vec<(BlockId, Option<usize>)> = vec![(entry, None)];
        while let Some((block, mark)) = stack.pop() {
            if let Some(mark) = mark {
                self.forget(mark);
                continue;
            }
            stack.push((block, Some(self.mark())));
            let predecessors: Vec<BlockId> = opcost_index::Graph::successors(&before, block).collect();
            self.learn_at_entry(block, &predecessors);
            if predecessors.iter().any(|&from| self.dominators.dominates(block, from)) {
                self.enter_loop(block);
            }
            for at in self.function.instructions_of(block) {
                self.here = (block, at);
                self.define(at);
            }
            self.leave(block);
            stack.extend(children[block].iter().rev().map(|&child| (child, None)));
        }
    }

    /// What phis of successors take from the block.
    fn leave(&mut self, block: BlockId) {
        let Some(all) = self.incoming.remove(&block) else { return };
        let mut successors = self.function.blocks[block].successors.clone();
        successors.sort_unstable();
        successors.dedup();
        for to in successors {
            let mark = self.mark();
            self.learn_edge(block, to);
            for &(phi, value) in &all {
                if self.blocks[phi] == to
                    && let Some(source) = self.again(value)
                {
                    self.arms.entry(phi).or_default().push((block, source));
                }
            }
            self.forget(mark);
        }
    }
}
