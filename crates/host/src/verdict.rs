//! How did a turn end, and what did it take?

use std::ffi::{CStr, c_char};
use std::fmt;

use crate::ffi::RawVerdict;

/// How a turn, or a part of it, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The function returned within its fuel.
    Finished,
    /// Suspended: resume it with new fuel, or drop it.
    UsedUp,
    /// It waited until the deadline; only to be dropped.
    Blocked,
    /// Suspended: it wants more memory than its limit.
    Memory,
    /// Its stack was full; only to be dropped.
    Stack,
    /// A signal, `abort` or `exit` ended it; only to be dropped.
    Crashed,
    /// Nothing was run; the verdict has the reason.
    Rejected,
    /// It computed until the deadline; only to be dropped.
    Time,
}

impl Kind {
    const ALL: [Kind; 8] = [
        Kind::Finished,
        Kind::UsedUp,
        Kind::Blocked,
        Kind::Memory,
        Kind::Stack,
        Kind::Crashed,
        Kind::Rejected,
        Kind::Time,
    ];

    /// Whether [`resume`](crate::Instance::resume) can go on with it.
    pub fn is_suspended(self) -> bool {
        matches!(self, Kind::UsedUp | Kind::Memory)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Finished => "finished",
            Kind::UsedUp => "used-up",
            Kind::Blocked => "blocked",
            Kind::Memory => "memory",
            Kind::Stack => "stack",
            Kind::Crashed => "crashed",
            Kind::Rejected => "rejected",
            Kind::Time => "time",
        })
    }
}

/// Where in the source a bot was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Linkage name.
    pub function: String,
    /// Source file; empty if it is not known.
    pub file: String,
    /// Line, or 0.
    pub line: u32,
}

/// How a turn ended and what was spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How it ended.
    pub kind: Kind,
    /// Instructions since the turn began; at least these if not `is_exact`.
    pub spent: u64,
    /// Instructions since the load.
    pub spent_in_all: u64,
    /// Instructions beyond the fuel that was given for the turn.
    pub beyond: u64,
    /// False after memory, time, blocked, stack and crashed.
    pub is_exact: bool,
    /// Signal of a crash.
    pub signal: Option<i32>,
    /// Where it was stopped; `None` at the very end of a turn, or if unknown.
    pub place: Option<Place>,
    /// Why it was rejected or crashed.
    pub reason: Option<String>,
}

impl Verdict {
    /// # Safety
    /// The texts of `raw` live: its instance was not dropped.
    pub(crate) unsafe fn read(raw: &RawVerdict) -> Verdict {
        // SAFETY: by this function's contract; the C side terminates its texts.
        let read = |at: *const c_char| unsafe { text(at) };
        let place = read(raw.function).map(|function| Place {
            function,
            file: read(raw.file).unwrap_or_default(),
            line: raw.line,
        });
        Verdict {
            kind: usize::try_from(raw.kind)
                .ok()
                .and_then(|kind| Kind::ALL.get(kind).copied())
                .unwrap_or(Kind::Rejected),
            spent: raw.spent,
            spent_in_all: raw.spent_in_all,
            beyond: raw.beyond,
            is_exact: raw.is_exact != 0,
            signal: (raw.signal != 0).then_some(raw.signal),
            place,
            reason: read(raw.reason),
        }
    }
}

/// # Safety
/// `at` is null or leads to a terminated text that lives for the call.
pub(crate) unsafe fn text(at: *const c_char) -> Option<String> {
    if at.is_null() {
        return None;
    }
    // SAFETY: by this function's contract.
    Some(unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned())
}
