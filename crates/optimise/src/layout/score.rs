//! How good is an order of blocks? Ext-TSP.
//!
//! Newell and Pupyrev (2020) fit a measure to the speed of programs: a jump to the block that lies next counts in
//! full. A jump forwards over at most 1024 bytes, or backwards over at most 640, counts at most a tenth,
//! and less the longer it is. All other jumps count nothing.
//!
//! Input: a graph and an order. Output: the sum over all jumps, in units of 1/51,200 of a fall-through; in
//! these all terms of the measure are integers. Cost: linear in blocks and jumps.

use opcost_index::IdMap;

use crate::layout::graph::{CodeBlockId, CodeGraph};

/// The score of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u128);

/// What one fall-through is worth.
const FALL_THROUGH: u128 = 51_200;
/// The longest jump forwards that is worth anything, in bytes.
const FORWARD: u64 = 1024;
/// The longest jump backwards that is worth anything, in bytes.
const BACKWARD: u64 = 640;

impl Score {
    /// Of blocks in this order.
    pub fn of(graph: &CodeGraph, order: &[CodeBlockId]) -> Score {
        let mut begin = IdMap::filled(graph.blocks.len(), 0);
        let mut address = 0;
        for &block in order {
            begin[block] = address;
            address += graph.blocks[block].bytes;
        }
        let one = |jump: &crate::layout::Jump| {
            let end = begin[jump.from] + graph.blocks[jump.from].bytes;
            Score::of_jump(jump.taken, end, begin[jump.to])
        };
        graph.jumps.iter().map(one).fold(Score::default(), Score::plus)
    }

    /// Of a jump that was taken so often, from the end of its block to its target.
    pub(crate) fn of_jump(taken: u64, from: u64, to: u64) -> Score {
        let distance = from.abs_diff(to);
        let worth = if distance == 0 {
            FALL_THROUGH
        } else if to > from {
            u128::from(FORWARD.saturating_sub(distance)) * (FALL_THROUGH / 10 / u128::from(FORWARD))
        } else {
            u128::from(BACKWARD.saturating_sub(distance)) * (FALL_THROUGH / 10 / u128::from(BACKWARD))
        };
        Score(u128::from(taken) * worth)
    }

    /// The sum of both.
    pub fn plus(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }

    /// How much more this is than another; none if it is less.
    pub fn more_than(self, other: Score) -> Option<Score> {
        self.0.checked_sub(other.0).map(Score)
    }

    /// In fall-throughs: as if so many jumps led to the next block.
    pub fn fall_throughs(self) -> f64 {
        self.0 as f64 / FALL_THROUGH as f64
    }
}

/// How often control went to a block that is not the next one.
pub fn taken_jumps(graph: &CodeGraph, order: &[CodeBlockId]) -> u64 {
    let mut next = IdMap::filled(graph.blocks.len(), None);
    for pair in order.windows(2) {
        next[pair[0]] = Some(pair[1]);
    }
    let elsewhere = graph.jumps.iter().filter(|jump| next[jump.from] != Some(jump.to));
    elsewhere.map(|jump| jump.taken).sum()
}

/// How many jump instructions are executed that an order could spare: those of control that leaves a block by an
/// unconditional jump. Of several ways out of a block the most frequent one that is not next has the conditional jump.
pub fn spare_jumps(graph: &CodeGraph, order: &[CodeBlockId]) -> u64 {
    let mut next = IdMap::filled(graph.blocks.len(), None);
    for pair in order.windows(2) {
        next[pair[0]] = Some(pair[1]);
    }
    let mut ways = IdMap::filled(graph.blocks.len(), 0u32);
    let mut elsewhere: IdMap<CodeBlockId, Vec<u64>> = IdMap::filled(graph.blocks.len(), Vec::new());
    for jump in &graph.jumps {
        ways[jump.from] += 1;
        if next[jump.from] != Some(jump.to) {
            elsewhere[jump.from].push(jump.taken);
        }
    }
    let of = |block: CodeBlockId| match (ways[block], &elsewhere[block][..]) {
        (1, [taken]) => *taken,
        (2, [first, second]) => *first.min(second),
        // With more ways out it is a table.
        _ => 0,
    };
    graph.blocks.ids().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::graph::{CodeBlock, Jump};
    use opcost_index::Id;

    fn graph(bytes: &[u64], jumps: &[(u32, u32, u64)]) -> CodeGraph {
        CodeGraph {
            blocks: bytes.iter().map(|&bytes| CodeBlock { bytes, executions: 1 }).collect(),
            jumps: jumps
                .iter()
                .map(|&(from, to, taken)| Jump { from: id(from), to: id(to), taken })
                .collect(),
        }
    }

    fn id(number: u32) -> CodeBlockId {
        CodeBlockId::new(number as usize)
    }

    fn all(graph: &CodeGraph) -> Vec<CodeBlockId> {
        graph.blocks.ids().collect()
    }

    #[test]
    fn a_fall_through_counts_in_full_and_a_jump_at_most_a_tenth() {
        let next = graph(&[10, 20], &[(0, 1, 7)]);
        assert!((Score::of(&next, &all(&next)).fall_throughs() - 7.0).abs() < 1e-9);
        // Over 512 bytes forwards: a twentieth.
        let over = graph(&[10, 512, 20], &[(0, 2, 100)]);
        assert!((Score::of(&over, &all(&over)).fall_throughs() - 5.0).abs() < 1e-9);
        // From the end of 320 bytes back to their begin: a twentieth, too.
        let back = graph(&[320], &[(0, 0, 100)]);
        assert!((Score::of(&back, &all(&back)).fall_throughs() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_long_jump_counts_nothing() {
        let forwards = graph(&[10, 1024, 20], &[(0, 2, 100)]);
        assert_eq!(Score::of(&forwards, &all(&forwards)), Score::default());
        let backwards = graph(&[640], &[(0, 0, 100)]);
        assert_eq!(Score::of(&backwards, &all(&backwards)), Score::default());
        assert_eq!(taken_jumps(&forwards, &all(&forwards)), 100);
    }

    #[test]
    fn a_block_without_a_neighbour_among_its_ways_jumps_twice() {
        let apart = graph(&[4, 4, 4, 4], &[(0, 2, 70), (0, 3, 30), (1, 3, 5)]);
        // From 0 by a conditional jump to 2, else by another to 3; from 1 by one to 3.
        assert_eq!(spare_jumps(&apart, &all(&apart)), 30 + 5);
        assert_eq!(spare_jumps(&apart, &[0, 2, 1, 3].map(id)), 0);
    }

    #[test]
    fn no_count_is_too_large() {
        let next = graph(&[10, 20], &[(0, 1, u64::MAX), (1, 0, u64::MAX)]);
        assert!(Score::of(&next, &all(&next)) > Score::default());
    }
}
