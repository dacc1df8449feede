//! How does a ledger lie in a file?
//!
//! As a Parquet file (`.opc`), so that DuckDB, DataFusion, Spark or pandas
//! read it as it is: one row for each fact and each answer that is no count, typed columns (`columns`, `write`, `read`), facts
//! about the build in the file's metadata (`about`). Equal ledgers are
//! equal bytes.
//!
//! The last metadata entry, `opcost.hash`, is the hash of the whole file with
//! the hash's own digits taken as zeros. It is checked before anything else is
//! believed, since a Parquet reader trusts the lengths that it finds.
//!
//! Cost: about 3 µs a fact to write, 4 to read. Limits: the hash tells
//! accidents, not forgery; a file that another program rewrote is no ledger
//! any more, but still a table.

mod about;
mod columns;
mod document;
mod error;
mod read;
mod write;

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use opcost_key::Hasher128;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;

use self::columns::TableColumn;
pub use self::document::ledger_tables;
use self::error::{EARLIER_SCHEMA, malformed};
pub use self::error::{LEDGER_SCHEMA, OpcError};
use super::{WriteError, write_whole};
use crate::{Answers, Ledger};

const SCHEMA_KEY: &str = "opcost.schema";
const HASH_KEY: &str = "opcost.hash";
/// It comes before the digits of the hash, so that they are found without parsing anything.
const HASH_MARK: &[u8] = b"fnv1a-128:";
const DIGITS: usize = 32;
const PARQUET_MAGIC: &[u8] = b"PAR1";
/// Rows that are held in memory at once by a reader.
const ROWS_PER_GROUP: usize = 1 << 20;

/// The bytes of a ledger.
pub fn write_ledger(ledger: &Ledger) -> Vec<u8> {
    let bytes =
        encode(ledger, &columns::of(ledger)).expect("Parquet writes every table into a growing vector");
    seal(bytes)
}

fn encode(ledger: &Ledger, columns: &[&TableColumn]) -> Result<Vec<u8>, ParquetError> {
    let encoded = columns.iter().filter_map(|column| Some((column.name, columns::encoding(column)?)));
    let properties = encoded.fold(properties(), |properties, (name, encoding)| {
        let path = ColumnPath::from(name);
        properties.set_column_dictionary_enabled(path.clone(), false).set_column_encoding(path, encoding)
    });
    encode_as(ledger, columns, properties.build())
}

/// How all columns are written.
fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("opcost".to_owned())
        .set_statistics_enabled(EnabledStatistics::Chunk)
}

fn encode_as(
    ledger: &Ledger,
    columns: &[&TableColumn],
    properties: WriterProperties,
) -> Result<Vec<u8>, ParquetError> {
    let mut writer = SerializedFileWriter::new(Vec::new(), columns::schema(columns), Arc::new(properties))?;
    for rows in columns::rows(ledger).chunks(ROWS_PER_GROUP) {
        let mut group = writer.next_row_group()?;
        write::write(&mut group, columns, rows)?;
        group.close()?;
    }
    let mut entry = |key: &str, value: String| {
        writer.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    };
    entry(SCHEMA_KEY, LEDGER_SCHEMA.to_owned());
    for (key, value) in about::entries(&ledger.about) {
        entry(key, value);
    }
    entry(HASH_KEY, format!("{}{}", String::from_utf8_lossy(HASH_MARK), "0".repeat(DIGITS)));
    writer.into_inner()
}

/// Fills in the digits of the hash.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let digits = find_digits(&bytes).expect("the hash entry was just written");
    let hash = Hasher128::new().bytes(&bytes).finish().to_string();
    bytes[digits..digits + DIGITS].copy_from_slice(hash.as_bytes());
    bytes
}

/// Where the digits of the hash are: after the last mark of the file.
fn find_digits(bytes: &[u8]) -> Option<usize> {
    let digits = bytes.windows(HASH_MARK.len()).rposition(|window| window == HASH_MARK)? + HASH_MARK.len();
    (digits + DIGITS <= bytes.len()).then_some(digits)
}

/// The ledger in these bytes.
pub fn read_ledger(bytes: &[u8]) -> Result<Ledger, OpcError> {
    check_envelope(bytes)?;
    check_hash(bytes)?;
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(bytes))?;
    let metadata = reader.metadata().file_metadata();
    let entry = |key: &str| {
        let entries = metadata.key_value_metadata()?;
        entries.iter().find(|entry| entry.key == key)?.value.as_deref()
    };
    match entry(SCHEMA_KEY) {
        Some(LEDGER_SCHEMA | EARLIER_SCHEMA) => {}
        Some(found) => return Err(OpcError::OtherSchema { actual: found.to_owned() }),
        None => {
            return Err(OpcError::NotALedger { what: "it is a Parquet table without a schema of opcost" });
        }
    }
    if !columns::fits(metadata.schema()) {
        return Err(malformed("its columns are not those of its schema"));
    }
    let mut about = about::parse(entry)?;
    let (mut facts, mut answers) = (Vec::new(), Answers::default());
    for group in 0..reader.num_row_groups() {
        let rows = read::read(reader.get_row_group(group)?.as_ref())?;
        facts.extend(rows.facts);
        rows.texts.into_iter().for_each(|(place, text)| about.texts.insert(place, text));
        answers.extend(rows.answers);
    }
    let mut ledger = Ledger::new(about, facts)?;
    ledger.answers = answers;
    Ok(ledger)
}

/// Whether the file begins and ends like a Parquet file at all.
fn check_envelope(bytes: &[u8]) -> Result<(), OpcError> {
    let cut_off = OpcError::CutOff { length: bytes.len() };
    if bytes.len() < PARQUET_MAGIC.len() && PARQUET_MAGIC.starts_with(bytes) {
        return Err(cut_off);
    }
    if !bytes.starts_with(PARQUET_MAGIC) {
        return Err(OpcError::NotALedger { what: "it does not begin like a Parquet table" });
    }
    if bytes.len() < 12 || !bytes.ends_with(PARQUET_MAGIC) {
        return Err(cut_off);
    }
    Ok(())
}

fn check_hash(bytes: &[u8]) -> Result<(), OpcError> {
    let Some(digits) = find_digits(bytes) else {
        return Err(OpcError::NotALedger { what: "it is a Parquet table, but without a hash of opcost" });
    };
    let mut blank = bytes.to_vec();
    blank[digits..digits + DIGITS].fill(b'0');
    let hash = Hasher128::new().bytes(&blank).finish().to_string();
    if bytes[digits..digits + DIGITS] == *hash.as_bytes() { Ok(()) } else { Err(OpcError::Damaged) }
}

/// Writes a ledger to a file, whole or not at all.
pub fn save_ledger(path: &Path, ledger: &Ledger) -> Result<(), WriteError> {
    write_whole(path, &write_ledger(ledger))
}

/// Reads the ledger in a file.
pub fn load_ledger(path: &Path) -> Result<Ledger, OpcError> {
    let bytes =
        std::fs::read(path).map_err(|source| OpcError::Unreadable { path: path.to_owned(), source })?;
    read_ledger(&bytes)
}

#[cfg(test)]
#[path = "../opc_readers.rs"]
mod readers;
#[cfg(test)]
#[path = "../opc_tests.rs"]
mod tests;
