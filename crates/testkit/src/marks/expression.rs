//! What is the expression of a mark, in numbers?
//!
//! Exact integers of 128 bits: what does not fit is an error, never wrapped, and
//! an error is all that a division by zero is. Division is C's, towards zero, and
//! so is the remainder, which has the sign of the left side. Both sides of `&&`,
//! `||` and `?:` are looked at only where C looks. [`super::grammar`] reads the
//! text, [`super::written`] writes it in other languages.
//!
//! In: an [`MarkExpression`] and what its names are; out: its value, or why it has
//! none. Linear in the expression, which the grammar keeps shallow.

use thiserror::Error;

/// What a mark may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkFunction {
    /// `max(a,b)`.
    Max,
    /// `min(a,b)`.
    Min,
    /// `ceil_div(a,b)`, for b > 0: a/b, upwards.
    CeilDiv,
    /// `log2_ceil(n)`: the smallest k with 2^k ≥ n; 0 for n ≤ 1.
    Log2Ceil,
    /// `sqrt_ceil(n)`: the smallest k ≥ 0 with k² ≥ n.
    SqrtCeil,
    /// `digits(n,b)`: digits of n > 0 in base b ≥ 2; 0 for n ≤ 0.
    Digits,
    /// `triangle_ceil(n)`: the smallest k ≥ 0 with k(k+1)/2 ≥ n.
    TriangleCeil,
}

/// What a mark says a count is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkExpression {
    /// A number as it is written.
    Number(i128),
    /// A name of the source, with its members.
    Name(String),
    /// `!a`: 1 for zero, else 0.
    Not(Box<MarkExpression>),
    /// `-a`.
    Minus(Box<MarkExpression>),
    /// An operator of C between two sides.
    Binary(&'static str, Box<[MarkExpression; 2]>),
    /// `a?b:c`.
    Choice(Box<[MarkExpression; 3]>),
    /// A function with its arguments.
    Call(MarkFunction, Vec<MarkExpression>),
}

/// Why a text is no expression, or an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ExpressionError {
    /// There is more text than an expression.
    #[error("`{text}`: `{rest}` is left over")]
    LeftOver {
        /// All of it.
        text: String,
        /// What nobody reads.
        rest: String,
    },
    /// A sign that must come does not.
    #[error("`{text}`: `{sign}` is missing")]
    SignMissing {
        /// All of it.
        text: String,
        /// The sign.
        sign: String,
    },
    /// A term must come, and does not.
    #[error("`{text}`: something is missing after `{before}`")]
    TermMissing {
        /// All of it.
        text: String,
        /// What was read.
        before: String,
    },
    /// A link to a member is followed by no name.
    #[error("`{text}`: a name is missing after `{before}`")]
    NameMissing {
        /// All of it.
        text: String,
        /// The name and the link.
        before: String,
    },
    /// Too many parentheses.
    #[error("`{0}` goes too deep")]
    TooDeep(String),
    /// Digits that make no number of 128 bits.
    #[error("`{0}` is no number")]
    NoNumber(String),
    /// Nothing that a mark may call.
    #[error("no function is called {0}")]
    NoFunction(String),
    /// A function with too many arguments, or too few.
    #[error("{name} takes {takes} arguments, not {given}")]
    Arguments {
        /// The function.
        name: String,
        /// How many it takes.
        takes: usize,
        /// How many are there.
        given: usize,
    },
    /// A name without a value.
    #[error("nobody says what {0} is")]
    UnknownName(String),
    /// Exact integers do not wrap.
    #[error("the value does not fit in 128 bits")]
    TooLarge,
    /// By a division or for a remainder.
    #[error("it divides by zero")]
    DividesByZero,
    /// The divisor of `ceil_div` is zero or negative.
    #[error("ceil_div wants a positive divisor")]
    Divisor,
    /// The base of `digits` is below 2.
    #[error("digits wants a base from 2")]
    Base,
    /// What Fortran has no words for.
    #[error("this expression has no Fortran here")]
    NoFortran,
}

/// Of what reads or computes expressions.
pub(super) type Result<T> = std::result::Result<T, ExpressionError>;

