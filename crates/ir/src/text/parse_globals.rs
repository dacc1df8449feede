//! What stands beside the functions? Reads data, second names, initialisers.
//!
//! `global internal @x section "s" type i32 constant = { 0: i32 5 } !at 3`:
//! only word and name must stand. Data of which no type is said has none with a
//! size.

use super::cursor::{Cursor, Parsed};
use super::lex::Token;
use super::notes::notes;
use super::parser::Parser;
use crate::constant::{float, integer};
use crate::{
    ConstantValue, Contents, Global, GlobalId, GlobalKind, Initializer, Linkage, ScalarValue, Type, TypeId,
};
use opcost_index::Id;

/// The type of data that says none.
pub(super) const NO_TYPE: &str = "opaque";

/// What a line of data or of a second name begins with, up to the name.
pub(super) struct Introduction {
    kind: GlobalKind,
    linkage: Linkage,
    pub(super) name: String,
}

/// Reads the beginning of a line of data or of a second name.
pub(super) fn introduction(cursor: &mut Cursor<'_>) -> Parsed<Introduction> {
    let kind = match cursor.peek_word() {
        Some("alias") => GlobalKind::Alias,
        Some("ifunc") => GlobalKind::Resolver,
        _ => GlobalKind::Variable,
    };
    cursor.next();
    let linkage = match cursor.peek_word() {
        Some("internal" | "private") => Linkage::Local,
        Some("weak" | "linkonce") => Linkage::Replaceable,
        Some("external") => Linkage::Elsewhere,
        _ => Linkage::Exact,
    };
    if linkage != Linkage::Exact {
        cursor.next();
    }
    let name = match cursor.peek() {
        Some(Token::Text(name) | Token::Global(name)) => name.clone(),
        _ => return cursor.expected("the name of data, @name or in quotes"),
    };
    cursor.next();
    Ok(Introduction { kind, linkage, name })
}

impl Parser {
    /// A line of data or of a second name.
    pub(super) fn global(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let Introduction { kind, linkage, name } = introduction(cursor)?;
        let section = section(cursor)?;
        let leads_into_code = cursor.eat_word("into_code");
        let gives_away_blocks = cursor.eat_word("blocks");
        let ty = match cursor.eat_word("type") {
            true => self.ty(cursor)?,
            false => self.intern(Type::Other(NO_TYPE.into())),
        };
        let is_declared = match cursor.peek_word() {
            Some("declared") => true,
            Some("defined") => false,
            _ => linkage == Linkage::Elsewhere,
        };
        let _ = cursor.eat_word("declared") || cursor.eat_word("defined");
        let is_thread_local = cursor.eat_word("thread_local");
        let is_constant = cursor.eat_word("constant");
        let is_given_away = cursor.eat_word("given_away");
        let contents = if cursor.eat("=") { Some(self.contents(cursor)?) } else { None };
        let notes = notes(cursor, &["at", "name", "member"])?;
        self.module.globals.push(Global {
            name,
            kind,
            linkage,
            section,
            place: notes.place,
            leads_into_code,
            gives_away_blocks,
            ty,
            is_constant,
            is_thread_local,
            is_declared,
            is_given_away,
            contents,
            source_name: notes.name,
            members: notes.members,
        });
        Ok(())
    }

    /// `{ 0: i32 5, 8: ptr @y } incomplete`
    fn contents(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Contents> {
        cursor.sign("{")?;
        let mut scalars = Vec::new();
        while !cursor.eat("}") {
            if !scalars.is_empty() {
                cursor.sign(",")?;
            }
            let offset = cursor.number("an offset in bytes")?;
            cursor.sign(":")?;
            let ty = self.ty(cursor)?;
            let function = match cursor.peek() {
                Some(Token::Global(name)) => self.globals.get(name).copied(),
                _ => None,
            };
            let value = match function {
                Some(function) => {
                    cursor.next();
                    ScalarValue::Function(function)
                }
                None => ScalarValue::Constant(self.value(ty, cursor)?),
            };
            scalars.push((offset, ty, value));
        }
        Ok(Contents { scalars, is_complete: !cursor.eat_word("incomplete") })
    }

    /// The value of a constant, where it is said.
    pub(super) fn value(&mut self, ty: TypeId, cursor: &mut Cursor<'_>) -> Parsed<ConstantValue> {
        const WORDS: [(&str, ConstantValue); 5] = [
            ("null", ConstantValue::Null),
            ("undef", ConstantValue::Undef),
            ("poison", ConstantValue::Poison),
            ("zeroinitializer", ConstantValue::Zero),
            ("other", ConstantValue::Other),
        ];
        let value = match cursor.peek() {
            Some(Token::Word(word)) if word == "global" => {
                cursor.next();
                let global = GlobalId::new(cursor.number::<u32>("the number of data")? as usize);
                return Ok(ConstantValue::Global { global, offset: offset(cursor)? });
            }
            Some(Token::Global(name)) => match self.data.get(name) {
                Some(&global) => {
                    cursor.next();
                    return Ok(ConstantValue::Global { global, offset: offset(cursor)? });
                }
                None => None,
            },
            Some(Token::Number(text)) => self.number(ty, text),
            Some(Token::Word(word)) => WORDS
                .iter()
                .find(|&&(known, _)| known == word)
                .map(|&(_, value)| value)
                .or_else(|| self.number(ty, word)),
            _ => None,
        };
        let Some(value) = value else { return cursor.expected("a value of this type") };
        cursor.next();
        Ok(value)
    }

    /// An integer, or a float by the bits of it as a double.
    fn number(&self, ty: TypeId, text: &str) -> Option<ConstantValue> {
        match &self.module.types[ty] {
            Type::Integer(bits) => integer(text, *bits).map(ConstantValue::Integer),
            // Narrower ones are written as doubles, too.
            Type::Float(name) => {
                let bits = float(text, if *name == "float" { name } else { "double" });
                bits.map(ConstantValue::Float)
            }
            _ => None,
        }
    }

    pub(super) fn initializer(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let at_end = cursor.peek_word() == Some("destructor");
        cursor.next();
        let priority = cursor.number("a priority")?;
        let function = match cursor.peek() {
            Some(Token::Word(word)) if word == "none" => None,
            Some(Token::Global(name)) if self.globals.contains_key(name) => Some(self.globals[name]),
            _ => return cursor.expected("a function that is defined or declared, or 'none'"),
        };
        cursor.next();
        self.module.initializers.push(Initializer { priority, function, at_end });
        Ok(())
    }
}

/// `+8` or `-8` after a name; else nothing.
fn offset(cursor: &mut Cursor<'_>) -> Parsed<i64> {
    match cursor.peek() {
        Some(Token::Number(text)) if text.starts_with(['+', '-']) => cursor.number("a number of bytes"),
        _ => Ok(0),
    }
}

/// `section "name"`, if it is here.
pub(super) fn section(cursor: &mut Cursor<'_>) -> Parsed<Option<Box<str>>> {
    if !cursor.eat_word("section") {
        return Ok(None);
    }
    Ok(Some(cursor.text("the name of a section")?.into()))
}
