//! How do quotients, shifts, wraps and logarithms read?
//!
//! A quotient that C would round alike is written with `/`, one by a power of
//! two as a shift; a wrap is a cast, or a mask of few bits. Cost: that of the
//! parts.

use super::super::nodes::{FormulaId, FormulaNode, Rounding};
use super::super::{Domain, FormulaInterval};
use super::{Level, Writer, is_mask, push};

impl Writer<'_> {
    /// A power of two among the factors: its exponent, and the other factors.
    pub(super) fn shift_in(&self, term: FormulaId) -> Option<(FormulaId, Vec<FormulaId>)> {
        let mut rest = self.table.factors_of(term);
        let position =
            rest.iter().position(|&f| matches!(self.table.node(f), FormulaNode::Power { base: 2, .. }))?;
        let FormulaNode::Power { exponent, .. } = *self.table.node(rest.remove(position)) else {
            return None;
        };
        Some((exponent, rest))
    }

    pub(super) fn is_natural(&self, id: FormulaId) -> bool {
        FormulaInterval::NATURAL.holds(self.table.range(id))
    }

    /// Whether C's `/` rounds as this does.
    pub(super) fn is_plain(&self, rounding: Rounding, of: FormulaId, by: FormulaId) -> bool {
        match rounding {
            Rounding::Exact | Rounding::Truncate => true,
            Rounding::Floor => self.is_natural(of) && self.is_natural(by),
            Rounding::Ceiling => false,
        }
    }

    pub(super) fn quotient_level(&self, rounding: Rounding, of: FormulaId, by: FormulaId) -> Level {
        match self.table.node(by) {
            FormulaNode::Power { base: 2, .. } if rounding == Rounding::Floor => Level::Shift,
            _ if self.is_plain(rounding, of, by) => Level::Product,
            _ => Level::Whole,
        }
    }

    pub(super) fn quotient(
        &self,
        rounding: Rounding,
        [of, by]: [FormulaId; 2],
        depth: u16,
        out: &mut String,
    ) {
        if let FormulaNode::Power { base: 2, exponent } = *self.table.node(by)
            && rounding == Rounding::Floor
        {
            self.part(of, Level::Shift, depth, out);
            out.push_str(" >> ");
            return self.part(exponent, Level::Sum, depth, out);
        }
        let is_plain = self.is_plain(rounding, of, by);
        if !is_plain {
            out.push_str(if rounding == Rounding::Floor { "floor(" } else { "ceil(" });
        }
        self.part(of, Level::Product, depth, out);
        out.push_str(" / ");
        self.part(by, Level::Unary, depth, out);
        if !is_plain {
            out.push(')');
        }
    }

    pub(super) fn wrap(&self, domain: Domain, of: FormulaId, depth: u16, out: &mut String) {
        if is_mask(domain) {
            self.part(of, Level::Comparison, depth, out);
            return push(out, format_args!(" & {}", domain.size() - 1));
        }
        push(out, format_args!("({}{})", if domain.signed { 'i' } else { 'u' }, domain.bits));
        self.part(of, Level::Unary, depth, out);
    }

    pub(super) fn logarithm(&self, base: i128, of: FormulaId, depth: u16, out: &mut String) {
        let (constant, terms) = self.table.terms_of(of);
        if let (2, 1, [(only, 1)]) = (base, constant, &terms[..]) {
            return self.call("bit_length", &[*only], depth, out);
        }
        push(out, format_args!("ceil(log{base}("));
        self.part(of, Level::Choice, depth, out);
        out.push_str("))");
    }
}
