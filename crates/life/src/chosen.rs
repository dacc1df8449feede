//! Which instructions does the user mean by a line, a column or a value?
//!
//! Instructions are numbered from 1 in program order, over all functions that
//! the module defines: as [`opcost_llvm::Session::identify`] numbers them.
//! Input: the module as the front end left it. Cost: one pass.

use std::collections::BTreeSet;
use std::path::Path;

use opcost_ir::{Function, FunctionText, Module, Opcode};
use opcost_key::{FileId, InstructionId};

use opcost_answer::life::{CodeLocation, LifeSubject};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Numbers, ascending.
    pub numbers: Vec<u32>,
    /// Where they are.
    pub locations: Vec<CodeLocation>,
    /// Lines of the same file that have code, when the one asked for has none.
    pub near: Vec<u32>,
    /// Functions that there are, when there is none of that name.
    pub functions: Vec<String>,
}

/// Finds the instructions.
pub fn choose(module: &Module, wanted: &LifeSubject) -> Chosen {
    let mut chosen = Chosen::default();
    let mut number = 0;
    for function in module.functions.values() {
        if !function.blocks.is_empty() {
            chosen.functions.push(function.name.clone());
        }
        for at in function.instructions.ids() {
            number += 1;
            if is_selected(module, function, at, wanted, &mut chosen.near) {
                chosen.numbers.push(number);
                let place = function.instructions[at].place.map(|place| &module.places[place]);
                chosen.locations.push(CodeLocation {
                    key: number,
                    function: place
                        .and_then(|place| place.inlined_function.clone())
                        .unwrap_or_else(|| function.name.clone()),
                    line: place.map_or(0, |place| place.line),
                    column: place.map_or(0, |place| place.column),
                });
            }
        }
    }
    chosen.near.sort_unstable();
    chosen.near.dedup();
    chosen
}

fn is_selected(
    module: &Module,
    function: &Function,
    at: InstructionId,
    wanted: &LifeSubject,
    near: &mut Vec<u32>,
) -> bool {
    match wanted {
        LifeSubject::Line { file, line, column } => {
            let Some(place) = function.instructions[at].place.map(|place| &module.places[place]) else {
                return false;
            };
            if !is_same_file(&module.files[place.file], file) {
                return false;
            }
            if place.line > 0 {
                near.push(place.line);
            }
            place.line == *line && column.is_none_or(|column| place.column == column)
        }
        LifeSubject::Value { function: name, value } => {
            let text = || FunctionText::new(module, function).instruction(at).to_string();
            let is_value = |value: &String| {
                let name = value.trim_start_matches('%');
                text()
                    .strip_prefix('%')
                    .is_some_and(|text| text.strip_prefix(name).is_some_and(|rest| rest.starts_with(" =")))
            };
            // A frame's own memory is where values lie, not what is done.
            let is_work = function.instructions[at].opcode != Opcode::Alloca;
            function.name == *name && value.as_ref().map_or(is_work, is_value)
        }
    }
}

/// The source files whose lines a question about a module by its own name means.
///
/// A module that was compiled already (`prog.bc`, `prog.ll`) has no lines of its own; its debug
/// information names those of its sources. The result is the source that it was compiled from, by
/// the name that the module carries or else by the module's own. Where neither is known (modules
/// that were linked), it is each that has code.
pub fn sources_of(module: &Module, path: &str) -> Vec<String> {
    let mut has_code: BTreeSet<FileId> = BTreeSet::new();
    for function in module.functions.values() {
        let places = function.instructions.values().filter_map(|instruction| instruction.place);
        has_code.extend(places.map(|place| &module.places[place]).filter(|at| at.line > 0).map(|at| at.file));
    }
    let files: Vec<&String> = has_code.into_iter().map(|file| &module.files[file]).collect();
    let stem = |path: &str| Path::new(path).file_stem().map(ToOwned::to_owned);
    let is_named =
        |file: &&&String| !module.source_name.is_empty() && is_same_file(file, &module.source_name);
    let has_its_name = |file: &&&String| stem(file) == stem(path);
    let mut meant: Vec<&String> = files.iter().filter(is_named).copied().collect();
    if meant.is_empty() {
        meant = files.iter().filter(has_its_name).copied().collect();
    }
    if meant.is_empty() {
        meant = files;
    }
    meant.into_iter().cloned().collect()
}

/// Whether one path ends in the other, name by name.
fn is_same_file(known: &str, asked: &str) -> bool {
    let mut known = known.rsplit('/').filter(|name| *name != ".");
    let mut asked = asked.rsplit('/').filter(|name| *name != "." && !name.is_empty());
    loop {
        match (known.next(), asked.next()) {
            (_, None) | (None, _) => return true,
            (Some(known), Some(asked)) if known != asked => return false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_same_file;

    #[test]
    fn files_are_the_same_from_their_ends() {
        assert!(is_same_file("sources/a/prog.c", "prog.c"));
        assert!(is_same_file("prog.c", "./a/prog.c"));
        assert!(!is_same_file("sources/a/prog.c", "b/prog.c"));
        assert!(!is_same_file("xprog.c", "prog.c"));
    }
}
