//! Which facts stand in a row group?
//!
//! Columns are found by their names, so those of later versions are skipped; a row whose question
//! or kind only a later version knows is left alone. What is known has to make sense.
//! Cost: all cells of the row group are held at once.

use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::file::reader::RowGroupReader;

use super::about::parse_hash;
use super::columns::{Cells, TABLE};
use super::error::{OpcError, malformed};
use crate::{Called, Column, Ending, Fact, FunctionFacts, SourcePlace, Subject, Unit};

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
    for (name, _, cells) in &TABLE {
        rows.take(group, name, cells, count)?;
    }
    Ok((0..count).map(|row| rows.fact(row)).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn column<T: DataType>(reader: Option<ColumnReader>, count: usize) -> Result<Vec<Option<T::T>>, OpcError> {
    let Some(reader) = reader else { return Ok(vec![None; count]) };
    let mut reader: ColumnReaderImpl<T> = get_typed_column_reader(reader);
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
    /// Reads a column; one that the file does not have is null in every row.
    fn take(
        &mut self,
        group: &dyn RowGroupReader,
        name: &'static str,
        cells: &Cells,
        count: usize,
    ) -> Result<(), OpcError> {
        let leaves = group.metadata().schema_descr().columns();
        let there = leaves.iter().position(|leaf| leaf.path().parts() == [name]);
        let reader = there.map(|leaf| group.get_column_reader(leaf)).transpose()?;
        match cells {
            Cells::Text(_) => drop(self.text.insert(name, column::<ByteArrayType>(reader, count)?)),
            Cells::Flag(_) => drop(self.flags.insert(name, column::<BoolType>(reader, count)?)),
            Cells::Small(_) => drop(self.small.insert(name, column::<Int32Type>(reader, count)?)),
            Cells::Count(_) => drop(self.counts.insert(name, column::<Int64Type>(reader, count)?)),
        }
        Ok(())
    }

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
        ["function", "module", "shape", "body", "home"]
            .iter()
            .all(|&c| self.text[c][row] == self.text[c][other])
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
            home: self.text("home", row)?.map(|home| home.parse()).transpose().map_err(malformed)?,
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

    /// None of a kind that only a later version knows.
    fn subject(&mut self, row: usize) -> Result<Option<Subject>, OpcError> {
        let subject = match self.need_text("kind", row)?.as_str() {
            "program" => Subject::Program,
            "line" => {
                let place = self.place(row)?;
                place
                    .map(Subject::Line)
                    .ok_or_else(|| malformed(format!("row {row} has no file and line")))?
            }
            "function" => Subject::Function { function: self.function(row)?, place: self.place(row)? },
            "block" => Subject::Block {
                function: self.function(row)?,
                block: self.index(row)?,
                place: self.place(row)?,
            },
            "edge" => Subject::Edge {
                function: self.function(row)?,
                edge: self.index(row)?,
                way: self.word("way", row)?,
                from: self.small("from_block", row),
                to: self.small("to_block", row),
                slot: self.small("slot", row),
            },
            "path" => {
                let edges = self.need_text("edges", row)?;
                let edges: Result<Arc<[u32]>, _> = edges.split_ascii_whitespace().map(str::parse).collect();
                let edges = edges.map_err(|error| malformed(format!("row {row}: edges: {error}")))?;
                Subject::Path { function: self.function(row)?, path: self.index(row)?, edges }
            }
            "pointers" => Subject::Pointers { function: self.function(row)?, place: self.place(row)? },
            "function-line" => {
                let place = self.place(row)?;
                let place = place.ok_or_else(|| malformed(format!("row {row} has no file and line")))?;
                Subject::FunctionLine { function: self.function(row)?, place }
            }
            "external" => Subject::Called(Called::External(self.need_text("name", row)?.into())),
            "memory" => Subject::Called(Called::Memory(self.need_text("name", row)?.into())),
            "doubt" => Subject::Doubt(self.index(row)?, self.need_text("name", row)?.into()),
            "assembly" => Subject::Called(Called::Assembly),
            "internal" => Subject::Called(Called::Internal),
            "exit" => Subject::Ending(Ending::Exited(self.index(row)?.cast_signed())),
            "signal" => Subject::Ending(Ending::Killed(self.index(row)?.cast_signed())),
            _ => return Ok(None),
        };
        Ok(Some(subject))
    }

    /// None of a question or a kind that only a later version knows: that is left alone.
    fn fact(&mut self, row: usize) -> Result<Option<Fact>, OpcError> {
        let Ok(column) = self.need_text("column", row)?.parse::<Column>() else { return Ok(None) };
        if self.word::<Unit>("unit", row)? != column.unit() {
            return Err(malformed(format!("row {row} has another unit than its column {column}")));
        }
        let Some(subject) = self.subject(row)? else { return Ok(None) };
        Ok(Some(Fact {
            subject,
            column,
            value: self.counts["value"][row].map(i64::cast_unsigned),
            origin: self.word("origin", row)?,
            quality: self.word("quality", row)?,
            world: self.word("world", row)?,
        }))
    }
}
