//! Which ports are contracts about, and does the code contradict them?
//!
//! A contract is believed, so what is wrong with it must be said: a name that no
//! function or parameter has, numbers that the type does not have, a call that
//! gives other numbers only, a parameter that can be none of the numbers. A call
//! that gives others, too, is told as a finding.

use std::borrow::Cow;

use opcost_analysis::memory::MemoryModel;
use opcost_analysis::propagation::{Backwards, Contract, Handed, Kind, Propagation, Range, RangeOptions};
use opcost_analysis::ranges::{FloatRange, Format, Interval, ValueRange, significant_bits};
use opcost_bits::text;
use opcost_index::Id;
use opcost_ir::{Function, FunctionText, Module, Opcode, Value};
use opcost_key::{BlockId, FunctionId, InstructionId, Part};

use opcost_answer::bits::BitsFinding;
use opcost_answer::contract::{ContractPiece, PortContract};
use opcost_answer::names::near_functions;

use super::explanation::named;
use crate::error::WorkError;

/// Ports that are listed where one is not found.
const LISTED: u32 = 12;

/// Ranges forwards, and backwards from accesses that are certain.
pub(crate) const BOTH_WAYS: RangeOptions = RangeOptions {
    backwards: Backwards::WithinObjects,
    memory_is_written_first: false,
    assume_no_overflow: false,
    stepwise: false,
};

/// Ranges under contracts, and calls that perhaps break them.
pub(crate) struct Under {
    pub(crate) ranges: Propagation,
    pub(crate) unproven: Vec<BitsFinding>,
}

/// A contract that names a port of the program.
pub(super) struct Resolved<'w> {
    pub(super) contract: Contract,
    /// As it was written.
    written: &'w PortContract,
}

/// Ranges under contracts, of which none contradicts the code.
///
/// # Errors
/// A contract names nothing, does not fit its port, or contradicts the code.
pub(crate) fn ranges_under(
    program: &MemoryModel<'_>,
    options: RangeOptions,
    written: &[PortContract],
) -> Result<Under, WorkError> {
    let mut contracts = Vec::new();
    for one in written {
        contracts.extend(resolve(program, one)?);
    }
    let of_each: Vec<Contract> = contracts.iter().map(|resolved| resolved.contract.clone()).collect();
    let ranges = Propagation::compute_under(program, options, &of_each);
    for handed in ranges.handed() {
        let contract = &of_each[handed.contract];
        let given = ranges.range_of(handed.variable);
        if !given.is_empty() && contract.range.meet(given).is_empty() {
            let written = contracts[handed.contract].written;
            return Err(WorkError::Usage(contradicted(program.module, written, handed, given)));
        }
    }
    let is_never = |contract: &Contract| at_entry(&ranges, contract).is_some_and(Range::is_empty);
    if of_each.iter().any(is_never) {
        let without = Propagation::compute_with(program, options);
        for Resolved { contract, written } in contracts.iter().filter(|resolved| is_never(&resolved.contract))
        {
            let Some(range) = at_entry(&without, contract).filter(|range| !range.is_empty()) else {
                continue;
            };
            return Err(WorkError::Usage(format!(
                "the contract '{}' contradicts the code: without it {} is {}, by what its callers give and by \
                 what must be so that {} does nothing undefined; no value is left",
                written.text,
                written.port,
                words(range),
                written.function
            )));
        }
    }
    let unproven = unproven(program.module, &ranges, &contracts);
    Ok(Under { ranges, unproven })
}

fn at_entry<'r>(ranges: &'r Propagation, contract: &Contract) -> Option<&'r Range> {
    ranges.range(contract.function, Value::Argument(contract.position))
}

/// What contracts say, in words.
pub(crate) fn assumed(written: &[PortContract]) -> impl Iterator<Item = String> {
    written.iter().map(|one| format!("each caller keeps the contract {} (--assume)", one.text))
}

