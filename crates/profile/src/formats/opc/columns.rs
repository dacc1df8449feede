//! Which columns has the table of a ledger, and which cells has a fact?
//!
//! [`TABLE`] is the one list of columns; schema, writer, reader and the page for readers
//! (`document`) follow it.
//! A cell that a kind has no use for is null. Counts are UINT64.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::RowGroupReader;
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::{Type, TypePtr};

use super::about::parse_hash;
use super::error::{OpcError, malformed};
use crate::{Called, Column, Ending, Fact, FunctionFacts, SourcePlace, Subject, Unit, Way};

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
pub(super) const TABLE: [(&str, &str, Cells); 21] = [
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
];

/// How many of these columns files of schema 2 have.
const OF_SCHEMA_2: usize = 20;

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

/// Whether a file's table is one of these: that of this schema, or of the one before.
pub(super) fn is_known(found: &Type) -> bool {
    [TABLE.len(), OF_SCHEMA_2].into_iter().any(|columns| *found == *schema_of(columns))
}

/// The table's schema.
pub(super) fn schema() -> TypePtr {
    schema_of(TABLE.len())
}

fn schema_of(columns: usize) -> TypePtr {
    let field = |(name, _, cells): &(&str, &str, Cells)| {
        let (physical, logical) = match cells {
            Cells::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Cells::Flag(_) => (Physical::BOOLEAN, None),
            Cells::Small(_) => (Physical::INT32, Some(LogicalType::integer(32, false))),
            Cells::Count(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
        };
        let builder = Type::primitive_type_builder(name, physical).with_logical_type(logical);
        let field = builder.with_repetition(Repetition::OPTIONAL).build();
        Arc::new(field.expect("each type of cell is one that Parquet has"))
    };
    let fields = TABLE[..columns].iter().map(field).collect();
    Arc::new(Type::group_type_builder("ledger").with_fields(fields).build().expect("a flat list of columns"))
}

/// Writes all columns of these facts.
pub(super) fn write(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    facts: &[Fact],
) -> Result<(), ParquetError> {
    for (_, _, cells) in &TABLE {
        match cells {
            Cells::Text(get) => {
                column::<ByteArrayType>(
                    group,
                    facts.iter().map(|fact| get(fact).map(|text| (*text).into())),
                )?;
            }
            Cells::Flag(get) => column::<BoolType>(group, facts.iter().map(get))?,
            // Parquet keeps unsigned numbers in signed cells of the same bits.
            Cells::Small(get) => {
                column::<Int32Type>(group, facts.iter().map(|fact| get(fact).map(u32::cast_signed)))?;
            }
            Cells::Count(get) => {
                column::<Int64Type>(group, facts.iter().map(|fact| get(fact).map(u64::cast_signed)))?;
            }
        }
    }
    Ok(())
}

fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Vec<u8>>,
    cells: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let mut values = Vec::new();
    let present: Vec<i16> = cells
        .map(|cell| {
            let present = i16::from(cell.is_some());
            values.extend(cell);
            present
        })
        .collect();
    let mut writer = group.next_column()?.ok_or_else(|| ParquetError::General("too many columns".into()))?;
    writer.typed::<T>().write_batch(&values, Some(&present), None)?;
    writer.close()
}

/// A row group's cells, column by column.
struct Rows {
    text: HashMap<&'static str, Vec<Option<ByteArray>>>,
    flags: HashMap<&'static str, Vec<Option<bool>>>,
    small: HashMap<&'static str, Vec<Option<i32>>>,
    counts: HashMap<&'static str, Vec<Option<i64>>>,
    functions: HashMap<FunctionFacts, Arc<FunctionFacts>>,
    /// The last row that has a function, and the function.
    last: Option<(usize, Arc<FunctionFacts>)>,
    files: HashMap<String, Arc<str>>,
}

/// The facts of a row group.
pub(super) fn read(group: &dyn RowGroupReader) -> Result<Vec<Fact>, OpcError> {
    let count = usize::try_from(group.metadata().num_rows()).map_err(malformed)?;
    let mut rows = Rows {
        text: HashMap::new(),
        flags: HashMap::new(),
        small: HashMap::new(),
        counts: HashMap::new(),
        functions: HashMap::new(),
        last: None,
        files: HashMap::new(),
    };
    let present = group.metadata().num_columns();
    // What an older file does not have is null in every row.
    for (name, _, _) in &TABLE[present.min(TABLE.len())..] {
        rows.text.insert(name, vec![None; count]);
    }
    for (position, (name, _, cells)) in TABLE.iter().enumerate().take(present) {
        let reader = group.get_column_reader(position)?;
        match cells {
            Cells::Text(_) => {
                drop(
                    rows.text.insert(name, values::<ByteArrayType>(get_typed_column_reader(reader), count)?),
                );
            }
            Cells::Flag(_) => {
                drop(rows.flags.insert(name, values::<BoolType>(get_typed_column_reader(reader), count)?));
            }
            Cells::Small(_) => {
                drop(rows.small.insert(name, values::<Int32Type>(get_typed_column_reader(reader), count)?));
            }
            Cells::Count(_) => {
                drop(rows.counts.insert(name, values::<Int64Type>(get_typed_column_reader(reader), count)?));
            }
        }
    }
    (0..count).map(|row| rows.fact(row)).collect()
}

fn values<T: DataType>(mut reader: ColumnReaderImpl<T>, count: usize) -> Result<Vec<Option<T::T>>, OpcError> {
    let (mut present, mut values) = (Vec::new(), Vec::new());
    while present.len() < count {
        let (records, ..) =
            reader.read_records(count - present.len(), Some(&mut present), None, &mut values)?;
        if records == 0 {
            return Err(malformed("a column is shorter than the table"));
        }
    }
    let mut values = values.into_iter();
    Ok(present.into_iter().map(|present| if present == 1 { values.next() } else { None }).collect())
}

