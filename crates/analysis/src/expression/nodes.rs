//! What is a formula made of?
//!
//! Symbols, tests, and the nodes that join them. Data only: what a table makes of
//! them is in the files above. Cost: the parts of one node.

use opcost_index::define_id;
use opcost_ir::{ConstantId, GlobalId, Value};
use opcost_key::InstructionId;

use super::{Domain, FormulaInterval};
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
    /// What a phi at the head of a loop holds in the first iteration.
    AtEntry(InstructionId),
    /// What a version of a cell of memory holds.
    Cell(CellVersion),
    /// What the version that merges at the head of a loop holds in the first iteration.
    CellAtEntry(CellVersion),
    /// The number, from 0, of the iteration that a loop is in: how often it went back since
    /// it was entered.
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

/// How a formula compares with zero.
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
    /// How it compares with zero.
    pub relation: Relation,
    /// The formula.
    pub of: FormulaId,
}

/// What a formula is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FormulaNode {
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
        /// The index, a [`Symbol::Index`] that occurs nowhere outside of `of`.
        index: SymbolId,
        /// How many terms.
        count: FormulaId,
        /// The term.
        of: FormulaId,
    },
}

impl Relation {
    /// Whether a number compares so with zero.
    pub fn holds(self, number: i128) -> bool {
        match self {
            Relation::Negative => number < 0,
            Relation::NotNegative => number >= 0,
            Relation::Zero => number == 0,
            Relation::NotZero => number != 0,
        }
    }

    /// Whether all numbers of an interval compare so, or none; else unknown.
    pub fn decide(self, interval: FormulaInterval) -> Option<bool> {
        let negative = match interval {
            FormulaInterval { high, .. } if high < 0 => Some(true),
            FormulaInterval { low, .. } if low >= 0 => Some(false),
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

/// The formulas that a node is made of.
pub(super) fn children(node: &FormulaNode) -> Vec<FormulaId> {
    match node {
        FormulaNode::TooBig | FormulaNode::Constant(_) | FormulaNode::Symbol(_) => Vec::new(),
        FormulaNode::Sum { terms, .. } => terms.iter().map(|&(term, _)| term).collect(),
        FormulaNode::Product(list) | FormulaNode::Least(list) | FormulaNode::Greatest(list) => list.to_vec(),
        FormulaNode::Divide { of, by, .. } | FormulaNode::Modulo { of, by } => vec![*of, *by],
        FormulaNode::Power { exponent: of, .. }
        | FormulaNode::Wrap { of, .. }
        | FormulaNode::CeilLog { of, .. }
        | FormulaNode::CeilRoot(of) => vec![*of],
        FormulaNode::Select { test, then, otherwise } => vec![test.of, *then, *otherwise],
        FormulaNode::Series { count, of, .. } => vec![*count, *of],
    }
}
