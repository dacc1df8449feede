//! How are alias tags written, and read back?
//!
//! `tag "S" 4, "int" access, "char", "C" constant`: types with the offset of
//! the access in each, from the base type to the root. Nothing said, the first
//! one is the access type. Types are told apart by name; one whose name another
//! has before it goes by its number in the lines `tag_type "name"`.

use opcost_index::Id;

use super::cursor::{Cursor, Parsed};
use super::lex::{Token, write_quoted};
use super::parser::Parser;
use super::printer::Printer;
use crate::{Tag, TagTypeId};

impl Parser {
    pub(super) fn tag_type(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.next();
        let name = cursor.text("the name of a type")?;
        self.new_tag_type(name);
        Ok(())
    }

    fn new_tag_type(&mut self, name: &str) -> TagTypeId {
        let id = self.module.tag_types.push(name.into());
        *self.tag_types.entry(name.to_owned()).or_insert(id)
    }

    pub(super) fn tag(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.next();
        let mut tag = Tag { steps: Vec::new(), access: 0, is_constant: false };
        loop {
            let ty = match cursor.peek() {
                Some(Token::Text(name)) => {
                    cursor.next();
                    let known = self.tag_types.get(name).copied();
                    known.unwrap_or_else(|| self.new_tag_type(name))
                }
                _ => TagTypeId::new(cursor.number::<u32>("a type in quotes or its number")? as usize),
            };
            let is_said = matches!(cursor.peek(), Some(Token::Number(_)));
            let offset = if is_said { cursor.number("an offset")? } else { 0 };
            if cursor.eat_word("access") {
                tag.access = tag.steps.len() as u32;
            }
            tag.steps.push((ty, offset));
            if !cursor.eat(",") {
                break;
            }
        }
        tag.is_constant = cursor.eat_word("constant");
        self.module.tags.push(tag);
        Ok(())
    }
}

impl Printer<'_> {
    pub(super) fn tags(&mut self) {
        let module = self.module;
        module.tag_types.values().for_each(|name| self.line_of_text("tag_type", name));
        let mut first = std::collections::HashMap::new();
        for (id, name) in module.tag_types.iter() {
            first.entry(&**name).or_insert(id);
        }
        for tag in module.tags.values() {
            self.put("tag");
            for (position, &(ty, offset)) in tag.steps.iter().enumerate() {
                self.put(if position > 0 { ", " } else { " " });
                let name = &*module.tag_types[ty];
                if first[name] == ty {
                    write_quoted(name, &mut self.out);
                } else {
                    self.number(ty.index());
                }
                if offset > 0 {
                    self.put(" ");
                    self.number(offset);
                }
                let is_access = position == tag.access as usize;
                self.put(if is_access && position > 0 { " access" } else { "" });
            }
            self.put(if tag.is_constant { " constant\n" } else { "\n" });
        }
    }
}
