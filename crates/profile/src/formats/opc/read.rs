//! Which rows stand in a row group?
//!
//! Columns are found by their names, so those of later versions are skipped; a row with a kind,
//! question, form or assumption that only a later version knows is left alone. What is known has
//! to make sense: of an answer, all that follows from its text must be in its cells.
//! Cost: all cells of the row group are held at once.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;
use std::vec;

use opcost_key::Key;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, FixedLenByteArray, FixedLenByteArrayType, Int32Type,
    Int64Type,
};
use parquet::file::reader::RowGroupReader;

use super::about::parse_hash;
use super::columns::{ASSUMPTION, Cells, DECIMAL_BYTES, KINDS, Row, TABLE, TEXT, TableColumn, certainty};
use super::error::{OpcError, malformed};
use crate::{
    Answer, AnswerColumn, AnswerRow, AnswerState, Assumed, Assumption, Called, Column, Fact, Form,
    FunctionFacts, ProcessEnding, SourcePlace, Subject, Unit,
};

/// A row group's cells, column by column.
#[derive(Default)]
struct Rows {
    text: HashMap<&'static str, Vec<Option<ByteArray>>>,
    flags: HashMap<&'static str, Vec<Option<bool>>>,
    small: HashMap<&'static str, Vec<Option<i32>>>,
    counts: HashMap<&'static str, Vec<Option<i64>>>,
    decimals: HashMap<&'static str, Vec<Option<i128>>>,
    lists: HashMap<&'static str, Vec<Option<Vec<i128>>>>,
    assumptions: Vec<Option<Vec<Parts>>>,
    /// Columns that the file does not have.
    missing: HashSet<&'static str>,
    functions: HashMap<FunctionFacts, Arc<FunctionFacts>>,
    /// The last row that has a function, and the function.
    last: Option<(usize, Arc<FunctionFacts>)>,
    files: HashMap<String, Arc<str>>,
}

/// What, key and words of an assumption.
type Parts = [Option<ByteArray>; 3];

/// The rows of a row group.
#[derive(Default)]
pub(super) struct GroupRows {
    pub(super) facts: Vec<Fact>,
    pub(super) answers: Vec<AnswerRow>,
    /// Hashes of what is written on lines.
    pub(super) texts: Vec<(SourcePlace, u32)>,
}

/// Reads a row group.
pub(super) fn read(group: &dyn RowGroupReader) -> Result<GroupRows, OpcError> {
    let count = usize::try_from(group.metadata().num_rows()).map_err(malformed)?;
    let mut rows = Rows::default();
    for column in &TABLE {
        rows.take(group, column, count)?;
    }
    let mut found = GroupRows::default();
    for row in 0..count {
        match rows.text["key"][row] {
            None => {
                let fact = rows.fact(row)?;
                found.texts.extend(fact.as_ref().and_then(|fact| rows.line_text(fact, row)));
                found.facts.extend(fact);
            }
            Some(_) => found.answers.extend(rows.answer(row)?),
        }
    }
    Ok(found)
}

/// The next row's assumptions, of the lists of their parts.
fn together(parts: &mut [vec::IntoIter<List<ByteArray>>]) -> Result<Option<Vec<Parts>>, OpcError> {
    let lists: Vec<List<ByteArray>> = parts.iter_mut().filter_map(Iterator::next).collect();
    let [Some(what), Some(key), Some(words)] = &lists[..] else {
        let is_null = lists.iter().all(Option::is_none);
        return if is_null { Ok(None) } else { Err(malformed("a part of an assumption is missing")) };
    };
    if what.len() != key.len() || what.len() != words.len() {
        return Err(malformed("a part of an assumption is missing"));
    }
    let all = what.iter().zip(key).zip(words);
    Ok(Some(all.map(|((what, key), words)| [what.clone(), key.clone(), words.clone()]).collect()))
}

/// The cells of a column without lists; of one that is not there none.
fn cells<T: DataType>(reader: Option<ColumnReader>, count: usize) -> Result<Vec<Option<T::T>>, OpcError> {
    let Some(reader) = reader else { return Ok(vec![None; count]) };
    let (mut reader, mut present, mut values) = (typed::<T>(reader), Vec::new(), Vec::new());
    while present.len() < count {
        let wanted = count - present.len();
        let (records, ..) = reader.read_records(wanted, Some(&mut present), None, &mut values)?;
        if records == 0 {
            return Err(malformed(TOO_SHORT));
        }
    }
    let mut values = values.into_iter();
    Ok(present.into_iter().map(|present| if present == 1 { values.next() } else { None }).collect())
}

