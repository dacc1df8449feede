//! Which few values can it be?
//!
//! At most [`MOST`](SmallSet::MOST) values, sorted. Every step is done value by value, so the set
//! of results is exact as long as it is small; where it is not, there is no set any more and the
//! other domains go on, from what all results were. Cost of a step: one evaluation for each choice
//! of operands, at most 64 of them for two.

use std::fmt;

use super::concrete::evaluate;
use super::interval::{Hull, Interval};
use super::known_bits::KnownBits;
use super::operation::RangeStep;
use super::word::{Width, mask, signed};

/// A few values of so many bits, each once, in order; perhaps none.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SmallSet {
    width: u32,
    values: Box<[u128]>,
}

impl SmallSet {
    /// How many values a set may have.
    pub const MOST: usize = 8;

    /// The set of these values, bits above the width dropped; none if there are
    /// too many.
    pub fn of(width: u32, values: impl IntoIterator<Item = u128>) -> Option<SmallSet> {
        let mut kept: Vec<u128> = Vec::new();
        for value in values {
            let value = value & mask(width);
            if let Err(place) = kept.binary_search(&value) {
                if kept.len() == SmallSet::MOST {
                    return None;
                }
                kept.insert(place, value);
            }
        }
        Some(SmallSet { width, values: kept.into() })
    }

    /// No value at all.
    pub fn empty(width: u32) -> SmallSet {
        SmallSet { width, values: Box::default() }
    }

    /// Bits of the type.
    pub fn type_width(&self) -> u32 {
        self.width
    }

    /// The values in order, unsigned.
    pub fn values(&self) -> &[u128] {
        &self.values
    }

    /// Whether `value` is in it.
    pub fn contains(&self, value: u128) -> bool {
        self.values.binary_search(&value).is_ok()
    }

    /// The values of both; none if they are too many.
    pub fn join(&self, other: &SmallSet) -> Option<SmallSet> {
        SmallSet::of(self.width, self.values.iter().chain(&other.values).copied())
    }

    /// Those for which `keep` says yes.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(u128) -> bool) -> SmallSet {
        let values = self.values.iter().copied().filter(|&value| keep(value)).collect();
        SmallSet { width: self.width, values }
    }

    /// The best arc around the values.
    pub fn interval(&self) -> Interval {
        let mut hull = Hull::new(self.width);
        self.values.iter().for_each(|&value| hull.add_value(value));
        hull.best()
    }

    /// What all values agree on.
    pub fn known_bits(&self) -> KnownBits {
        let each = self.values.iter().map(|&value| KnownBits::constant(self.width, value));
        each.fold(KnownBits::empty(self.width), KnownBits::join)
    }

    /// How many bits a value needs.
    pub fn needed_width(&self) -> Width {
        let numbers = || self.values.iter().map(|&value| signed(value, self.width));
        match (self.values.first().zip(self.values.last()), numbers().min().zip(numbers().max())) {
            (Some((&low, &high)), Some((least, most))) => Width::of(&(low..=high), &(least..=most)),
            _ => Width::NONE,
        }
    }

    /// All results of a step, in no order and perhaps more than once; none if
    /// the step does not fit the widths.
    pub fn results(step: &RangeStep, operands: &[&SmallSet]) -> Option<Vec<u128>> {
        let widths: Vec<u32> = operands.iter().map(|operand| operand.width).collect();
        if !step.fits(&widths) {
            return None;
        }
        let choices = operands.iter().map(|operand| operand.values.len()).product();
        let mut words = vec![0; operands.len()];
        let mut results = Vec::new();
        for choice in 0..choices {
            let mut rest: usize = choice;
            for (word, operand) in words.iter_mut().zip(operands) {
                *word = operand.values[rest % operand.values.len()];
                rest /= operand.values.len();
            }
            results.extend(evaluate(step, widths[0], &words));
        }
        Some(results)
    }
}

impl fmt::Debug for SmallSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "i{} ", self.width)?;
        f.debug_set().entries(&self.values).finish()
    }
}
