//! Which facts does a ledger hold of one kind of thing: a row each, in an order.

use std::cmp::Reverse;

use opcost_recover::SourceLine;

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// Functions with their calls and cost.
    Functions,
    /// Lines of the source with their cost.
    Lines,
    /// Blocks.
    Blocks,
    /// Edges between blocks.
    Edges,
    /// Paths through functions.
    Paths,
    /// Instructions in IR text.
    Instructions,
}

impl ListKind {
    /// As it is asked for.
    pub fn word(self) -> &'static str {
        match self {
            ListKind::Functions => "functions",
            ListKind::Lines => "lines",
            ListKind::Blocks => "blocks",
            ListKind::Edges => "edges",
            ListKind::Paths => "paths",
            ListKind::Instructions => "instructions",
        }
    }
}

/// How a list is sorted.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum ListSort {
    /// The most first: cost of functions and lines, else how often.
    #[default]
    Count,
    /// By name.
    Name,
    /// By file and line.
    Location,
    /// As in the ledger.
    None,
}

impl ListSort {
    /// As it is asked for.
    pub fn word(self) -> &'static str {
        match self {
            ListSort::Count => "count",
            ListSort::Name => "name",
            ListSort::Location => "place",
            ListSort::None => "none",
        }
    }
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListRow {
    /// Linkage name, if it is of a function.
    pub function: Option<String>,
    /// Module that holds the function, if it is of a function.
    pub module: Option<String>,
    /// Which block, edge, path, or the text of an instruction.
    pub what: String,
    /// File and line that it begins on, as debug information says; none without it.
    pub location: Option<SourceLine>,
    /// How often; of functions: calls.
    pub count: Option<u64>,
    /// What it cost, where a ledger has that.
    pub instructions: Option<u64>,
    /// How sure that is.
    pub quality: String,
    /// Along a path: blocks, and the lines that they begin on.
    pub blocks: Vec<u32>,
    /// Lines on which the blocks of a path begin; empty for what is no path.
    pub lines: Vec<SourceLine>,
    /// Of a line: whether `count` is how often the line itself ran.
    pub is_of_line: Option<bool>,
}

/// All rows of one kind.
#[derive(Clone, Debug)]
pub struct List {
    /// What the rows are of.
    pub kind: ListKind,
    /// Order of the rows.
    pub sort: ListSort,
    /// The rows, in that order.
    pub rows: Vec<ListRow>,
    /// What there is to say besides.
    pub notes: Vec<String>,
}

impl List {
    /// Puts the rows in order; equal ones stay in that of the ledger.
    pub fn sorted(mut self) -> List {
        match self.sort {
            ListSort::Count if matches!(self.kind, ListKind::Functions | ListKind::Lines) => {
                self.rows.sort_by_key(|row| Reverse((row.instructions, row.count)));
            }
            ListSort::Count => self.rows.sort_by_key(|row| Reverse((row.count, row.instructions))),
            ListSort::Name => {
                self.rows.sort_by(|a, b| (&a.function, &a.module).cmp(&(&b.function, &b.module)))
            }
            ListSort::Location => self.rows.sort_by(|a, b| a.location.cmp(&b.location)),
            ListSort::None => {}
        }
        self
    }

    /// The number that a row is judged by.
    pub fn measure(&self, row: &ListRow) -> Option<u64> {
        match self.kind {
            ListKind::Functions | ListKind::Lines => row.instructions,
            ListKind::Blocks | ListKind::Edges | ListKind::Paths | ListKind::Instructions => row.count,
        }
    }
}
