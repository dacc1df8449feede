//! What do functions do that a module only declares?
//!
//! A closure of the test stands for them: it sees memory, the name and the
//! arguments, and gives a [`Reply`]. Limit: it does not see who calls.

use crate::memory::Memory;
use crate::scalar::Scalar;

/// What a function that is only declared does.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// It returns this.
    Value(Scalar),
    /// It returns, without a result.
    Nothing,
    /// It throws.
    Unwind,
    /// It ends the program.
    Stop,
    /// It is not known here; the interpreter may know it.
    Unknown,
}

/// The functions that a module only declares: memory, name, arguments.
pub type ExternalCalls<'a> = dyn FnMut(&mut Memory, &str, &[Scalar]) -> Reply + 'a;

/// No function is known but those that the interpreter has.
pub fn nothing_known(_: &mut Memory, _: &str, _: &[Scalar]) -> Reply {
    Reply::Unknown
}
