//! Can an order be made better by moving a piece of it?
//!
//! Greedy merging does not look back. Here each piece of up to [`LONGEST_PIECE`] blocks is tried at every other
//! position, and the best move of each round is made, until none raises the score.
//!
//! Input: a graph and an order with the entry first. Output: the order, never worse. Cost: a round is cubic in the
//! number of blocks that ran, so functions with more than [`MOST_BLOCKS`] of them stay as they are.

use crate::layout::graph::{CodeBlockId, CodeGraph};
use crate::layout::score::Score;

/// The longest piece that is moved, in blocks.
const LONGEST_PIECE: usize = 4;
/// The most blocks with executions that an order is improved for.
const MOST_BLOCKS: usize = 40;
/// The most moves of one order.
const MOST_MOVES: usize = 40;

/// Moves pieces as long as that raises the score.
pub(crate) fn polish(graph: &CodeGraph, order: &mut [CodeBlockId]) {
    let hot = order.iter().take_while(|&&block| graph.blocks[block].executions > 0).count();
    if hot > MOST_BLOCKS {
        return;
    }
    let mut score = Score::of(graph, order);
    for _ in 0..MOST_MOVES {
        let Some((best, better)) = best_move(graph, order, hot) else { return };
        if better <= score {
            return;
        }
        order.copy_from_slice(&best);
        score = better;
    }
}

/// The best order that one move makes.
fn best_move(graph: &CodeGraph, order: &[CodeBlockId], hot: usize) -> Option<(Vec<CodeBlockId>, Score)> {
    let mut best: Option<(Vec<CodeBlockId>, Score)> = None;
    // The entry stays where it is. To move a piece is to turn the blocks between two positions.
    for begin in 1..hot {
        for middle in begin + 1..hot {
            for end in middle + 1..=hot {
                if (middle - begin).min(end - middle) > LONGEST_PIECE {
                    continue;
                }
                let mut moved = order.to_vec();
                moved[begin..end].rotate_left(middle - begin);
                let score = Score::of(graph, &moved);
                if best.as_ref().is_none_or(|(_, best)| score > *best) {
                    best = Some((moved, score));
                }
            }
        }
    }
    best
}
