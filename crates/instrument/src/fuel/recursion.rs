//! Which calls can come back to the function that makes them?
//!
//! The call graph has one more node than the module has functions: the
//! outside. A call through a pointer or of a function that is not known to
//! call nothing back leads there, and from there every function can be reached
//! whose address is taken or that other modules see. Functions on a common
//! cycle (Tarjan) are *recursive*: a check stands at their entry, and behind
//! every call that stays on the cycle, so that neither the way down nor the
//! way back goes on without one. Cost: linear in calls and operands.

use opcost_index::{AdjacencyGraph, Components, Id, IdMap, IdSet, strongly_connected_components};
use opcost_ir::{Call, CalleeRef, Function, Linkage, Module};
use opcost_key::FunctionId;

use crate::fuel::looks::{Looks, looks};

opcost_index::define_id!(
    /// A function, or behind the last one the outside.
    struct CallerId, "caller"
);

/// The cycles of a module's call graph.
pub(crate) struct Recursion {
    components: Components<CallerId>,
    recursive: IdMap<FunctionId, bool>,
    reachable_from_outside: IdSet<FunctionId>,
}

impl Recursion {
    pub(crate) fn compute(module: &Module) -> Recursion {
        let outside = CallerId::new(module.functions.len());
        let reachable_from_outside = reachable_from_outside(module);
        let mut graph = AdjacencyGraph::new(module.functions.len() + 1);
        let mut calls_itself = IdMap::filled(module.functions.len(), false);
        for (id, function) in module.functions.iter() {
            for (_, call) in &function.calls {
                match call.callee {
                    CalleeRef::Function(callee) => {
                        graph.add_edge(of(id), of(callee));
                        calls_itself[id] |= callee == id;
                    }
                    _ if looks(module, call) == Looks::Freely => graph.add_edge(of(id), outside),
                    _ => {}
                }
            }
        }
        for id in reachable_from_outside.iter() {
            graph.add_edge(outside, of(id));
        }
        let components = strongly_connected_components(&graph);
        let recursive = module
            .functions
            .ids()
            .map(|id| calls_itself[id] || components.members[components.component_of[of(id)]].len() > 1)
            .collect();
        Recursion { components, recursive, reachable_from_outside }
    }

    /// All functions, callees before their callers where they are no cycle.
    pub(crate) fn callees_first(&self) -> Vec<FunctionId> {
        let known = |caller: &CallerId| {
            (caller.index() < self.recursive.len()).then(|| FunctionId::new(caller.index()))
        };
        self.components.members.iter().flatten().filter_map(known).collect()
    }

    /// Whether the function can be entered again before it returns.
    pub(crate) fn is_recursive(&self, id: FunctionId) -> bool {
        self.recursive[id]
    }

    /// Whether a call from `caller` can come back to it before it returns.
    pub(crate) fn comes_back(&self, module: &Module, caller: FunctionId, call: &Call) -> bool {
        let target = match call.callee {
            CalleeRef::Function(callee) if callee == caller => return true,
            CalleeRef::Function(callee) => of(callee),
            _ if looks(module, call) == Looks::Freely => CallerId::new(self.recursive.len()),
            _ => return false,
        };
        self.components.component_of[target] == self.components.component_of[of(caller)]
    }

    /// Functions that code outside the module may call.
    pub(crate) fn reachable_from_outside(&self) -> &IdSet<FunctionId> {
        &self.reachable_from_outside
    }
}

fn of(id: FunctionId) -> CallerId {
    CallerId::new(id.index())
}

/// Functions that other modules see or to which a pointer may exist.
fn reachable_from_outside(module: &Module) -> IdSet<FunctionId> {
    let is_reachable = |function: &Function| function.linkage != Linkage::Local || function.is_address_taken;
    module.functions.iter().filter(|(_, function)| is_reachable(function)).map(|(id, _)| id).collect()
}
