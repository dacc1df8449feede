//! What did the measuring program measure, and was the machine quiet?
//!
//! Input: the lines of `c/measure.c`, and what else is known of the processor. Output: a [`Timing`].
//! A cycle was measured several times, at the start and at the end; where these differ by more than
//! `NOISE`, or much of all else spreads, the machine was not itself and nothing is made of it.

use std::collections::BTreeMap;

use opcost_key::Hash128;

use crate::file::{MemoryTimes, Processor, Timing};
use crate::source::{Table, TimeSource};

/// How many lines the measuring program writes, about: for a progress bar.
pub const LINES: usize = 290;
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
            memory: MemoryTimes { random: by_bytes("random"), streamed: by_bytes("streamed") },
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

#[cfg(test)]
mod tests {
    use super::{MeasureError, MeasuredLines};
    use crate::file::{Processor, read, write};
    use crate::source::TimeSource;

    fn processor() -> Processor {
        Processor {
            name: "P".to_owned(),
            model: "znver4".to_owned(),
            target: "x86_64".to_owned(),
            cycle: 0.0,
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
