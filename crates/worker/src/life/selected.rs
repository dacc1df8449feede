//! Which instructions does a question mean, and if none: what to ask instead?
//!
//! A function is found by its linkage name, else by its name in the source, and
//! then in all its instances; one that lives on only where it was inlined, in
//! each of its copies. Input: the module before anything is done with it.
//! Cost: a few passes over it.

use opcost_answer::life::{CodeLocation, LifeSubject};
use opcost_answer::names::{is_called, near_functions, no_function};
use opcost_ir::{Function, FunctionText, Module, Opcode, Type};
use opcost_job::life::Selected;
use opcost_key::PlaceId;
use opcost_life::{Chosen, choose, sources_of};

use crate::error::WorkError;
use crate::file::{is_module, without_code};
use crate::names::listed;

/// The instructions that are selected.
///
/// # Errors
/// There are none: what there is instead.
pub(crate) fn find(module: &Module, selected: &Selected) -> Result<Chosen, WorkError> {
    let wanted = match selected {
        Selected::Matching(wanted) => wanted,
        Selected::Number(wanted) => return Ok(those(module, |number, _| number == *wanted)),
    };
    if let LifeSubject::Line { file, line, column } = wanted
        && is_module(file)
    {
        return line_of_sources(module, file, *line, *column);
    }
    let chosen = choose(module, wanted);
    if !chosen.numbers.is_empty() {
        return Ok(chosen);
    }
    match wanted {
        LifeSubject::Line { file, line, column } => {
            Err(WorkError::Usage(no_line(module, &chosen.near, file, *line, *column)))
        }
        LifeSubject::Value { function, value } => {
            let defined = module.functions.values().filter(|known| !known.blocks.is_empty());
            let names: Vec<&Function> = defined.filter(|known| is_called(&known.name, function)).collect();
            let mut all = Chosen::default();
            for known in &names {
                let of_one = LifeSubject::Value { function: known.name.clone(), value: value.clone() };
                let found = choose(module, &of_one);
                all.numbers.extend(found.numbers);
                all.locations.extend(found.locations);
            }
            if all.numbers.is_empty() && value.is_none() {
                all = copies(module, function);
            }
            match all.numbers.is_empty() {
                false => Ok(all),
                true => Err(WorkError::Usage(no_value(module, &names, function, value.as_deref()))),
            }
        }
    }
}

/// What is selected by a line of a module that was compiled already.
fn line_of_sources(module: &Module, file: &str, line: u32, column: Option<u32>) -> Result<Chosen, WorkError> {
    let sources = sources_of(module, file);
    let mut found: Vec<(&String, Chosen)> = Vec::new();
    let mut near: Vec<(&String, Vec<u32>)> = Vec::new();
    for source in &sources {
        let chosen = choose(module, &LifeSubject::Line { file: source.clone(), line, column });
        if chosen.numbers.is_empty() {
            near.push((source, chosen.near));
        } else {
            found.push((source, chosen));
        }
    }
    if found.len() == 1 {
        return Ok(found.remove(0).1);
    }
    let listed_sources =
        |of: &[&String]| listed(of.iter().map(|source| (*source).clone()).collect::<Vec<String>>());
    Err(WorkError::Usage(match (found.as_slice(), near.as_slice()) {
        ([], [(source, near)]) => {
            format!("{} (its lines are those of {source})", no_line(module, near, file, line, column))
        }
        ([], []) => no_line(module, &[], file, line, column),
        ([], _) => format!(
            "{file}:{line} has no code in any of its sources: {}; ask by --function",
            listed_sources(&sources.iter().collect::<Vec<_>>())
        ),
        (several, _) => format!(
            "{file} comes from several sources, and line {line} has code in {}; ask by --function and --value, or \
             give one of the sources",
            listed_sources(&several.iter().map(|(source, _)| *source).collect::<Vec<_>>())
        ),
    }))
}

fn no_line(module: &Module, near: &[u32], file: &str, line: u32, column: Option<u32>) -> String {
    let nearest = near.iter().min_by_key(|near| near.abs_diff(line));
    let place = column.map_or(format!("{file}:{line}"), |column| format!("{file}:{line}:{column}"));
    match nearest {
        Some(near) if *near == line => format!("{place} has no code in that column; try {file}:{line}"),
        Some(nearest) => {
            // The lines with code before it and behind it.
            let before = near.iter().rev().find(|near| **near < line);
            let behind = near.iter().find(|near| **near > line);
            let both =
                before.zip(behind).map_or(String::new(), |(a, b)| format!(" (before it {a}, after it {b})"));
            format!("{place} has no code; the nearest line that has is {file}:{nearest}{both}")
        }
        None => without_code(module, file),
    }
}

fn no_value(module: &Module, names: &[&Function], function: &str, value: Option<&str>) -> String {
    if let Some(known) = names.first() {
        let values = listed(values(module, known));
        return format!(
            "{function} has no value {}; as the front end left it, it has {values} (a value that a pass makes or \
             renames is followed by the line that it comes from)",
            value.unwrap_or("")
        );
    }
    if module.declarations.values().any(|known| known.name == function) {
        return format!("{function} is only declared here; give the source that defines it");
    }
    let defined = module.functions.values().filter(|known| !known.blocks.is_empty());
    no_function(function, &near_functions(defined.map(|known| &*known.name), function, 0.0))
}

fn values(module: &Module, function: &Function) -> Vec<String> {
    let texts = FunctionText::new(module, function);
    let named = function.instructions.ids().filter(|&at| {
        let instruction = &function.instructions[at];
        module.types[instruction.ty] != Type::Void && instruction.opcode != Opcode::Alloca
    });
    named.filter_map(|at| Some(texts.instruction(at).split_once(" = ")?.0.to_owned())).collect()
}

/// Instructions that were written in a function and are in others now.
fn copies(module: &Module, wanted: &str) -> Chosen {
    those(module, |_, place| place.is_some_and(|place| is_written_in(module, place, wanted)))
}

/// The instructions that are selected by number or place.
fn those(module: &Module, is_meant: impl Fn(u32, Option<PlaceId>) -> bool) -> Chosen {
    let mut chosen = Chosen::default();
    let mut number = 0;
    for function in module.functions.values() {
        for at in function.instructions.ids() {
            number += 1;
            let place = function.instructions[at].place;
            if !is_meant(number, place) {
                continue;
            }
            let place = place.map(|place| &module.places[place]);
            let written = place.and_then(|place| place.inlined_function.clone());
            chosen.numbers.push(number);
            chosen.locations.push(CodeLocation {
                key: number,
                function: written.unwrap_or_else(|| function.name.clone()),
                line: place.map_or(0, |place| place.line),
                column: place.map_or(0, |place| place.column),
            });
        }
    }
    chosen
}

/// Whether a place is of that function, or of what was inlined into it before.
fn is_written_in(module: &Module, place: PlaceId, wanted: &str) -> bool {
    let mut next = Some(place);
    while let Some(place) = next {
        let place = &module.places[place];
        let is_it = |name: &String| is_called(name, wanted);
        if place.inlined_function.as_ref().is_some_and(is_it) {
            return true;
        }
        next = place.inlined_at;
    }
    false
}
