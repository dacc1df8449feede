//! What decides a value, one step back?
//!
//! Registers: the operands (`direct_solve` of the document). Memory: whatever
//! the rules find, each in turn for what those before it left (`deep_solve`).
//! Parameters: what is passed at the call that led here, or at every call.
//! Calls: what the function gives back.

use opcost_ir::{ConstantValue, Flags, Opcode, ScalarValue, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

use super::RuleSet;
use super::build::{Builder, Expansion, Question};
use super::calls::returns_of;
use super::contexts::ContextId;
use super::explanation::{Argument, Certainty, Elements, Input, Reason, What};
use super::memory::{Cell, Memory, Object};
use super::places::{IndexedWay, Placed};
use super::reaching::{Definition, Origin, Point};

/// Whether an access may not be looked through.
pub(super) fn is_opaque(flags: Flags) -> bool {
    flags.has(Flags::VOLATILE) || flags.has(Flags::ATOMIC)
}

/// A value of a function, under a context.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) function: FunctionId,
    pub(super) id: InstructionId,
    pub(super) context: ContextId,
}

impl<M: Memory> Builder<'_, '_, M> {
    /// One step back.
    pub(super) fn expand(&mut self, question: &Question) -> Expansion {
        match question {
            Question::Leaf(what, ty) => Expansion { ty: *ty, ..Expansion::leaf(what.clone()) },
            &Question::Read(input, context, ty) => {
                let mut expansion = self.read(input, context);
                expansion.ty = Some(ty);
                expansion
            }
            &Question::Cell(point, cell, is_own, ty) => {
                let mut expansion = self.cell(point, cell, is_own, ty);
                expansion.ty = Some(ty);
                expansion
            }
            &Question::Value(function, value, context) => {
                let ty = self.type_of(function, value);
                let mut expansion = match value {
                    Value::Constant(id) => Expansion::leaf(self.constant(id)),
                    Value::Function(_) | Value::Declaration(_) => Expansion::leaf(What::Code(value)),
                    Value::Argument(position) => self.parameter(function, position, context),
                    Value::Instruction(id) => self.instruction(Spot { function, id, context }),
                    Value::Block(_) => Expansion::leaf(What::Undefined),
                };
                expansion.ty = expansion.ty.or(ty);
                expansion
            }
        }
    }

    fn constant(&self, id: opcost_ir::ConstantId) -> What {
        let constant = &self.search.shared.module.constants[id];
        self.constant_value(constant.value, constant.ty).unwrap_or_else(|| What::Text(constant.text.clone()))
    }

    pub(super) fn constant_value(&self, value: ConstantValue, ty: TypeId) -> Option<What> {
        Some(match value {
            ConstantValue::Integer(value) => {
                let bits = self.search.shared.layout.bits(ty).unwrap_or(128) as u32;
                What::Integer { value, bits }
            }
            ConstantValue::Float(bits) => What::Float(bits),
            ConstantValue::Null => What::Null,
            ConstantValue::Undef | ConstantValue::Poison => What::Undefined,
            ConstantValue::Zero => What::Text("0".into()),
            ConstantValue::Global { global, offset } => What::Address(Object::Global(global), offset),
            ConstantValue::Other => return None,
        })
    }

    fn parameter(&mut self, function: FunctionId, position: u32, context: ContextId) -> Expansion {
        let shared = self.search.shared;
        let what = What::Parameter(function, position);
        let top = shared.contexts.borrow().top(context);
        let passed = |caller, call, parent| match shared.passed(function, position, caller, call) {
            Some(value) => Question::Value(caller, value, parent),
            None => Question::Leaf(What::Unknown(Reason::Callers(function)), None),
        };
        if let Some(frame) = top {
            let question = passed(frame.function, frame.call, frame.parent);
            let argument = Argument::Passed(frame.function, frame.call);
            let links = vec![(question, argument, Certainty::Definite)];
            return Expansion { what, ty: None, at: None, links };
        }
        let callers = &shared.calls.callers[function];
        let outside = || Expansion::leaf(What::Input(Input::Parameter(function, position)));
        let is_entered = callers.is_start || callers.from_outside;
        if callers.sites.is_empty() {
            return if is_entered { outside() } else { Expansion::unknown(Reason::Callers(function)) };
        }
        let mut links: Vec<_> = callers
            .sites
            .iter()
            .map(|site| {
                let question = passed(site.function, site.call, ContextId::empty());
                let certainty = if site.is_possible { Certainty::Possible } else { Certainty::Definite };
                (question, Argument::Passed(site.function, site.call), certainty)
            })
            .collect();
        if is_entered || callers.by_itself {
            let question = Question::Leaf(What::Input(Input::Parameter(function, position)), None);
            links.push((question, Argument::Content, Certainty::Outside));
        }
        Expansion { what, ty: None, at: None, links }
    }

