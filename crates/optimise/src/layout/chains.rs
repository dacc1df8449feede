//! Which blocks should lie in one chain?
//!
//! At first every block is a chain. Then the two chains are merged whose merging raises the score most, until
//! nothing raises it (Newell and Pupyrev 2020, as in LLVM's `CodeLayout`). Two chains `X` and `Y` can be merged as
//! `X Y`, or with `Y` in the middle of `X` = `X1 X2`: as `X1 Y X2`, `Y X2 X1` or `X2 X1 Y`. The chain
//! with the entry keeps it first.
//!
//! At the end chains lie in order of their density: executions for each byte. What never ran lies last, as it was.
//!
//! Input: a graph. Output: all blocks in order. Cost: each merge looks at the neighbours of one chain; chains
//! of more than [`LONGEST_CUT`] blocks are not cut.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use opcost_index::{Id as _, IdMap, define_id};

use crate::layout::graph::{CodeBlockId, CodeGraph, Jump};
use crate::layout::score::Score;

/// The longest chain that is cut in two to take another in its middle, in blocks.
const LONGEST_CUT: usize = 128;

define_id!(
    /// A chain, by the block that began it.
    struct ChainId, "chain"
);

/// Blocks in a row.
#[derive(Clone, Debug, Default)]
struct Chain {
    blocks: Vec<CodeBlockId>,
    /// Of jumps within.
    score: Score,
    executions: u128,
    bytes: u64,
}

/// A merge of two chains that would raise the score.
#[derive(Clone, Debug)]
struct Merge {
    gain: Score,
    blocks: Vec<CodeBlockId>,
}

struct Chains<'a> {
    graph: &'a CodeGraph,
    chains: IdMap<ChainId, Chain>,
    chain_of: IdMap<CodeBlockId, ChainId>,
    /// By block, its jumps that were taken, as positions in the graph.
    jumps_of: IdMap<CodeBlockId, Vec<usize>>,
    /// By pair of chains with jumps between them, the smaller id first: the best merge, if there is one.
    merges: BTreeMap<(ChainId, ChainId), Option<Merge>>,
    /// The address of the block in the order that is looked at.
    begin: IdMap<CodeBlockId, Option<u64>>,
}

/// All blocks in the order of merged chains.
pub(crate) fn merge_chains(graph: &CodeGraph) -> Vec<CodeBlockId> {
    if graph.blocks.is_empty() {
        return Vec::new();
    }
    let mut chains = Chains::new(graph);
    while chains.merge_best() {}
    chains.in_order()
}

