//! What is a number of times? An exact fraction, however large.
//!
//! Probabilities and executions are fractions of integers of any size, so nothing wraps and
//! nothing is rounded before it is shown. Most probabilities have a power of two below the line,
//! and so have their products and sums. A fraction therefore keeps the power of two apart from the
//! odd rest of its denominator: without such a rest no common divisor must be looked for. Ratios of
//! general libraries look for it each time, in a time that is quadratic in the digits; a function of
//! a thousand branches has thousands of them.
//!
//! Within a function fractions stay exact, so that what branches part and join again is whole. A
//! number that rests on guesses goes to other functions with `GUESSED_BITS` digits.
//!
//! Cost: the digits; with an odd rest their square.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// Binary digits of a guess that goes from one function to others: far below what is shown.
const GUESSED_BITS: u64 = 256;

/// An exact fraction: `numerator / (odd × 2^twos)`, in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: BigInt,
    odd: BigUint,
    twos: u64,
}

impl Fraction {
    /// `numerator / (odd × 2^twos)` in lowest terms; `odd` is odd.
    fn reduced(numerator: BigInt, odd: BigUint, twos: u64) -> Fraction {
        let Some(even) = numerator.trailing_zeros() else {
            return Fraction { numerator, odd: BigUint::one(), twos: 0 };
        };
        let common = even.min(twos);
        let numerator = if common > 0 { numerator >> common } else { numerator };
        let twos = twos - common;
        if odd.is_one() {
            return Fraction { numerator, odd, twos };
        }
        let divisor = common_divisor(numerator.magnitude(), &odd);
        if divisor.is_one() {
            return Fraction { numerator, odd, twos };
        }
        Fraction { odd: odd / &divisor, numerator: numerator / BigInt::from(divisor), twos }
    }

    /// The whole number above the line, with the sign.
    pub fn numer(&self) -> &BigInt {
        &self.numerator
    }

    /// The whole number below the line, at least 1.
    pub fn denom(&self) -> BigInt {
        BigInt::from(self.odd.clone() << self.twos)
    }

    /// Binary digits above and below the line.
    pub(crate) fn digits(&self) -> u64 {
        self.numerator.bits() + self.odd.bits() + self.twos
    }

    /// The number, if it is a whole one of 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        u64::try_from(&self.numerator).ok().filter(|_| self.is_whole())
    }

    /// Whether it is a whole number.
    pub(crate) fn is_whole(&self) -> bool {
        self.odd.is_one() && self.twos == 0
    }

    /// The number to `GUESSED_BITS` binary digits, with a power of two below the line.
    pub(crate) fn guessed(&self) -> Fraction {
        let (digits, below) = (self.numerator.bits(), self.odd.bits());
        if self.odd.is_one() && digits <= GUESSED_BITS {
            return self.clone();
        }
        let wanted = GUESSED_BITS + below;
        let (numerator, twos) = match wanted.checked_sub(digits) {
            Some(more) => (&self.numerator << more, self.twos + more),
            // What is cut off here was above the line, and is put back there.
            None => {
                let cut = digits - wanted;
                let short = (&self.numerator >> cut) / BigInt::from(self.odd.clone());
                let back = cut.saturating_sub(self.twos);
                return Fraction::reduced(short << back, BigUint::one(), self.twos.saturating_sub(cut));
            }
        };
        Fraction::reduced(numerator / BigInt::from(self.odd.clone()), BigUint::one(), twos)
    }

    /// `1 / self`; nothing divides by zero here.
    pub fn recip(&self) -> Fraction {
        let (sign, magnitude) = (self.numerator.sign(), self.numerator.magnitude());
        let even = magnitude.trailing_zeros().expect("a reciprocal is of a number that is not zero");
        let numerator = BigInt::from_biguint(sign, self.odd.clone() << self.twos);
        Fraction { numerator, odd: magnitude >> even, twos: even }
    }
}

