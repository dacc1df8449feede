//! A formula as a stack program.
//!
//! Operands first, each part written out as often as it stands in the formula; a
//! sum is a count, a `Sum`, the steps of its term and a `SumEnd`. What a symbol
//! is, the caller says. A formula is bounded in depth, and so is this. Input: a
//! formula. Output: steps, or why there are none. Cost: the formula as a tree, up
//! to the most steps that a check may have.

use std::borrow::Cow;

use opcost_analysis::expression::{
    Domain, FormulaId, FormulaNode, Formulas, Relation, Rounding, Symbol, SymbolId,
};
use opcost_instrument::ClaimStep;
use opcost_ir::IntegerComparison;

/// Why something is not held.
pub(crate) type CheckRefusal = Cow<'static, str>;
pub(crate) type Made = Result<(), CheckRefusal>;

/// Pushes what a symbol is.
type Push<'a> = &'a dyn Fn(SymbolId, &mut Vec<ClaimStep>) -> Made;

/// Makes steps of formulas.
pub(crate) struct Maker<'a> {
    pub(crate) formulas: &'a Formulas,
    pub(crate) symbol: Push<'a>,
}

impl Maker<'_> {
    /// The steps of a formula, operands first; none if some part has none. A
    /// formula is bounded in depth, and so is this.
    pub(crate) fn steps(&self, of: FormulaId, out: &mut Vec<ClaimStep>) -> Made {
        if out.len() > opcost_ir::MOST_STEPS {
            return Err(format!("its formula has more than {} steps", opcost_ir::MOST_STEPS).into());
        }
        match self.formulas.node(of) {
            FormulaNode::Constant(number) => out.push(ClaimStep::Constant(*number)),
            FormulaNode::Symbol(symbol) => (self.symbol)(*symbol, out)?,
            FormulaNode::Sum { constant, terms } => {
                out.push(ClaimStep::Constant(*constant));
                for &(term, factor) in terms {
                    self.steps(term, out)?;
                    out.extend([ClaimStep::Constant(factor), ClaimStep::Mul, ClaimStep::Add]);
                }
            }
            FormulaNode::Product(parts) => self.fold(parts, ClaimStep::Mul, out)?,
            FormulaNode::Least(parts) => self.fold(parts, ClaimStep::Min, out)?,
            FormulaNode::Greatest(parts) => self.fold(parts, ClaimStep::Max, out)?,
            FormulaNode::Divide { rounding, of, by } => {
                let step = match rounding {
                    Rounding::Floor | Rounding::Exact => ClaimStep::FloorDiv,
                    Rounding::Ceiling => ClaimStep::CeilDiv,
                    Rounding::Truncate => ClaimStep::TruncDiv,
                };
                self.steps(*of, out)?;
                match self.formulas.node(*by) {
                    // By more than there is: only the sign is left.
                    FormulaNode::Power { base, exponent } if *rounding != Rounding::Exact => {
                        self.steps(*exponent, out)?;
                        out.push(ClaimStep::Power { base: *base, is_capped: true });
                    }
                    _ => self.steps(*by, out)?,
                }
                out.push(step);
            }
            FormulaNode::Modulo { of, by } => {
                self.steps(*of, out)?;
                self.steps(*by, out)?;
                out.push(ClaimStep::Rem);
            }
            FormulaNode::Wrap { domain, of } => {
                self.steps(*of, out)?;
                out.push(wrap(*domain)?);
            }
            FormulaNode::Select { test, then, otherwise } => {
                let (comparison, first, second) = match test.relation {
                    Relation::Negative => (IntegerComparison::Less, then, otherwise),
                    Relation::NotNegative => (IntegerComparison::Less, otherwise, then),
                    Relation::Zero => (IntegerComparison::Equal, then, otherwise),
                    Relation::NotZero => (IntegerComparison::NotEqual, then, otherwise),
                };
                self.steps(test.of, out)?;
                out.push(ClaimStep::Constant(0));
                self.steps(*first, out)?;
                self.steps(*second, out)?;
                out.push(ClaimStep::Select(comparison));
            }
            FormulaNode::Power { base, exponent } => {
                self.steps(*exponent, out)?;
                out.push(ClaimStep::Power { base: *base, is_capped: false });
            }
            FormulaNode::CeilLog { base, of } => {
                self.steps(*of, out)?;
                out.push(ClaimStep::CeilLog(*base));
            }
            FormulaNode::CeilRoot(of) => {
                self.steps(*of, out)?;
                out.push(ClaimStep::CeilRoot);
            }
            FormulaNode::Series { index, count, of } => {
                let Symbol::Index(number) = *self.formulas.symbol_of(*index) else {
                    return Err("its formula has a sum without an index".into());
                };
                self.steps(*count, out)?;
                let start = out.len();
                out.push(ClaimStep::Sum { index: number, length: 0 });
                self.steps(*of, out)?;
                out.push(ClaimStep::SumEnd);
                let length = (out.len() - start - 1) as u32;
                out[start] = ClaimStep::Sum { index: number, length };
            }
            FormulaNode::TooBig => return Err("its formula is too large".into()),
        }
        Ok(())
    }

    fn fold(&self, parts: &[FormulaId], step: ClaimStep, out: &mut Vec<ClaimStep>) -> Made {
        for (position, &part) in parts.iter().enumerate() {
            self.steps(part, out)?;
            if position > 0 {
                out.push(step);
            }
        }
        Ok(())
    }
}

fn wrap(Domain { bits, signed }: Domain) -> Result<ClaimStep, CheckRefusal> {
    let is_held = (1..=127).contains(&bits);
    is_held
        .then_some(ClaimStep::Wrap { bits, signed })
        .ok_or_else(|| format!("it wraps at {bits} bits").into())
}
