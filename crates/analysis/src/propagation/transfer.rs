//! What does one definition make of the ranges of its sources?
//!
//! The only place where ranges are computed: solving asks it again and again, and what it answers
//! for the ranges that came out must be in them. Sources are taken as unrelated. Cost: that of one
//! step of the domains.

use super::range::{Kind, Range};
use super::tables::Tables;
use super::variables::{Definition, VariableId, Variables};
use crate::ranges::back::unshifted;
use crate::ranges::word::{low_bits, mask};
use crate::ranges::{Congruence, FloatRange, Format, Interval, KnownBits, Operation, RangeStep, ValueRange};
use opcost_index::IdMap;
use opcost_ir::{Flags, Predicate};

/// Variables with the ranges that they have so far.
pub(super) struct Ranges<'a> {
    pub(super) variables: &'a Variables,
    pub(super) tables: &'a Tables,
    pub(super) of: IdMap<VariableId, Range>,
}

impl Ranges<'_> {
    fn integer(&self, id: VariableId) -> ValueRange {
        match &self.of[id] {
            Range::Integer(range) => range.clone(),
            Range::Float(_) => ValueRange::full(1),
        }
    }

    fn float(&self, id: VariableId) -> Option<FloatRange> {
        self.of[id].float().copied()
    }

    /// One step.
    pub(super) fn evaluate(&self, id: VariableId) -> Range {
        let variable = self.variables.get(id);
        let kind = variable.kind;
        let result = match &variable.definition {
            Definition::Full(_) => Range::full(kind),
            Definition::Constant(range) => range.clone(),
            Definition::Join(list) => self.join(kind, list),
            Definition::Meet(list) => {
                let each = list.iter().map(|&part| &self.of[part]);
                each.fold(Range::full(kind), |all, part| all.meet(part))
            }
            Definition::Refined { source, predicate, other, flags } => {
                self.refined(*source, *predicate, *other, *flags)
            }
            definition => match kind {
                Kind::Integer(width) => Range::Integer(self.of_integer(definition, width)),
                Kind::Float(format) => {
                    Range::Float(self.of_float(definition, format).unwrap_or(FloatRange::full(format)))
                }
            },
        };
        debug_assert!(is_of_kind(&result, kind), "{id}: {variable:?} is {result:?}");
        if is_of_kind(&result, kind) { result } else { Range::full(kind) }
    }

    fn join(&self, kind: Kind, list: &[VariableId]) -> Range {
        let each = list.iter().map(|&source| &self.of[source]);
        each.fold(
            Range::empty(kind),
            |all, range| if all.contains_all(range) { all } else { all.join(range) },
        )
    }

    fn refined(&self, source: VariableId, predicate: Predicate, other: VariableId, flags: Flags) -> Range {
        match (&self.of[source], &self.of[other]) {
            (Range::Integer(one), Range::Integer(two)) => Range::Integer(one.refine(predicate, two, flags)),
            (Range::Float(one), Range::Float(two)) => Range::Float(one.refine(predicate, *two)),
            (one, _) => one.clone(),
        }
    }

    fn of_integer(&self, definition: &Definition, width: u32) -> ValueRange {
        match definition {
            Definition::Step(step, list) => {
                let operands: Vec<ValueRange> = list.iter().map(|&operand| self.integer(operand)).collect();
                ValueRange::transfer(step, &operands)
            }
            Definition::FloatCompare(predicate, left, right) => match (self.float(*left), self.float(*right))
            {
                (Some(left), Some(right)) => ValueRange::from(left.compared(*predicate, right)),
                _ => ValueRange::full(1),
            },
            Definition::ToInteger(sign, source, saturates) => match self.float(*source) {
                Some(range) if *saturates => range.to_integer_saturating(width, *sign),
                Some(range) => range.to_integer(width, *sign),
                None => ValueRange::full(width),
            },
            Definition::Except(source, words) => except(self.integer(*source), words),
            Definition::Unmasked { mask, result } => {
                unmasked(&self.integer(*mask), &self.integer(*result), width)
            }
            Definition::Unshifted { by, sign, result } => {
                unshifted(&self.integer(*result), *by, *sign, width)
            }
            Definition::Times { delta, trips } => times(&self.integer(*delta), &self.integer(*trips)),
            Definition::Polynomial { differences, under, trips } => {
                polynomial(differences, *under, &self.integer(*trips), width)
            }
            Definition::Trips { counter, delta } => {
                trips(&self.integer(*counter), &self.integer(*delta), width)
            }
            Definition::Table(table, offset) => match self.tables.range(*table, &self.integer(*offset)) {
                Range::Integer(range) => range,
                Range::Float(_) => ValueRange::full(width),
            },
            _ => ValueRange::full(width),
        }
    }

    fn of_float(&self, definition: &Definition, format: Format) -> Option<FloatRange> {
        match definition {
            Definition::FloatStep(step, list) => {
                let operands: Option<Vec<FloatRange>> =
                    list.iter().map(|&operand| self.float(operand)).collect();
                Some(FloatRange::apply(step, &operands?))
            }
            Definition::ToFloat(sign, source, not_negative) => {
                let mut range = self.integer(*source);
                if *not_negative {
                    let zero = ValueRange::constant(range.type_width(), 0);
                    range = range.refine(Predicate::Sge, &zero, Flags::NONE);
                }
                Some(FloatRange::of_integer(format, &range, *sign))
            }
            Definition::ToFormat(source) => Some(self.float(*source)?.converted(format)),
            Definition::Table(table, offset) => {
                self.tables.range(*table, &self.integer(*offset)).float().copied()
            }
            _ => None,
        }
    }
}

