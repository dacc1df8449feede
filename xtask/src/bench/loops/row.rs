//! What one side says of one loop.
//!
//! LLVM's answers and ours become rows of this one form, so that they can be joined, and
//! looked up in the list of loops that hang on data.

/// What is known of a count, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A number.
    Constant,
    /// A formula over named inputs; LLVM's: over parameters.
    Inputs,
    /// A formula over anything else.
    Loads,
    /// No formula, but a maximum.
    Bound,
    /// Nothing.
    Unknown,
}

impl Kind {
    pub(super) const ALL: [Self; 5] = [Self::Constant, Self::Inputs, Self::Loads, Self::Bound, Self::Unknown];

    pub(super) fn is_exact(self) -> bool {
        self <= Self::Loads
    }
}

/// What one of the two says of one loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) function: String,
    /// The header's place among the function's blocks; none for a region that
    /// has no header.
    pub(super) header: Option<u32>,
    /// Without its folder; empty without debug information.
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) depth: u32,
    pub(super) is_vectorized: bool,
    pub(super) kind: Kind,
    pub(super) back_edges: Option<u128>,
    /// Why not, if not.
    pub(super) words: String,
}

impl Row {
    /// For a line of a list.
    pub(super) fn location(&self) -> String {
        format!("{}:{} in {}, block {}", self.file, self.line, self.function, self.header.unwrap_or(0))
    }
}

/// A row of the function f in a.c, its line ten times its header.
#[cfg(test)]
pub(super) fn example(header: u32, kind: Kind, back_edges: Option<u128>) -> Row {
    Row {
        function: "f".to_owned(),
        header: Some(header),
        file: "a.c".to_owned(),
        line: 10 * header,
        depth: 1,
        is_vectorized: false,
        kind,
        back_edges,
        words: String::new(),
    }
}
