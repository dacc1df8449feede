//! What in a function may write, and where do pointers from `noalias`
//! parameters go?
//!
//! Stores by the form of their address and what it may point to; calls, fences
//! and atomic operations by the footprints of what they call. A parameter that
//! is `noalias` is kept apart as long as the function keeps no copy of a pointer
//! made from it; which calls get one is noted.
//!
//! Input: a function and what is known of its module. Output: [`Writes`], in the
//! order of blocks and positions. Cost: linear in the function.

use opcost_index::{Id, reverse_postorder};
use opcost_ir::{CalleeRef, Flags, Function, Opcode, TagId, TypeId, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::addresses::TargetsId;
use super::calls::{Caller, caller, waits};
use super::external::arguments_of;
use super::forms::{Address, Forms};
use super::summaries::Summary;
use super::whole::Memory;
use crate::dominators::Dominators;

/// An instruction that may write.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) at: InstructionId,
    pub(crate) block: BlockId,
    pub(super) kind: WriteKind,
}

#[derive(Clone, Debug)]
pub(super) enum WriteKind {
    Store(Stored),
    /// A call, a fence, an atomic operation: what it writes, in parts.
    Call {
        own: Summary,
        called: Vec<Caller>,
        twice: bool,
        /// Calls of one class do the same to a place, if what they are given
        /// does not matter.
        class: Option<u32>,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) address: Address,
    pub(super) targets: TargetsId,
    pub(super) value: Value,
    pub(super) ty: Option<TypeId>,
    pub(super) size: u64,
    pub(super) tag: Option<TagId>,
    pub(super) is_plain: bool,
}
/// The writes of a function.
pub(crate) struct Writes<'a> {
    pub(super) memory: &'a Memory<'a>,
    pub(super) function: FunctionId,
    pub(crate) list: Vec<Write>,
    /// `noalias` parameters that the function keeps no copy of.
    pub(super) kept_apart: Vec<bool>,
    /// Calls that get a pointer made from such a parameter.
    pub(super) passed: FxHashSet<(u32, InstructionId)>,
    /// Classes of calls, by what they may call.
    classes: FxHashMap<Vec<Caller>, u32>,
}

impl<'a> Writes<'a> {
    pub(crate) fn new(memory: &'a Memory<'a>, function: FunctionId) -> Self {
        let body = &memory.module.functions[function];
        let mut writes = Writes {
            memory,
            function,
            list: Vec::new(),
            kept_apart: Vec::new(),
            passed: FxHashSet::default(),
            classes: FxHashMap::default(),
        };
        writes.follow_parameters(body);
        writes
    }

    /// Lists those that can be reached again, with the addresses that `forms`
    /// has now; by block and position.
    pub(crate) fn collect(&mut self, forms: &mut Forms<'_>, dominators: &Dominators<BlockId>) {
        let body = &self.memory.module.functions[self.function];
        self.list.clear();
        for block in body.blocks.ids().filter(|&block| dominators.is_reachable(block)) {
            for at in body.instructions_of(block) {
                if let Some(kind) = self.kind(body, at, forms) {
                    self.list.push(Write { at, block, kind });
                }
            }
        }
    }

    fn kind(&mut self, body: &Function, at: InstructionId, forms: &mut Forms<'_>) -> Option<WriteKind> {
        let instruction = &body.instructions[at];
        let operands = body.operands_of(at);
        match instruction.opcode {
            Opcode::Store => Some(WriteKind::Store(Stored {
                address: forms.address(operands[1]),
                targets: self.memory.addresses.targets_id(self.function, operands[1]),
                value: operands[0],
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

    fn waiting(&self, opcode: Opcode, operands: &[Value], waits: bool) -> WriteKind {
        let mut own = Summary::default();
        if opcode != Opcode::Load
            && let Some(&pointer) = operands.first()
        {
            let targets = self.memory.addresses.targets_id(self.function, pointer);
            own.writes.add(&self.memory.addresses, targets, u64::MAX);
        }
        let called = if waits { vec![self.memory.calls.outside()] } else { Vec::new() };
        WriteKind::Call { own, called, twice: false, class: None }
    }

    fn call(&mut self, body: &Function, at: InstructionId) -> Option<WriteKind> {
        let call = body.call(at)?;
        if !call.memory.may_write() && !call.returns_twice {
            return None;
        }
        let mut own = Summary::default();
        let mut called = Vec::new();
        self.memory.own().call(self.function, body, at, false, &mut own);
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
        called.sort_unstable();
        called.dedup();
        let is_silent = own.writes.is_empty() && called.is_empty() && !call.returns_twice;
        let twice = call.returns_twice;
        let class = (own.writes.is_empty() && !twice).then(|| {
            let next = self.classes.len() as u32;
            *self.classes.entry(called.clone()).or_insert(next)
        });
        (!is_silent).then_some(WriteKind::Call { own, called, twice, class })
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
        if position >= arguments_of(body, at).len() {
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
                        super::effects::ResultKind::Parameter(given)
                        | super::effects::ResultKind::Inside(given)
                        | super::effects::ResultKind::Moved(given) => given == number,
                        _ => false,
                    };
                    return !effect.keeps(number) && !gives && effect.callbacks.is_empty();
                }
                module.declarations[callee].parameter_facts.get(position)
            }
            _ => None,
        };
        facts.is_some_and(|facts| facts.is_nocapture)
    }
}