impl MarkExpression {
    /// Its value where `value_of` knows the names.
    pub fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<i128>) -> Result<i128> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Name(name) => value_of(name).ok_or_else(|| ExpressionError::UnknownName(name.clone())),
            Self::Not(inner) => Ok(i128::from(inner.evaluate(value_of)? == 0)),
            Self::Minus(inner) => negate(inner.evaluate(value_of)?),
            Self::Binary(operator, sides) => {
                let left = sides[0].evaluate(value_of)?;
                match (*operator, left) {
                    ("||", 1..) | ("||", ..=-1) => Ok(1),
                    ("&&", 0) => Ok(0),
                    _ => apply(operator, left, sides[1].evaluate(value_of)?),
                }
            }
            Self::Choice(parts) => {
                let which = if parts[0].evaluate(value_of)? != 0 { 1 } else { 2 };
                parts[which].evaluate(value_of)
            }
            Self::Call(function, arguments) => {
                let values: Vec<i128> =
                    arguments.iter().map(|argument| argument.evaluate(value_of)).collect::<Result<_>>()?;
                call(*function, &values)
            }
        }
    }

    /// The names in it, each once.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        let mut waiting = vec![self];
        while let Some(next) = waiting.pop() {
            match next {
                Self::Number(_) => {}
                Self::Name(name) if names.contains(&name.as_str()) => {}
                Self::Name(name) => names.push(name),
                Self::Not(inner) | Self::Minus(inner) => waiting.push(inner),
                Self::Binary(_, sides) => waiting.extend(sides.iter()),
                Self::Choice(parts) => waiting.extend(parts.iter()),
                Self::Call(_, arguments) => waiting.extend(arguments),
            }
        }
        names
    }
}

fn negate(value: i128) -> Result<i128> {
    value.checked_neg().ok_or(ExpressionError::TooLarge)
}

fn apply(operator: &str, left: i128, right: i128) -> Result<i128> {
    let truth = |is_so: bool| Some(i128::from(is_so));
    let value = match operator {
        "||" => truth(left != 0 || right != 0),
        "&&" => truth(left != 0 && right != 0),
        "==" => truth(left == right),
        "!=" => truth(left != right),
        "<=" => truth(left <= right),
        ">=" => truth(left >= right),
        "<" => truth(left < right),
        ">" => truth(left > right),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" | "%" if right == 0 => return Err(ExpressionError::DividesByZero),
        "/" => left.checked_div(right),
        _ => left.checked_rem(right),
    };
    value.ok_or(ExpressionError::TooLarge)
}

fn call(function: MarkFunction, values: &[i128]) -> Result<i128> {
    match (function, values) {
        (MarkFunction::Max, [a, b]) => Ok(*a.max(b)),
        (MarkFunction::Min, [a, b]) => Ok(*a.min(b)),
        (MarkFunction::CeilDiv, [a, b]) if *b > 0 => Ok(a.div_euclid(*b) + i128::from(a.rem_euclid(*b) != 0)),
        (MarkFunction::CeilDiv, _) => Err(ExpressionError::Divisor),
        (MarkFunction::Log2Ceil, [n]) => first_with(|k| 1i128.checked_shl(k).is_none_or(|power| power >= *n)),
        (MarkFunction::SqrtCeil, [n]) => Ok(root(*n, |k| k.checked_mul(k))),
        (MarkFunction::TriangleCeil, [n]) => Ok(root(*n, |k| k.checked_mul(k + 1).map(|twice| twice / 2))),
        (MarkFunction::Digits, [n, base]) if *base >= 2 => {
            let mut rest = (*n).max(0);
            let mut digits = 0;
            while rest > 0 {
                rest /= base;
                digits += 1;
            }
            Ok(digits)
        }
        _ => Err(ExpressionError::Base),
    }
}

/// The smallest exponent below 127 for which it holds.
fn first_with(holds: impl Fn(u32) -> bool) -> Result<i128> {
    (0..127).find(|k| holds(*k)).map(i128::from).ok_or(ExpressionError::TooLarge)
}

