//! Who calls whom, and how often can a place of the code run at all?
//!
//! Calls through pointers are followed by [`Addresses`]; code that is not seen is one more node,
//! [`CallGraph::outside`]: it is called by whatever calls something unknown, or waits for other
//! threads, and it calls every function that it may know. A function on a cycle is recursive. A
//! block runs at most once if it is on no cycle of its function, and the function is entered at
//! most once: `main`, or what is called from one place that runs at most once.
//!
//! Input: module, addresses, roots. Output: [`CallGraph`]. Cost: linear in
//! calls and edges.

use opcost_index::{AdjacencyGraph, Graph, Id, IdMap, IdSet, define_id, strongly_connected_components};
use opcost_ir::{CalleeRef, Flags, Function, Instruction, Module, Opcode};
use opcost_key::{BlockId, FunctionId, InstructionId};

use super::addresses::Addresses;
use super::external::Externals;
use super::world::Roots;

define_id!(
    /// A function, or the outside, whose number comes after all of them.
    pub struct Caller, "caller"
);

/// A call, by where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallSite {
    /// The function that calls.
    pub function: FunctionId,
    /// Its instruction.
    pub call: InstructionId,
}

/// Who calls whom.
#[derive(Clone, Debug)]
pub struct CallGraph {
    graph: AdjacencyGraph<Caller>,
    /// Members of each component, callees first.
    pub(super) components: Vec<Vec<Caller>>,
    is_recursive: IdMap<Caller, bool>,
    /// Places that call each function of the module, in program order.
    callers: IdMap<FunctionId, Vec<CallSite>>,
    /// Functions that library functions call back, or others call.
    is_called_by_others: IdMap<FunctionId, bool>,
    runs_once: IdMap<FunctionId, bool>,
    is_reachable: IdMap<FunctionId, bool>,
    on_cycle: IdMap<FunctionId, IdSet<BlockId>>,
}

impl CallGraph {
    /// The calls of a module.
    pub fn compute(
        module: &Module,
        addresses: &Addresses,
        externals: &Externals<'_>,
        roots: &Roots,
    ) -> CallGraph {
        let count = module.functions.len();
        let mut calls = CallGraph {
            graph: AdjacencyGraph::new(count + 1),
            components: Vec::new(),
            is_recursive: IdMap::filled(count + 1, false),
            callers: IdMap::filled(count, Vec::new()),
            is_called_by_others: IdMap::filled(count, false),
            runs_once: IdMap::filled(count, false),
            is_reachable: IdMap::filled(count, false),
            on_cycle: module.functions.values().map(blocks_on_cycles).collect(),
        };
        for (id, function) in module.functions.iter() {
            calls.add_function(id, function, addresses, externals);
            if addresses.is_called_from_outside(id) || roots.called_from_outside.contains(id) {
                calls.called_by_others(id);
            }
        }
        calls.find_reachable(roots);
        calls.find_components();
        calls.find_single_runs(module, roots);
        calls
    }

    fn add_function(
        &mut self,
        id: FunctionId,
        function: &Function,
        addresses: &Addresses,
        externals: &Externals<'_>,
    ) {
        let outside = self.outside();
        for &(at, ref call) in &function.calls {
            let site = CallSite { function: id, call: at };
            if let Some(callees) = addresses.callees(id, at) {
                for &callee in &callees.functions {
                    self.graph.add_edge(caller(id), caller(callee));
                    self.callers[callee].push(site);
                }
                for &(callee, position) in &callees.callbacks {
                    self.graph.add_edge(caller(id), caller(callee));
                    self.is_called_by_others[callee] = true;
                    if is_later(function, externals, at, position) {
                        self.called_by_others(callee);
                    }
                }
                if callees.is_open {
                    self.graph.add_edge(caller(id), outside);
                }
            }
            if let CalleeRef::Declaration(declared) = call.callee {
                let effect = externals.effect(function, at, declared);
                if effect.reaches_others || effect.synchronises {
                    self.graph.add_edge(caller(id), outside);
                }
            }
        }
        let is_hidden = |at: InstructionId| externals.calls_by_name(function, at);
        if function.instructions.values().any(waits) || function.instructions.ids().any(is_hidden) {
            self.graph.add_edge(caller(id), outside);
        }
    }

    fn called_by_others(&mut self, id: FunctionId) {
        self.is_called_by_others[id] = true;
        let outside = self.outside();
        self.graph.add_edge(outside, caller(id));
    }