impl<'a> Chains<'a> {
    fn new(graph: &'a CodeGraph) -> Chains<'a> {
        let mut jumps_of = IdMap::filled(graph.blocks.len(), Vec::new());
        for (position, jump) in graph.jumps.iter().enumerate().filter(|(_, jump)| jump.taken > 0) {
            jumps_of[jump.from].push(position);
            if jump.to != jump.from {
                jumps_of[jump.to].push(position);
            }
        }
        let alone = |id: CodeBlockId| {
            let block = graph.blocks[id];
            Chain {
                blocks: vec![id],
                score: Score::default(),
                executions: u128::from(block.executions),
                bytes: block.bytes,
            }
        };
        let mut chains = Chains {
            graph,
            chains: graph.blocks.ids().map(alone).collect(),
            chain_of: graph.blocks.ids().map(|id| ChainId::new(id.index())).collect(),
            jumps_of,
            merges: BTreeMap::new(),
            begin: IdMap::filled(graph.blocks.len(), None),
        };
        for id in graph.blocks.ids() {
            chains.chains[ChainId::new(id.index())].score = chains.score(&[id]);
        }
        let pairs: BTreeSet<_> = graph.jumps.iter().filter(|jump| jump.taken > 0).collect_pairs(&chains);
        for pair in pairs {
            let merge = chains.best_merge(pair.0, pair.1);
            chains.merges.insert(pair, merge);
        }
        chains
    }

    /// Merges the two chains that gain most; false if none gains.
    fn merge_best(&mut self) -> bool {
        let candidates = self.merges.iter().filter_map(|(&pair, merge)| Some((pair, merge.as_ref()?.gain)));
        // Of equal gains the first pair, so that the order is the same everywhere.
        let Some((pair, _)) = candidates.max_by_key(|&(pair, gain)| (gain, Reverse(pair))) else {
            return false;
        };
        let Some(Some(merge)) = self.merges.remove(&pair) else { return false };
        let (into, gone) = pair;
        let absorbed = std::mem::take(&mut self.chains[gone]);
        for &block in &absorbed.blocks {
            self.chain_of[block] = into;
        }
        let chain = &mut self.chains[into];
        chain.score = chain.score.plus(absorbed.score).plus(merge.gain);
        chain.executions += absorbed.executions;
        chain.bytes += absorbed.bytes;
        chain.blocks = merge.blocks;
        let stale =
            self.merges.keys().copied().filter(|&(a, b)| [a, b].iter().any(|&id| id == into || id == gone));
        for pair in stale.collect::<Vec<_>>() {
            self.merges.remove(&pair);
        }
        let jumps = self.chains[into].blocks.iter().flat_map(|&block| &self.jumps_of[block]);
        let pairs: BTreeSet<_> = jumps.map(|&position| &self.graph.jumps[position]).collect_pairs(self);
        for pair in pairs {
            let merge = self.best_merge(pair.0, pair.1);
            self.merges.insert(pair, merge);
        }
        true
    }

    /// The best way to merge two chains, if one raises the score.
    fn best_merge(&mut self, first: ChainId, second: ChainId) -> Option<Merge> {
        let apart = self.chains[first].score.plus(self.chains[second].score);
        let mut best: Option<Merge> = None;
        let both = [(first, second), (second, first)];
        let orders = both
            .into_iter()
            .flat_map(|(cut, whole)| merged(&self.chains[cut].blocks, &self.chains[whole].blocks));
        let entry = CodeBlockId::new(0);
        let has_entry = self.chain_of[entry] == first || self.chain_of[entry] == second;
        for blocks in orders.filter(|blocks| !has_entry || blocks[0] == entry).collect::<Vec<_>>() {
            let Some(gain) = self.score(&blocks).more_than(apart) else { continue };
            if gain > best.as_ref().map_or(Score::default(), |best| best.gain) {
                best = Some(Merge { gain, blocks });
            }
        }
        best
    }

    /// Of the jumps among blocks in this order.
    fn score(&mut self, blocks: &[CodeBlockId]) -> Score {
        let mut address = 0;
        for &block in blocks {
            self.begin[block] = Some(address);
            address += self.graph.blocks[block].bytes;
        }
        let mut score = Score::default();
        for &block in blocks {
            for &position in &self.jumps_of[block] {
                let Jump { from, to, taken } = self.graph.jumps[position];
                // Each jump once: with the block that it leaves.
                if from == block
                    && let (Some(begin), Some(target)) = (self.begin[from], self.begin[to])
                {
                    let end = begin + self.graph.blocks[from].bytes;
                    score = score.plus(Score::of_jump(taken, end, target));
                }
            }
        }
        for &block in blocks {
            self.begin[block] = None;
        }
        score
    }

    /// The chains in a row: that of the entry, then by density.
    fn in_order(&self) -> Vec<CodeBlockId> {
        let entry = self.chain_of[CodeBlockId::new(0)];
        let mut ids: Vec<ChainId> =
            self.chains.ids().filter(|&id| !self.chains[id].blocks.is_empty() && id != entry).collect();
        // By executions for each byte; what never ran stays as it was.
        ids.sort_by(|&a, &b| {
            let [a, b] = [&self.chains[a], &self.chains[b]];
            let [dense_a, dense_b] =
                [a.executions * u128::from(b.bytes.max(1)), b.executions * u128::from(a.bytes.max(1))];
            dense_b.cmp(&dense_a)
        });
        std::iter::once(entry).chain(ids).flat_map(|id| self.chains[id].blocks.iter().copied()).collect()
    }
}

/// All orders of two chains, one of them whole and the other perhaps cut.
fn merged(cut: &[CodeBlockId], whole: &[CodeBlockId]) -> Vec<Vec<CodeBlockId>> {
    let mut orders = vec![[cut, whole].concat()];
    if cut.len() <= LONGEST_CUT {
        for middle in 1..cut.len() {
            let (begin, end) = cut.split_at(middle);
            orders.extend([
                [begin, whole, end].concat(),
                [whole, end, begin].concat(),
                [end, begin, whole].concat(),
            ]);
        }
    }
    orders
}

/// Pairs of chains with jumps between them.
trait CollectPairs {
    fn collect_pairs(self, chains: &Chains<'_>) -> BTreeSet<(ChainId, ChainId)>;
}

impl<'j, All: Iterator<Item = &'j Jump>> CollectPairs for All {
    fn collect_pairs(self, chains: &Chains<'_>) -> BTreeSet<(ChainId, ChainId)> {
        let pair = |jump: &Jump| {
            let (a, b) = (chains.chain_of[jump.from], chains.chain_of[jump.to]);
            (a != b).then(|| (a.min(b), a.max(b)))
        };
        self.filter_map(pair).collect()
    }
}
