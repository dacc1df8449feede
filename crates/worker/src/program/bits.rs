//! From widths of values to plain answers.

use opcost_analysis::demand::Demand;
use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::{Finding, Limit, Propagation};
use opcost_analysis::ranges::Sign;
use opcost_analysis::rounding::rounding_changes;
use opcost_bits::{
    BecauseLink, Cause, FunctionWidths, Owners, ValueWidth, WidthTotal, Widths, because, text,
};
use opcost_ir::{Function, FunctionText, Module, Value};
use opcost_key::{FunctionId, InstructionId, Part};

use opcost_answer::bits::{Assumptions, BitsAnswers, BitsFinding, BitsFunction, BitsValue};
use opcost_answer::contract::PortContract;

use super::assumed::{assumed, options};
use super::contracts::{self, Under, ranges_under};
use super::floats::floats;
use super::name::name;
use super::poison::MayBePoison;
use crate::error::WorkError;

/// The widths of all values.
///
/// # Errors
/// There is no solver for a certificate.
pub(crate) fn answer(
    program: &MemoryModel<'_>,
    is_certified: bool,
    assumptions: Assumptions,
    contracts: &[PortContract],
) -> Result<BitsAnswers, WorkError> {
    let module = program.module;
    let Under { ranges, unproven } = ranges_under(program, options(assumptions, true), contracts)?;
    let certified =
        is_certified.then(|| super::certificate::certify(program, assumptions, contracts)).transpose()?;
    let demand = Demand::compute(program, &ranges);
    let (mut widths, owners) = (Widths::of(module, &ranges, &demand), Owners::of(module, &ranges));
    if let Some(certified) = &certified {
        widths.retain_certified(module, &certified.certificate);
    }
    let poison = MayBePoison::of(module);
    let describer = Describer { module, ranges: &ranges, owners: &owners, poison: &poison };
    Ok(BitsAnswers {
        code: opcost_certificate::fingerprint(module).to_string(),
        certified,
        world: if program.roots.world == World::Closed { "closed" } else { "open" }.to_owned(),
        assumes: ranges
            .facts()
            .filter_map(assumed)
            .chain(assumptions.words())
            .map(str::to_owned)
            .chain(contracts::assumed(contracts))
            .collect(),
        findings: ranges
            .findings()
            .iter()
            .map(|&finding| describer.finding(finding))
            .chain(unproven)
            .chain(
                rounding_changes(module).into_iter().map(|(id, at)| describer.finding_at("rounding", id, at)),
            )
            .collect(),
        functions: widths.functions.iter().map(|function| describer.function(function)).collect(),
    })
}

/// A function whose values are reported.
struct Owner<'a> {
    id: FunctionId,
    body: &'a Function,
    words: FunctionText<'a>,
}

struct Describer<'a> {
    module: &'a Module,
    ranges: &'a Propagation,
    owners: &'a Owners,
    poison: &'a MayBePoison,
}

