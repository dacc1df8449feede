//! What is to be added to a module so that it records values? A list of edits.
//!
//! A *point* is what is recorded: the turns of a loop, or a value. A loop is
//! told to the runtime when it is entered and when it is left; between the two
//! its turns are counted in a register, and each turn is stored where it
//! survives the program, so that what a loop did is known even if it is left
//! by a jump, or never. A point may carry a check: a small program over what
//! was known at the entry, which the runtime holds against the turns.
//!
//! Ids are those of the snapshot; edits on one spot happen in the order of the
//! list.

use opcost_index::{IdMap, define_id};
use opcost_key::{FunctionId, InstructionId};

use crate::{DeclarationId, EditPoint, Value};

define_id!(
    /// What is recorded: the iterations of a loop, or a value.
    pub struct PointId, "point"
);

/// All changes to one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// What is recorded.
    pub points: IdMap<PointId, RecordPoint>,
    /// Changes to function bodies, by function.
    pub edits: Vec<(FunctionId, RecordEdit)>,
    /// Declared functions that go by another name: `vfork` is the runtime's.
    pub renames: Vec<(DeclarationId, String)>,
}

/// What is recorded, and how its bits are to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPoint {
    /// What the numbers mean.
    pub kind: PointKind,
    /// What they are held against, for a loop.
    pub check: Option<Check>,
}

/// What the recorded numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// Traversals of a loop's back edges, one number for each activation.
    BackEdges,
    /// An integer without a sign, or an address.
    Unsigned,
    /// An integer with a sign.
    Signed,
    /// A floating-point number, as a double.
    Float,
    /// How many bits of a floating-point number are significant, from the highest to the lowest
    /// that is set. None of zero and of what is not finite.
    Mantissa,
}

/// What the iterations of a loop must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Whether they must be equal to the result; otherwise not more.
    pub is_exact: bool,
    /// Whether it was claimed under assumptions.
    pub has_assumptions: bool,
    /// How the result comes about.
    pub steps: Vec<CheckStep>,
}

/// The most inputs that the check of a point may have.
pub const MOST_INPUTS: usize = 32;
/// The most steps of a check.
pub const MOST_STEPS: usize = 2048;
/// The most numbers that a check may have on its stack.
pub const MOST_DEPTH: usize = 96;
/// The most sums of a check that are nested.
pub const MOST_SUMS: usize = 4;
/// The most terms that one check may add up.
pub const MOST_TERMS: u32 = 1 << 20;

/// One step of a stack program over exact integers. What needs more than 128 bits, is divided by
/// zero or was not known is no number. What is made of it is no number, either. A choice is made of
/// what decides it and what is chosen only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckStep {
    /// Pushes it.
    Constant(i128),
    /// Pushes what was noted at the entry.
    Input(u32),
    /// The sum of the upper two.
    Add,
    /// The lower less the upper.
    Subtract,
    /// The product of the upper two.
    Multiply,
    /// The lower by the upper, rounded down.
    DivideDown,
    /// The lower by the upper, rounded up.
    DivideUp,
    /// What `DivideDown` leaves: it has the divisor's sign.
    Remainder,
    /// The smaller of the upper two.
    Minimum,
    /// The greater of the upper two.
    Maximum,
    /// The upper one modulo 2^bits, as a number with or without a sign.
    Wrap {
        /// 1 to 127.
        bits: u32,
        /// Whether the highest bit is a sign.
        is_signed: bool,
    },
    /// Of the upper four, `a b x y`: x if a and b compare so, y otherwise.
    Select(IntegerComparison),
    /// The lower by the upper, rounded towards zero.
    DivideTowardsZero,
    /// The base to the power of the upper; an exponent below zero has none.
    Power {
        /// At least 2.
        base: i128,
        /// Whether a power that does not fit is the greatest number there is:
        /// where something is divided by it, the result is the same.
        is_capped: bool,
    },
    /// The least n, not negative, with base^n not less than the upper.
    CeilLog(i128),
    /// The least n, not negative, with n² not less than the upper.
    CeilRoot,
    /// Takes a count, and repeats the steps after it up to its `SumEnd`, once for each index from 0
    /// below the count.
    Sum {
        /// By which number the steps call the index.
        index: u32,
        /// How many steps are repeated, with the `SumEnd`.
        length: u32,
    },
    /// Takes a term; after the last it pushes the sum.
    SumEnd,
    /// Pushes the index of the sum around that has this number.
    Index(u32),
}

