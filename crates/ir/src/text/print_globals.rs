//! How is what stands beside the functions written down?

use super::lex::{write_name, write_quoted};
use super::notes::write_source_name;
use super::parse_globals::NO_TYPE;
use super::printer::Printer;
use crate::{Contents, Global, GlobalKind, Linkage, ScalarValue, Type, Value};

impl Printer<'_> {
    pub(super) fn globals(&mut self) {
        let module = self.module;
        module.metadata.iter().for_each(|name| self.line_of_text("metadata", name));
        module.assembly_names.iter().for_each(|name| self.line_of_text("in_assembly", name));
        module.globals.values().for_each(|global| self.global(global));
        for initializer in &module.initializers {
            self.put(if initializer.at_end { "destructor " } else { "constructor " });
            self.number(initializer.priority);
            match initializer.function {
                Some(function) => {
                    self.put(" ");
                    self.function_name(function);
                }
                None => self.put(" none"),
            }
            self.put("\n");
        }
    }

    fn global(&mut self, global: &Global) {
        self.put(match global.kind {
            GlobalKind::Variable => "global ",
            GlobalKind::Alias => "alias ",
            GlobalKind::Resolver => "ifunc ",
        });
        self.put(match global.linkage {
            Linkage::Exact => "",
            Linkage::Local => "internal ",
            Linkage::Replaceable => "weak ",
            Linkage::Elsewhere => "external ",
        });
        self.put("@");
        write_name(&global.name, &mut self.out);
        self.section(global.section.as_deref());
        self.put(if global.leads_into_code { " into_code" } else { "" });
        self.put(if global.gives_away_blocks { " blocks" } else { "" });
        self.what_lies_there(global);
        if let Some(place) = global.place {
            self.put(" !at ");
            self.number(opcost_index::Id::index(place));
        }
        write_source_name(global.source_name.as_deref(), &mut self.out);
        for (offset, name) in &global.members {
            self.put(&format!(" !member {offset} "));
            write_quoted(name, &mut self.out);
        }
        self.put("\n");
    }

    fn what_lies_there(&mut self, global: &Global) {
        if self.module.types[global.ty] != Type::Other(NO_TYPE.into()) {
            self.put(" type ");
            self.ty(global.ty);
        }
        let is_elsewhere = global.linkage == Linkage::Elsewhere;
        self.put(match global.is_declared {
            true if !is_elsewhere => " declared",
            false if is_elsewhere => " defined",
            _ => "",
        });
        self.put(if global.is_thread_local { " thread_local" } else { "" });
        self.put(if global.is_constant { " constant" } else { "" });
        self.put(if global.is_given_away { " given_away" } else { "" });
        if let Some(contents) = &global.contents {
            self.contents(contents);
        }
    }

    fn contents(&mut self, contents: &Contents) {
        self.put(" = {");
        for (position, &(offset, ty, value)) in contents.scalars.iter().enumerate() {
            self.put(if position > 0 { ", " } else { " " });
            self.number(offset);
            self.put(": ");
            self.ty(ty);
            self.put(" ");
            match value {
                ScalarValue::Constant(value) => self.constant_value(value),
                ScalarValue::Function(function) => self.function_name(function),
            }
        }
        self.put(if contents.is_complete { " }" } else { " } incomplete" });
    }

    /// `@name`; nothing of a value that is no function.
    fn function_name(&mut self, function: Value) {
        let name = match function {
            Value::Function(id) => &self.module.functions[id].name,
            Value::Declaration(id) => &self.module.declarations[id].name,
            _ => return,
        };
        self.put("@");
        write_name(name, &mut self.out);
    }

    pub(super) fn section(&mut self, section: Option<&str>) {
        if let Some(section) = section {
            self.put(" section ");
            write_quoted(section, &mut self.out);
        }
    }
}
