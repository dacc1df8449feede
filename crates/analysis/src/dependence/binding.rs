//! Memory's answers, from [`crate::memory`].
//!
//! Writers and points-to sets are asked there; what is added here is the other
//! direction of calls (sites by callee, with what a library function passes to
//! what it calls back), and that a store to an element of an array stays in
//! that array, which is noted as an assumption. Cost: linear in the calls,
//! once; an answer is linear in the writes of its object.

use rustc_hash::FxHashMap as HashMap;
use std::borrow::Cow;
use std::sync::OnceLock;

use opcost_index::{Id, IdMap};
use opcost_ir::{CalleeRef, Value};
use opcost_key::{FunctionId, InstructionId};

use super::memory::{
    CallSite, Callees, Callers, Cell, MOST_WRITERS, MemoryQueries, Object, Passing, PointerTarget, PointsTo,
    Write, WriteCoverage, Writers,
};
use crate::memory::addresses::Offsets;
use crate::memory::{self, Apart, ObjectId, ObjectKind, World, Writer, Written};
use opcost_library::effect::{CallbackArgument, Effect, Touching};

/// What is known of a module's memory.
#[derive(Debug)]
pub struct ModuleMemory<'a> {
    memory: &'a memory::MemoryModel<'a>,
    writers: &'a memory::Writers,
    sites: IdMap<FunctionId, Vec<CallSite>>,
    /// Run by library functions when the call is over.
    later: IdMap<FunctionId, bool>,
    /// Copies that are passed by value.
    copies: HashMap<(FunctionId, u32), ObjectId>,
    arguments_stay: OnceLock<bool>,
}

impl<'a> ModuleMemory<'a> {
    /// Files every call of the module under what it calls.
    pub fn new(memory: &'a memory::MemoryModel<'a>, writers: &'a memory::Writers) -> Self {
        let count = memory.module.functions.len();
        let (sites, later) = (IdMap::filled(count, Vec::new()), IdMap::filled(count, false));
        let objects = memory.addresses.objects();
        let copies = (0..objects.len()).map(ObjectId::new).filter_map(|id| match objects.kind(id) {
            ObjectKind::Copy(function, position) => Some(((function, position), id)),
            _ => None,
        });
        let copies = copies.collect();
        let mut made =
            ModuleMemory { memory, writers, sites, later, copies, arguments_stay: OnceLock::new() };
        for (id, function) in memory.module.functions.iter() {
            for &(at, ref call) in &function.calls {
                made.file(id, at, call.callee);
            }
        }
        made
    }

    fn file(&mut self, id: FunctionId, at: InstructionId, callee: CalleeRef) {
        let Some(callees) = self.memory.addresses.callees(id, at) else { return };
        let is_direct = matches!(callee, CalleeRef::Function(_));
        for &function in &callees.functions {
            let passing = Passing::Arguments;
            self.sites[function].push(CallSite { function: id, call: at, passing, is_possible: !is_direct });
        }
        let CalleeRef::Declaration(declaration) = callee else { return };
        let function = &self.memory.module.functions[id];
        let effect = self.memory.externals.effect(function, at, declaration);
        for &(called, position) in &callees.callbacks {
            let Some(callback) = effect.callbacks.get(position as usize) else { continue };
            let mut passed = Vec::new();
            for argument in &callback.arguments {
                match argument {
                    CallbackArgument::Parameter(position) => passed.push(Some(*position)),
                    CallbackArgument::Inside(_) | CallbackArgument::Outside => passed.push(None),
                    CallbackArgument::From(first) => {
                        passed.extend((*first..function.arguments_of(at).len() as u32).map(Some));
                    }
                }
            }
            let passing = Passing::CalledBack(passed);
            self.sites[called].push(CallSite { function: id, call: at, passing, is_possible: true });
            self.later[called] |= callback.is_later;
        }
    }

    fn object_id(&self, object: Object) -> Option<ObjectId> {
        let objects = self.memory.addresses.objects();
        match object {
            Object::Global(id) => Some(objects.of_global(id)),
            Object::Local(function, at) | Object::Fresh(function, at) => objects.of_site(function, at),
            Object::Copy(function, position) => self.copies.get(&(function, position)).copied(),
            Object::Outside => None,
        }
    }

    fn object(&self, id: ObjectId) -> Option<Object> {
        Some(match self.memory.addresses.objects().kind(id) {
            ObjectKind::Global(global) => Object::Global(global),
            ObjectKind::Alloca(function, at) => Object::Local(function, at),
            ObjectKind::Fresh(function, at) => Object::Fresh(function, at),
            ObjectKind::Copy(function, position) => Object::Copy(function, position),
            ObjectKind::Outside => Object::Outside,
            ObjectKind::Function(_) | ObjectKind::Declaration(_) => return None,
        })
    }

    /// Who may write bytes of an object at these offsets.
    fn writers_at(&self, object: Object, offsets: &[Offsets], size: u64) -> Writers {
        let Some(id) = self.object_id(object) else {
            return Writers { list: Vec::new(), is_complete: false, trusts_indices: false };
        };
        let is_complete = !self.writers.is_open(self.memory, id);
        let mut writers = Writers { list: Vec::new(), is_complete, trusts_indices: false };
        if self.memory.addresses.objects().is_escaped(id) {
            let calls = self.writers.unknown_calls.iter().map(|site| Write {
                function: site.function,
                instruction: site.call,
                coverage: WriteCoverage::Possible,
            });
            writers.list.extend(calls.take(MOST_WRITERS + 1));
        }
        for &asked in offsets {
            for (writer, coverage) in self.writers.of(self.memory, id, asked, size) {
                if writers.list.len() > MOST_WRITERS {
                    return writers;
                }
                if self.only_frees(writer) {
                    continue;
                }
                if self.misses_by_index(writer, id, asked, size) {
                    writers.trusts_indices = true;
                    continue;
                }
                let is_whole =
                    coverage == memory::CellCoverage::Exact && matches!(writer.what, Written::Value(..));
                let coverage = if is_whole { WriteCoverage::Whole } else { WriteCoverage::Possible };
                let (function, instruction) = (writer.at.function, writer.at.call);
                // A call that writes through several pointers is one write.
                let is_known = |last: &Write| (last.function, last.instruction) == (function, instruction);
                if !writers.list.last().is_some_and(is_known) {
                    writers.list.push(Write { function, instruction, coverage });
                }
            }
        }
        writers.list.sort();
        writers.list.dedup_by_key(|write| (write.function, write.instruction));
        writers
    }

