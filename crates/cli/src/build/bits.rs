//! From widths of values to plain answers.

use opcost_analysis::demand::Demand;
use opcost_analysis::memory::{Memory, World};
use opcost_analysis::propagation::rounding::rounding_changes;
use opcost_analysis::propagation::{Backwards, Fact, Finding, Limit, Options, Propagation};
use opcost_analysis::ranges::Sign;
use opcost_bits::{Cause, FunctionWidths, Link, Owners, Total, ValueWidth, Widths, because, text};
use opcost_certificate::Certificate;
use opcost_index::IdMap;
use opcost_ir::{ConstantValue, Flags, Function, FunctionText, Module, Opcode, Value};
use opcost_key::{FunctionId, FunctionKey, InstructionId, Key, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analysis::Refusal;
use super::bits_floats::{BitsFloat, floats};
use super::contracts::{self, Under, ranges_under};
use crate::arguments::PortContract;

/// How many bits the values of a program need.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct BitsAnswers {
    /// `open` or `closed`.
    pub(crate) world: String,
    /// What the widths rest on besides the code.
    pub(crate) assumes: Vec<String>,
    /// What can never be.
    pub(crate) findings: Vec<BitsFinding>,
    /// In the order of the module.
    pub(crate) functions: Vec<BitsFunction>,
    /// A certificate of all of it, if one was asked for.
    pub(crate) certified: Option<CertifiedAnswer>,
}

/// Something that can never be without something undefined.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BitsFinding {
    /// `out-of-bounds`: the access never lies in its object; `never`: no execution gets there, or its
    /// result is always poison; `contract`: the call perhaps gives what a contract forbids;
    /// `rounding`: the call changes how numbers with a point are rounded.
    pub(crate) kind: String,
    /// Of the instruction.
    #[schemars(with = "String")]
    pub(crate) key: Key,
    /// As its debug information says.
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    /// The instruction; of a contract what the call gives, and the contract.
    pub(crate) text: String,
}

/// What is believed besides the code.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Assumptions {
    pub(crate) assume_inbounds: bool,
    pub(crate) assume_no_overflow: bool,
    pub(crate) assume_written_first: bool,
}

impl Assumptions {
    /// What ranges may rest on; `backwards` also on accesses that certainly follow.
    pub(super) fn options(self, backwards: bool) -> Options {
        Options {
            memory_is_written_first: self.assume_written_first,
            backwards: match (backwards, self.assume_inbounds) {
                (false, _) => Backwards::No,
                (true, false) => Backwards::WithinObjects,
                (true, true) => Backwards::WithinArrays,
            },
            assume_no_overflow: self.assume_no_overflow,
            without_unrolling: false,
        }
    }

    /// In words, with the flags that say so.
    pub(super) fn words(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.assume_inbounds, "indices lie in the arrays that they run through (--assume-inbounds)"),
            (
                self.assume_no_overflow,
                "signed sums, differences and products do not overflow (--assume-no-overflow)",
            ),
            (
                self.assume_written_first,
                "nothing is read of locals and of the heap before it was written (--assume-written-first)",
            ),
        ];
        all.into_iter().filter(|(is_assumed, _)| *is_assumed).map(|(_, words)| words)
    }
}

/// A certificate, and what it cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CertifiedAnswer {
    pub(crate) certificate: Certificate,
    /// Claims that hold.
    pub(crate) claims: usize,
    /// What the solver was asked.
    pub(crate) questions: u64,
    /// What was made weaker, and why.
    pub(crate) weakened: usize,
}

/// The values of a function.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BitsFunction {
    #[schemars(with = "String")]
    pub(crate) key: FunctionKey,
    /// Linkage name in its own module.
    pub(crate) name: String,
    /// Bits of the types of its integers.
    pub(crate) declared: u64,
    /// Bits of the narrowest types that hold them.
    pub(crate) needed_type: u64,
    /// Bits that are not always the same, and that anything looks at.
    pub(crate) needed_slice: u64,
    /// Parameters, then results in the order of the program.
    pub(crate) values: Vec<BitsValue>,
    /// Its floating point numbers, in the same order.
    pub(crate) floats: Vec<BitsFloat>,
}

