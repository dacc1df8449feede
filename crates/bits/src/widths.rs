//! How wide is each value declared, and how wide need it be?
//!
//! Every parameter and every result that is an integer counts once, whether it
//! runs or not; addresses, floating point numbers and vectors do not. A value
//! that no execution reaches needs no bits and is told apart. What nobody looks
//! at counts in the type width; the slice width leaves it out, and the demanded
//! width is that of a type which holds all that is looked at: for programs
//! without the promises (`nsw`, …) that the rest decides.
//!
//! Input: ranges and demanded bits of a module. Output: [`Widths`], by function, parameters
//! first, then results in the order of the program. Cost: linear.

use std::collections::HashMap;

use opcost_analysis::demand::{Demand, held};
use opcost_analysis::propagation::Propagation;
use opcost_analysis::ranges::{Congruence, Interval, KnownBits, ValueRange, Width};
use opcost_certificate::{Certificate, RangeClaim};
use opcost_index::Id;
use opcost_ir::{Function, Module, Type, TypeId, Value};
use opcost_key::{FunctionId, InstructionId};

/// What is known of all values of a module.
#[derive(Clone, Debug, Default)]
pub struct Widths {
    /// Functions with a body, in the order of the module.
    pub functions: Vec<FunctionWidths>,
}

/// What is known of the values of a function.
#[derive(Clone, Debug)]
pub struct FunctionWidths {
    /// The function.
    pub function: FunctionId,
    /// Its values.
    pub values: Vec<ValueWidth>,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct ValueWidth {
    /// The parameter or result.
    pub value: Value,
    /// Bits of its type.
    pub declared: u32,
    /// Bits that an `iN` needs to hold it.
    pub needed: Width,
    /// Bits that an `iN` needs to hold all of it that is looked at: as many, or less.
    pub demanded: u32,
    /// How many of the needed bits are not always the same, and looked at.
    pub slice: u32,
    /// What it is.
    pub range: ValueRange,
}

/// Bits of many values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WidthTotal {
    /// How many values.
    pub values: u64,
    /// Bits of their types.
    pub declared: u64,
    /// Bits that types of their own would have.
    pub needed: u64,
    /// The same of what is looked at.
    pub demanded: u64,
    /// Bits that are not always the same, and looked at.
    pub slice: u64,
}

impl Widths {
    /// All widths of a module.
    pub fn of(module: &Module, ranges: &Propagation, demand: &Demand) -> Widths {
        let bodies = module.functions.iter().filter(|(_, function)| !function.blocks.is_empty());
        let functions = bodies.map(|(id, function)| FunctionWidths {
            function: id,
            values: integers(module, function)
                .filter_map(|(value, declared)| {
                    let range = ranges.range(id, value)?.integer()?.clone();
                    let needed = range.needed_width();
                    let looked_at = held(&range, demand.bits(id, value)?);
                    let demanded = 128 - looked_at.leading_zeros();
                    let slice = (looked_at & range.bits().unknown_bits()).count_ones();
                    Some(ValueWidth { value, declared, needed, demanded, slice, range })
                })
                .collect(),
        });
        Widths { functions: functions.collect() }
    }

    /// Leaves of each range what is claimed of it by a certificate: no width is reported that its
    /// checker does not believe.
    pub fn retain_certified(&mut self, module: &Module, certificate: &Certificate) {
        let certified = CertifiedRanges::of(module, certificate);
        for widths in &mut self.functions {
            for value in &mut widths.values {
                let known = certified.of.get(&(widths.function, value.value)).cloned();
                value.range = known.unwrap_or_else(|| ValueRange::full(value.declared));
                (value.needed, value.slice) = (value.range.needed_width(), value.range.unknown_bits());
                // What is looked at is not certified.
                value.demanded = value.needed.bits;
            }
        }
    }
}

/// The ranges that a certificate claims.
#[derive(Clone, Debug)]
pub struct CertifiedRanges {
    /// Of parameters and results; of others nothing is known.
    pub of: HashMap<(FunctionId, Value), ValueRange>,
}

impl CertifiedRanges {
    /// What a certificate of the module says; cost: linear.
    pub fn of(module: &Module, certificate: &Certificate) -> CertifiedRanges {
        let ids: HashMap<&str, FunctionId> =
            module.functions.iter().map(|(id, function)| (&*function.name, id)).collect();
        let mut of = HashMap::new();
        for claims in &certificate.functions {
            let Some(&id) = ids.get(&*claims.name) else { continue };
            for claim in &claims.values {
                of.insert((id, claim.value.value()), range(&claim.range));
            }
            for given in &claims.given {
                of.entry((id, given.value.value())).or_insert_with(|| range(&given.range));
            }
        }
        CertifiedRanges { of }
    }
}

impl FunctionWidths {
    /// All values of the function together.
    pub fn total(&self) -> WidthTotal {
        self.values.iter().map(ValueWidth::total).sum()
    }
}

impl ValueWidth {
    /// This one.
    pub fn total(&self) -> WidthTotal {
        WidthTotal {
            values: 1,
            declared: self.declared.into(),
            needed: self.needed.bits.into(),
            demanded: self.demanded.into(),
            slice: self.slice.into(),
        }
    }
}

impl WidthTotal {
    /// Bits of the types that are not needed.
    pub fn waste(self) -> u64 {
        self.declared - self.needed
    }

    /// How much of the declared bits is needed: 0 of none.
    pub fn share(self) -> f64 {
        if self.declared == 0 { 0.0 } else { self.needed as f64 / self.declared as f64 }
    }
}

impl std::iter::Sum for WidthTotal {
    fn sum<I: Iterator<Item = WidthTotal>>(all: I) -> WidthTotal {
        all.fold(WidthTotal::default(), |sum, one| WidthTotal {
            values: sum.values + one.values,
            declared: sum.declared + one.declared,
            needed: sum.needed + one.needed,
            demanded: sum.demanded + one.demanded,
            slice: sum.slice + one.slice,
        })
    }
}

/// What a claim says, as a range.
fn range(claim: &RangeClaim) -> ValueRange {
    let width = claim.width;
    if let Some(set) = &claim.set {
        let words: Vec<u128> = set.iter().map(|word| word.0).collect();
        return ValueRange::of_values(width, &words);
    }
    let last = claim.first.0.wrapping_add(claim.span.0) & (u128::MAX >> (128 - width));
    let residue = match claim.modulus.0 {
        0 | 1 => Congruence::any(width),
        modulus => Congruence::new(width, modulus, claim.rest.0),
    };
    let arc = Interval::new(width, claim.first.0, last);
    ValueRange::new(arc, KnownBits::new(width, claim.zeros.0, claim.ones.0), residue)
}

/// Values that are integers of at most 128 bits, with the bits of their types.
fn integers<'a>(module: &'a Module, function: &'a Function) -> impl Iterator<Item = (Value, u32)> + 'a {
    let bits = |ty: TypeId| match module.types[ty] {
        Type::Integer(bits @ 1..=128) => Some(bits),
        _ => None,
    };
    let parameters = match &module.types[function.ty] {
        Type::Function(_, parameters, _) => &parameters[..],
        _ => &[],
    };
    let arguments = (0..).zip(parameters).map(|(position, &ty)| (Value::Argument(position), ty));
    let results = (0..function.instructions.len()).map(InstructionId::new);
    let results = results.map(|at| (Value::Instruction(at), function.instructions[at].ty));
    arguments.chain(results).filter_map(move |(value, ty)| Some((value, bits(ty)?)))
}
