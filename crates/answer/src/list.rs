//! Which facts does a ledger hold of one kind of thing: a row each, in an order.

use std::cmp::Reverse;

use opcost_recover::SourceLine;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::document::define_document;

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
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
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ListSort {
    /// The most first: cost of functions and lines, else how often.
    #[default]
    Count,
    /// By name.
    Name,
    /// By file and line.
    #[serde(rename = "place")]
    Location,
    /// As in the ledger.
    None,
}

/// One row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RowJson")]
pub struct ListRow {
    /// Linkage name; null for a line of the source.
    pub function: Option<String>,
    /// The module that holds it.
    pub module: Option<String>,
    /// Which block, edge or path of the function, or the instruction in IR text.
    pub what: String,
    /// The file that it begins in.
    pub file: Option<String>,
    /// The line that it begins on.
    pub line: Option<u32>,
    /// How often it ran or was taken; of a function: calls. Null when unknown.
    pub count: Option<u64>,
    /// What it cost under the ledger's cost model, where a ledger has that.
    pub instructions: Option<u64>,
    /// exact, exact-under(…), lower bound, estimate or unknown(…).
    pub quality: String,
    /// Of a line: whether `count` is how often the line itself ran. False of optimised code, in which a copy of a
    /// line may do several of its executions. Null of all others.
    pub count_is_executions: Option<bool>,
    /// The blocks along a path.
    pub blocks: Vec<u32>,
    /// The lines that the blocks of a path begin on.
    #[serde(serialize_with = "as_texts")]
    #[schemars(with = "Vec<String>")]
    pub lines: Vec<SourceLine>,
}

impl ListRow {
    /// The same, beginning there.
    pub fn at(mut self, location: Option<SourceLine>) -> ListRow {
        (self.file, self.line) = location.map(|at| (at.file, at.line)).unzip();
        self
    }

    /// Where it begins, as debug information says; none without it.
    pub fn location(&self) -> Option<SourceLine> {
        Some(SourceLine { file: self.file.clone()?, line: self.line? })
    }
}

/// `prog.c:3`
fn as_texts<S: Serializer>(lines: &[SourceLine], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().map(|line| format!("{}:{}", line.file, line.line)))
}

define_document!(
    /// Which document it is.
    pub struct ListDocumentName = "opcost.list/1"
);

/// All rows of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(title = "opcost.list/1")]
pub struct List {
    /// Always `opcost.list/1`.
    pub schema: ListDocumentName,
    /// functions, lines, blocks, edges, paths or instructions.
    #[schemars(with = "String")]
    pub kind: ListKind,
    /// How rows are sorted: count, name, place or none (as in the ledger).
    #[schemars(with = "String")]
    pub sort: ListSort,
    /// All rows.
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
            ListSort::Location => self.rows.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line))),
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
