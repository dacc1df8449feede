//! Quotients, powers, logarithms, roots of exact integers, rounded.
//!
//! What nodes of formulas mean where their parts are numbers. Cost: logarithmic.

use super::nodes::Rounding;

/// A quotient of numbers; `by` is positive.
pub(super) fn quotient(rounding: Rounding, of: i128, by: i128) -> i128 {
    match rounding {
        Rounding::Floor | Rounding::Exact => of.div_euclid(by),
        Rounding::Ceiling => of.div_euclid(by) + i128::from(of.rem_euclid(by) != 0),
        Rounding::Truncate => of / by,
    }
}

/// Greatest common divisor, positive unless both are zero.
pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
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
