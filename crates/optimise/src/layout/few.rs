//! Which order of a few blocks is the best? All are tried.
//!
//! Most functions have few blocks that ran, and a greedy order of them can miss a sixth of the best score. With up to
//! [`MOST_FEW`] blocks after the entry there are at most 720 orders, so none has to be guessed.
//!
//! Input: a graph, the order that is there, and what an order may not exceed. Output: of the orders with the entry
//! first and the blocks that never ran last, the best by score. Cost: up to 720 scores, about 0.1 ms.

use crate::layout::graph::{CodeBlockId, CodeGraph};
use crate::layout::score::Score;

/// The most blocks that ran, without the entry, whose orders are all tried.
const MOST_FEW: usize = 6;

/// The best order that is allowed, if the blocks are few; none if no allowed order beats the one that is there.
pub(crate) fn best_of_few(
    graph: &CodeGraph,
    before: &[CodeBlockId],
    allowed: impl Fn(&[CodeBlockId]) -> bool,
) -> Option<Vec<CodeBlockId>> {
    let (entry, others) = before.split_first()?;
    let (hot, cold): (Vec<_>, Vec<_>) = others.iter().partition(|&&block| graph.blocks[block].executions > 0);
    if hot.len() > MOST_FEW {
        return None;
    }
    let mut order = [&[*entry], &hot[..], &cold[..]].concat();
    let mut search =
        Search { graph, end: 1 + hot.len(), allowed, best: None, score: Score::of(graph, before) };
    search.from(&mut order, 1);
    search.best
}

/// What has been tried.
struct Search<'a, Allowed> {
    graph: &'a CodeGraph,
    /// Where the blocks that never ran begin.
    end: usize,
    allowed: Allowed,
    best: Option<Vec<CodeBlockId>>,
    /// Of the best order, or of the one that was there.
    score: Score,
}

impl<Allowed: Fn(&[CodeBlockId]) -> bool> Search<'_, Allowed> {
    /// Tries all orders of the blocks from a position.
    fn from(&mut self, order: &mut [CodeBlockId], position: usize) {
        if position >= self.end {
            let score = Score::of(self.graph, order);
            if score > self.score && (self.allowed)(order) {
                self.score = score;
                self.best = Some(order.to_vec());
            }
            return;
        }
        for chosen in position..self.end {
            order[position..=chosen].rotate_right(1);
            self.from(order, position + 1);
            order[position..=chosen].rotate_left(1);
        }
    }
}
