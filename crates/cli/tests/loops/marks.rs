//! What marks in sources say of loops: a reader of `// expect: …` and of the
//! formulas in it (corpus/loops/README.md says how they are written). It shares
//! nothing with what it judges.

use std::collections::BTreeMap;

/// One expectation.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    pub(super) line: u64,
    /// Body iterations, `*` for anything.
    pub(super) body: String,
    pub(super) quality: String,
    pub(super) is_closed: bool,
    /// What must hold of the names for the mark to say something.
    pub(super) condition: Option<String>,
}

/// The marks of a source, in order.
pub(super) fn read(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let Some((_, rest)) = line.split_once("expect:") else { continue };
        for part in rest.split(';') {
            let mut mark = Mark { line: number as u64 + 1, ..Mark::default() };
            for word in part.split_whitespace() {
                match word.split_once('=') {
                    Some(("body", value)) => mark.body = value.to_owned(),
                    Some(("quality", value)) => mark.quality = value.to_owned(),
                    Some(("world", value)) => mark.is_closed = value == "closed",
                    Some(("where", value)) => mark.condition = Some(value.to_owned()),
                    _ => {}
                }
            }
            marks.push(mark);
        }
    }
    marks
}

/// Numbers of names.
pub(super) type Names = BTreeMap<String, i128>;

/// The number that a formula of a mark is; none if it has another name, or
/// divides by zero.
pub(super) fn evaluate(text: &str, names: &Names) -> Option<i128> {
    let mut reader = Reader { rest: text, names };
    let value = reader.choice()?;
    reader.rest.is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
    names: &'a Names,
}

impl Reader<'_> {
    fn eat(&mut self, sign: &str) -> bool {
        let behind = self.rest.strip_prefix(sign);
        self.rest = behind.unwrap_or(self.rest);
        behind.is_some()
    }

    fn choice(&mut self) -> Option<i128> {
        let test = self.comparison()?;
        if !self.eat("?") {
            return Some(test);
        }
        let then = self.choice();
        if !self.eat(":") {
            return None;
        }
        let otherwise = self.choice();
        if test != 0 { then } else { otherwise }
    }

    fn comparison(&mut self) -> Option<i128> {
        let left = self.sum()?;
        for sign in ["<=", ">=", "==", "!=", "<", ">"] {
            if self.eat(sign) {
                let right = self.sum()?;
                let holds = match sign {
                    "<=" => left <= right,
                    ">=" => left >= right,
                    "==" => left == right,
                    "!=" => left != right,
                    "<" => left < right,
                    _ => left > right,
                };
                return Some(i128::from(holds));
            }
        }
        Some(left)
    }

    fn sum(&mut self) -> Option<i128> {
        let mut value = self.product()?;
        loop {
            // `c->end` is a name, not a difference.
            if self.eat("+") {
                value += self.product()?;
            } else if self.eat("-") {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i128> {
        let mut value = self.whole()?;
        loop {
            if self.eat("*") {
                value *= self.whole()?;
            } else if self.eat("/") {
                value = value.checked_div(self.whole()?)?;
            } else if self.eat("%") {
                value = value.checked_rem_euclid(self.whole()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn whole(&mut self) -> Option<i128> {
        if self.eat("-") {
            return Some(-self.whole()?);
        }
        if self.eat("(") {
            let value = self.choice()?;
            return self.eat(")").then_some(value);
        }
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
        while self.rest[end..].starts_with("->") {
            let behind = &self.rest[end + 2..];
            end += 2 + behind.find(|letter| !is_part(letter)).unwrap_or(behind.len());
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        if let Ok(number) = word.parse() {
            return Some(number);
        }
        if !self.eat("(") {
            return self.names.get(word).copied();
        }
        let mut arguments = vec![self.choice()?];
        while self.eat(",") {
            arguments.push(self.choice()?);
        }
        self.eat(")").then(|| call(word, &arguments)).flatten()
    }
}

/// Functions of marks, each by its definition.
fn call(name: &str, arguments: &[i128]) -> Option<i128> {
    let first = *arguments.first()?;
    let second = arguments.get(1).copied();
    Some(match (name, second) {
        ("max", Some(second)) => first.max(second),
        ("min", Some(second)) => first.min(second),
        ("ceil_div", Some(second)) if second > 0 => (first + second - 1).div_euclid(second),
        ("log2_ceil", None) => (0..127).find(|exponent| 1_i128 << exponent >= first)?,
        ("sqrt_ceil", None) => (0..).find(|root| root * root >= first)?,
        ("triangle_ceil", None) => (0..).find(|side| side * (side + 1) / 2 >= first)?,
        ("digits", Some(base)) => {
            let mut rest = first;
            let mut digits = 0;
            while rest > 0 {
                rest /= base;
                digits += 1;
            }
            digits
        }
        _ => return None,
    })
}

#[test]
fn formulas_of_marks_are_read_as_they_are_meant() {
    let names = Names::from([("n".to_owned(), 10), ("c->end".to_owned(), 4)]);
    let value = |text: &str| evaluate(text, &names);
    assert_eq!(value("max(n-1,0)"), Some(9));
    assert_eq!(value("ceil_div(max(n,0),3)"), Some(4));
    assert_eq!(value("(n>0?c->end-1:7)"), Some(3));
    assert_eq!(value("log2_ceil(n)+digits(n,2)"), Some(8));
    assert_eq!(value("(0-n)%4"), Some(2));
    assert_eq!(value("m+1"), None);
}
