//! What stands in a raw counter file, and what can be wrong with one?
//!
//! Plain data: who counted, what was counted, how the program ended, and the counts of
//! each module.

use std::fmt;

use opcost_key::Hash128;

use super::layout;

/// The contents of one raw counter file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawFile {
    /// Who counted.
    pub process: ProcessFacts,
    /// What was counted.
    pub image: ImageFacts,
    /// How the program ended.
    pub end: EndState,
    /// What went otherwise than usual.
    pub flags: RawFlags,
    /// Whether it began as a child of `fork`, with a baseline.
    pub is_forked: bool,
    /// How many threads' slabs were added in.
    pub slab_count: u64,
    /// Counts of each module linked into the image, in link order.
    pub modules: Vec<RawModule>,
    /// Frames that never returned, ascending by return address.
    pub left: Vec<LeftFrame>,
}

/// Which process and which program in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessFacts {
    /// Process id.
    pub pid: u32,
    /// The parent when the file was made.
    pub parent_pid: u32,
    /// Start of the process in nanoseconds since boot; with the pid it names
    /// the process, and `exec` keeps it.
    pub process_start_ns: u64,
    /// Start of the program in nanoseconds of real time: the same for all
    /// images of one program, greater after each `exec`.
    pub program_start_ns: u64,
    /// The number that made the file's name free.
    pub sequence: u32,
}

/// Which image, and where it was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageFacts {
    /// Its path, as the loader knew it.
    pub path: String,
    /// Its build id; empty if it has none.
    pub build_id: Vec<u8>,
    /// Address in memory minus address in the file.
    pub bias: u64,
    /// First loaded address.
    pub start: u64,
    /// After the last loaded address.
    pub end: u64,
    /// Address of the first counter.
    pub section_start: u64,
}

impl ImageFacts {
    /// The address that the image's file gives to an address in memory.
    pub fn address_in_file(&self, pc: u64) -> u64 {
        pc.wrapping_sub(self.bias)
    }
}

/// The counters of one module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawModule {
    /// Hash of the map that says what they mean.
    pub map_hash: Hash128,
    /// Their values, by `CounterId`.
    pub counts: Vec<u64>,
}

/// A call site whose frames did not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftFrame {
    /// Return address in memory: after the call.
    pub pc: u64,
    /// How many frames left there; negative in a child that inherited them.
    pub count: i64,
}

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndState {
    /// It runs still, or a signal ended it without notice.
    None,
    /// Returned from `main`, called `exit`, or the image was unloaded.
    Exit,
    /// Called `_exit`.
    ImmediateExit,
    /// Called `abort`.
    Abort,
    /// Replaced itself by another program.
    Exec,
    /// Called `quick_exit`.
    QuickExit,
}

/// What went otherwise than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct RawFlags(pub u64);

impl RawFlags {
    /// Counters were private and copied at the end.
    pub const PRIVATE: RawFlags = RawFlags::bit("PRIVATE");
    /// Some left frames are missing.
    pub const LEFT_OVERFLOW: RawFlags = RawFlags::bit("LEFT_OVERFLOW");
    /// The program made threads.
    pub const THREADS_SEEN: RawFlags = RawFlags::bit("THREADS_SEEN");
    /// It switched stacks by `ucontext`.
    pub const CONTEXT_SWITCHED: RawFlags = RawFlags::bit("CONTEXT_SWITCHED");
    /// A `longjmp` left frames that could not be determined.
    pub const UNSETTLED_JUMP: RawFlags = RawFlags::bit("UNSETTLED_JUMP");
    /// A child made without `fork` counted here too.
    pub const CLONED: RawFlags = RawFlags::bit("CLONED");
    /// A frame was left in the middle of its instructions.
    pub const ASYNCHRONOUS_FRAME: RawFlags = RawFlags::bit("ASYNCHRONOUS_FRAME");
    /// Other threads were in counted code at the end.
    pub const THREADS_RUNNING: RawFlags = RawFlags::bit("THREADS_RUNNING");
    /// A thread shared counters with the first one.
    pub const SLAB_LOST: RawFlags = RawFlags::bit("SLAB_LOST");
    /// Threads ran, but counters are not kept apart by thread: increments were lost.
    pub const THREADS_SHARED: RawFlags = RawFlags::bit("THREADS_SHARED");

    const fn bit(name: &str) -> RawFlags {
        let mut at = 0;
        while !same(layout::FLAG_BITS[at].0, name) {
            at += 1;
        }
        RawFlags(1 << layout::FLAG_BITS[at].1)
    }

    /// Whether all bits of `other` are set.
    pub fn contains(self, other: RawFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// What the bits say, one sentence each.
    pub fn meanings(self) -> impl Iterator<Item = &'static str> {
        let bits = layout::FLAG_BITS.iter();
        bits.filter(move |(_, bit, _)| self.0 >> bit & 1 == 1).map(|(_, _, meaning)| *meaning)
    }
}

/// `==` on strings, where only constants are evaluated.
const fn same(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    at == left.len() && at == right.len()
}

/// A part of the file, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawPart {
    /// The first 64 KiB.
    Header,
    /// Frames left.
    LeftTable,
    /// The list of modules.
    Modules,
    /// What the counters began with.
    Baseline,
    /// The counters.
    Counters,
    /// The threads' slabs.
    Slabs,
}

impl fmt::Display for RawPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RawPart::Header => "header",
            RawPart::LeftTable => "table of left frames",
            RawPart::Modules => "list of modules",
            RawPart::Baseline => "baseline",
            RawPart::Counters => "counters",
            RawPart::Slabs => "threads' slabs",
        })
    }
}

/// Why a file could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another kind of file.
    #[error("this is not a raw counter file of opcost: give the .opcraw file that the counted program wrote")]
    NotOpcraw,
    /// Space was reserved, but the program did not get to its first counter.
    #[error("the program was killed before it began to count, so nothing is in this file: run it again")]
    NotBegun,
    /// Written by another version.
    #[error(
        "this raw counter file has layout {actual}, this opcost reads layout {}: use the opcost that built the program, or build it again",
        layout::VERSION
    )]
    OtherVersion {
        /// The layout it has.
        actual: u32,
    },
    /// The file ends too early.
    #[error(
        "the raw counter file ends within its {part} (it needs {needed} bytes and has {present}): it was cut off after it was written; copy it again or run again"
    )]
    Truncated {
        /// What is missing.
        part: RawPart,
        /// Bytes the file needs at least.
        needed: u64,
        /// Bytes it has.
        present: u64,
    },
    /// The file contradicts itself.
    #[error(
        "the {part} of the raw counter file contradicts itself: {what}; the file was overwritten (by the program itself, perhaps), so run again"
    )]
    Inconsistent {
        /// Where.
        part: RawPart,
        /// How.
        what: &'static str,
    },
    /// A counter below where it began.
    #[error(
        "counter {cell} of the image is less than at the fork: it passed 2^64, or the program overwrote it; its count is unknown"
    )]
    Wrapped {
        /// Index of the cell in the section.
        cell: u64,
    },
    /// A sum over threads beyond 64 bits.
    #[error("counter {cell} of the image passed 2^64 in the sum over its threads; its count is unknown")]
    Overflow {
        /// Index of the cell in the section.
        cell: u64,
    },
}
