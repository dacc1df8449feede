//! Which code of a module is to be there twice?
//!
//! Blocks get copies for ways in, and calls are replaced by what they call. Both are plans like those of
//! [`Edit`](crate::Edit)s, but they are carried out where clang's profile passes read, in the middle of the optimiser.

use opcost_key::{FunctionId, InstructionId};

/// What can be done with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copyable {
    /// Whether it may be there twice.
    pub can_copy: bool,
    /// Whether its branches can lead to a copy in place of a block.
    pub can_lead_elsewhere: bool,
}

/// A copy of a block for one way in. Blocks are numbered: those of the function, then copies in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct BlockCopy {
    /// The block that is copied.
    pub of: u32,
    /// The block from which control comes to the copy.
    pub from: u32,
    /// How often the copy runs.
    pub executions: u64,
    /// How often the block and this copy run together.
    pub of_both: u64,
}

/// Copies of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCopies {
    /// Which function.
    pub function: FunctionId,
    /// In the order in which they are made.
    pub copies: Vec<BlockCopy>,
    /// How often each successor is taken then: number of the block, counts by position.
    pub branches: Vec<(u32, Vec<u64>)>,
}

/// A call of the last snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallAt {
    /// The calling function.
    pub function: FunctionId,
    /// The call.
    pub instruction: InstructionId,
}

/// A call that is replaced by the function that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplacedCall {
    /// Which call.
    pub site: CallAt,
    /// How often it is carried out.
    pub executions: u64,
}
