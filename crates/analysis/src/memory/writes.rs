//! What in a function may write, and does it write to this place?
//!
//! A store is compared by its address's form first: the same form is a known
//! number of bytes away. Otherwise it is apart if its type tag says so, if one
//! of both is reached through a `noalias` parameter that the function does not
//! keep and the other is not, or by the objects that both may point to. A call
//! is compared by the footprints of what it calls. Whatever promise of the
//! source language an answer rests on is told (`Reasons`).
//!
//! Input: a function and what is known of its module. Output: `Verdict` for
//! pairs of a write and a place. Cost: constant for a store; for a call, the
//! spans of its footprints, once for all calls of the same functions.

use opcost_index::{Id, reverse_postorder};
use opcost_ir::{CalleeRef, Flags, Function, Opcode, TagId, TypeId, Value};
use opcost_key::{BlockId, FunctionId, InstructionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::addresses::{Apart, Offsets, Reach, Target, TargetsId, Where, gcd};
use super::calls::{caller, waits};
use super::external::arguments_of;
use super::forms::{Address, Forms, Root};
use super::summaries::Summary;
use super::whole::Memory;
use crate::dominators::Dominators;

/// A place in memory that loads of one type read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// Where it is.
    pub address: Address,
    /// What is read there.
    pub ty: TypeId,
    /// Under which type tag.
    pub tag: Option<TagId>,
    /// What its pointer may point to.
    pub reach: Where,
}

/// An instruction that may write.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) at: InstructionId,
    pub(crate) block: BlockId,
    kind: WriteKind,
}

#[derive(Clone, Debug)]
enum WriteKind {
    Store(Stored),
    /// A call, a fence, an atomic operation: what it writes, in parts.
    Call {
        own: Summary,
        called: Vec<super::calls::Caller>,
        twice: bool,
        /// Calls of one class do the same to a place, if what they are given
        /// does not matter.
        class: Option<u32>,
    },
}

#[derive(Clone, Copy, Debug)]
struct Stored {
    address: Address,
    targets: TargetsId,
    value: Value,
    ty: Option<TypeId>,
    size: u64,
    tag: Option<TagId>,
    is_plain: bool,
}

/// What a write does to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing, for these reasons.
    No(Reasons),
    /// Stores this value there, and nothing else.
    Exactly(Value),
    /// Something, perhaps.
    Perhaps,
}

/// Promises of the source language that "no" rests on, as a set of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reasons(pub(crate) u8);

impl Reasons {
    pub(crate) const NONE: Reasons = Reasons(0);
    const TYPE: Reasons = Reasons(1);
    const NOALIAS: Reasons = Reasons(2);
    const INDEX: Reasons = Reasons(4);

    pub(crate) fn and(self, other: Reasons) -> Reasons {
        Reasons(self.0 | other.0)
    }

    /// The reasons in words.
    pub(crate) fn words(self) -> &'static [&'static str] {
        const TYPE: &str = "no alias by type";
        const NOALIAS: &str = "no alias through noalias parameters";
        const INDEX: &str = "indices stay inside their array";
        const ALL: [&[&str]; 8] = [
            &[],
            &[TYPE],
            &[NOALIAS],
            &[TYPE, NOALIAS],
            &[INDEX],
            &[TYPE, INDEX],
            &[NOALIAS, INDEX],
            &[TYPE, NOALIAS, INDEX],
        ];
        ALL[usize::from(self.0 & 7)]
    }
}

/// A place that all writes are asked about, and what was found on the way.
pub(crate) struct Asked<'p> {
    place: &'p Place,
    size: u64,
    reach: Reach<'p>,
    root: Root,
    /// The parameter through which alone it is reached.
    parameter: Option<u32>,
    /// By tag of a store: whether they may overlap by type.
    by_tag: FxHashMap<TagId, bool>,
    /// By class of calls.
    by_class: FxHashMap<u32, Verdict>,
}

