//! Which number is it, with these inputs?
//!
//! Exact arithmetic from the bottom up, each part once. Inside a wrap only the
//! residue matters, so sums and products there may be larger than any number
//! that fits. Cost: the parts of the formula; a sum without closed form costs
//! its terms, at most [`MOST_TERMS`] of them in all.

use rustc_hash::FxHashMap as HashMap;
use std::cell::Cell;
use std::fmt;

use super::Domain;
use super::formulas::Formulas;
use super::integers;
use super::nodes::{FormulaId, FormulaNode, Rounding, Symbol, SymbolId, Test};

/// How many terms of sums are added up.
const MOST_TERMS: u32 = 1_000_000;

/// Why a formula is no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoNumber {
    /// No number was given for a symbol.
    Unbound(Symbol),
    /// It was given up, or does not fit into 127 bits.
    TooBig,
    /// Something is divided by zero.
    DivisionByZero,
    /// A sum of more than a million terms without closed form.
    TooLong,
}

impl fmt::Display for NoNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoNumber::Unbound(symbol) => write!(f, "no number is given for {symbol:?}"),
            NoNumber::TooBig => f.write_str("the number is too large"),
            NoNumber::DivisionByZero => f.write_str("something is divided by zero"),
            NoNumber::TooLong => f.write_str("a sum of more than a million terms"),
        }
    }
}

impl std::error::Error for NoNumber {}

/// What a symbol is; none if no number is given.
type Binding<'a> = &'a dyn Fn(&Symbol) -> Option<i128>;

impl Formulas {
    /// The number that a formula is. A number that a symbol cannot hold counts
    /// as the one that it can hold with the same lowest bits.
    ///
    /// # Errors
    /// Why it is none.
    pub fn evaluate(&self, formula: FormulaId, binding: Binding<'_>) -> Result<i128, NoNumber> {
        let left = Cell::new(MOST_TERMS);
        Evaluation {
            table: self,
            binding,
            indices: HashMap::default(),
            done: HashMap::default(),
            left: &left,
        }
        .number(formula)
    }

    /// Whether a statement holds.
    ///
    /// # Errors
    /// Why its formula is no number.
    pub fn evaluate_test(&self, test: Test, binding: Binding<'_>) -> Result<bool, NoNumber> {
        Ok(test.relation.holds(self.evaluate(test.of, binding)?))
    }
}

struct Evaluation<'a> {
    table: &'a Formulas,
    binding: Binding<'a>,
    indices: HashMap<SymbolId, i128>,
    done: HashMap<FormulaId, i128>,
    left: &'a Cell<u32>,
}

