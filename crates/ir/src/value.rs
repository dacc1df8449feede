//! What can stand as an operand of an instruction?
//!
//! Functions and blocks are operands too, as in LLVM; all other constants are in
//! the module's table.

use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::ids::{ConstantId, DeclarationId};

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The result of an instruction of the same function.
    Instruction(InstructionId),
    /// A parameter, by position.
    Argument(u32),
    /// A block, of a terminator or phi.
    Block(BlockId),
    /// A defined function.
    Function(FunctionId),
    /// A declared function.
    Declaration(DeclarationId),
    /// Any other constant: numbers, globals, expressions, assembly, metadata.
    Constant(ConstantId),
}
