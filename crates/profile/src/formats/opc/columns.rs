//! Which columns has the table of a ledger, and which cells has a fact?
//!
//! [`TABLE`] is the one list of columns; schema, writer, reader and the page for readers
//! (`document`) follow it.
//! A cell that a kind has no use for is null. Counts are UINT64.
//!
//! A column is found by its name. So a new one is no new version of the format: it goes to the
//! end of [`TABLE`], an earlier reader skips it, and in an earlier file it is null in every row.

use std::borrow::Cow;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::schema::types::{Type, TypePtr};

use crate::{Called, Ending, Fact, FunctionFacts, Subject, Way};

/// The cells of a column; what a fact has in it.
pub(super) enum Cells {
    Text(fn(&Fact) -> Option<Cow<'_, str>>),
    Flag(fn(&Fact) -> Option<bool>),
    Small(fn(&Fact) -> Option<u32>),
    Count(fn(&Fact) -> Option<u64>),
}

fn of_function<'a, T>(fact: &'a Fact, get: impl Fn(&'a FunctionFacts) -> T) -> Option<T> {
    fact.subject.function().map(|function| get(function))
}

/// Name, what it means, and what a fact has in it.
pub(super) const TABLE: [(&str, &str, Cells); 22] = [
    ("kind", "what the row is about (below)", Cells::Text(|fact| Some(kind(&fact.subject).into()))),
    (
        "module",
        "the module that holds the function",
        Cells::Text(|fact| of_function(fact, |f| f.module.as_str().into())),
    ),
    (
        "function",
        "linkage name of the function",
        Cells::Text(|fact| of_function(fact, |f| f.name.as_str().into())),
    ),
    ("local", "whether only its module can name it", Cells::Flag(|fact| of_function(fact, |f| f.is_local))),
    (
        "shape",
        "hash of its flow graph and the positions of its calls",
        Cells::Text(|fact| of_function(fact, |f| f.shape.to_string().into())),
    ),
    (
        "body",
        "hash of shape, opcodes and types",
        Cells::Text(|fact| of_function(fact, |f| f.body.to_string().into())),
    ),
    (
        "file",
        "file of a line; where a function is written or a block begins",
        Cells::Text(|fact| fact.subject.place().map(|place| Cow::from(&*place.file))),
    ),
    ("line", "its line, from 1", Cells::Small(|fact| fact.subject.place().map(|place| place.line))),
    (
        "index",
        "position of a block or edge in its function, number of a path, position of a doubt, exit status, signal",
        Cells::Small(|fact| index(&fact.subject)),
    ),
    ("way", "which way an edge is", Cells::Text(|fact| edge(fact, |_, _, _, way| Some(way.word().into())))),
    (
        "from_block",
        "where an edge comes from; null: from outside",
        Cells::Small(|fact| edge(fact, |from, _, _, _| from)),
    ),
    ("to_block", "where it leads; null: outside", Cells::Small(|fact| edge(fact, |_, to, _, _| to))),
    ("slot", "successor slot of a branch", Cells::Small(|fact| edge(fact, |_, _, slot, _| slot))),
    ("edges", "positions of the edges along a path", Cells::Text(along)),
    ("column", "which question the row answers", Cells::Text(|fact| Some(fact.column.word().into()))),
    ("value", "the answer; null if it is unknown", Cells::Count(|fact| fact.value)),
    ("unit", "what it is counted in", Cells::Text(|fact| Some(fact.unit().word().into()))),
    ("origin", "how it was had", Cells::Text(|fact| Some(fact.origin.word().into()))),
    ("quality", "how sure it is", Cells::Text(|fact| Some(fact.quality.to_string().into()))),
    ("world", "who may call exported functions", Cells::Text(|fact| Some(fact.world.word().into()))),
    (
        "name",
        "who is called, of `external` and `memory`; the words of a `doubt`. Files of schema 2 have none",
        Cells::Text(name),
    ),
    (
        "home",
        "key of a local function before its module was linked to others (`src/a.c@step`); null: `module` and \
         `function` are it",
        Cells::Text(|fact| {
            of_function(fact, |f| f.home.as_ref().map(|home| home.to_string().into())).flatten()
        }),
    ),
];

/// How many of these columns every file has: those of schema 2.
const NEEDED: usize = 20;

/// What each kind of row is about.
pub(super) const KINDS: [(&str, &str); 15] = [
    ("program", "all of the program"),
    ("function", "a function of a module"),
    ("line", "a line of the source, over all functions"),
    ("block", "a block of a function"),
    ("edge", "an edge of a function's flow graph"),
    ("path", "a path through a function (Ball and Larus 1996)"),
    ("pointers", "calls through pointers that a function makes on a line"),
    ("function-line", "a line, as far as it stands in one function"),
    ("external", "a function that is called and that no module defines"),
    ("memory", "a memory operation that becomes a library call"),
    ("assembly", "inline assembly"),
    ("internal", "calls of functions that the program defines"),
    ("doubt", "a reason why counts are not exact"),
    ("exit", "runs that ended with this status"),
    ("signal", "runs that this signal ended"),
];

pub(super) fn kind(subject: &Subject) -> &'static str {
    match subject {
        Subject::Program => "program",
        Subject::Function { .. } => "function",
        Subject::Line(_) => "line",
        Subject::Block { .. } => "block",
        Subject::Edge { .. } => "edge",
        Subject::Path { .. } => "path",
        Subject::Pointers { .. } => "pointers",
        Subject::FunctionLine { .. } => "function-line",
        Subject::Doubt(..) => "doubt",
        Subject::Called(Called::External(_)) => "external",
        Subject::Called(Called::Memory(_)) => "memory",
        Subject::Called(Called::Assembly) => "assembly",
        Subject::Called(Called::Internal) => "internal",
        Subject::Ending(Ending::Exited(_)) => "exit",
        Subject::Ending(Ending::Killed(_)) => "signal",
    }
}

