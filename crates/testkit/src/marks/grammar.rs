//! How are expressions of marks written?
//!
//! C's operators `+ - * / %`, comparisons, `&& || !`, `?:`, parentheses; names of
//! the source, with `->` and `.` as parts of a name; and the functions of
//! [`MarkFunction`]. No blanks, no casts. Read by descent, one function a kind of
//! term; the text is a word of a comment, and parentheses are bounded.

use super::expression::{ExpressionError, MarkExpression, MarkFunction, Result};

/// How deep parentheses may go; a mark is a short thing.
const DEEPEST: usize = 64;

/// Name, function, how many arguments.
pub(super) const FUNCTIONS: &[(&str, MarkFunction, usize)] = &[
    ("max", MarkFunction::Max, 2),
    ("min", MarkFunction::Min, 2),
    ("ceil_div", MarkFunction::CeilDiv, 2),
    ("log2_ceil", MarkFunction::Log2Ceil, 1),
    ("sqrt_ceil", MarkFunction::SqrtCeil, 1),
    ("digits", MarkFunction::Digits, 2),
    ("triangle_ceil", MarkFunction::TriangleCeil, 1),
];

/// Binary operators from the loosest to the tightest, by rows; longer ones
/// first, so that `<=` is not read as `<`.
const OPERATORS: &[&[&str]] =
    &[&["||"], &["&&"], &["==", "!="], &["<=", ">=", "<", ">"], &["+", "-"], &["*", "/", "%"]];

impl MarkExpression {
    /// Reads all of the text.
    pub fn read(text: &str) -> Result<Self> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let expression = reader.choice()?;
        if reader.at == text.len() {
            Ok(expression)
        } else {
            Err(ExpressionError::LeftOver { text: text.to_owned(), rest: text[reader.at..].to_owned() })
        }
    }
}

/// What is left of a text.
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
        if self.takes(word) {
            return Ok(());
        }
        Err(ExpressionError::SignMissing { text: self.text.to_owned(), sign: word.to_owned() })
    }

    fn choice(&mut self) -> Result<MarkExpression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExpressionError::TooDeep(self.text.to_owned()));
        }
        let condition = self.binary(0)?;
        let result = if self.takes("?") {
            let yes = self.choice()?;
            self.wants(":")?;
            MarkExpression::Choice(Box::new([condition, yes, self.choice()?]))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(result)
    }

    fn binary(&mut self, row: usize) -> Result<MarkExpression> {
        let Some(operators) = OPERATORS.get(row) else { return self.unary() };
        let mut left = self.binary(row + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            left = MarkExpression::Binary(operator, Box::new([left, self.binary(row + 1)?]));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<MarkExpression> {
        if self.takes("-") {
            return Ok(MarkExpression::Minus(Box::new(self.primary()?)));
        }
        if self.takes("!") {
            return Ok(MarkExpression::Not(Box::new(self.primary()?)));
        }
        self.primary()
    }

    fn primary(&mut self) -> Result<MarkExpression> {
        if self.takes("(") {
            let inner = self.choice()?;
            self.wants(")")?;
            return Ok(inner);
        }
        let word = self.word();
        if word.starts_with(|letter: char| letter.is_ascii_digit()) {
            let number = word.parse().map_err(|_| ExpressionError::NoNumber(word))?;
            return Ok(MarkExpression::Number(number));
        }
        if word.is_empty() {
            let (text, before) = (self.text.to_owned(), self.text[..self.at].to_owned());
            return Err(ExpressionError::TermMissing { text, before });
        }
        if self.takes("(") { self.arguments(&word) } else { Ok(MarkExpression::Name(self.member(word)?)) }
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let length = rest
            .find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
            .unwrap_or(rest.len());
        self.at += length;
        rest[..length].to_owned()
    }

    fn member(&mut self, mut name: String) -> Result<String> {
        while let Some(link) = ["->", "."].into_iter().find(|link| self.takes(link)) {
            let part = self.word();
            if part.is_empty() {
                let (text, before) = (self.text.to_owned(), name + link);
                return Err(ExpressionError::NameMissing { text, before });
            }
            name = name + link + &part;
        }
        Ok(name)
    }

    fn arguments(&mut self, name: &str) -> Result<MarkExpression> {
        let row = FUNCTIONS.iter().find(|row| row.0 == name);
        let (_, function, count) = row.ok_or_else(|| ExpressionError::NoFunction(name.to_owned()))?;
        let mut arguments = vec![self.choice()?];
        while self.takes(",") {
            arguments.push(self.choice()?);
        }
        self.wants(")")?;
        if arguments.len() == *count {
            Ok(MarkExpression::Call(*function, arguments))
        } else {
            let (name, given) = (name.to_owned(), arguments.len());
            Err(ExpressionError::Arguments { name, takes: *count, given })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, n: i128) -> Result<i128> {
        MarkExpression::read(text)?.evaluate(&|name| (name == "n" || name == "a->n").then_some(n))
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

    /// Every two operators without parentheses, against the rows of C's grammar.
    #[test]
    fn the_tighter_operator_is_done_first() {
        let row = |sign: &str| OPERATORS.iter().position(|row| row.contains(&sign)).unwrap();
        let signs: Vec<&str> = OPERATORS.iter().flat_map(|row| row.iter().copied()).collect();
        for first in &signs {
            for second in &signs {
                let plain = MarkExpression::read(&format!("a{first}b{second}c")).unwrap();
                let left = MarkExpression::read(&format!("(a{first}b){second}c")).unwrap();
                let right = MarkExpression::read(&format!("a{first}(b{second}c)")).unwrap();
                let wanted = if row(second) > row(first) { right } else { left };
                assert_eq!(plain, wanted, "a{first}b{second}c");
            }
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in ["", "1+", "(1", "1)", "f(1)", "max(1)", "max(1,2,3)", "1 + 2", "n ? 1", "n?1", "*", "2x"]
        {
            assert!(MarkExpression::read(text).is_err(), "{text}");
        }
        for text in
            ["a->", "a.", "a->.b", "ä", "n+ä", "min()", "max(1,)", "9999999999999999999999999999999999999999"]
        {
            assert!(MarkExpression::read(text).is_err(), "{text}");
        }
        assert!(MarkExpression::read(&"(".repeat(500)).unwrap_err().to_string().contains("too deep"));
    }

    /// There are no casts: a type in parentheses is a name with something left over.
    #[test]
    fn casts_are_refused() {
        for text in ["(int)n", "(u32)(n+1)", "(unsigned)5", "(long)-n*2"] {
            let read = MarkExpression::read(text);
            assert!(read.is_err() || text.contains(")-"), "{text}: {read:?}");
        }
        // What C would take for a cast of -n is here a difference of names.
        assert_eq!(MarkExpression::read("(long)-n*2"), MarkExpression::read("long-(n*2)"));
    }
}
