//! Wraps, powers, logarithms, roots.
//!
//! A wrap into a domain vanishes where the range of what is wrapped is in the domain. What is
//! inside matters only modulo 2^bits: wraps of at least as many bits are stripped from sums and
//! products there, and factors are reduced to the residue of least size. Cost: linear in the terms.

use super::Domain;
use super::formulas::Formulas;
use super::integers;
use super::nodes::{FormulaId, FormulaNode};

/// How deep wraps are looked for inside a wrap.
const STRIPPED: u32 = 6;

impl Formulas {
    /// The number of the domain that is `of` modulo 2^bits.
    pub fn wrap(&mut self, domain: Domain, of: FormulaId) -> FormulaId {
        if domain.interval().holds(self.range(of)) || self.is_too_big(of) {
            return of;
        }
        let inside = self.residue(domain.bits, of);
        if let Some(value) = self.as_constant(inside) {
            return self.constant(domain.reduce(value));
        }
        if domain.interval().holds(self.range(inside)) {
            return inside;
        }
        // A choice that wraps to one formula is none.
        if let &FormulaNode::Select { test, then, otherwise } = self.node(inside)
            && ![then, otherwise].iter().any(|&arm| matches!(self.node(arm), FormulaNode::Select { .. }))
        {
            let (then, otherwise) = (self.wrap(domain, then), self.wrap(domain, otherwise));
            let chosen = self.select(test, then, otherwise);
            if !matches!(self.node(chosen), FormulaNode::Select { .. } | FormulaNode::TooBig) {
                return chosen;
            }
        }
        self.intern(FormulaNode::Wrap { domain, of: inside })
    }

    /// A formula that is the same modulo 2^bits, with fewer wraps.
    pub fn residue(&mut self, bits: u32, of: FormulaId) -> FormulaId {
        self.stripped(bits, of, STRIPPED)
    }

    fn stripped(&mut self, bits: u32, of: FormulaId, depth: u32) -> FormulaId {
        if depth == 0 {
            return of;
        }
        match self.node(of).clone() {
            FormulaNode::Wrap { domain, of: inside } if domain.bits >= bits => {
                self.stripped(bits, inside, depth - 1)
            }
            FormulaNode::Constant(value) => self.constant(Domain { bits, signed: true }.reduce(value)),
            FormulaNode::Sum { constant, terms } => {
                let parts: Vec<_> = terms
                    .iter()
                    .map(|&(term, factor)| (self.stripped(bits, term, depth - 1), factor))
                    .collect();
                let sum = self.combine(constant, &parts);
                self.reduced(bits, sum)
            }
            FormulaNode::Product(factors) => {
                let one = self.constant(1);
                let product = factors.iter().fold(one, |product, &factor| {
                    let factor = self.stripped(bits, factor, depth - 1);
                    self.multiply(product, factor)
                });
                if self.is_too_big(product) { of } else { self.reduced(bits, product) }
            }
            _ => of,
        }
    }

    /// Factors of a sum as residues of least size; a fraction stays.
    fn reduced(&mut self, bits: u32, of: FormulaId) -> FormulaId {
        if self.as_fraction(of).1 != 1 {
            return of;
        }
        let domain = Domain { bits, signed: true };
        let (constant, terms) = self.terms_of(of);
        let terms: Vec<_> = terms.into_iter().map(|(term, factor)| (term, domain.reduce(factor))).collect();
        self.combine(domain.reduce(constant), &terms)
    }

    /// `base ^ exponent`; the base is at least 2, the exponent not negative.
    pub fn power(&mut self, base: i128, exponent: FormulaId) -> FormulaId {
        if base < 2 {
            return self.too_big();
        }
        let (constant, terms) = self.terms_of(exponent);
        let rest = self.combine(0, &terms);
        // A power of what may be below zero is none, whatever it is multiplied with.
        if terms.is_empty() || constant > 0 && self.range(rest).low >= 0 {
            let Some(factor) = integers::power(base, constant) else { return self.too_big() };
            let power = if terms.is_empty() { self.constant(1) } else { self.power(base, rest) };
            return self.scale(power, factor);
        }
        match terms[..] {
            [(term, factor)] if constant == 0 && factor > 1 => {
                match integers::power(base, factor).filter(|&base| base < 1 << 62) {
                    Some(base) => self.intern(FormulaNode::Power { base, exponent: term }),
                    None => self.intern(FormulaNode::Power { base, exponent }),
                }
            }
            _ => self.intern(FormulaNode::Power { base, exponent }),
        }
    }

