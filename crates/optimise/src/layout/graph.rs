//! What is to be ordered? Blocks with their sizes, and jumps with their counts.

use opcost_index::{IdMap, define_id};

define_id!(
    /// A block of machine code of one function. The first one is the entry.
    pub struct CodeBlockId, "block"
);

/// A block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// Its length in bytes.
    pub bytes: u64,
    /// How often it ran.
    pub executions: u64,
}

/// A way from the end of one block to the begin of another, by a jump or by falling through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The block that ends.
    pub from: CodeBlockId,
    /// The block that runs next.
    pub to: CodeBlockId,
    /// How often control went this way.
    pub taken: u64,
}

/// A function's machine code: its blocks in the order of their addresses, the entry first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeGraph {
    /// The blocks.
    pub blocks: IdMap<CodeBlockId, CodeBlock>,
    /// The jumps, each pair of blocks at most once.
    pub jumps: Vec<Jump>,
}