fn name(fact: &Fact) -> Option<Cow<'_, str>> {
    match &fact.subject {
        Subject::Called(Called::External(name) | Called::Memory(name)) | Subject::Doubt(_, name) => {
            Some(Cow::from(&**name))
        }
        _ => None,
    }
}

/// The edges of a path: `0 4 7`.
fn along(fact: &Fact) -> Option<Cow<'_, str>> {
    let Subject::Path { edges, .. } = &fact.subject else { return None };
    Some(edges.iter().map(u32::to_string).collect::<Vec<_>>().join(" ").into())
}

fn index(subject: &Subject) -> Option<u32> {
    match subject {
        Subject::Block { block, .. } => Some(*block),
        Subject::Edge { edge, .. } => Some(*edge),
        Subject::Path { path, .. } => Some(*path),
        Subject::Doubt(position, _) => Some(*position),
        Subject::Ending(Ending::Exited(number) | Ending::Killed(number)) => Some(number.cast_unsigned()),
        _ => None,
    }
}

type End = Option<u32>;

fn edge<T>(fact: &Fact, get: impl Fn(End, End, End, Way) -> Option<T>) -> Option<T> {
    match &fact.subject {
        Subject::Edge { from, to, slot, way, .. } => get(*from, *to, *slot, *way),
        _ => None,
    }
}

/// Whether a file's table has each column that a ledger needs, and each of another type as it is
/// here; other columns are those of later versions.
pub(super) fn fits(found: &Type) -> bool {
    TABLE.iter().enumerate().all(|(position, (name, _, cells))| {
        let there = found.get_fields().iter().find(|field| field.name() == *name);
        there.map_or(position >= NEEDED, |there| **there == *field(name, cells))
    })
}

/// The table's schema.
pub(super) fn schema() -> TypePtr {
    let fields = TABLE.iter().map(|(name, _, cells)| field(name, cells)).collect();
    Arc::new(Type::group_type_builder("ledger").with_fields(fields).build().expect("a flat list of columns"))
}

fn field(name: &str, cells: &Cells) -> TypePtr {
    let (physical, logical) = match cells {
        Cells::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Cells::Flag(_) => (Physical::BOOLEAN, None),
        Cells::Small(_) => (Physical::INT32, Some(LogicalType::integer(32, false))),
        Cells::Count(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
    };
    let builder = Type::primitive_type_builder(name, physical).with_logical_type(logical);
    let field = builder.with_repetition(Repetition::OPTIONAL).build();
    Arc::new(field.expect("each type of cell is one that Parquet has"))
}
