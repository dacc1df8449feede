//! What decides a value, one step back?
//!
//! Registers: the operands (`direct_solve` of the document). Parameters: what is passed at the call that led here, or at every call.
//! Calls: what the function gives back.

use opcost_ir::{Opcode, Value};
use opcost_key::FunctionId;

use super::asked::ContextInstruction;
use super::calls::returns_of;
use super::contexts::ContextId;
use super::expander::Expander;
use super::explanation::{Argument, LinkCertainty, OutsideInput, UnknownReason, What};
use super::memory::{MemoryQueries, Object};
use super::question::{Expansion, Question};
use super::recall::TYPES;

impl<M: MemoryQueries> Expander<'_, '_, M> {
    /// One step back.
    pub(super) fn expand(&mut self, question: &Question) -> Expansion {
        match question {
            Question::Leaf(what, ty) => Expansion { ty: *ty, ..Expansion::leaf(what.clone()) },
            &Question::Read(input, context, ty) => {
                let mut expansion = self.read(input, context);
                expansion.ty = Some(ty);
                expansion
            }
            &Question::Cell(point, asked, ty, trusts_types) => {
                let mut expansion = self.cell(point, asked, ty);
                if trusts_types {
                    self.assume(TYPES);
                }
                expansion.ty = Some(ty);
                expansion
            }
            &Question::Value(function, value, context) => {
                let ty = self.type_of(function, value);
                let mut expansion = match value {
                    Value::Constant(id) => Expansion::leaf(self.constant(id)),
                    Value::Function(_) | Value::Declaration(_) => Expansion::leaf(What::Code(value)),
                    Value::Argument(position) => self.parameter(function, position, context),
                    Value::Instruction(id) => self.instruction(ContextInstruction { function, id, context }),
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

    fn parameter(&mut self, function: FunctionId, position: u32, context: ContextId) -> Expansion {
        let shared = self.search.shared;
        let what = What::Parameter(function, position);
        let top = shared.contexts.borrow().top(context);
        let passed = |caller, call, parent| match shared.passed(function, position, caller, call) {
            Some(value) => Question::Value(caller, value, parent),
            None => Question::Leaf(What::Unknown(UnknownReason::Callers(function)), None),
        };
        if let Some(frame) = top {
            let question = passed(frame.function, frame.call, frame.parent);
            let argument = Argument::Passed(frame.function, frame.call);
            let links = vec![(question, argument, LinkCertainty::Definite)];
            return Expansion::of(what, None, links);
        }
        let callers = &shared.calls.callers[function];
        let outside = || Expansion::leaf(What::Input(OutsideInput::Parameter(function, position)));
        let is_entered = callers.is_start || callers.from_outside;
        if callers.sites.is_empty() {
            return if is_entered { outside() } else { Expansion::unknown(UnknownReason::Callers(function)) };
        }
        let mut links: Vec<_> = callers
            .sites
            .iter()
            .map(|site| {
                let question = passed(site.function, site.call, ContextId::empty());
                let certainty =
                    if site.is_possible { LinkCertainty::Possible } else { LinkCertainty::Definite };
                (question, Argument::Passed(site.function, site.call), certainty)
            })
            .collect();
        if is_entered || callers.by_itself {
            let question = Question::Leaf(What::Input(OutsideInput::Parameter(function, position)), None);
            links.push((question, Argument::Content, LinkCertainty::Outside));
        }
        Expansion::of(what, None, links)
    }

    fn instruction(&mut self, spot: ContextInstruction) -> Expansion {
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
            | Opcode::AtomicCmpXchg => Expansion::unknown(UnknownReason::Instruction(spot.function, spot.id)),
            opcode if opcode.is_call() => self.call(spot),
            _ => {
                let operands = (0..).zip(code.operands_of(spot.id));
                let links = operands.filter(|(_, value)| !matches!(value, Value::Block(_)));
                let link = |(position, &value): (u32, &Value)| {
                    let question = Question::Value(spot.function, value, spot.context);
                    (question, Argument::Operand(position), LinkCertainty::Definite)
                };
                Expansion::of(What::Operation, at, links.map(link).collect())
            }
        }
    }

    fn phi(&mut self, spot: ContextInstruction) -> Expansion {
        let code = self.search.shared.function(spot.function);
        let own = Value::Instruction(spot.id);
        let mut links: Vec<(Question, Argument, LinkCertainty)> = Vec::new();
        for pair in code.operands_of(spot.id).chunks_exact(2) {
            let (value, Value::Block(block)) = (pair[0], pair[1]) else { continue };
            let question = Question::Value(spot.function, value, spot.context);
            if value != own && !links.iter().any(|(known, ..)| *known == question) {
                links.push((question, Argument::From(block), LinkCertainty::Definite));
            }
        }
        Expansion::of(What::Choice, Some((spot.function, spot.id)), links)
    }

    /// What a call gives.
    fn call(&mut self, spot: ContextInstruction) -> Expansion {
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
            let certainty = if callees.is_direct { LinkCertainty::Definite } else { LinkCertainty::Possible };
            for (last, value) in returns_of(shared.module, callee) {
                if let Some(value) = value {
                    let question = Question::Value(callee, value, context);
                    links.push((question, Argument::Returned(callee, last), certainty));
                }
            }
        }
        if callees.may_be_others {
            let question = Question::Leaf(What::Unknown(UnknownReason::Call(spot.function, spot.id)), None);
            links.push((question, Argument::Content, LinkCertainty::Outside));
        }
        let what = match callees.functions.as_slice() {
            [only] => What::Returned(*only),
            _ => What::Choice,
        };
        Expansion::of(what, at, links)
    }
}
