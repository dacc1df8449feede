//! What is in a timing file, and is it right?
//!
//! ```toml
//! format = "opcost.timing/1"
//!
//! [processor]
//! name = "AMD EPYC"          # as the system calls it
//! model = "znver4"           # as LLVM calls it: whose cycles `schedule` counts
//! target = "x86_64"          # first word of the target triple
//! cycle = 0.27               # nanoseconds
//! agreement = 1.12           # by which factor two measurements differ at most, but for a tenth of the rows
//!
//! [schedule]
//! mispredicted = 6.0         # nanoseconds of a mispredicted branch
//!
//! [irinst]                   # nanoseconds of an operation that waits for the one before
//! "fadd double" = 0.82
//!
//! [irinst-max]               # nanoseconds of one that does not
//! "fadd double" = 0.14
//!
//! [lmbench]                  # arithmetic alone
//! "add i64" = 0.27
//!
//! [libfn]                    # nanoseconds of a call
//! log = 4.9
//!
//! [memory.random]            # nanoseconds of a line, by bytes of the working set
//! 16384 = 1.1
//! [memory.streamed]
//! [memory.strided]
//! 16384 = 0.3
//! ```
//!
//! Every table but `processor` and `schedule` may be left out. A number that is no time (negative,
//! infinite, more than a second) is an error with its line, and so is a name that is no operation of
//! LLVM's form. The file's hash goes into each answer that was worked out by it.

use std::collections::BTreeMap;
use std::fmt::Write;

use opcost_key::{Hash128, Hasher128};
use serde::Deserialize;
use toml::Spanned;

use crate::source::{Table, TimeSource};

/// What the first line says.
pub const FORMAT: &str = "opcost.timing/1";
/// A second, in nanoseconds: nothing that is priced takes longer.
const LONGEST: f64 = 1e9;

/// Why a timing file is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// It is no TOML, or not of this form.
    #[error("{0}")]
    Form(String),
    /// It is of another version.
    #[error(
        "line {line}: format is '{actual}', and this opcost reads {FORMAT}; measure again: opcost timing --measure"
    )]
    Version {
        /// Where it says so.
        line: usize,
        /// What it says.
        actual: String,
    },
    /// A number that is no time.
    #[error(
        "line {line}: {name} is {value}, which is no time in nanoseconds (more than 0, at most a second)"
    )]
    Number {
        /// Its line.
        line: usize,
        /// Whose it is.
        name: String,
        /// The number.
        value: String,
    },
    /// A name that is none.
    #[error("line {line}: '{name}' is no number of bytes")]
    Bytes {
        /// Its line.
        line: usize,
        /// The name.
        name: String,
    },
}

/// A processor, and what a cycle of it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Processor {
    /// As the system calls it.
    pub name: String,
    /// As LLVM calls it.
    pub model: String,
    /// First word of its target triples.
    pub target: String,
    /// Nanoseconds of a cycle.
    pub cycle: f64,
    /// The factor by which two measurements of it differ, but for a tenth of the rows; none where it was
    /// measured once.
    pub agreement: Option<f64>,
}

/// What a line of memory takes, by bytes of the working set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryTimes {
    /// In random order, each address read from the line before.
    pub random: BTreeMap<u64, f64>,
    /// In order.
    pub streamed: BTreeMap<u64, f64>,
    /// Each more than a page after the one before, no address read from memory. Empty in files of versions
    /// that did not measure it.
    pub strided: BTreeMap<u64, f64>,
}

impl MemoryTimes {
    /// Sizes of caches, one between each working set that was measured and the next: what does not fit
    /// takes the time of the next. Where times grow is the size that is at hand, which on a shared machine
    /// is less than that of the level. Where the next set is far larger, it is twice the smaller one,
    /// which is half of a level then.
    pub fn capacities(&self) -> Vec<u64> {
        let sets: Vec<u64> = self.streamed.keys().copied().collect();
        let between = |pair: &[u64]| {
            let middle = (pair[0] as f64 * pair[1] as f64).sqrt();
            pair[0].saturating_mul(2).min(middle as u64)
        };
        sets.windows(2).map(between).collect()
    }

    /// By how many nanoseconds more a line in a row takes in each working set than in the next smaller
    /// one. There is one for each of [`capacities`](Self::capacities).
    pub fn near(&self) -> Vec<f64> {
        self.steps(|bytes| self.streamed.get(bytes).copied())
    }

    /// The same of lines far from each other.
    pub fn far(&self) -> Vec<f64> {
        let random = |bytes: &u64| self.random.get(bytes).map(|time| time / OVERLAP);
        self.steps(|bytes| self.strided.get(bytes).copied().or_else(|| random(bytes)))
    }

