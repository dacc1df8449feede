//! Which memory may instructions write, by the addresses of the module?
//!
//! What a store, a call or an atomic operation may change, as what has to be forgotten. With `reads`
//! that fail, calls that bring input write nothing. Cost: the effects of a call. Limit: what a call
//! writes with a length that is no constant is taken to the end of the object.

use opcost_analysis::dependence::Reads;
use opcost_analysis::memory::addresses::TargetsId;
use opcost_analysis::memory::addresses::{AddressTarget, Offsets, Reach};
use opcost_analysis::memory::calls::Caller;
use opcost_analysis::memory::summaries::{Footprint, Span};
use opcost_analysis::memory::{Apart, MemoryModel, ObjectId};
use opcost_index::Id;
use opcost_ir::{CalleeRef, ConstantValue, Opcode, Value};
use opcost_key::{FunctionId, InstructionId};
use opcost_library::effect::{Effect, Extent, Origin, Touching};
use rustc_hash::FxHashMap as HashMap;

use super::memory::Memory;

/// Memory that may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Write {
    /// So many bytes where a pointer points.
    Targets(TargetsId, u64),
    /// What a function of the module writes, with all that it calls.
    Function(FunctionId),
    /// All that escaped, from now on at any time; and what functions write that others may call back.
    Wild,
}

/// Writes of the functions of a program.
pub(super) struct WritesOf<'a> {
    model: &'a MemoryModel<'a>,
    reads: Reads,
    /// What functions write, object by object.
    spans: HashMap<Caller, Vec<(ObjectId, Vec<Span>)>>,
}