impl Evaluation<'_> {
    fn number(&mut self, id: FormulaId) -> Result<i128, NoNumber> {
        if let Some(&done) = self.done.get(&id) {
            return Ok(done);
        }
        let number = self.of_node(self.table.node(id))?;
        self.done.insert(id, number);
        Ok(number)
    }

    fn of_node(&mut self, node: &FormulaNode) -> Result<i128, NoNumber> {
        match node {
            FormulaNode::TooBig => Err(NoNumber::TooBig),
            FormulaNode::Constant(value) => Ok(*value),
            FormulaNode::Symbol(symbol) => self.symbol(*symbol),
            FormulaNode::Sum { constant, terms } => {
                terms.iter().try_fold(*constant, |sum, &(term, factor)| {
                    let part = self.number(term)?.checked_mul(factor);
                    part.and_then(|part| sum.checked_add(part)).ok_or(NoNumber::TooBig)
                })
            }
            FormulaNode::Product(factors) => factors.iter().try_fold(1_i128, |product, &factor| {
                product.checked_mul(self.number(factor)?).ok_or(NoNumber::TooBig)
            }),
            FormulaNode::Divide { rounding, of, by } => self.quotient(*rounding, *of, *by),
            FormulaNode::Modulo { of, by } => match (self.number(*of)?, self.number(*by)?) {
                (_, ..=0) => Err(NoNumber::DivisionByZero),
                (of, by) => Ok(of.rem_euclid(by)),
            },
            FormulaNode::Least(list) => self.extreme(list, i128::min),
            FormulaNode::Greatest(list) => self.extreme(list, i128::max),
            FormulaNode::Power { base, exponent } => {
                let exponent = self.number(*exponent)?;
                integers::power(*base, exponent).ok_or(NoNumber::TooBig)
            }
            FormulaNode::Wrap { domain, of } => self.wrap(*domain, *of),
            FormulaNode::CeilLog { base, of } => Ok(integers::ceil_log(*base, self.number(*of)?)),
            FormulaNode::CeilRoot(of) => Ok(integers::ceil_root(self.number(*of)?)),
            FormulaNode::Select { test, then, otherwise } => {
                let holds = test.relation.holds(self.number(test.of)?);
                self.number(if holds { *then } else { *otherwise })
            }
            FormulaNode::Series { index, count, of } => self.series(*index, *count, *of),
        }
    }

    fn symbol(&mut self, id: SymbolId) -> Result<i128, NoNumber> {
        if let Some(&number) = self.indices.get(&id) {
            return Ok(number);
        }
        let symbol = self.table.symbol_of(id);
        let number = (self.binding)(symbol).ok_or_else(|| NoNumber::Unbound(symbol.clone()))?;
        let domain = Domain::of(self.table.symbol_range(id));
        Ok(domain.map_or(number, |domain| domain.reduce(number)))
    }

    fn extreme(&mut self, list: &[FormulaId], choose: fn(i128, i128) -> i128) -> Result<i128, NoNumber> {
        let mut chosen = self.number(list[0])?;
        for &id in &list[1..] {
            chosen = choose(chosen, self.number(id)?);
        }
        Ok(chosen)
    }

    fn quotient(&mut self, rounding: Rounding, of: FormulaId, by: FormulaId) -> Result<i128, NoNumber> {
        let by = match self.number(by) {
            // By more than there is: only the sign is left.
            Err(NoNumber::TooBig) if rounding != Rounding::Exact && self.is_power(by) => i128::MAX,
            other => other?,
        };
        let of = self.number(of)?;
        match by {
            0 => Err(NoNumber::DivisionByZero),
            1.. => Ok(integers::quotient(rounding, of, by)),
            _ => {
                let (of, by) =
                    (of.checked_neg().ok_or(NoNumber::TooBig)?, by.checked_neg().ok_or(NoNumber::TooBig)?);
                Ok(integers::quotient(rounding, of, by))
            }
        }
    }

    fn is_power(&self, id: FormulaId) -> bool {
        matches!(self.table.node(id), FormulaNode::Power { .. })
    }

    /// Exactly if it fits, else by the residues of the parts.
    fn wrap(&mut self, domain: Domain, of: FormulaId) -> Result<i128, NoNumber> {
        match self.number(of) {
            Ok(value) => Ok(domain.reduce(value)),
            Err(NoNumber::TooBig) => Ok(domain.reduce(self.residue(of, domain.size())?)),
            Err(other) => Err(other),
        }
    }

    /// The remainder by a modulus, without the number itself where it is large.
    fn residue(&mut self, id: FormulaId, modulus: i128) -> Result<i128, NoNumber> {
        match self.number(id) {
            Err(NoNumber::TooBig) => {}
            other => return Ok(other?.rem_euclid(modulus)),
        }
        match self.table.node(id) {
            FormulaNode::Sum { constant, terms } => {
                terms.iter().try_fold(constant.rem_euclid(modulus), |sum, &(term, factor)| {
                    let part = product_modulo(self.residue(term, modulus)?, factor, modulus);
                    Ok((sum + part) % modulus)
                })
            }
            FormulaNode::Product(factors) => factors.iter().try_fold(1 % modulus, |product, &factor| {
                Ok(product_modulo(product, self.residue(factor, modulus)?, modulus))
            }),
            FormulaNode::Power { base, exponent } => {
                let exponent = self.number(*exponent)?;
                power_modulo(*base, exponent, modulus).ok_or(NoNumber::TooBig)
            }
            // n / d modulo m is n modulo m·d, divided by d.
            FormulaNode::Divide { rounding: Rounding::Exact, of, by } => {
                let by = self.table.as_constant(*by).ok_or(NoNumber::TooBig)?;
                let larger = modulus.checked_mul(by).filter(|&larger| larger < LARGEST_MODULUS);
                Ok(self.residue(*of, larger.ok_or(NoNumber::TooBig)?)? / by)
            }
            _ => Err(NoNumber::TooBig),
        }
    }

    fn series(&mut self, index: SymbolId, count: FormulaId, of: FormulaId) -> Result<i128, NoNumber> {
        let count = self.number(count)?;
        let mut sum = 0_i128;
        for turn in 0..count.max(0) {
            self.left.set(self.left.get().checked_sub(1).ok_or(NoNumber::TooLong)?);
            let mut indices = self.indices.clone();
            indices.insert(index, turn);
            let mut inner = Evaluation { indices, done: HashMap::default(), ..*self };
            sum = sum.checked_add(inner.number(of)?).ok_or(NoNumber::TooBig)?;
        }
        Ok(sum)
    }
}

