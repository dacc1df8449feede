//! How many cycles does one execution of a piece of code take?
//!
//! Time is no count: a block of many or slow instructions is seen more often. The
//! scheduling model tells what instructions take when nothing waits; what a processor
//! of today does is mostly to wait, and for what no model of the code alone tells: for
//! memory, after a branch that it did not foresee. But samples tell where. While it
//! waits it does so at one instruction, where samples pile up; where it runs smoothly
//! it is seen everywhere. So three things make the cycles of code that runs together:
//!
//! - its instructions, by number, latency and throughput: the cycles that it is busy. All
//!   else is waiting;
//! - as much as [`ARRIVAL`] for coming there at all;
//! - times exp(KL(p, q) [`WAITING`]), where samples are spread over its instructions as p,
//!   and q is even: the divergence of Kullback and Leibler (1951). With all of it the rate
//!   would be the geometric mean of its instructions' rates, weighted by samples, in place
//!   of the arithmetic one. [`EVEN`] samples that are spread evenly keep few samples from
//!   piling up by chance;
//! - times (rate / usual rate)^[`REGRESSION`] of its function: where a function is seen
//!   much more often than others it is likelier slow than one that is not (regression
//!   towards the mean, Galton 1886). Not of each segment: a hot loop is hot.
//!
//! The rule of Avetisyan, Dolgorukova and Kurmangaleev ("Dynamic profiling for LLVM",
//! 2012, section 3) is [`Cycles::Mean`]: a block's time is the mean over its instructions.
//!
//! The constants, and those of `repair/evidence`, were fit to whole repairs of the
//! programs of `corpus/training.toml` (of an earlier form of their drivers, and WebP), none
//! of which is in the tables against LLVM's inference; `cargo xtask bench training` tells
//! how well they do. Little depends on any by itself. What programs do not tell is the
//! scale: with [`OVERLAPPED`] all counts of these and of SQLite, Lua and zstd are 0.5 to 2.6
//! times the true ones; what counts are of each other does not depend on it.
//!
//! Input: pieces of code with samples. Output: [`Observation`]s. Cost: linear.

use opcost_index::IdMap;
use opcost_key::{FunctionId, SegmentId};
use opcost_profile::formats::code::CodeRow;

use crate::observation::Observation;

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
const ARRIVAL: f64 = 2.0;
const LATENCY: f64 = 0.2;
const THROUGHPUT: f64 = 0.25;
/// How much of what samples say of waiting is believed; and samples spread evenly that
/// are added to those of each machine block.
const WAITING: f64 = 0.7;
const EVEN: f64 = 20.0;
/// How much of the logarithm of a function's unusual rate is waiting.
const REGRESSION: f64 = 0.1;
/// So many samples at the usual rate are added to a function's own.
const USUAL: f64 = 60.0;

/// Code that is executed in a row, and where it was seen.
#[derive(Clone, Debug)]
pub(crate) struct SampledCode {
    /// Samples of those instructions that were hit.
    hits: Vec<u64>,
    instructions: f64,
    /// Cycles of one execution, in those of an instruction that nothing keeps waiting.
    pub(crate) cycles: f64,
}

impl SampledCode {
    pub(crate) fn of(row: &CodeRow, hits: Vec<u64>, how: Cycles) -> SampledCode {
        // A sample between two instructions would be damage; nothing is lost by it here.
        let instructions = f64::from(row.instructions).max(hits.len() as f64);
        let cycles = match how {
            Cycles::Mean => instructions,
            Cycles::Model => {
                let throughput = THROUGHPUT * f64::from(row.throughput) / SIXTEENTHS;
                instructions + LATENCY * f64::from(row.latency) + throughput
            }
        };
        SampledCode { hits, instructions, cycles }
    }

    pub(crate) fn samples(&self) -> u64 {
        self.hits.iter().sum()
    }
}

/// The table of code gives throughput in these.
const SIXTEENTHS: f64 = 16.0;

/// How long code takes that runs together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    /// Cycles of the processor for each of its own.
    pub(crate) busy: f64,
    /// How many times longer it takes, as it waits: to come there, and where samples say.
    pub(crate) waited: f64,
}

/// How long code takes that runs together.
pub(crate) fn taken(together: &[SampledCode], how: Cycles) -> Taken {
    let cycles: f64 = together.iter().map(|code| code.cycles).sum();
    match how {
        Cycles::Model if cycles > 0.0 => Taken {
            busy: OVERLAPPED,
            waited: (1.0 + ARRIVAL / cycles) * (WAITING * divergence(together)).exp(),
        },
        Cycles::Mean | Cycles::Model => Taken { busy: 1.0, waited: 1.0 },
    }
}

/// How far samples are from being spread evenly over instructions.
fn divergence(together: &[SampledCode]) -> f64 {
    let samples = together.iter().map(SampledCode::samples).sum::<u64>() as f64;
    let even = 1.0 / together.iter().map(|code| code.instructions).sum::<f64>();
    let of = |seen: f64| {
        let found = (seen + EVEN * even) / (samples + EVEN);
        found * (found / even).ln()
    };
    let hit = together.iter().flat_map(|code| &code.hits).map(|&seen| of(seen as f64));
    let missed: f64 = together.iter().map(|code| code.instructions - code.hits.len() as f64).sum();
    hit.sum::<f64>() + missed * of(0.0)
}

