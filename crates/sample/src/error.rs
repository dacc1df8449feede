//! What can go wrong with sampling as a whole, whose fault is it, and what is
//! to be done next?
//!
//! A sample that leads nowhere is no error but an answer with a reason
//! ([`crate::Reason`]); here is what leaves no answer at all.

use std::io;
use std::path::PathBuf;

/// Why there are no samples.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The machine's policy forbids counters: `perf_event_paranoid`, a filter
    /// of system calls in a container, a kernel without them, or another
    /// user's process.
    #[error(
        "this machine does not let us sample ({source}); perf_event_paranoid is {paranoid}; as root: sysctl \
         kernel.perf_event_paranoid=2, or give CAP_PERFMON; in a container: allow perf_event_open"
    )]
    NotPermitted {
        /// What the kernel answered.
        source: io::Error,
        /// The setting, or why it cannot be read.
        paranoid: String,
    },
    /// The machine has no such counter (virtual machines often have none but
    /// those of the kernel itself).
    #[error("this machine has no counter `{event}` ({source}); cpu-clock is there on every machine")]
    NoCounter {
        /// As asked for.
        event: String,
        /// What the kernel answered.
        source: io::Error,
    },
    /// The machine keeps no branches with this counter, or has no such counter.
    #[error(
        "this machine records no branches with `{event}` ({source}); it takes a processor that does (LBR, on the \
         hardware itself and no virtual machine) and a counter of its own: --event cycles"
    )]
    NoBranches {
        /// As asked for.
        event: String,
        /// What the kernel answered.
        source: io::Error,
    },
    /// A name that means nothing to us.
    #[error("no event is called `{name}`; there are {available}, and rHEX for a raw one")]
    UnknownEvent {
        /// As asked for.
        name: String,
        /// All names.
        available: String,
    },
    /// No room for the ring, even for a small one.
    #[error("no memory for the ring of samples ({source}); raise kernel.perf_event_mlock_kb or ulimit -l")]
    NoRing {
        /// What the kernel answered.
        source: io::Error,
    },
    /// Each thread needs two counters on each processor, and each is an open
    /// file.
    #[error("more counters are needed than files may be open ({source}); raise ulimit -n")]
    TooManyFiles {
        /// What the kernel answered.
        source: io::Error,
    },
    /// The program could not be started: the caller's path or rights.
    #[error("`{program}` cannot be started: {source}")]
    Start {
        /// As asked for.
        program: String,
        /// What the kernel answered.
        source: io::Error,
    },
    /// No such process, or it ended before it could be sampled.
    #[error("there is no process {pid}, or it has just ended")]
    NoProcess {
        /// As asked for.
        pid: u32,
    },
    /// Another user's process, or one that its system guards.
    #[error(
        "there is no right to look at process {pid}; sample it as the user that it belongs to, or as root"
    )]
    GuardedProcess {
        /// As asked for.
        pid: u32,
    },
    /// A rate or an overhead that no sampling can have.
    #[error("{what}")]
    Rate {
        /// Which, and what is possible.
        what: String,
    },
    /// The file that is to keep samples cannot be made: the caller's path, or
    /// a full disk.
    #[error("{path} cannot be written: {source}")]
    Keep {
        /// As asked for.
        path: PathBuf,
        /// What the kernel answered.
        source: io::Error,
    },
    /// The timer that replaces counters cannot be made or was not entered.
    #[error("the timer {what}")]
    Timer {
        /// What happened and what to do.
        what: String,
    },
    /// The kernel went against its own rules.
    #[error("{doing} failed: {source}; this is a fault of the kernel or of opcost")]
    System {
        /// What was being done.
        doing: &'static str,
        /// What the kernel answered.
        source: io::Error,
    },
    /// A file of samples that somebody else took cannot be read.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        source: crate::malformed::MalformedSample,
    },
}
