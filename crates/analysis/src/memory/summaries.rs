//! What may a function read and write, with all that it calls?
//!
//! A footprint is a list of objects with offsets and bytes, and whether the outside and all that
//! escaped are touched too. Functions are visited callees first, a cycle of calls as one
//! (footprints of its members are joined until nothing changes, which is at once). The outside
//! touches what escaped and does what every function does that it may call. What an activation does
//! to its own locals by their names is left out, and so are the locals of a callee of which no
//! other activation can be running: they no longer exist when it returns.
//!
//! Input: module, layout, addresses, calls. Output: [`Summaries`]. Cost: loads,
//! stores and calls, plus footprints once for each call edge. Limits: at most
//! `MOST_SPANS` spans in one object, which then is touched anywhere, and
//! `MOST_OBJECTS` objects, beyond which a footprint is everything.

use std::collections::BTreeMap;

use opcost_index::IdMap;
use opcost_ir::{CalleeRef, ConstantValue, Function, Layout, Module, Opcode, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::addresses::{
    AddressTarget, Addresses, Apart, ObjectId, ObjectKind, Objects, Offsets, Reach, TargetsId,
};
use super::calls::{CallGraph, Caller};
use super::external::Externals;
use opcost_library::effect::{Effect, Extent, ResultKind, Touching};

/// The most spans that are distinguished in one object.
const MOST_SPANS: usize = 8;
/// How many instructions an address is followed through to its local.
const DEEPEST: usize = 16;
/// The most objects in one footprint.
const MOST_OBJECTS: usize = 256;

/// Bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Where in the object.
    pub offsets: Offsets,
    /// How many bytes from each of these.
    pub size: u64,
}

/// What is touched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    spans: BTreeMap<ObjectId, Vec<Span>>,
    /// Also the outside, and all that escaped.
    pub is_unknown: bool,
    /// Also memory of a library that no object of the program is.
    pub is_library: bool,
    /// Everything there is.
    pub is_everything: bool,
}

impl Footprint {
    /// Adds the bytes where a pointer points.
    pub fn add(&mut self, addresses: &Addresses, pointer: TargetsId, size: u64) {
        let targets = addresses.answer(pointer);
        self.is_unknown |= targets.is_unknown;
        for &AddressTarget { object, offsets } in &targets.known {
            if addresses.objects().is_memory(object) {
                self.add_span(object, Span { offsets, size });
            }
        }
    }

    fn add_span(&mut self, object: ObjectId, span: Span) {
        if self.is_everything {
            return;
        }
        let spans = self.spans.entry(object).or_default();
        let holds = |known: &Span| known.offsets.contain(span.offsets) && known.size >= span.size;
        if spans.iter().any(holds) {
            return;
        }
        spans.retain(|known| !(span.offsets.contain(known.offsets) && span.size >= known.size));
        spans.push(span);
        if spans.len() > MOST_SPANS {
            *spans = vec![Span { offsets: Offsets::ANY, size: u64::MAX }];
        }
        if self.spans.len() > MOST_OBJECTS {
            self.spans.clear();
            (self.is_everything, self.is_unknown) = (true, true);
        }
    }

    /// Adds all of another, but for the objects that `is_gone` selects.
    pub fn join(&mut self, other: &Footprint, is_gone: impl Fn(ObjectId) -> bool) {
        self.is_unknown |= other.is_unknown;
        self.is_library |= other.is_library;
        self.is_everything |= other.is_everything;
        if self.is_everything {
            self.spans.clear();
            return;
        }
        for (&object, spans) in &other.spans {
            if !is_gone(object) {
                spans.iter().for_each(|&span| self.add_span(object, span));
            }
        }
    }

    /// Whether it touches nothing.
    pub fn is_empty(&self) -> bool {
        !self.is_everything && !self.is_unknown && !self.is_library && self.spans.is_empty()
    }

    /// The spans in an object.
    pub fn spans(&self, object: ObjectId) -> &[Span] {
        self.spans.get(&object).map_or(&[], Vec::as_slice)
    }