/// Calls that perhaps break contracts.
fn unproven(module: &Module, ranges: &Propagation, contracts: &[Resolved<'_>]) -> Vec<BitsFinding> {
    let one = |handed: &Handed| {
        let Resolved { contract, written } = &contracts[handed.contract];
        let given = ranges.range_of(handed.variable);
        let (caller, at) = (&module.functions[handed.caller], handed.at);
        let place = caller.instructions[at].place.map(|place| &module.places[place]);
        (!contract.range.contains_all(given)).then(|| BitsFinding {
            kind: "contract".to_owned(),
            key: module.key(handed.caller).part(Part::Instruction(at)),
            file: place.map(|place| module.files[place.file].clone()),
            line: place.map(|place| place.line).filter(|&line| line > 0),
            text: format!(
                "{} is {} here, as far as the code says: {}",
                written.port,
                words(given),
                written.text
            ),
        })
    };
    ranges.handed().iter().filter_map(one).collect()
}

/// The contracts of all functions of this name.
pub(super) fn resolve<'w>(
    program: &MemoryModel<'_>,
    written: &'w PortContract,
) -> Result<Vec<Resolved<'w>>, WorkError> {
    let module = program.module;
    let with_bodies = |name: &str| -> Vec<FunctionId> {
        named(module, name).into_iter().filter(|&id| !module.functions[id].blocks.is_empty()).collect()
    };
    let (mut functions, mut wanted) = (with_bodies(&written.function), Cow::Borrowed(&*written.port));
    // Of `f.point.x` the port is `point.x`, a part of a parameter.
    let points = written.function.rmatch_indices('.').map(|(at, _)| at);
    for at in points {
        let (function, field) = (&written.function[..at], &written.function[at + 1..]);
        if functions.is_empty() {
            functions = with_bodies(function);
            wanted = Cow::Owned(format!("{field}.{}", written.port));
        }
    }
    if functions.is_empty() {
        let names = module.functions.values().map(|function| &*function.name);
        let near = near_functions(names, &written.function, 0.0).join(", ");
        return Err(WorkError::Usage(format!(
            "the contract '{}' names no function of the program: there are {near}; what was inlined everywhere \
             has no ports any more, -O 0 keeps it",
            written.text
        )));
    }
    let one = |&id: &FunctionId| {
        let position =
            port_of(module, id, &wanted).ok_or_else(|| WorkError::Usage(no_port(module, id, written)))?;
        let kind = kind(program, id, position).ok_or_else(|| {
            WorkError::Usage(format!(
                "the contract '{}' is about a parameter that is no number; contracts are about integers and \
                 floating point numbers",
                written.text
            ))
        })?;
        let range = range(kind, written)?;
        Ok(Resolved { contract: Contract { function: id, position, range }, written })
    };
    functions.iter().map(one).collect()
}

/// The parameter of this name: that of the source, of the text of the module, or
/// `argument0` as keys have it.
pub(crate) fn port_of(module: &Module, id: FunctionId, name: &str) -> Option<u32> {
    let function = &module.functions[id];
    let of_key = |&position: &u32| name.strip_prefix("argument") == Some(&position.to_string());
    let is_named = |&position: &u32| called(module, function, position) == name.trim_start_matches('%');
    (0..function.parameters).find(is_named).or_else(|| (0..function.parameters).find(of_key))
}

/// A parameter's name; without optimisation that of the local where it lives.
pub(super) fn called<'m>(module: &'m Module, function: &'m Function, position: u32) -> Cow<'m, str> {
    let value = Value::Argument(position);
    let is_kept = |at: &InstructionId| {
        let instruction = &function.instructions[*at];
        instruction.opcode == Opcode::Store && function.operands_of(*at)[0] == value
    };
    let stores = function.instructions_of(BlockId::new(0)).filter(is_kept);
    let mut locals = stores.filter_map(|at| function.source_names.get(&function.operands_of(at)[1]));
    match function.source_names.get(&value).or_else(|| locals.next()) {
        Some(name) => Cow::Borrowed(name),
        None => {
            let words = FunctionText::new(module, function).value(value);
            Cow::Owned(words.trim_start_matches('%').to_owned())
        }
    }
}

