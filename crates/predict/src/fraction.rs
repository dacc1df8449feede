//! What is a number of times? An exact fraction, however large.
//!
//! Probabilities and executions are fractions of integers of any size, so nothing wraps and
//! nothing is rounded before it is shown. Cost: the digits.

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::{One, Signed, Zero};

/// An exact fraction.
pub type Fraction = Ratio<BigInt>;

/// A whole number as a fraction.
pub fn whole(number: impl Into<BigInt>) -> Fraction {
    Fraction::from_integer(number.into())
}

/// `numerator / denominator`
pub(crate) fn ratio(numerator: u64, denominator: u64) -> Fraction {
    Fraction::new(numerator.into(), denominator.into())
}

/// The nearest whole number; halves go up.
pub fn rounded(fraction: &Fraction) -> BigInt {
    let doubled: Fraction = fraction * whole(2) + Fraction::one();
    (doubled / whole(2)).floor().to_integer()
}

/// The nearest number that a computer shows; infinite beyond its range.
pub fn to_f64(fraction: &Fraction) -> f64 {
    use num_traits::ToPrimitive;
    let bits = fraction.numer().bits().max(fraction.denom().bits());
    // Both parts must fit; what is cut off is far below the precision.
    let cut = bits.saturating_sub(1000);
    let part = |number: &BigInt| (number >> cut).to_f64().unwrap_or(f64::INFINITY);
    if fraction.is_zero() {
        0.0
    } else if part(fraction.denom()) == 0.0 {
        if fraction.is_negative() { f64::NEG_INFINITY } else { f64::INFINITY }
    } else {
        part(fraction.numer()) / part(fraction.denom())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_up_and_large_numbers_stay_exact() {
        assert_eq!(rounded(&ratio(5, 2)), 3.into());
        assert_eq!(rounded(&ratio(7, 3)), 2.into());
        let large = whole(BigInt::one() << 200) / whole(3);
        assert_eq!(rounded(&large), (BigInt::one() << 200) / 3);
        assert_eq!(rounded(&(large * whole(3))), BigInt::one() << 200);
    }

    #[test]
    fn numbers_that_are_shown_are_near() {
        assert_eq!(to_f64(&ratio(1, 4)), 0.25);
        assert_eq!(to_f64(&(whole(BigInt::one() << 2000) / whole(BigInt::one() << 1999))), 2.0);
        assert_eq!(to_f64(&whole(BigInt::one() << 2000)), f64::INFINITY);
        assert_eq!(to_f64(&whole(0)), 0.0);
    }
}
