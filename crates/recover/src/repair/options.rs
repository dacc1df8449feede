//! What is a repair given?
//!
//! Maps with what was seen, and how samples are read.

use opcost_key::ModuleMap;

use crate::sampled::ModuleObservations;

/// A module and what was seen of it.
#[derive(Clone, Copy, Debug)]
pub struct SampledModule<'a> {
    /// Its map.
    pub map: &'a ModuleMap,
    /// What samples say.
    pub observed: &'a ModuleObservations,
}

/// How samples are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepairOptions {
    /// Cycles of the processor for each sample.
    pub cycles_per_sample: f64,
    /// How wrong the expected cycles of a segment are, relative to them.
    pub error: f64,
    /// By which method.
    pub solver: RepairSolver,
    /// How often the program was started.
    pub starts: Starts,
}

/// How often a program was started, and its `main` entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starts {
    /// At least: each run once.
    pub least: u64,
    /// At most: each process that was seen may have started the program again.
    pub most: u64,
}

impl Starts {
    /// One run of one process.
    pub const ONCE: Starts = Starts { least: 1, most: 1 };
}

/// How counts are made consistent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RepairSolver {
    /// The likeliest counts over the whole program.
    #[default]
    Likeliest,
    /// The method of Avetisyan and others (2012), each function by itself.
    Classic,
}

/// The most variables of a program that is solved closely: it takes milliseconds anyway.
pub(super) const SMALL: usize = 20_000;