fn is_of_kind(range: &Range, kind: Kind) -> bool {
    match (range, kind) {
        (Range::Integer(range), Kind::Integer(width)) => range.type_width() == width,
        (Range::Float(range), Kind::Float(format)) => range.format() == format,
        _ => false,
    }
}

/// Without these words, which go one by one from both ends of the range.
fn except(range: ValueRange, words: &[u128]) -> ValueRange {
    let width = range.type_width();
    let without = |range: ValueRange, &word: &u128| {
        range.refine(Predicate::Ne, &ValueRange::constant(width, word), Flags::NONE)
    };
    let up = words.iter().fold(range, without);
    words.iter().rev().fold(up, without)
}

fn unmasked(mask: &ValueRange, result: &ValueRange, width: u32) -> ValueRange {
    if result.is_empty() || mask.is_empty() {
        return ValueRange::empty(width);
    }
    let Some(mask) = mask.as_constant() else { return ValueRange::full(width) };
    let bits = result.bits();
    let contradicts = bits.ones() & !mask != 0;
    if contradicts {
        return ValueRange::empty(width);
    }
    ValueRange::from(KnownBits::new(width, mask & bits.zeros(), mask & bits.ones()))
}

/// The wrapped sum of at most so many numbers.
fn times(delta: &ValueRange, trips: &ValueRange) -> ValueRange {
    let width = delta.type_width();
    let zero = ValueRange::constant(width, 0);
    let (Some((_, most)), Some(signed), Some(unsigned)) =
        (trips.unsigned_range(), delta.signed_range(), delta.unsigned_range())
    else {
        return zero;
    };
    let Ok(most) = i128::try_from(most) else { return ValueRange::full(width) };
    let signed_arc = sum_of(width, signed.0, signed.1, most);
    let unsigned_arc = match (i128::try_from(unsigned.0), i128::try_from(unsigned.1)) {
        (Ok(low), Ok(high)) => sum_of(width, low, high, most),
        _ => Interval::full(width),
    };
    let arc = if signed_arc.span() <= unsigned_arc.span() { signed_arc } else { unsigned_arc };
    let zeros = low_bits(delta.bits().zeros_at_end().min(width));
    ValueRange::new(arc, KnownBits::new(width, zeros, 0), Congruence::any(width))
}

