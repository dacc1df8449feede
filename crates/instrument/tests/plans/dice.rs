//! The choices of a walk: which way a branch goes, what other code does.

use opcost_index::IdMap;
use opcost_ir::{Call, Function, Module};
use opcost_key::{BlockId, InstructionId};

/// How an activation or a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Returned,
    Threw,
    Ended,
    /// To the `setjmp` in the frame of this number.
    Jumped(u64, InstructionId),
}

/// Why a walk is not looked at: it went on too long.
pub(crate) struct TooLong;

const MOST_STEPS: u32 = 5_000;
const STEPS_AT_RANDOM: u32 = 400;

/// Decides at random, and for an end when the walk gets long.
pub(crate) struct Dice {
    random: u64,
    steps: u32,
    /// `setjmp`s that can be jumped to: frame and call.
    pub(crate) targets: Vec<(u64, InstructionId)>,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice { random: seed.wrapping_mul(2).wrapping_add(1), steps: 0, targets: Vec::new() }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random =
            self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % bound
    }

    /// How many units an instruction works on.
    pub(crate) fn length(&mut self) -> u64 {
        self.below(2_000) as u64
    }

    /// One more instruction.
    pub(crate) fn step(&mut self) -> Result<(), TooLong> {
        self.steps += 1;
        if self.steps > MOST_STEPS { Err(TooLong) } else { Ok(()) }
    }

    /// At random first; when the walk gets long, the way out.
    pub(crate) fn choose(&mut self, function: &Function, block: BlockId) -> u32 {
        let successors = &function.blocks[block].successors;
        if self.steps < STEPS_AT_RANDOM {
            return self.below(successors.len()) as u32;
        }
        let mut distance: IdMap<BlockId, usize> = IdMap::filled(function.blocks.len(), usize::MAX / 2);
        for _ in 0..function.blocks.len() {
            for (id, block) in function.blocks.iter() {
                let nearest = block.successors.iter().map(|&next| distance[next] + 1).min();
                distance[id] = nearest.unwrap_or(0).min(distance[id]);
            }
        }
        let nearest = (0..successors.len()).min_by_key(|&slot| distance[successors[slot]]);
        nearest.unwrap_or(0) as u32
    }

    /// What code that is not here does, within what its call promises.
    pub(crate) fn elsewhere(&mut self, module: &Module, call: &Call) -> Outcome {
        let is_intrinsic = module.intrinsic_name(call.callee).is_some();
        if !call.is_noreturn && call.is_nounwind && (call.is_willreturn || is_intrinsic) {
            return Outcome::Returned;
        }
        let choice = self.below(if self.steps < STEPS_AT_RANDOM { 12 } else { 40 });
        match choice {
            0 => Outcome::Ended,
            1 | 2 if !call.is_nounwind => Outcome::Threw,
            3 | 4 if !self.targets.is_empty() && self.steps < STEPS_AT_RANDOM => {
                let target = self.below(self.targets.len());
                let (frame, setjmp) = self.targets[target];
                Outcome::Jumped(frame, setjmp)
            }
            _ if call.is_noreturn => Outcome::Ended,
            _ => Outcome::Returned,
        }
    }
}
