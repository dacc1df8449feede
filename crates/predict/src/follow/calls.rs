//! What does a call do, to memory and to counts?
//!
//! A function of the module is followed if it can be; else it is entered with the numbers that are
//! known here, and what it may write is forgotten. Of a library function the table of effects says what
//! it writes and gives. Operations that LLVM has as calls are computed. Cost: that of what is called.

use opcost_analysis::expression::Symbol;
use opcost_analysis::ranges::{Operation, RangeStep};
use opcost_index::Id;
use opcost_ir::{CalleeRef, DeclarationId, Flags, GlobalId, Type, Value};
use opcost_key::{FunctionId, InstructionId};
use opcost_library::effect::{ResultKind, Returns};

use super::compute::Contents;
use super::content::{Byte, Content, InstanceId};
use super::follower::{Follower, Made, TooMuch};
use super::frame::{Arrival, CallEnd, Frame, Start};
use super::log::{EnteredCall, Event};
use super::memory::{Memory, Rest};
use super::writes::target;
use crate::contexts::{Chain, Given};
use crate::model::{CellBase, CellSlot};

/// Activations within activations.
const DEEPEST: usize = 40;

impl Follower<'_, '_> {
    pub(super) fn call(
        &mut self,
        frame: &mut Frame,
        at: InstructionId,
        arrival: &mut Arrival,
    ) -> Result<CallEnd, TooMuch> {
        let function = &self.model.module.functions[frame.id];
        let Some(call) = function.call(at) else { return Ok(CallEnd::Returns(Content::Unknown)) };
        match call.callee {
            CalleeRef::Function(callee) => self.own_call(frame, at, callee, arrival),
            CalleeRef::Declaration(declared) => {
                Ok(self.library_call(frame, at, declared, &mut arrival.memory))
            }
            CalleeRef::Indirect | CalleeRef::Assembly => {
                self.blur(frame.id, at, &mut arrival.memory);
                Ok(CallEnd::Returns(Content::Unknown))
            }
        }
    }

    fn own_call(
        &mut self,
        frame: &mut Frame,
        at: InstructionId,
        callee: FunctionId,
        arrival: &mut Arrival,
    ) -> Result<CallEnd, TooMuch> {
        if self.steps <= self.floor && self.log.is_open() {
            return Err(TooMuch);
        }
        let path = frame.path(&arrival.weight);
        let mut chain = frame.chain.clone();
        chain.push((frame.id, at));
        let is_taken = !num_traits::Zero::is_zero(&arrival.weight.own);
        if is_taken && self.steps > 0 && chain.len() <= DEEPEST && self.is_followable(callee) {
            let arguments = self.resolved_arguments(frame, at, callee, &chain);
            let start = Start { id: callee, arguments, chain, path };
            let memory = std::mem::take(&mut arrival.memory);
            return Ok(match self.activation(start, memory)? {
                Some(returned) => {
                    arrival.memory = returned.memory;
                    arrival.weight = returned.weight;
                    CallEnd::Returns(returned.contents.first().copied().unwrap_or(Content::Unknown))
                }
                None => CallEnd::Never,
            });
        }
        let given = self.given(frame, at, callee, &arrival.memory);
        let context = self.contexts.context(callee, chain, &given);
        self.note(Event::Call(EnteredCall { callee, context, entries: path.entries() }));
        self.blur(frame.id, at, &mut arrival.memory);
        Ok(CallEnd::Returns(Content::Unknown))
    }

    /// What is passed; what evaluation does not know is resolved backwards, where it decides something.
    fn resolved_arguments(
        &mut self,
        frame: &Frame,
        at: InstructionId,
        callee: FunctionId,
        chain: &Chain,
    ) -> Vec<Content> {
        let mut arguments = self.arguments(frame, at);
        let Some(modelled) = self.contexts.models[callee].clone() else { return arguments };
        let module = self.model.module;
        for &position in &self.contexts.needed[callee].clone() {
            let Symbol::Argument(position) = modelled.model.symbols[&position].symbol else { continue };
            let value = Value::Argument(position);
            let ty = module.type_of(&module.functions[callee], value).map(|ty| &module.types[ty]);
            let Some(Content::Unknown) = arguments.get(position as usize) else { continue };
            let Some(&Type::Integer(bits @ 2..=64)) = ty else { continue };
            let number = self
                .argument_by_formula(frame, at, position)
                .or_else(|| self.contexts.number_where_called(callee, value, chain));
            if let Some(number) = number {
                arguments[position as usize] = Content::Word(number as u128 & (u128::MAX >> (128 - bits)));
            }
        }
        arguments
    }

