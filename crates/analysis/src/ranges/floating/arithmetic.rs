//! Sums, products, quotients, what rounds to integers, the least and greatest.
//!
//! Each is monotone in each operand where it is defined, so the extreme results are at the corners;
//! corners that are no number (`inf - inf`, `0 · inf`) are left out, and zero is put in where it
//! comes from between them.
//!
//! Integers stay integers under sums and products: what fits is exact, and a
//! number that is too large for fractions is an integer anyway.

use super::{FloatOperation, FloatRange, Format};

impl Format {
    /// An operation of this format, rounded once.
    fn compute(
        self,
        single: impl Fn(f32, f32) -> f32,
        double: impl Fn(f64, f64) -> f64,
        left: f64,
        right: f64,
    ) -> f64 {
        match self {
            Format::Single => f64::from(single(left as f32, right as f32)),
            Format::Double => double(left, right),
        }
    }
}

impl FloatRange {
    /// The range around results at the corners.
    fn at_corners(self, other: FloatRange, of: impl Fn(f64, f64) -> f64) -> FloatRange {
        let (Some(left), Some(right)) = (self.ends, other.ends) else {
            return FloatRange::empty(self.format);
        };
        let corners = [of(left.0, right.0), of(left.0, right.1), of(left.1, right.0), of(left.1, right.1)];
        let numbers = || corners.into_iter().filter(|corner| !corner.is_nan());
        match (numbers().reduce(f64::min), numbers().reduce(f64::max)) {
            (Some(low), Some(high)) => FloatRange::of_ends(self.format, low, high),
            _ => FloatRange::empty(self.format),
        }
    }

    fn or_zero(self, is_possible: bool) -> FloatRange {
        if is_possible { self.join(FloatRange::of_ends(self.format, 0.0, 0.0)) } else { self }
    }

    fn nan_in_either(self, other: FloatRange) -> bool {
        self.may_be_nan || other.may_be_nan
    }

    /// `self + other`
    pub(super) fn sum(self, other: FloatRange) -> FloatRange {
        let infinite = |of: FloatRange, infinity: f64| of.holds(infinity);
        let clash = infinite(self, f64::INFINITY) && infinite(other, f64::NEG_INFINITY)
            || infinite(self, f64::NEG_INFINITY) && infinite(other, f64::INFINITY);
        let format = self.format;
        self.at_corners(other, |left, right| format.compute(|a, b| a + b, |a, b| a + b, left, right))
            .of_integers_only(self.is_integral && other.is_integral)
            .or_nan(clash || self.nan_in_either(other))
    }

    /// `-self`
    pub(super) fn negated(self) -> FloatRange {
        FloatRange { ends: self.ends.map(|(low, high)| (-high + 0.0, -low + 0.0)), ..self }
    }

    /// `self * other`
    pub(super) fn product(self, other: FloatRange) -> FloatRange {
        let format = self.format;
        let clash = self.holds(0.0) && other.has_infinity() || other.holds(0.0) && self.has_infinity();
        let zero = self.holds(0.0) && other.has_finite() || other.holds(0.0) && self.has_finite();
        self.at_corners(other, |left, right| format.compute(|a, b| a * b, |a, b| a * b, left, right))
            .or_zero(zero)
            .of_integers_only(self.is_integral && other.is_integral)
            .with_significant_bits(self.significant + other.significant)
            .or_nan(clash || self.nan_in_either(other))
    }

    /// A rounded product and the exact one that it may represent: no farther away than the next
    /// number.
    pub(super) fn perhaps_exact(self) -> FloatRange {
        let Some((low, high)) = self.ends else { return self };
        let most = 2f64.powi(self.format.precision() as i32);
        if self.is_integral && -most < low && high < most {
            return self;
        }
        let ends = match self.format {
            Format::Single => (f64::from((low as f32).next_down()), f64::from((high as f32).next_up())),
            Format::Double => (low.next_down(), high.next_up()),
        };
        FloatRange { ends: Some(ends), significant: self.format.precision(), ..self }
    }