    /// Of working sets that were measured; nothing where one of the two was not.
    fn steps(&self, time: impl Fn(&u64) -> Option<f64>) -> Vec<f64> {
        let times: Vec<Option<f64>> = self.streamed.keys().map(time).collect();
        let step =
            |pair: &[Option<f64>]| pair[1].zip(pair[0]).map_or(0.0, |(more, less)| (more - less).max(0.0));
        times.windows(2).map(step).collect()
    }
}

/// Lines far from each other that a processor fetches at once, where that was not measured.
const OVERLAP: f64 = 8.0;

/// All sources of a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Whose they are.
    pub processor: Processor,
    /// Nanoseconds of a mispredicted branch.
    pub mispredicted: f64,
    /// Tables of the sources that price operations.
    pub tables: BTreeMap<TimeSource, Table>,
    /// Nanoseconds of calls by linkage name.
    pub libfn: Table,
    /// MemoryTimes.
    pub memory: MemoryTimes,
    /// Hash of the file's text.
    pub hash: Hash128,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    format: Spanned<String>,
    processor: RawProcessor,
    schedule: RawSchedule,
    #[serde(default)]
    irinst: RawTable,
    #[serde(default, rename = "irinst-max")]
    irinst_max: RawTable,
    #[serde(default)]
    lmbench: RawTable,
    #[serde(default)]
    libfn: RawTable,
    #[serde(default)]
    memory: RawMemory,
}

type RawTable = BTreeMap<Spanned<String>, Spanned<f64>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProcessor {
    name: String,
    model: String,
    target: String,
    cycle: Spanned<f64>,
    agreement: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSchedule {
    mispredicted: Spanned<f64>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMemory {
    #[serde(default)]
    random: RawTable,
    #[serde(default)]
    streamed: RawTable,
    #[serde(default)]
    strided: RawTable,
}

/// Reads a timing file.
///
/// # Errors
/// It is not as it must be; which line, and what is wrong there.
pub fn read(text: &str) -> Result<Timing, TimingError> {
    let raw: RawFile = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        TimingError::Form(format!("line {line}: {}", error.message()))
    })?;
    if raw.format.get_ref() != FORMAT {
        let line = line_of(text, raw.format.span().start);
        return Err(TimingError::Version { line, actual: raw.format.into_inner() });
    }
    let reader = Reader { text };
    let mut tables = BTreeMap::new();
    for (source, table) in [
        (TimeSource::Irinst, raw.irinst),
        (TimeSource::IrinstMax, raw.irinst_max),
        (TimeSource::Lmbench, raw.lmbench),
    ] {
        let table = reader.table(table)?;
        if !table.is_empty() {
            tables.insert(source, table);
        }
    }
    Ok(Timing {
        processor: Processor {
            cycle: reader.time("cycle", &raw.processor.cycle)?,
            agreement: raw.processor.agreement.map(|factor| reader.time("agreement", &factor)).transpose()?,
            name: raw.processor.name,
            model: raw.processor.model,
            target: raw.processor.target,
        },
        mispredicted: reader.time("mispredicted", &raw.schedule.mispredicted)?,
        tables,
        libfn: reader.table(raw.libfn)?,
        memory: MemoryTimes {
            random: reader.by_bytes(raw.memory.random)?,
            streamed: reader.by_bytes(raw.memory.streamed)?,
            strided: reader.by_bytes(raw.memory.strided)?,
        },
        hash: Hasher128::new().bytes(text.as_bytes()).finish(),
    })
}

struct Reader<'a> {
    text: &'a str,
}

impl Reader<'_> {
    fn time(&self, name: &str, value: &Spanned<f64>) -> Result<f64, TimingError> {
        let number = *value.get_ref();
        if number > 0.0 && number <= LONGEST {
            return Ok(number);
        }
        let line = line_of(self.text, value.span().start);
        Err(TimingError::Number { line, name: name.to_owned(), value: number.to_string() })
    }

    fn table(&self, raw: RawTable) -> Result<Table, TimingError> {
        raw.into_iter()
            .map(|(name, value)| {
                let time = self.time(name.get_ref(), &value)?;
                Ok((name.into_inner(), time))
            })
            .collect()
    }

    fn by_bytes(&self, raw: RawTable) -> Result<BTreeMap<u64, f64>, TimingError> {
        raw.into_iter()
            .map(|(name, value)| {
                let time = self.time(name.get_ref(), &value)?;
                let line = line_of(self.text, name.span().start);
                let bytes = name.get_ref().parse();
                bytes
                    .map(|bytes| (bytes, time))
                    .map_err(|_| TimingError::Bytes { line, name: name.into_inner() })
            })
            .collect()
    }
}

