//! Which columns has the table of a ledger, and which cells has a row?
//!
//! A row is a count ([`Fact`]) or another answer ([`AnswerRow`]). An answer is told by `key`,
//! `form` and `answer`, as text, since it may be of any size; what readers search and compute with
//! (`kind`, `function`, `value`, `least`, `members`, …) follows from these.
//!
//! [`TABLE`] is the one list of columns; schema, writer, reader and the page for readers
//! (`document`) follow it.
//! A cell that a kind has no use for is null. Counts are UINT64.
//!
//! A ledger of counts has no columns for anything else ([`of`]).
//!
//! A column is found by its name. So a new one is no new version of the format: it goes to the
//! end of [`TABLE`], an earlier reader skips it, and in an earlier file it is null in every row.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use opcost_index::Id;
use opcost_key::{Key, Part};
use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
use parquet::schema::types::{Type, TypePtr};

use crate::answers::Integer;
use crate::{
    Answer, AnswerRow, AnswerState, Assumption, Called, Certainty, Column, Fact, FunctionFacts, Ledger,
    ProcessEnding, Subject, Way,
};

/// What a row of the table holds.
#[derive(Clone, Copy)]
pub(super) enum Row<'a> {
    /// A count; of what a line costs also the hash of what is written on it.
    Fact(&'a Fact, Option<u32>),
    /// Anything else.
    Answer(&'a AnswerRow),
}

/// The cells of a column; what a row has in it.
pub(super) enum Cells {
    Text(for<'a> fn(Row<'a>) -> Option<Cow<'a, str>>),
    Flag(for<'a> fn(Row<'a>) -> Option<bool>),
    Small(for<'a> fn(Row<'a>) -> Option<u32>),
    Count(for<'a> fn(Row<'a>) -> Option<u64>),
    /// Of at most 38 digits.
    Decimal(for<'a> fn(Row<'a>) -> Option<i128>),
    /// A list of such.
    Decimals(for<'a> fn(Row<'a>) -> Option<Vec<i128>>),
    /// A list of assumptions.
    Assumptions(for<'a> fn(Row<'a>) -> Option<&'a BTreeSet<Assumption>>),
}

/// A column of the table.
pub(super) struct TableColumn {
    /// Its name.
    pub(super) name: &'static str,
    /// What it means, in words.
    pub(super) meaning: &'static str,
    /// What rows have in it.
    pub(super) cells: Cells,
}

const fn text(
    name: &'static str,
    meaning: &'static str,
    cells: for<'a> fn(Row<'a>) -> Option<Cow<'a, str>>,
) -> TableColumn {
    TableColumn { name, meaning, cells: Cells::Text(cells) }
}

const fn small(
    name: &'static str,
    meaning: &'static str,
    cells: for<'a> fn(Row<'a>) -> Option<u32>,
) -> TableColumn {
    TableColumn { name, meaning, cells: Cells::Small(cells) }
}

