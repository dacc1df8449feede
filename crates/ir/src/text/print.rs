//! How is a whole module written down, so that it can be read back?
//!
//! Line by line, in the manner of LLVM's text form: tables first (files,
//! places, types, constants, tags, each in the order of its ids), then data,
//! declarations and functions. What has its usual value is not written: linkage exact, no
//! attributes, `ptr` as the type of a `getelementptr`, a constant's type where
//! the line says it already. Flow kinds and successors are those of the
//! terminator. `parse_module(&print_module(m)) == Ok(m)` for every module that
//! [`verify`](crate::verify) passes. Cost: linear.

use std::fmt::Write;

use opcost_index::Id;
use opcost_key::PlaceId;

use super::lex::write_quoted;
use super::print_function::FunctionPrinter;
use super::printer::Printer;
use crate::{Constant, ConstantValue, Module, Type, TypeId};

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

impl Printer<'_> {
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
        module.producers.iter().for_each(|producer| self.line_of_text("producer", producer));
        for (id, file) in module.files.iter() {
            self.file(file, module.checksums.get(id).map(Option::as_deref));
        }
        module.places.ids().for_each(|id| self.place(id));
        module.types.iter().for_each(|(id, ty)| self.type_line(id, ty));
        module.constants.values().for_each(|constant| self.constant_line(constant));
        self.tags();
    }

    /// A file; after it `md5`, where the module keeps checksums, and the digits, where it says them.
    fn file(&mut self, path: &str, checksum: Option<Option<&str>>) {
        self.put("file ");
        write_quoted(path, &mut self.out);
        if let Some(digits) = checksum {
            self.put(" md5");
            if let Some(digits) = digits {
                self.put(" ");
                write_quoted(digits, &mut self.out);
            }
        }
        self.put("\n");
    }

    /// A constant, with its value where the text alone does not say it.
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
}