    /// Why none of `size` bytes at these places is touched; `None` if one may be.
    pub fn apart(&self, objects: &Objects, reach: Reach<'_>, size: u64) -> Option<Apart> {
        let Reach { known, is_unknown } = reach;
        if self.is_everything {
            return (known.is_empty() && !is_unknown).then_some(Apart::Always);
        }
        let escapes = |target: &AddressTarget| objects.is_escaped(target.object);
        if self.is_library && is_unknown {
            return None;
        }
        if self.is_unknown && (is_unknown || known.iter().any(escapes)) {
            return None;
        }
        if is_unknown && self.spans.keys().any(|&object| objects.is_escaped(object)) {
            return None;
        }
        let mut verdict = Apart::Always;
        for target in known {
            for span in self.spans(target.object) {
                if target.offsets.apart(size, span.offsets, span.size)? == Apart::ByIndex {
                    verdict = Apart::ByIndex;
                }
            }
        }
        Some(verdict)
    }
}

/// What a function reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Memory that it may read.
    pub reads: Footprint,
    /// Memory that it may write.
    pub writes: Footprint,
}

/// Summaries of all functions, and of the outside.
#[derive(Clone, Debug)]
pub struct Summaries {
    of: IdMap<Caller, Summary>,
}

impl Summaries {
    /// Sums up every function.
    pub fn compute(
        module: &Module,
        layout: &Layout,
        addresses: &Addresses,
        externals: &Externals<'_>,
        calls: &CallGraph,
    ) -> Summaries {
        let mut summaries = Summaries { of: IdMap::filled(module.functions.len() + 1, Summary::default()) };
        let own = Own { module, layout, addresses, externals };
        for members in &calls.components {
            let mut joined = Summary::default();
            for &member in members {
                match calls.function_of(member) {
                    Some(function) => own.function(function, &mut joined),
                    None => (joined.reads.is_unknown, joined.writes.is_unknown) = (true, true),
                }
                for callee in calls.called(member) {
                    let gone = |object| is_dead_after_call(addresses, calls, callee, object);
                    joined.reads.join(&summaries.of[callee].reads, gone);
                    joined.writes.join(&summaries.of[callee].writes, gone);
                }
            }
            let (last, others) = members.split_last().expect("a component has a member");
            others.iter().for_each(|&member| summaries.of[member] = joined.clone());
            summaries.of[*last] = joined;
        }
        summaries
    }

    /// What a function or the outside touches, its own locals included.
    pub fn of(&self, node: Caller) -> &Summary {
        &self.of[node]
    }
}

/// Whether the object is a local of a callee that no longer exists after the call.
fn is_dead_after_call(addresses: &Addresses, calls: &CallGraph, callee: Caller, object: ObjectId) -> bool {
    let Some(callee) = calls.function_of(callee).filter(|&callee| !calls.is_recursive(callee)) else {
        return false;
    };
    match addresses.objects().kind(object) {
        ObjectKind::Alloca(function, _) | ObjectKind::Copy(function, _) => function == callee,
        _ => false,
    }
}

/// What instructions touch by themselves.
#[derive(Clone, Copy)]
pub(super) struct Own<'a> {
    pub(super) module: &'a Module,
    pub(super) layout: &'a Layout,
    pub(super) addresses: &'a Addresses,
    pub(super) externals: &'a Externals<'a>,
}

/// A call of a declared function.
#[derive(Clone, Copy)]
struct Called<'e> {
    id: FunctionId,
    at: InstructionId,
    effect: &'e Effect,
    /// Locals of the activation by their names do not count.
    leaves_out: bool,
}

