//! What is a formula made of?
//!
//! Symbols, tests, and the nodes that join them; what range a node has by the
//! ranges of its parts, and the arithmetic of powers, logarithms and roots that
//! that needs. Cost: the parts of one node.

use opcost_index::define_id;
use opcost_ir::{ConstantId, GlobalId, Value};
use opcost_key::InstructionId;

use super::{Domain, Interval};
use crate::cells::CellVersion;
use opcost_graph::loops::LoopId;

define_id!(
    /// A formula of one table.
    pub struct FormulaId, "formula"
);
define_id!(
    /// A symbol of one table.
    pub struct SymbolId, "symbol"
);

/// How deep a formula may be.
pub const DEEPEST: u16 = 48;
/// How many nodes a formula may have, written out as a tree.
pub const LARGEST: u32 = 4000;

/// What a formula is a function of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// A parameter of the function, by position.
    Argument(u32),
    /// The result of an instruction, the last time that it ran.
    Result(InstructionId),
    /// What a phi at the head of a loop holds in the first turn.
    AtEntry(InstructionId),
    /// What a version of a cell of memory holds.
    Cell(CellVersion),
    /// What the version that merges at the head of a loop holds in the first turn.
    CellAtEntry(CellVersion),
    /// The number, from 0, of the turn that a loop is in: how often it has gone
    /// back since it was entered.
    Turn(LoopId),
    /// What a sum runs over; the outer of two sums has the greater number.
    Index(u32),
    /// The address of data.
    Global(GlobalId),
    /// The address of a function.
    Code(Value),
    /// A constant that is not looked into.
    Constant(ConstantId),
    /// `undef`, `poison` or memory that was never written, one for each use: no
    /// number at all.
    Undefined(u32),
    /// Anything with a name.
    Named(Box<str>),
}

/// Which way a quotient is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// Towards minus infinity.
    Floor,
    /// Towards plus infinity.
    Ceiling,
    /// Towards zero, as C does.
    Truncate,
    /// It is known to leave no remainder.
    Exact,
}

/// How a formula stands to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// It is less.
    Negative,
    /// It is not less.
    NotNegative,
    /// It is zero.
    Zero,
    /// It is not.
    NotZero,
}

/// A statement about a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Test {
    /// How it stands to zero.
    pub relation: Relation,
    /// The formula.
    pub of: FormulaId,
}

/// What a formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Given up: too deep, too large, or a number of more than 127 bits.
    TooBig,
    /// A number.
    Constant(i128),
    /// A symbol.
    Symbol(SymbolId),
    /// `constant + Σ factor · term`; terms ascend by id, and none is a sum, a
    /// constant or an exact quotient by a constant. At least two parts.
    Sum {
        /// The number in it.
        constant: i128,
        /// Terms and their factors, none zero.
        terms: Box<[(FormulaId, i128)]>,
    },
    /// Two factors or more, ascending by id, none of them a sum or a constant.
    Product(Box<[FormulaId]>),
    /// A quotient.
    Divide {
        /// Which way it is rounded.
        rounding: Rounding,
        /// What is divided.
        of: FormulaId,
        /// By what; not zero.
        by: FormulaId,
    },
    /// What a floor division by a positive number leaves: `0 <= it < by`.
    Modulo {
        /// What is divided.
        of: FormulaId,
        /// By what.
        by: FormulaId,
    },
    /// The least of several, ascending by id.
    Least(Box<[FormulaId]>),
    /// The greatest of several, ascending by id.
    Greatest(Box<[FormulaId]>),
    /// `base ^ exponent`, base at least 2 and exponent not negative.
    Power {
        /// What is multiplied.
        base: i128,
        /// How often.
        exponent: FormulaId,
    },
    /// The number of a domain that differs from this one by a multiple of 2^bits.
    Wrap {
        /// The domain.
        domain: Domain,
        /// What is wrapped.
        of: FormulaId,
    },
    /// The least n, not negative, with `base ^ n >= of`.
    CeilLog {
        /// At least 2.
        base: i128,
        /// What is reached.
        of: FormulaId,
    },
    /// The least n, not negative, with `n · n >= of`.
    CeilRoot(FormulaId),
    /// One of two. The relation is `Negative` or `Zero`.
    Select {
        /// What decides.
        test: Test,
        /// If it holds.
        then: FormulaId,
        /// If it does not.
        otherwise: FormulaId,
    },
    /// `Σ of`, the index running from 0 to count - 1; count is not negative.
    Series {
        /// The index, a [`Symbol::Index`] that stands nowhere outside of `of`.
        index: SymbolId,
        /// How many terms.
        count: FormulaId,
        /// The term.
        of: FormulaId,
    },
}

