//! Who calls whom, and what follows from it for the resolver?
//!
//! Which functions are on a cycle of calls (their contexts are not distinguished), which may run at
//! any time (order in time says nothing there), and which run at most once in a program. Cost:
//! linear in the calls, once.

use rustc_hash::FxHashMap as HashMap;

use opcost_index::{AdjacencyGraph, IdMap, IdSet, reverse, strongly_connected_components};
use opcost_ir::{Module, Opcode};
use opcost_key::{BlockId, FunctionId, InstructionId};

use super::memory::{Callees, Callers, MemoryQueries};

/// The calls of a module.
#[derive(Debug)]
pub(super) struct Calls {
    callees: HashMap<(FunctionId, InstructionId), Callees>,
    pub(super) callers: IdMap<FunctionId, Callers>,
    /// Calls of each function that may run functions of the module.
    pub(super) inner: IdMap<FunctionId, Vec<InstructionId>>,
    /// Calls of each function that may call back any function that others know.
    pub(super) open: IdMap<FunctionId, Vec<InstructionId>>,
    /// Functions that others know, and may call.
    pub(super) known_outside: Vec<FunctionId>,
    /// Calls of each function that return twice.
    pub(super) twice: IdMap<FunctionId, Vec<InstructionId>>,
    /// On a cycle of calls.
    pub(super) recursive: IdSet<FunctionId>,
    /// Reached from what may run at any time: a thread, a signal's handler.
    pub(super) by_itself: IdSet<FunctionId>,
    /// Runs at most once.
    pub(super) once: IdSet<FunctionId>,
    /// Functions that may run each function.
    above: AdjacencyGraph<FunctionId>,
}

impl Calls {
    /// Asks for all calls.
    pub(super) fn of(module: &Module, memory: &impl MemoryQueries) -> Calls {
        let count = module.functions.len();
        let mut calls = Calls {
            callees: HashMap::default(),
            callers: module.functions.ids().map(|id| memory.callers(id)).collect(),
            inner: IdMap::filled(count, Vec::new()),
            open: IdMap::filled(count, Vec::new()),
            known_outside: Vec::new(),
            twice: IdMap::filled(count, Vec::new()),
            recursive: IdSet::new(),
            by_itself: IdSet::new(),
            once: IdSet::new(),
            above: AdjacencyGraph::new(0),
        };
        let is_known = |id: &FunctionId| calls.callers[*id].from_outside || calls.callers[*id].by_itself;
        calls.known_outside = module.functions.ids().filter(is_known).collect();
        let mut below = AdjacencyGraph::new(count);
        for (id, function) in module.functions.iter() {
            let is_operation = |at: &InstructionId| !function.instructions[*at].opcode.is_call();
            let hidden = function.instructions.ids().filter(is_operation);
            for at in hidden.filter(|&at| module.may_become_call(function, at)) {
                if memory.callees(id, at).may_call_back && !calls.known_outside.is_empty() {
                    calls.open[id].push(at);
                    calls.known_outside.iter().for_each(|&known| below.add_edge(id, known));
                }
            }
            for (at, call) in &function.calls {
                if call.returns_twice {
                    calls.twice[id].push(*at);
                }
                let callees = memory.callees(id, *at);
                // Code generation makes a call of the program's own `memset` of one.
                if module.intrinsic_name(call.callee).is_some() && !callees.may_call_back {
                    continue;
                }
                callees.functions.iter().for_each(|&callee| below.add_edge(id, callee));
                if !callees.functions.is_empty() {
                    calls.inner[id].push(*at);
                }
                if callees.may_call_back && !calls.known_outside.is_empty() {
                    calls.open[id].push(*at);
                    calls.known_outside.iter().for_each(|&known| below.add_edge(id, known));
                }
                if !callees.functions.is_empty() || callees.may_be_others {
                    calls.callees.insert((id, *at), callees);
                }
            }
        }
        calls.set_recursive(&below);
        calls.set_by_itself(&below);
        calls.above = reverse(&below);
        calls.set_once(module);
        calls
    }

