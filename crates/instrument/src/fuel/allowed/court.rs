//! Where are objections collected, and what is known while a module is looked at?

use std::collections::HashSet;

use opcost_index::IdMap;
use opcost_ir::{DeclarationId, Function, Module};
use opcost_key::{FunctionId, InstructionId, PlaceId};

use super::rule::{Complaint, Objection};
use super::sizes::Sizes;
use crate::library::Library;

/// Where objections are collected.
pub(super) struct Court<'a> {
    pub(super) module: &'a Module,
    pub(super) library: &'a Library,
    /// Where each declaration is used first.
    pub(super) uses: IdMap<DeclarationId, Option<Use>>,
    pub(super) sizes: Sizes,
    /// Names of functions, here and elsewhere.
    pub(super) code: HashSet<&'a str>,
    pub(super) objections: Vec<Objection>,
}

/// Where something is used.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub(super) function: FunctionId,
    pub(super) instruction: InstructionId,
}

impl Court<'_> {
    /// At an instruction, or at the function as a whole.
    pub(super) fn object(
        &mut self,
        function: &Function,
        instruction: Option<InstructionId>,
        complaint: Complaint<'_>,
    ) {
        let place = instruction.and_then(|id| function.instructions[id].place);
        // Line 0 is code that no line has.
        let place = place.filter(|place| self.module.places[*place].line > 0).or(function.place);
        let inlined = place.and_then(|place| self.module.places[place].inlined_function.clone());
        self.push(Some(inlined.unwrap_or_else(|| function.name.clone())), place, complaint);
    }

    /// At a place, or nowhere in particular.
    pub(super) fn push(
        &mut self,
        function: Option<String>,
        place: Option<PlaceId>,
        complaint: Complaint<'_>,
    ) {
        let Complaint { rule, reason, remedy } = complaint;
        let place = place.map(|place| &self.module.places[place]);
        let source = Some(&self.module.source_name).filter(|name| !name.is_empty());
        let objection = Objection {
            rule,
            function,
            file: place.map(|place| &self.module.files[place.file]).or(source).cloned(),
            line: place.map(|place| place.line),
            reason,
            remedy: remedy.to_owned(),
        };
        if !self.objections.contains(&objection) {
            self.objections.push(objection);
        }
    }
}
