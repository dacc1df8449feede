//! Which floating point numbers can a value be?
//!
//! An interval of `float` or `double` with its ends, infinities among them;
//! whether it can be no number (NaN); whether all finite numbers in it are
//! integers; and how many significant bits a number in it has at most.
//!
//! **Rounding.** LLVM's arithmetic rounds to the nearest number, ties to even,
//! and rounding is monotone. So the extreme results of the machine are the
//! rounded results at the ends: the ends are computed in the format of the
//! value itself and are exact for the machine, no rounding outwards is needed.
//! Where a bound comes from elsewhere ([`FloatRange::new`]), it is rounded
//! outwards.
//!
//! **What this rests on.** The default environment (no `strictfp`), subnormal numbers as IEEE has
//! them (no `denormal-fp-math` of a function says otherwise), no wider registers than the type
//! (x87), and no flag that lets another number be computed (`reassoc`, `contract`, `arcp`, `afn`):
//! [`FloatStep::is_relaxed`] says that there is one, and then arithmetic says nothing. `nnan` and
//! `ninf` only make poison of more.
//!
//! +0 and -0 are one number here: what contains one contains both. Other formats (`half`,
//! `x86_fp80`, …) are not described. Cost: constant.

mod arithmetic;
mod compare;
mod conversion;
mod step;

use std::fmt;

pub use step::{FloatOperation, FloatStep};

/// A format of floating point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `float`: 24 significant bits.
    Single,
    /// `double`: 53 significant bits.
    Double,
}

impl Format {
    /// The format of LLVM's name; none of others.
    pub fn of_name(name: &str) -> Option<Format> {
        match name {
            "float" => Some(Format::Single),
            "double" => Some(Format::Double),
            _ => None,
        }
    }

    /// Significant bits of a number.
    pub fn precision(self) -> u32 {
        match self {
            Format::Single => 24,
            Format::Double => 53,
        }
    }

    /// The nearest number of the format.
    pub(crate) fn rounded(self, number: f64) -> f64 {
        match self {
            Format::Single => f64::from(number as f32),
            Format::Double => number,
        }
    }

    /// The greatest number of the format that is less.
    fn below(self, number: f64) -> f64 {
        match self {
            Format::Single => f64::from((number as f32).next_down()),
            Format::Double => number.next_down(),
        }
    }

    /// The least number of the format that is greater.
    fn above(self, number: f64) -> f64 {
        -self.below(-number)
    }
}

/// How many bits of a number are significant: those from the highest to the
/// lowest that is set. None of zero, and of what is no finite number.
pub fn significant_bits(number: f64) -> u32 {
    let fraction = number.to_bits() & ((1 << 52) - 1);
    let exponent = number.to_bits() >> 52 & 0x7ff;
    match exponent {
        0 if fraction == 0 => 0,
        0x7ff => 0,
        0 => 64 - fraction.leading_zeros() - fraction.trailing_zeros(),
        _ => 53 - (fraction | 1 << 52).trailing_zeros(),
    }
}

/// What is known of a floating point value.
#[derive(Clone, Copy, PartialEq)]
pub struct FloatRange {
    format: Format,
    /// The least and the greatest number; none if it is never one.
    ends: Option<(f64, f64)>,
    may_be_nan: bool,
    is_integral: bool,
    significant: u32,
}

impl FloatRange {
    /// Anything.
    pub fn full(format: Format) -> FloatRange {
        FloatRange {
            format,
            ends: Some((f64::NEG_INFINITY, f64::INFINITY)),
            may_be_nan: true,
            is_integral: false,
            significant: format.precision(),
        }
    }

    /// Nothing at all.
    pub fn empty(format: Format) -> FloatRange {
        FloatRange { format, ends: None, may_be_nan: false, is_integral: true, significant: 0 }
    }

    /// What is no number, and nothing else.
    pub fn nan(format: Format) -> FloatRange {
        FloatRange { may_be_nan: true, ..FloatRange::empty(format) }
    }

    /// One value: a number of the format, or NaN.
    pub fn constant(format: Format, value: f64) -> FloatRange {
        if value.is_nan() { FloatRange::nan(format) } else { FloatRange::new(format, value, value) }
    }

    /// All numbers between these, the ends rounded outwards; nothing if an end
    /// is no number or they are in the other order.
    pub fn new(format: Format, low: f64, high: f64) -> FloatRange {
        if low.is_nan() || high.is_nan() || low > high {
            return FloatRange::empty(format);
        }
        let outwards = |end: f64| {
            let near = format.rounded(end);
            let less = if near > end { format.below(near) } else { near };
            (less, if near < end { format.above(near) } else { near })
        };
        FloatRange::of_ends(format, outwards(low).0, outwards(high).1)
    }

    /// The same with ends that are numbers of the format.
    fn of_ends(format: Format, low: f64, high: f64) -> FloatRange {
        // One zero only.
        let ends = Some((low + 0.0, high + 0.0));
        let (may_be_nan, significant) = (false, format.precision());
        FloatRange { format, ends, may_be_nan, is_integral: false, significant }.tightened()
    }

