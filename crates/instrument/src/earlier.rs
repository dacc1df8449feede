//! What does an earlier run say of where counters should go?
//!
//! Weights of branches, as the compiler would have them from a profile: the static estimate of frequencies
//! takes these first. Functions are known by name and shape. What a function does and costs hangs on none
//! of them, so a run of another version, or of other input, serves as well.
//!
//! Input: a snapshot and the branches of a run. Output: the snapshot with weights. Cost: the flow graph of each
//! function. Limit: blocks whose branches the run never reached are left to the estimate.

use opcost_ir::Module;
use opcost_key::{BlockId, BranchCounts, Branches, FunctionId};

use crate::leaving::Leaving;
use crate::map::hashes;
use crate::skeleton::Skeleton;

/// Gives branches the weights of an earlier run; of how many functions.
pub fn weigh_as_run(module: &mut Module, counts: &BranchCounts) -> usize {
    let leaving = Leaving::compute(module);
    let known: Vec<(FunctionId, &Branches)> = module
        .functions
        .iter()
        .filter(|(_, function)| !function.blocks.is_empty())
        .filter_map(|(id, function)| {
            let skeleton = Skeleton::compute(module, id, &leaving);
            let (shape, _) = hashes(module, function, &skeleton);
            Some((id, counts.of(&function.name, shape)?))
        })
        .collect();
    let weighed = known.len();
    for (id, branches) in known {
        let blocks = &mut module.functions[id].blocks;
        for block in blocks.ids() {
            let ways = blocks[block].successors.len();
            if let Some(weights) = weights(branches, block, ways) {
                blocks[block].weights = Some(weights);
            }
        }
    }
    weighed
}

/// The weights of a block's successors, in 32 bits; none where it has no choice, or never made one.
fn weights(branches: &Branches, block: BlockId, ways: usize) -> Option<Vec<u32>> {
    let counts: Vec<u64> =
        (0..ways).map(|slot| branches.get(&(block, slot as u32)).copied().unwrap_or(0)).collect();
    let most = counts.iter().copied().max().filter(|&most| most > 0 && ways > 1)?;
    let shift = (u64::BITS - most.leading_zeros()).saturating_sub(u32::BITS);
    // What was taken at all is no never.
    let weight =
        |count: u64| if count == 0 { 0 } else { u32::try_from(count >> shift).unwrap_or(u32::MAX).max(1) };
    Some(counts.into_iter().map(weight).collect())
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_key::{BlockId, Branches};

    use super::weights;

    #[test]
    fn weights_have_32_bits_and_what_was_taken_is_no_never() {
        let block = BlockId::new(3);
        let of = |counts: &[u64]| {
            let branches: Branches = (0..).zip(counts).map(|(slot, &count)| ((block, slot), count)).collect();
            weights(&branches, block, counts.len())
        };
        assert_eq!(of(&[7, 0]), Some(vec![7, 0]));
        assert_eq!(of(&[1, u64::MAX]), Some(vec![1, u32::MAX]));
        assert_eq!(of(&[1 << 33, 1 << 32]), Some(vec![1 << 31, 1 << 30]));
        assert_eq!((of(&[0, 0]), of(&[9])), (None, None));
    }
}
