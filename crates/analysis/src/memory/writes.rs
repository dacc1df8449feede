//! What in a function may write, and where do pointers from `noalias`
//! parameters go?
//!
//! Stores by the form of their address and what it may point to; calls, fences
//! and atomic operations by the footprints of what they call. A parameter that
//! is `noalias` is kept apart as long as the function keeps no copy of a pointer
//! made from it; which calls get one is noted.
//!
//! Input: a function and what is known of its module. Output: [`Writes`], in the
//! order of blocks and positions, with what they have in common once, as classes.
//! Cost: linear in the function.

use opcost_index::{Id, IdMap, reverse_postorder};
use opcost_ir::{CalleeRef, Flags, Function, Opcode, TagId, TypeId, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::addresses::TargetsId;
use super::calls::{Caller, caller, waits};
use super::forms::{Address, Forms};
use super::summaries::Summary;
use super::whole::MemoryModel;
use opcost_graph::dominators::Dominators;

/// An instruction that may write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryWrite {
    pub(crate) at: InstructionId,
    pub(crate) block: BlockId,
    /// What a store writes.
    pub(crate) value: Option<Value>,
    pub(super) class: ClassId,
}

opcost_index::define_id!(
    /// Writes that do the same to any place, but for the value that they store
    /// and for what calls are given.
    pub(super) struct ClassId, "class"
);

#[derive(Clone, Debug)]
pub(super) enum Class {
    Store(Stored),
    /// A call, a fence, an atomic operation: what it writes, in parts.
    Call {
        own: Summary,
        called: Vec<Caller>,
        twice: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stored {
    pub(super) address: Address,
    pub(super) targets: TargetsId,
    pub(super) ty: Option<TypeId>,
    pub(super) size: u64,
    pub(super) tag: Option<TagId>,
    pub(super) is_plain: bool,
}
/// The writes of a function.
pub(crate) struct Writes<'a> {
    pub(super) memory: &'a MemoryModel<'a>,
    pub(super) function: FunctionId,
    pub(crate) list: Vec<MemoryWrite>,
    pub(super) classes: IdMap<ClassId, Class>,
    /// `noalias` parameters that the function keeps no copy of.
    pub(super) kept_apart: Vec<bool>,
    /// Calls that get a pointer made from such a parameter.
    pub(super) passed: FxHashSet<(u32, InstructionId)>,
}

/// Numbers of classes that more than one write may be of.
#[derive(Default)]
struct Known {
    stores: FxHashMap<Stored, ClassId>,
    /// By what they may call, of calls that write nothing themselves.
    calls: FxHashMap<Vec<Caller>, ClassId>,
}

impl<'a> Writes<'a> {
    pub(crate) fn new(memory: &'a MemoryModel<'a>, function: FunctionId) -> Self {
        let body = &memory.module.functions[function];
        let mut writes = Writes {
            memory,
            function,
            list: Vec::new(),
            classes: IdMap::new(),
            kept_apart: Vec::new(),
            passed: FxHashSet::default(),
        };
        writes.follow_parameters(body);
        writes
    }

    /// Lists those that can be reached again, with the addresses that `forms`
    /// has now; by block and position.
    pub(crate) fn collect(&mut self, forms: &mut Forms<'_>, dominators: &Dominators<BlockId>) {
        let body = &self.memory.module.functions[self.function];
        self.list.clear();
        self.classes = IdMap::new();
        let mut known = Known::default();
        for block in body.blocks.ids().filter(|&block| dominators.is_reachable(block)) {
            for at in body.instructions_of(block) {
                if let Some(class) = self.class(body, at, forms) {
                    let is_store = matches!(class, Class::Store(_));
                    let value = is_store.then(|| body.operands_of(at)[0]);
                    let class = self.number(class, &mut known);
                    self.list.push(MemoryWrite { at, block, value, class });
                }
            }
        }
    }

    fn number(&mut self, class: Class, known: &mut Known) -> ClassId {
        match &class {
            Class::Store(stored) => *known.stores.entry(*stored).or_insert_with(|| self.classes.push(class)),
            Class::Call { own, called, twice: false } if own.writes.is_empty() => {
                if let Some(&number) = known.calls.get(called) {
                    return number;
                }
                let called = called.clone();
                *known.calls.entry(called).or_insert_with(|| self.classes.push(class))
            }
            Class::Call { .. } => self.classes.push(class),
        }
    }

    fn class(&self, body: &Function, at: InstructionId, forms: &mut Forms<'_>) -> Option<Class> {
        let instruction = &body.instructions[at];
        let operands = body.operands_of(at);
        if !instruction.opcode.is_call() && self.memory.externals.calls_by_name(body, at) {
            let called = vec![self.memory.calls.outside()];
            return Some(Class::Call { own: Summary::default(), called, twice: false });
        }
        match instruction.opcode {
            Opcode::Store => Some(Class::Store(Stored {
                address: forms.address(operands[1]),
                targets: self.memory.addresses.targets_id(self.function, operands[1]),
                ty: instruction.second_type,
                size: instruction.second_type.and_then(|ty| self.memory.layout.size(ty)).unwrap_or(u64::MAX),
                tag: instruction.tag,
                is_plain: !instruction.flags.has(Flags::VOLATILE) && !instruction.flags.has(Flags::ATOMIC),
            })),
            Opcode::VAArg | Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::Fence | Opcode::Load => {
                let is_quiet = instruction.opcode != Opcode::VAArg && !waits(instruction);
                (!is_quiet).then(|| self.waiting(instruction.opcode, operands, waits(instruction)))
            }
            opcode if opcode.is_call() => self.call(body, at),
            _ => None,
        }
    }