    fn instruction(&mut self, spot: Spot) -> Expansion {
        let code = self.search.shared.function(spot.function);
        let at = Some((spot.function, spot.id));
        let instruction = &code.instructions[spot.id];
        match instruction.opcode {
            Opcode::Phi => self.phi(spot),
            Opcode::Load => self.load(spot),
            Opcode::Alloca => Expansion::leaf(What::Address(Object::Local(spot.function, spot.id), 0)),
            Opcode::LandingPad
            | Opcode::VAArg
            | Opcode::CatchPad
            | Opcode::CleanupPad
            | Opcode::CatchSwitch
            | Opcode::AtomicRMW
            | Opcode::AtomicCmpXchg => Expansion::unknown(Reason::Instruction(spot.function, spot.id)),
            opcode if opcode.is_call() => self.call(spot),
            _ => {
                let operands = (0..).zip(code.operands_of(spot.id));
                let links = operands.filter(|(_, value)| !matches!(value, Value::Block(_)));
                let link = |(position, &value): (u32, &Value)| {
                    let question = Question::Value(spot.function, value, spot.context);
                    (question, Argument::Operand(position), Certainty::Definite)
                };
                Expansion { what: What::Operation, ty: None, at, links: links.map(link).collect() }
            }
        }
    }

    fn phi(&mut self, spot: Spot) -> Expansion {
        let code = self.search.shared.function(spot.function);
        let own = Value::Instruction(spot.id);
        let mut links: Vec<(Question, Argument, Certainty)> = Vec::new();
        for pair in code.operands_of(spot.id).chunks_exact(2) {
            let (value, Value::Block(block)) = (pair[0], pair[1]) else { continue };
            let question = Question::Value(spot.function, value, spot.context);
            if value != own && !links.iter().any(|(known, ..)| *known == question) {
                links.push((question, Argument::From(block), Certainty::Definite));
            }
        }
        Expansion { what: What::Choice, ty: None, at: Some((spot.function, spot.id)), links }
    }

    /// Whatever the first rule finds that finds all; else what was found last.
    fn load(&mut self, spot: Spot) -> Expansion {
        let code = self.search.shared.function(spot.function);
        if is_opaque(code.instructions[spot.id].flags) {
            return Expansion::unknown(Reason::Volatile);
        }
        let mut last = None;
        for &rule in self.rules {
            let found = match rule {
                RuleSet::UseOnly => self.by_uses(spot),
                RuleSet::MemoryAnalysis => Some(self.by_memory(spot)),
                RuleSet::Profile => self.by_profile(spot),
                RuleSet::Full => Some(self.by_address(spot)),
            };
            let Some(found) = found else { continue };
            let is_solved = !matches!(found.what, What::Unknown(_))
                && !found.links.iter().any(|(question, ..)| is_unknown(question));
            if is_solved {
                return found;
            }
            // What is known in part is better than nothing, unless all is to be closed.
            if last.is_none() || rule != RuleSet::Full {
                last = Some(found);
            }
        }
        last.unwrap_or_else(|| Expansion::unknown(Reason::Memory(spot.function, spot.id)))
    }

    /// Full dependence: on the address, as if memory were no matter.
    fn by_address(&mut self, spot: Spot) -> Expansion {
        let code = self.search.shared.function(spot.function);
        let links = code.operands_of(spot.id).iter().take(1).map(|&value| {
            let question = Question::Value(spot.function, value, spot.context);
            (question, Argument::Address, Certainty::Definite)
        });
        let at = Some((spot.function, spot.id));
        Expansion { what: What::Operation, ty: None, at, links: links.collect() }
    }

