//! What module does a text describe? Reads what `print_module` writes, and
//! what people write by hand.
//!
//! Functions and declarations get their ids from a first look at the lines, so
//! that bodies may call ahead; then every line is read once. Types and
//! constants that no line of the tables names are interned where they occur.
//! The module that comes out has passed [`verify`]. Cost: linear. No text makes
//! it panic.

use opcost_index::Id;
use opcost_key::{FileId, FunctionId, Place, PlaceId};

use super::cursor::{Cursor, ParseError, Parsed};
use super::lex::{Token, lex};
use super::parse_function::parse_function;
use super::parse_globals::introduction;
use super::parser::{Line, Parser};
use crate::{DeclarationId, GlobalId, Module, Value, verify};

/// Reads a module.
///
/// # Errors
/// The line that cannot be read, and what is expected there.
pub fn parse_module(text: &str) -> Result<Module, ParseError> {
    let mut lines = Vec::new();
    for (position, line) in text.lines().enumerate() {
        let tokens = lex(line).map_err(|wrong| ParseError {
            line: position + 1,
            expected: wrong.expected.to_owned(),
            actual: format!("'{}'", line.trim()),
        })?;
        if !tokens.is_empty() {
            lines.push(Line { number: position + 1, tokens });
        }
    }
    let mut parser = Parser::default();
    parser.number_functions(&lines)?;
    let mut rest = lines.as_slice();
    while let Some((line, behind)) = rest.split_first() {
        rest = behind;
        let mut cursor = line.cursor();
        if cursor.eat_word("define") {
            rest = parse_function(&mut parser, cursor, behind)?;
        } else {
            parser.line(&mut cursor)?;
            cursor.end()?;
        }
    }
    parser.verified()
}

impl Parser {
    fn number_functions(&mut self, lines: &[Line]) -> Parsed<()> {
        let (mut functions, mut declarations, mut data) = (0, 0, 0);
        for line in lines {
            let mut cursor = line.cursor();
            if is_data(&cursor) {
                let name = introduction(&mut cursor)?.name;
                self.data.entry(name).or_insert(GlobalId::new(data));
                data += 1;
                continue;
            }
            let (value, count) = if cursor.eat_word("define") {
                (Value::Function(FunctionId::new(functions)), &mut functions)
            } else if cursor.eat_word("declare") {
                (Value::Declaration(DeclarationId::new(declarations)), &mut declarations)
            } else {
                continue;
            };
            // `define:` is a label.
            if matches!(cursor.peek(), Some(Token::Sign(":"))) {
                continue;
            }
            *count += 1;
            while !matches!(cursor.peek(), Some(Token::Global(_)) | None) {
                cursor.next();
            }
            let name = cursor.global("the name of a function")?;
            if self.globals.insert(name.to_owned(), value).is_some() {
                return cursor.expected(format!("no second function @{name}"));
            }
        }
        Ok(())
    }

    /// A line outside functions.
    fn line(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        match cursor.peek_word() {
            Some("source") => self.module.source_name = text_behind(cursor, "the name of the source file")?,
            Some("triple") => self.module.triple = text_behind(cursor, "the target triple")?,
            Some("data_layout") => self.module.data_layout = text_behind(cursor, "a data layout")?.into(),
            Some("tag_type") => self.tag_type(cursor)?,
            Some("tag") => self.tag(cursor)?,
            Some("producer") => {
                let producer = text_behind(cursor, "what a compiler calls itself")?;
                self.module.producers.push(producer);
            }
            Some("file") => {
                let file = text_behind(cursor, "the path of a file")?;
                self.module.files.push(file);
                if cursor.eat_word("md5") {
                    let digits = match cursor.peek() {
                        Some(Token::Text(_)) => Some(cursor.text("the MD5 of a file")?.into()),
                        _ => None,
                    };
                    self.module.checksums.push(digits);
                }
            }
            Some("assembly") => {
                cursor.next();
                self.module.has_module_assembly = true;
                self.module.module_assembly_has_code = cursor.eat_word("code");
                self.module.module_assembly_may_round = cursor.eat_word("rounds");
            }
            Some("place") => self.place(cursor)?,
            Some("type") => self.type_line(cursor)?,
            Some("constant") => self.constant_line(cursor)?,
            Some("declare") => self.declaration(cursor)?,
            Some("in_assembly") => {
                let name = text_behind(cursor, "a name in assembly")?;
                self.module.assembly_names.push(name.into());
            }
            Some("metadata") => {
                let name = text_behind(cursor, "the name of metadata")?;
                self.module.metadata.push(name.into());
            }
            Some("global" | "alias" | "ifunc") => self.global(cursor)?,
            Some("constructor" | "destructor") => self.initializer(cursor)?,
            _ => {
                return cursor.expected(
                    "'define', 'declare', 'global', 'alias', 'ifunc', 'constructor', 'destructor', 'metadata', 'type', \
                     'constant', 'place', 'producer', 'file', 'source', 'triple', 'data_layout', 'tag_type', 'tag' or 'assembly'",
                );
            }
        }
        Ok(())
    }

