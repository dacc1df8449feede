//! What is asked of code that is replaced while it runs?

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::module::CodeOptions;

/// What becomes of a module whose functions are replaced.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LiveWish {
    /// Its number among those of the program.
    pub number: u32,
    /// Where the bitcode goes of which later versions are made.
    pub basis: PathBuf,
    /// The optimiser's level for first versions.
    pub level: u8,
    /// What can be replaced.
    pub replaced: Replaced,
}

/// What of a program can be replaced while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Replaced {
    /// Nothing.
    Nothing,
    /// Functions, where they are entered.
    Entries,
    /// So are loops that run.
    Loops,
}

/// A function of a program whose functions are replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveFunction {
    /// Its name in maps.
    pub name: String,
    /// Its symbol in the program.
    pub symbol: String,
    /// Why it has no versions.
    pub why_not: Option<String>,
    /// Why its running activations are not left.
    pub why_stays: Option<String>,
    /// Loops at which they are.
    pub loops: Vec<LiveLoop>,
    /// Variables that it reads, and their bytes.
    pub variables: Vec<(String, u64)>,
}

/// A loop at whose header a running activation may be left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveLoop {
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
    /// Where it lies among the values.
    pub offset: u32,
    /// Its bytes, if it is a whole number or a pointer; else 0.
    pub bytes: u32,
    /// Bytes of the frame's object that it points to; 0 if it points to none.
    pub object: u64,
}

/// A version of one function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VersionJob {
    /// Bitcode of its module.
    pub basis: PathBuf,
    /// Its symbol.
    pub symbol: String,
    /// Headers of loops that get continuations.
    pub headers: Vec<u32>,
    /// What is known of an activation at one of them.
    pub known: Option<KnownActivation>,
    /// What is known of branches, of it and of what it calls.
    pub weights: Vec<FunctionWeights>,
    /// The optimiser's level.
    pub level: u8,
    /// Whether there is a whole function to be entered.
    pub has_entry: bool,
    /// Whether all that this processor can do may be used.
    pub is_native: bool,
    /// How machine code is generated.
    pub code: CodeOptions,
    /// The object file.
    pub output: PathBuf,
}

/// What is known of a running activation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownActivation {
    /// The header at which its values were written down.
    pub header: u32,
    /// In the order of [`LiveLoop::values`].
    pub values: Vec<KnownValue>,
    /// Objects that were read then.
    pub memory: Vec<KnownMemory>,
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KnownValue {
    /// Nothing.
    Unknown,
    /// No loop changes it.
    Fixed(u64),
    /// At that moment it was this.
    Once(u64),
}

/// The first bytes of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownMemory {
    /// Which object.
    pub object: KnownObject,
    /// What it held.
    pub bytes: Vec<u8>,
}

/// An object of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KnownObject {
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

/// A version that was made: an object with `opc.entry`, and `opc.rest` with the number of each header.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MadeVersion {
    /// Seconds of processor time that it took.
    pub seconds: f64,
}
