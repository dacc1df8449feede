//! One question at a time: the state of a search, and what all searches share.
//!
//! A search asks for values under contexts; each is one node of the answer, in
//! the order in which they are met, nearest first. What does not depend on the
//! question (who writes a cell, in which order a function's instructions touch
//! it) is kept by the resolver for all searches.

use rustc_hash::FxHashSet as HashSet;
use std::cell::RefCell;
use std::rc::Rc;

use opcost_index::{AdjacencyGraph, Id, IdSet, reverse};
use opcost_ir::{Function, Layout, Module, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::asked::{Asked, Definitions, Point};
use super::calls::Calls;
use super::contexts::{ContextId, Contexts};
use super::evaluate::Number;
use super::memory::{Cell, MOST_WRITERS, MemoryQueries, Object, Passing, Write, WriteCoverage, Writers};
use super::placed::Placed;
use super::question::{Expansion, Question};
use opcost_graph::dominators::Dominators;

/// What searches share.
pub(super) struct Shared<'a, M: MemoryQueries> {
    pub(super) module: &'a Module,
    pub(super) memory: &'a M,
    pub(super) layout: Layout,
    pub(super) calls: Calls,
    pub(super) contexts: RefCell<Contexts>,
    histories: RefCell<FxHashMap<Cell, Rc<History>>>,
    predecessors: RefCell<FxHashMap<FunctionId, Rc<AdjacencyGraph<BlockId>>>>,
    dominators: RefCell<FxHashMap<FunctionId, Rc<Dominators<BlockId>>>>,
    pub(super) placed: RefCell<FxHashMap<(FunctionId, Value, ContextId), Placed>>,
    pub(super) numbers: RefCell<FxHashMap<(FunctionId, Value, ContextId), Option<Number>>>,
    pub(super) defined: RefCell<FxHashMap<(Point, Asked), Rc<Definitions>>>,
    /// What each question that was met comes to, one step back.
    pub(super) expansions: RefCell<FxHashMap<Question, Rc<Expansion>>>,
    /// Questions that are another.
    pub(super) same: RefCell<FxHashMap<Question, Question>>,
}

/// What may happen to a cell.
pub(super) struct History {
    /// All writes, in order of functions and instructions.
    pub(super) writes: Vec<Write>,
    /// There are more than anybody wants to know: none is listed.
    pub(super) is_too_many: bool,
    /// Whether there are no others.
    pub(super) is_complete: bool,
    /// Functions that may write it, or call those that may.
    pub(super) touched_by: IdSet<FunctionId>,
    /// Writes were left out because indices stay inside their arrays.
    pub(super) trusts_indices: bool,
    /// Something that may run at any time may write it.
    pub(super) is_shared: bool,
    events: RefCell<FxHashMap<FunctionId, Events>>,
}

/// What happens to a cell in a function, in order.
type Events = Rc<Vec<(InstructionId, Event)>>;

/// What happens to a cell at one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// It is written.
    Write(WriteCoverage),
    /// Functions run that may write it.
    Call,
    /// Others run, which may call functions back that may write it.
    CallBack,
    /// Control may come here a second time, from anywhere below.
    Twice,
    /// The object begins to exist.
    Birth,
}

impl<'a, M: MemoryQueries> Shared<'a, M> {
    pub(super) fn new(module: &'a Module, memory: &'a M) -> Self {
        Shared {
            module,
            memory,
            layout: Layout::of(module),
            calls: Calls::of(module, memory),
            contexts: RefCell::default(),
            histories: RefCell::default(),
            predecessors: RefCell::default(),
            dominators: RefCell::default(),
            placed: RefCell::default(),
            numbers: RefCell::default(),
            defined: RefCell::default(),
            expansions: RefCell::default(),
            same: RefCell::default(),
        }
    }

    /// The history of a cell. Cost: that of asking, once; then a look-up.
    pub(super) fn history(&self, cell: Cell) -> Rc<History> {
        if let Some(known) = self.histories.borrow().get(&cell) {
            return known.clone();
        }
        let history = Rc::new(self.history_of(self.memory.writers(cell)));
        self.histories.borrow_mut().insert(cell, history.clone());
        history
    }

    /// The history that these writers make.
    pub(super) fn history_of(&self, mut writers: Writers) -> History {
        writers.list.sort_by_key(|write| (write.function, write.instruction));
        let is_too_many = writers.list.len() > MOST_WRITERS;
        if is_too_many {
            writers.list.clear();
        }
        let writing: HashSet<FunctionId> = writers.list.iter().map(|write| write.function).collect();
        History {
            is_too_many,
            is_complete: writers.is_complete,
            trusts_indices: writers.trusts_indices,
            is_shared: writing.iter().any(|&function| self.calls.by_itself.contains(function)),
            touched_by: self.calls.reaching(writing.into_iter()),
            writes: writers.list,
            events: RefCell::default(),
        }
    }