const TOO_SHORT: &str = "a column is shorter than the table";

/// A list of a column, each element of which may have nothing here; `None` is null.
type List<T> = Option<Vec<Option<T>>>;

/// The lists of a column; of one that is not there none.
fn lists<T: DataType>(
    reader: Option<ColumnReader>,
    count: usize,
    full: i16,
) -> Result<Vec<List<T::T>>, OpcError> {
    let Some(reader) = reader else { return Ok(vec![None; count]) };
    let mut reader = typed::<T>(reader);
    let (mut present, mut repeated, mut values, mut read) = (Vec::new(), Vec::new(), Vec::new(), 0);
    while read < count {
        let (records, ..) =
            reader.read_records(count - read, Some(&mut present), Some(&mut repeated), &mut values)?;
        if records == 0 {
            return Err(malformed(TOO_SHORT));
        }
        read += records;
    }
    let mut values = values.into_iter();
    let mut lists: Vec<List<T::T>> = Vec::with_capacity(count);
    for (present, repeated) in present.into_iter().zip(repeated) {
        if repeated == 0 {
            lists.push((present > 0).then(Vec::new));
        }
        if present > 1 {
            let element = if present == full { values.next() } else { None };
            let list = lists.last_mut().and_then(Option::as_mut);
            list.ok_or_else(|| malformed("a list goes on that did not begin"))?.push(element);
        }
    }
    if lists.len() == count { Ok(lists) } else { Err(malformed(TOO_SHORT)) }
}

fn typed<T: DataType>(reader: ColumnReader) -> ColumnReaderImpl<T> {
    get_typed_column_reader(reader)
}

fn decimal(bytes: &FixedLenByteArray) -> Result<i128, OpcError> {
    let bytes = <[u8; DECIMAL_BYTES]>::try_from(bytes.data());
    bytes.map(i128::from_be_bytes).map_err(|_| malformed("a decimal has not 16 bytes"))
}

