//! By which rules is an answer looked for, and how far?

use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

/// A way to find what a load reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RuleSet {
    /// `UseOnlyResolve`: the nearest store among the uses of the same pointer,
    /// no aliases. Quick, and never certain.
    UseOnly,
    /// `MDAResolve`: every write that can reach the load.
    MemoryAnalysis,
    /// `SLGResolve`: the stores that a recorded run saw for it.
    Profile,
    /// `NoResolve`: full dependence. The load depends on its address and is
    /// done with; closes what others leave open.
    Full,
}

impl RuleSet {
    /// The name that llvm-pred has for it.
    pub fn name(self) -> &'static str {
        match self {
            RuleSet::UseOnly => "UseOnlyResolve",
            RuleSet::MemoryAnalysis => "MDAResolve",
            RuleSet::Profile => "SLGResolve",
            RuleSet::Full => "NoResolve",
        }
    }
}

/// How far an answer may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Links from the question on.
    pub depth: u32,
    /// Nodes.
    pub nodes: usize,
    /// Steps of all searches for one answer.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 48, nodes: 256, steps: 1 << 14 }
    }
}

/// An instruction of the module.
pub type InstructionSite = (FunctionId, InstructionId);

/// Which stores a recorded run saw for which loads of global data.
pub type StoreLoadProfile = HashMap<InstructionSite, Vec<InstructionSite>>;
