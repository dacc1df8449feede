//! What did the measuring program measure, and was the machine quiet?
//!
//! Input: the lines of `c/measure.c`, and what else is known of the processor. Output: a [`Timing`].
//! A cycle was measured several times, at the start and at the end; where these differ by more than
//! `NOISE`, or much of all else spreads, the machine was not itself and nothing is made of it.
//! Load that lasts shows in neither, so all is measured twice, and both have to agree ([`joined`]).

use std::collections::BTreeMap;

use opcost_key::Hash128;

use crate::file::{MemoryTimes, Processor, Timing};
use crate::source::{Table, TimeSource};

/// How many lines the measuring program writes, about: for a progress bar.
pub const LINES: usize = 310;
/// By how much cycles may differ, of the shortest.
const NOISE: f64 = 0.15;
/// Of how many measurements the quartiles may differ by more than half: one in so many.
const SPREADING: usize = 5;
/// Arithmetic that lmbench measures: four operations on four types.
const LMBENCH: [&str; 16] = [
    "add i32",
    "mul i32",
    "sdiv i32",
    "srem i32",
    "add i64",
    "mul i64",
    "sdiv i64",
    "srem i64",
    "fadd float",
    "fmul float",
    "fdiv float",
    "frem float",
    "fadd double",
    "fmul double",
    "fdiv double",
    "frem double",
];

/// Why nothing is made of a measurement.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError {
    /// A line is not as the program writes them.
    #[error("the measuring program wrote '{0}', which is no measurement")]
    Line(String),
    /// It ended early.
    #[error("the measuring program ended before it had measured {0}")]
    Missing(&'static str),
    /// The machine did something else.
    #[error(
        "the machine is too noisy: one cycle took between {least:.3} and {most:.3} ns, a spread of {percent:.0} % (at \
         most 15 %). Stop what else runs on it, and measure again"
    )]
    Noisy {
        /// Nanoseconds.
        least: f64,
        /// Nanoseconds.
        most: f64,
        /// Their difference, of the least.
        percent: f64,
    },
    /// Two measurements differ.
    #[error(
        "two measurements of this machine differ: {what} took {first:.3} and {second:.3} ns. Stop what else runs on it, \
         and measure again"
    )]
    Disagreement {
        /// Of what.
        what: String,
        /// Nanoseconds.
        first: f64,
        /// Nanoseconds.
        second: f64,
    },
    /// Much of what was measured did not agree with itself.
    #[error(
        "the machine is too noisy: {spreading} of {all} measurements spread by more than half; stop what else runs on \
         it, and measure again"
    )]
    Spreading {
        /// How many.
        spreading: usize,
        /// Of how many.
        all: usize,
    },
}

/// The lines that were read so far.
#[derive(Clone, Debug, Default)]
pub struct MeasuredLines {
    rows: BTreeMap<String, BTreeMap<String, Row>>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    upper: f64,
    lower: f64,
}

impl MeasuredLines {
    /// Adds a line.
    ///
    /// # Errors
    /// It is none of the program's.
    pub fn add(&mut self, line: &str) -> Result<(), MeasureError> {
        let wrong = || MeasureError::Line(line.to_owned());
        let mut cells = line.split('\t');
        let mut cell = || cells.next().ok_or_else(wrong);
        let (table, name, upper, lower) = (cell()?, cell()?, cell()?, cell()?);
        let number =
            |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or_else(wrong);
        let row = Row { upper: number(upper)?, lower: number(lower)? };
        self.rows.entry(table.to_owned()).or_default().insert(name.to_owned(), row);
        Ok(())
    }

    fn table(&self, name: &'static str) -> Result<Table, MeasureError> {
        let rows = self.rows.get(name).ok_or(MeasureError::Missing(name))?;
        // A time below the clock's own error is taken for none.
        Ok(rows
            .iter()
            .filter(|(_, row)| row.upper > 0.0)
            .map(|(name, row)| (name.clone(), row.upper))
            .collect())
    }

    /// The times of a machine; `processor` is as the system and LLVM call it, and its cycle is set here.
    ///
    /// # Errors
    /// The machine was noisy, or the program ended early.
    pub fn timing(&self, processor: Processor) -> Result<Timing, MeasureError> {
        self.check_noise()?;
        let cycles = self.table("cycle")?;
        let cycle = cycles.values().copied().fold(f64::INFINITY, f64::min);
        let irinst = self.table("irinst")?;
        let lmbench = irinst.iter().filter(|(name, _)| LMBENCH.contains(&name.as_str()));
        let lmbench = lmbench.map(|(name, &time)| (name.clone(), time)).collect();
        let mispredicted = self.table("schedule")?.get("mispredicted").copied();
        let memory = self.table("memory")?;
        let by_bytes = |order: &str| {
            let rows = memory.iter().filter_map(|(name, &time)| {
                let (found, bytes) = name.split_once(' ')?;
                Some((bytes.parse().ok()?, time)).filter(|_| found == order)
            });
            rows.collect()
        };
        Ok(Timing {
            processor: Processor { cycle, ..processor },
            mispredicted: mispredicted.ok_or(MeasureError::Missing("mispredicted branches"))?,
            tables: [
                (TimeSource::Irinst, irinst),
                (TimeSource::IrinstMax, self.table("irinst-max")?),
                (TimeSource::Lmbench, lmbench),
            ]
            .into(),
            libfn: self.table("libfn")?,
            memory: MemoryTimes {
                random: by_bytes("random"),
                streamed: by_bytes("streamed"),
                strided: by_bytes("strided"),
            },
            hash: Hash128::default(),
        })
    }

