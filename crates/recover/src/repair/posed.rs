//! What is a program as a convex problem, and its solution?
//!
//! Which variable is which count. Rows are added by `posing`, those of loops by
//! `loops`.

use std::collections::BTreeMap;

use opcost_flow::convex::{Problem, VariableId};
use opcost_index::{Id, IdMap};
use opcost_key::{EdgeId, SegmentId};

use super::options::RepairOptions;
use super::program::ProgramFunctionId;

/// A loop of a known trip count.
pub(super) struct Tie {
    /// What an iteration too many or too few costs.
    pub(super) price: f64,
    /// The back edges, and those by which it is entered.
    pub(super) back: Vec<VariableId>,
    pub(super) entering: Vec<VariableId>,
    pub(super) trip_count: f64,
    /// Trips that were cut off, where a call in the loop may leave it.
    pub(super) cut: Option<VariableId>,
}

impl Tie {
    pub(super) fn iterations(&self, values: &IdMap<VariableId, f64>) -> f64 {
        self.back.iter().map(|&edge| values[edge]).sum()
    }

    pub(super) fn all_iterations(&self, values: &IdMap<VariableId, f64>) -> f64 {
        self.trip_count * self.entering.iter().map(|&edge| values[edge]).sum::<f64>()
    }
}

/// The program as a problem, and its solution.
pub(super) struct Posed {
    pub(super) problem: Problem,
    /// Where each function's edges and segments begin among the variables.
    pub(super) edges: IdMap<ProgramFunctionId, usize>,
    pub(super) segments: IdMap<ProgramFunctionId, usize>,
    /// Frames that are still there, by function and segment.
    pub(super) open: BTreeMap<ProgramFunctionId, Vec<(SegmentId, VariableId)>>,
    /// Calls of functions from no known site: through pointers, and from elsewhere.
    pub(super) unnamed: BTreeMap<ProgramFunctionId, Vec<VariableId>>,
    /// Loops of known trip counts.
    pub(super) ties: Vec<Tie>,
    pub(super) values: IdMap<VariableId, f64>,
    pub(super) options: RepairOptions,
    /// Of a program of few variables.
    pub(super) is_small: bool,
}

impl Posed {
    /// No function yet.
    pub(super) fn empty(options: RepairOptions) -> Self {
        Posed {
            problem: Problem::new(),
            edges: IdMap::new(),
            segments: IdMap::new(),
            open: BTreeMap::new(),
            unnamed: BTreeMap::new(),
            ties: Vec::new(),
            values: IdMap::new(),
            options,
            is_small: true,
        }
    }

    pub(super) fn edge(&self, function: ProgramFunctionId, edge: EdgeId) -> VariableId {
        VariableId::new(self.edges[function] + edge.index())
    }

    pub(super) fn segment(&self, function: ProgramFunctionId, segment: SegmentId) -> VariableId {
        VariableId::new(self.segments[function] + segment.index())
    }
}
