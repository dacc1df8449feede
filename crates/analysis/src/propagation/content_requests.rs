//! Which contents of objects are asked for?
//!
//! Each question once, with the variable that answers it; what it is made of is said
//! when all stores have been met. Cost: a look-up.

use opcost_ir::TypeId;
use rustc_hash::FxHashMap;

use super::facts::Content;
use super::variables::VariableId;
use crate::memory::ObjectId;
use crate::memory::addresses::Offsets;

/// A question about contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) object: ObjectId,
    pub(super) offsets: Offsets,
    /// What it is read as.
    pub(super) ty: TypeId,
}

/// Contents that are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct ContentRequests {
    pub(super) known: FxHashMap<Question, Option<VariableId>>,
    pub(super) open: Vec<(Question, VariableId)>,
    pub(super) answered: usize,
    /// Locals that are written before they are read.
    pub(super) is_first: FxHashMap<ObjectId, bool>,
}

impl ContentRequests {
    /// All contents that were asked for and are known, in order.
    pub(super) fn found(&self) -> Vec<Content> {
        let told = self.known.iter().filter_map(|(&Question { object, offsets, ty }, &variable)| {
            Some(Content { object, offsets, ty, variable: variable? })
        });
        let mut all: Vec<Content> = told.collect();
        all.sort_by_key(|content| content.variable);
        all
    }
}