    fn check_noise(&self) -> Result<(), MeasureError> {
        let cycles = self.rows.get("cycle").ok_or(MeasureError::Missing("cycles"))?;
        if !cycles.contains_key("after") {
            return Err(MeasureError::Missing("all of it"));
        }
        let settled = cycles.iter().filter(|(name, _)| *name != "warm up");
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for (_, row) in settled {
            least = least.min(row.lower);
            most = most.max(row.upper);
        }
        let spread = (most - least) / least;
        if spread.is_nan() || spread > NOISE {
            return Err(MeasureError::Noisy { least, most, percent: spread * 100.0 });
        }
        let all: Vec<&Row> = self.rows.values().flat_map(BTreeMap::values).collect();
        let spreading = all.iter().filter(|row| row.upper > row.lower.max(0.0) * 1.5).count();
        match spreading * SPREADING > all.len() {
            true => Err(MeasureError::Spreading { spreading, all: all.len() }),
            false => Ok(()),
        }
    }
}

/// By how much a row may differ between two measurements, as a factor.
const APART: f64 = 1.3;
/// Rows that may differ by more: one in so many. Lines of memory may not.
const STRAY: usize = 10;

/// One timing of two measurements of a machine: of each row the shorter time, since other work only adds.
/// Its agreement is the factor within which nine rows of ten are.
///
/// # Errors
/// Cycles, mispredicted branches, lines of memory or more than a tenth of all else differ by more than 30 %.
pub fn joined(first: &Timing, second: &Timing) -> Result<Timing, MeasureError> {
    let mut strict = vec![
        ("a cycle".to_owned(), first.processor.cycle, second.processor.cycle),
        ("a mispredicted branch".to_owned(), first.mispredicted, second.mispredicted),
    ];
    for (order, [one, other]) in [
        ("random", [&first.memory.random, &second.memory.random]),
        ("streamed", [&first.memory.streamed, &second.memory.streamed]),
        ("strided", [&first.memory.strided, &second.memory.strided]),
    ] {
        strict.extend(
            both(one, other).map(|(bytes, one, other)| {
                (format!("a {order} line of memory in {bytes} bytes"), one, other)
            }),
        );
    }
    let mut rows: Vec<(String, f64, f64)> =
        both(&first.libfn, &second.libfn).map(|(name, one, other)| (name.clone(), one, other)).collect();
    for (source, table) in &first.tables {
        if let Some(other) = second.tables.get(source) {
            rows.extend(both(table, other).map(|(name, one, other)| (name.clone(), one, other)));
        }
    }
    let factor = |&(_, one, other): &(String, f64, f64)| one.max(other) / one.min(other);
    if let Some((what, one, other)) = strict.iter().find(|row| factor(row) > APART) {
        return Err(MeasureError::Disagreement { what: what.clone(), first: *one, second: *other });
    }
    rows.append(&mut strict);
    rows.sort_by(|one, other| factor(one).total_cmp(&factor(other)));
    let (what, one, other) = &rows[rows.len() - 1 - rows.len() / STRAY];
    let agreement = one.max(*other) / one.min(*other);
    if agreement > APART {
        return Err(MeasureError::Disagreement { what: what.clone(), first: *one, second: *other });
    }
    let shorter = |one: &Table, other: &Table| -> Table {
        both(one, other).map(|(name, one, other)| (name.clone(), one.min(other))).collect()
    };
    let by_bytes = |one: &BTreeMap<u64, f64>, other: &BTreeMap<u64, f64>| {
        both(one, other).map(|(&bytes, one, other)| (bytes, one.min(other))).collect()
    };
    let tables = first
        .tables
        .iter()
        .filter_map(|(&source, table)| Some((source, shorter(table, second.tables.get(&source)?))));
    Ok(Timing {
        processor: Processor {
            cycle: first.processor.cycle.min(second.processor.cycle),
            agreement: Some(agreement),
            ..first.processor.clone()
        },
        mispredicted: first.mispredicted.min(second.mispredicted),
        tables: tables.collect(),
        libfn: shorter(&first.libfn, &second.libfn),
        memory: MemoryTimes {
            random: by_bytes(&first.memory.random, &second.memory.random),
            streamed: by_bytes(&first.memory.streamed, &second.memory.streamed),
            strided: by_bytes(&first.memory.strided, &second.memory.strided),
        },
        hash: Hash128::default(),
    })
}

