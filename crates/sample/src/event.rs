//! What is sampled: which counter, by its name?
//!
//! Names are those of `perf`. Clocks give samples at a rate per second of
//! processor time and exist everywhere; for every other counter the kernel
//! adapts the distance until about that many samples come in a second. Which
//! counters a machine has, only opening one tells.

use crate::Error;

/// A counter of the kernel's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    name: String,
    pub(crate) kind: u32,
    pub(crate) config: u64,
}

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const RAW: u32 = 4;

const NAMES: &[(&str, u32, u64)] = &[
    ("cpu-clock", SOFTWARE, 0),
    ("task-clock", SOFTWARE, 1),
    ("page-faults", SOFTWARE, 2),
    ("context-switches", SOFTWARE, 3),
    ("cpu-migrations", SOFTWARE, 4),
    ("minor-faults", SOFTWARE, 5),
    ("major-faults", SOFTWARE, 6),
    ("alignment-faults", SOFTWARE, 7),
    ("cycles", HARDWARE, 0),
    ("instructions", HARDWARE, 1),
    ("cache-references", HARDWARE, 2),
    ("cache-misses", HARDWARE, 3),
    ("branches", HARDWARE, 4),
    ("branch-misses", HARDWARE, 5),
    ("bus-cycles", HARDWARE, 6),
    ("ref-cycles", HARDWARE, 9),
];

impl Event {
    /// The event of a name as `perf` has it, or `rHEX`.
    pub fn named(name: &str) -> Result<Self, Error> {
        let event = |kind, config| Event { name: name.to_owned(), kind, config };
        if let Some(&(_, kind, config)) = NAMES.iter().find(|known| known.0 == name) {
            return Ok(event(kind, config));
        }
        match name.strip_prefix('r').map(|digits| u64::from_str_radix(digits, 16)) {
            Some(Ok(config)) => Ok(event(RAW, config)),
            _ => {
                let known: Vec<&str> = NAMES.iter().map(|known| known.0).collect();
                Err(Error::UnknownEvent { name: name.to_owned(), available: known.join(", ") })
            }
        }
    }

    /// Time on a processor; the one event that every machine has.
    pub fn cpu_clock() -> Self {
        Event { name: "cpu-clock".to_owned(), kind: SOFTWARE, config: 0 }
    }

    /// An event that never happens: it only reports mappings and tasks.
    pub(crate) fn silent() -> Self {
        Event { name: "dummy".to_owned(), kind: SOFTWARE, config: 9 }
    }

    /// The event of these numbers, as a file of samples has them.
    pub(crate) fn of(kind: u32, config: u64) -> Self {
        let known = NAMES.iter().find(|known| (known.1, known.2) == (kind, config));
        let name = known.map_or_else(|| format!("event {kind}:{config:x}"), |known| known.0.to_owned());
        Event { name, kind, config }
    }

    /// As asked for.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it counts nanoseconds, so that the rate is exact.
    pub fn is_clock(&self) -> bool {
        self.kind == SOFTWARE && self.config <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_counters() {
        assert!(Event::named("cpu-clock").unwrap().is_clock());
        assert!(!Event::named("page-faults").unwrap().is_clock());
        let misses = Event::named("cache-misses").unwrap();
        assert_eq!((misses.kind, misses.config, misses.name()), (HARDWARE, 3, "cache-misses"));
        assert_eq!(Event::named("r01c4").unwrap().config, 0x1c4);
    }

    #[test]
    fn a_wrong_name_is_told_with_the_right_ones() {
        for wrong in ["cpu_clock", "", "r", "rxyz"] {
            let error = Event::named(wrong).unwrap_err().to_string();
            assert!(error.contains("no event is called") && error.contains("cpu-clock"), "{error}");
        }
    }
}
