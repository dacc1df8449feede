//! Which values are of a later moment than the one in question?

use std::collections::HashSet;

use opcost_ir::Value;
use opcost_key::{BlockId, InstructionId};

use crate::shape::Shape;

/// From where on values are later than the one in question.
#[derive(Clone, Debug)]
pub(crate) struct Later {
    pub(crate) block: BlockId,
    pub(crate) from: InstructionId,
    /// Whether that is where the function begins, so that parameters are not earlier.
    pub(crate) is_start: bool,
    /// Blocks that are visited after it.
    pub(crate) blocks: HashSet<BlockId>,
}

impl Later {
    /// Whether a value is not of an earlier moment.
    pub(crate) fn contains(&self, value: Value, shape: &Shape) -> bool {
        match value {
            Value::Instruction(at) => {
                let block = shape.block_of[at];
                self.blocks.contains(&block) || block == self.block && at >= self.from
            }
            _ => self.is_start,
        }
    }
}