    /// What was written to the bytes that are read.
    fn by_memory(&mut self, spot: Spot) -> Expansion {
        let shared = self.search.shared;
        let code = shared.function(spot.function);
        let ty = code.instructions[spot.id].ty;
        let (Some(&address), Some(size)) = (code.operands_of(spot.id).first(), shared.layout.size(ty)) else {
            return Expansion::unknown(Reason::Address(spot.function, spot.id));
        };
        let point = Point { function: spot.function, before: Some(spot.id), context: spot.context };
        match self.search.place(spot.function, address, spot.context) {
            Placed::At { object, offset, is_own } => {
                self.cell(point, Cell { object, offset, size }, is_own, ty)
            }
            Placed::Elements { object, way } => self.element(point, object, &way, ty),
            Placed::Parameter { function, .. } => {
                self.by_callers(spot, function).unwrap_or_else(|| self.several(spot, address, ty))
            }
            Placed::Foreign => {
                let question = Question::Value(spot.function, address, spot.context);
                let links = vec![(question, Argument::Address, Certainty::Outside)];
                Expansion { what: What::Foreign, ty: None, at: Some((spot.function, spot.id)), links }
            }
            Placed::Null => Expansion::leaf(What::Undefined),
            Placed::Several => self.several(spot, address, ty),
        }
    }

    /// The same load under each call of the outermost function that is known:
    /// each call passes a pointer of its own.
    fn by_callers(&mut self, spot: Spot, outermost: FunctionId) -> Option<Expansion> {
        let shared = self.search.shared;
        let callers = &shared.calls.callers[outermost];
        if shared.calls.recursive.contains(outermost) || callers.sites.is_empty() {
            return None;
        }
        let mut links = Vec::new();
        for site in &callers.sites {
            let context = self.under(spot.context, site.function, site.call)?;
            let question = Question::Value(spot.function, Value::Instruction(spot.id), context);
            let certainty = if site.is_possible { Certainty::Possible } else { Certainty::Definite };
            links.push((question, Argument::Passed(site.function, site.call), certainty));
        }
        if callers.from_outside || callers.is_start || callers.by_itself {
            let reason = Reason::Callers(outermost);
            links.push((Question::Leaf(What::Unknown(reason), None), Argument::Content, Certainty::Outside));
        }
        Some(Expansion { what: What::Choice, ty: None, at: Some((spot.function, spot.id)), links })
    }

    /// The context with one more call below the outermost.
    fn under(&self, context: ContextId, function: FunctionId, call: InstructionId) -> Option<ContextId> {
        let mut frames = Vec::new();
        let mut contexts = self.search.shared.contexts.borrow_mut();
        let mut at = context;
        while let Some(frame) = contexts.top(at) {
            frames.push(frame);
            at = frame.parent;
        }
        let mut made = contexts.enter(ContextId::empty(), function, call);
        for frame in frames.into_iter().rev() {
            made = contexts.enter(made, frame.function, frame.call);
        }
        (made != ContextId::empty()).then_some(made)
    }

    /// Each place that memory knows for the pointer.
    fn several(&mut self, spot: Spot, address: Value, ty: TypeId) -> Expansion {
        let shared = self.search.shared;
        let points_to = shared.memory.points_to(spot.function, address);
        let size = shared.layout.size(ty).unwrap_or(0);
        let point = Point { function: spot.function, before: Some(spot.id), context: spot.context };
        let unknown = Reason::Address(spot.function, spot.id);
        if points_to.targets.is_empty() {
            return Expansion::unknown(unknown);
        }
        let mut links = Vec::new();
        for target in &points_to.targets {
            let question = match (target.object, target.offset) {
                (Object::Outside, _) | (_, None) => Question::Leaf(What::Unknown(unknown), None),
                (object, Some(offset)) => Question::Cell(point, Cell { object, offset, size }, false, ty),
            };
            links.push((question, Argument::Content, Certainty::Possible));
        }
        if !points_to.is_complete {
            let question = Question::Leaf(What::Unknown(unknown), None);
            links.push((question, Argument::Content, Certainty::Outside));
        }
        Expansion { what: What::Choice, ty: None, at: Some((spot.function, spot.id)), links }
    }

