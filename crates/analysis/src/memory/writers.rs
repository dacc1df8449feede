//! Who writes to an object? Every write of the module, found from the object.
//!
//! The other direction than loads take: given an object and bytes of it, all
//! stores, atomic operations and calls of library functions that may touch
//! them, through whatever pointer: directly, through a parameter, a cast, a
//! member, a pointer that was kept somewhere and loaded again. Where code that
//! is not seen may reach the object the list is *open*: it proves nothing then.
//!
//! Functions that nothing runs are left out.
//!
//! Input: what is known of the module. Output: [`Writers`]; for a question an
//! iterator over its own list, nothing is copied. Cost: once, writes times
//! objects that each may touch (bounded by the addresses); then the writes of
//! the object and those through unknown pointers.

use opcost_ir::{Opcode, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashMap;

use super::addresses::{AddressTarget, ObjectId, Offsets, TargetsId};
use super::calls::CallSite;
use super::whole::MemoryModel;

/// An instruction that writes to where a pointer points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Where it is.
    pub at: CallSite,
    /// What it writes.
    pub what: Written,
    targets: TargetsId,
    size: u64,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// A value, by a plain store.
    Value(Value, TypeId),
    /// Something, through this argument of a call.
    Argument(u32),
    /// Something that pointers lead to which are stored where this argument of a call points.
    Behind(u32),
    /// A copy of what is where this argument points.
    Copy {
        /// Argument that the copy goes to.
        to: u32,
        /// Argument that it comes from.
        from: u32,
    },
    /// Something, by an atomic operation or the like.
    Other,
}

/// How sure it is that these very bytes are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellCoverage {
    /// Whenever it runs it writes exactly these bytes.
    Exact,
    /// Whenever it runs it writes these bytes and others, or some of them.
    Part,
    /// It may.
    Possible,
}

/// All writes of a module, by the objects that they may touch.
#[derive(Clone, Debug, Default)]
pub struct Writers {
    all: Vec<Writer>,
    of: FxHashMap<ObjectId, Vec<u32>>,
    through_unknown: Vec<u32>,
    /// Calls of code that is not seen and may reach what escaped.
    pub unknown_calls: Vec<CallSite>,
    /// Code that is not seen calls functions of the module.
    is_called: bool,
}

impl Writers {
    /// Lists the writes of every function.
    pub fn compute(memory: &MemoryModel<'_>) -> Writers {
        let outside = &memory.roots.called_from_outside;
        let is_called = memory.module.functions.ids().any(|id| outside.contains(id));
        let mut writers = Writers { is_called, ..Writers::default() };
        for id in memory.module.functions.ids().filter(|&id| memory.calls.is_reachable(id)) {
            writers.add_function(memory, id);
        }
        writers
    }

    fn add_function(&mut self, memory: &MemoryModel<'_>, id: FunctionId) {
        let body = &memory.module.functions[id];
        let targets = |value: Value| memory.addresses.targets_id(id, value);
        for (at, instruction) in body.instructions.iter() {
            let operands = body.operands_of(at);
            let site = CallSite { function: id, call: at };
            match instruction.opcode {
                Opcode::Store => {
                    let Some(ty) = instruction.second_type else { continue };
                    let size = memory.layout.size(ty).unwrap_or(u64::MAX);
                    let what = Written::Value(operands[0], ty);
                    self.add(memory, Writer { at: site, what, targets: targets(operands[1]), size });
                }
                Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::VAArg => {
                    let what = Written::Other;
                    self.add(
                        memory,
                        Writer { at: site, what, targets: targets(operands[0]), size: u64::MAX },
                    );
                }
                opcode if opcode.is_call() => self.add_call(memory, id, at),
                _ => {}
            }
        }
    }

    fn add_call(&mut self, memory: &MemoryModel<'_>, id: FunctionId, at: InstructionId) {
        let body = &memory.module.functions[id];
        let site = CallSite { function: id, call: at };
        let Some(call) = body.call(at) else { return };
        if memory.addresses.callees(id, at).is_some_and(|callees| callees.is_open) {
            self.unknown_calls.push(site);
        }
        let opcost_ir::CalleeRef::Declaration(declared) = call.callee else { return };
        let effect = memory.externals.effect(body, at, declared);
        let arguments = body.arguments_of(at);
        let reaches = effect.reaches_others || memory.externals.calls_by_name(body, at);
        if reaches && self.unknown_calls.last() != Some(&site) {
            self.unknown_calls.push(site);
        }
        for (position, &argument) in (0..).zip(arguments) {
            for touched in effect.touches_of(position).filter(|touched| touched.how.writes()) {
                let size = memory.own().extent(arguments, touched.extent);
                let targets = memory.addresses.targets_id(id, argument);
                self.add(memory, Writer { at: site, what: Written::Argument(position), targets, size });
                if touched.is_deep {
                    let targets = memory.addresses.behind(id, at, position);
                    let what = Written::Behind(position);
                    self.add(memory, Writer { at: site, what, targets, size: u64::MAX });
                }
            }
        }
        for copied in &effect.copies {
            let Some(&to) = arguments.get(copied.to as usize) else { continue };
            let size = memory.own().extent(arguments, copied.extent);
            let what = Written::Copy { to: copied.to, from: copied.from };
            self.add(memory, Writer { at: site, what, targets: memory.addresses.targets_id(id, to), size });
        }
    }

