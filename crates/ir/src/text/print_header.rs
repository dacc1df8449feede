//! How is the first line of a function written down, and a declaration?

use super::lex::{write_name, write_quoted};
use super::notes::write_source_name;
use super::print_function::FunctionPrinter;
use super::printer::Printer;
use crate::{Declaration, Linkage, MemoryEffects, ParameterFacts, Type, Value};

impl FunctionPrinter<'_, '_> {
    pub(super) fn header(&mut self) {
        let (module, function) = (self.printer.module, self.function);
        self.put(match function.linkage {
            Linkage::Exact => "define ",
            Linkage::Local => "define internal ",
            Linkage::Replaceable => "define weak ",
            Linkage::Elsewhere => "define available_externally ",
        });
        if let Type::Function(result, parameters, variadic) = &module.types[function.ty] {
            self.printer.ty(*result);
            self.put(" @");
            write_name(&function.name, &mut self.printer.out);
            self.put("(");
            for (position, &ty) in parameters.iter().enumerate() {
                self.put(if position > 0 { ", " } else { "" });
                self.printer.ty(ty);
                self.header_parameter(position);
            }
            self.put(match (variadic, parameters.is_empty()) {
                (false, _) => ")",
                (true, true) => "...)",
                (true, false) => ", ...)",
            });
        }
        self.header_words();
        self.printer.section(function.section.as_deref());
        if !function.marks.is_empty() {
            self.put(" marks");
            for mark in &function.marks {
                self.put(" ");
                write_quoted(mark, &mut self.printer.out);
            }
        }
        self.place(function.place);
        write_source_name(function.source_name.as_deref(), &mut self.printer.out);
        self.put(" {\n");
    }

    fn header_parameter(&mut self, position: usize) {
        let value = Value::Argument(position as u32);
        self.printer.parameter(&self.function.parameter_facts[position]);
        self.put(" ");
        self.value(value, None);
        let name = self.function.source_names.get(&value);
        write_source_name(name.map(|name| &**name), &mut self.printer.out);
    }

    fn header_words(&mut self) {
        let function = self.function;
        let words = [
            (function.is_nounwind, " nounwind"),
            (function.is_naked, " naked"),
            (function.is_coroutine, " presplitcoroutine"),
            (function.is_cold, " cold"),
            (function.is_must_progress, " mustprogress"),
            (function.is_willreturn, " willreturn"),
            (function.is_address_taken, " address_taken"),
            (function.is_called_oddly, " odd_call"),
        ];
        words.iter().filter(|(is_set, _)| *is_set).for_each(|(_, word)| self.put(word));
        if function.memory != MemoryEffects::UNKNOWN {
            self.printer.memory(function.memory);
        }
    }
}

impl Printer<'_> {
    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.put(if declaration.returns_noalias { "declare noalias @" } else { "declare @" });
        write_name(&declaration.name, &mut self.out);
        if !declaration.parameter_facts.is_empty() {
            self.put("(");
            for (position, facts) in declaration.parameter_facts.iter().enumerate() {
                self.put(if position > 0 { "," } else { "" });
                if *facts == ParameterFacts::default() {
                    self.put(" _");
                }
                self.parameter(facts);
            }
            self.put(" )");
        }
        if declaration.is_intrinsic != declaration.name.starts_with("llvm.") {
            self.put(if declaration.is_intrinsic { " intrinsic" } else { " plain" });
        }
        let words = [
            (declaration.is_nounwind, " nounwind"),
            (declaration.is_willreturn, " willreturn"),
            (declaration.is_noreturn, " noreturn"),
            (declaration.is_address_taken, " address_taken"),
        ];
        words.iter().filter(|(is_set, _)| *is_set).for_each(|(_, word)| self.put(word));
        if declaration.memory != MemoryEffects::UNKNOWN {
            self.memory(declaration.memory);
        }
        self.put("\n");
    }
}