fn sum_of(width: u32, low: i128, high: i128, most: i128) -> Interval {
    let ends = low.min(0).checked_mul(most).zip(high.max(0).checked_mul(most));
    let span = ends.and_then(|(low, high)| Some((low, high.checked_sub(low)?)));
    match span {
        Some((low, span)) if (span as u128) < mask(width) => {
            Interval::arc(width, low as u128 & mask(width), span as u128)
        }
        _ => Interval::full(width),
    }
}

/// How many iterations of a polynomial are computed one by one.
const MOST_TURNS: u128 = 256;

/// The values, wrapped, of a polynomial in the first iterations of a loop.
fn polynomial(differences: &[i128], under: i128, trips: &ValueRange, width: u32) -> ValueRange {
    let most = trips.unsigned_range().map_or(0, |(_, most)| most);
    let ends = match most {
        ..=MOST_TURNS => over_each(differences, most),
        _ => over_binomials(differences, most),
    };
    let arc = ends.and_then(|(low, high)| {
        let (low, high) = (low.div_euclid(under), high.div_euclid(under) + 1);
        let span = high.checked_sub(low)? as u128 - u128::from(high > low);
        (span < mask(width)).then(|| Interval::arc(width, low as u128 & mask(width), span))
    });
    arc.map_or(ValueRange::full(width), ValueRange::from)
}

/// The least and the greatest value, iteration by iteration.
fn over_each(differences: &[i128], most: u128) -> Option<(i128, i128)> {
    let mut state: Vec<i128> = std::iter::once(0).chain(differences.iter().copied()).collect();
    let (mut low, mut high) = (0, 0);
    for _ in 0..most {
        for at in 1..state.len() {
            state[at - 1] = state[at - 1].checked_add(state[at])?;
        }
        (low, high) = (low.min(state[0]), high.max(state[0]));
    }
    Some((low, high))
}

/// Bounds of them by those of the binomials, which grow with the iteration.
fn over_binomials(differences: &[i128], most: u128) -> Option<(i128, i128)> {
    let (mut low, mut high, mut binomial) = (0i128, 0i128, 1i128);
    for (before, &difference) in differences.iter().enumerate() {
        let left = i128::try_from(most).ok()?.checked_sub(before as i128)?.max(0);
        binomial = binomial.checked_mul(left)? / (before as i128 + 1);
        low = low.checked_add(difference.min(0).checked_mul(binomial)?)?;
        high = high.checked_add(difference.max(0).checked_mul(binomial)?)?;
    }
    Some((low, high))
}

/// How often a step of `delta` can be taken without leaving the arc of the counter. It is known
/// only if no step can leap over what is outside of the arc.
fn trips(counter: &ValueRange, delta: &ValueRange, width: u32) -> ValueRange {
    if counter.is_empty() {
        return ValueRange::constant(width, 0);
    }
    let unknown = ValueRange::full(width);
    let Some((low, high)) = delta.signed_range() else { return unknown };
    let (least, most) = match (low > 0, high < 0) {
        (true, _) => (low.unsigned_abs(), high.unsigned_abs()),
        (_, true) => (high.unsigned_abs(), low.unsigned_abs()),
        _ => return unknown,
    };
    let spans = [
        counter.interval().span(),
        counter.unsigned_range().map(|(low, high)| high - low),
        counter.signed_range().map(|(low, high)| high.wrapping_sub(low) as u128),
    ];
    let Some(span) = spans.into_iter().flatten().min() else { return unknown };
    let outside = mask(counter.type_width()) - span;
    // A step of `outside + 1` would lead from the end to the beginning.
    if most > outside {
        return unknown;
    }
    let turns = span / least;
    if turns > mask(width) { unknown } else { ValueRange::from(Interval::new(width, 0, turns)) }
}

/// A step without promises.
pub(super) fn plain(operation: Operation, width: u32) -> RangeStep {
    RangeStep::new(operation, width)
}