/// What is known of an integer.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BitsValue {
    /// Function, and number of the parameter or instruction in it: `@main:argument0`, `a.c@step:i5` of a function
    /// that only its module can name.
    #[schemars(with = "String")]
    pub(crate) key: Key,
    /// Its name in the source, or else in the text of the module.
    pub(crate) name: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    /// The instruction as text; of a parameter its name.
    pub(crate) text: String,
    /// LLVM's name of the operation; `argument` of a parameter.
    pub(crate) opcode: String,
    /// Bits of its type.
    pub(crate) declared: u32,
    /// Bits that an `iN` needs that holds it.
    pub(crate) width: u32,
    /// Whether those are two's complement.
    pub(crate) signed: bool,
    /// Bits of `width` that are always the same, or that nothing looks at.
    pub(crate) dead_bits: u32,
    /// Bits that an `iN` needs that holds what is looked at, without promises that
    /// the rest decides; `width` at most.
    pub(crate) demanded: u32,
    /// Its values; `never` if no execution gets there.
    pub(crate) range: String,
    /// Its least and greatest value as a signed number, of at most 64 bits.
    pub(crate) least: Option<i64>,
    pub(crate) greatest: Option<i64>,
    /// Whether flags promise what it is computed from: where that is broken the
    /// value is poison, and nothing is said of it.
    pub(crate) may_be_poison: bool,
    /// What forces it to be that wide, if it is more than a constant.
    pub(crate) because: Option<String>,
    /// What it was in a run.
    pub(crate) observed: Option<BitsObserved>,
}

#[cfg(test)]
impl BitsValue {
    /// One of which nothing is known, for tests.
    pub(crate) fn example() -> BitsValue {
        BitsValue {
            key: "@f:i0".parse().expect("a key"),
            name: String::new(),
            file: None,
            line: None,
            text: String::new(),
            opcode: String::new(),
            declared: 0,
            width: 0,
            signed: false,
            dead_bits: 0,
            demanded: 0,
            range: String::new(),
            least: None,
            greatest: None,
            may_be_poison: false,
            because: None,
            observed: None,
        }
    }
}

/// What an integer was in a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BitsObserved {
    /// How often it was defined.
    pub(crate) times: u64,
    /// Bits that an `iN` needs that holds what it was; 0 of what was always the same.
    pub(crate) width: u32,
    pub(crate) signed: bool,
    /// Its values.
    pub(crate) range: String,
    /// Whether it was what nothing that is not poison can be.
    pub(crate) is_outside: bool,
}

/// In the child: the widths of all values.
///
/// # Errors
/// There is no solver for a certificate.
pub(super) fn answer(
    program: &Memory<'_>,
    is_certified: bool,
    assumptions: Assumptions,
    contracts: &[PortContract],
) -> Result<BitsAnswers, Refusal> {
    let module = program.module;
    let Under { ranges, unproven } = ranges_under(program, assumptions.options(true), contracts)?;
    let certified =
        is_certified.then(|| super::certificate::certify(program, assumptions, contracts)).transpose()?;
    let demand = Demand::compute(program, &ranges);
    let (mut widths, owners) = (Widths::of(module, &ranges, &demand), Owners::of(module, &ranges));
    if let Some(certified) = &certified {
        widths.keep_certified(module, &certified.certificate);
    }
    let teller = Teller { module, ranges: &ranges, owners: &owners };
    Ok(BitsAnswers {
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
            .map(|&finding| teller.finding(finding))
            .chain(unproven)
            .chain(rounding_changes(module).into_iter().map(|site| teller.told("rounding", site)))
            .collect(),
        functions: widths.functions.iter().map(|function| teller.function(function)).collect(),
    })
}

/// What is taken for granted of the source language.
pub(super) fn assumed(fact: &Fact) -> Option<&'static str> {
    match fact {
        Fact::Memory(words) => Some(words),
        Fact::Ieee => Some(
            "numbers with a point are computed as IEEE 754 says, rounded to the nearest: nothing that is not seen changes that",
        ),
        _ => None,
    }
}

