//! What does a load read? Versions, constant tables, contents of objects.
//!
//! Everything that holds is used at once:
//! - the *version* of the place that it reads, where memory is followed store by
//!   store ([`Cells`]);
//! - of constant data the *table*, over the offsets that are reached;
//! - of an object all of whose writes are seen its *contents*
//!   ([`contents`](super::contents)).
//!
//! Volatile and atomic loads read anything. Cost: constant for each load.

use opcost_ir::{Flags, TypeId, Value};
use opcost_key::InstructionId;

use super::content_requests::Question;
use super::facts::EdgeFact;
use super::range::Kind;
use super::variables::{Definition, Limit, VariableId};
use super::walker::Walker;
use crate::cells::{CellDefinition, CellVersion, Cells};
use crate::memory::{ObjectId, ObjectKind};

impl Walker<'_, '_> {
    /// What a load reads.
    pub(super) fn load(&mut self, at: InstructionId, kind: Kind) -> Definition {
        let instruction = &self.function.instructions[at];
        if instruction.flags.has(Flags::VOLATILE) || instruction.flags.has(Flags::ATOMIC) {
            return Definition::Full(Limit::Volatile);
        }
        let pointer = self.function.operands_of(at)[0];
        let contents = self.contents(pointer, instruction.ty, kind);
        let version = self.cells.and_then(|cells| cells.read_by(at));
        match version.and_then(|version| self.version(version, kind, contents)) {
            Some(version) => Definition::Meet([version, contents].into()),
            None => Definition::Join([contents].into()),
        }
    }

    /// Whatever may be where a pointer points.
    fn contents(&mut self, pointer: Value, ty: TypeId, kind: Kind) -> VariableId {
        let program = self.all.program;
        let targets = program.addresses.targets(self.id, pointer);
        let unknown = self.all.variables.full(kind, Limit::Memory);
        if targets.is_unknown || targets.known.is_empty() {
            return unknown;
        }
        let mut parts = Vec::new();
        for target in &targets.known {
            let part = match self.table(target.object, pointer, ty, kind) {
                Some(part) => Some(part),
                None => {
                    let offsets = target.offsets.without_end();
                    self.all.contents_of(Question { object: target.object, offsets, ty }, kind)
                }
            };
            match part {
                Some(part) => parts.push(part),
                None => return unknown,
            }
        }
        match parts[..] {
            [only] => only,
            _ => self.add(kind, Definition::Join(parts.into())),
        }
    }

    /// Constant data at the offsets that the pointer has here.
    fn table(&mut self, object: ObjectId, pointer: Value, ty: TypeId, kind: Kind) -> Option<VariableId> {
        let program = self.all.program;
        let ObjectKind::Global(global) = program.addresses.objects().kind(object) else { return None };
        let data = &program.module.globals[global];
        let is_final = program.is_final_data(global);
        if !data.is_constant || !is_final {
            return None;
        }
        let table = self.all.tables.of(program.module, program.layout, global, ty)?;
        let offset = self.now(pointer)?;
        Some(self.add(kind, Definition::Table(table, offset)))
    }

    fn version(&mut self, version: CellVersion, kind: Kind, contents: VariableId) -> Option<VariableId> {
        if let Some(&known) = self.reads.known.get(&version) {
            return (self.all.variables.get(known).kind == kind).then_some(known);
        }
        let made = self.all.variables.reserve(kind);
        self.reads.known.insert(version, made);
        self.reads.open.push((version, made, contents));
        Some(made)
    }

    /// What versions are, when all stores have been met.
    pub(super) fn define_versions(&mut self) {
        let Some(cells) = self.cells else { return };
        while let Some((version, variable, contents)) = self.reads.open.pop() {
            let kind = self.all.variables.get(variable).kind;
            for words in cells.relies_on(version) {
                self.all.note(EdgeFact::Memory(words));
            }
            let definition = match cells.definition(version) {
                CellDefinition::Stored { store, .. } => {
                    let stored = self.all.stored.get(&(self.id, store)).copied();
                    match stored.filter(|&stored| self.all.variables.get(stored).kind == kind) {
                        Some(stored) => Definition::Join([stored].into()),
                        None => Definition::Join([contents].into()),
                    }
                }
                CellDefinition::Merge { incoming, .. } => {
                    let arms = incoming.iter().filter(|(from, _)| self.dominators.is_reachable(*from));
                    let arms: Vec<CellVersion> = arms.map(|&(_, version)| version).collect();
                    let arms: Option<Vec<VariableId>> =
                        arms.into_iter().map(|arm| self.version(arm, kind, contents)).collect();
                    arms.map_or(Definition::Join([contents].into()), |arms| Definition::Join(arms.into()))
                }
                CellDefinition::Undefined => Definition::Full(Limit::Undefined),
                CellDefinition::Entry | CellDefinition::Changed(_) => Definition::Join([contents].into()),
            };
            self.all.variables.define(variable, definition);
        }
    }

    pub(super) fn note_store(&mut self, at: InstructionId) {
        let value = self.function.operands_of(at)[0];
        if let Some(variable) = self.number(value) {
            self.all.stored.insert((self.id, at), variable);
        }
    }
}
