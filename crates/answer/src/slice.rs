//! What stays of a program that only its loops are wanted of? As plain data.
//!
//! The child that slices writes it; what a verification found is added by its parent.

use opcost_key::Key;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in the source, or in the module where it does not say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlicedLocation {
    /// The source file.
    pub file: Option<String>,
    /// Its line, from 1.
    pub line: Option<u32>,
    /// The function, by its linkage name.
    pub function: String,
}

/// What becomes of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoopFate {
    /// It iterates as before, and part of what it did is removed.
    Thinned,
    /// It iterates as before, and nine tenths or more of it stay.
    Whole,
    /// It iterates equally often each time, so the slice need not have it.
    Constant,
    /// Its counts are known for the arguments that were given, so the slice need not have it.
    Evaluated,
    /// It executes little, so the slice need not have it, and its counts are missing.
    Dropped,
    /// It was waived: the slice need not have it.
    Waived,
}

/// A loop that iterates equally often each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ConstantJson")]
pub struct ConstantTrips {
    /// How often its header runs each time that it is entered.
    pub headers: u64,
    /// How often it is entered each time that the loop around it is; null if its entries are counted.
    pub entries: Option<u64>,
}

/// A loop whose counts are known for the arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EvaluatedJson")]
pub struct EvaluatedTrips {
    /// How often it is entered.
    pub entries: u64,
    /// How often its header runs.
    pub headers: u64,
}

/// A loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SlicedLoop {
    /// Its key.
    pub key: Key,
    /// Where it is.
    pub location: SlicedLocation,
    /// 1 for an outermost loop of its function.
    pub depth: u32,
    /// The loop around it in its function, by position among all.
    pub parent: Option<usize>,
    /// How often it iterates, if no event reports that.
    pub constant: Option<ConstantTrips>,
    /// What it does in all, if the arguments decide that.
    pub evaluated: Option<EvaluatedTrips>,
    /// What becomes of it.
    pub fate: LoopFate,
    /// Its instructions.
    pub instructions: u64,
    /// Those of them that are in no loop inside of it.
    pub own_instructions: u64,
    /// Those of all that stay.
    pub retained: u64,
    /// What keeps most of it, if that is computed data.
    pub why: Option<String>,
}

/// A line, and what stays of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SlicedLine {
    /// Where it is.
    pub location: SlicedLocation,
    /// Its instructions.
    pub instructions: u64,
    /// Those of them that stay.
    pub retained: u64,
    /// Why the first one does.
    pub why: Option<String>,
}

/// A link of the chain that keeps an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlicedLink {
    /// Where the instruction is.
    pub location: SlicedLocation,
    /// What it does, by its opcode or callee.
    pub what: String,
    /// Why it stays, in words.
    pub why: String,
}

/// A block by its positions in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPosition {
    /// The function, by position in the program.
    pub function: u32,
    /// The block, by position in the function.
    pub block: u32,
}

/// What the counters of a slice count that is run to predict its program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceCells {
    /// The headers of loops: two counters each, entries and executions of the header.
    pub loops: Vec<BlockPosition>,
    /// Blocks that run as often as in the program: one counter each, after those of loops.
    pub blocks: Vec<BlockPosition>,
}

/// What such a run counted, and of what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceCounts {
    /// What is counted.
    pub cells: SliceCells,
    /// The counts, in this order.
    pub counts: Vec<u64>,
    /// The hash of the code, in hexadecimal digits.
    pub code: String,
}

/// An instruction that stays, in the graph of all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlicedMark {
    /// The instruction, and why it stays.
    pub link: SlicedLink,
    /// The same in a word.
    pub relation: String,
    /// Which needs it, by position; none for what was asked for.
    pub of: Option<usize>,
}

