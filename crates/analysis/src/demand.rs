//! Which bits of each value can anybody notice? Demanded bits, backwards.
//!
//! A bit of a value is *demanded* if it may decide what an execution does: where
//! a branch goes, what an address is, what code that is not seen gets or reads.
//! All other bits may be anything, all at once, and no such thing changes.
//!
//! | question | file |
//! |---|---|
//! | which bits of its operands does an operation need? | [`steps`], `carries` |
//! | which bits of what is stored does a load need? | `cells` |
//! | which demands meet all instructions of a module? | `solve` |
//! | which values can an operand have, if the result lies in a range? | [`mod@back`] |
//!
//! **How a value is held.** In as many bits as its range needs, from which it is
//! read by extension, zeros or its sign: bits above are never demanded, and of a
//! value that is always the same no bit is. Known bits inside are told as
//! demanded where they are; who wires them in leaves them out.
//!
//! **What is claimed.** Take an execution in which no value is poison or
//! undefined, and in which nothing undefined is done. Do the same computations
//! without the promises of the instructions (`nsw`, `nuw`, `exact`, `disjoint`,
//! `nneg`, `samesign`, the operand of `abs`, `ctlz` and `cttz`, facts of
//! parameters and results): the bits that are not demanded decide whether these
//! hold, so a rewrite that changes them drops the promises. Then each demanded
//! bit has the value that it had, whatever is put in the others; what has no
//! demanded bit is not computed, but any number put in its place. What is known
//! of other operands is what [`Propagation`] found, with all that that rests on.
//!
//! Division, addresses, branches, volatile and atomic accesses, assembly, memory
//! that others read, functions that are not seen: all bits.
//!
//! Input: memory and ranges of a module. Output: [`Demand`]. Cost: a value's
//! demand only grows, so that each instruction is looked at as often as its
//! result has bits, at most; plus stores times loads of each object, bounded.

pub mod back;
mod carries;
mod cells;
mod solve;
pub mod steps;

use opcost_index::{Id, IdMap};
use opcost_ir::Value;
use opcost_key::FunctionId;

use crate::memory::Memory;
use crate::propagation::Propagation;
use crate::ranges::word::low_bits;
use crate::ranges::{Sign, ValueRange};

/// Demanded bits of all integers of a module.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    values: IdMap<FunctionId, Values>,
}

/// Those of a function; none of what is no integer.
#[derive(Clone, Debug, Default)]
struct Values {
    arguments: Vec<Option<u128>>,
    results: Vec<Option<u128>>,
}

impl Demand {
    /// What is demanded of all values.
    pub fn compute(program: &Memory<'_>, ranges: &Propagation) -> Demand {
        solve::solve(program, ranges)
    }

    /// The bits of a result or parameter that an execution may notice; none of
    /// what is no integer of 1 to 128 bits.
    pub fn bits(&self, function: FunctionId, value: Value) -> Option<u128> {
        *self.values.get(function)?.get(value)?
    }
}

impl Values {
    fn get(&self, value: Value) -> Option<&Option<u128>> {
        match value {
            Value::Instruction(at) => self.results.get(at.index()),
            Value::Argument(position) => self.arguments.get(position as usize),
            _ => None,
        }
    }

    fn get_mut(&mut self, value: Value) -> Option<&mut Option<u128>> {
        match value {
            Value::Instruction(at) => self.results.get_mut(at.index()),
            Value::Argument(position) => self.arguments.get_mut(position as usize),
            _ => None,
        }
    }
}

/// Of demanded bits those that a value of this range is held in.
pub fn held(range: &ValueRange, bits: u128) -> u128 {
    let width = range.needed_width();
    if range.is_empty() || width.bits == 0 {
        return 0;
    }
    let low = low_bits(width.bits);
    let of_sign = width.sign == Sign::Signed && bits & !low != 0;
    bits & low | u128::from(of_sign) << (width.bits - 1)
}

/// The bits of a value that are right whatever its demand is: those that
/// extension gives.
fn given(range: &ValueRange) -> u128 {
    let (width, all) = (range.needed_width(), low_bits(range.type_width()));
    match (width.bits, width.sign) {
        (0, _) => all,
        (bits, Sign::Unsigned) => all & !low_bits(bits),
        (_, Sign::Signed) => 0,
    }
}

#[cfg(test)]
mod tests;