    /// An element whose index is not known: the index, and all that is ever
    /// written to the array.
    fn element(&mut self, point: Point, object: Object, way: &IndexedWay, ty: TypeId) -> Expansion {
        let shared = self.search.shared;
        let reason = point.before.map(|at| Reason::Address(point.function, at));
        let unknown = || Expansion::unknown(reason.unwrap_or(Reason::Large));
        let Some(size) = shared.layout.size(ty) else { return unknown() };
        let Some(whole) = shared.memory.size(object) else { return unknown() };
        let stride = way.indices.first().map_or(size, |index| index.stride);
        let mut links: Vec<_> = (0..)
            .zip(&way.indices)
            .map(|(position, index)| {
                let question = Question::Value(index.function, index.value, index.context);
                (question, Argument::Index(position), Certainty::Definite)
            })
            .collect();
        let all = Cell { object, offset: 0, size: whole };
        let history = shared.history(all);
        if history.trusts_indices {
            self.assume("indices stay inside their arrays");
        }
        for write in &history.writes {
            let origin = Origin::Write(write.function, write.instruction);
            let found = Definition { origin, context: ContextId::empty(), is_possible: true };
            links.push(self.written(&found, Cell { object, offset: way.bytes, size }, ty, true));
        }
        if !history.is_complete {
            let question = Question::Leaf(What::Unknown(Reason::Unseen(object)), None);
            links.push((question, Argument::Content, Certainty::Outside));
        }
        let elements = Elements { object, offset: way.bytes, stride, size };
        let at = point.before.map(|at| (point.function, at));
        Expansion { what: What::Element(elements), ty: None, at, links }
    }

    /// What a cell may hold.
    fn cell(&mut self, point: Point, cell: Cell, is_own: bool, ty: TypeId) -> Expansion {
        let found = self.search.definitions(point, cell, is_own);
        if self.search.shared.history(cell).trusts_indices {
            self.assume("indices stay inside their arrays");
        }
        let mut links = Vec::new();
        for definition in found.iter() {
            let link = self.written(definition, cell, ty, false);
            if !links.contains(&link) {
                links.push(link);
            }
        }
        let at = point.before.map(|at| (point.function, at));
        Expansion { what: What::Cell(cell), ty: None, at, links }
    }

    /// What one definition put into the cell.
    fn written(
        &mut self,
        definition: &Definition,
        cell: Cell,
        ty: TypeId,
        is_element: bool,
    ) -> (Question, Argument, Certainty) {
        let certainty = if definition.is_possible { Certainty::Possible } else { Certainty::Definite };
        let leaf = |what| Question::Leaf(what, Some(ty));
        match definition.origin {
            Origin::Write(function, at) => {
                let argument = Argument::Written(function, at);
                let question = self.write(definition, function, at, cell, ty, is_element);
                (question, argument, certainty)
            }
            Origin::Initial => {
                let question = leaf(self.initial(cell, ty));
                (question, Argument::Initial, certainty)
            }
            Origin::Birth(function, at) => {
                let question = leaf(self.newborn(function, at, ty));
                (question, Argument::Written(function, at), certainty)
            }
            Origin::Unseen => {
                (leaf(What::Unknown(Reason::Unseen(cell.object))), Argument::Content, Certainty::Outside)
            }
            Origin::Callers(function) => {
                (leaf(What::Unknown(Reason::Callers(function))), Argument::Content, certainty)
            }
            Origin::Lost => (leaf(What::Unknown(Reason::Large)), Argument::Content, certainty),
        }
    }