/// The line, from 1, of a byte.
fn line_of(text: &str, byte: usize) -> usize {
    text.as_bytes().iter().take(byte).filter(|&&one| one == b'\n').count() + 1
}

/// The text of a timing file. What it says of a hash is not written: it is the text's own.
pub fn write(timing: &Timing) -> String {
    let Processor { name, model, target, cycle, agreement } = &timing.processor;
    let agreement = agreement.map(|factor| format!("agreement = {factor:.2}\n")).unwrap_or_default();
    let mut out = format!(
        "# What instructions, calls and memory take, in nanoseconds. Made by: opcost timing --measure\n\
         format = \"{FORMAT}\"\n\n[processor]\nname = {}\nmodel = {}\ntarget = {}\n# One addition that waits for another.\n\
         cycle = {cycle}\n{agreement}\n[schedule]\nmispredicted = {}\n",
        quoted(name),
        quoted(model),
        quoted(target),
        timing.mispredicted
    );
    for (source, table) in &timing.tables {
        write_table(&mut out, source.name(), table.iter().map(|(name, &value)| (quoted(name), value)));
    }
    write_table(&mut out, "libfn", timing.libfn.iter().map(|(name, &value)| (quoted(name), value)));
    for (name, table) in [
        ("memory.random", &timing.memory.random),
        ("memory.streamed", &timing.memory.streamed),
        ("memory.strided", &timing.memory.strided),
    ] {
        if table.is_empty() {
            continue;
        }
        write_table(&mut out, name, table.iter().map(|(bytes, &value)| (bytes.to_string(), value)));
    }
    out
}

fn write_table(out: &mut String, name: &str, rows: impl Iterator<Item = (String, f64)>) {
    let _ = write!(out, "\n[{name}]\n");
    for (name, value) in rows {
        let _ = writeln!(out, "{name} = {value:?}");
    }
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::{TimingError, read, write};
    use crate::source::TimeSource;

    const TINY: &str = "format = \"opcost.timing/1\"\n[processor]\nname = \"P \\\"1\\\"\"\nmodel = \"znver4\"\n\
                        target = \"x86_64\"\ncycle = 0.5\n[schedule]\nmispredicted = 6\n[irinst]\n\"add i32\" = 1\n\
                        [libfn]\nlog = 5.0\n[memory.random]\n16384 = 1.5\n";

    #[test]
    fn what_is_written_is_read_again() {
        let timing = read(TINY).expect("a timing file");
        assert_eq!(timing.tables[&TimeSource::Irinst]["add i32"], 1.0);
        assert_eq!(timing.memory.random[&16384], 1.5);
        assert_eq!(timing.processor.name, "P \"1\"");
        let again = read(&write(&timing)).expect("what was written");
        assert_eq!(again.processor, timing.processor);
        assert_eq!((again.tables, again.libfn, again.memory), (timing.tables, timing.libfn, timing.memory));
    }

    #[test]
    fn each_text_has_its_hash() {
        let other = TINY.replace("log = 5.0", "log = 5.1");
        assert_ne!(read(TINY).expect("one").hash, read(&other).expect("another").hash);
    }

    #[test]
    fn numbers_that_are_no_times_are_refused_with_their_line() {
        for wrong in ["0.0", "-1.0", "inf", "nan", "1e10"] {
            let error = read(&TINY.replace("5.0", wrong)).expect_err(wrong);
            assert!(matches!(&error, TimingError::Number { line: 12, name, .. } if name == "log"), "{error}");
        }
        let words = read(&TINY.replace("5.0", "\"fast\"")).expect_err("a word").to_string();
        assert!(words.starts_with("line 12: "), "{words}");
    }

    #[test]
    fn other_forms_are_refused_with_their_line() {
        let version = read(&TINY.replace("timing/1", "timing/2")).expect_err("a version").to_string();
        assert!(version.starts_with("line 1: format is 'opcost.timing/2'"), "{version}");
        let unknown = read(&TINY.replace("[libfn]", "[libfun]")).expect_err("a table").to_string();
        assert!(unknown.starts_with("line 11: ") && unknown.contains("libfun"), "{unknown}");
        let bytes = read(&TINY.replace("16384", "L1")).expect_err("a name").to_string();
        assert_eq!(bytes, "line 14: 'L1' is no number of bytes");
        assert!(read("").is_err() && read("[[").is_err());
        assert!(read(&TINY.replace("cycle = 0.5\n", "")).expect_err("missing").to_string().contains("cycle"));
    }
}