    fn waiting(&self, opcode: Opcode, operands: &[Value], waits: bool) -> Class {
        let mut own = Summary::default();
        if opcode != Opcode::Load
            && let Some(&pointer) = operands.first()
        {
            let targets = self.memory.addresses.targets_id(self.function, pointer);
            own.writes.add(&self.memory.addresses, targets, u64::MAX);
        }
        let called = if waits { vec![self.memory.calls.outside()] } else { Vec::new() };
        Class::Call { own, called, twice: false }
    }

    fn call(&self, body: &Function, at: InstructionId) -> Option<Class> {
        let call = body.call(at)?;
        let calls_by_name = self.memory.externals.calls_by_name(body, at);
        if !call.memory.may_write() && !call.returns_twice && !calls_by_name {
            return None;
        }
        let mut own = Summary::default();
        let mut called = Vec::new();
        self.memory.own().call(self.function, at, false, &mut own);
        if let Some(callees) = self.memory.addresses.callees(self.function, at) {
            called.extend(callees.functions.iter().map(|&callee| caller(callee)));
            called.extend(callees.callbacks.iter().map(|&(callee, _)| caller(callee)));
            if callees.is_open {
                called.push(self.memory.calls.outside());
            }
        }
        if let CalleeRef::Declaration(declared) = call.callee {
            let effect = self.memory.externals.effect(body, at, declared);
            if effect.reaches_others || effect.synchronises {
                called.push(self.memory.calls.outside());
            }
        }
        if calls_by_name {
            called.push(self.memory.calls.outside());
        }
        called.sort_unstable();
        called.dedup();
        let is_silent = own.writes.is_empty() && called.is_empty() && !call.returns_twice;
        (!is_silent).then_some(Class::Call { own, called, twice: call.returns_twice })
    }

    /// Where pointers made from `noalias` parameters go.
    fn follow_parameters(&mut self, body: &Function) {
        let is_noalias =
            |position: usize| body.parameter_facts.get(position).is_some_and(|facts| facts.is_noalias);
        self.kept_apart = (0..body.parameters as usize).map(is_noalias).collect();
        if !self.kept_apart.contains(&true) {
            return;
        }
        // From which parameter each result is made. In this order definitions
        // come before their uses, but at phis, which keep.
        let mut made_from: Vec<Option<u32>> = vec![None; body.instructions.len()];
        for block in reverse_postorder(body, BlockId::new(0)) {
            for at in body.instructions_of(block) {
                self.follow(body, at, &mut made_from);
            }
        }
    }

    fn follow(&mut self, body: &Function, at: InstructionId, made_from: &mut [Option<u32>]) {
        let opcode = body.instructions[at].opcode;
        for (position, &operand) in body.operands_of(at).iter().enumerate() {
            let parameter = match operand {
                Value::Argument(parameter) => Some(parameter),
                Value::Instruction(from) => made_from[from.index()],
                _ => None,
            };
            let Some(parameter) = parameter.filter(|&p| self.kept_apart.get(p as usize) == Some(&true))
            else {
                continue;
            };
            match opcode {
                Opcode::GetElementPtr | Opcode::BitCast if position == 0 => {
                    made_from[at.index()] = Some(parameter);
                }
                Opcode::Load | Opcode::ICmp => {}
                Opcode::Store if position == 1 => {}
                opcode if opcode.is_call() && self.is_only_lent(body, at, position) => {
                    self.passed.insert((parameter, at));
                }
                _ => self.kept_apart[parameter as usize] = false,
            }
        }
    }

    /// Whether the callee keeps no copy of an argument, and gives none back.
    fn is_only_lent(&self, body: &Function, at: InstructionId, position: usize) -> bool {
        if position >= body.arguments_of(at).len() {
            return false;
        }
        let module = self.memory.module;
        let facts = match body.call(at).map(|call| call.callee) {
            Some(CalleeRef::Function(callee)) => module.functions[callee].parameter_facts.get(position),
            Some(CalleeRef::Declaration(callee)) => {
                if self.memory.externals.is_known(callee) {
                    let effect = self.memory.externals.effect(body, at, callee);
                    let number = position as u32;
                    let gives = match effect.result {
                        opcost_library::effect::ResultKind::Parameter(given)
                        | opcost_library::effect::ResultKind::Inside(given)
                        | opcost_library::effect::ResultKind::Moved(given) => given == number,
                        _ => false,
                    };
                    return !effect.retains(number) && !gives && effect.callbacks.is_empty();
                }
                module.declarations[callee].parameter_facts.get(position)
            }
            _ => None,
        };
        facts.is_some_and(|facts| facts.is_nocapture)
    }
}