    fn add(&mut self, memory: &MemoryModel<'_>, writer: Writer) {
        let number = self.all.len() as u32;
        let targets = memory.addresses.answer(writer.targets);
        if targets.is_unknown {
            self.through_unknown.push(number);
        }
        let mut last = None;
        for target in &targets.known {
            if last.replace(target.object) != Some(target.object) {
                self.of.entry(target.object).or_default().push(number);
            }
        }
        self.all.push(writer);
    }

    /// The writes that may touch `size` bytes at these offsets, in the order of
    /// the module; and how sure that is.
    pub fn of<'a>(
        &'a self,
        memory: &'a MemoryModel<'_>,
        object: ObjectId,
        offsets: Offsets,
        size: u64,
    ) -> impl Iterator<Item = (&'a Writer, CellCoverage)> {
        let own = self.of.get(&object).map_or(&[][..], Vec::as_slice);
        let is_escaped = memory.addresses.objects().is_escaped(object);
        let through = if is_escaped { self.through_unknown.as_slice() } else { &[] };
        let both = merged(own, through);
        both.filter_map(move |number| {
            let writer = &self.all[number as usize];
            let target = AddressTarget { object, offsets };
            let touches = memory.addresses.may_touch(writer.targets, writer.size, target, size);
            touches.then(|| (writer, writer.coverage(memory, object, offsets, size)))
        })
    }

    /// Whether others than the listed writes may write there.
    pub fn is_open(&self, memory: &MemoryModel<'_>, object: ObjectId) -> bool {
        let is_outside = match memory.addresses.objects().kind(object) {
            super::addresses::ObjectKind::Global(global) => {
                memory.roots.reached_from_outside.contains(global)
            }
            _ => false,
        };
        let may_be_written = !self.unknown_calls.is_empty() || is_outside || self.is_called;
        memory.addresses.objects().is_escaped(object) && may_be_written
    }

    /// The only write that ever touches these bytes, if there is one.
    pub fn only(
        &self,
        memory: &MemoryModel<'_>,
        object: ObjectId,
        offsets: Offsets,
        size: u64,
    ) -> Option<(Writer, CellCoverage)> {
        let mut found = self.of(memory, object, offsets, size);
        let (&first, coverage) = found.next()?;
        (found.next().is_none() && !self.is_open(memory, object)).then_some((first, coverage))
    }
}

impl Writer {
    /// Where in an object it writes; none if that is not known.
    pub(crate) fn places(&self, memory: &MemoryModel<'_>, object: ObjectId) -> Option<Vec<Offsets>> {
        let targets = memory.addresses.answer(self.targets);
        let places = targets.known.iter().filter(|target| target.object == object);
        let places: Vec<Offsets> = places.map(|target| target.offsets.without_end()).collect();
        (!targets.is_unknown && !places.is_empty()).then_some(places)
    }

    /// How many bytes it writes; `u64::MAX` if that is not known.
    pub(crate) fn length(&self) -> u64 {
        self.size
    }

    fn coverage(
        &self,
        memory: &MemoryModel<'_>,
        object: ObjectId,
        offsets: Offsets,
        size: u64,
    ) -> CellCoverage {
        let there = memory.addresses.answer(self.targets).single();
        match (there, offsets.as_exact()) {
            (Some((target, at)), Some(offset)) if target == object && memory.is_single(object) => {
                if at == offset && self.size == size { CellCoverage::Exact } else { CellCoverage::Part }
            }
            _ => CellCoverage::Possible,
        }
    }
}

/// Two ascending lists as one, without doubles.
fn merged<'a>(left: &'a [u32], right: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
    std::iter::from_fn(move || match (left.peek().copied(), right.peek().copied()) {
        (Some(a), Some(b)) if a == b => {
            right.next();
            left.next()
        }
        (Some(a), Some(b)) if a < b => left.next(),
        (Some(_), Some(_)) | (None, _) => right.next(),
        (Some(_), None) => left.next(),
    })
}
