//! Memory's answers, from [`Addresses`] and the effects of library functions.
//!
//! Every store and every call of a library function is filed under the objects
//! that its pointer may point to; those with an unknown pointer under all that
//! escaped. A cell's writers are those filed under its object whose offsets
//! meet it. Calls are turned round once: sites by callee. Cost: linear in
//! stores, calls and the targets of their pointers; an answer is linear in the
//! writes of its object.

use rustc_hash::FxHashMap as HashMap;
use std::borrow::Cow;

use opcost_index::IdMap;
use opcost_ir::{CalleeRef, Layout, Module, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};

use super::memory::{
    CallSite, Callees, Callers, Cell, Coverage, Memory, Object, Passing, PointsTo, Target, Write, Writers,
};
use crate::memory::addresses::Offsets;
use crate::memory::effects::{CallbackArgument, Effect, Extent, Touched, Touching};
use crate::memory::external::arguments_of;
use crate::memory::{Addresses, Apart, Externals, ObjectId, ObjectKind, Roots};

/// A write of bytes of an object.
#[derive(Clone, Copy, Debug)]
struct Filed {
    function: FunctionId,
    instruction: InstructionId,
    offsets: Offsets,
    /// `None`: from there on.
    size: Option<u64>,
    /// It is one place, and certainly written.
    is_sure: bool,
}

/// What is known of a module's memory.
#[derive(Debug)]
pub struct ModuleMemory<'a> {
    module: &'a Module,
    layout: &'a Layout,
    externals: &'a Externals<'a>,
    roots: &'a Roots,
    addresses: &'a Addresses,
    by_object: HashMap<ObjectId, Vec<Filed>>,
    /// Writes to where nobody knows: to anything that escaped.
    anywhere: Vec<Filed>,
    sites: IdMap<FunctionId, Vec<CallSite>>,
    /// Run by library functions when the call is over.
    later: IdMap<FunctionId, bool>,
}

impl<'a> ModuleMemory<'a> {
    /// Files every write and every call of the module.
    pub fn new(
        module: &'a Module,
        layout: &'a Layout,
        externals: &'a Externals<'a>,
        roots: &'a Roots,
        addresses: &'a Addresses,
    ) -> Self {
        let count = module.functions.len();
        let mut memory = ModuleMemory {
            module,
            layout,
            externals,
            roots,
            addresses,
            by_object: HashMap::default(),
            anywhere: Vec::new(),
            sites: IdMap::filled(count, Vec::new()),
            later: IdMap::filled(count, false),
        };
        for (id, function) in module.functions.iter() {
            for (at, instruction) in function.instructions.iter() {
                let operands = function.operands_of(at);
                match instruction.opcode {
                    Opcode::Store => {
                        let size = instruction.second_type.and_then(|ty| layout.size(ty));
                        memory.file(id, at, operands[1], size, true);
                    }
                    Opcode::AtomicRMW | Opcode::AtomicCmpXchg => {
                        memory.file(id, at, operands[0], None, false)
                    }
                    opcode if opcode.is_call() => memory.file_call(id, at),
                    _ => {}
                }
            }
        }
        memory
    }

    fn file(&mut self, id: FunctionId, at: InstructionId, pointer: Value, size: Option<u64>, is_sure: bool) {
        let targets = self.addresses.targets(id, pointer);
        let is_one = is_sure && targets.single().is_some();
        let filed = |offsets| Filed { function: id, instruction: at, offsets, size, is_sure: is_one };
        for target in &targets.known {
            self.by_object.entry(target.object).or_default().push(filed(target.offsets));
        }
        if targets.is_unknown {
            self.anywhere.push(filed(Offsets::ANY));
        }
    }

    fn file_call(&mut self, id: FunctionId, at: InstructionId) {
        let module = self.module;
        let function = &module.functions[id];
        let Some(call) = function.call(at) else { return };
        self.file_callees(id, at, call.callee);
        let callees = self.addresses.callees(id, at);
        let mut reaches = callees.is_some_and(|callees| callees.is_open);
        if let CalleeRef::Declaration(declaration) = call.callee {
            let effect = self.externals.effect(function, at, declaration);
            reaches |= effect.does_anything || effect.reaches_others;
            let arguments = arguments_of(function, at);
            for (position, &argument) in (0..).zip(arguments) {
                let leaves = |touched: &&Touched| touched.how.writes() && touched.how != Touching::Frees;
                for touched in effect.touches_of(position).filter(leaves) {
                    let size = extent(module, touched.extent, arguments);
                    let is_sure = !matches!(touched.how, Touching::Input(_));
                    self.file(id, at, argument, size, is_sure);
                    reaches |= touched.is_deep;
                }
                for copied in effect.copies.iter().filter(|copied| copied.to == position) {
                    let size = extent(module, copied.extent, arguments);
                    self.file(id, at, argument, size, true);
                }
            }
        }
        if call.callee == CalleeRef::Assembly && !call.is_empty_assembly {
            reaches = true;
        }
        if reaches {
            let filed =
                Filed { function: id, instruction: at, offsets: Offsets::ANY, size: None, is_sure: false };
            self.anywhere.push(filed);
        }
    }

