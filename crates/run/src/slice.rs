//! Running a program that reports its loops, and reading what it told.
//!
//! The file has eight bytes that name it, the number of events, how many came, a
//! hash of their order, then how often each came, then a hash for each loop: words of
//! 64 bits, least byte first, as `slice.c` writes them.

use std::ffi::OsString;
use std::path::Path;

use opcost_answer::Failure;
use opcost_answer::run::Finish;
use opcost_runtime::slice::VARIABLE;

use crate::start::{Launch, Streams, run_program};

/// What a file of events begins with.
const MAGIC: &[u8; 8] = b"opslice1";
/// Words before the counts.
const HEAD: usize = 4;

/// The events of a run, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventStream {
    /// How many came.
    pub total: u64,
    /// A hash of their order.
    pub hash: u64,
    /// How often each came.
    pub counts: Vec<u64>,
    /// For each loop a hash of the order of its two events.
    pub loops: Vec<u64>,
}

/// A marked program and how it is run.
#[derive(Clone, Copy, Debug)]
pub struct SliceRun<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// Where its streams go.
    pub streams: &'a Streams,
    /// The file of events.
    pub file: &'a Path,
}

impl SliceRun<'_> {
    /// Runs a program that calls at each event; with more than `most` of them it is stopped.
    ///
    /// # Errors
    /// It cannot be started, or reported nothing.
    pub fn stream(&self, most: Option<u64>) -> Result<(Finish, EventStream), Failure> {
        let mut wish = OsString::from(format!("{}:", most.unwrap_or(u64::MAX)));
        wish.push(self.file);
        let finish = self.start(Path::new(&wish))?;
        let bytes = std::fs::read(self.file).map_err(Failure::file("read", self.file))?;
        let stream = EventStream::read(&bytes).ok_or_else(|| {
            Failure::Counters(format!("{} reported nothing of its loops", self.program.display()))
        })?;
        Ok((finish, stream))
    }

    /// Runs a program that counts its events in place; the counts, if it came to its end.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn counts(&self) -> Result<(Finish, Option<Vec<u64>>), Failure> {
        let finish = self.start(self.file)?;
        let text = std::fs::read_to_string(self.file).unwrap_or_default();
        Ok((finish, text.strip_suffix("end\n").map(counts)))
    }

    fn start(&self, writes: &Path) -> Result<Finish, Failure> {
        run_program(Launch {
            program: self.program,
            arguments: self.arguments,
            variable: VARIABLE,
            writes,
            streams: self.streams,
            world: None,
            starter: None,
            watched_page: None,
        })
    }
}

/// `entries iterations name`, a line each.
fn counts(text: &str) -> Vec<u64> {
    let numbers =
        |line: &str| -> Vec<u64> { line.split(' ').take(2).map(|word| word.parse().unwrap_or(0)).collect() };
    text.lines().flat_map(numbers).collect()
}

impl EventStream {
    fn read(bytes: &[u8]) -> Option<EventStream> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let words: Vec<u64> = rest
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
            .collect();
        let &[events, total, hash, ..] = words.as_slice() else { return None };
        let events = usize::try_from(events).ok()?;
        let counts = words.get(HEAD - 1..HEAD - 1 + events)?.to_vec();
        let loops = words.get(HEAD - 1 + events..HEAD - 1 + events + events.div_ceil(2))?.to_vec();
        Some(EventStream { total, hash, counts, loops })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_events_is_read_whole_or_not_at_all() {
        let words: [u64; 6] = [2, 7, 99, 3, 4, 5];
        let mut bytes = MAGIC.to_vec();
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        let stream = EventStream { total: 7, hash: 99, counts: vec![3, 4], loops: vec![5] };
        assert_eq!(EventStream::read(&bytes), Some(stream));
        assert_eq!(EventStream::read(&bytes[..bytes.len() - 8]), None);
        assert_eq!(EventStream::read(b"something else"), None);
        assert_eq!(counts("3 4 a.c:1 main\n5 6 f\n"), [3, 4, 5, 6]);
    }
}
