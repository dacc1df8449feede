//! Which instructions leave a program, and where do its branches go then?
//!
//! A [`Removal`] is made by looking at a [`Module`](crate::Module) and carried
//! out by the `llvm` room on the very module that the snapshot was taken of. It
//! is data; all ids are those of the snapshot, and no edit refers to what
//! another edit made.
//!
//! What carrying it out means: blocks that are no longer reached go. A phi
//! loses the inputs of edges that are gone. An operand that is named becomes
//! zero of its type, and promises about it (`nonnull`, `dereferenceable`, …)
//! are dropped. Marks are put at their spots before anything is taken away, so
//! that they are where they would be in the whole program.

use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::EditPoint;

/// All that leaves a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Changes by function, in program order.
    pub edits: Vec<(FunctionId, RemovalEdit)>,
}

/// One change to one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemovalEdit {
    /// The instruction goes. It ends no block, and nothing that stays uses it.
    Delete {
        /// The instruction.
        instruction: InstructionId,
    },
    /// The block ends in a branch to one target, whatever it ended in.
    Retarget {
        /// The block.
        block: BlockId,
        /// Where it goes.
        target: BlockId,
    },
    /// The block ends in a return of zero, whatever it ended in.
    ReturnNothing {
        /// The block.
        block: BlockId,
    },
    /// The operand is zero from now on: nobody looks at it.
    Zero {
        /// The instruction, which stays.
        instruction: InstructionId,
        /// The operand's position.
        operand: u32,
    },
}

/// Spots of a program at which a run reports that it passed, by function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventMarks {
    /// Where, and which event it is. Numbers of events begin at 0 without gaps.
    pub marks: Vec<(FunctionId, EditPoint, u32)>,
}