/// All columns, in the order of files.
pub(super) static TABLE: [TableColumn; 30] = [
    text("kind", "what the row is about (below)", |row| Some(kind(row).into())),
    text("module", "the module of the function; of an answer (`key`) the one that it is local to", module),
    text("function", "linkage name of the function", |row| match row {
        Row::Fact(fact, _) => of_function(fact, |f| f.name.as_str().into()),
        Row::Answer(answer) => answer.key.function().map(|function| Cow::from(&*function.name)),
    }),
    TableColumn {
        name: "local",
        meaning: "whether only its module can name it",
        cells: Cells::Flag(|row| match row {
            Row::Fact(fact, _) => of_function(fact, |f| f.is_local),
            Row::Answer(answer) => answer.key.function().map(|function| function.module.is_some()),
        }),
    },
    text("shape", "hash of its flow graph and the positions of its calls", |row| {
        of_function(row.fact()?, |f| f.shape.to_string().into())
    }),
    text("body", "hash of shape, opcodes and types", |row| {
        of_function(row.fact()?, |f| f.body.to_string().into())
    }),
    text("file", "file of a line, of a function, or of the begin of a block", |row| {
        place(row).map(|(file, _)| file.into())
    }),
    small("line", "its line, from 1", |row| place(row).map(|(_, line)| line)),
    small(
        "index",
        "position of a parameter, block, edge or instruction in its function. Of a loop that of its header. Also the \
         number of a path (null beyond 32 bits), position of a doubt, exit status, signal",
        |row| match row {
            Row::Fact(fact, _) => index(&fact.subject),
            Row::Answer(answer) => index_of(&answer.key),
        },
    ),
    text("way", "kind of an edge (below)", |row| edge(row, |_, _, _, way| Some(way.word().into()))),
    small("from_block", "where an edge comes from; null: from outside", |row| {
        edge(row, |from, _, _, _| from)
    }),
    small("to_block", "where it leads; null: outside", |row| edge(row, |_, to, _, _| to)),
    small("slot", "successor slot of a branch", |row| edge(row, |_, _, slot, _| slot)),
    text("edges", "positions of the edges along a path", along),
    text("column", "which question the row answers", |row| {
        Some(match row {
            Row::Fact(fact, _) => fact.column.word().into(),
            Row::Answer(answer) => answer.column.word().into(),
        })
    }),
    TableColumn {
        name: "value",
        meaning: "the answer, if it is a number from 0 to 2^64 - 1; null if it is unknown",
        cells: Cells::Count(|row| match row {
            Row::Fact(fact, _) => fact.value,
            Row::Answer(answer) => match answer.state.answer()? {
                Answer::Number(number) => number.to_u64(),
                _ => None,
            },
        }),
    },
    text("unit", "what it is counted in", |row| {
        Some(match row {
            Row::Fact(fact, _) => fact.unit().word().into(),
            Row::Answer(answer) => answer.column.unit().word().into(),
        })
    }),
    text("origin", "how it was obtained", |row| {
        Some(match row {
            Row::Fact(fact, _) => fact.origin.word().into(),
            Row::Answer(answer) => answer.origin.word().into(),
        })
    }),
    text("quality", "how sure it is", |row| {
        Some(match row {
            Row::Fact(fact, _) => fact.quality.to_string().into(),
            Row::Answer(answer) => quality(answer),
        })
    }),
    text("world", "who may call exported functions", |row| {
        Some(match row {
            Row::Fact(fact, _) => fact.world.word().into(),
            Row::Answer(answer) => answer.world.word().into(),
        })
    }),
    text(
        "name",
        "the callee, of `external` and `memory`; the text of a `doubt`. Files of schema 2 have none",
        name,
    ),
    text(
        "home",
        "key of a local function before its module was linked to others (`src/a.c@step`); null: it is that of \
         `module` and `function`",
        |row| of_function(row.fact()?, |f| f.home.as_ref().map(|home| home.to_string().into())).flatten(),
    ),
    text("key", "what an answer is about: `@main:loop3`; null of counts", |row| {
        Some(row.answer()?.key.to_string().into())
    }),
    text("form", "what an answer is (below); null of counts and of unknown answers", |row| {
        Some(row.answer()?.state.answer()?.form().word().into())
    }),
    text("answer", "the answer as text, of any form and size", |row| {
        Some(row.answer()?.state.answer()?.to_string().into())
    }),
    TableColumn {
        name: "least",
        meaning: "the least integer that it can be; null: there is none, or it has more than 38 digits",
        cells: Cells::Decimal(|row| row.answer()?.state.answer()?.least()?.decimal()),
    },
    TableColumn {
        name: "greatest",
        meaning: "the greatest, likewise",
        cells: Cells::Decimal(|row| row.answer()?.state.answer()?.greatest()?.decimal()),
    },
    TableColumn {
        name: "members",
        meaning: "the members of a set, ascending; null if one has more than 38 digits",
        cells: Cells::Decimals(|row| match row.answer()?.state.answer()? {
            Answer::Set(set) => set.iter().map(Integer::decimal).collect(),
            _ => None,
        }),
    },
    TableColumn {
        name: "assumptions",
        meaning: "what an answer rests on: `what` (below), and if it has them the `key` that it is about and its `words`; \
                  null of counts",
        cells: Cells::Assumptions(|row| row.answer().map(|answer| &answer.assumptions)),
    },
    small(
        TEXT,
        "hash of what is written on the line, of the `instructions` of a `line`; null where that was not at hand",
        |row| match row {
            Row::Fact(_, text) => text,
            Row::Answer(_) => None,
        },
    ),
];

