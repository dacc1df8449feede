//! What is to be added to a module so that it spends fuel? A list of edits.
//!
//! One cell in memory holds the fuel that is left; every metered function
//! keeps a copy of it in a register of its own. While both are apart the
//! register may be ahead of the cell by work that was paid for and not done
//! yet, or behind it: by how much is known at every point of the function and
//! stands in the edits as `advance`, so that the cell always means what is
//! left after the work that was done.
//!
//! ```text
//! cell     = limit - work done
//! register = limit - work paid for = cell - advance
//! ```
//!
//! Where both ends of a call belong to us, the register need not go through the
//! cell: functions in `hand_functions` take what is left from the hand of their
//! callers and give it back into it. Then the cell is out of date until someone
//! stores. A hand is one more value of the call, which lives in a register of
//! the machine where the target has one for it (LLVM's `swifterror`); it is
//! worth nothing behind a call that ended in any way but a return.
//!
//! Ids are those of the snapshot; edits on one spot happen in the order of the
//! list.

use opcost_index::{IdMap, IdSet, define_id};
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::{EditPoint, Length};

define_id!(
    /// A place where a program can be stopped.
    pub struct SiteId, "site"
);

define_id!(
    /// Straight code of one function, between two looks at the cell.
    pub struct StraightId, "straight code"
);

/// When an instruction is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charged {
    /// With the straight code that it is in.
    InPlace,
    /// The same, and what the function that it calls does is charged with it.
    WithCallee,
    /// Before its loop began, with all iterations of the loop.
    Ahead,
}

/// All changes to one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metering {
    /// Changes to function bodies, by function.
    pub edits: Vec<(FunctionId, FuelEdit)>,
    /// Where a check stops the program.
    pub sites: IdMap<SiteId, MeteredSite>,
    /// Functions that are called with what is left in the hand and return with
    /// it, by each of their calls.
    pub hand_functions: IdSet<FunctionId>,
    /// Whether a program that a check stops is at its end: control never gets to what is after the
    /// stop.
    pub ends_at_limit: bool,
}

/// Where what is left is, while no register of the function has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BalanceLocation {
    /// In the cell.
    Cell,
    /// On its way through a call or a return.
    Hand,
}

/// Where a check is, in words of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeteredSite {
    /// Linkage name of the function whose work it is.
    pub function: String,
    /// Its source file; empty without debug information.
    pub file: String,
    /// Line, or 0.
    pub line: u32,
}

/// One change to one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuelEdit {
    /// register = kept - advance.
    Load {
        /// By whom.
        location: BalanceLocation,
        /// Where.
        spot: EditPoint,
        /// What is paid for and not done at this spot.
        advance: i64,
    },
    /// kept = register + advance.
    Store {
        /// By whom.
        location: BalanceLocation,
        /// Where.
        spot: EditPoint,
        /// What is paid for and not done at this spot.
        advance: i64,
    },
    /// register -= amount.
    Charge {
        /// Where.
        spot: EditPoint,
        /// What is paid for; below zero what was paid too much comes back.
        amount: i64,
    },
    /// register -= what the instruction is about to work on, in units.
    ChargeLength {
        /// The instruction.
        instruction: InstructionId,
        /// Where the number of bytes is to be had.
        length: Length,
    },
    /// register -= cost of going round, times how often the loop will go round.
    ChargeTrips {
        /// The branch that leads into the loop.
        instruction: InstructionId,
        /// How often.
        trips: Trips,
        /// Once round: at most [`Trips::MOST_COST`].
        cost: u32,
    },
    /// Stops the program if more work was done than there was fuel.
    Check {
        /// Where.
        spot: EditPoint,
        /// What is paid for and not done at this spot.
        advance: i64,
        /// Where that is in the source.
        site: SiteId,
    },
    /// From here on what was left where straight code began is the register and this. It is a note
    /// for anyone who ends the program between two settlements. It costs no code.
    NoteBalance {
        /// Where.
        spot: EditPoint,
        /// What was paid for and not done where the straight code began.
        advance: i64,
        /// Which straight code of the function.
        straight: StraightId,
    },
    /// How much of its straight code is done once this instruction has begun: a
    /// note that goes along with the instruction. It costs no code.
    Reach {
        /// The instruction.
        instruction: InstructionId,
        /// Of which straight code it is.
        straight: StraightId,
        /// The weight of that code up to the instruction, which counts.
        done: i64,
        /// Whether what is done here is charged as it is done.
        charged: Charged,
    },
    /// The block ends in a branch to one that only returns: it gets that
    /// block's `ret` in place of the branch.
    ReturnHere {
        /// The block that branches.
        block: BlockId,
    },
}

/// How often a loop takes its back edge, as code before the loop can compute it. D is bound - start
/// (start - bound of one that moves down), modulo the counter's width. The result is
/// `D >> step_bits` if the counter is tested before its step, and `(D - 2^step_bits) >> step_bits` if
/// after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trips {
    /// The phi; it starts with what comes from where the charge is.
    pub counter: InstructionId,
    /// The comparison with the bound.
    pub test: InstructionId,
    /// Which operand of the comparison is the bound: 0 or 1.
    pub bound: u32,
    /// Whether the counter is tested after its step.
    pub is_next_tested: bool,
    /// The counter moves by so many bits' power of two.
    pub step_bits: u32,
    /// Whether it moves down.
    pub is_down: bool,
    /// Whether D is known to be a multiple of the step: otherwise the loop may
    /// have no end.
    pub is_divisible: bool,
}

impl Trips {
    /// A loop that goes round more often, or for ever, is charged as this often:
    /// no limit is that high, and the product still fits.
    pub const MOST: u64 = 1 << 50;
    /// The most that going round once may cost.
    pub const MOST_COST: u32 = 1 << 12;
}

impl FuelEdit {
    /// Where it is.
    pub fn spot(&self) -> Option<EditPoint> {
        match *self {
            FuelEdit::Load { spot, .. }
            | FuelEdit::Store { spot, .. }
            | FuelEdit::Charge { spot, .. }
            | FuelEdit::NoteBalance { spot, .. }
            | FuelEdit::Check { spot, .. } => Some(spot),
            FuelEdit::ChargeLength { instruction, .. } | FuelEdit::ChargeTrips { instruction, .. } => {
                Some(EditPoint::Before(instruction))
            }
            FuelEdit::ReturnHere { .. } | FuelEdit::Reach { .. } => None,
        }
    }

    /// The instruction that it is before, when it is named by one.
    pub fn before(&self) -> Option<InstructionId> {
        match self.spot() {
            Some(EditPoint::Before(instruction)) => Some(instruction),
            _ => None,
        }
    }
}
