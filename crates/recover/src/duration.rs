//! How many cycles does one execution of a piece of code take?
//!
//! Time is no count: a block of many or slow instructions is seen more often. The
//! scheduling model tells what instructions take when nothing waits; what a processor
//! of today does is mostly to wait, and for what no model of the code alone tells: for
//! memory, after a branch that it did not foresee. But samples tell where. While it
//! waits it does so at one instruction, where samples pile up; where it runs smoothly
//! it is seen everywhere. So three things make the cycles of a copy:
//!
//! - its instructions, by number, latency and throughput, and as much as [`ARRIVAL`]
//!   for coming there at all;
//! - times exp(KL(p, q)), where samples are spread over its instructions as p, and q is
//!   even: the divergence of Kullback and Leibler (1951). The rate is then the geometric
//!   mean of its instructions' rates, weighted by samples, in place of the arithmetic
//!   one. [`EVEN`] samples that are spread evenly keep few samples from piling up by
//!   chance;
//! - times (rate / usual rate)^[`REGRESSION`]: what is seen much more often than usual
//!   is likelier slow than what is not (regression towards the mean, Galton 1886).
//!
//! The source document's own rule is [`Cycles::Mean`]: Avetisyan, Dolgorukova and
//! Kurmangaleev, "Dynamic profiling for LLVM" (2012), section 3: a block's time is the
//! mean over its instructions.
//!
//! The constants were fit to whole repairs of six programs: bzip2, zlib, QuickJS,
//! Duktape, tree-sitter's parser of C, and `corpus/kernel`, not to those of the bench.
//! Little depends on any by itself. What six programs do not tell is the scale: with
//! [`OVERLAPPED`] all counts of these and of SQLite, Lua and zstd are 0.7 to 1.7 times
//! the true ones; what counts are of each other does not depend on it.
//!
//! Input: pieces of code with samples. Output: [`Observation`]s. Cost: linear.

use opcost_index::IdMap;
use opcost_key::{FunctionId, SegmentId};
use opcost_profile::formats::code::CodeRow;

use crate::sampled::Observation;

/// How long is one execution expected to take?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// As the target's scheduling model says, and samples of where it waits.
    Model,
    /// A cycle for each machine instruction: a block's samples are the mean over
    /// its instructions.
    Mean,
}

/// The share of all these cycles that is not spent on other code at the same time.
const OVERLAPPED: f64 = 0.06;
/// Cycles for coming to a machine block, in those of an instruction; the same of its
/// latency and of its reciprocal throughput.
const ARRIVAL: f64 = 4.0;
const LATENCY: f64 = 0.3;
const THROUGHPUT: f64 = 0.5;
/// Samples spread evenly that are added to those of each copy.
const EVEN: f64 = 20.0;
/// How much of a rate that is out of the usual is waiting.
const REGRESSION: f64 = 0.1;

/// One machine block's part of a segment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Copy {
    pieces: Vec<Piece>,
}

/// The code of one row.
#[derive(Clone, Debug)]
struct Piece {
    /// Samples of those instructions that were hit.
    hits: Vec<u64>,
    instructions: f64,
    cycles: f64,
}

impl Copy {
    /// Adds a row, and the samples of those of its instructions that were hit.
    pub(crate) fn push(&mut self, row: &CodeRow, hits: Vec<u64>) {
        // A sample between two instructions would be damage; nothing is lost by it here.
        let instructions = f64::from(row.instructions).max(hits.len() as f64);
        let latency = LATENCY * f64::from(row.latency);
        let throughput = THROUGHPUT * f64::from(row.throughput) / SIXTEENTHS;
        self.pieces.push(Piece { hits, instructions, cycles: instructions + latency + throughput });
    }

    pub(crate) fn observation(&self, how: Cycles) -> Observation {
        let samples = self.pieces.iter().flat_map(|piece| &piece.hits).sum();
        let instructions: f64 = self.pieces.iter().map(|piece| piece.instructions).sum();
        let cycles = match how {
            Cycles::Mean => instructions,
            Cycles::Model if instructions == 0.0 => 0.0,
            Cycles::Model => {
                let smooth = ARRIVAL + self.pieces.iter().map(|piece| piece.cycles).sum::<f64>();
                OVERLAPPED * smooth * self.divergence(samples as f64, instructions).exp()
            }
        };
        Observation { samples, cycles }
    }

