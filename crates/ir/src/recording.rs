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

use crate::{DeclarationId, Spot, Value};

define_id!(
    /// What is recorded: the turns of a loop, or a value.
    pub struct PointId, "point"
);

/// All changes to one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// What is recorded.
    pub points: IdMap<PointId, Point>,
    /// Changes to function bodies, by function.
    pub edits: Vec<(FunctionId, RecordEdit)>,
    /// Declared functions that go by another name: `vfork` is the runtime's.
    pub renames: Vec<(DeclarationId, String)>,
}

/// What is recorded, and how its bits are to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// What the numbers mean.
    pub kind: PointKind,
    /// What they are held against, for a loop.
    pub check: Option<Check>,
}

/// What the recorded numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// Traversals of a loop's back edges, one number for each activation.
    Turns,
    /// An integer without a sign, or an address.
    Unsigned,
    /// An integer with a sign.
    Signed,
    /// A floating-point number, as a double.
    Float,
    /// How many bits of a floating-point number are significant: from the highest
    /// to the lowest that is set; none of zero and of what is not finite.
    Mantissa,
}

/// What the turns of a loop must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Whether they must be equal to the result; otherwise not more.
    pub is_exact: bool,
    /// Whether it was claimed under assumptions.
    pub has_assumptions: bool,
    /// How the result comes about.
    pub steps: Vec<Step>,
}

/// The most inputs that the check of a point may have.
pub const MOST_INPUTS: usize = 32;
/// The most steps of a check.
pub const MOST_STEPS: usize = 2048;
/// The most numbers that a check may have on its stack.
pub const MOST_DEPTH: usize = 96;
/// The most sums of a check that lie within one another.
pub const MOST_SUMS: usize = 4;
/// The most terms that one check may add up.
pub const MOST_TERMS: u32 = 1 << 20;

/// One step of a stack program over exact integers. What needs more than 128
/// bits, is divided by zero or was not known is no number, and so is what is
/// made of it; a choice is made of what decides it and what is chosen only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
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
    Select(Comparison),
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
    /// Takes a count, and repeats the steps behind it up to its `SumEnd`, once
    /// for each index from 0 below the count.
    Sum {
        /// By which number the steps call the index.
        index: u32,
        /// How many steps are repeated, with the `SumEnd`.
        length: u32,
    },
    /// Takes a term; behind the last it pushes the sum.
    SumEnd,
    /// Pushes the index of the sum around that has this number.
    Index(u32),
}

/// How two exact integers compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// a = b
    Equal,
    /// a ≠ b
    NotEqual,
    /// a < b
    Less,
    /// a ≤ b
    LessOrEqual,
}

impl Step {
    /// As the runtime has it: operation, its argument, a constant. The numbers
    /// are those of `values.h`.
    pub fn encode(self) -> (u32, u32, i128) {
        match self {
            Step::Constant(value) => (0, 0, value),
            Step::Input(position) => (1, position, 0),
            Step::Add => (2, 0, 0),
            Step::Subtract => (3, 0, 0),
            Step::Multiply => (4, 0, 0),
            Step::DivideDown => (5, 0, 0),
            Step::DivideUp => (6, 0, 0),
            Step::Remainder => (7, 0, 0),
            Step::Minimum => (8, 0, 0),
            Step::Maximum => (9, 0, 0),
            Step::Wrap { bits, is_signed } => (10, bits | u32::from(is_signed) << 8, 0),
            Step::Select(comparison) => (11, comparison as u32, 0),
            Step::DivideTowardsZero => (12, 0, 0),
            Step::Power { base, is_capped } => (13, is_capped.into(), base),
            Step::CeilLog(base) => (14, 0, base),
            Step::CeilRoot => (15, 0, 0),
            Step::Sum { index, length } => (16, index, length.into()),
            Step::SumEnd => (17, 0, 0),
            Step::Index(index) => (18, index, 0),
        }
    }

    /// The step of these three numbers.
    pub fn decode(operation: u32, argument: u32, constant: i128) -> Option<Step> {
        Some(match operation {
            0 => Step::Constant(constant),
            1 => Step::Input(argument),
            2 => Step::Add,
            3 => Step::Subtract,
            4 => Step::Multiply,
            5 => Step::DivideDown,
            6 => Step::DivideUp,
            7 => Step::Remainder,
            8 => Step::Minimum,
            9 => Step::Maximum,
            10 => Step::Wrap { bits: argument & 0xff, is_signed: argument & 0x100 != 0 },
            11 => Step::Select(match argument {
                0 => Comparison::Equal,
                1 => Comparison::NotEqual,
                2 => Comparison::Less,
                3 => Comparison::LessOrEqual,
                _ => return None,
            }),
            12 => Step::DivideTowardsZero,
            13 => Step::Power { base: constant, is_capped: argument != 0 },
            14 => Step::CeilLog(constant),
            15 => Step::CeilRoot,
            16 => Step::Sum { index: argument, length: u32::try_from(constant).ok()? },
            17 => Step::SumEnd,
            18 => Step::Index(argument),
            _ => return None,
        })
    }

