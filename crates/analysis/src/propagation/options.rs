//! What else may be taken as given, where a user says so?

use opcost_ir::{Flags, Opcode};

/// Whether what a value leads to counts. Where it does, ranges say nothing of executions
/// that do something undefined later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backwards {
    /// It does not.
    #[default]
    No,
    /// An access that certainly follows keeps its index within the whole object.
    WithinObjects,
    /// Of such accesses each index lies in its own array, also where that is a part of
    /// the object.
    WithinArrays,
}

/// What else may be taken as given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeOptions {
    /// Programs do not read what they never wrote: then what lies in locals and
    /// on the heap at first is left out, where it is undefined otherwise, and so
    /// anything.
    pub memory_is_written_first: bool,
    /// Whether what a value leads to counts, too.
    pub backwards: Backwards,
    /// Sums, differences and products do not overflow as signed numbers, whether
    /// they promise that or not.
    pub assume_no_overflow: bool,
    /// Only what claims of a certificate say, step by step: not what loops of few turns
    /// do one turn after the other, nor that two loads read the same word.
    pub stepwise: bool,
}

impl RangeOptions {
    /// The flags of an instruction.
    pub(super) fn flags(self, opcode: Opcode, flags: Flags) -> Flags {
        match opcode {
            Opcode::Add | Opcode::Sub | Opcode::Mul if self.assume_no_overflow => flags.with(Flags::NSW),
            _ => flags,
        }
    }
}