impl Rows {
    fn text(&self, column: &str, row: usize) -> Result<Option<String>, OpcError> {
        let cell = self.text[column][row].as_ref();
        cell.map(|bytes| bytes.as_utf8().map(str::to_owned)).transpose().map_err(OpcError::from)
    }

    fn need_text(&self, column: &str, row: usize) -> Result<String, OpcError> {
        self.text(column, row)?.ok_or_else(|| malformed(format!("row {row} has no {column}")))
    }

    fn word<W: FromStr<Err: Display>>(&self, column: &str, row: usize) -> Result<W, OpcError> {
        self.need_text(column, row)?.parse().map_err(|error| malformed(format!("row {row}: {error}")))
    }

    fn small(&self, column: &str, row: usize) -> Option<u32> {
        self.small[column][row].map(i32::cast_unsigned)
    }

    fn index(&self, row: usize) -> Result<u32, OpcError> {
        self.small("index", row).ok_or_else(|| malformed(format!("row {row} has no index")))
    }

    /// Whether two rows have the same function.
    fn same_function(&self, row: usize, other: usize) -> bool {
        ["function", "module", "shape", "body"].iter().all(|&c| self.text[c][row] == self.text[c][other])
            && self.flags["local"][row] == self.flags["local"][other]
    }

    /// The row's function; facts of one function mostly stand in a row.
    fn function(&mut self, row: usize) -> Result<Arc<FunctionFacts>, OpcError> {
        let function = match &self.last {
            Some((last, function)) if self.same_function(row, *last) => function.clone(),
            _ => self.new_function(row)?,
        };
        self.last = Some((row, function.clone()));
        Ok(function)
    }

    fn new_function(&mut self, row: usize) -> Result<Arc<FunctionFacts>, OpcError> {
        let facts = FunctionFacts {
            name: self.need_text("function", row)?,
            module: self.need_text("module", row)?,
            is_local: self.flags["local"][row].ok_or_else(|| malformed(format!("row {row} has no local")))?,
            shape: parse_hash(&self.need_text("shape", row)?)?,
            body: parse_hash(&self.need_text("body", row)?)?,
        };
        Ok(self.functions.entry(facts).or_insert_with_key(|facts| Arc::new(facts.clone())).clone())
    }

    fn place(&mut self, row: usize) -> Result<Option<SourcePlace>, OpcError> {
        let (Some(file), Some(line)) = (self.text("file", row)?, self.small("line", row)) else {
            return Ok(None);
        };
        let file = self.files.entry(file).or_insert_with_key(|file| Arc::from(file.as_str())).clone();
        Ok(Some(SourcePlace { file, line }))
    }

    fn subject(&mut self, row: usize) -> Result<Subject, OpcError> {
        match self.need_text("kind", row)?.as_str() {
            "program" => Ok(Subject::Program),
            "line" => {
                let place = self.place(row)?;
                place.map(Subject::Line).ok_or_else(|| malformed(format!("row {row} has no file and line")))
            }
            "function" => Ok(Subject::Function { function: self.function(row)?, place: self.place(row)? }),
            "block" => Ok(Subject::Block {
                function: self.function(row)?,
                block: self.index(row)?,
                place: self.place(row)?,
            }),
            "edge" => Ok(Subject::Edge {
                function: self.function(row)?,
                edge: self.index(row)?,
                way: self.word("way", row)?,
                from: self.small("from_block", row),
                to: self.small("to_block", row),
                slot: self.small("slot", row),
            }),
            "path" => {
                let edges = self.need_text("edges", row)?;
                let edges: Result<Arc<[u32]>, _> = edges.split_ascii_whitespace().map(str::parse).collect();
                let edges = edges.map_err(|error| malformed(format!("row {row}: edges: {error}")))?;
                Ok(Subject::Path { function: self.function(row)?, path: self.index(row)?, edges })
            }
            "pointers" => Ok(Subject::Pointers { function: self.function(row)?, place: self.place(row)? }),
            "function-line" => {
                let place = self.place(row)?;
                let place = place.ok_or_else(|| malformed(format!("row {row} has no file and line")))?;
                Ok(Subject::FunctionLine { function: self.function(row)?, place })
            }
            "external" => Ok(Subject::Called(Called::External(self.need_text("name", row)?.into()))),
            "memory" => Ok(Subject::Called(Called::Memory(self.need_text("name", row)?.into()))),
            "doubt" => Ok(Subject::Doubt(self.index(row)?, self.need_text("name", row)?.into())),
            "assembly" => Ok(Subject::Called(Called::Assembly)),
            "internal" => Ok(Subject::Called(Called::Internal)),
            "exit" => Ok(Subject::Ending(Ending::Exited(self.index(row)?.cast_signed()))),
            "signal" => Ok(Subject::Ending(Ending::Killed(self.index(row)?.cast_signed()))),
            other => {
                Err(malformed(format!("row {row} is of kind '{other}', which this opcost does not know")))
            }
        }
    }

    fn fact(&mut self, row: usize) -> Result<Fact, OpcError> {
        let column: Column = self.word("column", row)?;
        if self.word::<Unit>("unit", row)? != column.unit() {
            return Err(malformed(format!("row {row} has another unit than its column {column}")));
        }
        Ok(Fact {
            subject: self.subject(row)?,
            column,
            value: self.counts["value"][row].map(i64::cast_unsigned),
            origin: self.word("origin", row)?,
            quality: self.word("quality", row)?,
            world: self.word("world", row)?,
        })
    }
}