    fn file_callees(&mut self, id: FunctionId, at: InstructionId, callee: CalleeRef) {
        let Some(callees) = self.addresses.callees(id, at) else { return };
        let is_direct = matches!(callee, CalleeRef::Function(_));
        for &function in &callees.functions {
            let passing = Passing::Arguments;
            self.sites[function].push(CallSite { function: id, call: at, passing, is_possible: !is_direct });
        }
        let CalleeRef::Declaration(declaration) = callee else { return };
        let effect = self.externals.effect(&self.module.functions[id], at, declaration);
        for &(function, position) in &callees.callbacks {
            let Some(callback) = effect.callbacks.get(position as usize) else { continue };
            let mut passed = Vec::new();
            for argument in &callback.arguments {
                match argument {
                    CallbackArgument::Parameter(position) => passed.push(Some(*position)),
                    CallbackArgument::Inside(_) | CallbackArgument::Outside => passed.push(None),
                    CallbackArgument::From(first) => {
                        let count = arguments_of(&self.module.functions[id], at).len() as u32;
                        passed.extend((*first..count).map(Some));
                    }
                }
            }
            let passing = Passing::CalledBack(passed);
            self.sites[function].push(CallSite { function: id, call: at, passing, is_possible: true });
            self.later[function] |= callback.is_later;
        }
    }

    fn object_id(&self, object: Object) -> Option<ObjectId> {
        let objects = self.addresses.objects();
        match object {
            Object::Global(id) => Some(objects.of_global(id)),
            Object::Local(function, at) | Object::Fresh(function, at) => objects.of_site(function, at),
            Object::Copy(..) | Object::Outside => None,
        }
    }

    fn object(&self, id: ObjectId) -> Option<Object> {
        Some(match self.addresses.objects().kind(id) {
            ObjectKind::Global(global) => Object::Global(global),
            ObjectKind::Alloca(function, at) => Object::Local(function, at),
            ObjectKind::Fresh(function, at) => Object::Fresh(function, at),
            ObjectKind::Copy(function, position) => Object::Copy(function, position),
            ObjectKind::Outside => Object::Outside,
            ObjectKind::Function(_) | ObjectKind::Declaration(_) => return None,
        })
    }
}

/// How many bytes an effect means, if it stands in the code.
fn extent(module: &Module, extent: Extent, arguments: &[Value]) -> Option<u64> {
    let number = |position: u32| {
        let value = *arguments.get(position as usize)?;
        u64::try_from(super::steps::signed(module, value)?).ok()
    };
    match extent {
        Extent::Unknown => None,
        Extent::Bytes(bytes) => Some(bytes),
        Extent::Parameter(position) => number(position),
        Extent::Product(left, right) => number(left)?.checked_mul(number(right)?),
    }
}

impl Memory for ModuleMemory<'_> {
    fn points_to(&self, function: FunctionId, pointer: Value) -> PointsTo {
        let targets = self.addresses.targets(function, pointer);
        let known = targets.known.iter().filter_map(|target| {
            Some(Target { object: self.object(target.object)?, offset: target.offsets.as_exact() })
        });
        PointsTo { targets: known.collect(), is_complete: !targets.is_unknown }
    }

    fn writers(&self, cell: Cell) -> Writers {
        let Some(id) = self.object_id(cell.object) else {
            return Writers { list: Vec::new(), is_complete: false, trusts_indices: false };
        };
        let is_escaped = self.addresses.objects().is_escaped(id);
        let own = self.by_object.get(&id).into_iter().flatten();
        let others = self.anywhere.iter().filter(|_| is_escaped);
        let asked = Offsets::exact(cell.offset);
        let mut writers = Writers { list: Vec::new(), is_complete: !is_escaped, trusts_indices: false };
        for filed in own.chain(others) {
            let size = filed.size.unwrap_or(i64::MAX as u64);
            match filed.offsets.apart(size, asked, cell.size) {
                Some(Apart::Always) => continue,
                Some(Apart::ByIndex) => {
                    writers.trusts_indices = true;
                    continue;
                }
                None => {}
            }
            let written = filed.offsets.as_exact().zip(filed.size);
            let covers = written
                .is_some_and(|(offset, size)| Cell { object: cell.object, offset, size }.covers(&cell));
            let coverage = if covers && filed.is_sure { Coverage::Whole } else { Coverage::Possible };
            writers.list.push(Write { function: filed.function, instruction: filed.instruction, coverage });
        }
        // A call that writes through several pointers is one write.
        writers.list.sort();
        writers.list.dedup_by_key(|write| (write.function, write.instruction));
        writers
    }

    fn size(&self, object: Object) -> Option<u64> {
        match object {
            Object::Copy(function, position) => {
                let facts = self.module.functions[function].parameter_facts.get(position as usize)?;
                self.layout.size(facts.byval?)
            }
            _ => self.addresses.objects().size(self.object_id(object)?),
        }
    }

    fn callees(&self, function: FunctionId, call: InstructionId) -> Callees {
        let Some(known) = self.addresses.callees(function, call) else { return Callees::default() };
        let callee = self.module.functions[function].call(call).map(|call| call.callee);
        let mut functions = known.functions.clone();
        functions.extend(known.callbacks.iter().map(|&(callee, _)| callee));
        functions.dedup();
        let is_direct = matches!(callee, Some(CalleeRef::Function(_)));
        Callees { functions, is_direct, may_be_others: known.is_open }
    }

    fn callers(&self, function: FunctionId) -> Callers {
        Callers {
            sites: self.sites[function].clone(),
            is_start: self.roots.main == Some(function),
            is_constructor: self.roots.constructors.contains(&function),
            from_outside: self.addresses.is_called_from_outside(function)
                || self.roots.called_from_outside.contains(function),
            by_itself: self.later[function],
        }
    }

    fn effect(&self, function: FunctionId, call: InstructionId) -> Option<Cow<'_, Effect>> {
        let code = &self.module.functions[function];
        match code.call(call)?.callee {
            CalleeRef::Declaration(declaration) => Some(self.externals.effect(code, call, declaration)),
            _ => None,
        }
    }
}
