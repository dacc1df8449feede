//! What do the weaker rules find? Stores among the uses of the same pointer,
//! and stores that a recorded run saw.
//!
//! *Uses only* asks for no aliases: it takes the nearest store before the load
//! among the uses of the same pointer; a call that is given the pointer counts
//! where its function stores through that parameter, and a pointer that is
//! itself a parameter is looked for at each call (the `get_param` cases of the
//! document). It is a guess: what it finds is never certain. Cost: linear in
//! the uses of one pointer.

use opcost_index::Id;
use opcost_ir::{CalleeRef, GlobalId, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use super::asked::ContextInstruction;
use super::contexts::ContextId;
use super::expander::Expander;
use super::explanation::{Argument, LinkCertainty, What};
use super::memory::MemoryQueries;
use super::question::{Expansion, Question};
use super::rule_set::RuleSet;

/// A pointer of a function, under the calls that led there.
#[derive(Clone, Copy)]
struct Pointer {
    function: FunctionId,
    value: Value,
    context: ContextId,
}

/// A stored value that was found.
type Found = (Question, Argument, LinkCertainty);

impl<M: MemoryQueries> Expander<'_, '_, M> {
    /// The nearest store by use.
    pub(super) fn by_uses(&mut self, spot: ContextInstruction) -> Option<Expansion> {
        let code = self.search.shared.function(spot.function);
        let pointer = *code.operands_of(spot.id).first()?;
        let pointer = Pointer { function: spot.function, value: pointer, context: spot.context };
        let links = self.stores_by_use(pointer, spot.id.index(), 0);
        let at = Some((spot.function, spot.id));
        (!links.is_empty()).then_some(Expansion::of(What::Loaded(RuleSet::UseOnly), at, links))
    }

    fn stores_by_use(&self, pointer: Pointer, below: usize, depth: u32) -> Vec<Found> {
        let Pointer { function, context, .. } = pointer;
        let value = self.tables.uses.root(function, pointer.value);
        let uses = self.tables.uses.of(function);
        let before = uses.get(&value).into_iter().flatten().rev().filter(|at| at.index() < below);
        for &at in before {
            if let Some(found) = self.store_of(Pointer { value, ..pointer }, at) {
                return vec![found];
            }
        }
        if depth >= 8 {
            return Vec::new();
        }
        match value {
            Value::Argument(position) => self.stores_at_calls(function, position, context, depth),
            _ => match self.tables.uses.address(value) {
                Some((global, offset)) => self.stores_to_global(global, offset),
                None => Vec::new(),
            },
        }
    }

    /// What this use stores through the pointer.
    fn store_of(&self, pointer: Pointer, at: InstructionId) -> Option<Found> {
        let Pointer { function, value: pointer, context } = pointer;
        let shared = self.search.shared;
        let code = shared.function(function);
        if code.instructions[at].opcode == Opcode::Store {
            let question = Question::Value(function, *code.operands_of(at).first()?, context);
            return Some((question, Argument::Written(function, at), LinkCertainty::Possible));
        }
        let CalleeRef::Function(callee) = code.call(at)?.callee else { return None };
        let arguments = code.arguments_of(at).iter();
        let position =
            arguments.enumerate().find(|(_, value)| self.tables.uses.root(function, **value) == pointer);
        let parameter = Value::Argument(position?.0 as u32);
        let uses = self.tables.uses.of(callee);
        let is_store =
            |inner: &&InstructionId| shared.function(callee).instructions[**inner].opcode == Opcode::Store;
        let &store = uses.get(&parameter)?.iter().rev().find(is_store)?;
        let context = shared.enter(context, function, at, callee);
        let question = Question::Value(callee, *shared.function(callee).operands_of(store).first()?, context);
        Some((question, Argument::Written(callee, store), LinkCertainty::Possible))
    }

    fn stores_at_calls(
        &self,
        function: FunctionId,
        position: u32,
        context: ContextId,
        depth: u32,
    ) -> Vec<Found> {
        let shared = self.search.shared;
        let top = shared.contexts.borrow().top(context);
        let sites: Vec<(FunctionId, InstructionId, ContextId)> = match top {
            Some(frame) => vec![(frame.function, frame.call, frame.parent)],
            None => {
                let sites = shared.calls.callers[function].sites.iter();
                sites.map(|site| (site.function, site.call, ContextId::empty())).collect()
            }
        };
        let mut found = Vec::new();
        for (caller, call, parent) in sites.into_iter().take(16) {
            if let Some(passed) = shared.passed(function, position, caller, call) {
                let pointer = Pointer { function: caller, value: passed, context: parent };
                found.extend(self.stores_by_use(pointer, call.index(), depth + 1));
            }
        }
        found
    }

    fn stores_to_global(&self, global: GlobalId, offset: i64) -> Vec<Found> {
        let uses = self.tables.uses.of_globals();
        let found = uses.get(&(global, offset)).into_iter().flatten().filter_map(|&(function, at)| {
            let value = *self.search.shared.function(function).operands_of(at).first()?;
            let question = Question::Value(function, value, ContextId::empty());
            Some((question, Argument::Written(function, at), LinkCertainty::Possible))
        });
        found.collect()
    }

    /// The stores that a recorded run saw for the load.
    pub(super) fn by_profile(&mut self, spot: ContextInstruction) -> Option<Expansion> {
        let shared = self.search.shared;
        let seen = self.tables.profile.get(&(spot.function, spot.id))?;
        let links = seen.iter().filter_map(|&(function, store)| {
            let code = shared.module.functions.get(function)?;
            let is_store = code.instructions.get(store)?.opcode == Opcode::Store;
            let value = *code.operands_of(store).first().filter(|_| is_store)?;
            let question = Question::Value(function, value, ContextId::empty());
            Some((question, Argument::Written(function, store), LinkCertainty::Possible))
        });
        let links: Vec<Found> = links.collect();
        let at = Some((spot.function, spot.id));
        (!links.is_empty()).then_some(Expansion::of(What::Loaded(RuleSet::Profile), at, links))
    }
}
