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
    /// Of such accesses each index is within its own array, also where that is a part of the
    /// object.
    WithinArrays,
}

/// What else may be taken as given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RangeOptions {
    /// Programs do not read what they never wrote. What is in locals and on the heap at first is
    /// then left out. Otherwise it is undefined, and so anything.
    pub memory_is_written_first: bool,
    /// Whether what a value leads to counts, too.
    pub backwards: Backwards,
    /// Sums, differences and products do not overflow as signed numbers, whether
    /// they promise that or not.
    pub assume_no_overflow: bool,
    /// Only what claims of a certificate say, step by step. Loops of few iterations are not
    /// followed one iteration after the other. Two loads are not known to read the same word.
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
