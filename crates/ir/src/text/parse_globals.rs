//! What stands beside the functions? Reads data, second names, initialisers
//! and the names of metadata.

use super::cursor::{Cursor, Parsed};
use super::lex::Token;
use super::parse::Parser;
use super::parse_function::notes;
use crate::{Global, GlobalKind, Initializer, Linkage};

impl Parser {
    /// A line of data or of a second name; `None` if it is another line.
    pub(super) fn global(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
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
        let name = cursor.text("the name in quotes")?.to_owned();
        let section = section(cursor)?;
        let leads_into_code = cursor.eat_word("into_code");
        let gives_away_blocks = cursor.eat_word("blocks");
        let (place, _) = notes(cursor)?;
        let global = Global { name, kind, linkage, section, place, leads_into_code, gives_away_blocks };
        self.module.globals.push(global);
        Ok(())
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

/// `section "name"`, if it stands here.
pub(super) fn section(cursor: &mut Cursor<'_>) -> Parsed<Option<Box<str>>> {
    if !cursor.eat_word("section") {
        return Ok(None);
    }
    Ok(Some(cursor.text("the name of a section")?.into()))
}