/// The greatest common divisor of a number and an odd one.
fn common_divisor(number: &BigUint, odd: &BigUint) -> BigUint {
    if let Some(small) = odd.to_u64() {
        let rest = (number % small).to_u64().unwrap_or(0);
        return BigUint::from(small.gcd(&rest));
    }
    let rest = number % odd;
    if rest.is_zero() { odd.clone() } else { rest.gcd(odd) }
}

impl Add<&Fraction> for &Fraction {
    type Output = Fraction;

    fn add(self, other: &Fraction) -> Fraction {
        let twos = self.twos.max(other.twos);
        let (own, others) = (&self.numerator << (twos - self.twos), &other.numerator << (twos - other.twos));
        if self.odd == other.odd {
            return Fraction::reduced(own + others, self.odd.clone(), twos);
        }
        let divisor = common_divisor(&self.odd, &other.odd);
        let (own_rest, other_rest) = (&self.odd / &divisor, &other.odd / &divisor);
        let sum = own * BigInt::from(other_rest.clone()) + others * BigInt::from(own_rest);
        Fraction::reduced(sum, &self.odd * other_rest, twos)
    }
}

impl Sub<&Fraction> for &Fraction {
    type Output = Fraction;

    fn sub(self, other: &Fraction) -> Fraction {
        let negative = Fraction { numerator: -&other.numerator, ..other.clone() };
        self + &negative
    }
}

impl Mul<&Fraction> for &Fraction {
    type Output = Fraction;

    fn mul(self, other: &Fraction) -> Fraction {
        let product = &self.numerator * &other.numerator;
        Fraction::reduced(product, &self.odd * &other.odd, self.twos + other.twos)
    }
}

impl Div<&Fraction> for &Fraction {
    type Output = Fraction;

    #[expect(clippy::suspicious_arithmetic_impl, reason = "division multiplies by the reciprocal")]
    fn div(self, other: &Fraction) -> Fraction {
        self * &other.recip()
    }
}

/// The other forms of an operation, by its form for references.
macro_rules! by_value {
    ($($operation:ident $method:ident),*) => {$(
        impl $operation<Fraction> for Fraction {
            type Output = Fraction;
            fn $method(self, other: Fraction) -> Fraction {
                (&self).$method(&other)
            }
        }
        impl $operation<&Fraction> for Fraction {
            type Output = Fraction;
            fn $method(self, other: &Fraction) -> Fraction {
                (&self).$method(other)
            }
        }
        impl $operation<Fraction> for &Fraction {
            type Output = Fraction;
            fn $method(self, other: Fraction) -> Fraction {
                self.$method(&other)
            }
        }
    )*};
}

by_value!(Add add, Sub sub, Mul mul, Div div);

impl AddAssign<Fraction> for Fraction {
    fn add_assign(&mut self, other: Fraction) {
        *self = &*self + &other;
    }
}

impl AddAssign<&Fraction> for Fraction {
    fn add_assign(&mut self, other: &Fraction) {
        *self = &*self + other;
    }
}

impl Sum for Fraction {
    fn sum<I: Iterator<Item = Fraction>>(numbers: I) -> Fraction {
        numbers.fold(Fraction::zero(), |sum, number| sum + number)
    }
}

impl<'f> Sum<&'f Fraction> for Fraction {
    fn sum<I: Iterator<Item = &'f Fraction>>(numbers: I) -> Fraction {
        numbers.fold(Fraction::zero(), |sum, number| sum + number)
    }
}

impl Zero for Fraction {
    fn zero() -> Fraction {
        whole(0)
    }

    fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }
}

impl One for Fraction {
    fn one() -> Fraction {
        whole(1)
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Fraction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Fraction) -> Ordering {
        match (self - other).numerator.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }
}

/// A whole number as a fraction.
pub fn whole(number: impl Into<BigInt>) -> Fraction {
    Fraction { numerator: number.into(), odd: BigUint::one(), twos: 0 }
}

