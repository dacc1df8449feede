//! What does a call say? Reads callee, arguments, targets and facts.

use opcost_key::InstructionId;

use super::cursor::{Cursor, Parsed};
use super::default_callee;
use super::effects::memory;
use super::lex::Token;
use super::operands::Reader;
use crate::{Call, CalleeRef, MemoryEffects, TailKind, Value};

impl Reader<'_> {
    pub(super) fn call(&mut self, id: InstructionId, tail: TailKind, cursor: &mut Cursor<'_>) -> Parsed<()> {
        if let Some(Token::Global(name)) = cursor.peek()
            && !self.parser.globals.contains_key(name)
        {
            return cursor.expected("a function that is defined or declared (or ptr c\"@name\")");
        }
        let callee = self.operand(None, cursor)?;
        self.arguments(cursor)?;
        self.function.operands.push(callee);
        let mut call = Call {
            callee: default_callee(&self.parser.module, callee),
            is_nounwind: false,
            is_willreturn: false,
            is_noreturn: false,
            returns_twice: false,
            tail,
            is_empty_assembly: false,
            assembly_may_leave: false,
            assembly_may_round: false,
            is_nobuiltin: false,
            copied_bytes: 0,
            memory: MemoryEffects::UNKNOWN,
        };
        if !self.call_facts(&mut call, cursor)? {
            // That of the callee, which may stand further down.
            let function = self.parser.module.functions.next_id();
            self.parser.unsaid_effects.push((function, self.function.calls.len()));
        }
        self.function.calls.push((id, call));
        Ok(())
    }

    /// Arguments and then targets.
    fn arguments(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.sign("(")?;
        let mut is_first = true;
        while !cursor.eat(")") {
            if !std::mem::take(&mut is_first) {
                cursor.sign(",")?;
            }
            let argument = self.operand(None, cursor)?;
            self.function.operands.push(argument);
        }
        loop {
            self.skip_noise(cursor);
            if cursor.peek_word() != Some("label") {
                break;
            }
            let target = self.operand(None, cursor)?;
            self.function.operands.push(target);
        }
        Ok(())
    }

    /// Whom the call calls, where its operand does not say it.
    fn stated_callee(&mut self, call: &mut Call, cursor: &mut Cursor<'_>) -> Parsed<()> {
        if !cursor.eat_word("calls") {
            return Ok(());
        }
        call.callee = match cursor.peek() {
            Some(Token::Word(word)) if word == "indirect" => CalleeRef::Indirect,
            Some(Token::Word(word)) if word == "assembly" => CalleeRef::Assembly,
            Some(Token::Global(name)) => match self.parser.globals.get(name) {
                Some(&Value::Function(id)) => CalleeRef::Function(id),
                Some(&Value::Declaration(id)) => CalleeRef::Declaration(id),
                _ => return cursor.expected("a function that is defined or declared"),
            },
            _ => return cursor.expected("'indirect', 'assembly' or a function"),
        };
        cursor.next();
        Ok(())
    }

    /// Whether effects on memory are said.
    fn call_facts(&mut self, call: &mut Call, cursor: &mut Cursor<'_>) -> Parsed<bool> {
        self.stated_callee(call, cursor)?;
        let mut is_said = false;
        while let Some(word) = cursor.peek_word() {
            if let Some(effects) = memory(cursor)? {
                (call.memory, is_said) = (effects, true);
                continue;
            }
            if word == "copies" {
                cursor.next();
                call.copied_bytes = cursor.number("a number of bytes")?;
                break;
            }
            *match word {
                "nounwind" => &mut call.is_nounwind,
                "willreturn" => &mut call.is_willreturn,
                "noreturn" => &mut call.is_noreturn,
                "returns_twice" => &mut call.returns_twice,
                "empty" => &mut call.is_empty_assembly,
                "far" => &mut call.assembly_may_leave,
                "rounds" => &mut call.assembly_may_round,
                "nobuiltin" => &mut call.is_nobuiltin,
                _ => {
                    return cursor.expected(
                        "'nounwind', 'willreturn', 'noreturn', 'returns_twice', 'empty', 'far', 'rounds', 'nobuiltin', 'memory' or 'copies'",
                    );
                }
            } = true;
            cursor.next();
        }
        Ok(is_said)
    }
}

/// Steps over a tail marker before the opcode.
pub(super) fn tail_kind(cursor: &mut Cursor<'_>) -> TailKind {
    let tail = match cursor.peek_word() {
        Some("tail") => TailKind::Tail,
        Some("musttail") => TailKind::MustTail,
        Some("notail") => TailKind::NoTail,
        _ => return TailKind::None,
    };
    cursor.next();
    tail
}
