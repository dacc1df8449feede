//! How is what stands beside the functions written down?

use super::lex::{write_name, write_quoted};
use super::print::Printer;
use crate::{Global, GlobalKind, Linkage, Value};

impl Printer<'_> {
    pub(super) fn globals(&mut self) {
        let module = self.module;
        module.metadata.iter().for_each(|name| self.line_of_text("metadata", name));
        module.globals.iter().for_each(|global| self.global(global));
        for initializer in &module.initializers {
            self.put(if initializer.at_end { "destructor " } else { "constructor " });
            self.number(initializer.priority);
            let name = match initializer.function {
                Some(Value::Function(id)) => Some(&module.functions[id].name),
                Some(Value::Declaration(id)) => Some(&module.declarations[id].name),
                _ => None,
            };
            match name {
                Some(name) => {
                    self.put(" @");
                    write_name(name, &mut self.out);
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
        write_quoted(&global.name, &mut self.out);
        self.section(global.section.as_deref());
        self.put(if global.leads_into_code { " into_code" } else { "" });
        self.put(if global.gives_away_blocks { " blocks" } else { "" });
        if let Some(place) = global.place {
            self.put(" !at ");
            self.number(opcost_index::Id::index(place));
        }
        self.put("\n");
    }

    pub(super) fn section(&mut self, section: Option<&str>) {
        if let Some(section) = section {
            self.put(" section ");
            write_quoted(section, &mut self.out);
        }
    }
}
