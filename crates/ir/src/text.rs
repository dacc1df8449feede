//! How does an instruction read? One line in the manner of LLVM's text form.
//!
//! Values without a name get the numbers that LLVM's printer would give them
//! (parameters, blocks and results share one sequence), so that a line can be
//! found again in the output of `llvm-dis`. Attributes, alignment, flags and
//! metadata are left out: the line is for recognising, not for parsing back.
//! The form that is parsed back ([`print_module`], [`parse_module`]) looks the
//! same but quotes names and says more; what both sides of it leave unsaid is
//! decided by the functions at the end of this file, and by the opcode.
//! Cost: one pass over the function for the numbers, then linear per line.

use std::fmt::Write;

use opcost_index::{Id, IdMap};
use opcost_key::{BlockId, InstructionId};

use crate::types::{Names, write_type};
use crate::{CalleeRef, Function, MemoryEffects, Module, Opcode, Type, TypeId, Value};

mod cursor;
mod effects;
mod lex;
mod notes;
mod operands;
mod parse;
mod parse_call;
mod parse_function;
mod parse_globals;
mod parse_header;
mod parse_type;
mod parser;
mod print;
mod print_function;
mod print_globals;
mod print_header;
mod printer;
mod tags;

use lex::Token;

pub use cursor::ParseError;
pub use parse::parse_module;
pub use print::print_module;

/// Writes the instructions of one function.
pub struct FunctionText<'a> {
    module: &'a Module,
    function: &'a Function,
    arguments: Vec<u32>,
    blocks: IdMap<BlockId, u32>,
    results: IdMap<InstructionId, u32>,
}

impl<'a> FunctionText<'a> {
    /// Numbers the unnamed values of `function`.
    pub fn new(module: &'a Module, function: &'a Function) -> Self {
        let mut next = 0;
        let mut number = |value: Value| {
            if function.names.contains_key(&value) {
                return 0;
            }
            next += 1;
            next - 1
        };
        let arguments = (0..function.parameters).map(|position| number(Value::Argument(position))).collect();
        let mut blocks = IdMap::filled(function.blocks.len(), 0);
        let mut results = IdMap::filled(function.instructions.len(), 0);
        for block in function.blocks.ids() {
            blocks[block] = number(Value::Block(block));
            for instruction in function.instructions_of(block) {
                if module.types[function.instructions[instruction].ty] != Type::Void {
                    results[instruction] = number(Value::Instruction(instruction));
                }
            }
        }
        Self { module, function, arguments, blocks, results }
    }

    /// The label of a block, without colon.
    pub fn block(&self, block: BlockId) -> String {
        let mut out = String::new();
        self.write_name(Value::Block(block), self.blocks[block], &mut out);
        out
    }

    /// One instruction.
    pub fn instruction(&self, id: InstructionId) -> String {
        let mut out = String::with_capacity(64);
        let instruction = &self.function.instructions[id];
        if self.module.types[instruction.ty] != Type::Void {
            self.write_value(Value::Instruction(id), &mut out);
            out.push_str(" = ");
        }
        out.push_str(instruction.opcode.name());
        if let Some(predicate) = instruction.predicate {
            out.push(' ');
            out.push_str(predicate.name());
        }
        match instruction.opcode {
            Opcode::Call | Opcode::Invoke | Opcode::CallBr => self.write_call(id, &mut out),
            Opcode::Phi => self.write_phi(id, &mut out),
            _ => self.write_operands(id, &mut out),
        }
        out
    }

    /// A value as operands show it: `%i`, `%7`, `@table`, `12`.
    pub fn value(&self, value: Value) -> String {
        let mut out = String::new();
        self.write_value(value, &mut out);
        out
    }

    /// The number of an unnamed value.
    pub(crate) fn number_of(&self, value: Value) -> u32 {
        match value {
            Value::Instruction(id) => self.results[id],
            Value::Argument(position) => self.arguments[position as usize],
            Value::Block(id) => self.blocks[id],
            Value::Function(_) | Value::Declaration(_) | Value::Constant(_) => 0,
        }
    }

    fn write_type(&self, id: TypeId, out: &mut String) {
        write_type(&self.module.types, id, Names::BARE, out);
    }

    fn write_name(&self, value: Value, number: u32, out: &mut String) {
        match self.function.names.get(&value) {
            Some(name) => out.push_str(name),
            None => write!(out, "{number}").expect("writing to a string"),
        }
    }

    fn write_value(&self, value: Value, out: &mut String) {
        match value {
            Value::Instruction(id) => {
                out.push('%');
                self.write_name(value, self.results[id], out);
            }
            Value::Argument(position) => {
                out.push('%');
                self.write_name(value, self.arguments[position as usize], out);
            }
            Value::Block(id) => {
                out.push_str("label %");
                self.write_name(value, self.blocks[id], out);
            }
            Value::Function(id) => {
                out.push('@');
                out.push_str(&self.module.functions[id].name);
            }
            Value::Declaration(id) => {
                out.push('@');
                out.push_str(&self.module.declarations[id].name);
            }
            Value::Constant(id) => out.push_str(&self.module.constants[id].text),
        }
    }