/// All that is known of a slice.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SliceAnswers {
    /// 0 to 5.
    pub level: u8,
    /// At level 5: the share of all that is executed that loops without counts have, as predicted.
    pub dropped_share: Option<f64>,
    /// Whether it was asked for a line and not for loops.
    pub is_of_line: bool,
    /// Instructions of functions that are run.
    pub instructions: u64,
    /// Those of them that stay.
    pub retained: u64,
    /// Branches with several ways.
    pub branches: u64,
    /// Those of them that stay.
    pub retained_branches: u64,
    /// Loops of functions that are run, by function and from the outside in.
    pub loops: Vec<SlicedLoop>,
    /// Lines of functions that are run.
    pub lines: Vec<SlicedLine>,
    /// Calls that print and go.
    pub printing: Vec<SlicedLink>,
    /// The chains of the line that was asked about: one for each instruction that stays.
    pub why: Vec<Vec<SlicedLink>>,
    /// All instructions that stay, if they were asked for.
    pub marks: Vec<SlicedMark>,
    /// What keeps computed data: the first comparisons of floating point numbers that stay.
    pub computed: Vec<SlicedLink>,
    /// The instruction that was left out on purpose, if one was.
    pub without: Option<SlicedLink>,
    /// How many instructions could have been left out on purpose.
    pub mutants: u32,
    /// What its counters count, if it is run to predict its program.
    pub cells: SliceCells,
    /// Calls that stay and may change files, or what else others see.
    pub changes: Vec<SlicedLink>,
    /// The hash of the code, in hexadecimal digits.
    pub code: String,
}

/// A loop in both runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RunJson")]
pub struct VerifiedLoop {
    /// Position among the loops of the slice.
    #[serde(skip)]
    pub position: usize,
    /// How often the program entered it.
    pub entries: u64,
    /// How often its header ran there.
    pub iterations: u64,
    /// The same in the slice.
    pub slice_entries: u64,
    /// The same in the slice.
    pub slice_iterations: u64,
    /// Whether the sequences are equal, or the numbers where its fate is `constant` or `evaluated`; null if it
    /// was dropped.
    #[serde(rename = "equal")]
    pub is_equal: Option<bool>,
}

/// Counts of the events of all loops, two of each: its entries, and executions of its header. Those that
/// are constant or evaluated, and that no run reported, are put in.
pub fn with_constants(reported: &[u64], loops: &[SlicedLoop]) -> Vec<u64> {
    let mut counts = reported.to_vec();
    // A loop comes after those around it.
    for (position, one) in loops.iter().enumerate() {
        if let (Some(evaluated), true) = (one.evaluated, counts.len() > 2 * position + 1) {
            (counts[2 * position], counts[2 * position + 1]) = (evaluated.entries, evaluated.headers);
        }
        let (Some(constant), true) = (one.constant, counts.len() > 2 * position + 1) else { continue };
        if let (Some(entries), Some(parent)) = (constant.entries, one.parent) {
            counts[2 * position] = counts[2 * parent].saturating_mul(entries);
        }
        counts[2 * position + 1] = counts[2 * position].saturating_mul(constant.headers);
    }
    counts
}

/// What the end of a program that was not killed begins with.
pub const EXITED: &str = "exit status";

/// What a program and its slice did, side by side.
#[derive(Clone, Debug, PartialEq)]
pub struct SliceVerdict {
    /// Whether the sequences of all events are equal.
    pub streams_equal: bool,
    /// Whether both ended in the same way.
    pub ends_equal: bool,
    /// How the program ended.
    pub end: String,
    /// How its slice ended.
    pub slice_end: String,
    /// Events of the program.
    pub events: u64,
    /// Events of its slice.
    pub slice_events: u64,
    /// Every loop that has events.
    pub loops: Vec<VerifiedLoop>,
    /// Seconds that the program ran, with counters in place.
    pub seconds: f64,
    /// Seconds that its slice ran.
    pub slice_seconds: f64,
    /// If loops were dropped: the share of executed instructions in loops that is in them, by the run.
    pub dropped_share: Option<f64>,
}

impl SliceVerdict {
    /// Two exit statuses count as the same end; a signal and a status do not.
    pub fn forgive_status(&mut self) {
        self.ends_equal |= [&self.end, &self.slice_end].iter().all(|end| end.starts_with(EXITED));
    }

    /// Whether the slice does what the program does.
    pub fn holds(&self) -> bool {
        self.streams_equal && self.ends_equal
    }
}
