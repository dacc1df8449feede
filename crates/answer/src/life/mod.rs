//! What became of instructions on their way from source to bytes, as plain data.
//!
//! One record ([`Life`]) serves the terminal, the page and JSON. The room `life` makes it
//! of what the recorder in `llvm` tells; here stand only its types.

mod code;
mod coverage;
mod graph;
mod listing;
mod self_check;
mod subject;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use code::{CodeInstruction, Field, LifeCode, MachineInstruction, Relocation};
pub use coverage::{Coverage, Referee, Work};
pub use graph::{GraphEdge, GraphEdgeKind, LifeGraph, Node};
pub use listing::{Line, Listing};
pub use self_check::{Comparison, SelfCheck, ShownComparison};
pub use subject::LifeSubject;

/// The life of the chosen instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Life {
    /// What was asked for, in words: `prog.c:3`.
    pub question: String,
    /// The machine, as LLVM calls it.
    pub target: String,
    /// Where the chosen instructions are in the source.
    #[serde(rename = "places")]
    pub locations: Vec<CodeLocation>,
    /// In the order of the way; stages without steps are left out.
    pub stages: Vec<StageLife>,
    /// One stage in full, if it was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listings: Vec<Listing>,
    /// Machine code of the chosen instructions, by function. It is that of all instructions of
    /// these functions if one of the last two stages was asked for in full.
    #[serde(default)]
    pub code: Vec<LifeCode>,
    /// The graphs of selection, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub graphs: Vec<LifeGraph>,
    /// How often each chosen instruction started, by its number, in the runs of a
    /// ledger, if one was given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ran: BTreeMap<u32, u64>,
    /// Whether watching changed nothing, and all ways give the same bytes.
    pub self_check: SelfCheck,
    /// How much of the machine code is explained.
    pub coverage: Coverage,
}

/// A place of a chosen instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CodePlace")]
pub struct CodeLocation {
    /// Number of the instruction.
    pub key: u32,
    /// Linkage name of the function as it is written, before any is inlined.
    pub function: String,
    /// From 1; 0 if it has none.
    pub line: u32,
    /// From 1; 0 if it has none.
    pub column: u32,
}

/// One stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageLife {
    /// Which.
    pub stage: StageName,
    /// What happened there, in order.
    pub steps: Vec<Step>,
}

/// The stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StageName {
    /// Clang's tree.
    Ast,
    /// LLVM IR.
    Ir,
    /// The graph of a block.
    Dag,
    /// Machine instructions.
    Mir,
    /// What goes to the encoder.
    Mc,
    /// Bytes of the object.
    Bytes,
}

impl StageName {
    /// All, in the order of the way.
    pub const ALL: [StageName; 6] =
        [StageName::Ast, StageName::Ir, StageName::Dag, StageName::Mir, StageName::Mc, StageName::Bytes];

    /// As documents and the command line call it.
    pub fn name(self) -> &'static str {
        match self {
            StageName::Ast => "ast",
            StageName::Ir => "ir",
            StageName::Dag => "dag",
            StageName::Mir => "mir",
            StageName::Mc => "mc",
            StageName::Bytes => "bytes",
        }
    }
}

impl FromStr for StageName {
    type Err = UnknownStage;

    fn from_str(text: &str) -> Result<StageName, UnknownStage> {
        let known = StageName::ALL.into_iter().find(|stage| stage.name() == text);
        known.ok_or_else(|| UnknownStage(text.to_owned()))
    }
}

/// A word that names no stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownStage(pub String);

impl fmt::Display for UnknownStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}' is no stage; there are {}", self.0, StageName::ALL.map(StageName::name).join(", "))
    }
}

impl std::error::Error for UnknownStage {}

/// What one pass did to one instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The pass, as LLVM calls it.
    pub pass: String,
    /// Linkage name of the function in which it is.
    pub function: String,
    /// Number of the instruction at the source anchor, from 1 in program order.
    pub key: u32,
    /// What happened.
    pub change: Change,
    /// `sdiv`, `IDIV32r`
    pub opcode: String,
    /// All of it: as it is now, or as it last was.
    pub text: String,
    /// Why, where that is known.
    pub because: Option<String>,
    /// How sure it is that it comes from that instruction.
    #[serde(default)]
    pub certainty: StepCertainty,
}

/// How sure it is that something comes from an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepCertainty {
    /// It carries its number.
    #[default]
    Exact,
    /// LLVM made it of several instructions, and said so.
    Merged,
    /// It serves, carries or replaces what comes from it. That is inferred: LLVM did not say so.
    Inferred,
}

/// What happened to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is there first here.
    Is,
    /// It is another now, or is written otherwise.
    Became,
    /// It is new, in addition to others.
    New,
    /// It is no more.
    Went,
}

impl Change {
    /// As documents call it.
    pub fn name(self) -> &'static str {
        match self {
            Change::Is => "is",
            Change::Became => "became",
            Change::New => "new",
            Change::Went => "went",
        }
    }
}
