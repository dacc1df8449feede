//! What has been written so far, and how do names, types and constants read?
//!
//! Names decide what must be said: of several things with one name only the
//! first can be meant by it. Every writer of a part adds to it. Cost: linear.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use opcost_index::Id;

use super::lex::{Token, lex, write_name, write_quoted};
use super::parse_type::OTHERS;
use super::{CONSTANT_WORDS, default_type};
use crate::types::write_type;
use crate::{ConstantId, ConstantValue, GlobalId, Module, TypeId};

/// A text that is being written.
pub(super) struct Printer<'a> {
    pub(super) module: &'a Module,
    pub(super) out: String,
    /// The first constant of each type and text: the one that the text names.
    pub(super) constants: HashMap<(TypeId, &'a str), ConstantId>,
    pub(super) functions: HashSet<&'a str>,
    /// Data and second names; of several of one name, the first.
    pub(super) data: HashMap<&'a str, GlobalId>,
}

impl<'a> Printer<'a> {
    pub(super) fn new(module: &'a Module) -> Self {
        let mut constants = HashMap::new();
        for (id, constant) in module.constants.iter() {
            constants.entry((constant.ty, &*constant.text)).or_insert(id);
        }
        let functions = module.functions.values().map(|function| &*function.name);
        let declarations = module.declarations.values().map(|declaration| &*declaration.name);
        let functions = functions.chain(declarations).collect();
        let mut data = HashMap::new();
        for (id, global) in module.globals.iter() {
            data.entry(&*global.name).or_insert(id);
        }
        Self { module, out: String::new(), constants, functions, data }
    }

    pub(super) fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn number(&mut self, number: impl std::fmt::Display) {
        write!(self.out, "{number}").expect("writing to a string");
    }

    pub(super) fn line_of_text(&mut self, word: &str, text: &str) {
        self.put(word);
        self.put(" ");
        write_quoted(text, &mut self.out);
        self.put("\n");
    }

    /// What a constant is, where its text does not say it.
    pub(super) fn constant_value(&mut self, value: ConstantValue) {
        match value {
            ConstantValue::Integer(value) => self.number(value),
            ConstantValue::Float(bits) => self.put(&format!("0x{bits:016X}")),
            ConstantValue::Null => self.put("null"),
            ConstantValue::Undef => self.put("undef"),
            ConstantValue::Poison => self.put("poison"),
            ConstantValue::Zero => self.put("zeroinitializer"),
            ConstantValue::Other => self.put("other"),
            ConstantValue::Global { global, offset } => {
                let name = &*self.module.globals[global].name;
                if self.data[name] == global && !self.functions.contains(name) {
                    self.put("@");
                    write_name(name, &mut self.out);
                } else {
                    self.put("global ");
                    self.number(global.index());
                }
                if offset != 0 {
                    self.put(&format!(" {offset:+}"));
                }
            }
        }
    }

    pub(super) fn ty(&mut self, id: TypeId) {
        write_type(&self.module.types, id, TYPE_NAMES, &mut self.out);
    }

    /// As it is where it is one word that reads as a constant, else in quotes.
    pub(super) fn constant_text(&self, text: &str) -> String {
        let is_bare = match lex(text).as_deref() {
            Ok([Token::Number(word)]) => word == text,
            Ok([Token::Word(word)]) => word == text && CONSTANT_WORDS.contains(&text),
            Ok([Token::Global(name)]) => {
                text.strip_prefix('@') == Some(name) && !self.functions.contains(&**name)
            }
            _ => false,
        };
        if is_bare { text.to_owned() } else { quoted_constant(text) }
    }

    /// A constant operand where `kept` is the type that the line has named.
    pub(super) fn constant(&mut self, id: ConstantId, kept: Option<TypeId>) {
        let Some(text) = self.own_text(id) else { return };
        let unsaid = match lex(&text).as_deref() {
            Ok([token]) => default_type(token).or(kept.map(|kept| self.module.types[kept].clone())),
            _ => None,
        };
        let ty = self.module.constants[id].ty;
        if unsaid.as_ref() != Some(&self.module.types[ty]) {
            self.ty(ty);
            self.put(" ");
        }
        self.put(&text);
    }

    /// What is called: an unknown `@name` would be taken for a slip.
    pub(super) fn called_constant(&mut self, id: ConstantId) {
        let Some(text) = self.own_text(id) else { return };
        if text == "asm" {
            return self.constant(id, None);
        }
        self.ty(self.module.constants[id].ty);
        self.put(" ");
        self.put(&quoted_constant(&self.module.constants[id].text));
    }

    /// The text of a constant; `None`, and its number written, where an
    /// earlier one reads the same.
    fn own_text(&mut self, id: ConstantId) -> Option<String> {
        let constant = &self.module.constants[id];
        if self.constants[&(constant.ty, &*constant.text)] == id {
            return Some(self.constant_text(&constant.text));
        }
        self.put("#");
        self.number(id.index());
        None
    }
}

fn quoted_constant(text: &str) -> String {
    let mut quoted = "c".to_owned();
    write_quoted(text, &mut quoted);
    quoted
}

/// How names of structs and unknown types are written.
const TYPE_NAMES: crate::types::Names = crate::types::Names {
    of_struct: write_name,
    of_other: |text, out| {
        if OTHERS.contains(&text) { out.push_str(text) } else { write_quoted(text, out) }
    },
};