    /// The number that a formula of the caller says an argument is.
    fn argument_by_formula(&self, frame: &Frame, at: InstructionId, position: u32) -> Option<i128> {
        let model = &frame.modelled.model;
        let call = model.calls.iter().find(|call| call.at == at)?;
        let formula = call.arguments.get(position as usize).copied().flatten()?;
        model.formulas.evaluate(formula, &|symbol| self.number_at(frame, symbol, call.block)).ok()
    }

    /// What is passed; of what is copied on the way nothing is known.
    fn arguments(&self, frame: &Frame, at: InstructionId) -> Vec<Content> {
        let function = &self.model.module.functions[frame.id];
        let copies = function.call(at).is_none_or(|call| call.copied_bytes > 0);
        let view = self.view(frame);
        let content = |&value: &Value| match view.content(value) {
            Content::Byte(_) | Content::Within(_) if copies => Content::Unknown,
            content => content,
        };
        function.arguments_of(at).iter().map(content).collect()
    }

    /// The numbers that go to a callee: of arguments, and of memory that it leaves alone.
    pub(super) fn given(
        &self,
        frame: &Frame,
        at: InstructionId,
        callee: FunctionId,
        memory: &Memory,
    ) -> Given {
        let mut given = Given::default();
        let Some(modelled) = &self.contexts.models[callee] else { return given };
        let arguments = self.arguments(frame, at);
        let body = &self.model.module.functions[callee];
        let needed = self.contexts.needed[callee].iter().map(|position| &modelled.model.symbols[position]);
        let mut slots = self.contexts.slots[callee].clone();
        for open in needed {
            if let Symbol::Argument(position) = open.symbol {
                let ty = self.model.module.type_of(body, Value::Argument(position));
                let content = arguments.get(position as usize).copied().unwrap_or(Content::Unknown);
                if let Some(number) = ty.and_then(|ty| content.number(&self.model.module.types[ty])) {
                    given.arguments.insert(position, number);
                }
            }
            slots.extend(open.slot);
        }
        for slot in slots {
            if let Some(number) = self.number_there(slot, callee, &arguments, memory) {
                given.cells.insert(slot, number);
            }
        }
        given
    }

    fn number_there(
        &self,
        slot: CellSlot,
        callee: FunctionId,
        arguments: &[Content],
        memory: &Memory,
    ) -> Option<i128> {
        let base = match slot.base {
            CellBase::Global(global) => Byte { instance: InstanceId::new(global.index()), offset: 0 },
            CellBase::Argument(position) => match arguments.get(position as usize) {
                Some(&Content::Byte(base)) => base,
                _ => return None,
            },
        };
        let there = Byte { offset: base.offset.checked_add(slot.offset)?, ..base };
        let size = self.model.layout.size(slot.ty)?;
        let object = memory.object(self.model, there.instance)?;
        let stays =
            self.model.is_constant(object) || self.writes.leaves(callee, target(object, there.offset), size);
        let content = if stays { memory.load(self.model, there, slot.ty) } else { Content::Unknown };
        content.number(&self.model.module.types[slot.ty])
    }

