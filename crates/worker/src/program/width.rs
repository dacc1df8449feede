//! Why is each integer of a line as wide as it is, and which one fact more would
//! help?
//!
//! The chain of reasons of `opcost_bits`, its links that are values of the program
//! with their places, and what the same analysis finds if one input is given.

use std::collections::BTreeSet;

use opcost_analysis::demand::Demand;
use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Propagation, VariableId};
use opcost_analysis::ranges::{Sign, ValueRange, Width};
use opcost_bits::helps::{Help, helps};
use opcost_bits::{BecauseLink, Owners, Widths, because, text};
use opcost_ir::{FunctionText, Module, Value};
use opcost_key::{FunctionId, Place};

use opcost_answer::contract::PortContract;
use opcost_answer::names::short_name;
use opcost_answer::width::{WidthAnswers, WidthDocument, WidthExplained, WidthHelp, WidthStep};
use opcost_job::program::LineLocation;

use super::assumed::assumed;
use super::bits::reason;
use super::contracts::{self, BOTH_WAYS, ranges_under};
use super::explanation::is_file;
use super::name::name;
use crate::error::WorkError;
use crate::file::selected_file;

/// More values than these are not explained at once.
const MOST: usize = 48;

/// An integer that is computed on the line.
struct LineInteger {
    function: FunctionId,
    value: Value,
    /// Bits of its type.
    declared: u32,
}

/// The integers of a line, explained.
///
/// # Errors
/// None is there; what is there instead. A contract names nothing or contradicts the code.
pub(crate) fn answer(
    program: &MemoryModel<'_>,
    place: &LineLocation,
    contracts: &[PortContract],
) -> Result<WidthAnswers, WorkError> {
    let (module, &LineLocation { line, column, .. }) = (program.module, place);
    let file = &*selected_file(module, &place.file)?;
    let ranges = ranges_under(program, BOTH_WAYS, contracts)?.ranges;
    let explainer = Explainer { module, ranges: &ranges, owners: &Owners::of(module, &ranges) };
    let mut found: Vec<LineInteger> = Vec::new();
    let mut lines = BTreeSet::new();
    let demand = Demand::compute(program, &ranges);
    for widths in &Widths::of(module, &ranges, &demand).functions {
        for one in &widths.values {
            let Some(place) = explainer.location(widths.function, one.value) else { continue };
            if place.line == 0 || !is_file(&module.files[place.file], file) {
                continue;
            }
            lines.insert(place.line);
            if place.line == line && column.is_none_or(|column| place.column == column) {
                found.push(LineInteger {
                    function: widths.function,
                    value: one.value,
                    declared: one.declared,
                });
            }
        }
    }
    // A truth value cannot be narrower.
    if found.iter().any(|one| one.declared > 1) {
        found.retain(|one| one.declared > 1);
    }
    if found.is_empty() {
        return Err(WorkError::Usage(nothing(file, line, column, &lines)));
    }
    found.truncate(MOST);
    Ok(WidthAnswers {
        schema: WidthDocument,
        world: if program.roots.world == World::Closed { "closed" } else { "open" }.to_owned(),
        assumes: ranges
            .facts()
            .filter_map(assumed)
            .map(str::to_owned)
            .chain(contracts::assumed(contracts))
            .collect(),
        values: explainer.explained(&found),
    })
}

/// What is printed where no integer is.
fn nothing(file: &str, line: u32, column: Option<u32>, lines: &BTreeSet<u32>) -> String {
    let near = lines.iter().min_by_key(|near| near.abs_diff(line));
    match (near, column) {
        (None, _) => format!(
            "{file} computes no integer, or says nothing of lines: compile it with -g; widths of whole functions: opcost \
             bits --function NAME"
        ),
        (Some(near), Some(column)) if *near == line => {
            format!(
                "{file}:{line} computes no integer at column {column}; ask for {file}:{line}, all of the line"
            )
        }
        (Some(near), _) => {
            format!("{file}:{line} computes no integer; the nearest line that does is {file}:{near}")
        }
    }
}

struct Explainer<'a> {
    module: &'a Module,
    ranges: &'a Propagation,
    owners: &'a Owners,
}

impl Explainer<'_> {
    fn explained(&self, found: &[LineInteger]) -> Vec<WidthExplained> {
        let variable =
            |one: &LineInteger| self.ranges.variable(one.function, one.value).expect("it has a range");
        let variables: Vec<VariableId> = found.iter().map(variable).collect();
        let helps = helps(self.module, self.ranges, self.owners, &variables);
        let values = found.iter().zip(variables).zip(helps);
        values
            .map(|((&LineInteger { function, value, declared }, variable), helps)| {
                let links = because(self.ranges, self.owners, variable);
                let step = self.step(function, value);
                let is_constant = step.width == 0;
                WidthExplained {
                    declared,
                    chain: if is_constant { Vec::new() } else { self.chain(&links) },
                    reason: match is_constant {
                        true if step.range == "never" => "no execution gets there".to_owned(),
                        true => "it is always the same".to_owned(),
                        false => reason(links.last().expect("the value itself").cause).to_owned(),
                    },
                    value: step,
                    would_help: helps.iter().map(|help| self.help(help)).collect(),
                }
            })
            .collect()
    }

    /// The links that are values, each once, without the first, which is reported.
    fn chain(&self, links: &[BecauseLink]) -> Vec<WidthStep> {
        let values = links[1..].iter().filter_map(|link| link.value);
        values.map(|(function, value)| self.step(function, value)).collect()
    }

    fn step(&self, function: FunctionId, value: Value) -> WidthStep {
        let body = &self.module.functions[function];
        let words = FunctionText::new(self.module, body);
        let place = self.location(function, value);
        let range = self.ranges.range(function, value).and_then(|range| range.integer());
        let width = range.map_or(Width::NONE, ValueRange::needed_width);
        let text = match value {
            Value::Instruction(at) => words.instruction(at),
            other => words.value(other),
        };
        WidthStep {
            key: self.module.key_of(function, value),
            name: name(body, &words, value),
            function: self.module.key(function).name.into(),
            file: place.map(|place| self.module.files[place.file].clone()),
            line: place.map(|place| place.line).filter(|&line| line > 0),
            text,
            width: width.bits,
            signed: width.sign == Sign::Signed,
            range: range.map_or_else(|| "a floating point number".to_owned(), text::range),
        }
    }

    fn help(&self, help: &Help) -> WidthHelp {
        let step = self.step(help.input.0, help.input.1);
        let given = format!("0..{}", help.most);
        let contract = match help.input.1 {
            Value::Argument(_) => {
                Some(format!("{}.{}={given}", short_name(&step.function), step.name.trim_start_matches('%')))
            }
            _ => None,
        };
        WidthHelp {
            input: step.name,
            function: step.function,
            line: step.line,
            given,
            contract,
            width: help.width.bits,
            signed: help.width.sign == Sign::Signed,
        }
    }

    /// Where a value is computed; of a parameter where its function begins.
    fn location(&self, function: FunctionId, value: Value) -> Option<&Place> {
        let body = &self.module.functions[function];
        let place = match value {
            Value::Instruction(at) => body.instructions[at].place,
            _ => body.place,
        };
        place.map(|place| &self.module.places[place])
    }
}