/// The smallest k ≥ 0 whose image, which grows with k, reaches n.
fn root(n: i128, image: impl Fn(i128) -> Option<i128>) -> i128 {
    let (mut below, mut above) = (-1i128, 1i128 << 64);
    while above - below > 1 {
        let middle = (above + below) / 2;
        if image(middle).is_none_or(|value| value >= n) {
            above = middle;
        } else {
            below = middle;
        }
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, n: i128) -> Result<i128> {
        MarkExpression::read(text)?.evaluate(&|name| (name == "n" || name == "a->n").then_some(n))
    }

    #[test]
    fn functions_are_what_they_say() {
        for n in -5..2000i128 {
            let by_search = |holds: &dyn Fn(i128) -> bool| (0..).find(|k| holds(*k)).unwrap();
            assert_eq!(value("sqrt_ceil(n)", n), Ok(by_search(&|k| k * k >= n)), "{n}");
            assert_eq!(value("triangle_ceil(n)", n), Ok(by_search(&|k| k * (k + 1) / 2 >= n)), "{n}");
            assert_eq!(value("log2_ceil(n)", n), Ok(by_search(&|k| 1i128 << k >= n)), "{n}");
            let text = n.to_string();
            let digits = if n > 0 { text.len() as i128 } else { 0 };
            assert_eq!(value("digits(n,10)", n), Ok(digits), "{n}");
            assert_eq!(value("ceil_div(n,7)", n), Ok((n as f64 / 7.0).ceil() as i128), "{n}");
        }
        assert_eq!(value("max(n,0)", -4), Ok(0));
        assert_eq!(value("min(n,0)", -4), Ok(-4));
    }

    #[test]
    fn nothing_wraps() {
        let largest = i128::MAX.to_string();
        assert_eq!(value(&largest, 0), Ok(i128::MAX));
        for text in ["n+1", "0-n-2", "n*2", "n*n*n*n*n", "sqrt_ceil(n)*n*n"] {
            let error = value(text, i128::MAX).unwrap_err().to_string();
            assert!(error.contains("128 bits"), "{text}: {error}");
        }
        assert_eq!(value("-n", i128::MIN), Err(ExpressionError::TooLarge));
        assert_eq!(value("n/(0-1)", i128::MIN), Err(ExpressionError::TooLarge));
        // A machine's wrap is written out, and the remainder keeps the sign of what it is of.
        assert_eq!(value("(n*205)%256", 255), Ok((255 * 205) % 256));
        assert_eq!((value("(0-n)%4", 10), value("(0-n)/4", 10)), (Ok(-2), Ok(-2)));
    }

    #[test]
    fn what_has_no_value_says_why() {
        let trouble = |text: &str| value(text, 3).unwrap_err().to_string();
        assert!(trouble("1/(n-3)").contains("zero"));
        assert!(trouble("1%(n-3)").contains("zero"));
        assert!(trouble("m+1").contains('m'));
        assert!(value("ceil_div(1,0-n)", 3).is_err() && value("digits(n,1)", 3).is_err());
    }

    /// C looks at one side only where that decides, and a mark may rest on it.
    #[test]
    fn a_side_that_does_not_matter_is_not_looked_at() {
        for (text, wanted) in [("n==0||1/n>5", 1), ("n!=0&&1/n>5", 0), ("n==0?7:1/n", 7)] {
            assert_eq!(value(text, 0), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn the_smaller_and_the_larger_of_any_two() {
        for (a, b) in [(0, 0), (-3, 2), (2, -3), (i128::MIN, i128::MAX), (7, 7)] {
            let value_of = |name: &str| Some(if name == "a" { a } else { b });
            let of = |text: &str| MarkExpression::read(text).unwrap().evaluate(&value_of);
            assert_eq!((of("min(a,b)"), of("max(a,b)")), (Ok(a.min(b)), Ok(a.max(b))), "{a} {b}");
        }
        assert_eq!(value("max(min(n,5),2)", 9), Ok(5));
    }

    #[test]
    fn names_are_told_once() {
        let expression = MarkExpression::read("max(n,0)*(n+m)/x.y").unwrap();
        let mut names = expression.names();
        names.sort_unstable();
        assert_eq!(names, ["m", "n", "x.y"]);
    }
}