impl Relation {
    /// Whether a number stands so to zero.
    pub fn holds(self, number: i128) -> bool {
        match self {
            Relation::Negative => number < 0,
            Relation::NotNegative => number >= 0,
            Relation::Zero => number == 0,
            Relation::NotZero => number != 0,
        }
    }

    /// Whether all numbers of an interval stand so, or none; else unknown.
    pub fn decide(self, interval: Interval) -> Option<bool> {
        let negative = match interval {
            Interval { high, .. } if high < 0 => Some(true),
            Interval { low, .. } if low >= 0 => Some(false),
            _ => None,
        };
        let zero = match interval.only() {
            Some(number) => Some(number == 0),
            None if interval.low > 0 || interval.high < 0 => Some(false),
            None => None,
        };
        match self {
            Relation::Negative => negative,
            Relation::NotNegative => negative.map(|holds| !holds),
            Relation::Zero => zero,
            Relation::NotZero => zero.map(|holds| !holds),
        }
    }
}

impl Test {
    /// The statement that holds where this one does not.
    #[must_use]
    pub fn inverse(self) -> Test {
        let relation = match self.relation {
            Relation::Negative => Relation::NotNegative,
            Relation::NotNegative => Relation::Negative,
            Relation::Zero => Relation::NotZero,
            Relation::NotZero => Relation::Zero,
        };
        Test { relation, ..self }
    }
}
/// The range of a node whose parts have these; `ALL` of symbols.
pub(super) fn range_of(node: &Node, part: &dyn Fn(FormulaId) -> Interval) -> Interval {
    match node {
        Node::TooBig | Node::Symbol(_) => Interval::ALL,
        Node::Constant(value) => Interval::exactly(*value),
        Node::Sum { constant, terms } => terms
            .iter()
            .fold(Interval::exactly(*constant), |sum, &(term, factor)| sum.plus(part(term).scaled(factor))),
        Node::Product(factors) => product_range(factors, part),
        Node::Divide { rounding, of, by } => super::division::quotient_range(*rounding, part(*of), part(*by)),
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

/// `base ^ exponent`; none if it does not fit or the exponent is negative.
pub(super) fn power(base: i128, exponent: i128) -> Option<i128> {
    base.checked_pow(u32::try_from(exponent).ok()?)
}

/// The least n, not negative, with base^n >= of.
pub(super) fn ceil_log(base: i128, of: i128) -> i128 {
    let (mut reached, mut exponent) = (1_i128, 0);
    while reached < of {
        exponent += 1;
        let Some(next) = reached.checked_mul(base) else { return exponent };
        reached = next;
    }
    exponent
}

/// The least n, not negative, with n² >= of.
pub(super) fn ceil_root(of: i128) -> i128 {
    if of <= 0 {
        return 0;
    }
    let root = of.isqrt();
    if root * root == of { root } else { root + 1 }
}

/// The formulas that a node is made of.
pub(super) fn children(node: &Node) -> Vec<FormulaId> {
    match node {
        Node::TooBig | Node::Constant(_) | Node::Symbol(_) => Vec::new(),
        Node::Sum { terms, .. } => terms.iter().map(|&(term, _)| term).collect(),
        Node::Product(list) | Node::Least(list) | Node::Greatest(list) => list.to_vec(),
        Node::Divide { of, by, .. } | Node::Modulo { of, by } => vec![*of, *by],
        Node::Power { exponent: of, .. }
        | Node::Wrap { of, .. }
        | Node::CeilLog { of, .. }
        | Node::CeilRoot(of) => vec![*of],
        Node::Select { test, then, otherwise } => vec![test.of, *then, *otherwise],
        Node::Series { count, of, .. } => vec![*count, *of],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_roots_are_rounded_up() {
        let logs: Vec<i128> = [-3, 0, 1, 2, 3, 4, 5, 8, 9].map(|of| ceil_log(2, of)).to_vec();
        assert_eq!(logs, [0, 0, 0, 1, 2, 2, 3, 3, 4]);
        assert_eq!([0, 1, 2, 4, 5, 9, 10].map(ceil_root), [0, 1, 2, 2, 3, 3, 4]);
        assert_eq!(ceil_log(3, i128::MAX), 81);
        assert_eq!(power(2, 126), Some(1 << 126));
        assert_eq!(power(2, 127), None);
    }
}