    fn write(
        &mut self,
        definition: &Definition,
        function: FunctionId,
        at: InstructionId,
        cell: Cell,
        ty: TypeId,
        is_element: bool,
    ) -> Question {
        let shared = self.search.shared;
        let code = shared.function(function);
        let instruction = &code.instructions[at];
        let unclear = Question::Leaf(What::Unknown(Reason::Overwritten(function, at)), Some(ty));
        if instruction.opcode != Opcode::Store {
            return self.written_by_call(definition, function, at, cell, ty);
        }
        let (&[value, address], Some(stored)) = (code.operands_of(at), instruction.second_type) else {
            return unclear;
        };
        if shared.layout.size(stored) != Some(cell.size) || is_opaque(instruction.flags) {
            return unclear;
        }
        let is_exact = match self.search.place(function, address, definition.context) {
            Placed::At { object, offset, .. } if !is_element => {
                object == cell.object && offset == cell.offset
            }
            _ => {
                self.assume("stores of the size of a cell write all of it or nothing");
                true
            }
        };
        match is_exact {
            _ if stored != ty && !self.same_kind(stored, ty) => unclear,
            true => Question::Value(function, value, definition.context),
            false => unclear,
        }
    }

    /// Whether the bits of one type mean the same under the other.
    fn same_kind(&self, left: TypeId, right: TypeId) -> bool {
        let types = &self.search.shared.module.types;
        match (&types[left], &types[right]) {
            (Type::Integer(left), Type::Integer(right)) => left == right,
            (Type::Pointer(_), Type::Pointer(_)) => true,
            (left, right) => left == right,
        }
    }

    /// What data holds at the start.
    fn initial(&mut self, cell: Cell, ty: TypeId) -> What {
        let unknown = What::Unknown(Reason::Unseen(cell.object));
        let Object::Global(global) = cell.object else { return What::Undefined };
        let data = &self.search.shared.module.globals[global];
        let Some(contents) = &data.contents else {
            return unknown;
        };
        let Ok(offset) = u64::try_from(cell.offset) else { return unknown };
        match contents.at(offset) {
            Some((known, ScalarValue::Constant(value))) if self.same_kind(known, ty) => {
                self.constant_value(value, ty).unwrap_or(unknown)
            }
            Some((_, ScalarValue::Function(code))) => What::Code(code),
            Some(_) => unknown,
            None => {
                let is_free = |&(at, known, _): &(u64, TypeId, ScalarValue)| {
                    let end = at + self.search.shared.layout.size(known).unwrap_or(u64::MAX);
                    end <= offset || offset + cell.size <= at
                };
                let near = contents.scalars.partition_point(|&(at, ..)| at < offset + cell.size);
                let is_zero = contents.scalars[..near].last().is_none_or(is_free);
                if is_zero && contents.is_complete { self.zero(ty) } else { unknown }
            }
        }
    }

    /// Zero of a type.
    pub(super) fn zero(&self, ty: TypeId) -> What {
        match self.search.shared.module.types[ty] {
            Type::Integer(bits) => What::Integer { value: 0, bits },
            Type::Float(_) => What::Float(0),
            Type::Pointer(_) => What::Null,
            _ => What::Text("0".into()),
        }
    }

    /// What a call gives.
    fn call(&mut self, spot: Spot) -> Expansion {
        let shared = self.search.shared;
        let at = Some((spot.function, spot.id));
        let Some(callees) = shared.calls.callees(spot.function, spot.id) else {
            return self.library_result(spot);
        };
        if callees.functions.is_empty()
            || !callees.is_direct && shared.memory.effect(spot.function, spot.id).is_some()
        {
            return self.library_result(spot);
        }
        let mut links = Vec::new();
        for &callee in &callees.functions {
            let context = shared.enter(spot.context, spot.function, spot.id, callee);
            let certainty = if callees.is_direct { Certainty::Definite } else { Certainty::Possible };
            for (last, value) in returns_of(shared.module, callee) {
                if let Some(value) = value {
                    let question = Question::Value(callee, value, context);
                    links.push((question, Argument::Returned(callee, last), certainty));
                }
            }
        }
        if callees.may_be_others {
            let question = Question::Leaf(What::Unknown(Reason::Call(spot.function, spot.id)), None);
            links.push((question, Argument::Content, Certainty::Outside));
        }
        let what = match callees.functions.as_slice() {
            [only] => What::Returned(*only),
            _ => What::Choice,
        };
        Expansion { what, ty: None, at, links }
    }
}

fn is_unknown(question: &Question) -> bool {
    matches!(question, Question::Leaf(What::Unknown(_), _))
}