/// Sums of two remainders must fit.
const LARGEST_MODULUS: i128 = 1 << 120;

/// A product modulo a number below [`LARGEST_MODULUS`], by doubling.
fn product_modulo(a: i128, b: i128, modulus: i128) -> i128 {
    let (mut a, mut b) = (a.rem_euclid(modulus), b.rem_euclid(modulus));
    if let Some(product) = a.checked_mul(b) {
        return product % modulus;
    }
    let mut product = 0;
    while b > 0 {
        if b & 1 == 1 {
            product = (product + a) % modulus;
        }
        a = (a + a) % modulus;
        b >>= 1;
    }
    product
}

/// A power modulo a number, by squaring; none if the exponent is negative.
fn power_modulo(base: i128, exponent: i128, modulus: i128) -> Option<i128> {
    let (mut base, mut exponent) = (base.rem_euclid(modulus), u128::try_from(exponent).ok()?);
    let mut power = 1 % modulus;
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = product_modulo(power, base, modulus);
        }
        base = product_modulo(base, base, modulus);
        exponent >>= 1;
    }
    Some(power)
}

#[cfg(test)]
mod tests {
    use super::super::FormulaInterval;
    use super::*;

    fn bound(value: i128) -> impl Fn(&Symbol) -> Option<i128> {
        move |symbol| (*symbol == Symbol::Argument(0)).then_some(value)
    }

    #[test]
    fn numbers_or_the_reason_why_not() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        let m = table.symbol(Symbol::Argument(1), FormulaInterval::signed(32));
        let three = table.constant(3);
        let third = table.divide(Rounding::Ceiling, n, three);
        assert_eq!(table.evaluate(third, &bound(10)), Ok(4));
        assert_eq!(table.evaluate(m, &bound(10)), Err(NoNumber::Unbound(Symbol::Argument(1))));
        let quotient = table.divide(Rounding::Floor, m, n);
        let both = |symbol: &Symbol| Some(if *symbol == Symbol::Argument(0) { 0 } else { 1 });
        assert_eq!(table.evaluate(quotient, &both), Err(NoNumber::DivisionByZero));
    }

    #[test]
    fn a_number_that_does_not_fit_a_symbol_is_taken_by_its_bits() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        let unsigned = table.wrap(Domain { bits: 32, signed: false }, n);
        assert_eq!(table.evaluate(unsigned, &bound(4_000_000_000)), Ok(4_000_000_000));
        assert_eq!(table.evaluate(n, &bound(4_294_967_295)), Ok(-1));
    }

    #[test]
    fn inside_a_wrap_only_the_residue_matters() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(64));
        let cube = table.raise(n, 3);
        let wrapped = table.wrap(Domain { bits: 64, signed: true }, cube);
        let large = i128::from(i64::MAX);
        assert_eq!(table.evaluate(wrapped, &bound(large)), Ok(i128::from(i64::MAX.wrapping_pow(3))));
        assert_eq!(table.evaluate(cube, &bound(large)), Err(NoNumber::TooBig));
        // (7^n - 1) / 6 for n = 51, in 8 bits: the sum of 7^0, …, 7^50.
        let power = table.power(7, n);
        let over = table.add_constant(power, -1);
        let six = table.constant(6);
        let sum = table.divide(Rounding::Exact, over, six);
        let low = table.wrap(Domain { bits: 8, signed: false }, sum);
        let added =
            (0..51).fold((0_u8, 1_u8), |(sum, power), _| (sum.wrapping_add(power), power.wrapping_mul(7)));
        assert_eq!(table.evaluate(low, &bound(51)), Ok(added.0.into()));
    }
}