    /// How far samples are from being spread evenly over instructions.
    fn divergence(&self, samples: f64, instructions: f64) -> f64 {
        let even = 1.0 / instructions;
        let of = |seen: f64| {
            let found = (seen + EVEN * even) / (samples + EVEN);
            found * (found / even).ln()
        };
        let hit = self.pieces.iter().flat_map(|piece| &piece.hits).map(|&seen| of(seen as f64));
        let missed: f64 = self.pieces.iter().map(|piece| piece.instructions - piece.hits.len() as f64).sum();
        hit.sum::<f64>() + missed * of(0.0)
    }
}

/// The table of code tells throughput in these.
const SIXTEENTHS: f64 = 16.0;

/// What exclusive copies say together.
pub(crate) fn joined(copies: &[Observation]) -> Observation {
    let samples = copies.iter().map(|copy| copy.samples).sum();
    let with_code = || copies.iter().filter(|copy| copy.cycles > 0.0);
    let count: f64 = with_code().map(|copy| copy.samples as f64 / copy.cycles).sum();
    let cycles = match count > 0.0 {
        true => samples as f64 / count,
        // Which copy runs is not known.
        false => with_code().map(|copy| copy.cycles).sum::<f64>() / with_code().count().max(1) as f64,
    };
    Observation { samples, cycles }
}

/// Takes part of what is out of the usual for waiting.
pub(crate) fn regress(functions: &mut IdMap<FunctionId, IdMap<SegmentId, Observation>>) {
    let all = || functions.values().flat_map(|function| function.values());
    let (mut sum, mut samples) = (0.0, 0.0);
    for one in all().filter(|one| one.samples > 0 && one.cycles > 0.0) {
        let seen = one.samples as f64;
        sum += seen * (seen / one.cycles).ln();
        samples += seen;
    }
    if samples == 0.0 {
        return;
    }
    let usual = (sum / samples).exp();
    let regressed = |one: &Observation| {
        // One sample more, so that what was not seen has a rate.
        let rate = (one.samples as f64 + 1.0) / one.cycles;
        let cycles = if one.cycles > 0.0 { one.cycles * (rate / usual).powf(REGRESSION) } else { 0.0 };
        Observation { cycles, ..*one }
    };
    *functions = functions.values().map(|function| function.values().map(regressed).collect()).collect();
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;

    use super::*;

    /// A copy of one row of these instructions, by the samples of each.
    fn observed(samples: &[u64], how: Cycles) -> Observation {
        let row = CodeRow {
            offset: 0,
            instruction: None,
            block: Some(0),
            instructions: samples.len() as u16,
            throughput: 0,
            latency: 0,
            begins_block: true,
        };
        let mut copy = Copy::default();
        copy.push(&row, samples.iter().copied().filter(|&hits| hits > 0).collect());
        copy.observation(how)
    }

    #[test]
    fn where_samples_pile_up_there_was_waiting() {
        let usual = observed(&[0; 4], Cycles::Model).cycles;
        assert!((usual - OVERLAPPED * (ARRIVAL + 4.0)).abs() < 1e-12);
        let smooth = observed(&[1000; 4], Cycles::Model);
        assert_eq!(smooth.samples, 4000);
        assert!((smooth.cycles / usual - 1.0).abs() < 1e-12, "spread evenly");
        // All at one of four: a divergence of ln 4, but for the even ones.
        let piled = observed(&[0, 4000, 0, 0], Cycles::Model).cycles / usual;
        assert!((3.8..4.0).contains(&piled), "{piled}");
        // Of one sample nothing follows.
        let one = observed(&[0, 1, 0, 0], Cycles::Model).cycles / usual;
        assert!((1.0..1.1).contains(&one), "{one}");
        // The source document's rule takes the mean.
        assert_eq!(observed(&[0, 4000, 0, 0], Cycles::Mean), Observation { samples: 4000, cycles: 4.0 });
    }

    #[test]
    fn a_rate_out_of_the_usual_is_partly_waiting() {
        let of = |seen: &[(u64, f64)]| -> Vec<f64> {
            let all = seen.iter().map(|&(samples, cycles)| Observation { samples, cycles }).collect();
            let mut functions = IdMap::from_vec(vec![all]);
            regress(&mut functions);
            functions[FunctionId::new(0)].values().map(|one| one.cycles).collect()
        };
        let cycles = of(&[(1000, 1.0), (10, 1.0), (0, 1.0), (0, 0.0)]);
        assert!(cycles[0] > 0.99 && cycles[0] < 1.1, "{cycles:?}");
        let share = 1001_f64.powf(REGRESSION);
        assert!((cycles[0] / cycles[2] / share - 1.0).abs() < 1e-9, "{cycles:?}");
        assert!(cycles[1] > cycles[2] && cycles[3] == 0.0, "{cycles:?}");
        assert_eq!(of(&[(0, 2.0)]), [2.0], "nothing is usual where nothing was seen");
    }
}
