//! How is a function written down? Its blocks, instructions, calls.

use opcost_index::Id;
use opcost_key::{BlockId, InstructionId, PlaceId};

use super::lex::write_name;
use super::notes::{write_latch, write_source_name};
use super::printer::Printer;
use super::{FunctionText, default_callee, default_effects, default_result};
use crate::{Call, CalleeRef, Flags, Function, Instruction, Opcode, TailKind, Type, TypeId, Value};

/// Writes one function.
pub(super) struct FunctionPrinter<'p, 'a> {
    pub(super) printer: &'p mut Printer<'a>,
    pub(super) function: &'a Function,
    numbers: FunctionText<'a>,
}

impl<'p, 'a> FunctionPrinter<'p, 'a> {
    pub(super) fn new(printer: &'p mut Printer<'a>, function: &'a Function) -> Self {
        let numbers = FunctionText::new(printer.module, function);
        Self { printer, function, numbers }
    }

    pub(super) fn put(&mut self, text: &str) {
        self.printer.put(text);
    }

    pub(super) fn function(&mut self) {
        let function = self.function;
        self.header();
        for block in function.blocks.ids() {
            self.name(Value::Block(block));
            self.put(":\n");
            function.instructions_of(block).for_each(|id| self.instruction(block, id));
        }
        self.put("}\n");
    }

    pub(super) fn place(&mut self, place: Option<PlaceId>) {
        if let Some(place) = place {
            self.put(" !at ");
            self.printer.number(place.index());
        }
    }

    fn name(&mut self, value: Value) {
        match self.function.names.get(&value) {
            Some(name) => write_name(name, &mut self.printer.out),
            None => self.printer.number(self.numbers.number_of(value)),
        }
    }

    /// An operand; a constant's type is left out where it is `kept`.
    pub(super) fn value(&mut self, value: Value, kept: Option<TypeId>) {
        let module = self.printer.module;
        let global = match value {
            Value::Instruction(_) | Value::Argument(_) | Value::Block(_) => {
                self.put(if matches!(value, Value::Block(_)) { "label %" } else { "%" });
                return self.name(value);
            }
            Value::Constant(id) => return self.printer.constant(id, kept),
            Value::Function(id) => &module.functions[id].name,
            Value::Declaration(id) => &module.declarations[id].name,
        };
        self.put("@");
        write_name(global, &mut self.printer.out);
    }

    fn instruction(&mut self, block: BlockId, id: InstructionId) {
        let (module, function) = (self.printer.module, self.function);
        let instruction = &function.instructions[id];
        self.put("  ");
        if module.types[instruction.ty] != Type::Void {
            self.value(Value::Instruction(id), None);
            self.put(" = ");
        }
        let call = function.call(id);
        self.put(match call.map_or(TailKind::None, |call| call.tail) {
            TailKind::None => "",
            TailKind::Tail => "tail ",
            TailKind::MustTail => "musttail ",
            TailKind::NoTail => "notail ",
        });
        self.put(instruction.opcode.name());
        self.flags(instruction);
        if let Some(predicate) = instruction.predicate {
            self.put(" ");
            self.put(predicate.name());
        }
        let kept = self.types(instruction);
        match call {
            Some(call) => self.call(id, call),
            None if instruction.opcode == Opcode::Phi => self.phi(id, kept),
            None => self.operands(id, kept),
        }
        if instruction.opcode.is_terminator() {
            self.block_notes(block);
        }
        self.place(instruction.place);
        if let Some(tag) = instruction.tag {
            self.put(" !tag ");
            self.printer.number(tag.index());
        }
        let name = function.source_names.get(&Value::Instruction(id));
        write_source_name(name.map(|name| &**name), &mut self.printer.out);
        self.put("\n");
    }

    fn block_notes(&mut self, block: BlockId) {
        let block = &self.function.blocks[block];
        if let Some(weights) = &block.weights {
            self.put(" !weights");
            weights.iter().for_each(|weight| self.put(&format!(" {weight}")));
        }
        write_latch(block.latch, &mut self.printer.out);
    }

