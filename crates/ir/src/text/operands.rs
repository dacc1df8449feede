//! Which value is an operand? Reads it, with what is known inside of a function.
//!
//! An operand may repeat the type of a local value, and `[`, `]`, `to`,
//! `unwind` may stand where LLVM writes them.

use std::collections::HashMap;

use opcost_index::Id;

use super::cursor::{Cursor, Parsed};
use super::lex::{Name, Token};
use super::parser::Parser;
use super::{CONSTANT_WORDS, default_type};
use crate::{ConstantId, Function, TypeId, Value};

/// Local values by name or number.
#[derive(Default)]
pub(super) struct Locals {
    pub(super) values: HashMap<Name, Value>,
    pub(super) names: HashMap<Value, Box<str>>,
}

impl Locals {
    pub(super) fn define(&mut self, name: &Name, value: Value, cursor: &Cursor<'_>) -> Parsed<()> {
        if self.values.insert(name.clone(), value).is_some() {
            return cursor.expected(format!("no second {} in the function", Token::Local(name.clone())));
        }
        if let Name::Own(text) = name {
            self.names.insert(value, text.as_str().into());
        }
        Ok(())
    }
}

/// A function that is being read.
pub(super) struct Reader<'p> {
    pub(super) parser: &'p mut Parser,
    pub(super) function: Function,
    pub(super) locals: Locals,
    /// Where each instruction is written.
    pub(super) lines: Vec<usize>,
}

impl Reader<'_> {
    /// Steps over what LLVM writes between operands.
    pub(super) fn skip_noise(&self, cursor: &mut Cursor<'_>) {
        const WORDS: &[&str] = &["to", "unwind", "cleanup", "catch"];
        while cursor.eat(",")
            || cursor.eat("]")
            || (!cursor.is_array() && cursor.eat("["))
            || WORDS.iter().any(|word| cursor.eat_word(word))
        {}
    }

    /// One operand; `kept` is the type of a constant that says none.
    pub(super) fn operand(&mut self, kept: Option<TypeId>, cursor: &mut Cursor<'_>) -> Parsed<Value> {
        if cursor.peek_word() == Some("label") && matches!(cursor.peek_second(), Some(Token::Local(_))) {
            cursor.next();
            return self.local(cursor);
        }
        let said = if self.parser.interner.is_type(cursor) { Some(self.parser.ty(cursor)?) } else { None };
        let Some(token) = cursor.peek() else { return cursor.expected("an operand") };
        let mut text = match token {
            Token::Local(_) => return self.local(cursor),
            Token::Hash(number) if (*number as usize) < self.parser.module.constants.len() => {
                cursor.next();
                return Ok(Value::Constant(ConstantId::new(*number as usize)));
            }
            Token::Global(name) => match self.parser.globals.get(name) {
                Some(&value) => {
                    cursor.next();
                    return Ok(value);
                }
                None => format!("@{name}"),
            },
            Token::Constant(text) | Token::Number(text) => text.clone(),
            Token::Word(word) if CONSTANT_WORDS.contains(&word.as_str()) => word.clone(),
            _ => return cursor.expected("an operand"),
        };
        let unsaid = default_type(token).map(|ty| self.parser.intern(ty)).or(kept);
        let Some(ty) = said.or(unsaid) else { return cursor.expected("the type of a constant before it") };
        cursor.next();
        // `@data+8`
        if let (Token::Global(_), Some(Token::Number(offset))) = (token, cursor.peek())
            && offset.starts_with(['+', '-'])
        {
            cursor.next();
            text.push_str(offset);
        }
        Ok(Value::Constant(self.parser.constant(ty, &text)))
    }

    pub(super) fn local(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Value> {
        match cursor.peek() {
            Some(Token::Local(name)) if self.locals.values.contains_key(name) => {
                cursor.next();
                Ok(self.locals.values[name])
            }
            _ => cursor.expected("a value of this function"),
        }
    }
}