struct Teller<'a> {
    module: &'a Module,
    ranges: &'a Propagation,
    owners: &'a Owners,
}

impl Teller<'_> {
    fn finding(&self, finding: Finding) -> BitsFinding {
        let (kind, id, at) = match finding {
            Finding::NeverInBounds(id, at) => ("out-of-bounds", id, at),
            Finding::NeverReached(id, at) => ("never", id, at),
        };
        self.told(kind, (id, at))
    }

    fn told(&self, kind: &str, (id, at): (FunctionId, InstructionId)) -> BitsFinding {
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
        let words = FunctionText::new(self.module, body);
        let Total { declared, needed, slice, .. } = widths.total();
        let poison = may_be_poison(self.module, body);
        let key = self.module.key(widths.function);
        BitsFunction {
            name: key.name.to_string(),
            key,
            declared,
            needed_type: needed,
            needed_slice: slice,
            values: widths
                .values
                .iter()
                .map(|value| self.value((widths, body, &words), &poison, value))
                .collect(),
            floats: floats(self.module, self.ranges, widths.function, &words, &poison),
        }
    }

    fn value(
        &self,
        (of, body, words): (&FunctionWidths, &Function, &FunctionText<'_>),
        poison: &IdMap<InstructionId, bool>,
        value: &ValueWidth,
    ) -> BitsValue {
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
            .then(|| self.ranges.variable(of.function, value.value))
            .flatten()
            .map(|variable| because(self.ranges, self.owners, variable));
        BitsValue {
            key: self
                .module
                .key_of(of.function, value.value)
                .expect("only parameters and results have widths"),
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
            may_be_poison: matches!(value.value, Value::Instruction(at) if poison[at]),
            observed: None,
            because: chain.map(|chain| self.chain(&chain)),
        }
    }

    /// The end of a chain, and through which named value it leads there.
    fn chain(&self, chain: &[Link]) -> String {
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

/// Results that are poison if a promise is broken: by their own flags, by how
/// far they shift, or by what they are computed from, poison itself too. Where
/// memory or a call stands in between, nothing is said of it.
fn may_be_poison(module: &Module, body: &Function) -> IdMap<InstructionId, bool> {
    let mut found = IdMap::filled(body.instructions.len(), false);
    let mut is_news = true;
    while std::mem::take(&mut is_news) {
        for (at, instruction) in body.instructions.iter() {
            let opcode = instruction.opcode;
            let shifts = matches!(opcode, Opcode::Shl | Opcode::LShr | Opcode::AShr)
                && !matches!(body.operands_of(at)[1], Value::Constant(_));
            let inherits = !matches!(opcode, Opcode::Load | Opcode::Freeze) && !opcode.is_call();
            let from = |value: &Value| match *value {
                Value::Instruction(from) => found[from],
                Value::Constant(id) => module.constants[id].value == ConstantValue::Poison,
                _ => false,
            };
            let promises = |flag: Flags| flag != Flags::RELAXED && instruction.flags.has(flag);
            let is = Flags::words(opcode).iter().any(|&(flag, _)| promises(flag))
                && !matches!(opcode, Opcode::Load | Opcode::Store)
                || shifts
                || inherits && body.operands_of(at).iter().any(from);
            if is && !found[at] {
                found[at] = true;
                is_news = true;
            }
        }
    }
    found
}

/// A value's name in the source, or else in the text of the module.
pub(super) fn name(body: &Function, words: &FunctionText<'_>, value: Value) -> String {
    match body.source_names.get(&value) {
        Some(name) => name.to_string(),
        None => words.value(value),
    }
}

/// What ends a chain of reasons.
pub(super) fn reason(cause: Cause) -> &'static str {
    match cause {
        Cause::Limit(limit) => limited(limit),
        Cause::Constant => "computed from constants",
        Cause::Contract => "what a contract leaves (--assume)",
        Cause::Table => "an element of a constant table",
        Cause::Float => "a floating point number",
        Cause::Grows | Cause::Computed | Cause::OneOf => "it grows from turn to turn",
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
