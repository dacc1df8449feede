//! What is known of functions that are replaced while a program runs?
//!
//! A function has a symbol in the program, loops at which its running activations are left, and values there. A version
//! is made by a plan: which loops it continues, and what is known of an activation and of branches. These are plain
//! values, which all rooms between the compiler and the supervisor pass on.

use serde::{Deserialize, Serialize};

/// A function of a program whose functions are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplaceableFunction {
    /// Its name in maps.
    pub name: String,
    /// Its symbol in the program.
    pub symbol: String,
    /// Its instructions.
    pub instructions: u64,
    /// Whether no other definition can be linked in its place.
    pub is_only: bool,
    /// Why it has no versions.
    pub why_not: Option<String>,
    /// Why its running activations are not left.
    pub why_stays: Option<String>,
    /// Loops at which they are.
    pub loops: Vec<ReplaceableLoop>,
    /// Variables that it reads, and their bytes.
    pub variables: Vec<(String, u64)>,
}

/// A loop at whose header a running activation may be left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplaceableLoop {
    /// Number of the header's block in its function.
    pub block: u32,
    /// 1 is an outermost loop.
    pub depth: u32,
    /// The header of the next such loop around it.
    pub outer: Option<u32>,
    /// What the rest of the function needs, in order.
    pub values: Vec<LiveValue>,
}

/// A value that the rest of a function needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveValue {
    /// Whether it is the same in all iterations of all loops around.
    pub is_fixed: bool,
    /// Its offset in the record of all values.
    pub offset: u32,
    /// Its bytes, if it is a whole number or a pointer; else 0.
    pub bytes: u32,
    /// Bytes of the frame's object that it points to; 0 if it points to none.
    pub object: u64,
}

/// A version that is wanted of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionPlan {
    /// The function's symbol.
    pub symbol: String,
    /// Headers of loops that get continuations.
    pub headers: Vec<u32>,
    /// What is known of an activation at one of them.
    pub activation: Option<ActivationFacts>,
    /// What is known of branches, of it and of what it calls.
    pub weights: Vec<FunctionWeights>,
    /// Symbols of functions that its module only declares, and that have words.
    pub words: Vec<String>,
    /// Whether there is a whole function to be entered.
    pub has_entry: bool,
    /// Whether all that this processor can do may be used.
    pub is_native: bool,
}

/// What is known of a running activation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivationFacts {
    /// The header at which its values were recorded.
    pub header: u32,
    /// In the order of [`ReplaceableLoop::values`].
    pub values: Vec<ValueFact>,
    /// Objects that were read then.
    pub memory: Vec<MemoryFact>,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueFact {
    /// Nothing.
    Unknown,
    /// No loop changes it.
    Fixed(u64),
    /// At that moment it was this.
    Once(u64),
}

/// The first bytes of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryFact {
    /// Which object.
    pub object: LiveObject,
    /// What it held.
    pub bytes: Vec<u8>,
}

/// An object of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LiveObject {
    /// A variable, by its symbol.
    Variable(String),
    /// What a value at the header points to: an object of its frame.
    Frame(u32),
}

/// How often branches of a function were taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionWeights {
    /// The function's symbol.
    pub symbol: String,
    /// How often it was called.
    pub entries: u64,
    /// Block, position of the successor, how often; by block.
    pub branches: Vec<(u32, u32, u64)>,
}