impl<'a> WritesOf<'a> {
    pub(super) fn new(model: &'a MemoryModel<'a>, reads: Reads) -> WritesOf<'a> {
        WritesOf { model, reads, spans: HashMap::default() }
    }

    fn footprint(&self, of: Caller) -> &'a Footprint {
        &self.model.summaries.of(of).writes
    }

    /// Forgets what is written.
    pub(super) fn blur(&mut self, memory: &mut Memory, write: Write) {
        let model = self.model;
        match write {
            Write::Targets(targets, size) => {
                memory.blur_targets(model, model.addresses.answer(targets), size);
            }
            Write::Wild => self.blur_all(memory, model.calls.outside()),
            Write::Function(id) => self.blur_all(memory, Caller::new(id.index())),
        }
    }

    /// Forgets what code writes, with all that it calls.
    fn blur_all(&mut self, memory: &mut Memory, of: Caller) {
        let (model, footprint) = (self.model, self.footprint(of));
        if footprint.is_everything {
            memory.forget(model);
            return;
        }
        if footprint.is_unknown {
            memory.become_wild(model);
        }
        for (object, spans) in self.spans_of(of) {
            for span in spans {
                let offsets = span.offsets.without_end();
                memory.blur_object(model, *object, Span { offsets, ..*span });
            }
        }
    }

    fn spans_of(&mut self, of: Caller) -> &[(ObjectId, Vec<Span>)] {
        let footprint = self.footprint(of);
        let objects = self.model.addresses.objects().len();
        self.spans.entry(of).or_insert_with(|| {
            let all = (0..objects).map(ObjectId::new);
            let touched = all.map(|object| (object, footprint.spans(object).to_vec()));
            touched.filter(|(_, spans)| !spans.is_empty()).collect()
        })
    }

    /// Whether a function and all that it calls leave these bytes alone.
    pub(super) fn leaves(&self, id: FunctionId, target: AddressTarget, size: u64) -> bool {
        self.leaves_alone(Caller::new(id.index()), target, size)
    }

    /// Whether all that a write may be leaves these bytes alone.
    pub(super) fn misses(&self, write: Write, target: AddressTarget, size: u64) -> bool {
        match write {
            Write::Targets(targets, length) => !self.model.addresses.may_touch(targets, length, target, size),
            Write::Function(id) => self.leaves(id, target, size),
            Write::Wild => self.leaves_alone(self.model.calls.outside(), target, size),
        }
    }

    fn leaves_alone(&self, code: Caller, target: AddressTarget, size: u64) -> bool {
        let targets = [target];
        let reach = Reach { known: &targets, is_unknown: false };
        let objects = self.model.addresses.objects();
        self.footprint(code).apart(objects, reach, size) == Some(Apart::Always)
    }

    /// What an instruction may write.
    pub(super) fn of(&self, id: FunctionId, at: InstructionId) -> Vec<Write> {
        let function = &self.model.module.functions[id];
        let instruction = &function.instructions[at];
        let operands = function.operands_of(at);
        let targets = |value: Value| self.model.addresses.targets_id(id, value);
        match instruction.opcode {
            Opcode::Store => {
                let size = instruction.second_type.and_then(|ty| self.model.layout.size(ty));
                vec![Write::Targets(targets(operands[1]), size.unwrap_or(u64::MAX))]
            }
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::VAArg => {
                vec![Write::Targets(targets(operands[0]), u64::MAX), Write::Wild]
            }
            Opcode::Fence => vec![Write::Wild],
            opcode if opcode.is_call() => self.of_call(id, at),
            // Code generation makes a call of the program's own function of it.
            _ if self.model.externals.calls_by_name(function, at) => vec![Write::Wild],
            _ => Vec::new(),
        }
    }

    fn of_call(&self, id: FunctionId, at: InstructionId) -> Vec<Write> {
        let function = &self.model.module.functions[id];
        let Some(call) = function.call(at) else { return vec![Write::Wild] };
        let mut writes = Vec::new();
        if let Some(callees) = self.model.addresses.callees(id, at) {
            writes.extend(callees.functions.iter().map(|&callee| Write::Function(callee)));
            writes.extend(callees.callbacks.iter().map(|&(callee, _)| Write::Function(callee)));
            if callees.is_open {
                writes.push(Write::Wild);
            }
        }
        if self.model.externals.calls_by_name(function, at) {
            writes.push(Write::Wild);
        }
        match call.callee {
            CalleeRef::Function(callee) => writes.push(Write::Function(callee)),
            CalleeRef::Indirect => {}
            CalleeRef::Assembly if call.is_empty_assembly => {}
            CalleeRef::Assembly => {
                let pointers = function.arguments_of(at).iter();
                writes.extend(
                    pointers
                        .map(|&value| Write::Targets(self.model.addresses.targets_id(id, value), u64::MAX)),
                );
                writes.push(Write::Wild);
            }
            CalleeRef::Declaration(declared) => {
                let effect = self.model.externals.effect(function, at, declared);
                self.of_effect(id, at, &effect, &mut writes);
            }
        }
        writes
    }

    fn of_effect(&self, id: FunctionId, at: InstructionId, effect: &Effect, writes: &mut Vec<Write>) {
        let function = &self.model.module.functions[id];
        let arguments = function.arguments_of(at);
        let addresses = &self.model.addresses;
        if effect.does_anything || effect.reaches_others || effect.synchronises {
            writes.push(Write::Wild);
        }
        for (position, &argument) in (0..).zip(arguments) {
            for touched in effect.touches_of(position).filter(|touched| self.writes(touched.how, id, at)) {
                let size = self.extent(arguments, touched.extent);
                writes.push(Write::Targets(addresses.targets_id(id, argument), size));
                if touched.is_deep {
                    writes.push(Write::Targets(addresses.behind(id, at, position), u64::MAX));
                }
            }
        }
        for copied in &effect.copies {
            if let Some(&to) = arguments.get(copied.to as usize) {
                let size = self.extent(arguments, copied.extent);
                writes.push(Write::Targets(addresses.targets_id(id, to), size));
            }
        }
    }

    /// Whether memory is another afterwards. A read that fails leaves it as it was.
    fn writes(&self, how: Touching, id: FunctionId, at: InstructionId) -> bool {
        match how {
            Touching::Input(Origin::StandardInput) => self.reads == Reads::Open,
            Touching::Input(Origin::Parameter(_)) => match self.reads {
                Reads::Open => true,
                Reads::OnlyText => self.may_read_text(id, at),
                Reads::Absent => false,
            },
            how => how.writes(),
        }
    }

    /// Whether a call of the library is, or may be, a read from text in memory.
    fn may_read_text(&self, id: FunctionId, at: InstructionId) -> bool {
        let function = &self.model.module.functions[id];
        let callee = |at: InstructionId| match function.call(at)?.callee {
            CalleeRef::Declaration(declared) => Some(&*self.model.module.declarations[declared].name),
            _ => None,
        };
        let Some(name) = callee(at) else { return true };
        if !name.starts_with("_FortranAio") {
            return name.contains("sscanf");
        }
        let Some(&Value::Instruction(begin)) = function.arguments_of(at).first() else { return true };
        !callee(begin).is_some_and(|name| {
            name.starts_with("_FortranAioBegin") && !name.starts_with("_FortranAioBeginInternal")
        })
    }

    /// Bytes that a table's extent is at a call.
    pub(super) fn extent(&self, arguments: &[Value], extent: Extent) -> u64 {
        let number = |position: u32| match arguments.get(position as usize) {
            Some(&Value::Constant(id)) => match self.model.module.constants[id].value {
                ConstantValue::Integer(value) => u64::try_from(value).ok(),
                _ => None,
            },
            _ => None,
        };
        let bytes = match extent {
            Extent::Unknown => None,
            Extent::Bytes(bytes) => Some(bytes),
            Extent::Parameter(position) => number(position),
            Extent::Product(left, right) => {
                number(left).zip(number(right)).and_then(|(l, r)| l.checked_mul(r))
            }
        };
        bytes.unwrap_or(u64::MAX)
    }
}

/// Where exactly in an object.
pub(super) fn target(object: ObjectId, offset: i64) -> AddressTarget {
    AddressTarget { object, offsets: Offsets::exact(offset) }
}