    /// This, and NaN if so.
    #[must_use]
    pub fn or_nan(self, may_be_nan: bool) -> FloatRange {
        FloatRange { may_be_nan: self.may_be_nan || may_be_nan, ..self }
    }

    /// This, and its finite numbers are integers if so.
    #[must_use]
    pub fn of_integers_only(self, is_integral: bool) -> FloatRange {
        FloatRange { is_integral: self.is_integral || is_integral, ..self }.tightened()
    }

    /// This, with at most so many significant bits.
    #[must_use]
    pub fn with_significant_bits(self, bits: u32) -> FloatRange {
        FloatRange { significant: self.significant.min(bits), ..self }.tightened()
    }

    /// What ends, integers and significant bits say of each other.
    fn tightened(mut self) -> FloatRange {
        let Some((low, high)) = self.ends else {
            return FloatRange { is_integral: true, significant: 0, ..self };
        };
        if self.is_integral {
            // Infinities stay.
            let (low, high) = (low.ceil() + 0.0, high.floor() + 0.0);
            if low > high {
                return FloatRange { ends: None, ..self }.tightened();
            }
            self.ends = Some((low, high));
            let most = low.abs().max(high.abs());
            if most < 2f64.powi(64) {
                self.significant = self.significant.min(64 - (most as u64).leading_zeros());
            }
        }
        if low == high {
            self.significant = self.significant.min(significant_bits(low));
            self.is_integral |= low.is_infinite() || low == low.floor();
        }
        self
    }

    /// The format of the value.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The least and the greatest number; none if it is never one.
    pub fn ends(&self) -> Option<(f64, f64)> {
        self.ends
    }

    /// Whether it can be no number.
    pub fn may_be_nan(&self) -> bool {
        self.may_be_nan
    }

    /// Whether all its finite numbers are integers.
    pub fn is_integral(&self) -> bool {
        self.is_integral
    }

    /// How many significant bits a number has at most: the width of the
    /// mantissa that is needed, its leading one counted.
    pub fn significant_bits(&self) -> u32 {
        self.significant
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.ends.is_none() && !self.may_be_nan
    }

    /// Whether `value` is in it.
    pub fn contains(&self, value: f64) -> bool {
        if value.is_nan() {
            return self.may_be_nan;
        }
        self.ends.is_some_and(|(low, high)| low <= value && value <= high)
            && (!self.is_integral || value.is_infinite() || value == value.floor())
            && significant_bits(value) <= self.significant
    }

    /// The least range around both.
    #[must_use]
    pub fn join(self, other: FloatRange) -> FloatRange {
        let ends = match (self.ends, other.ends) {
            (Some(one), Some(two)) => Some((one.0.min(two.0), one.1.max(two.1))),
            (one, two) => one.or(two),
        };
        FloatRange {
            format: self.format,
            ends,
            may_be_nan: self.may_be_nan || other.may_be_nan,
            is_integral: self.is_integral && other.is_integral,
            significant: self.significant.max(other.significant),
        }
    }

    /// What is in both.
    #[must_use]
    pub fn meet(self, other: FloatRange) -> FloatRange {
        let both = self.ends.zip(other.ends).map(|(one, two)| (one.0.max(two.0), one.1.min(two.1)));
        FloatRange {
            format: self.format,
            ends: both.filter(|(low, high)| low <= high),
            may_be_nan: self.may_be_nan && other.may_be_nan,
            is_integral: self.is_integral || other.is_integral,
            significant: self.significant.min(other.significant),
        }
        .tightened()
    }

    /// The ends of `other` where they did not hold are given up: to infinity.
    #[must_use]
    pub fn widen(self, next: FloatRange) -> FloatRange {
        let joined = self.join(next);
        let (Some(old), Some(new)) = (self.ends, joined.ends) else { return joined };
        let low = if new.0 < old.0 { f64::NEG_INFINITY } else { old.0 };
        let high = if new.1 > old.1 { f64::INFINITY } else { old.1 };
        let grows = (low, high) != old;
        let significant = if grows { self.format.precision() } else { joined.significant };
        FloatRange { ends: Some((low, high)), significant, ..joined }
    }

    fn holds(&self, number: f64) -> bool {
        self.ends.is_some_and(|(low, high)| low <= number && number <= high)
    }

    fn has_infinity(&self) -> bool {
        self.ends.is_some_and(|(low, high)| low.is_infinite() || high.is_infinite())
    }

    fn has_finite(&self) -> bool {
        self.ends.is_some_and(|(low, high)| low.is_finite() || high.is_finite() || low < high)
    }
}

impl fmt::Debug for FloatRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ends {
            Some((low, high)) => write!(f, "[{low:?}, {high:?}]")?,
            None => f.write_str("[]")?,
        }
        let integral = if self.is_integral { " integers" } else { "" };
        let nan = if self.may_be_nan { " or NaN" } else { "" };
        write!(f, "{integral} of {} bits{nan}", self.significant)
    }
}