    fn place(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.next();
        let file = FileId::new(cursor.number::<u32>("the number of a file")? as usize);
        let line = cursor.number("a line")?;
        cursor.sign(":")?;
        let column = cursor.number("a column")?;
        let inlined_function = if cursor.eat_word("in") {
            Some(cursor.text("the name of the inlined function")?.to_owned())
        } else {
            None
        };
        let inlined_at = if cursor.eat_word("at") {
            Some(PlaceId::new(cursor.number::<u32>("the number of a place")? as usize))
        } else {
            None
        };
        self.module.places.push(Place { file, line, column, inlined_function, inlined_at });
        Ok(())
    }

    fn type_line(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.next();
        match (cursor.peek(), cursor.peek_second()) {
            (Some(Token::Local(_)), Some(Token::Sign("="))) => {
                self.interner.define_struct(&mut self.module, cursor)
            }
            _ => self.ty(cursor).map(|_| ()),
        }
    }

    fn constant_line(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.next();
        let ty = self.ty(cursor)?;
        let mut text = match cursor.next() {
            Some(Token::Number(text) | Token::Word(text) | Token::Constant(text)) => text.clone(),
            Some(Token::Global(name)) => format!("@{name}"),
            _ => return cursor.expected("the text of a constant"),
        };
        if let (true, Some(Token::Number(offset))) = (text.starts_with('@'), cursor.peek()) {
            text.push_str(offset);
            cursor.next();
        }
        let value = match cursor.eat("=") {
            true => self.value(ty, cursor)?,
            false => self.value_of(ty, &text),
        };
        self.interner.new_constant(&mut self.module, ty, &text, value);
        Ok(())
    }

    /// Calls that say nothing of memory do to it what their callees do.
    fn settle_effects(&mut self) {
        for &(function, position) in &self.unsaid_effects {
            let callee = self.module.functions[function].calls[position].1.callee;
            let effects = super::default_effects(&self.module, callee);
            self.module.functions[function].calls[position].1.memory = effects;
        }
    }

    fn verified(mut self) -> Parsed<Module> {
        self.settle_effects();
        let Err(malformed) = verify(&self.module) else { return Ok(self.module) };
        let (function, instruction) = (malformed.function, malformed.instruction);
        let lines = function.and_then(|function| self.lines.get(function.index()));
        let line = lines.map_or(1, |(start, lines)| {
            let of_instruction = instruction.and_then(|instruction| lines.get(instruction.index()));
            *of_instruction.unwrap_or(start)
        });
        Err(ParseError { line, expected: malformed.expected, actual: malformed.actual })
    }
}

/// Whether a line is of data or a second name; such a word may be a label.
fn is_data(cursor: &Cursor<'_>) -> bool {
    let is_word = matches!(cursor.peek_word(), Some("global" | "alias" | "ifunc"));
    is_word && !matches!(cursor.peek_second(), Some(Token::Sign(":")))
}

fn text_behind(cursor: &mut Cursor<'_>, what: &str) -> Parsed<String> {
    cursor.next();
    cursor.text(what).map(str::to_owned)
}
