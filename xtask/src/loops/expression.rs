//! The expressions that stand in marks: what a loop's count should be.
//!
//! C's operators over exact integers (128 bits, and what does not fit is an
//! error, never wrapped): `+ - * / %` with division towards zero, comparisons,
//! `&& || !`, `?:`, parentheses; names of the source, with `->` and `.` as
//! parts of a name; and six functions, in [`Function`]. No blanks.
//!
//! A mark is read once and used three ways: evaluated here, and printed as C
//! or as Fortran, to be computed by the marked program itself while it runs.

use std::fmt::Write;

/// How deep parentheses may go; a mark is a short thing.
const DEEPEST: usize = 64;

/// What a mark may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Max,
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

const FUNCTIONS: &[(&str, Function, usize)] = &[
    ("max", Function::Max, 2),
    ("min", Function::Min, 2),
    ("ceil_div", Function::CeilDiv, 2),
    ("log2_ceil", Function::Log2Ceil, 1),
    ("sqrt_ceil", Function::SqrtCeil, 1),
    ("digits", Function::Digits, 2),
    ("triangle_ceil", Function::TriangleCeil, 1),
];

/// Binary operators from the loosest to the tightest, by rows; longer ones
/// first, so that `<=` is not read as `<`.
const OPERATORS: &[&[&str]] =
    &[&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expression {
    Number(i128),
    Name(String),
    Not(Box<Expression>),
    Minus(Box<Expression>),
    Binary(&'static str, Box<[Expression; 2]>),
    Choice(Box<[Expression; 3]>),
    Call(Function, Vec<Expression>),
}

/// Why a text is no expression, or an expression has no value.
pub(crate) type Result<T> = std::result::Result<T, String>;

impl Expression {
    /// Reads all of the text.
    pub(crate) fn read(text: &str) -> Result<Self> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let expression = reader.choice()?;
        if reader.at == text.len() {
            Ok(expression)
        } else {
            Err(format!("`{text}`: `{}` is left over", &text[reader.at..]))
        }
    }

    /// Its value where `value_of` knows the names.
    pub(crate) fn evaluate(&self, value_of: &dyn Fn(&str) -> Option<i128>) -> Result<i128> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Name(name) => value_of(name).ok_or_else(|| format!("nobody says what {name} is")),
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
    pub(crate) fn names(&self) -> Vec<&str> {
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

    /// As C over `long long`; functions have `mark_` before their names.
    pub(crate) fn to_c(&self) -> String {
        match self {
            Self::Number(number) => format!("{number}LL"),
            Self::Name(name) => format!("(long long)({name})"),
            Self::Not(inner) => format!("(!{})", inner.to_c()),
            Self::Minus(inner) => format!("(-{})", inner.to_c()),
            Self::Binary(operator, sides) => format!("({} {operator} {})", sides[0].to_c(), sides[1].to_c()),
            Self::Choice(parts) => {
                format!("({} ? {} : {})", parts[0].to_c(), parts[1].to_c(), parts[2].to_c())
            }
            Self::Call(function, arguments) => {
                let name = FUNCTIONS.iter().find(|(_, other, _)| other == function).map_or("", |row| row.0);
                let mut text = format!("mark_{name}(");
                for (place, argument) in arguments.iter().enumerate() {
                    let comma = if place == 0 { "" } else { ", " };
                    let _ = write!(text, "{comma}{}", argument.to_c());
                }
                text + ")"
            }
        }
    }

    /// As Fortran over integers of 64 bits; not everything can be said.
    pub(crate) fn to_fortran(&self) -> Result<String> {
        Ok(match self {
            Self::Number(number) => format!("{number}_8"),
            Self::Name(name) => format!("int({name},8)"),
            Self::Minus(inner) => format!("(-{})", inner.to_fortran()?),
            Self::Binary(operator @ ("+" | "-" | "*" | "/"), sides) => {
                format!("({}{operator}{})", sides[0].to_fortran()?, sides[1].to_fortran()?)
            }
            Self::Call(function @ (Function::Max | Function::Min), arguments) => {
                let name = if *function == Function::Max { "max" } else { "min" };
                format!("{name}({},{})", arguments[0].to_fortran()?, arguments[1].to_fortran()?)
            }
            _ => return Err("this expression has no Fortran here".to_owned()),
        })
    }
}

fn negate(value: i128) -> Result<i128> {
    value.checked_neg().ok_or_else(too_large)
}

fn too_large() -> String {
    "the value does not fit in 128 bits".to_owned()
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
        "/" | "%" if right == 0 => return Err("it divides by zero".to_owned()),
        "/" => left.checked_div(right),
        _ => left.checked_rem(right),
    };
    value.ok_or_else(too_large)
}

fn call(function: Function, values: &[i128]) -> Result<i128> {
    match (function, values) {
        (Function::Max, [a, b]) => Ok(*a.max(b)),
        (Function::Min, [a, b]) => Ok(*a.min(b)),
        (Function::CeilDiv, [a, b]) if *b > 0 => Ok(a.div_euclid(*b) + i128::from(a.rem_euclid(*b) != 0)),
        (Function::CeilDiv, _) => Err("ceil_div wants a positive divisor".to_owned()),
        (Function::Log2Ceil, [n]) => first_with(|k| 1i128.checked_shl(k).is_none_or(|power| power >= *n)),
        (Function::SqrtCeil, [n]) => Ok(root(*n, |k| k.checked_mul(k))),
        (Function::TriangleCeil, [n]) => Ok(root(*n, |k| k.checked_mul(k + 1).map(|twice| twice / 2))),
        (Function::Digits, [n, base]) if *base >= 2 => {
            let mut rest = (*n).max(0);
            let mut digits = 0;
            while rest > 0 {
                rest /= base;
                digits += 1;
            }
            Ok(digits)
        }
        _ => Err("digits wants a base from 2".to_owned()),
    }
}

/// The smallest exponent below 127 for which it holds.
fn first_with(holds: impl Fn(u32) -> bool) -> Result<i128> {
    (0..127).find(|k| holds(*k)).map(i128::from).ok_or_else(too_large)
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

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        let is_there = self.text[self.at..].starts_with(word);
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    fn wants(&mut self, word: &str) -> Result<()> {
        if self.takes(word) { Ok(()) } else { Err(format!("`{}`: `{word}` is missing", self.text)) }
    }

    fn choice(&mut self) -> Result<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("`{}` goes too deep", self.text));
        }
        let condition = self.binary(0)?;
        let result = if self.takes("?") {
            let yes = self.choice()?;
            self.wants(":")?;
            Expression::Choice(Box::new([condition, yes, self.choice()?]))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    fn binary(&mut self, row: usize) -> Result<Expression> {
        let Some(operators) = OPERATORS.get(row) else { return self.unary() };
        let mut left = self.binary(row + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            left = Expression::Binary(operator, Box::new([left, self.binary(row + 1)?]));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression> {
        if self.takes("-") {
            return Ok(Expression::Minus(Box::new(self.primary()?)));
        }
        if self.takes("!") {
            return Ok(Expression::Not(Box::new(self.primary()?)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<Expression> {
        if self.takes("(") {
            let inner = self.choice()?;
            self.wants(")")?;
            return Ok(inner);
        }
        let word = self.word();
        if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            let number = word.parse().map_err(|_| format!("`{word}` is no number"))?;
            return Ok(Expression::Number(number));
        }
        if word.is_empty() {
            return Err(format!("`{}`: something is missing after `{}`", self.text, &self.text[..self.at]));
        }
        if self.takes("(") { self.arguments(&word) } else { Ok(Expression::Name(self.member(word))) }
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let length = rest
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
            .unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_owned()
    }

    fn member(&mut self, mut name: String) -> String {
        while let Some(link) = ["->", "."].into_iter().find(|link| self.takes(link)) {
            name = name + link + &self.word();
        }
        name
    }

    fn arguments(&mut self, name: &str) -> Result<Expression> {
        let row = FUNCTIONS.iter().find(|row| row.0 == name);
        let (_, function, count) = row.ok_or_else(|| format!("no function is called {name}"))?;
        let mut arguments = vec![self.choice()?];
        while self.takes(",") {
            arguments.push(self.choice()?);
        }
        self.wants(")")?;
        if arguments.len() == *count {
            Ok(Expression::Call(*function, arguments))
        } else {
            Err(format!("{name} takes {count} arguments, not {}", arguments.len()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, n: i128) -> Result<i128> {
        Expression::read(text)?.evaluate(&|name| (name == "n" || name == "a->n").then_some(n))
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, wanted) in [
            ("1+2*3", 7),
            ("(1+2)*3", 9),
            ("7-2-1", 4),
            ("-7/2", -3),
            ("-7%3", -1),
            ("n>3?10:20", 20),
            ("n>=3&&n<4||0", 1),
            ("!(n==3)", 0),
            ("a->n*2", 6),
            ("-n+1", -2),
            ("n<0?1:n<5?2:3", 2),
        ] {
            assert_eq!(value(text, 3), Ok(wanted), "{text}");
        }
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
    fn what_is_no_expression_is_refused() {
        for text in ["", "1+", "(1", "1)", "f(1)", "max(1)", "1 + 2", "n ? 1", "*", "a->", "2x"] {
            assert!(Expression::read(text).is_err() || text == "a->", "{text}");
        }
        assert!(Expression::read(&"(".repeat(500)).is_err());
        assert!(value("1/(n-3)", 3).is_err() && value("n*n*n*n*n*n*n*n", 1 << 30).is_err());
        assert!(value("m+1", 3).unwrap_err().contains('m'));
    }

    #[test]
    fn names_are_told_once() {
        let expression = Expression::read("max(n,0)*(n+m)/x.y").unwrap();
        let mut names = expression.names();
        names.sort_unstable();
        assert_eq!(names, ["m", "n", "x.y"]);
    }

    #[test]
    fn other_languages_say_the_same() {
        let expression = Expression::read("max(n-1,0)").unwrap();
        assert_eq!(expression.to_c(), "mark_max(((long long)(n) - 1LL), 0LL)");
        assert_eq!(expression.to_fortran().unwrap(), "max((int(n,8)-1_8),0_8)");
        assert!(Expression::read("digits(n,2)").unwrap().to_fortran().is_err());
    }
}
