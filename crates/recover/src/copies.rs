//! How often did a segment run, of which code stands in several places?
//!
//! Time is no count: code of many or slow instructions is seen more often. So each
//! row of code has cycles that one execution is expected to take (`duration`), and
//! an execution's samples are expected to be those by the cycles of one sample. All
//! of a machine block runs equally often, and which of its instructions is seen is a
//! matter of what waits for what: so a [`CopyRun`], with s samples and c cycles, ran s/c times
//! as a whole. A run is a machine block; of code that is as it was when its instructions
//! were numbered it is what one machine block has of a segment.
//! What it has of a segment is a [`CopiedPiece`].
//!
//! Copies count by their multiplicity:
//! - *Unrolled and vectorised* code multiplies. A row whose factor is f stands for one of
//!   f executions, and all that unrolling made of one loop (a group) is one
//!   piece, wherever it lies: f·s/c. That holds for f copies in one machine block, of
//!   which each runs once for f executions, for f copies in blocks of their own, of which
//!   each takes a part, and for one vector instruction. What is left over
//!   is done by a loop of factor 1, another piece.
//! - *Exclusive* copies, of which one runs at a time (a tail that was duplicated, a callee
//!   inlined at several places, the loop for what is left over) add.
//! - *Joint* pieces (a block that was cut in two) average.
//!
//! Which of the last two it is, instructions tell: copies have the same ones, parts
//! have others. So the count of each instruction is the sum over the pieces that it
//! is in, and that of the segment is their mean, weighted by cycles. Pieces
//! whose code names no instruction say nothing of that, and count only where all do so;
//! then they add. The cycles that are told for the segment are those by which its
//! samples give that count.
//!
//! Input: rows of a segment's code and their samples. Output: an [`Observation`].
//! Cost: linear, but for the order of instructions. Limits: what a pass copied without
//! saying so (a factor that no location can hold) is taken for exclusive copies,
//! and so are loops with one factor of which one is inside what was unrolled around it.

use std::collections::BTreeMap;

use opcost_profile::formats::code::CodeRow;

use crate::duration::{Cycles, SampledCode, Taken, taken};
use crate::observation::Observation;

/// Which rows of a segment are one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PieceKey {
    /// Those of one copy in one machine block.
    Block { block: usize, group: Option<u32> },
    /// Those of one unrolled or vectorised loop.
    Pool { group: Option<u32> },
}

impl PieceKey {
    /// The piece of a row in the function's `block`-th machine block.
    pub(crate) fn of(row: &CodeRow, block: usize) -> PieceKey {
        let group = row.group;
        if row.factor > 1 { PieceKey::Pool { group } } else { PieceKey::Block { block, group } }
    }
}

/// Code of one machine block, every row of which runs as often.
#[derive(Clone, Debug)]
pub(crate) struct CopyRun<P> {
    /// Where each row belongs, and what is known of its code.
    rows: Vec<(P, CodeRow)>,
    code: Vec<SampledCode>,
}

impl<P> Default for CopyRun<P> {
    fn default() -> Self {
        CopyRun { rows: Vec::new(), code: Vec::new() }
    }
}

impl<P: Copy + Ord> CopyRun<P> {
    /// A row that belongs to a piece, and samples of those of its instructions that were
    /// hit.
    pub(crate) fn add(&mut self, piece: P, row: &CodeRow, hits: Vec<u64>, how: Cycles) {
        self.rows.push((piece, *row));
        self.code.push(SampledCode::of(row, hits, how));
    }

    /// Gives each piece its part: as every row ran as often, of the samples what it has
    /// of the cycles.
    pub(crate) fn share(self, how: Cycles, pieces: &mut BTreeMap<P, CopiedPiece>) {
        let samples: u64 = self.code.iter().map(SampledCode::samples).sum();
        let cycles: f64 = self.code.iter().map(|code| code.cycles).sum();
        let taken = taken(&self.code, how);
        let mut shares: BTreeMap<P, f64> = BTreeMap::new();
        for ((place, row), code) in self.rows.iter().zip(&self.code) {
            let share = if cycles > 0.0 { samples as f64 * code.cycles / cycles } else { 0.0 };
            *shares.entry(*place).or_default() += share;
            let piece = pieces.entry(*place).or_insert_with(|| CopiedPiece::new(row.factor));
            piece.take(row, share, code.cycles, taken);
        }
        for (place, whole) in whole_shares(samples, shares) {
            pieces.get_mut(&place).expect("it has a row").samples += whole;
        }
    }
}