    /// What happens to a cell in one function, in order.
    pub(super) fn events(&self, history: &History, cell: Cell, function: FunctionId) -> Events {
        if let Some(known) = history.events.borrow().get(&function) {
            return known.clone();
        }
        let start = history.writes.partition_point(|write| write.function < function);
        let own = history.writes[start..].iter().take_while(|write| write.function == function);
        let mut events: Vec<_> = own.map(|write| (write.instruction, Event::Write(write.coverage))).collect();
        for &call in &self.calls.inner[function] {
            let callees = self.calls.callees(function, call);
            let touches = |callee: &FunctionId| history.touched_by.contains(*callee);
            if callees.is_some_and(|callees| callees.functions.iter().any(touches)) {
                events.push((call, Event::Call));
            }
        }
        let touches = |known: &FunctionId| history.touched_by.contains(*known);
        if self.calls.known_outside.iter().any(touches) {
            events.extend(self.calls.open[function].iter().map(|&call| (call, Event::CallBack)));
        }
        events.extend(self.calls.twice[function].iter().map(|&call| (call, Event::Twice)));
        match cell.object {
            Object::Local(home, birth) | Object::Fresh(home, birth) if home == function => {
                events.push((birth, Event::Birth));
            }
            _ => {}
        }
        events.sort_by_key(|&(at, event)| (at, event == Event::Birth));
        let events = Rc::new(events);
        history.events.borrow_mut().insert(function, events.clone());
        events
    }

    /// The blocks before each block of a function.
    pub(super) fn predecessors(&self, function: FunctionId) -> Rc<AdjacencyGraph<BlockId>> {
        let mut known = self.predecessors.borrow_mut();
        let made = || Rc::new(reverse(&self.module.functions[function]));
        known.entry(function).or_insert_with(made).clone()
    }

    /// The dominators of a function.
    pub(super) fn dominators(&self, function: FunctionId) -> Rc<Dominators<BlockId>> {
        let mut known = self.dominators.borrow_mut();
        let made = || Rc::new(Dominators::compute(&self.module.functions[function], BlockId::new(0)));
        known.entry(function).or_insert_with(made).clone()
    }

    pub(super) fn function(&self, id: FunctionId) -> &'a Function {
        &self.module.functions[id]
    }

    /// The context inside of a call of `callee`; where calls go round, none.
    pub(super) fn enter(
        &self,
        context: ContextId,
        function: FunctionId,
        call: InstructionId,
        callee: FunctionId,
    ) -> ContextId {
        if self.calls.recursive.contains(callee) {
            return ContextId::empty();
        }
        self.contexts.borrow_mut().enter(context, function, call)
    }

    /// What becomes a parameter at a call; none if that is not known.
    pub(super) fn passed(
        &self,
        callee: FunctionId,
        parameter: u32,
        function: FunctionId,
        call: InstructionId,
    ) -> Option<Value> {
        let sites = &self.calls.callers[callee].sites;
        let site = sites.iter().find(|site| site.function == function && site.call == call)?;
        let argument = match &site.passing {
            Passing::Arguments => parameter,
            Passing::CalledBack(arguments) => (*arguments.get(parameter as usize)?)?,
        };
        let arguments = self.function(function).arguments_of(call);
        arguments.get(argument as usize).copied()
    }

    /// Whether an object exists once at a time, so that a write to it is to
    /// the one that is asked for.
    pub(super) fn is_single(&self, object: Object) -> bool {
        match object {
            Object::Global(_) => true,
            Object::Local(function, at) => {
                !self.calls.recursive.contains(function)
                    && !self.calls.by_itself.contains(function)
                    && self.function(function).block_of(at).index() == 0
            }
            Object::Copy(function, _) => {
                !self.calls.recursive.contains(function) && !self.calls.by_itself.contains(function)
            }
            Object::Fresh(function, at) => {
                self.calls.once.contains(function) && !super::calls::is_in_cycle(self.module, function, at)
            }
            Object::Outside => false,
        }
    }
}

/// One search.
pub(super) struct Search<'s, 'a, M: MemoryQueries> {
    pub(super) shared: &'s Shared<'a, M>,
    /// How deep searches for a place are nested.
    pub(super) nesting: u32,
    /// Work that may still be done.
    pub(super) fuel: u64,
    /// Something was left out because types of the source language differ.
    pub(super) trusts_types: bool,
}

impl<'s, 'a, M: MemoryQueries> Search<'s, 'a, M> {
    pub(super) fn new(shared: &'s Shared<'a, M>, fuel: u64) -> Self {
        Search { shared, nesting: 0, fuel, trusts_types: false }
    }

    /// Takes a unit of work; false when there is none left.
    pub(super) fn burn(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }
}

/// What the parts of a search ask of each other. A place may rest on the number of an index, and a
/// number on the store that a load reads. Which stores reach a load may rest on the places that
/// they write to. `follow` answers all three, each once.
pub(super) trait Ask {
    /// Where a pointer points.
    fn place(&mut self, function: FunctionId, value: Value, context: ContextId) -> Placed;

    /// The number that a value certainly is, as a signed one.
    fn number(&mut self, function: FunctionId, value: Value, context: ContextId) -> Option<i128>;

    /// What a cell may hold at a point.
    fn definitions(&mut self, point: Point, asked: Asked) -> Rc<Definitions>;
}
