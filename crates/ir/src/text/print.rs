//! How is a whole module written down, so that it can be read back?
//!
//! Line by line, in the manner of LLVM's text form: tables first (files,
//! places, types, constants, tags, each in the order of its ids), then data,
//! declarations and functions. What has its usual value is not written: linkage exact, no
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
use crate::{Constant, ConstantId, ConstantValue, GlobalId, Module, Type, TypeId};

/// The module as text.
pub fn print_module(module: &Module) -> String {
    let mut printer = Printer::new(module);
    printer.tables();
    printer.globals();
    module.declarations.values().for_each(|declaration| printer.declaration(declaration));
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
    /// Data and second names; of several of one name, the first.
    data: HashMap<&'a str, GlobalId>,
}

impl<'a> Printer<'a> {
    fn new(module: &'a Module) -> Self {
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

    fn tables(&mut self) {
        let module = self.module;
        let texts = [
            ("source", &*module.source_name),
            ("triple", &*module.triple),
            ("data_layout", &*module.data_layout),
        ];
        for (word, text) in texts {
            if !text.is_empty() {
                self.line_of_text(word, text);
            }
        }
        if module.has_module_assembly {
            self.put("assembly");
            self.put(if module.module_assembly_has_code { " code" } else { "" });
            self.put(if module.module_assembly_may_round { " rounds\n" } else { "\n" });
        }
        module.files.values().for_each(|file| self.line_of_text("file", file));
        module.places.ids().for_each(|id| self.place(id));
        module.types.iter().for_each(|(id, ty)| self.type_line(id, ty));
        module.constants.values().for_each(|constant| self.constant_line(constant));
        self.tags();
    }

    /// A constant, with its value where the text alone does not tell.
    fn constant_line(&mut self, constant: &Constant) {
        self.put("constant ");
        self.ty(constant.ty);
        self.put(" ");
        self.put(&self.constant_text(&constant.text));
        let ty = &self.module.types[constant.ty];
        let unsaid = ConstantValue::of_text(ty, &constant.text, |name| self.data.get(name).copied());
        if constant.value != unsaid {
            self.put(" = ");
            self.constant_value(constant.value);
        }
        self.put("\n");
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

    /// What a constant is, where its text does not tell.
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