/// The column of texts.
pub(super) const TEXT: &str = "text";

/// The quality of an answer that rests on nothing is never this.
const EXACT_UNDER: &str = "exact-under";

fn quality(answer: &AnswerRow) -> Cow<'_, str> {
    match &answer.state {
        AnswerState::Nothing(reason) => format!("unknown({reason})").into(),
        AnswerState::Answer(_, Certainty::Exact) if !answer.assumptions.is_empty() => EXACT_UNDER.into(),
        AnswerState::Answer(_, certainty) => certainty.word().into(),
    }
}

/// How sure an answer of this quality is; that of one that is unknown is its reason.
pub(super) fn certainty(quality: &str) -> Result<Certainty, Option<&str>> {
    if quality == EXACT_UNDER {
        return Ok(Certainty::Exact);
    }
    let reason = || quality.strip_prefix("unknown(").and_then(|rest| rest.strip_suffix(')'));
    quality.parse().map_err(|_| reason())
}

impl<'a> Row<'a> {
    fn fact(self) -> Option<&'a Fact> {
        match self {
            Row::Fact(fact, _) => Some(fact),
            Row::Answer(_) => None,
        }
    }

    fn answer(self) -> Option<&'a AnswerRow> {
        match self {
            Row::Fact(..) => None,
            Row::Answer(answer) => Some(answer),
        }
    }
}

fn of_function<'a, T>(fact: &'a Fact, get: impl Fn(&'a FunctionFacts) -> T) -> Option<T> {
    fact.subject.function().map(|function| get(function))
}

fn module(row: Row<'_>) -> Option<Cow<'_, str>> {
    match row {
        Row::Fact(fact, _) => of_function(fact, |f| f.module.as_str().into()),
        Row::Answer(answer) => match &answer.key {
            Key::Module(module) => Some(Cow::from(&**module)),
            key => key.function()?.module.as_deref().map(Cow::from),
        },
    }
}

fn place(row: Row<'_>) -> Option<(&str, u32)> {
    let place = match row {
        Row::Fact(fact, _) => fact.subject.place()?,
        Row::Answer(AnswerRow { key: Key::Line(file, line), .. }) => return Some((file, *line)),
        Row::Answer(answer) => answer.place.as_ref()?,
    };
    Some((&place.file, place.line))
}

/// How many of these columns every file has: those of schema 2.
const NEEDED: usize = 20;

/// How many of these columns every file has that is written now.
const WRITTEN: usize = 21;

/// The column of homes; those after it are of answers, but for the last, which is of texts.
const HOME: usize = WRITTEN;

/// Columns of numbers that mostly grow by little from row to row: lines of a function, parts of it.
const GROWING: [&str; 4] = ["line", "index", "from_block", "to_block"];

/// How the cells of a column are encoded, where a list of its values and positions in it (a dictionary
/// of Parquet) takes more room. Of SQLite, lines take half of it by their differences, and texts, of
/// which hardly one comes twice, four fifths.
pub(super) fn encoding(column: &TableColumn) -> Option<Encoding> {
    match column.name {
        TEXT => Some(Encoding::PLAIN),
        name if GROWING.contains(&name) => Some(Encoding::DELTA_BINARY_PACKED),
        _ => None,
    }
}

/// The rows of a ledger: counts, then answers.
pub(super) fn rows(ledger: &Ledger) -> Vec<Row<'_>> {
    let text = |fact: &Fact| match (&fact.subject, fact.column) {
        (Subject::Line(place), Column::Instructions) => ledger.about.texts.get(place),
        _ => None,
    };
    let facts = ledger.facts().iter().map(|fact| Row::Fact(fact, text(fact)));
    facts.chain(ledger.answers.iter().map(Row::Answer)).collect()
}