impl Own<'_> {
    fn function(&self, id: FunctionId, into: &mut Summary) {
        let function = &self.module.functions[id];
        for (at, instruction) in function.instructions.iter() {
            let operands = function.operands_of(at);
            let ty = instruction.ty;
            match instruction.opcode {
                Opcode::Load if self.is_own_local(function, operands[0]) => {}
                Opcode::Store if self.is_own_local(function, operands[1]) => {}
                Opcode::Load => into.reads.add(self.addresses, self.targets(id, operands[0]), self.size(ty)),
                Opcode::Store => {
                    let size = instruction.second_type.map_or(u64::MAX, |ty| self.size(ty));
                    into.writes.add(self.addresses, self.targets(id, operands[1]), size);
                }
                Opcode::AtomicRMW | Opcode::AtomicCmpXchg => {
                    let pointer = self.targets(id, operands[0]);
                    into.reads.add(self.addresses, pointer, self.size(ty));
                    into.writes.add(self.addresses, pointer, self.size(ty));
                }
                Opcode::VAArg => into.writes.add(self.addresses, self.targets(id, operands[0]), u64::MAX),
                opcode if opcode.is_call() => self.call(id, at, true, into),
                _ => {}
            }
        }
    }

    fn targets(&self, id: FunctionId, value: Value) -> TargetsId {
        self.addresses.targets_id(id, value)
    }

    fn size(&self, ty: TypeId) -> u64 {
        self.layout.size(ty).unwrap_or(u64::MAX)
    }

    /// Whether the address is made of a local of this activation by its name.
    fn is_own_local(&self, function: &Function, pointer: Value) -> bool {
        let mut at = pointer;
        for _ in 0..DEEPEST {
            let Value::Instruction(from) = at else { return false };
            match function.instructions[from].opcode {
                Opcode::Alloca => return true,
                Opcode::GetElementPtr | Opcode::BitCast => at = function.operands_of(from)[0],
                _ => return false,
            }
        }
        false
    }

    /// What a call of a declared function touches by itself: what it calls, and
    /// the outside, are edges of the call graph. Locals of this activation only
    /// if they are not left out.
    pub(super) fn call(&self, id: FunctionId, at: InstructionId, leaves_out: bool, into: &mut Summary) {
        let function = &self.module.functions[id];
        let Some(call) = function.call(at) else { return };
        let CalleeRef::Declaration(declared) = call.callee else { return };
        let effect = self.externals.effect(function, at, declared);
        self.effect(Called { id, at, effect: &effect, leaves_out }, into);
        into.writes.is_library |= effect.writes_library;
        let is_library = !self.module.declarations[declared].is_intrinsic;
        self.library_data(effect.result != ResultKind::Pure, is_library, into);
    }

    fn effect(&self, called: Called<'_>, into: &mut Summary) {
        let Called { id, at, effect, leaves_out } = called;
        let function = &self.module.functions[id];
        let is_left_out = |value: Value| leaves_out && self.is_own_local(function, value);
        let arguments = function.arguments_of(at);
        let argument = |position: u32| arguments.get(position as usize).copied();
        for (position, &argument) in (0..).zip(arguments) {
            for touched in effect.touches_of(position) {
                let size = self.extent(arguments, touched.extent);
                let footprint = match touched.how {
                    Touching::Reads => &mut into.reads,
                    how if how.writes() => &mut into.writes,
                    _ => continue,
                };
                if !is_left_out(argument) {
                    footprint.add(self.addresses, self.targets(id, argument), size);
                }
                if touched.is_deep {
                    footprint.add(self.addresses, self.addresses.behind(id, at, position), u64::MAX);
                }
            }
        }
        for copied in &effect.copies {
            let size = self.extent(arguments, copied.extent);
            let ends = [(copied.to, &mut into.writes), (copied.from, &mut into.reads)];
            for (position, footprint) in ends {
                if let Some(value) = argument(position).filter(|&value| !is_left_out(value)) {
                    footprint.add(self.addresses, self.targets(id, value), size);
                }
            }
        }
    }

    /// Data of the library, which any of its functions may change that computes more than its
    /// result. Also data of the program that the library has by name.
    fn library_data(&self, is_impure: bool, is_library: bool, into: &mut Summary) {
        let objects = self.addresses.objects();
        let known = &self.externals.outside.globals;
        for (id, global) in self.module.globals.iter().filter(|(_, global)| !global.is_constant) {
            if !(is_impure && global.is_declared || is_library && known.contains(id)) {
                continue;
            }
            into.writes.add_span(objects.of_global(id), Span { offsets: Offsets::ANY, size: u64::MAX });
        }
    }

    /// Bytes that a table's extent is at a call.
    pub(super) fn extent(&self, arguments: &[Value], extent: Extent) -> u64 {
        let number = |position: u32| match arguments.get(position as usize) {
            Some(&Value::Constant(id)) => match self.module.constants[id].value {
                ConstantValue::Integer(value) => u64::try_from(value).ok(),
                _ => None,
            },
            _ => None,
        };
        let known = match extent {
            Extent::Unknown => None,
            Extent::Bytes(bytes) => Some(bytes),
            Extent::Parameter(position) => number(position),
            Extent::Product(left, right) => {
                number(left).zip(number(right)).and_then(|(l, r)| l.checked_mul(r))
            }
        };
        known.unwrap_or(u64::MAX)
    }
}