/// The writes of a function.
pub(crate) struct Writes<'a> {
    memory: &'a Memory<'a>,
    function: FunctionId,
    pub(crate) list: Vec<Write>,
    /// `noalias` parameters that the function keeps no copy of.
    kept_apart: Vec<bool>,
    /// Calls that get a pointer made from such a parameter.
    passed: FxHashSet<(u32, InstructionId)>,
    /// Classes of calls, by what they may call.
    classes: FxHashMap<Vec<super::calls::Caller>, u32>,
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

    /// A question about `size` bytes at a place; none if nothing writes there.
    pub(crate) fn ask<'p>(&'p self, place: &'p Place, size: u64, forms: &Forms<'_>) -> Option<Asked<'p>> {
        let reach = self.memory.addresses.reach(&place.reach);
        let is_constant = |target: &Target| self.memory.is_constant(target.object);
        if !reach.is_unknown && reach.known.iter().all(is_constant) {
            return None;
        }
        let root = forms.form(place.address.form).root;
        let parameter = self.parameter_kept_apart(root);
        let (by_tag, by_class) = (FxHashMap::default(), FxHashMap::default());
        Some(Asked { place, size, reach, root, parameter, by_tag, by_class })
    }

    /// What a write does to the place.
    pub(crate) fn verdict(&self, write: &Write, asked: &mut Asked<'_>, forms: &Forms<'_>) -> Verdict {
        match &write.kind {
            WriteKind::Store(stored) => self.store(stored, asked, forms),
            // What was done between both returns of a setjmp is behind it too.
            WriteKind::Call { twice: true, .. } => Verdict::Perhaps,
            WriteKind::Call { own, called, class: Some(class), .. } if asked.parameter.is_none() => {
                if let Some(&known) = asked.by_class.get(class) {
                    return known;
                }
                let verdict = self.called(write.at, own, called, asked);
                asked.by_class.insert(*class, verdict);
                verdict
            }
            WriteKind::Call { own, called, .. } => self.called(write.at, own, called, asked),
        }
    }

    fn store(&self, stored: &Stored, asked: &mut Asked<'_>, forms: &Forms<'_>) -> Verdict {
        let (place, size) = (asked.place, asked.size);
        let is_same_kind = stored.ty == Some(place.ty) && stored.is_plain;
        if stored.address.form == place.address.form {
            let distance = stored.address.offset.wrapping_sub(place.address.offset);
            return match distance {
                0 if is_same_kind => Verdict::Exactly(stored.value),
                _ if is_apart(distance, stored.size, size) => Verdict::No(Reasons::NONE),
                _ => Verdict::Perhaps,
            };
        }
        if self.are_strides_apart(stored, asked, forms) {
            return Verdict::No(Reasons::NONE);
        }
        let addresses = &self.memory.addresses;
        let there = Where::Answer(stored.targets);
        let (there, here) = (addresses.reach(&there), asked.reach);
        let apart = addresses.apart(there, stored.size, here, size);
        if apart == Some(Apart::Always) {
            return Verdict::No(Reasons::NONE);
        }
        if !self.may_overlap_by_type(stored.tag, asked) {
            return Verdict::No(Reasons::TYPE);
        }
        if self.are_kept_apart(forms.form(stored.address.form).root, asked) {
            return Verdict::No(Reasons::NOALIAS);
        }
        if apart == Some(Apart::ByIndex) {
            return Verdict::No(Reasons::INDEX);
        }
        match there.single() {
            Some((object, offset))
                if here.single() == Some((object, offset))
                    && is_same_kind
                    && self.memory.is_single(object) =>
            {
                Verdict::Exactly(stored.value)
            }
            _ => Verdict::Perhaps,
        }
    }

    fn may_overlap_by_type(&self, tag: Option<TagId>, asked: &mut Asked<'_>) -> bool {
        let Some((stored, read)) = tag.zip(asked.place.tag) else { return true };
        let overlap = || self.memory.module.may_overlap_by_type(stored, read);
        *asked.by_tag.entry(stored).or_insert_with(overlap)
    }

    /// Whether addresses from one root are apart whatever their indices are.
    fn are_strides_apart(&self, stored: &Stored, asked: &Asked<'_>, forms: &Forms<'_>) -> bool {
        let (place, size) = (asked.place, asked.size);
        let left = forms.form(stored.address.form);
        if left.root != asked.root {
            return false;
        }
        let right = forms.form(place.address.form);
        let step = |form: &super::forms::Form| form.terms.iter().fold(0, |step, term| gcd(step, term.scale));
        let from = |offset: i64, step: u64| match step {
            0 => Offsets::exact(offset),
            _ => Offsets::every(offset, step),
        };
        // Modulo the width of an address only powers of two are kept.
        let power = |step: u64| if step == 0 { 0 } else { 1 << step.trailing_zeros() };
        let one = from(stored.address.offset, power(step(left)));
        let other = from(place.address.offset, power(step(right)));
        one.apart(stored.size, other, size) == Some(Apart::Always)
    }

    /// Whether one is reached through a parameter that nothing else leads to.
    fn are_kept_apart(&self, stored: Root, asked: &Asked<'_>) -> bool {
        (asked.parameter.is_some() && !self.may_be_based(stored, asked.root))
            || (self.parameter_kept_apart(stored).is_some() && !self.may_be_based(asked.root, stored))
    }

    fn parameter_kept_apart(&self, root: Root) -> Option<u32> {
        match root {
            Root::Value(Value::Argument(position)) => {
                self.kept_apart.get(position as usize).is_some_and(|&is| is).then_some(position)
            }
            _ => None,
        }
    }

    /// Whether an address with this root may be made from a parameter of which
    /// no copy is kept.
    fn may_be_based(&self, root: Root, parameter: Root) -> bool {
        let body = &self.memory.module.functions[self.function];
        match root {
            Root::Object(_) | Root::Held(..) => false,
            Root::Value(Value::Instruction(at)) => !matches!(
                body.instructions[at].opcode,
                Opcode::Alloca | Opcode::Load | Opcode::Call | Opcode::Invoke
            ),
            Root::Value(Value::Argument(_)) => root == parameter,
            Root::Value(_) => false,
        }
    }

    fn called(
        &self,
        at: InstructionId,
        own: &Summary,
        called: &[super::calls::Caller],
        asked: &Asked<'_>,
    ) -> Verdict {
        let Asked { reach, size, parameter, .. } = *asked;
        let is_passed = |position| self.passed.contains(&(position, at));
        let objects = self.memory.addresses.objects();
        let parts = std::iter::once(&own.writes)
            .chain(called.iter().map(|&callee| &self.memory.summaries.of(callee).writes));
        let mut reasons = Reasons::NONE;
        for footprint in parts {
            reasons = match footprint.apart(objects, reach, size) {
                Some(Apart::Always) => reasons,
                Some(Apart::ByIndex) => reasons.and(Reasons::INDEX),
                None if parameter.is_some_and(|position| !is_passed(position)) => {
                    reasons.and(Reasons::NOALIAS)
                }
                None => return Verdict::Perhaps,
            };
        }
        Verdict::No(reasons)
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

/// Whether `size` bytes at so many bytes from `other` bytes do not touch them.
fn is_apart(distance: i64, size: u64, other: u64) -> bool {
    let (distance, size, other) = (i128::from(distance), i128::from(size), i128::from(other));
    distance >= other || distance + size <= 0
}