/// Takes part of what is out of the usual in a function's rate for waiting.
pub(crate) fn regress(functions: &mut IdMap<FunctionId, IdMap<SegmentId, Observation>>) {
    let rates: IdMap<FunctionId, Rate> = functions.values().map(Rate::of).collect();
    let all = rates.values().fold(Rate::default(), |sum, one| sum.and(*one));
    if all.samples == 0.0 {
        return;
    }
    for (function, rate) in functions.values_mut().zip(rates.values()) {
        let above = rate.logarithms - rate.samples * all.logarithms / all.samples;
        let longer = (REGRESSION * above / (rate.samples + USUAL)).exp();
        for one in function.values_mut() {
            one.cycles *= longer;
            one.busy *= longer;
        }
    }
}

/// At how many samples a cycle code was seen: the geometric mean of its segments' rates.
#[derive(Clone, Copy, Default)]
struct Rate {
    samples: f64,
    /// Logarithms of the segments' rates, weighted by samples.
    logarithms: f64,
}

impl Rate {
    fn of(function: &IdMap<SegmentId, Observation>) -> Rate {
        let seen = function.values().filter(|one| one.samples > 0 && one.cycles > 0.0);
        seen.fold(Rate::default(), |sum, one| {
            let samples = one.samples as f64;
            sum.and(Rate { samples, logarithms: samples * (samples / one.cycles).ln() })
        })
    }

    fn and(self, other: Rate) -> Rate {
        Rate { samples: self.samples + other.samples, logarithms: self.logarithms + other.logarithms }
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    /// How long a row of these instructions takes, by the samples of each.
    fn of_row(samples: &[u64], how: Cycles) -> (f64, Taken) {
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
        let code = SampledCode::of(&row, samples.iter().copied().filter(|&hits| hits > 0).collect(), how);
        assert_eq!(code.samples(), samples.iter().sum::<u64>());
        (code.cycles, taken(&[code], how))
    }

    #[test]
    fn where_samples_pile_up_there_was_waiting() {
        let waited = |samples: &[u64]| of_row(samples, Cycles::Model).1.waited;
        let (cycles, usual) = of_row(&[0; 4], Cycles::Model);
        assert_eq!((cycles, usual.busy), (4.0, OVERLAPPED));
        let arrived = 1.0 + ARRIVAL / 4.0;
        assert!((usual.waited - arrived).abs() < 1e-12);
        let waited = |samples: &[u64]| waited(samples) / arrived;
        assert!((waited(&[1000; 4]) - 1.0).abs() < 1e-12, "spread evenly");
        // All at one of four: a divergence of ln 4, but for the even ones.
        let piled = waited(&[0, 4000, 0, 0]).ln() / WAITING;
        assert!((3.8..4.0).contains(&piled.exp()), "{piled}");
        // Of one sample nothing follows.
        assert!((1.0..1.1).contains(&waited(&[0, 1, 0, 0])));
        // The rule of Avetisyan and others (2012) takes the mean.
        let (cycles, mean) = of_row(&[0, 4000, 0, 0], Cycles::Mean);
        assert_eq!((cycles, mean.busy, mean.waited), (4.0, 1.0, 1.0));
    }

    #[test]
    fn a_rate_out_of_the_usual_is_partly_waiting() {
        let of = |functions: &[&[(u64, f64)]]| -> Vec<Vec<f64>> {
            let observed = |&(samples, cycles): &(u64, f64)| Observation::busy(samples, cycles);
            let mut functions =
                functions.iter().map(|function| function.iter().map(observed).collect()).collect();
            regress(&mut functions);
            assert!(functions.values().flat_map(IdMap::values).all(|one| one.busy == one.cycles));
            functions.values().map(|function| function.values().map(|one| one.cycles).collect()).collect()
        };
        // Two functions alike, the third seen ten times as often; its segments keep their
        // rates to each other.
        let usual: &[(u64, f64)] = &[(6000, 1.0), (6000, 1.0)];
        let cycles = of(&[usual, usual, &[(60_000, 1.0), (12, 2.0), (0, 0.0)]]);
        assert_eq!(cycles[0], cycles[1]);
        let share = cycles[2][0] / cycles[0][0];
        assert!((share / 10f64.powf(REGRESSION) - 1.0).abs() < 0.01, "{share}");
        assert!((cycles[2][1] / cycles[2][0] - 2.0).abs() < 1e-9 && cycles[2][2] == 0.0, "{cycles:?}");
        // Of few samples hardly anything follows.
        let few = of(&[usual, &[(6, 0.0001)]]);
        assert!((1.0..2.0).contains(&(few[1][0] / 0.0001)), "{few:?}");
        assert_eq!(of(&[&[(0, 2.0)]]), [[2.0]], "nothing is usual where nothing was seen");
    }
}
