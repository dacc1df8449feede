//! How is a whole module written down, so that it can be read back?
//!
//! Line by line, in the manner of LLVM's text form: tables first (files,
//! places, types, constants, each in the order of its ids), then declarations,
//! then functions. What has its usual value is not written: linkage exact, no
//! attributes, `ptr` as the type of a `getelementptr`, a constant's type where
//! the line says it already. Flow kinds and successors are those of the
//! terminator. `parse_module(&print_module(m)) == Ok(m)` for every module that
//! [`verify`](crate::verify) passes. Cost: linear.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use opcost_index::Id;
use opcost_key::PlaceId;

use super::lex::{Token, lex, write_name, write_quoted};
use super::parse_type::OTHERS;
use super::print_function::FunctionPrinter;
use super::{CONSTANT_WORDS, default_type};
use crate::types::write_type;
use crate::{ConstantId, Module, Type, TypeId};

/// The module as text.
pub fn print_module(module: &Module) -> String {
    let mut printer = Printer::new(module);
    printer.tables();
    printer.globals();
    for declaration in module.declarations.values() {
        printer.put("declare @");
        write_name(&declaration.name, &mut printer.out);
        if declaration.is_intrinsic != declaration.name.starts_with("llvm.") {
            printer.put(if declaration.is_intrinsic { " intrinsic" } else { " plain" });
        }
        printer.put("\n");
    }
    for function in module.functions.values() {
        FunctionPrinter::new(&mut printer, function).function();
    }
    printer.out
}

pub(super) struct Printer<'a> {
    pub(super) module: &'a Module,
    pub(super) out: String,
    /// The first constant of each type and text: the one that the text names.
    constants: HashMap<(TypeId, &'a str), ConstantId>,
    functions: HashSet<&'a str>,
}

impl<'a> Printer<'a> {
    fn new(module: &'a Module) -> Self {
        let mut constants = HashMap::new();
        for (id, constant) in module.constants.iter() {
            constants.entry((constant.ty, &*constant.text)).or_insert(id);
        }
        let functions = module.functions.values().map(|function| &*function.name);
        let declarations = module.declarations.values().map(|declaration| &*declaration.name);
        Self { module, out: String::new(), constants, functions: functions.chain(declarations).collect() }
    }

    pub(super) fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn number(&mut self, number: impl std::fmt::Display) {
        write!(self.out, "{number}").expect("writing to a string");
    }

    fn tables(&mut self) {
        let module = self.module;
        for (word, text) in [("source", &module.source_name), ("triple", &module.triple)] {
            if !text.is_empty() {
                self.line_of_text(word, text);
            }
        }
        if module.has_module_assembly {
            self.put("assembly\n");
        }
        module.files.values().for_each(|file| self.line_of_text("file", file));
        module.places.ids().for_each(|id| self.place(id));
        module.types.iter().for_each(|(id, ty)| self.type_line(id, ty));
        for constant in module.constants.values() {
            self.put("constant ");
            self.ty(constant.ty);
            self.put(" ");
            self.put(&self.constant_text(&constant.text));
            self.put("\n");
        }
    }

    pub(super) fn line_of_text(&mut self, word: &str, text: &str) {
        self.put(word);
        self.put(" ");
        write_quoted(text, &mut self.out);
        self.put("\n");
    }

    fn place(&mut self, id: PlaceId) {
        let place = &self.module.places[id];
        write!(self.out, "place {} {}:{}", place.file.index(), place.line, place.column)
            .expect("writing to a string");
        if let Some(function) = &place.inlined_function {
            self.put(" in ");
            write_quoted(function, &mut self.out);
        }
        if let Some(outer) = place.inlined_at {
            self.put(" at ");
            self.number(outer.index());
        }
        self.put("\n");
    }

    fn type_line(&mut self, id: TypeId, ty: &Type) {
        self.put("type ");
        self.ty(id);
        if let Type::Struct { name: Some(_), fields, packed } = ty {
            self.put(if *packed { " = <{ " } else { " = { " });
            for (position, &field) in fields.iter().enumerate() {
                self.put(if position > 0 { ", " } else { "" });
                self.ty(field);
            }
            self.put(if *packed { " }>" } else { " }" });
        }
        self.put("\n");
    }

    pub(super) fn ty(&mut self, id: TypeId) {
        write_type(&self.module.types, id, TYPE_NAMES, &mut self.out);
    }

    /// As it is where it is one word that reads as a constant, else in quotes.
    fn constant_text(&self, text: &str) -> String {
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
