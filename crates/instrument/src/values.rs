//! Plans for recording: which values are told, and where.
//!
//! The turns of each natural loop: it is entered on the edges from outside to
//! its header, takes a turn on each back edge, and is left on each edge out of
//! it. An exception that leaves it, caught in the same function or not, is no
//! exit, nor is an edge that leads to a call that never returns (`exit`,
//! `longjmp`): such an activation is partial, and the runtime finds it by what is
//! told next. On one edge first the inner loops are left, then the outer one
//! turns or another is entered. A loop with an edge that cannot be cut where
//! it matters is not recorded, and the reason is kept.
//!
//! Single values: what the instructions of a line compute, store and return; or
//! all integers of a function.
//!
//! Input: a snapshot, what is wanted, claims. Output: the edits, and what each
//! point means. Cost: blocks times depth of nesting. Limits: `indirectbr` and
//! `callbr` edges; values wider than 64 bits; whole vectors and aggregates.

mod chosen;
mod inputs;
mod rereads;
mod turns;

pub use rereads::Rereads;

use opcost_index::{Id, IdMap};
use opcost_ir::{Function, Layout, Module, Recording, Step};
use opcost_key::{BlockId, FunctionId, InstructionId};
use serde::{Deserialize, Serialize};

use crate::claims::{Claimed, Claims};
use crate::leaving::Leaving;
use crate::plan::is_counted;
use crate::refusal::{PlanError, refuse_uncountable};

/// The name that calls of `vfork` get.
const VFORK: &str = "opc_values_vfork";

/// What is to be recorded.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ValuesRequest {
    /// The turns of all loops (of the chosen function, if one is chosen).
    pub turns: bool,
    /// Values: of this function, by linkage name or the name before its `(`.
    pub function: Option<String>,
    /// Values: only those of this line; without it what the function returns.
    pub line: Option<u32>,
    /// Values: only this one, by its name or number in the IR.
    pub value: Option<String>,
    /// All integers of at most 64 bits: parameters and results (of the chosen function, if one is chosen).
    #[serde(default)]
    pub integers: bool,
    /// Of the same functions how many bits of each `float` and `double` are significant.
    #[serde(default)]
    pub mantissas: bool,
}

/// What is recorded in a module.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// What to change.
    pub recording: Recording,
    /// What the points mean, in their order.
    pub points: IdMap<opcost_ir::PointId, PointFacts>,
    /// Loops that are not recorded.
    pub refused: Vec<RefusedLoop>,
    /// Cycles with several entries, which are no loops: a block of each.
    pub irreducible: Vec<(FunctionId, BlockId)>,
}

/// What a point means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointFacts {
    /// Its function.
    pub function: FunctionId,
    /// A loop or a value.
    pub subject: Subject,
}

/// What is recorded at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A loop.
    Loop {
        /// Its header.
        header: BlockId,
        /// The header of the loop around it.
        parent: Option<BlockId>,
        /// 1 for an outermost one.
        depth: u32,
        /// The instruction whose place is the loop's.
        placed_by: InstructionId,
        /// What is claimed.
        claim: Option<ClaimFacts>,
    },
    /// A value.
    Value {
        /// The instruction that computes, stores or returns it.
        instruction: InstructionId,
        /// Which of its operands; none: its result.
        operand: Option<u32>,
    },
    /// A parameter, each time the function is entered.
    Parameter(u32),
}

/// A claim, and how it is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimFacts {
    /// What it says.
    pub what: Claimed,
    /// The same for a reader.
    pub text: String,
    /// What it rests on.
    pub assumes: Vec<String>,
    /// The check, or why there is none.
    pub check: Result<Vec<Step>, String>,
}

/// A loop that is not recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedLoop {
    /// Its function.
    pub function: FunctionId,
    /// Its header.
    pub header: BlockId,
    /// Why not.
    pub reason: &'static str,
}

/// Plans the recording of a module.
///
/// # Errors
/// The module has something that cannot be followed; the place is named.
pub fn record(module: &Module, request: &ValuesRequest, claims: &Claims) -> Result<Recorded, PlanError> {
    let leaving = Leaving::compute(module);
    let layout = Layout::of(module);
    let mut recorded = Recorded {
        recording: Recording::default(),
        points: IdMap::new(),
        refused: Vec::new(),
        irreducible: Vec::new(),
    };
    for (id, function) in module.functions.iter() {
        let is_chosen = request.names(&function.name);
        let has_copy = || request.line.is_some() && has_inlined(module, function, request);
        if !is_counted(function) || function.blocks.is_empty() || !(is_chosen || has_copy()) {
            continue;
        }
        refuse_uncountable(module, function)?;
        let mut edits = Vec::new();
        if request.turns && is_chosen {
            turns::plan((module, &layout), id, &leaving, claims, &mut recorded, &mut edits);
        }
        if (request.integers || request.mantissas) && is_chosen {
            chosen::plan_widths(module, id, request, &mut recorded, &mut edits);
        }
        if request.function.is_some() && !request.integers && !(request.turns && request.line.is_none()) {
            chosen::plan(module, id, request, &mut recorded, &mut edits);
        }
        turns::sort(&mut edits);
        recorded.recording.edits.extend(edits.into_iter().map(|edit| (id, edit)));
    }
    for (id, declaration) in module.declarations.iter() {
        if declaration.name == "vfork" {
            recorded.recording.renames.push((id, VFORK.to_owned()));
        }
    }
    debug_assert_eq!(recorded.points.len(), recorded.recording.points.len());
    Ok(recorded)
}

impl ValuesRequest {
    /// Whether a function is meant, by its linkage name.
    fn names(&self, linkage: &str) -> bool {
        self.function.as_deref().is_none_or(|name| chosen::is_called(linkage, name))
    }
}

/// Whether code of the function that is meant was inlined into this one.
fn has_inlined(module: &Module, function: &Function, request: &ValuesRequest) -> bool {
    let places = function.instructions.values().filter_map(|instruction| instruction.place);
    places
        .filter_map(|place| module.places[place].inlined_function.as_deref())
        .any(|written_in| request.names(written_in))
}

/// The first instruction of a block.
fn first_of(module: &Module, function: FunctionId, block: BlockId) -> InstructionId {
    InstructionId::new(module.functions[function].blocks[block].instructions.start as usize)
}