    fn flags(&mut self, instruction: &Instruction) {
        let is_inbounds = instruction.flags.has(Flags::INBOUNDS);
        for &(flag, word) in Flags::words(instruction.opcode) {
            let is_implied = is_inbounds && flag == Flags::NSW;
            if instruction.flags.has(flag) && !is_implied {
                self.put(" ");
                self.put(word);
            }
        }
    }

    /// The type clause; the type that constants have unless they say otherwise.
    fn types(&mut self, instruction: &Instruction) -> Option<TypeId> {
        let module = self.printer.module;
        let Instruction { opcode, ty, second_type, .. } = *instruction;
        if let Some(second) = second_type.filter(|_| opcode.has_second_type()) {
            self.put(" ");
            self.printer.ty(second);
            if default_result(opcode).as_ref() != Some(&module.types[ty]) {
                self.put(" -> ");
                self.printer.ty(ty);
            }
            return second_type;
        }
        if !opcode.has_type() {
            return None;
        }
        self.put(" ");
        self.printer.ty(ty);
        Some(ty)
    }

    fn operands(&mut self, id: InstructionId, kept: Option<TypeId>) {
        let opcode = self.function.instructions[id].opcode;
        let comma_first = matches!(opcode, Opcode::Load | Opcode::GetElementPtr | Opcode::Alloca);
        for (position, &operand) in self.function.operands_of(id).iter().enumerate() {
            self.put(if position > 0 || comma_first { ", " } else { " " });
            self.value(operand, kept);
        }
    }

    fn phi(&mut self, id: InstructionId, kept: Option<TypeId>) {
        for (position, pair) in self.function.operands_of(id).chunks(2).enumerate() {
            self.put(if position > 0 { ", [ " } else { " [ " });
            self.value(pair[0], kept);
            self.put(", %");
            pair.iter().skip(1).for_each(|&block| self.name(block));
            self.put(" ]");
        }
    }

    fn call(&mut self, id: InstructionId, call: &Call) {
        let Some((&callee, operands)) = self.function.operands_of(id).split_last() else { return };
        let (labels, arguments): (Vec<Value>, Vec<Value>) =
            operands.iter().partition(|operand| matches!(operand, Value::Block(_)));
        self.put(" ");
        match callee {
            Value::Constant(constant) => self.printer.called_constant(constant),
            _ => self.value(callee, None),
        }
        self.put("(");
        for (position, &argument) in arguments.iter().enumerate() {
            self.put(if position > 0 { ", " } else { "" });
            self.value(argument, None);
        }
        self.put(")");
        for (position, &label) in labels.iter().enumerate() {
            let is_invoke = self.function.instructions[id].opcode == Opcode::Invoke;
            self.put(match position {
                0 => " to ",
                1 if is_invoke => " unwind ",
                _ => ", ",
            });
            self.value(label, None);
        }
        self.call_facts(call, callee);
    }

    fn call_facts(&mut self, call: &Call, callee: Value) {
        if call.callee != default_callee(self.printer.module, callee) {
            self.put(" calls ");
            match call.callee {
                CalleeRef::Function(id) => self.value(Value::Function(id), None),
                CalleeRef::Declaration(id) => self.value(Value::Declaration(id), None),
                CalleeRef::Indirect => self.put("indirect"),
                CalleeRef::Assembly => self.put("assembly"),
            }
        }
        let words = [
            (call.is_nounwind, " nounwind"),
            (call.is_willreturn, " willreturn"),
            (call.is_noreturn, " noreturn"),
            (call.returns_twice, " returns_twice"),
            (call.is_empty_assembly, " empty"),
            (call.assembly_may_leave, " far"),
            (call.assembly_may_round, " rounds"),
            (call.is_nobuiltin, " nobuiltin"),
        ];
        words.iter().filter(|(is_set, _)| *is_set).for_each(|(_, word)| self.put(word));
        if call.memory != default_effects(self.printer.module, call.callee) {
            self.printer.memory(call.memory);
        }
        if call.copied_bytes > 0 {
            self.put(" copies ");
            self.printer.number(call.copied_bytes);
        }
    }
}
