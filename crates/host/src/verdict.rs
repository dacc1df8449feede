//! How did a turn end, and what did it take?

use std::ffi::{CStr, c_char};
use std::fmt;

use crate::ffi::RawVerdict;

/// How a call, or a part of it, ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndKind {
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

impl EndKind {
    const ALL: [EndKind; 8] = [
        EndKind::Finished,
        EndKind::UsedUp,
        EndKind::Blocked,
        EndKind::Memory,
        EndKind::Stack,
        EndKind::Crashed,
        EndKind::Rejected,
        EndKind::Time,
    ];

    /// Whether [`resume`](crate::Instance::resume) can go on with it.
    pub fn is_suspended(self) -> bool {
        matches!(self, EndKind::UsedUp | EndKind::Memory)
    }
}

impl fmt::Display for EndKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            EndKind::Finished => "finished",
            EndKind::UsedUp => "used-up",
            EndKind::Blocked => "blocked",
            EndKind::Memory => "memory",
            EndKind::Stack => "stack",
            EndKind::Crashed => "crashed",
            EndKind::Rejected => "rejected",
            EndKind::Time => "time",
        })
    }
}

/// Where in the source a bot was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultLocation {
    /// Linkage name.
    pub function: String,
    /// Source file; empty if it is not known.
    pub file: String,
    /// Line, or 0.
    pub line: u32,
}

/// How a call ended and what was spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How it ended.
    pub kind: EndKind,
    /// Instructions since the call began; at least these if not `is_exact`.
    pub spent: u64,
    /// Instructions since the load.
    pub spent_in_all: u64,
    /// Instructions beyond the fuel that was given for the call.
    pub beyond: u64,
    /// False after memory, time, blocked, stack and crashed.
    pub is_exact: bool,
    /// Signal of a crash.
    pub signal: Option<i32>,
    /// Where it was stopped; `None` at the very end of a call, or if unknown.
    pub location: Option<FaultLocation>,
    /// Why it was rejected or crashed.
    pub reason: Option<String>,
}

impl Verdict {
    /// # Safety
    /// The texts of `raw` live: its instance was not dropped.
    pub(crate) unsafe fn read(raw: &RawVerdict) -> Verdict {
        // SAFETY: by this function's contract; the C side terminates its texts.
        let read = |at: *const c_char| unsafe { text(at) };
        let place = read(raw.function).map(|function| FaultLocation {
            function,
            file: read(raw.file).unwrap_or_default(),
            line: raw.line,
        });
        Verdict {
            kind: usize::try_from(raw.kind)
                .ok()
                .and_then(|kind| EndKind::ALL.get(kind).copied())
                .unwrap_or(EndKind::Rejected),
            spent: raw.spent,
            spent_in_all: raw.spent_in_all,
            beyond: raw.beyond,
            is_exact: raw.is_exact != 0,
            signal: (raw.signal != 0).then_some(raw.signal),
            location: place,
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
