//! Which objects, and where in them, may each pointer point to?
//!
//! Whole-module, flow-insensitive, inclusion-based, with fields distinguished by byte offset
//! ([`Offsets`]): the essays of `graph` (method and limits), `collect` (instructions) and `calls`
//! say how. The answer for a pointer is [`Targets`]: objects with offsets, and whether it may also
//! point to the outside and to whatever escaped. Addresses are numbered once, by interning equal
//! answers, so that a pair of answers can be remembered by its numbers.
//!
//! Input: a module, its layout, effects of what is not in it, and its roots. Output: [`Addresses`].
//! Cost: near linear (see `graph`). Limits: contexts of calls are not distinguished; an object
//! represents all that one place makes.

use opcost_index::{Id, IdMap, define_id};
use opcost_ir::{ConstantId, Layout, Module, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap as HashMap;

pub use graph::AddressTarget;
pub use objects::{ObjectId, ObjectKind, Objects};
pub(crate) use offsets::gcd;
pub use offsets::{Apart, Offsets};

use super::external::Externals;
use super::world::Roots;
use collect::{Collector, Site};
use graph::{Graph, Node};

mod calls;
mod collect;
pub(crate) mod displacement;
mod graph;
mod objects;
mod offsets;

#[cfg(test)]
mod tests;

define_id!(
    /// An answer that [`Addresses`] gives.
    pub struct TargetsId, "targets"
);

/// Where a pointer may point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Targets {
    /// Objects of the module, sorted.
    pub known: Box<[AddressTarget]>,
    /// Also the outside, and every object that escaped.
    pub is_unknown: bool,
}

impl Targets {
    /// The one place that it points to.
    pub fn single(&self) -> Option<(ObjectId, i64)> {
        Reach { known: &self.known, is_unknown: self.is_unknown }.single()
    }
}

/// Where an access may go: an answer, or one place that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Where {
    /// Where a pointer points.
    Answer(TargetsId),
    /// There, and nowhere else.
    At(AddressTarget),
}

/// The same, looked up.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
    /// Objects of the module, sorted.
    pub known: &'a [AddressTarget],
    /// Also the outside, and every object that escaped.
    pub is_unknown: bool,
}

impl Reach<'_> {
    /// The one place.
    pub fn single(&self) -> Option<(ObjectId, i64)> {
        match (self.known, self.is_unknown) {
            (&[AddressTarget { object, offsets }], false) => Some((object, offsets.as_exact()?)),
            _ => None,
        }
    }
}

/// Whom a call may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callees {
    /// Functions of the module.
    pub functions: Vec<FunctionId>,
    /// Functions of the module that the callee, a library's, calls back; and by
    /// which callback of its effect.
    pub callbacks: Vec<(FunctionId, u32)>,
    /// Also something that is not seen.
    pub is_open: bool,
}

/// Where pointers point.
#[derive(Clone, Debug)]
pub struct Addresses {
    objects: Objects,
    answers: IdMap<TargetsId, Targets>,
    results: IdMap<FunctionId, Vec<TargetsId>>,
    parameters: IdMap<FunctionId, Vec<TargetsId>>,
    constants: HashMap<ConstantId, TargetsId>,
    callees: HashMap<(FunctionId, InstructionId), Callees>,
    behind: HashMap<(FunctionId, InstructionId, u32), TargetsId>,
    /// Objects whose address is in memory.
    is_stored: IdMap<ObjectId, bool>,
}

impl Addresses {
    /// Follows every pointer of the module.
    pub fn compute(module: &Module, layout: &Layout, externals: &Externals<'_>, roots: &Roots) -> Addresses {
        let mut collector = Collector::new(Graph::new(module, layout), externals, roots);
        collector.collect();
        collector.solve();
        Compacting::default().addresses(collector, module)
    }

    /// Where the value points; nowhere if it is no pointer.
    pub fn targets(&self, function: FunctionId, value: Value) -> &Targets {
        &self.answers[self.targets_id(function, value)]
    }

    /// The number of the answer for a value.
    pub fn targets_id(&self, function: FunctionId, value: Value) -> TargetsId {
        let nowhere = TargetsId::new(0);
        match value {
            Value::Instruction(id) => self.results[function][id.index()],
            Value::Argument(position) => {
                self.parameters[function].get(position as usize).copied().unwrap_or(nowhere)
            }
            Value::Constant(id) => self.constants.get(&id).copied().unwrap_or(nowhere),
            _ => nowhere,
        }
    }

    /// The answer of this number.
    pub fn answer(&self, id: TargetsId) -> &Targets {
        &self.answers[id]
    }

    /// All objects.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Whom a call may call, if that is not nobody.
    pub fn callees(&self, function: FunctionId, call: InstructionId) -> Option<&Callees> {
        self.callees.get(&(function, call))
    }

    /// Where the pointers lead that are stored where an argument of a call points, if the callee
    /// follows them.
    pub fn behind(&self, function: FunctionId, call: InstructionId, argument: u32) -> TargetsId {
        self.behind.get(&(function, call, argument)).copied().unwrap_or(TargetsId::new(0))
    }

    /// Whether code that is not seen may call the function.
    pub fn is_called_from_outside(&self, function: FunctionId) -> bool {
        self.objects.is_escaped(self.objects.of_function(function))
    }

