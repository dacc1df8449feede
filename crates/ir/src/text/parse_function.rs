//! What does a function do? Reads its body.
//!
//! Labels and results are numbered by a first look at the body's lines, so
//! that operands may point ahead. Successors and flow kind of a block are
//! those that its terminator implies. Operands are read in `operands`, calls in
//! `parse_call`.

use opcost_index::Id;
use opcost_key::{BlockId, InstructionId};

use super::cursor::{Cursor, Parsed};
use super::default_result;
use super::lex::{Name, Token};
use super::notes::{Notes, notes};
use super::operands::{Locals, Reader};
use super::parse_call::tail_kind;
use super::parse_header::parse_header;
use super::parser::{Line, Parser};
use crate::{Block, Flags, Flow, Instruction, LatchFacts, Opcode, Predicate, Type, TypeId, Value};

/// Reads a function. `header` is its first line, after `define`. Returns what is left of `lines`
/// after its body.
pub(crate) fn parse_function<'l>(
    parser: &mut Parser,
    mut header: Cursor<'_>,
    lines: &'l [Line],
) -> Parsed<&'l [Line]> {
    let mut locals = Locals::default();
    let function = parse_header(parser, &mut header, &mut locals)?;
    let is_end = |line: &Line| line.tokens == [Token::Sign("}")];
    let Some(end) = lines.iter().position(is_end) else {
        return header.expected("a line '}' after the function");
    };
    let body = &lines[..end];
    let mut reader = Reader { parser, function, locals, lines: Vec::new() };
    reader.number(body)?;
    for line in body.iter().filter(|line| label_of(line).is_none()) {
        let mut cursor = line.cursor();
        reader.instruction(&mut cursor)?;
        cursor.end()?;
    }
    let Reader { function, lines: own_lines, .. } = reader;
    parser.module.functions.push(function);
    parser.lines.push((header.line(), own_lines));
    Ok(&lines[end + 1..])
}

fn predicate(opcode: Opcode, cursor: &mut Cursor<'_>) -> Parsed<Option<Predicate>> {
    let is_float = opcode == Opcode::FCmp;
    if !is_float && opcode != Opcode::ICmp {
        return Ok(None);
    }
    let predicate = cursor.peek_word().and_then(|word| Predicate::from_name(word, is_float));
    if predicate.is_none() {
        return cursor.expected("a predicate");
    }
    cursor.next();
    Ok(predicate)
}

/// Notes that may be after an instruction.
fn possible_notes(opcode: Opcode) -> &'static [&'static str] {
    match opcode {
        _ if opcode.is_terminator() => &["at", "weights", "loop", "name"],
        Opcode::Load | Opcode::Store => &["at", "tag", "name"],
        _ => &["at", "name"],
    }
}

/// Flags after an opcode, in any order.
fn flags(opcode: Opcode, cursor: &mut Cursor<'_>) -> Flags {
    let mut flags = Flags::implied(opcode);
    while let Some(word) = cursor.peek_word() {
        let found = Flags::words(opcode).iter().find(|(_, known)| *known == word);
        let Some(&(flag, _)) = found else { break };
        flags = flags.with(flag);
        if flag == Flags::INBOUNDS {
            flags = flags.with(Flags::NSW);
        }
        cursor.next();
    }
    flags
}

fn label_of(line: &Line) -> Option<Name> {
    match line.tokens.as_slice() {
        [Token::Word(name) | Token::Text(name), Token::Sign(":")] => Some(Name::Own(name.clone())),
        [Token::Number(digits), Token::Sign(":")] => digits.parse().ok().map(Name::Number),
        _ => None,
    }
}

/// The result that a line defines.
fn result_of(line: &Line) -> Option<&Name> {
    match line.tokens.as_slice() {
        [Token::Local(name), Token::Sign("="), ..] => Some(name),
        _ => None,
    }
}