/// Shares in whole samples: rounded down, and what is left over to those of which most
/// was cut off.
fn whole_shares<P: Copy + Ord>(samples: u64, shares: BTreeMap<P, f64>) -> BTreeMap<P, u64> {
    let mut whole: BTreeMap<P, u64> = shares.iter().map(|(&place, share)| (place, *share as u64)).collect();
    let mut cut: Vec<(f64, P)> = shares.iter().map(|(&place, share)| (share.fract(), place)).collect();
    cut.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let left = samples.saturating_sub(whole.values().sum()) as usize;
    for (_, place) in cut.iter().cycle().take(if cut.is_empty() { 0 } else { left }) {
        *whole.get_mut(place).expect("one of them") += 1;
    }
    whole
}

/// A part of a segment's code that runs together, or a loop that was unrolled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CopiedPiece {
    samples: u64,
    /// The same before it was made whole.
    share: f64,
    /// Cycles of one execution of all of it, as samples have them.
    cycles: f64,
    /// Those that its instructions take by themselves.
    busy: f64,
    /// Cycles by instruction.
    cycles_of: BTreeMap<u32, f64>,
    factor: f64,
}

impl CopiedPiece {
    fn new(factor: u16) -> CopiedPiece {
        let (samples, share, cycles, busy, cycles_of) = (0, 0.0, 0.0, 0.0, BTreeMap::new());
        CopiedPiece { samples, share, cycles, busy, cycles_of, factor: f64::from(factor.max(1)) }
    }

    fn take(&mut self, row: &CodeRow, share: f64, cycles: f64, taken: Taken) {
        self.share += share;
        self.cycles += cycles * taken.busy * taken.waited;
        self.busy += cycles * taken.busy;
        if let Some(instruction) = row.instruction {
            *self.cycles_of.entry(instruction).or_default() += cycles;
        }
    }

    /// Whether it represents several executions.
    pub(crate) fn multiplies(&self) -> bool {
        self.factor > 1.0
    }

    /// How often the segment ran by this piece alone.
    fn count(&self) -> f64 {
        if self.cycles > 0.0 { self.share * self.factor / self.cycles } else { 0.0 }
    }
}

/// What all pieces of a segment say together.
pub(crate) fn joined(pieces: &[CopiedPiece]) -> Observation {
    let samples: u64 = pieces.iter().map(|piece| piece.samples).sum();
    let count = together(pieces, pieces.iter().map(CopiedPiece::count));
    let cycles = match samples > 0 && count > 0.0 {
        true => samples as f64 / count,
        // Which copy runs is not known: as if each ran once.
        false => {
            let once = together(pieces, pieces.iter().map(|piece| f64::from(u8::from(piece.cycles > 0.0))));
            let cycles: f64 = pieces.iter().map(|piece| piece.cycles / piece.factor).sum();
            if once > 0.0 { cycles / once } else { 0.0 }
        }
    };
    let all = |of: fn(&CopiedPiece) -> f64| pieces.iter().map(of).sum::<f64>();
    let (whole, busy) = (all(|piece| piece.cycles), all(|piece| piece.busy));
    Observation { samples, cycles, busy: if whole > 0.0 { cycles * busy / whole } else { 0.0 } }
}

/// How often the segment ran, by how often each of its pieces did.
fn together(pieces: &[CopiedPiece], counts: impl Iterator<Item = f64>) -> f64 {
    // By instruction: its count, its cycles, and how many pieces have it.
    let mut instructions: BTreeMap<u32, (f64, f64, f64)> = BTreeMap::new();
    let mut unnamed = 0.0;
    for (piece, count) in pieces.iter().zip(counts) {
        unnamed += count;
        for (&instruction, &cycles) in &piece.cycles_of {
            let one = instructions.entry(instruction).or_default();
            *one = (one.0 + count, one.1 + cycles / piece.factor, one.2 + 1.0);
        }
    }
    let (mut sum, mut weights) = (0.0, 0.0);
    for (count, cycles, pieces) in instructions.into_values() {
        sum += count * cycles / pieces;
        weights += cycles / pieces;
    }
    if weights > 0.0 { sum / weights } else { unnamed }
}

#[cfg(test)]
#[path = "copies_tests.rs"]
mod tests;