impl Describer<'_> {
    fn finding(&self, finding: Finding) -> BitsFinding {
        let (kind, id, at) = match finding {
            Finding::NeverInBounds(id, at) => ("out-of-bounds", id, at),
            Finding::NeverReached(id, at) => ("never", id, at),
        };
        self.finding_at(kind, id, at)
    }

    fn finding_at(&self, kind: &str, id: FunctionId, at: InstructionId) -> BitsFinding {
        let body = &self.module.functions[id];
        let place = body.instructions[at].place.map(|place| &self.module.places[place]);
        BitsFinding {
            kind: kind.to_owned(),
            key: self.module.key(id).part(Part::Instruction(at)),
            file: place.map(|place| self.module.files[place.file].clone()),
            line: place.map(|place| place.line).filter(|&line| line > 0),
            text: FunctionText::new(self.module, body).instruction(at),
        }
    }

    fn function(&self, widths: &FunctionWidths) -> BitsFunction {
        let body = &self.module.functions[widths.function];
        let owner = Owner { id: widths.function, body, words: FunctionText::new(self.module, body) };
        let WidthTotal { declared, needed, slice, .. } = widths.total();
        let key = self.module.key(widths.function);
        BitsFunction {
            name: key.name.to_string(),
            key,
            declared,
            needed_type: needed,
            needed_slice: slice,
            values: widths.values.iter().map(|value| self.value(&owner, value)).collect(),
            floats: floats(self.module, self.ranges, owner.id, &owner.words, self.poison.results(owner.id)),
        }
    }

    fn value(&self, owner: &Owner<'_>, value: &ValueWidth) -> BitsValue {
        let Owner { id, body, words } = owner;
        let (opcode, place) = match value.value {
            Value::Instruction(at) => {
                let instruction = &body.instructions[at];
                (instruction.opcode.to_string(), instruction.place)
            }
            _ => ("argument".to_owned(), body.place),
        };
        let place = place.map(|place| &self.module.places[place]);
        let ends = value.range.signed_range().filter(|_| value.declared <= 64);
        let chain = (value.needed.bits > 0)
            .then(|| self.ranges.variable(*id, value.value))
            .flatten()
            .map(|variable| because(self.ranges, self.owners, variable));
        BitsValue {
            key: self.module.key_of(*id, value.value).expect("only parameters and results have widths"),
            name: name(body, words, value.value),
            text: match value.value {
                Value::Instruction(at) => words.instruction(at),
                other => words.value(other),
            },
            file: place.map(|place| self.module.files[place.file].clone()),
            line: place.map(|place| place.line).filter(|&line| line > 0),
            opcode,
            declared: value.declared,
            width: value.needed.bits,
            signed: value.needed.sign == Sign::Signed,
            dead_bits: value.needed.bits - value.slice,
            demanded: value.demanded,
            range: text::range(&value.range),
            least: ends.map(|(least, _)| least as i64),
            greatest: ends.map(|(_, greatest)| greatest as i64),
            may_be_poison: self.poison.contains(*id, value.value),
            observed: None,
            because: chain.map(|chain| self.chain(&chain)),
        }
    }

    /// The end of a chain, and through which named value it leads there.
    fn chain(&self, chain: &[BecauseLink]) -> String {
        let last = chain.last().expect("the value itself");
        let what = reason(last.cause);
        // The last one that has a name, if it is not the value itself.
        let through = chain[1..].iter().rev().find_map(|link| link.value);
        match through {
            None => what.to_owned(),
            Some((function, value)) => {
                let body = &self.module.functions[function];
                let words = FunctionText::new(self.module, body);
                let place = match value {
                    Value::Instruction(at) => body.instructions[at].place,
                    _ => None,
                };
                let line = place.map(|place| self.module.places[place].line).filter(|&line| line > 0);
                let line = line.map_or_else(String::new, |line| format!(", line {line}"));
                format!("{} of {}{line}: {what}", name(body, &words, value), body.name)
            }
        }
    }
}

/// What ends a chain of reasons.
pub(crate) fn reason(cause: Cause) -> &'static str {
    match cause {
        Cause::Limit(limit) => limited(limit),
        Cause::Constant => "computed from constants",
        Cause::Contract => "what a contract leaves (--assume)",
        Cause::Table => "an element of a constant table",
        Cause::Float => "a floating point number",
        Cause::Grows | Cause::Computed | Cause::OneOf => "it grows in each iteration",
        Cause::AndSoOn => "a long chain of operations",
    }
}

/// Why nothing is known.
fn limited(limit: Limit) -> &'static str {
    match limit {
        Limit::Parameter => "a parameter that anyone may give",
        Limit::Call => "the result of code that is not seen",
        Limit::Memory => "memory that is not followed",
        Limit::Volatile => "a volatile or atomic access",
        Limit::Assembly => "inline assembly",
        Limit::Undefined => "memory or a value that perhaps was never written",
        Limit::Frozen => "a freeze of what may be poison",
        Limit::Address => "an address as a number",
        Limit::Part => "a part of a vector or aggregate",
        Limit::Operation => "an operation that is not followed",
    }
}