    /// Whether others than the code that makes the object may know it: its address is in memory, or
    /// it is data, or it escaped.
    pub fn is_shared(&self, object: ObjectId) -> bool {
        let is_own = matches!(self.objects.kind(object), ObjectKind::Alloca(..) | ObjectKind::Fresh(..));
        !is_own || self.is_stored[object] || self.objects.is_escaped(object)
    }

    /// The objects and offsets of a place.
    pub fn reach<'a>(&'a self, place: &'a Where) -> Reach<'a> {
        match place {
            Where::Answer(id) => {
                let Targets { known, is_unknown } = &self.answers[*id];
                Reach { known, is_unknown: *is_unknown }
            }
            Where::At(target) => Reach { known: std::slice::from_ref(target), is_unknown: false },
        }
    }

    /// Whether `size` bytes at one never touch `other_size` bytes at the other.
    pub fn apart(&self, left: Reach<'_>, size: u64, right: Reach<'_>, other_size: u64) -> Option<Apart> {
        let escapes = |reach: Reach<'_>| {
            reach.is_unknown || reach.known.iter().any(|target| self.objects.is_escaped(target.object))
        };
        if (left.is_unknown && escapes(right)) || (right.is_unknown && escapes(left)) {
            return None;
        }
        let mut verdict = Apart::Always;
        let mut rest = right.known;
        for target in left.known {
            let skipped = rest.partition_point(|other| other.object < target.object);
            rest = &rest[skipped..];
            let same = rest.iter().take_while(|other| other.object == target.object);
            for other in same {
                if target.offsets.apart(size, other.offsets, other_size)? == Apart::ByIndex {
                    verdict = Apart::ByIndex;
                }
            }
        }
        Some(verdict)
    }

    /// Whether `size` bytes where the pointer points may touch these bytes of
    /// an object.
    pub fn may_touch(&self, pointer: TargetsId, size: u64, target: AddressTarget, other_size: u64) -> bool {
        let targets = &self.answers[pointer];
        if targets.is_unknown && self.objects.is_escaped(target.object) {
            return true;
        }
        let first = targets.known.partition_point(|known| known.object < target.object);
        let same = targets.known[first..].iter().take_while(|known| known.object == target.object);
        same.into_iter()
            .any(|known| known.offsets.apart(size, target.offsets, other_size) != Some(Apart::Always))
    }
}

/// Solved sets to numbered answers.
#[derive(Default)]
struct Compacting {
    answers: IdMap<TargetsId, Targets>,
    numbers: HashMap<Targets, TargetsId>,
}

impl Compacting {
    fn number(&mut self, graph: &Graph<'_>, node: Node) -> TargetsId {
        let set = &graph.sets[node.index()];
        let mut known = set.targets.clone();
        known.sort_unstable();
        self.intern(Targets { known: known.into(), is_unknown: set.is_unknown })
    }

    fn intern(&mut self, targets: Targets) -> TargetsId {
        if let Some(&known) = self.numbers.get(&targets) {
            return known;
        }
        let id = self.answers.push(targets.clone());
        self.numbers.insert(targets, id);
        id
    }

    fn addresses(mut self, collector: Collector<'_>, module: &Module) -> Addresses {
        let nowhere = self.intern(Targets::default());
        let graph = &collector.graph;
        let results = collector.results.values().map(|nodes| {
            nodes.iter().map(|node| node.map_or(nowhere, |node| self.number(graph, node))).collect()
        });
        let results: IdMap<FunctionId, Vec<TargetsId>> = results.collect();
        let parameters = collector
            .parameters
            .values()
            .map(|nodes| nodes.iter().map(|&node| self.number(graph, node)).collect());
        let parameters: IdMap<FunctionId, Vec<TargetsId>> = parameters.collect();
        let mut constants = HashMap::default();
        for id in module.constants.ids() {
            if let Some(node) = collector.constant_node(id) {
                constants.insert(id, self.number(graph, node));
            }
        }
        let callees = callees(&collector);
        let mut behind = HashMap::default();
        for (place, node) in collector.behind_nodes() {
            behind.insert(place, self.number(graph, node));
        }
        let mut is_stored = IdMap::filled(graph.objects.len(), false);
        for target in graph.stored_targets() {
            is_stored[target.object] = true;
        }
        let objects = collector.graph.objects;
        Addresses {
            objects,
            answers: self.answers,
            results,
            parameters,
            constants,
            callees,
            behind,
            is_stored,
        }
    }
}

fn callees(collector: &Collector<'_>) -> HashMap<(FunctionId, InstructionId), Callees> {
    let mut callees: HashMap<(FunctionId, InstructionId), Callees> = HashMap::default();
    for (site, callee) in collector.bound_sites() {
        let Site { function, call, callback } = collector.sites[site as usize];
        let entry = callees.entry((function, call)).or_default();
        match callback {
            Some(position) => entry.callbacks.push((callee, position)),
            None => entry.functions.push(callee),
        }
    }
    for site in collector.open_sites() {
        let Site { function, call, .. } = collector.sites[site as usize];
        callees.entry((function, call)).or_default().is_open = true;
    }
    callees
}