    /// Whether a store misses the bytes as long as indices stay inside their
    /// arrays.
    fn misses_by_index(&self, writer: &Writer, id: ObjectId, asked: Offsets, asked_size: u64) -> bool {
        let Written::Value(_, ty) = writer.what else { return false };
        let body = &self.memory.module.functions[writer.at.function];
        let Some(&pointer) = body.operands_of(writer.at.call).get(1) else { return false };
        let targets = self.memory.addresses.targets(writer.at.function, pointer);
        let Some(size) = self.memory.layout.size(ty).filter(|_| !targets.is_unknown) else { return false };
        let own = targets.known.iter().filter(|target| target.object == id);
        own.map(|target| target.offsets.apart(size, asked, asked_size))
            .all(|apart| matches!(apart, Some(Apart::ByIndex | Apart::Always)))
    }

    /// Whether a call only gives memory back.
    fn only_frees(&self, writer: &Writer) -> bool {
        let Written::Argument(position) = writer.what else { return false };
        let effect = self.effect(writer.at.function, writer.at.call);
        effect.is_some_and(|effect| {
            effect.touches_of(position).filter(|t| t.how.writes()).all(|t| t.how == Touching::Frees)
        })
    }
}

impl MemoryQueries for ModuleMemory<'_> {
    fn arguments_stay(&self) -> bool {
        *self.arguments_stay.get_or_init(|| memory::arguments::arguments_stay(self.memory))
    }

    fn points_to(&self, function: FunctionId, pointer: Value) -> PointsTo {
        let targets = self.memory.addresses.targets(function, pointer);
        let known = targets.known.iter().filter_map(|target| {
            Some(PointerTarget { object: self.object(target.object)?, offset: target.offsets.as_exact() })
        });
        PointsTo { targets: known.collect(), is_complete: !targets.is_unknown }
    }

    fn writers(&self, cell: Cell) -> Writers {
        self.writers_at(cell.object, &[Offsets::exact(cell.offset)], cell.size)
    }

    fn element_writers(&self, function: FunctionId, pointer: Value, object: Object, size: u64) -> Writers {
        let targets = self.memory.addresses.targets(function, pointer);
        let own = targets.known.iter().filter(|target| self.object(target.object) == Some(object));
        let offsets: Vec<Offsets> = own.map(|target| target.offsets).collect();
        match offsets.is_empty() || targets.is_unknown {
            true => self.writers_at(object, &[Offsets::ANY], size),
            false => self.writers_at(object, &offsets, size),
        }
    }

    fn size(&self, object: Object) -> Option<u64> {
        match object {
            Object::Copy(function, position) => {
                let function = &self.memory.module.functions[function];
                self.memory.layout.size(function.parameter_facts.get(position as usize)?.byval?)
            }
            _ => self.memory.addresses.objects().size(self.object_id(object)?),
        }
    }

    fn callees(&self, function: FunctionId, call: InstructionId) -> Callees {
        let body = &self.memory.module.functions[function];
        let reaches = |effect: Cow<'_, Effect>| effect.reaches_others || effect.synchronises;
        let may_call_back = self.memory.externals.calls_by_name(body, call)
            || self.effect(function, call).is_some_and(reaches);
        let Some(known) = self.memory.addresses.callees(function, call) else {
            return Callees { may_call_back, ..Callees::default() };
        };
        let mut functions = known.functions.clone();
        functions.extend(known.callbacks.iter().map(|&(callee, _)| callee));
        functions.dedup();
        let is_direct = matches!(body.call(call).map(|call| call.callee), Some(CalleeRef::Function(_)));
        let may_be_others = known.is_open;
        Callees { functions, is_direct, may_be_others, may_call_back: may_call_back || may_be_others }
    }

    fn is_program(&self) -> bool {
        self.memory.roots.world == World::Closed && self.memory.roots.main.is_some()
    }

    fn callers(&self, function: FunctionId) -> Callers {
        let roots = &self.memory.roots;
        let (sites, by_itself) = (self.sites[function].clone(), self.later[function]);
        let is_start = roots.main == Some(function);
        let is_constructor = roots.constructors.contains(&function);
        let from_outside = self.memory.addresses.is_called_from_outside(function)
            || roots.called_from_outside.contains(function);
        // What a program keeps though nobody calls it is there for others.
        let is_left = sites.is_empty() && !is_start && !is_constructor && !by_itself;
        Callers { sites, is_start, is_constructor, from_outside: from_outside || is_left, by_itself }
    }

    fn effect(&self, function: FunctionId, call: InstructionId) -> Option<Cow<'_, Effect>> {
        let code = &self.memory.module.functions[function];
        match code.call(call)?.callee {
            CalleeRef::Declaration(declaration) => {
                Some(self.memory.externals.effect(code, call, declaration))
            }
            _ => None,
        }
    }
}