    fn library_call(
        &mut self,
        frame: &Frame,
        at: InstructionId,
        declared: DeclarationId,
        memory: &mut Memory,
    ) -> CallEnd {
        let module = self.model.module;
        let function = &module.functions[frame.id];
        let declaration = &module.declarations[declared];
        if declaration.is_intrinsic
            && let Some(content) = self.intrinsic(frame, at, &declaration.name)
        {
            return CallEnd::Returns(content);
        }
        let effect = self.model.externals.effect(function, at, declared);
        let arguments = self.arguments(frame, at);
        let text = self.text_of_call(&declaration.name, &arguments, memory);
        self.blur(frame.id, at, memory);
        self.fill(&declaration.name, &arguments, memory);
        if let (Some((to, text)), Some(&at_text)) = (text, function.arguments_of(at).get(1)) {
            let ty = module.type_of(function, at_text);
            ty.into_iter().for_each(|ty| memory.put_text(self.model, to.instance, text, ty));
        }
        if declaration.name == "_FortranAioInputInteger" {
            self.read_item(function, at, &arguments, memory);
        }
        if let Some(statement) = self.statement_of_call(&declaration.name, &arguments, memory) {
            return CallEnd::Returns(statement);
        }
        let never = effect.returns == Returns::Never
            || declaration.is_noreturn
            || function.call(at).is_some_and(|call| call.is_noreturn);
        if never {
            return CallEnd::Never;
        }
        let argument = |position: u32| arguments.get(position as usize).copied().unwrap_or(Content::Unknown);
        CallEnd::Returns(match effect.result {
            ResultKind::Fresh { zeroed } => {
                let rest = if zeroed { Rest::Zero } else { Rest::Unknown };
                let instance = self.instance(memory, Made { function: frame.id, at }, rest);
                Content::Byte(Byte { instance, offset: 0 })
            }
            ResultKind::Parameter(position) => argument(position),
            ResultKind::Moved(_) | ResultKind::Inside(_) | ResultKind::Outside => Content::Unknown,
            ResultKind::Pure | ResultKind::Input | ResultKind::InputFrom(_) | ResultKind::Environment(_) => {
                self.resolved(frame, at)
            }
        })
    }

    /// Data that is filled or copied as a whole.
    fn fill(&self, name: &str, arguments: &[Content], memory: &mut Memory) {
        let &[Content::Byte(to), what, Content::Word(length), ..] = arguments else { return };
        let size = memory.size(self.model, to.instance).map(u128::from);
        if to.offset != 0 || size != Some(length) || length == 0 {
            return;
        }
        match what {
            Content::Word(0) if is_named(name, "memset") => memory.fill(self.model, to.instance),
            Content::Byte(from) if is_named(name, "memcpy") => {
                let is_data = from.instance.index() < self.model.module.globals.len();
                let all = memory.size(self.model, from.instance).map(u128::from);
                if is_data && from.offset == 0 && all == Some(length) {
                    memory.copy_constant(self.model, to.instance, GlobalId::new(from.instance.index()));
                }
            }
            _ => {}
        }
    }

    /// What an operation gives that LLVM has as a call; none if it is none that is computed here.
    fn intrinsic(&self, frame: &Frame, at: InstructionId, name: &str) -> Option<Content> {
        let module = self.model.module;
        let function = &module.functions[frame.id];
        let arguments = function.arguments_of(at);
        let nothing = ["llvm.lifetime.", "llvm.dbg.", "llvm.assume", "llvm.experimental.noalias.scope.decl"];
        if nothing.iter().any(|one| name.starts_with(one)) {
            return Some(Content::Unknown);
        }
        let view = self.view(frame);
        if name.starts_with("llvm.expect.") {
            return arguments.first().map(|&value| view.content(value));
        }
        let instruction = &function.instructions[at];
        let promise = arguments.get(1).is_some_and(|&value| view.content(value) == Content::Word(1));
        if let Some(operation) = Operation::of_intrinsic(name, promise) {
            if operation.that_overflows().is_some() {
                return Some(Content::Unknown);
            }
            let &Type::Integer(width @ 1..=128) = &module.types[instruction.ty] else { return None };
            let sides = arguments.get(..operation.operands())?;
            return Some(view.computing.step(&RangeStep::new(operation, width), sides, &view));
        }
        let Content::Double(bits) = view.content(*arguments.first()?) else { return None };
        if !self.is_rounded_to_nearest || instruction.flags.has(Flags::RELAXED) {
            return None;
        }
        let number = f64::from_bits(bits);
        let result = match name {
            "llvm.fabs.f64" => number.abs(),
            "llvm.sqrt.f64" => number.sqrt(),
            "llvm.floor.f64" => number.floor(),
            "llvm.ceil.f64" => number.ceil(),
            "llvm.trunc.f64" => number.trunc(),
            _ => return None,
        };
        Some(if result.is_nan() { Content::Unknown } else { Content::Double(result.to_bits()) })
    }
}

/// Whether it is the library's function of that name, or LLVM's.
fn is_named(name: &str, base: &str) -> bool {
    let intrinsic = name.strip_prefix("llvm.").and_then(|rest| rest.strip_prefix(base));
    name == base || intrinsic.is_some_and(|rest| rest.starts_with('.'))
}
