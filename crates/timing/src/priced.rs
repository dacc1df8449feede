//! What is the time of a program beside what was measured, and beside that of exact counts?
//!
//! Where counts are predicted and those of a run are there, too, two errors are distinguished: of counts, and of timing.

use opcost_answer::work::ProgramWork;
use opcost_key::FunctionKey;

use crate::file::Timing;
use crate::price::{FunctionTime, Predicted};

/// The time of a program.
#[derive(Clone, Debug)]
pub struct Priced {
    /// The time.
    pub predicted: Predicted,
    /// Of which it was worked out.
    pub work: ProgramWork,
    /// By which file.
    pub timing: Timing,
    /// That file's name.
    pub name: String,
    /// Whether the file is of this machine.
    pub is_of_this_machine: bool,
    /// The time by the exact counts of a run, where those of `predicted` are predicted.
    pub by_counts: Option<f64>,
    /// The time that the program took.
    pub seconds_measured: Option<f64>,
}

impl Priced {
    /// All seconds.
    pub fn seconds(&self) -> f64 {
        self.predicted.parts.seconds()
    }

    /// Seconds of a function, without what it called in the program; 0 of one that did not run.
    pub fn seconds_of(&self, key: &FunctionKey) -> f64 {
        let is_it = |one: &&FunctionTime| {
            *one.name == *key.name && key.module.as_deref().is_none_or(|module| *one.module == *module)
        };
        let own = self.predicted.functions.iter().filter(is_it);
        own.map(|one| one.parts.seconds()).fold(0.0, |sum, one| sum + one)
    }

    /// (predicted − by counts) / by counts: what is wrong because counts are.
    pub fn frequency_error(&self) -> Option<f64> {
        let exact = self.by_counts.filter(|exact| *exact > 0.0)?;
        Some((self.seconds() - exact) / exact)
    }

    /// (by counts − measured) / measured: what is wrong although counts are exact. None where counts
    /// are predicted and no run is there.
    pub fn timing_error(&self, has_exact_counts: bool) -> Option<f64> {
        let exact = if has_exact_counts { Some(self.seconds()) } else { self.by_counts }?;
        self.seconds_measured.map(|measured| (exact - measured) / measured)
    }
}
