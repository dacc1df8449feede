//! What stands in a file of recorded values, and what can be wrong with one?
//!
//! Plain data: modules, and for each of their points what was recorded.

use std::collections::BTreeMap;

use opcost_key::Hash128;
use schemars::JsonSchema;
use serde::Serialize;

/// The contents of one file of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueFile {
    /// Process that recorded.
    pub pid: u32,
    /// Its parent.
    pub parent_pid: u32,
    /// When the file was made, nanoseconds of real time.
    pub start_ns: u64,
    /// Path of the image.
    pub image: String,
    /// Its build id; empty if it has none.
    pub build_id: Vec<u8>,
    /// Whether it began as a child of `fork`.
    pub is_forked: bool,
    /// Whether the program came to its end by itself.
    pub is_finished: bool,
    /// Every how many values one was recorded.
    pub sample: u64,
    /// Bytes that runs and tables might take, and took.
    pub memory: (u64, u64),
    /// What went otherwise than usual, in words.
    pub remarks: Vec<String>,
    /// Whether something of the file is missing.
    pub is_cut: bool,
    /// The modules, in link order.
    pub modules: Vec<ValueModule>,
}

/// What one module recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueModule {
    /// Hash of the list of its points.
    pub hash: Hash128,
    /// Its points in order; none: never reached.
    pub points: Vec<Option<PointRecord>>,
}

/// What one point recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointRecord {
    /// Activations that began; of a value, how often it was computed.
    pub entries: u64,
    /// Those that ended by an exit.
    pub complete: u64,
    /// Those that were left otherwise: how many, their iterations together, the most of one.
    pub left: (u64, u64, u64),
    /// Those still open at the end.
    pub open: Vec<OpenActivation>,
    /// Activations of the parent of a fork that ended here or were open, and the iterations that
    /// they took here.
    pub inherited: (u64, u64),
    /// Sum of all values, recorded or not.
    pub sum: i128,
    /// How many values were recorded.
    pub recorded: u64,
    /// The least and the greatest recorded one.
    pub range: Option<(i64, i64)>,
    /// How often each value was recorded.
    pub values: BTreeMap<i64, u64>,
    /// Values that had no room there, by range (`layout::bucket`).
    pub rough: BTreeMap<usize, u64>,
    /// Recorded values in order of time, as runs of equal ones.
    pub runs: Vec<(i64, u64)>,
    /// Every how many recorded values one is in `runs`; the greatest of all threads.
    pub stride: u64,
    /// Whether the program ended while this was written, so that `values` and
    /// `runs` may lack something.
    pub is_torn: bool,
    /// How the check went.
    pub checks: Checks,
}

/// How the check of a loop went, in activations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Complete ones: held, wrong, wrong under assumptions.
    pub complete: (u64, u64, u64),
    /// Ones left otherwise: not more, more, more under assumptions.
    pub left: (u64, u64, u64),
    /// Without a result to be held against.
    pub unchecked: u64,
    /// Whose check would have added up too many terms.
    pub too_long: u64,
    /// The first that failed.
    pub failed: Option<FailedPoint>,
}

/// An activation in which a claim did not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "FailureJson")]
pub struct FailedPoint {
    /// Which entry of the loop it was, from 1, in its process and thread.
    pub entry: u64,
    /// Its iterations.
    #[serde(rename = "turns")]
    pub iterations: u64,
    /// What was claimed.
    pub claimed: i128,
}

/// An activation that was open when the program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenActivation {
    /// Iterations so far.
    pub iterations: u64,
    /// What its check needs, as far as it was noted and has numbers.
    pub inputs: Vec<Option<u64>>,
}

/// Why a file of values cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is no such file.
    #[error("this is no file of recorded values (.opcval); opcost values writes them with --keep")]
    NotOne,
    /// The program was killed before it began.
    #[error("the program ended before it began to record; run it again")]
    NotBegun,
    /// It is of another version.
    #[error("it is of version {0} of the format, and this opcost reads {1}; record it again")]
    Version(u32, u32),
    /// It is cut off so early that nothing of it can be read.
    #[error("it is cut off after {0} bytes, before its list of modules ends; copy or record it again")]
    Cut(u64),
    /// Something in it cannot be.
    #[error("it is damaged: {0}; record it again")]
    Damaged(String),
}

impl PointRecord {
    /// The iterations of all activations, whatever their end: traversals of back edges.
    pub fn back_edges(&self) -> i128 {
        let open: i128 = self.open.iter().map(|open| i128::from(open.iterations)).sum();
        self.sum
            .saturating_add(i128::from(self.left.1))
            .saturating_add(open)
            .saturating_add(i128::from(self.inherited.1))
    }

    /// Activations that were left otherwise, or are open.
    pub fn partial(&self) -> u64 {
        self.left.0.saturating_add(self.open.len() as u64)
    }

    /// Whether `values` has every value.
    pub fn is_exact(&self) -> bool {
        self.rough.is_empty() && !self.is_torn && self.recorded == self.complete
    }

    /// Adds what another process recorded at the same point.
    pub fn add(&mut self, other: &PointRecord) {
        self.entries = self.entries.saturating_add(other.entries);
        self.complete = self.complete.saturating_add(other.complete);
        let pair = |a: (u64, u64), b: (u64, u64)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1));
        let (left, turns) = pair((self.left.0, self.left.1), (other.left.0, other.left.1));
        self.left = (left, turns, self.left.2.max(other.left.2));
        self.open.extend(other.open.iter().cloned());
        self.inherited = pair(self.inherited, other.inherited);
        self.sum = self.sum.saturating_add(other.sum);
        self.recorded = self.recorded.saturating_add(other.recorded);
        self.range = match (self.range, other.range) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, None) => one,
            (None, one) => one,
        };
        for (&value, &count) in &other.values {
            add_to(self.values.entry(value).or_default(), count);
        }
        for (&bucket, &count) in &other.rough {
            add_to(self.rough.entry(bucket).or_default(), count);
        }
        self.runs.extend(&other.runs);
        self.stride = self.stride.max(other.stride);
        self.is_torn |= other.is_torn;
        self.checks.add(&other.checks);
    }
}

impl Checks {
    fn add(&mut self, other: &Checks) {
        let sum = |a: (u64, u64, u64), b: (u64, u64, u64)| {
            (a.0.saturating_add(b.0), a.1.saturating_add(b.1), a.2.saturating_add(b.2))
        };
        self.complete = sum(self.complete, other.complete);
        self.left = sum(self.left, other.left);
        self.unchecked = self.unchecked.saturating_add(other.unchecked);
        self.too_long = self.too_long.saturating_add(other.too_long);
        self.failed = self.failed.or(other.failed);
    }
}

/// Files may say anything.
pub(super) fn add_to(sum: &mut u64, count: u64) {
    *sum = sum.saturating_add(count);
}