impl Reader<'_> {
    /// Gives labels and results their ids, and blocks their instructions.
    fn number(&mut self, body: &[Line]) -> Parsed<()> {
        let mut count = 0;
        for line in body {
            let label = label_of(line);
            if label.is_some() || self.function.blocks.is_empty() {
                let id = self.function.blocks.push(Block {
                    instructions: count..count,
                    successors: Vec::new(),
                    flow: Flow::None,
                    weights: None,
                    latch: LatchFacts::default(),
                });
                if let Some(label) = label {
                    self.locals.define(&label, Value::Block(id), &line.cursor())?;
                    continue;
                }
            }
            let id = InstructionId::new(count as usize);
            if let Some(name) = result_of(line) {
                self.locals.define(name, Value::Instruction(id), &line.cursor())?;
            }
            count += 1;
            self.lines.push(line.number);
            let last = BlockId::new(self.function.blocks.len() - 1);
            self.function.blocks[last].instructions.end = count;
        }
        self.function.names = std::mem::take(&mut self.locals.names);
        Ok(())
    }

    fn instruction(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let has_result = matches!(cursor.peek_second(), Some(Token::Sign("=")));
        if has_result {
            cursor.local("the name of a result")?;
            cursor.sign("=")?;
        }
        let tail = tail_kind(cursor);
        let Some(opcode) = cursor.peek_word().and_then(Opcode::from_name) else {
            return cursor.expected("an opcode");
        };
        cursor.next();
        let flags = flags(opcode, cursor);
        let predicate = predicate(opcode, cursor)?;
        let (ty, second_type) = self.types(opcode, cursor)?;
        if has_result && self.parser.module.types[ty] == Type::Void {
            return cursor.expected("no name for a result of type void");
        }
        let start = self.function.operands.len() as u32;
        let id = self.function.instructions.next_id();
        match opcode {
            _ if opcode.is_call() => self.call(id, tail, cursor)?,
            Opcode::Phi => self.phi(ty, cursor)?,
            _ => self.operands(second_type.or(opcode.has_type().then_some(ty)), cursor)?,
        }
        let operands = start..self.function.operands.len() as u32;
        let notes = notes(cursor, possible_notes(opcode))?;
        let (place, tag) = (notes.place, notes.tag);
        if let Some(name) = &notes.name {
            self.function.source_names.insert(Value::Instruction(id), name.clone());
        }
        if opcode.is_terminator() {
            self.end_block(id, opcode, notes, operands.start as usize);
        }
        let instruction = Instruction { opcode, predicate, ty, second_type, operands, flags, tag, place };
        self.function.instructions.push(instruction);
        Ok(())
    }

    /// The result's type and the second one.
    fn types(&mut self, opcode: Opcode, cursor: &mut Cursor<'_>) -> Parsed<(TypeId, Option<TypeId>)> {
        let is_bare_ret = opcode == Opcode::Ret && matches!(cursor.peek(), None | Some(Token::Note(_)));
        if is_bare_ret || (opcode == Opcode::Ret && cursor.eat_word("void")) {
            return Ok((self.parser.intern(Type::Void), None));
        }
        if opcode.has_second_type() {
            let second = self.parser.ty(cursor)?;
            let ty = match default_result(opcode) {
                Some(ty) if !cursor.eat("->") => self.parser.intern(ty),
                _ => self.parser.ty(cursor)?,
            };
            return Ok((ty, Some(second)));
        }
        let ty = if opcode.has_type() { self.parser.ty(cursor)? } else { self.parser.intern(Type::Void) };
        Ok((ty, None))
    }

    /// Flow and successors, from a terminator's operands.
    fn end_block(&mut self, id: InstructionId, opcode: Opcode, notes: Notes, start: usize) {
        let block = self.function.block_of(id);
        let targets = self.function.operands[start..].iter().filter_map(|operand| match operand {
            Value::Block(target) => Some(*target),
            _ => None,
        });
        let successors = targets.collect();
        let block = &mut self.function.blocks[block];
        (block.successors, block.flow) = (successors, Flow::of(opcode));
        (block.weights, block.latch) = (notes.weights, notes.latch);
    }

    fn phi(&mut self, ty: TypeId, cursor: &mut Cursor<'_>) -> Parsed<()> {
        while !matches!(cursor.peek(), None | Some(Token::Note(_))) {
            cursor.eat(",");
            cursor.sign("[")?;
            let value = self.operand(Some(ty), cursor)?;
            cursor.sign(",")?;
            let block = self.local(cursor)?;
            cursor.sign("]")?;
            self.function.operands.extend([value, block]);
        }
        Ok(())
    }

    fn operands(&mut self, kept: Option<TypeId>, cursor: &mut Cursor<'_>) -> Parsed<()> {
        loop {
            self.skip_noise(cursor);
            if matches!(cursor.peek(), None | Some(Token::Note(_))) {
                return Ok(());
            }
            let value = self.operand(kept, cursor)?;
            self.function.operands.push(value);
        }
    }
}