fn no_port(module: &Module, id: FunctionId, written: &PortContract) -> String {
    let function = &module.functions[id];
    let all = 0..function.parameters.min(LISTED);
    let ports: Vec<Cow<'_, str>> = all.map(|position| called(module, function, position)).collect();
    let ports = if ports.is_empty() { "none".to_owned() } else { ports.join(", ") };
    format!(
        "the contract '{}' names no port: {} has no parameter {}; its parameters are {ports}",
        written.text, written.function, written.port
    )
}

/// Of an integer or floating point parameter.
fn kind(program: &MemoryModel<'_>, id: FunctionId, position: u32) -> Option<Kind> {
    let module = program.module;
    let opcost_ir::Type::Function(_, parameters, _) = &module.types[module.functions[id].ty] else {
        return None;
    };
    match &module.types[*parameters.get(position as usize)?] {
        &opcost_ir::Type::Integer(width @ 1..=128) => Some(Kind::Integer(width)),
        opcost_ir::Type::Float(name) => Format::of_name(name).map(Kind::Float),
        _ => None,
    }
}

fn range(kind: Kind, written: &PortContract) -> Result<Range, WorkError> {
    let mut all: Option<Range> = None;
    for piece in &written.pieces {
        let one = match (kind, *piece) {
            (Kind::Integer(width), ContractPiece::Integers(low, high)) => {
                Range::Integer(integers(width, low, high, written)?)
            }
            (Kind::Integer(width), ContractPiece::Numbers(..)) => {
                return Err(WorkError::Usage(format!(
                    "the contract '{}' does not fit: {} is an i{width}, write whole numbers",
                    written.text, written.port
                )));
            }
            (Kind::Float(format), ContractPiece::Integers(low, high)) => {
                numbers(format, low as f64, high as f64)
            }
            (Kind::Float(format), ContractPiece::Numbers(low, high)) => numbers(format, low, high),
        };
        all = Some(match all {
            Some(before) => before.join(&one),
            None => one,
        });
    }
    Ok(all.expect("a contract has a piece"))
}

/// Words of the type, signed or not.
fn integers(width: u32, low: i128, high: i128, written: &PortContract) -> Result<ValueRange, WorkError> {
    let (least, most) = match width {
        128 => (i128::MIN, i128::MAX),
        _ => (-(1_i128 << (width - 1)), (1_i128 << width) - 1),
    };
    let most_signed = !least;
    let fits = low >= least && high <= if low < 0 { most_signed } else { most };
    if !fits {
        return Err(WorkError::Usage(format!(
            "the contract '{}' does not fit: {} is an i{width}, {least}..{most_signed} or 0..{most}",
            written.text, written.port
        )));
    }
    let word = |number: i128| number as u128 & (u128::MAX >> (128 - width));
    Ok(ValueRange::from(Interval::new(width, word(low), word(high))))
}

/// Ends that the format does not have go outwards, so that its nearest number is in.
fn numbers(format: Format, low: f64, high: f64) -> Range {
    let by = |end: f64| match significant_bits(end) > format.precision() {
        true => end.abs() * (-f64::from(format.precision() - 1)).exp2(),
        false => 0.0,
    };
    Range::Float(FloatRange::new(format, low - by(low), high + by(high)))
}

fn contradicted(module: &Module, written: &PortContract, handed: &Handed, given: &Range) -> String {
    let caller = &module.functions[handed.caller];
    format!(
        "the contract '{}' contradicts the code: {} calls {} with {} = {} {}",
        written.text,
        caller.name,
        written.function,
        written.port,
        words(given),
        location(module, caller, handed.at),
    )
}

/// Where a call is.
fn location(module: &Module, caller: &Function, at: InstructionId) -> String {
    let place = caller.instructions[at].place.map(|place| &module.places[place]);
    match place.filter(|place| place.line > 0) {
        Some(place) => format!("in {}:{}", module.files[place.file], place.line),
        None => format!("at {}:{at}", caller.name),
    }
}

fn words(range: &Range) -> String {
    match range {
        Range::Integer(range) => text::range(range),
        Range::Float(range) => match range.ends() {
            Some((low, high)) if low == high => low.to_string(),
            Some((low, high)) => format!("{low}..{high}"),
            None => "not a number".to_owned(),
        },
    }
}