    /// `self / other`
    pub(super) fn quotient(self, other: FloatRange) -> FloatRange {
        let format = self.format;
        let clash = self.holds(0.0) && other.holds(0.0) || self.has_infinity() && other.has_infinity();
        let may_be_nan = clash || self.nan_in_either(other);
        if self.ends.is_none() || other.ends.is_none() {
            return FloatRange::empty(format).or_nan(may_be_nan);
        }
        let is_zero = self.ends == Some((0.0, 0.0));
        if other.holds(0.0) && !is_zero {
            // By a zero of either sign: either infinity.
            return FloatRange { may_be_nan, ..FloatRange::full(format) };
        }
        if is_zero {
            let is_possible = other.ends != Some((0.0, 0.0));
            return FloatRange::empty(format).or_zero(is_possible).or_nan(may_be_nan);
        }
        self.at_corners(other, |left, right| format.compute(|a, b| a / b, |a, b| a / b, left, right))
            .or_zero(self.has_finite() && other.has_infinity())
            .or_nan(may_be_nan)
    }

    /// `frem`: no farther from zero than either operand, with the sign of the
    /// left one; always exact.
    pub(super) fn remainder(self, other: FloatRange) -> FloatRange {
        let may_be_nan = self.has_infinity() || other.holds(0.0) || self.nan_in_either(other);
        let (Some(left), Some(right)) = (self.ends, other.ends) else {
            return FloatRange::empty(self.format).or_nan(may_be_nan);
        };
        let farthest = right.0.abs().max(right.1.abs());
        let low = if left.0 < 0.0 { left.0.max(-farthest) } else { 0.0 };
        let high = if left.1 > 0.0 { left.1.min(farthest) } else { 0.0 };
        FloatRange::of_ends(self.format, low, high)
            .of_integers_only(self.is_integral && other.is_integral)
            .or_nan(may_be_nan)
    }

    /// `fabs`
    pub(super) fn absolute(self) -> FloatRange {
        let ends = self.ends.map(|(low, high)| {
            let least = if low <= 0.0 && high >= 0.0 { 0.0 } else { low.abs().min(high.abs()) };
            (least, low.abs().max(high.abs()))
        });
        FloatRange { ends, ..self }
    }

    /// `sqrt`
    pub(super) fn square_root(self) -> FloatRange {
        let root = |end: f64| match self.format {
            Format::Single => f64::from((end as f32).sqrt()),
            Format::Double => end.sqrt(),
        };
        let may_be_nan = self.may_be_nan || self.ends.is_some_and(|(low, _)| low < 0.0);
        let roots = match self.ends {
            Some((low, high)) if high >= 0.0 => {
                FloatRange::of_ends(self.format, root(low.max(0.0)), root(high))
            }
            _ => FloatRange::empty(self.format),
        };
        roots.or_nan(may_be_nan)
    }

    /// What `round` makes of it, which is monotone and gives integers.
    pub(super) fn integers(self, round: impl Fn(f64) -> f64) -> FloatRange {
        let Some((low, high)) = self.ends else { return self };
        let rounded = FloatRange::of_ends(self.format, round(low), round(high)).of_integers_only(true);
        // What was an integer is as it was.
        let significant = if self.is_integral { self.significant } else { self.format.precision() };
        rounded.with_significant_bits(significant).or_nan(self.may_be_nan)
    }

    /// The least or the greatest of both, in each of the ways to treat NaN.
    pub(super) fn extreme(self, other: FloatRange, operation: FloatOperation) -> FloatRange {
        use FloatOperation::*;
        let is_least = matches!(operation, MinNum | Minimum | MinimumNum);
        let of = |left: f64, right: f64| if is_least { left.min(right) } else { left.max(right) };
        let both = self.ends.zip(other.ends).map(|(one, two)| (of(one.0, two.0), of(one.1, two.1)));
        let mut all = FloatRange { ends: both, ..self.join(other) };
        all.may_be_nan = match operation {
            MinimumNum | MaximumNum => self.may_be_nan && other.may_be_nan,
            _ => self.nan_in_either(other),
        };
        if !matches!(operation, Minimum | Maximum) {
            // The number is taken where the other is none.
            for (taken, absent) in [(self, other), (other, self)] {
                if absent.may_be_nan {
                    all = all.join(FloatRange { may_be_nan: false, ..taken });
                }
            }
        }
        all.tightened()
    }
}
