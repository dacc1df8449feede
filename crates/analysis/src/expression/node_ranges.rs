//! Between which numbers is a node, by the ranges of its parts?
//!
//! Parts are taken as independent of each other, but for equal factors of a product.
//! Cost: the parts of one node.

use super::FormulaInterval;
use super::integers::{ceil_log, ceil_root, power, quotient};
use super::nodes::{FormulaId, FormulaNode, Rounding};

/// The range of a node whose parts have these; `ALL` of symbols.
pub(super) fn range_of(node: &FormulaNode, part: &dyn Fn(FormulaId) -> FormulaInterval) -> FormulaInterval {
    match node {
        FormulaNode::TooBig | FormulaNode::Symbol(_) => FormulaInterval::ALL,
        FormulaNode::Constant(value) => FormulaInterval::exactly(*value),
        FormulaNode::Sum { constant, terms } => {
            terms.iter().fold(FormulaInterval::exactly(*constant), |sum, &(term, factor)| {
                sum.plus(part(term).scaled(factor))
            })
        }
        FormulaNode::Product(factors) => product_range(factors, part),
        FormulaNode::Divide { rounding, of, by } => quotient_range(*rounding, part(*of), part(*by)),
        FormulaNode::Modulo { by, .. } => {
            FormulaInterval { low: 0, high: part(*by).high.saturating_sub(1).max(0) }
        }
        FormulaNode::Least(list) => {
            list.iter().map(|&id| part(id)).reduce(FormulaInterval::least).unwrap_or(FormulaInterval::ALL)
        }
        FormulaNode::Greatest(list) => {
            list.iter().map(|&id| part(id)).reduce(FormulaInterval::greatest).unwrap_or(FormulaInterval::ALL)
        }
        FormulaNode::Power { base, exponent } => {
            let exponent = part(*exponent).greatest(FormulaInterval::exactly(0));
            exponent.through(|number| power(*base, number).unwrap_or(i128::MAX))
        }
        FormulaNode::Wrap { domain, .. } => domain.interval(),
        FormulaNode::CeilLog { base, of } => {
            part(*of).greatest(FormulaInterval::exactly(0)).through(|number| ceil_log(*base, number))
        }
        FormulaNode::CeilRoot(of) => part(*of).greatest(FormulaInterval::exactly(0)).through(ceil_root),
        FormulaNode::Select { then, otherwise, .. } => part(*then).or(part(*otherwise)),
        FormulaNode::Series { count, of, .. } => {
            let count = part(*count).greatest(FormulaInterval::exactly(0));
            count.times(part(*of))
        }
    }
}

/// A square is not negative; other factors are taken as independent.
fn product_range(factors: &[FormulaId], part: &dyn Fn(FormulaId) -> FormulaInterval) -> FormulaInterval {
    let mut product = FormulaInterval::exactly(1);
    for same in factors.chunk_by(|a, b| a == b) {
        let one = part(same[0]);
        let mut power = (1..same.len()).fold(one, |power, _| power.times(one));
        if same.len().is_multiple_of(2) {
            power = power.greatest(FormulaInterval::exactly(0));
        }
        product = product.times(power);
    }
    product
}

/// The bounds of the quotients.
fn quotient_range(rounding: Rounding, of: FormulaInterval, by: FormulaInterval) -> FormulaInterval {
    if by.low <= 0 {
        // By a number that is not zero: no larger than what is divided.
        let size = of.negated().or(of);
        return FormulaInterval { low: size.low, high: size.high };
    }
    let divided = |value: i128| {
        let ends = [quotient(rounding, value, by.low), quotient(rounding, value, by.high)];
        (ends[0].min(ends[1]), ends[0].max(ends[1]))
    };
    let low = if of.low == i128::MIN { i128::MIN } else { divided(of.low).0 };
    let high = if of.high == i128::MAX { i128::MAX } else { divided(of.high).1 };
    FormulaInterval { low, high }
}
