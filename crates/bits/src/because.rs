//! What forces a value to be as wide as it is?
//!
//! From the value back along its definitions, each time to the source that is
//! widest itself (of facts that hold at once, the narrowest), until something
//! that is not computed: an input, memory that others write, a constant, a
//! table, or a cycle that only its type stops. That chain is one explanation,
//! the one in which most bits come from; where two sources are as wide, the
//! first is told.
//!
//! Input: the ranges of a module. Output: [`Link`]s, the value itself first.
//! Cost: at most [`MOST_LINKS`] steps.

use opcost_analysis::propagation::{Definition, Limit, Propagation, VariableId};
use opcost_index::{Id, IdMap};
use opcost_ir::{Module, Value};
use opcost_key::{FunctionId, InstructionId};

/// Links of a chain.
pub const MOST_LINKS: usize = 24;

/// One step of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The value of the program that it is about; none of a step in between.
    pub value: Option<(FunctionId, Value)>,
    /// Bits that it needs.
    pub bits: u32,
    /// What it is.
    pub cause: Cause,
}

/// What a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing is known of it, for this reason.
    Limit(Limit),
    /// It is a constant.
    Constant,
    /// An element of a constant table.
    Table,
    /// A floating point number.
    Float,
    /// It is computed from the next.
    Computed,
    /// It is one of several, of which the next is the widest.
    OneOf,
    /// It grows from turn to turn.
    Grows,
    /// The chain is longer.
    AndSoOn,
}

/// Which value of the program a variable is of.
#[derive(Clone, Debug)]
pub struct Owners(IdMap<VariableId, Option<(FunctionId, Value)>>);

impl Owners {
    /// Of all variables.
    pub fn of(module: &Module, ranges: &Propagation) -> Owners {
        let mut owners = IdMap::filled(ranges.variables().len(), None);
        for (id, function) in module.functions.iter() {
            let arguments = (0..function.parameters).map(Value::Argument);
            let results =
                (0..function.instructions.len()).map(|at| Value::Instruction(InstructionId::new(at)));
            for value in arguments.chain(results) {
                if let Some(variable) = ranges.variable(id, value) {
                    owners[variable] = Some((id, value));
                }
            }
        }
        Owners(owners)
    }
}

/// Why a value is as wide as it is.
pub fn because(ranges: &Propagation, owners: &Owners, value: VariableId) -> Vec<Link> {
    let bits = |at: VariableId| ranges.range_of(at).integer().map_or(0, |range| range.needed_width().bits);
    let mut links: Vec<Link> = Vec::new();
    let mut passed = vec![value];
    loop {
        let at = passed[passed.len() - 1];
        let definition = &ranges.variables().get(at).definition;
        let (cause, next) = step(ranges, definition, &passed);
        let cause = if passed.len() > MOST_LINKS { Cause::AndSoOn } else { cause };
        links.push(Link { value: owners.0[at], bits: bits(at), cause });
        match next {
            Some(next) if passed.len() <= MOST_LINKS => passed.push(next),
            _ => return links,
        }
    }
}

/// What a definition says of its variable, and where most of its bits come from.
fn step(ranges: &Propagation, definition: &Definition, passed: &[VariableId]) -> (Cause, Option<VariableId>) {
    let bits = |at: VariableId| ranges.range_of(at).integer().map_or(0, |range| range.needed_width().bits);
    let is_new = |source: &VariableId| !passed.contains(source);
    // The first of the widest.
    let widest =
        |list: &[VariableId]| list.iter().copied().filter(is_new).rev().max_by_key(|&source| bits(source));
    let or_grows = |cause: Cause, next: Option<VariableId>| match next {
        Some(next) => (cause, Some(next)),
        None => (Cause::Grows, None),
    };
    match definition {
        Definition::Full(limit) => (Cause::Limit(*limit), None),
        Definition::Constant(_) => (Cause::Constant, None),
        Definition::Table(..) => (Cause::Table, None),
        Definition::ToInteger(..) | Definition::ToFloat(..) | Definition::ToFormat(_) => (Cause::Float, None),
        Definition::Join(list) => or_grows(Cause::OneOf, widest(list)),
        Definition::Meet(list) => {
            let narrowest = list.iter().copied().filter(is_new).min_by_key(|&source| bits(source));
            or_grows(Cause::Computed, narrowest)
        }
        other => {
            let mut sources = Vec::new();
            other.each_source(|source| sources.push(source));
            or_grows(Cause::Computed, widest(&sources))
        }
    }
}
