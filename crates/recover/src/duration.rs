//! How many cycles does one execution of a piece of code take?
//!
//! Time is no count: a block of many or slow instructions is seen more often. The
//! scheduling model tells what instructions take when nothing waits; what a processor
//! of today does is mostly to wait, and for what no model of the code alone tells: for
//! memory, after a branch that it did not foresee. But samples tell where. While it
//! waits it does so at one instruction, where samples pile up; where it runs smoothly
//! it is seen everywhere. So three things make the cycles of code that runs together:
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
//! [`OVERLAPPED`] all counts of these and of SQLite, Lua and zstd are 0.7 to 2.1 times
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
/// Samples spread evenly that are added to those of each machine block.
const EVEN: f64 = 20.0;
/// How much of a rate that is out of the usual is waiting.
const REGRESSION: f64 = 0.1;

/// Code that is executed in a row, and where it was seen.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Samples of those instructions that were hit.
    hits: Vec<u64>,
    instructions: f64,
    /// Cycles of one execution, in those of an instruction that nothing keeps waiting.
    pub(crate) cycles: f64,
}

impl Code {
    pub(crate) fn of(row: &CodeRow, hits: Vec<u64>, how: Cycles) -> Code {
        // A sample between two instructions would be damage; nothing is lost by it here.
        let instructions = f64::from(row.instructions).max(hits.len() as f64);
        let cycles = match how {
            Cycles::Mean => instructions,
            Cycles::Model => {
                let throughput = THROUGHPUT * f64::from(row.throughput) / SIXTEENTHS;
                instructions + LATENCY * f64::from(row.latency) + throughput
            }
        };
        Code { hits, instructions, cycles }
    }

    pub(crate) fn samples(&self) -> u64 {
        self.hits.iter().sum()
    }
}

/// The table of code tells throughput in these.
const SIXTEENTHS: f64 = 16.0;

/// How many times its own cycles code takes that runs together.
pub(crate) fn waited(together: &[Code], how: Cycles) -> f64 {
    let cycles: f64 = together.iter().map(|code| code.cycles).sum();
    match how {
        Cycles::Mean => 1.0,
        Cycles::Model if cycles == 0.0 => 1.0,
        Cycles::Model => OVERLAPPED * (1.0 + ARRIVAL / cycles) * divergence(together).exp(),
    }
}

/// How far samples are from being spread evenly over instructions.
fn divergence(together: &[Code]) -> f64 {
    let samples = together.iter().map(Code::samples).sum::<u64>() as f64;
    let even = 1.0 / together.iter().map(|code| code.instructions).sum::<f64>();
    let of = |seen: f64| {
        let found = (seen + EVEN * even) / (samples + EVEN);
        found * (found / even).ln()
    };
    let hit = together.iter().flat_map(|code| &code.hits).map(|&seen| of(seen as f64));
    let missed: f64 = together.iter().map(|code| code.instructions - code.hits.len() as f64).sum();
    hit.sum::<f64>() + missed * of(0.0)
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

    /// Cycles of a row of these instructions, by the samples of each.
    fn cycles(samples: &[u64], how: Cycles) -> f64 {
        let row = CodeRow {
            offset: 0,
            instruction: None,
            block: Some(0),
            instructions: samples.len() as u16,
            throughput: 0,
            latency: 0,
            group: None,
            factor: 1,
            begins_block: true,
        };
        let code = Code::of(&row, samples.iter().copied().filter(|&hits| hits > 0).collect(), how);
        assert_eq!(code.samples(), samples.iter().sum::<u64>());
        code.cycles * waited(&[code], how)
    }

    #[test]
    fn where_samples_pile_up_there_was_waiting() {
        let usual = cycles(&[0; 4], Cycles::Model);
        assert!((usual - OVERLAPPED * (ARRIVAL + 4.0)).abs() < 1e-12);
        assert!((cycles(&[1000; 4], Cycles::Model) / usual - 1.0).abs() < 1e-12, "spread evenly");
        // All at one of four: a divergence of ln 4, but for the even ones.
        let piled = cycles(&[0, 4000, 0, 0], Cycles::Model) / usual;
        assert!((3.8..4.0).contains(&piled), "{piled}");
        // Of one sample nothing follows.
        let one = cycles(&[0, 1, 0, 0], Cycles::Model) / usual;
        assert!((1.0..1.1).contains(&one), "{one}");
        // The source document's rule takes the mean.
        assert_eq!(cycles(&[0, 4000, 0, 0], Cycles::Mean), 4.0);
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