    fn set_recursive(&mut self, below: &AdjacencyGraph<FunctionId>) {
        use opcost_index::Graph;
        for members in &strongly_connected_components(below).members {
            let is_cycle = members.len() > 1 || below.successors(members[0]).any(|next| next == members[0]);
            if is_cycle {
                members.iter().for_each(|&member| _ = self.recursive.insert(member));
            }
        }
    }

    fn set_by_itself(&mut self, below: &AdjacencyGraph<FunctionId>) {
        use opcost_index::Graph;
        let mut work: Vec<FunctionId> =
            self.callers.iter().filter(|(_, callers)| callers.by_itself).map(|(id, _)| id).collect();
        while let Some(next) = work.pop() {
            if self.by_itself.insert(next) {
                work.extend(below.successors(next));
            }
        }
    }

    /// From the start on: called once, outside of any cycle, by one that runs once.
    fn set_once(&mut self, module: &Module) {
        for id in module.functions.ids() {
            let mut chain = vec![id];
            let is_once = loop {
                let last = chain[chain.len() - 1];
                let callers = &self.callers[last];
                if callers.from_outside || callers.by_itself || self.recursive.contains(last) {
                    break false;
                }
                match (callers.sites.as_slice(), callers.is_start || callers.is_constructor) {
                    ([], true) => break true,
                    ([site], false) if !is_in_cycle(module, site.function, site.call) => {
                        if self.once.contains(site.function) {
                            break true;
                        }
                        chain.push(site.function);
                    }
                    _ => break false,
                }
                if chain.len() > module.functions.len() {
                    break false;
                }
            };
            if is_once {
                chain.into_iter().for_each(|member| _ = self.once.insert(member));
            }
        }
    }

    /// Whom a call may call: none where nothing of the module can run.
    pub(super) fn callees(&self, function: FunctionId, call: InstructionId) -> Option<&Callees> {
        self.callees.get(&(function, call))
    }

    /// These functions and all that may run them.
    pub(super) fn reaching(&self, functions: impl Iterator<Item = FunctionId>) -> IdSet<FunctionId> {
        use opcost_index::Graph;
        let mut found = IdSet::new();
        let mut work: Vec<FunctionId> = functions.collect();
        while let Some(next) = work.pop() {
            if found.insert(next) {
                work.extend(self.above.successors(next));
            }
        }
        found
    }
}

/// Whether an instruction's block can be reached from itself.
pub(super) fn is_in_cycle(module: &Module, function: FunctionId, at: InstructionId) -> bool {
    let function = &module.functions[function];
    let start = function.block_of(at);
    let mut seen: IdSet<BlockId> = IdSet::new();
    let mut work: Vec<BlockId> = function.blocks[start].successors.clone();
    while let Some(next) = work.pop() {
        if next == start {
            return true;
        }
        if seen.insert(next) {
            work.extend(&function.blocks[next].successors);
        }
    }
    false
}

/// The values that a function gives back: the instruction, and the value.
pub(super) fn returns_of(
    module: &Module,
    function: FunctionId,
) -> impl Iterator<Item = (InstructionId, Option<opcost_ir::Value>)> {
    let function = &module.functions[function];
    function.blocks.ids().map(|block| function.terminator_of(block)).filter_map(move |last| {
        let is_return = function.instructions[last].opcode == Opcode::Ret;
        is_return.then(|| (last, function.operands_of(last).first().copied()))
    })
}

/// The block of an instruction's successors' list that an exception goes to.
pub(super) fn unwind_target(module: &Module, function: FunctionId, call: InstructionId) -> Option<BlockId> {
    let function = &module.functions[function];
    let is_invoke = function.instructions[call].opcode == Opcode::Invoke;
    let block = function.block_of(call);
    if is_invoke { function.blocks[block].successors.get(1).copied() } else { None }
}
