//! Which results are to be computed in fewer bits?
//!
//! A [`Narrowing`] is made by looking at a [`Module`](crate::Module) and its
//! ranges and carried out by the `llvm` room on the very module that the
//! snapshot was taken of. It is data; all ids are those of the snapshot.
//!
//! What carrying out an entry means: each operand that is a number (not the
//! condition of a `select`, not the block of a `phi`) is had in `bits` bits:
//! its own narrow form, cut or widened with the sign that it has, or else its
//! low bits. The operation is done on those, without any promise. Unless it is
//! a comparison, whose result is as before, the result is widened with
//! `widened` for who was not narrowed.

use opcost_key::{FunctionId, InstructionId};

use crate::{Opcode, Predicate};

/// All results of a module that are to be computed in fewer bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowing {
    /// By function; in each so that what is no phi comes after its operands.
    pub functions: Vec<(FunctionId, Vec<Narrow>)>,
}

/// One result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Narrow {
    /// What computes it now.
    pub instruction: InstructionId,
    /// What computes it then: the same, or the unsigned form of a signed
    /// operation on what is never negative.
    pub opcode: Opcode,
    /// Of a comparison.
    pub predicate: Option<Predicate>,
    /// In how many bits; of a comparison those of its sides.
    pub bits: u32,
    /// How the narrow result becomes the whole one.
    pub widened: Widened,
}

/// How a narrow number becomes a wide one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widened {
    /// By zeros.
    Zeros,
    /// By its sign.
    Sign,
}
