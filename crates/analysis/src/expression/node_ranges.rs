//! Between which numbers does a node lie, by the ranges of its parts?
//!
//! Parts are taken as independent of each other, but for equal factors of a product.
//! Cost: the parts of one node.

use super::Interval;
use super::integers::{ceil_log, ceil_root, power, quotient};
use super::nodes::{FormulaId, Node, Rounding};

/// The range of a node whose parts have these; `ALL` of symbols.
pub(super) fn range_of(node: &Node, part: &dyn Fn(FormulaId) -> Interval) -> Interval {
    match node {
        Node::TooBig | Node::Symbol(_) => Interval::ALL,
        Node::Constant(value) => Interval::exactly(*value),
        Node::Sum { constant, terms } => terms
            .iter()
            .fold(Interval::exactly(*constant), |sum, &(term, factor)| sum.plus(part(term).scaled(factor))),
        Node::Product(factors) => product_range(factors, part),
        Node::Divide { rounding, of, by } => quotient_range(*rounding, part(*of), part(*by)),
        Node::Modulo { by, .. } => Interval { low: 0, high: part(*by).high.saturating_sub(1).max(0) },
        Node::Least(list) => list.iter().map(|&id| part(id)).reduce(Interval::least).unwrap_or(Interval::ALL),
        Node::Greatest(list) => {
            list.iter().map(|&id| part(id)).reduce(Interval::greatest).unwrap_or(Interval::ALL)
        }
        Node::Power { base, exponent } => {
            let exponent = part(*exponent).greatest(Interval::exactly(0));
            exponent.through(|number| power(*base, number).unwrap_or(i128::MAX))
        }
        Node::Wrap { domain, .. } => domain.interval(),
        Node::CeilLog { base, of } => {
            part(*of).greatest(Interval::exactly(0)).through(|number| ceil_log(*base, number))
        }
        Node::CeilRoot(of) => part(*of).greatest(Interval::exactly(0)).through(ceil_root),
        Node::Select { then, otherwise, .. } => part(*then).or(part(*otherwise)),
        Node::Series { count, of, .. } => {
            let count = part(*count).greatest(Interval::exactly(0));
            count.times(part(*of))
        }
    }
}

/// A square is not negative; other factors are taken as independent.
fn product_range(factors: &[FormulaId], part: &dyn Fn(FormulaId) -> Interval) -> Interval {
    let mut product = Interval::exactly(1);
    for same in factors.chunk_by(|a, b| a == b) {
        let one = part(same[0]);
        let mut power = (1..same.len()).fold(one, |power, _| power.times(one));
        if same.len().is_multiple_of(2) {
            power = power.greatest(Interval::exactly(0));
        }
        product = product.times(power);
    }
    product
}

/// Between what the quotients lie.
fn quotient_range(rounding: Rounding, of: Interval, by: Interval) -> Interval {
    if by.low <= 0 {
        // By a number that is not zero: no larger than what is divided.
        let size = of.negated().or(of);
        return Interval { low: size.low, high: size.high };
    }
    let divided = |value: i128| {
        let ends = [quotient(rounding, value, by.low), quotient(rounding, value, by.high)];
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    };
    let low = if of.low == i128::MIN { i128::MIN } else { divided(of.low).0 };
    let high = if of.high == i128::MAX { i128::MAX } else { divided(of.high).1 };
    Interval { low, high }
}