/// How two exact integers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerComparison {
    /// a = b
    Equal,
    /// a ≠ b
    NotEqual,
    /// a < b
    Less,
    /// a ≤ b
    LessOrEqual,
}

impl CheckStep {
    /// As the runtime has it: operation, its argument, a constant. The numbers
    /// are those of `values.h`.
    pub fn encode(self) -> (u32, u32, i128) {
        match self {
            CheckStep::Constant(value) => (0, 0, value),
            CheckStep::Input(position) => (1, position, 0),
            CheckStep::Add => (2, 0, 0),
            CheckStep::Subtract => (3, 0, 0),
            CheckStep::Multiply => (4, 0, 0),
            CheckStep::DivideDown => (5, 0, 0),
            CheckStep::DivideUp => (6, 0, 0),
            CheckStep::Remainder => (7, 0, 0),
            CheckStep::Minimum => (8, 0, 0),
            CheckStep::Maximum => (9, 0, 0),
            CheckStep::Wrap { bits, is_signed } => (10, bits | u32::from(is_signed) << 8, 0),
            CheckStep::Select(comparison) => (11, comparison as u32, 0),
            CheckStep::DivideTowardsZero => (12, 0, 0),
            CheckStep::Power { base, is_capped } => (13, is_capped.into(), base),
            CheckStep::CeilLog(base) => (14, 0, base),
            CheckStep::CeilRoot => (15, 0, 0),
            CheckStep::Sum { index, length } => (16, index, length.into()),
            CheckStep::SumEnd => (17, 0, 0),
            CheckStep::Index(index) => (18, index, 0),
        }
    }

    /// The step of these three numbers.
    pub fn decode(operation: u32, argument: u32, constant: i128) -> Option<CheckStep> {
        Some(match operation {
            0 => CheckStep::Constant(constant),
            1 => CheckStep::Input(argument),
            2 => CheckStep::Add,
            3 => CheckStep::Subtract,
            4 => CheckStep::Multiply,
            5 => CheckStep::DivideDown,
            6 => CheckStep::DivideUp,
            7 => CheckStep::Remainder,
            8 => CheckStep::Minimum,
            9 => CheckStep::Maximum,
            10 => CheckStep::Wrap { bits: argument & 0xff, is_signed: argument & 0x100 != 0 },
            11 => CheckStep::Select(match argument {
                0 => IntegerComparison::Equal,
                1 => IntegerComparison::NotEqual,
                2 => IntegerComparison::Less,
                3 => IntegerComparison::LessOrEqual,
                _ => return None,
            }),
            12 => CheckStep::DivideTowardsZero,
            13 => CheckStep::Power { base: constant, is_capped: argument != 0 },
            14 => CheckStep::CeilLog(constant),
            15 => CheckStep::CeilRoot,
            16 => CheckStep::Sum { index: argument, length: u32::try_from(constant).ok()? },
            17 => CheckStep::SumEnd,
            18 => CheckStep::Index(argument),
            _ => return None,
        })
    }

    /// How many numbers it takes from the stack.
    pub fn takes(self) -> usize {
        match self {
            CheckStep::Constant(_) | CheckStep::Input(_) | CheckStep::Index(_) => 0,
            CheckStep::Wrap { .. }
            | CheckStep::Power { .. }
            | CheckStep::CeilLog(_)
            | CheckStep::CeilRoot => 1,
            CheckStep::Sum { .. } | CheckStep::SumEnd => 1,
            CheckStep::Select(_) => 4,
            _ => 2,
        }
    }
}