    /// The least n, not negative, with base^n >= of; the base is at least 2.
    pub fn ceil_log(&mut self, base: i128, of: FormulaId) -> FormulaId {
        if base < 2 {
            return self.too_big();
        }
        if let Some(value) = self.as_constant(of) {
            return self.constant(integers::ceil_log(base, value));
        }
        if self.range(of).high <= 1 {
            return self.constant(0);
        }
        self.intern(FormulaNode::CeilLog { base, of })
    }

    /// How many bits a number that is not negative needs: 0 for 0.
    pub fn bit_length(&mut self, of: FormulaId) -> FormulaId {
        let next = self.add_constant(of, 1);
        self.ceil_log(2, next)
    }

    /// The least n, not negative, with n² >= of.
    pub fn ceil_root(&mut self, of: FormulaId) -> FormulaId {
        match self.as_constant(of) {
            Some(value) => self.constant(integers::ceil_root(value)),
            None => self.intern(FormulaNode::CeilRoot(of)),
        }
    }
}

/// The number whose product with an odd number is 1 modulo 2^bits
/// (Newton's iteration; each step doubles the bits that are right).
pub(crate) fn inverse_of_odd(odd: i128, bits: u32) -> i128 {
    let domain = Domain { bits, signed: false };
    let odd = domain.reduce(odd);
    let mut inverse = 1;
    for _ in 0..7 {
        let error = domain.reduce(2 - multiply_modulo(odd, inverse, domain));
        inverse = multiply_modulo(inverse, error, domain);
    }
    inverse
}

/// A product modulo 2^bits of numbers below it.
fn multiply_modulo(a: i128, b: i128, domain: Domain) -> i128 {
    let wrapped = (a as u128).wrapping_mul(b as u128);
    let mask = (1_u128 << domain.bits) - 1;
    (wrapped & mask) as i128
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{FormulaInterval, Symbol};
    use super::*;

    const I32: Domain = Domain { bits: 32, signed: true };
    const U32: Domain = Domain { bits: 32, signed: false };

    proptest! {
        #[test]
        fn inverses_of_odd_numbers(odd: i64, bits in 1_u32..=64) {
            let odd = i128::from(odd) | 1;
            let domain = Domain { bits, signed: false };
            let inverse = inverse_of_odd(odd, bits);
            let product = multiply_modulo(domain.reduce(odd), inverse, domain);
            prop_assert_eq!(product, 1);
        }
    }

    #[test]
    fn the_inverse_of_three() {
        assert_eq!(inverse_of_odd(3, 32), 2_863_311_531);
    }

    #[test]
    fn wraps_that_cannot_happen_vanish() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        assert_eq!(table.wrap(I32, n), n);
        let long = Domain { bits: 64, signed: true };
        let more = table.add_constant(n, 1);
        assert_eq!(table.wrap(long, more), more);
        let wrapped = table.wrap(I32, more);
        assert!(matches!(table.node(wrapped), FormulaNode::Wrap { .. }));
    }

    #[test]
    fn wraps_inside_wraps_are_stripped() {
        let mut table = Formulas::new();
        let n = table.symbol(Symbol::Argument(0), FormulaInterval::signed(32));
        let more = table.add_constant(n, 1);
        let wrapped = table.wrap(I32, more);
        let more_still = table.add_constant(wrapped, 1);
        let two_more = table.add_constant(n, 2);
        assert_eq!(table.wrap(I32, more_still), table.wrap(I32, two_more));
        let and_back = table.add_constant(wrapped, -1);
        assert_eq!(table.wrap(I32, and_back), n);
        let unsigned = table.wrap(U32, wrapped);
        assert_eq!(unsigned, table.wrap(U32, more));
        let far = table.add_constant(n, (1 << 32) - 1);
        let less = table.add_constant(n, -1);
        assert_eq!(table.wrap(I32, far), table.wrap(I32, less));
    }

    #[test]
    fn powers_take_constants_out() {
        let mut table = Formulas::new();
        let h = table.symbol(Symbol::Argument(0), FormulaInterval::NATURAL);
        let next = table.add_constant(h, 1);
        let power = table.power(2, h);
        assert_eq!(table.power(2, next), table.scale(power, 2));
        let twice = table.scale(h, 2);
        let squared = table.multiply(power, power);
        let four = table.power(4, h);
        assert_eq!((table.power(2, twice), squared), (four, four));
    }
}