/// Rows that both have.
fn both<'t, K: Ord>(
    one: &'t BTreeMap<K, f64>,
    other: &'t BTreeMap<K, f64>,
) -> impl Iterator<Item = (&'t K, f64, f64)> {
    one.iter().filter_map(|(name, &time)| Some((name, time, *other.get(name)?)))
}

#[cfg(test)]
mod tests {
    use super::{MeasureError, MeasuredLines, joined};
    use crate::file::{Processor, read, write};
    use crate::source::TimeSource;

    fn processor() -> Processor {
        Processor {
            name: "P".to_owned(),
            model: "znver4".to_owned(),
            target: "x86_64".to_owned(),
            cycle: 0.0,
            agreement: None,
        }
    }

    fn measured(lines: &str) -> Result<MeasuredLines, MeasureError> {
        let mut all = MeasuredLines::default();
        lines.lines().try_for_each(|line| all.add(line))?;
        Ok(all)
    }

    const QUIET: &str = "cycle\twarm up\t0.9\t0.5\ncycle\tbefore\t0.26\t0.25\nirinst\tadd i32\t0.25\t0.25\n\
        irinst\tload ptr\t1\t1\nirinst-max\tadd i32\t0.07\t0.07\nschedule\tmispredicted\t6\t5\nlibfn\tlog\t5\t5\n\
        libfn\tfabs\t0\t0\nmemory\trandom 16384\t1.1\t1.1\nmemory\tstreamed 16384\t0.3\t0.3\ncycle\tafter\t0.25\t0.25\n";

    #[test]
    fn a_quiet_machine_becomes_a_file() {
        let timing = measured(QUIET).expect("lines").timing(processor()).expect("a timing");
        assert_eq!(timing.processor.cycle, 0.25);
        assert_eq!(timing.tables[&TimeSource::Lmbench].keys().collect::<Vec<_>>(), ["add i32"]);
        assert!(!timing.libfn.contains_key("fabs"), "what took no time has no price");
        let again = read(&write(&timing)).expect("the file");
        assert_eq!((again.memory, again.libfn), (timing.memory, timing.libfn));
    }

    #[test]
    fn a_noisy_machine_is_refused_with_its_spread() {
        let noisy = QUIET.replace("after\t0.25\t0.25", "after\t0.50\t0.25");
        let words = measured(&noisy).expect("lines").timing(processor()).expect_err("noise").to_string();
        assert!(words.contains("a spread of 100 %"), "{words}");
        let spreading =
            QUIET.replace("1.1\t1.1", "9\t1.1").replace("5\t5", "9\t5").replace("\t1\t1", "\t2\t1");
        let error = measured(&spreading).expect("lines").timing(processor()).expect_err("spread");
        assert!(matches!(error, MeasureError::Spreading { spreading: 4, all: 11 }), "{error}");
    }

    #[test]
    fn two_measurements_have_to_agree() {
        let timing = |lines: &str| measured(lines).expect("lines").timing(processor()).expect("a timing");
        let first = timing(QUIET);
        let same = joined(&first, &first).expect("the same twice");
        assert_eq!(same.processor.agreement, Some(1.0));
        let close = timing(&QUIET.replace("mispredicted\t6\t5", "mispredicted\t5\t5"));
        let both = joined(&first, &close).expect("within 30 %");
        assert_eq!(both.mispredicted, 5.0, "the shorter one");
        assert_eq!(read(&write(&both)).expect("the file").processor.agreement, Some(1.2));
        // A machine that is loaded all the time is steady in itself.
        let loaded = timing(&QUIET.replace("random 16384\t1.1\t1.1", "random 16384\t3.3\t3.3"));
        let words = joined(&first, &loaded).expect_err("threefold").to_string();
        assert!(words.contains("a random line of memory in 16384 bytes took 1.100 and 3.300 ns"), "{words}");
    }

    #[test]
    fn half_a_measurement_is_none() {
        let half = QUIET.replace("cycle\tafter\t0.25\t0.25\n", "");
        assert!(measured(&half).expect("lines").timing(processor()).is_err());
        assert!(MeasuredLines::default().timing(processor()).is_err());
        for wrong in ["", "cycle\tbefore", "cycle\tbefore\tfast\t1", "cycle\tbefore\tnan\t1"] {
            assert_eq!(
                measured(&format!("{wrong}\n")).expect_err(wrong),
                MeasureError::Line(wrong.to_owned())
            );
        }
    }
}