    /// What runs at all: from the roots, and what others call.
    fn find_reachable(&mut self, roots: &Roots) {
        let begun = roots.main.iter().chain(&roots.constructors).copied();
        let others = self.is_called_by_others.iter().filter(|(_, is)| **is).map(|(id, _)| id);
        let mut work: Vec<FunctionId> = begun.chain(others).collect();
        while let Some(function) = work.pop() {
            if std::mem::replace(&mut self.is_reachable[function], true) {
                continue;
            }
            let called = self.graph.successors(caller(function));
            work.extend(called.filter_map(|callee| self.function_of(callee)));
        }
    }

    fn find_components(&mut self) {
        let components = strongly_connected_components(&self.graph);
        for members in &components.members {
            let is_cycle = members.len() > 1 || self.graph.successors(members[0]).any(|to| to == members[0]);
            members.iter().for_each(|&member| self.is_recursive[member] = is_cycle);
        }
        self.components = components.members;
    }

    /// Callers before callees: components come callees first.
    fn find_single_runs(&mut self, module: &Module, roots: &Roots) {
        for position in (0..self.components.len()).rev() {
            let &[one] = self.components[position].as_slice() else { continue };
            let Some(function) = self.function_of(one) else { continue };
            let is_begun = roots.main == Some(function) || roots.constructors.contains(&function);
            let sites = &self.callers[function];
            let runs = match (is_begun, sites.as_slice()) {
                (true, []) => true,
                (false, &[site]) => {
                    let block = module.functions[site.function].block_of(site.call);
                    self.runs_once[site.function] && !self.on_cycle[site.function].contains(block)
                }
                _ => false,
            };
            self.runs_once[function] = runs && !self.is_recursive[one] && !self.is_called_by_others[function];
        }
    }

    /// All code that is not seen.
    pub fn outside(&self) -> Caller {
        Caller::new(self.callers.len())
    }

    /// The function that a node is; none of the outside.
    pub fn function_of(&self, node: Caller) -> Option<FunctionId> {
        (node != self.outside()).then(|| FunctionId::new(node.index()))
    }

    /// Places that call a function of the module, in program order. Callbacks
    /// are not among them.
    pub fn callers(&self, function: FunctionId) -> &[CallSite] {
        &self.callers[function]
    }

    /// Whether library functions, other threads or others call it.
    pub fn is_called_by_others(&self, function: FunctionId) -> bool {
        self.is_called_by_others[function]
    }

    /// Whether it can run at all.
    pub fn is_reachable(&self, function: FunctionId) -> bool {
        self.is_reachable[function]
    }

    /// Whether it may be running already when it is called.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.is_recursive[caller(function)]
    }

    /// Whether a place of the code runs at most once in a run of the program.
    pub fn runs_once(&self, function: FunctionId, block: BlockId) -> bool {
        self.runs_once[function] && !self.on_cycle[function].contains(block)
    }

    /// Whether the block may run again before its function returns.
    pub fn is_on_cycle(&self, function: FunctionId, block: BlockId) -> bool {
        self.on_cycle[function].contains(block)
    }

    /// What a node calls.
    pub(super) fn called(&self, node: Caller) -> impl Iterator<Item = Caller> + '_ {
        self.graph.successors(node)
    }
}

/// The node of a function.
pub(super) fn caller(function: FunctionId) -> Caller {
    Caller::new(function.index())
}

/// Whether other threads' writes may be seen after it.
pub(super) fn waits(instruction: &Instruction) -> bool {
    match instruction.opcode {
        Opcode::Fence | Opcode::AtomicCmpXchg | Opcode::AtomicRMW => true,
        Opcode::Load => instruction.flags.has(Flags::ATOMIC),
        _ => false,
    }
}

fn is_later(function: &Function, externals: &Externals<'_>, at: InstructionId, position: u32) -> bool {
    let Some(CalleeRef::Declaration(declared)) = function.call(at).map(|call| call.callee) else {
        return true;
    };
    let effect = externals.effect(function, at, declared);
    effect.callbacks.get(position as usize).is_none_or(|callback| callback.is_later)
}

fn blocks_on_cycles(function: &Function) -> IdSet<BlockId> {
    let mut on_cycle = IdSet::new();
    for members in strongly_connected_components(function).members {
        if members.len() > 1 || function.successors(members[0]).any(|to| to == members[0]) {
            members.into_iter().for_each(|block| _ = on_cycle.insert(block));
        }
    }
    on_cycle
}