/// `numerator / denominator`
pub(crate) fn ratio(numerator: u64, denominator: u64) -> Fraction {
    whole(numerator) / whole(denominator)
}

/// The nearest whole number; halves go up.
pub fn rounded(fraction: &Fraction) -> BigInt {
    let denominator = fraction.denom();
    let doubled: BigInt = fraction.numer() * 2 + &denominator;
    doubled.div_floor(&(denominator * 2))
}

/// The nearest number that a computer shows; infinite beyond its range.
pub fn to_f64(fraction: &Fraction) -> f64 {
    let denominator = fraction.denom();
    let bits = fraction.numer().bits().max(denominator.bits());
    // Both parts must fit; what is cut off is far below the precision.
    let cut = bits.saturating_sub(1000);
    let part = |number: &BigInt| (number >> cut).to_f64().unwrap_or(f64::INFINITY);
    if fraction.is_zero() {
        0.0
    } else if part(&denominator) == 0.0 {
        if fraction.numer().is_negative() { f64::NEG_INFINITY } else { f64::INFINITY }
    } else {
        part(fraction.numer()) / part(&denominator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_up_and_large_numbers_stay_exact() {
        assert_eq!(rounded(&ratio(5, 2)), 3.into());
        assert_eq!(rounded(&ratio(7, 3)), 2.into());
        assert_eq!(rounded(&(whole(0) - ratio(5, 2))), (-2).into());
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

    /// A fraction and, as its referee, the two numbers it was made of.
    fn fractions() -> impl Strategy<Value = (Fraction, (i128, i128))> {
        let above = prop_oneof![-40_i128..40, any::<i32>().prop_map(i128::from)];
        let below = prop_oneof![1_i128..40, (0_u32..30).prop_map(|bits| 1 << bits), 1_i128..1 << 31];
        (above, below).prop_map(|(above, below)| (whole(above) / whole(below), (above, below)))
    }

    #[test]
    fn a_guess_has_as_many_digits_as_it_needs() {
        let large = whole(BigInt::one() << 900) / whole(3);
        let third = whole(BigInt::one()) / whole((BigInt::one() << 700) + BigInt::one());
        for exact in [large.clone(), third.clone(), whole(0) - &large, large * &third, whole(7), ratio(5, 8)]
        {
            let guess = exact.guessed();
            assert!(
                guess.odd.is_one()
                    && guess.numerator.bits()
                        <= GUESSED_BITS + 1 + guess.numerator.trailing_zeros().unwrap_or(0)
            );
            let apart = whole(BigInt::one() << (GUESSED_BITS - 1)) * ((&exact - &guess) / &exact);
            assert!(apart < whole(1) && apart > whole(-1), "{exact:?} {guess:?}");
        }
        assert_eq!(ratio(5, 8).guessed(), ratio(5, 8));
    }

    proptest! {
        #[test]
        fn each_operation_is_that_of_whole_numbers_above_and_below_the_line(
            (one, (a, b)) in fractions(),
            (two, (c, d)) in fractions(),
        ) {
            // Below 2^124: no number of the referee wraps.
            let is = |fraction: &Fraction, above: i128, below: i128| {
                fraction.numer() * BigInt::from(below) == BigInt::from(above) * fraction.denom()
                    && fraction.numer().gcd(&fraction.denom()).is_one()
                    && fraction.denom().is_positive()
            };
            prop_assert!(is(&(&one + &two), a * d + c * b, b * d));
            prop_assert!(is(&(&one - &two), a * d - c * b, b * d));
            prop_assert!(is(&(&one * &two), a * c, b * d));
            if c != 0 {
                let sign = c.signum();
                prop_assert!(is(&(&one / &two), a * d * sign, b * c * sign));
            }
            prop_assert_eq!(one.cmp(&two), (a * d).cmp(&(c * b)));
            prop_assert_eq!(one == two, a * d == c * b);
        }
    }
}
