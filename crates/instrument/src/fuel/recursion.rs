//! On which calls must it be asked, so that no chain of calls goes on unasked?
//!
//! Direct calls are traversed depth first. A call to a function that the traversal is still in
//! *goes back*; every cycle of direct calls has one. It is asked at the entry of its callee, so
//! that the way down ends, and after the call, so that the way back ends. A call that becomes a
//! jump has nothing after it: its caller *relays* the way back to its own callers, which ask after
//! their calls instead. What is left of the call graph has no cycles, and the traversal's postorder
//! has callees before their callers.
//!
//! The outside is one more node: a call through a pointer, or of a function
//! that is not known to call nothing back, leads there, and from there every
//! function can be reached whose address is taken or that other modules see.
//! These ask at their entry in any case, since nobody knows how often they are
//! called; a call to the outside that can come back to its own function
//! (Tarjan's components) goes back too. Cost: linear in calls.

use opcost_index::{AdjacencyGraph, Id, IdMap, IdSet, postorder, strongly_connected_components};
use opcost_ir::{Call, CalleeRef, Function, Linkage, Module};
use opcost_key::FunctionId;

use crate::fuel::fuel_access::{FuelAccess, OwnInCalls, fuel_access};
use crate::leaving::Leaving;

opcost_index::define_id!(
    /// A function, or the outside, whose number comes after the last one.
    struct CallerId, "caller"
);

/// The cycles of a module's call graph.
pub(crate) struct Recursion {
    /// Callees before their callers, but where a call goes back.
    order: Vec<FunctionId>,
    position: IdMap<FunctionId, usize>,
    /// Functions that a call goes back to.
    returned_to: IdSet<FunctionId>,
    /// Functions that the outside can reach and that lead there.
    through_outside: IdSet<FunctionId>,
    reachable_from_outside: IdSet<FunctionId>,
    /// Functions whose callers the way back from a jump comes to.
    relays: IdSet<FunctionId>,
    /// Which functions of the module may run in calls of library functions.
    pub(crate) own_in_calls: OwnInCalls,
}

impl Recursion {
    pub(crate) fn compute(module: &Module, leaving: &Leaving, own_in_calls: OwnInCalls) -> Recursion {
        let (order, position) = walk(module);
        let mut recursion = Recursion {
            order,
            position,
            returned_to: IdSet::new(),
            through_outside: IdSet::new(),
            reachable_from_outside: reachable_from_outside(module),
            relays: IdSet::new(),
            own_in_calls,
        };
        recursion.through_outside = recursion.cycle_of_the_outside(module);
        for (id, function) in module.functions.iter() {
            for (_, call) in &function.calls {
                if let CalleeRef::Function(callee) = call.callee
                    && recursion.is_recursive_call(module, id, call)
                {
                    recursion.returned_to.insert(callee);
                }
            }
        }
        recursion.relays = recursion.relays(module, leaving);
        recursion
    }

    /// All functions, callees before their callers where no call goes back.
    pub(crate) fn callees_first(&self) -> &[FunctionId] {
        &self.order
    }

    /// Whether it must be asked where this function begins.
    pub(crate) fn is_asked_at_entry(&self, id: FunctionId) -> bool {
        self.returned_to.contains(id) || self.reachable_from_outside.contains(id)
    }

    /// Whether it must be asked after this call of `caller`.
    pub(crate) fn is_asked_behind(&self, module: &Module, caller: FunctionId, call: &Call) -> bool {
        let is_relay = matches!(call.callee, CalleeRef::Function(callee) if self.relays.contains(callee));
        is_relay || self.is_recursive_call(module, caller, call)
    }

    fn is_recursive_call(&self, module: &Module, caller: FunctionId, call: &Call) -> bool {
        match call.callee {
            CalleeRef::Function(callee) => self.position[callee] >= self.position[caller],
            _ => {
                fuel_access(module, call, self.own_in_calls) == FuelAccess::Freely
                    && self.through_outside.contains(caller)
            }
        }
    }

    /// Functions that code outside the module may call.
    pub(crate) fn reachable_from_outside(&self) -> &IdSet<FunctionId> {
        &self.reachable_from_outside
    }

    fn relays(&self, module: &Module, leaving: &Leaving) -> IdSet<FunctionId> {
        let mut relays = IdSet::new();
        let mut jumped_from: IdMap<FunctionId, Vec<FunctionId>> =
            IdMap::filled(module.functions.len(), Vec::new());
        let mut worklist = Vec::new();
        for (id, function) in module.functions.iter() {
            for &(at, ref call) in &function.calls {
                if !leaving.is_jump(id, function, function.block_of(at), at) {
                    continue;
                }
                if let CalleeRef::Function(callee) = call.callee {
                    jumped_from[callee].push(id);
                }
                if self.is_recursive_call(module, id, call) && relays.insert(id) {
                    worklist.push(id);
                }
            }
        }
        while let Some(callee) = worklist.pop() {
            for &id in &jumped_from[callee] {
                if relays.insert(id) {
                    worklist.push(id);
                }
            }
        }
        relays
    }

    fn cycle_of_the_outside(&self, module: &Module) -> IdSet<FunctionId> {
        let outside = CallerId::new(module.functions.len());
        let mut graph = AdjacencyGraph::new(module.functions.len() + 1);
        for (id, function) in module.functions.iter() {
            for (_, call) in &function.calls {
                match call.callee {
                    CalleeRef::Function(callee) => graph.add_edge(of(id), of(callee)),
                    _ if fuel_access(module, call, self.own_in_calls) == FuelAccess::Freely => {
                        graph.add_edge(of(id), outside)
                    }
                    _ => {}
                }
            }
        }
        for id in self.reachable_from_outside.iter() {
            graph.add_edge(outside, of(id));
        }
        let component_of = strongly_connected_components(&graph).component_of;
        module.functions.ids().filter(|&id| component_of[of(id)] == component_of[outside]).collect()
    }
}

/// The postorder of a depth-first traversal over direct calls, and each function's position in it.
fn walk(module: &Module) -> (Vec<FunctionId>, IdMap<FunctionId, usize>) {
    let root = CallerId::new(module.functions.len());
    let mut graph = AdjacencyGraph::new(module.functions.len() + 1);
    for (id, function) in module.functions.iter() {
        graph.add_edge(root, of(id));
        for (_, call) in &function.calls {
            if let CalleeRef::Function(callee) = call.callee {
                graph.add_edge(of(id), of(callee));
            }
        }
    }
    let order: Vec<FunctionId> = postorder(&graph, root)
        .into_iter()
        .filter(|&caller| caller != root)
        .map(|caller| FunctionId::new(caller.index()))
        .collect();
    let mut position = IdMap::filled(module.functions.len(), 0);
    for (at, &id) in order.iter().enumerate() {
        position[id] = at;
    }
    (order, position)
}

fn of(id: FunctionId) -> CallerId {
    CallerId::new(id.index())
}

/// Functions that other modules see or to which a pointer may exist.
fn reachable_from_outside(module: &Module) -> IdSet<FunctionId> {
    let is_reachable = |function: &Function| function.linkage != Linkage::Local || function.is_address_taken;
    module.functions.iter().filter(|(_, function)| is_reachable(function)).map(|(id, _)| id).collect()
}