/// The columns of a ledger's file. Who only counts pays nothing for what is no count. A column of
/// homes, answers or texts takes some hundred bytes, and is there if there are such.
pub(super) fn of(ledger: &Ledger) -> Vec<&'static TableColumn> {
    let has_home = |fact: &Fact| fact.subject.function().is_some_and(|function| function.home.is_some());
    let has_homes = ledger.facts().iter().any(has_home);
    let has_answers = !ledger.answers.is_empty();
    let is_there = |position: usize, column: &TableColumn| match position {
        0..WRITTEN => true,
        HOME => has_homes || has_answers,
        _ if column.name == TEXT => !ledger.about.texts.is_empty(),
        _ => has_answers,
    };
    let all = TABLE.iter().enumerate();
    all.filter(|(position, column)| is_there(*position, column)).map(|(_, column)| column).collect()
}

/// What each kind of row is about.
pub(super) const KINDS: [(&str, &str); 19] = [
    ("program", "all of the program"),
    ("module", "a module"),
    ("function", "a function of a module"),
    ("line", "a line of the source, over all functions"),
    ("parameter", "a parameter of a function"),
    ("block", "a block of a function"),
    ("edge", "an edge of a function's flow graph"),
    ("instruction", "an instruction of a function, and what it computes"),
    ("loop", "a loop of a function"),
    ("path", "a path through a function (Ball and Larus 1996)"),
    ("pointers", "calls through pointers that a function makes on a line"),
    ("function-line", "a line, as a part of one function"),
    ("external", "a function that is called and that no module defines"),
    ("memory", "a memory operation that becomes a library call"),
    ("assembly", "inline assembly"),
    ("internal", "calls of functions that the program defines"),
    ("doubt", "a reason why counts are not exact"),
    ("exit", "runs that ended with this status"),
    ("signal", "runs that this signal ended"),
];

pub(super) fn kind(row: Row<'_>) -> &'static str {
    match row {
        Row::Fact(fact, _) => kind_of_subject(&fact.subject),
        Row::Answer(answer) => match &answer.key {
            Key::Module(_) => "module",
            Key::Line(..) => "line",
            Key::Function(_) => "function",
            Key::Part(_, Part::Parameter(_)) => "parameter",
            Key::Part(_, Part::Block(_)) => "block",
            Key::Part(_, Part::Edge(_)) => "edge",
            Key::Part(_, Part::Instruction(_)) => "instruction",
            Key::Part(_, Part::Loop(_)) => "loop",
            Key::Part(_, Part::Path(_)) => "path",
        },
    }
}

fn index_of(key: &Key) -> Option<u32> {
    let Key::Part(_, part) = key else { return None };
    match *part {
        Part::Parameter(position) => Some(position),
        Part::Block(block) | Part::Loop(block) => u32::try_from(block.index()).ok(),
        Part::Edge(edge) => u32::try_from(edge.index()).ok(),
        Part::Instruction(at) => u32::try_from(at.index()).ok(),
        Part::Path(path) => u32::try_from(path).ok(),
    }
}

fn kind_of_subject(subject: &Subject) -> &'static str {
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
        Subject::Ending(ProcessEnding::Exited(_)) => "exit",
        Subject::Ending(ProcessEnding::Killed(_)) => "signal",
    }
}