    /// How many numbers it takes from the stack.
    pub fn takes(self) -> usize {
        match self {
            Step::Constant(_) | Step::Input(_) | Step::Index(_) => 0,
            Step::Wrap { .. } | Step::Power { .. } | Step::CeilLog(_) | Step::CeilRoot => 1,
            Step::Sum { .. } | Step::SumEnd => 1,
            Step::Select(_) => 4,
            _ => 2,
        }
    }
}

/// One change to one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordEdit {
    /// The loop is entered: its turns are none, and what its check needs is
    /// noted by the edits that follow.
    Enter {
        /// Where.
        spot: Spot,
        /// The loop.
        point: PointId,
    },
    /// Notes what the check of a loop needs, behind its `Enter`.
    Note {
        /// Where: the spot of an `Enter`.
        spot: Spot,
        /// The loop.
        point: PointId,
        /// Which input.
        position: u32,
        /// What.
        input: Input,
    },
    /// Keeps something in a cell of the frame, for a `Note` behind it: what is
    /// there no more, or may not be looked at, where the loop is entered.
    Hold {
        /// Where.
        spot: Spot,
        /// Which cell of the function, from 0; a cell that nothing was kept in
        /// has no number.
        cell: u32,
        /// What; `None`: from here on the cell has no number.
        input: Option<Input>,
    },
    /// One turn more.
    Turn {
        /// Where.
        spot: Spot,
        /// The loop.
        point: PointId,
        /// Whether a turn may have entered loops that it never left: those of
        /// frames that are gone.
        may_leave: bool,
    },
    /// The loop is left by one of its exits.
    Leave {
        /// Where.
        spot: Spot,
        /// The loop.
        point: PointId,
    },
    /// A value is recorded.
    Record {
        /// Where: it is known there.
        spot: Spot,
        /// The point.
        point: PointId,
        /// The value: an integer of at most 64 bits, an address or a
        /// floating-point number; no constant.
        value: Value,
    },
}

/// What a check needs, as 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// An instruction or argument: an integer of at most 64 bits, or an address.
    Value(Value),
    /// An integer of so many bits (8, 16, 32, 64) in memory.
    Loaded {
        /// Where: it can be read at the entry.
        address: Value,
        /// How wide.
        bits: u32,
    },
    /// What a load would read if it were made here: its address is that of
    /// data or of an `alloca` and so many bytes, or a value that is known here.
    Reread(InstructionId),
    /// A number.
    Number(u64),
    /// The turns that a loop around has taken.
    Turns(PointId),
    /// What the function keeps in this cell.
    Held(u32),
}

impl RecordEdit {
    /// Where it stands.
    pub fn spot(&self) -> Spot {
        match *self {
            RecordEdit::Enter { spot, .. }
            | RecordEdit::Note { spot, .. }
            | RecordEdit::Hold { spot, .. }
            | RecordEdit::Turn { spot, .. }
            | RecordEdit::Leave { spot, .. }
            | RecordEdit::Record { spot, .. } => spot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Step};

    #[test]
    fn steps_come_back_from_their_numbers() {
        let steps = [
            Step::Constant(i128::MIN),
            Step::Input(7),
            Step::Add,
            Step::Subtract,
            Step::Multiply,
            Step::DivideDown,
            Step::DivideUp,
            Step::Remainder,
            Step::Minimum,
            Step::Maximum,
            Step::Wrap { bits: 64, is_signed: true },
            Step::Wrap { bits: 1, is_signed: false },
            Step::Select(Comparison::Equal),
            Step::Select(Comparison::NotEqual),
            Step::Select(Comparison::Less),
            Step::Select(Comparison::LessOrEqual),
            Step::DivideTowardsZero,
            Step::Power { base: 3, is_capped: true },
            Step::CeilLog(10),
            Step::CeilRoot,
            Step::Sum { index: 2, length: 7 },
            Step::SumEnd,
            Step::Index(1),
        ];
        for step in steps {
            let (operation, argument, constant) = step.encode();
            assert_eq!(Step::decode(operation, argument, constant), Some(step));
        }
        assert_eq!(Step::decode(19, 0, 0), None);
        assert_eq!(Step::decode(11, 4, 0), None);
    }
}
