//! What do the weaker rules find? Stores among the uses of the same pointer,
//! and stores that a recorded run saw.
//!
//! *Uses only* asks for no aliases: it takes the nearest store before the load
//! among the uses of the same pointer; a call that is given the pointer counts
//! where its function stores through that parameter, and a pointer that is
//! itself a parameter is looked for at each call (the `get_param` cases of the
//! document). It is a guess: what it finds is never certain. Cost: linear in
//! the uses of one pointer.

use rustc_hash::FxHashMap as HashMap;
use std::cell::RefCell;
use std::rc::Rc;

use opcost_index::Id;
use opcost_ir::{CalleeRef, ConstantValue, GlobalId, Module, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use super::RuleSet;
use super::build::{Builder, Expansion, Question};
use super::contexts::ContextId;
use super::expand::Spot;
use super::explanation::{Argument, Certainty, What};
use super::memory::Memory;

/// Stores and calls by what they are given.
type LocalUses = Rc<HashMap<Value, Vec<InstructionId>>>;
/// Stores by data and offset.
type GlobalUses = Rc<HashMap<(GlobalId, i64), Vec<(FunctionId, InstructionId)>>>;

/// Uses of pointers.
pub(super) struct Uses<'a> {
    module: &'a Module,
    local: RefCell<HashMap<FunctionId, LocalUses>>,
    global: RefCell<Option<GlobalUses>>,
}

impl<'a> Uses<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        Uses { module, local: RefCell::default(), global: RefCell::default() }
    }

    /// Stores and calls of a function by the pointers that they are given.
    fn of(&self, id: FunctionId) -> LocalUses {
        if let Some(known) = self.local.borrow().get(&id) {
            return known.clone();
        }
        let function = &self.module.functions[id];
        let mut uses: HashMap<Value, Vec<InstructionId>> = HashMap::default();
        for (at, instruction) in function.instructions.iter() {
            let given = match instruction.opcode {
                Opcode::Store => function.operands_of(at).get(1..2).unwrap_or_default(),
                opcode if opcode.is_call() => function.arguments_of(at),
                _ => continue,
            };
            for &pointer in given {
                uses.entry(self.root(id, pointer)).or_default().push(at);
            }
        }
        let uses = Rc::new(uses);
        self.local.borrow_mut().insert(id, uses.clone());
        uses
    }

    /// Stores to global data by their constant address.
    fn of_globals(&self) -> GlobalUses {
        if let Some(known) = &*self.global.borrow() {
            return known.clone();
        }
        let mut uses: HashMap<_, Vec<_>> = HashMap::default();
        for (id, function) in self.module.functions.iter() {
            for (at, instruction) in function.instructions.iter() {
                if instruction.opcode != Opcode::Store {
                    continue;
                }
                let address = function.operands_of(at).get(1).and_then(|&value| self.address(value));
                if let Some(address) = address {
                    uses.entry(address).or_default().push((id, at));
                }
            }
        }
        let uses = Rc::new(uses);
        *self.global.borrow_mut() = Some(uses.clone());
        uses
    }

    fn address(&self, value: Value) -> Option<(GlobalId, i64)> {
        let Value::Constant(id) = value else { return None };
        match self.module.constants[id].value {
            ConstantValue::Global { global, offset } => Some((global, offset)),
            _ => None,
        }
    }

    /// The pointer without casts.
    fn root(&self, function: FunctionId, mut pointer: Value) -> Value {
        let function = &self.module.functions[function];
        for _ in 0..64 {
            let Value::Instruction(id) = pointer else { return pointer };
            let is_cast = matches!(function.instructions[id].opcode, Opcode::BitCast | Opcode::AddrSpaceCast);
            match function.operands_of(id).first() {
                Some(&inner) if is_cast => pointer = inner,
                _ => return pointer,
            }
        }
        pointer
    }
}

/// A stored value that was found.
type Found = (Question, Argument, Certainty);

impl<M: Memory> Builder<'_, '_, M> {
    /// The nearest store by use.
    pub(super) fn by_uses(&mut self, spot: Spot) -> Option<Expansion> {
        let code = self.search.shared.function(spot.function);
        let pointer = *code.operands_of(spot.id).first()?;
        let links = self.stores_by_use(spot.function, pointer, spot.context, spot.id.index(), 0);
        let at = Some((spot.function, spot.id));
        (!links.is_empty()).then_some(Expansion::of(What::Loaded(RuleSet::UseOnly), at, links))
    }

    fn stores_by_use(
        &self,
        function: FunctionId,
        pointer: Value,
        context: ContextId,
        below: usize,
        depth: u32,
    ) -> Vec<Found> {
        let pointer = self.tables.uses.root(function, pointer);
        let uses = self.tables.uses.of(function);
        let before = uses.get(&pointer).into_iter().flatten().rev().filter(|at| at.index() < below);
        for &at in before {
            if let Some(found) = self.store_of(function, pointer, context, at) {
                return vec![found];
            }
        }
        if depth >= 8 {
            return Vec::new();
        }
        match pointer {
            Value::Argument(position) => self.stores_at_calls(function, position, context, depth),
            _ => match self.tables.uses.address(pointer) {
                Some(address) => self.stores_to_global(address),
                None => Vec::new(),
            },
        }
    }

    /// What this use stores through the pointer.
    fn store_of(
        &self,
        function: FunctionId,
        pointer: Value,
        context: ContextId,
        at: InstructionId,
    ) -> Option<Found> {
        let shared = self.search.shared;
        let code = shared.function(function);
        if code.instructions[at].opcode == Opcode::Store {
            let question = Question::Value(function, *code.operands_of(at).first()?, context);
            return Some((question, Argument::Written(function, at), Certainty::Possible));
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
        Some((question, Argument::Written(callee, store), Certainty::Possible))
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
                found.extend(self.stores_by_use(caller, passed, parent, call.index(), depth + 1));
            }
        }
        found
    }

    fn stores_to_global(&self, address: (GlobalId, i64)) -> Vec<Found> {
        let uses = self.tables.uses.of_globals();
        let found = uses.get(&address).into_iter().flatten().filter_map(|&(function, at)| {
            let value = *self.search.shared.function(function).operands_of(at).first()?;
            let question = Question::Value(function, value, ContextId::empty());
            Some((question, Argument::Written(function, at), Certainty::Possible))
        });
        found.collect()
    }

    /// The stores that a recorded run saw for the load.
    pub(super) fn by_profile(&mut self, spot: Spot) -> Option<Expansion> {
        let shared = self.search.shared;
        let seen = self.tables.profile.get(&(spot.function, spot.id))?;
        let links = seen.iter().filter_map(|&(function, store)| {
            let code = shared.module.functions.get(function)?;
            let is_store = code.instructions.get(store)?.opcode == Opcode::Store;
            let value = *code.operands_of(store).first().filter(|_| is_store)?;
            let question = Question::Value(function, value, ContextId::empty());
            Some((question, Argument::Written(function, store), Certainty::Possible))
        });
        let links: Vec<Found> = links.collect();
        let at = Some((spot.function, spot.id));
        (!links.is_empty()).then_some(Expansion::of(What::Loaded(RuleSet::Profile), at, links))
    }
}