fn name(row: Row<'_>) -> Option<Cow<'_, str>> {
    match &row.fact()?.subject {
        Subject::Called(Called::External(name) | Called::Memory(name)) | Subject::Doubt(_, name) => {
            Some(Cow::from(&**name))
        }
        _ => None,
    }
}

/// The edges of a path: `0 4 7`.
fn along(row: Row<'_>) -> Option<Cow<'_, str>> {
    let Subject::Path { edges, .. } = &row.fact()?.subject else { return None };
    Some(edges.iter().map(u32::to_string).collect::<Vec<_>>().join(" ").into())
}

fn index(subject: &Subject) -> Option<u32> {
    match subject {
        Subject::Block { block, .. } => Some(*block),
        Subject::Edge { edge, .. } => Some(*edge),
        Subject::Path { path, .. } => Some(*path),
        Subject::Doubt(position, _) => Some(*position),
        Subject::Ending(ProcessEnding::Exited(number) | ProcessEnding::Killed(number)) => {
            Some(number.cast_unsigned())
        }
        _ => None,
    }
}

type End = Option<u32>;

fn edge<T>(row: Row<'_>, get: impl Fn(End, End, End, Way) -> Option<T>) -> Option<T> {
    match &row.fact()?.subject {
        Subject::Edge { from, to, slot, edge_kind: way, .. } => get(*from, *to, *slot, *way),
        _ => None,
    }
}

/// Whether a file's table has each column that a ledger needs, and each that is there has the type
/// given here. Other columns are those of later versions.
pub(super) fn fits(found: &Type) -> bool {
    TABLE.iter().enumerate().all(|(position, column)| {
        let there = found.get_fields().iter().find(|field| field.name() == column.name);
        there.map_or(position >= NEEDED, |there| **there == *field(column))
    })
}

/// The schema of a table of these columns.
pub(super) fn schema(columns: &[&TableColumn]) -> TypePtr {
    let fields = columns.iter().map(|column| field(column)).collect();
    Arc::new(Type::group_type_builder("ledger").with_fields(fields).build().expect("a list of columns"))
}

fn field(column: &TableColumn) -> TypePtr {
    let name = column.name;
    match column.cells {
        Cells::Text(_) => cell(name, Physical::BYTE_ARRAY, Some(LogicalType::String), Repetition::OPTIONAL),
        Cells::Flag(_) => cell(name, Physical::BOOLEAN, None, Repetition::OPTIONAL),
        Cells::Small(_) => {
            cell(name, Physical::INT32, Some(LogicalType::integer(32, false)), Repetition::OPTIONAL)
        }
        Cells::Count(_) => {
            cell(name, Physical::INT64, Some(LogicalType::integer(64, false)), Repetition::OPTIONAL)
        }
        Cells::Decimal(_) => decimal(name, Repetition::OPTIONAL),
        Cells::Decimals(_) => list(name, decimal("element", Repetition::REQUIRED)),
        Cells::Assumptions(_) => {
            let text = |name, how| cell(name, Physical::BYTE_ARRAY, Some(LogicalType::String), how);
            let [what, key, words] = ASSUMPTION;
            let fields = vec![
                text(what, Repetition::REQUIRED),
                text(key, Repetition::OPTIONAL),
                text(words, Repetition::OPTIONAL),
            ];
            let element = Type::group_type_builder("element").with_repetition(Repetition::REQUIRED);
            list(name, Arc::new(element.with_fields(fields).build().expect("three texts")))
        }
    }
}

/// The parts of an assumption.
pub(super) const ASSUMPTION: [&str; 3] = ["what", "key", "words"];

/// Bytes of a decimal.
pub(super) const DECIMAL_BYTES: usize = 16;

fn cell(name: &str, physical: Physical, logical: Option<LogicalType>, how: Repetition) -> TypePtr {
    let builder = Type::primitive_type_builder(name, physical).with_logical_type(logical);
    Arc::new(builder.with_repetition(how).build().expect("each type of cell is one that Parquet has"))
}

/// The widest that databases compute with.
fn decimal(name: &str, how: Repetition) -> TypePtr {
    let builder = Type::primitive_type_builder(name, Physical::FIXED_LEN_BYTE_ARRAY)
        .with_logical_type(Some(LogicalType::decimal(0, 38)))
        .with_length(DECIMAL_BYTES as i32)
        .with_precision(38)
        .with_scale(0);
    Arc::new(builder.with_repetition(how).build().expect("38 digits fit into 16 bytes"))
}

/// A list as Parquet wants it: of groups of one element each.
fn list(name: &str, element: TypePtr) -> TypePtr {
    let group = |name, how| Type::group_type_builder(name).with_repetition(how);
    let repeated = group("list", Repetition::REPEATED).with_fields(vec![element]).build();
    let repeated = Arc::new(repeated.expect("one field"));
    let list = group(name, Repetition::OPTIONAL).with_logical_type(Some(LogicalType::List));
    Arc::new(list.with_fields(vec![repeated]).build().expect("one field"))
}