impl Rows {
    /// Reads a column; one that the file does not have is null in every row.
    fn take(
        &mut self,
        group: &dyn RowGroupReader,
        column: &TableColumn,
        count: usize,
    ) -> Result<(), OpcError> {
        let leaves = group.metadata().schema_descr().columns();
        let leaf = |path: &[&str]| {
            let there = leaves.iter().position(|leaf| leaf.path().parts() == path);
            there.map(|leaf| group.get_column_reader(leaf)).transpose().map_err(OpcError::from)
        };
        let name = column.name;
        if !leaves.iter().any(|leaf| leaf.path().parts().first().is_some_and(|first| first == name)) {
            self.missing.insert(name);
        }
        match column.cells {
            Cells::Text(_) => drop(self.text.insert(name, cells::<ByteArrayType>(leaf(&[name])?, count)?)),
            Cells::Flag(_) => drop(self.flags.insert(name, cells::<BoolType>(leaf(&[name])?, count)?)),
            Cells::Small(_) => drop(self.small.insert(name, cells::<Int32Type>(leaf(&[name])?, count)?)),
            Cells::Count(_) => drop(self.counts.insert(name, cells::<Int64Type>(leaf(&[name])?, count)?)),
            Cells::Decimal(_) => {
                let found = cells::<FixedLenByteArrayType>(leaf(&[name])?, count)?;
                let found = found.iter().map(|cell| cell.as_ref().map(decimal).transpose());
                self.decimals.insert(name, found.collect::<Result<_, _>>()?);
            }
            Cells::Decimals(_) => {
                let found = lists::<FixedLenByteArrayType>(leaf(&[name, "list", "element"])?, count, 2)?;
                let found = found.iter().map(|list| {
                    let list = list.as_ref().map(|list| list.iter().flatten().map(decimal).collect());
                    list.transpose()
                });
                self.lists.insert(name, found.collect::<Result<_, _>>()?);
            }
            Cells::Assumptions(_) => {
                let mut parts = Vec::new();
                for (part, full) in ASSUMPTION.into_iter().zip([2, 3, 3]) {
                    let path = [name, "list", "element", part];
                    parts.push(lists::<ByteArrayType>(leaf(&path)?, count, full)?.into_iter());
                }
                self.assumptions = (0..count).map(|_| together(&mut parts)).collect::<Result<_, _>>()?;
            }
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

    /// The row's function; facts of one function mostly follow each other.
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
                edge_kind: self.word("way", row)?,
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
            "exit" => Subject::Ending(ProcessEnding::Exited(self.index(row)?.cast_signed())),
            "signal" => Subject::Ending(ProcessEnding::Killed(self.index(row)?.cast_signed())),
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

    /// The text of a line with what it costs, if the file has it.
    fn line_text(&self, fact: &Fact, row: usize) -> Option<(SourcePlace, u32)> {
        match (&fact.subject, fact.column) {
            (Subject::Line(place), Column::Instructions) => Some((place.clone(), self.small(TEXT, row)?)),
            _ => None,
        }
    }

    /// None of a kind, question, form or assumption that only a later version knows: that is
    /// left alone.
    fn answer(&mut self, row: usize) -> Result<Option<AnswerRow>, OpcError> {
        let kind = self.need_text("kind", row)?;
        let Ok(column) = self.need_text("column", row)?.parse::<AnswerColumn>() else { return Ok(None) };
        if !KINDS.iter().any(|(known, _)| *known == kind) {
            return Ok(None);
        }
        let key: Key = self.word("key", row)?;
        let Some(known) = self.read_state(row)? else { return Ok(None) };
        let Some(assumptions) = self.assumptions(row)? else { return Ok(None) };
        let place = match &key {
            Key::Line(..) => None,
            _ => self.place(row)?,
        };
        let (origin, world) = (self.word("origin", row)?, self.word("world", row)?);
        let answer = AnswerRow { key, column, state: known, assumptions, origin, world, place };
        match TABLE.iter().find(|column| !self.holds(column, row, &answer)) {
            None => Ok(Some(answer)),
            Some(other) => {
                Err(malformed(format!("row {row} has another {} than follows from its answer", other.name)))
            }
        }
    }

    fn read_state(&self, row: usize) -> Result<Option<AnswerState>, OpcError> {
        let quality = self.need_text("quality", row)?;
        let certainty = match certainty(&quality) {
            Ok(certainty) => certainty,
            Err(Some(reason)) => return Ok(Some(AnswerState::Nothing(reason.into()))),
            Err(None) => return Err(malformed(format!("row {row}: '{quality}' is no quality of an answer"))),
        };
        let Ok(form) = self.need_text("form", row)?.parse::<Form>() else { return Ok(None) };
        let answer = Answer::parse(form, &self.need_text("answer", row)?);
        let answer = answer.map_err(|error| malformed(format!("row {row}: {error}")))?;
        Ok(Some(AnswerState::Answer(answer, certainty)))
    }

    fn assumptions(&self, row: usize) -> Result<Option<BTreeSet<Assumption>>, OpcError> {
        let Some(all) = &self.assumptions[row] else { return Ok(Some(BTreeSet::new())) };
        let wrong = || malformed(format!("row {row} has an assumption that is none"));
        let mut found = BTreeSet::new();
        for [what, key, words] in all {
            let text = |part: &Option<ByteArray>| {
                part.as_ref().map(|part| part.as_utf8().map(str::to_owned)).transpose()
            };
            let (what, key, words) = (text(what)?.ok_or_else(wrong)?, text(key)?, text(words)?);
            let Ok(what) = what.parse::<Assumed>() else { return Ok(None) };
            let key = key.map(|key| key.parse::<Key>()).transpose().map_err(malformed)?;
            found.insert(Assumption::of(what, key, words.as_deref()).ok_or_else(wrong)?);
        }
        Ok(Some(found))
    }

    /// Whether a cell is what follows from the answer; where nothing does, a later version may
    /// say more, but for its numbers.
    fn holds(&self, column: &TableColumn, row: usize, answer: &AnswerRow) -> bool {
        let (name, answer) = (column.name, Row::Answer(answer));
        let bytes = |text: &Option<ByteArray>| text.as_ref().map(|text| text.data().to_vec());
        self.missing.contains(name)
            || match column.cells {
                Cells::Text(get) => get(answer)
                    .is_none_or(|text| bytes(&self.text[name][row]).as_deref() == Some(text.as_bytes())),
                Cells::Flag(get) => get(answer).is_none_or(|flag| self.flags[name][row] == Some(flag)),
                Cells::Small(get) => get(answer).is_none_or(|small| self.small(name, row) == Some(small)),
                Cells::Count(get) => get(answer) == self.counts[name][row].map(i64::cast_unsigned),
                Cells::Decimal(get) => get(answer) == self.decimals[name][row],
                Cells::Decimals(get) => get(answer) == self.lists[name][row],
                Cells::Assumptions(get) => {
                    let there = self.assumptions[row].as_ref().map(Vec::len);
                    get(answer).map(BTreeSet::len) == there
                }
            }
    }
}