    fn write_operands(&self, id: InstructionId, out: &mut String) {
        let instruction = &self.function.instructions[id];
        let kept = match instruction.second_type {
            Some(ty) => Some(ty),
            None if self.module.types[instruction.ty] != Type::Void => Some(instruction.ty),
            None => None,
        };
        if let Some(ty) = kept {
            out.push(' ');
            self.write_type(ty, out);
        }
        let comma_first = matches!(instruction.opcode, Opcode::Load | Opcode::GetElementPtr | Opcode::Alloca);
        for (position, &operand) in self.function.operands_of(id).iter().enumerate() {
            out.push_str(if position > 0 || comma_first { ", " } else { " " });
            self.write_value(operand, out);
        }
    }

    fn write_call(&self, id: InstructionId, out: &mut String) {
        let operands = self.function.operands_of(id);
        let blocks = operands.iter().filter(|operand| matches!(operand, Value::Block(_))).count();
        let (callee, arguments) = operands.split_last().expect("a call has a callee");
        out.push(' ');
        self.write_type(self.function.instructions[id].ty, out);
        out.push(' ');
        self.write_value(*callee, out);
        out.push('(');
        for (position, &argument) in arguments[..arguments.len() - blocks].iter().enumerate() {
            if position > 0 {
                out.push_str(", ");
            }
            self.write_value(argument, out);
        }
        out.push(')');
        for &target in &arguments[arguments.len() - blocks..] {
            out.push(' ');
            self.write_value(target, out);
        }
    }

    fn write_phi(&self, id: InstructionId, out: &mut String) {
        out.push(' ');
        self.write_type(self.function.instructions[id].ty, out);
        for (position, pair) in self.function.operands_of(id).chunks(2).enumerate() {
            out.push_str(if position > 0 { ", [ " } else { " [ " });
            self.write_value(pair[0], out);
            out.push_str(", %");
            if let Value::Block(block) = pair[1] {
                out.push_str(&self.block(block));
            }
            out.push_str(" ]");
        }
    }
}

impl Module {
    /// A type as text.
    pub fn type_text(&self, id: TypeId) -> String {
        let mut out = String::new();
        write_type(&self.types, id, Names::BARE, &mut out);
        out
    }

    /// Position of a block's first instruction that is not a phi.
    pub fn first_non_phi(&self, function: &Function, block: BlockId) -> InstructionId {
        function
            .instructions_of(block)
            .find(|&id| function.instructions[id].opcode != Opcode::Phi)
            .unwrap_or_else(|| InstructionId::new(function.blocks[block].instructions.end as usize))
    }
}

/// Words that are constants without quotes.
const CONSTANT_WORDS: &[&str] =
    &["true", "false", "null", "undef", "poison", "zeroinitializer", "none", "asm"];

/// The type of the result in addition to a second type, unless the text says another.
fn default_result(opcode: Opcode) -> Option<Type> {
    match opcode {
        Opcode::Alloca | Opcode::GetElementPtr => Some(Type::Pointer(0)),
        Opcode::ICmp | Opcode::FCmp => Some(Type::Integer(1)),
        Opcode::Store | Opcode::Switch | Opcode::Ret => Some(Type::Void),
        _ => None,
    }
}

/// The type of a constant that is written without one, where its text says it.
fn default_type(constant: &Token) -> Option<Type> {
    match constant {
        Token::Global(_) => Some(Type::Pointer(0)),
        Token::Word(word) if word == "null" || word == "asm" => Some(Type::Pointer(0)),
        Token::Word(word) if word == "true" || word == "false" => Some(Type::Integer(1)),
        _ => None,
    }
}

/// Whom a call of this operand calls, unless the text says otherwise.
fn default_callee(module: &Module, callee: Value) -> CalleeRef {
    match callee {
        Value::Function(id) => CalleeRef::Function(id),
        Value::Declaration(id) => CalleeRef::Declaration(id),
        Value::Constant(id) if &*module.constants[id].text == "asm" => CalleeRef::Assembly,
        _ => CalleeRef::Indirect,
    }
}

/// What a call does to memory, unless it is said: what its callee does.
fn default_effects(module: &Module, callee: CalleeRef) -> MemoryEffects {
    match callee {
        CalleeRef::Function(id) => module.functions.get(id).map_or(MemoryEffects::UNKNOWN, |f| f.memory),
        CalleeRef::Declaration(id) => {
            module.declarations.get(id).map_or(MemoryEffects::UNKNOWN, |d| d.memory)
        }
        CalleeRef::Indirect | CalleeRef::Assembly => MemoryEffects::UNKNOWN,
    }
}