/// One change to one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEdit {
    /// The loop is entered: it has no iterations yet, and what its check needs is noted by the
    /// edits that follow.
    Enter {
        /// Where.
        spot: EditPoint,
        /// The loop.
        point: PointId,
    },
    /// Notes what the check of a loop needs, after its `Enter`.
    Note {
        /// Where: the spot of an `Enter`.
        spot: EditPoint,
        /// The loop.
        point: PointId,
        /// Which input.
        position: u32,
        /// What.
        input: CheckInput,
    },
    /// Keeps something in a cell of the frame, for a `Note` after it. Where the loop is entered it
    /// is no longer there, or may not be looked at.
    Hold {
        /// Where.
        spot: EditPoint,
        /// Which cell of the function, from 0; a cell that nothing was kept in
        /// has no number.
        cell: u32,
        /// What; `None`: from here on the cell has no number.
        input: Option<CheckInput>,
    },
    /// One iteration more.
    Iteration {
        /// Where.
        spot: EditPoint,
        /// The loop.
        point: PointId,
        /// Whether an iteration may have entered loops that it never left: those of frames that no
        /// longer exist.
        may_leave: bool,
    },
    /// The loop is left by one of its exits.
    Leave {
        /// Where.
        spot: EditPoint,
        /// The loop.
        point: PointId,
    },
    /// A value is recorded.
    Record {
        /// Where: it is known there.
        spot: EditPoint,
        /// The point.
        point: PointId,
        /// The value: an integer of at most 64 bits, an address or a
        /// floating-point number; no constant.
        value: Value,
    },
}

/// What a check needs, as 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckInput {
    /// An instruction or argument: an integer of at most 64 bits, or an address.
    Value(Value),
    /// An integer of so many bits (8, 16, 32, 64) in memory.
    Loaded {
        /// Where: it can be read at the entry.
        address: Value,
        /// How wide.
        bits: u32,
    },
    /// What a load would read if it were made here. Its address is that of data or of an `alloca`
    /// and so many bytes, or a value that is known here.
    Reread(InstructionId),
    /// A number.
    Number(u64),
    /// The iterations that a loop around has taken.
    Iterations(PointId),
    /// What the function keeps in this cell.
    Held(u32),
}

impl RecordEdit {
    /// Where it is.
    pub fn spot(&self) -> EditPoint {
        match *self {
            RecordEdit::Enter { spot, .. }
            | RecordEdit::Note { spot, .. }
            | RecordEdit::Hold { spot, .. }
            | RecordEdit::Iteration { spot, .. }
            | RecordEdit::Leave { spot, .. }
            | RecordEdit::Record { spot, .. } => spot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckStep, IntegerComparison};

    #[test]
    fn steps_come_back_from_their_numbers() {
        let steps = [
            CheckStep::Constant(i128::MIN),
            CheckStep::Input(7),
            CheckStep::Add,
            CheckStep::Subtract,
            CheckStep::Multiply,
            CheckStep::DivideDown,
            CheckStep::DivideUp,
            CheckStep::Remainder,
            CheckStep::Minimum,
            CheckStep::Maximum,
            CheckStep::Wrap { bits: 64, is_signed: true },
            CheckStep::Wrap { bits: 1, is_signed: false },
            CheckStep::Select(IntegerComparison::Equal),
            CheckStep::Select(IntegerComparison::NotEqual),
            CheckStep::Select(IntegerComparison::Less),
            CheckStep::Select(IntegerComparison::LessOrEqual),
            CheckStep::DivideTowardsZero,
            CheckStep::Power { base: 3, is_capped: true },
            CheckStep::CeilLog(10),
            CheckStep::CeilRoot,
            CheckStep::Sum { index: 2, length: 7 },
            CheckStep::SumEnd,
            CheckStep::Index(1),
        ];
        for step in steps {
            let (operation, argument, constant) = step.encode();
            assert_eq!(CheckStep::decode(operation, argument, constant), Some(step));
        }
        assert_eq!(CheckStep::decode(19, 0, 0), None);
        assert_eq!(CheckStep::decode(11, 4, 0), None);
    }
}
