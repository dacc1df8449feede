//! How is a formula written, and read again?
//!
//! With as few brackets as C needs, and blanks around all operators but `*`, as `analysis` writes them. The reader takes more of them, any blanks, and names that
//! are given as they are, so that it reads what a person writes and what the verb `loops` says. Reading and writing are inverse: a formula that was written is read
//! as the very same parts. Cost: the length of the text. Limit: brackets lie at most three
//! times as deep in each other as parts may.

use std::fmt::{Display, Formatter, Result as Written, Write};
use std::str::FromStr;

use super::Integer;
use super::formula::{DEEPEST, Formula, FormulaError, FormulaFunction, Level, Node, Operator, Wrap};

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        match self.node() {
            Node::Number(number) => number.fmt(f),
            Node::Name(name) => write_name(name, f),
            Node::Negate(of) => {
                f.write_str("-")?;
                // A minus before a number belongs to the number.
                let is_number = of.as_number().is_some();
                write_part(of, if is_number { None } else { Some(Level::Whole) }, f)
            }
            Node::Wrap(wrap, of) => {
                write!(f, "({}{})", if wrap.is_signed { 'i' } else { 'u' }, wrap.bits)?;
                write_part(of, Some(Level::Unary), f)
            }
            Node::Chain(first, rest) => {
                let inside = above(level(self));
                write_part(first, Some(inside), f)?;
                rest.iter().try_for_each(|(operator, part)| {
                    match operator {
                        Operator::Times => f.write_str("*")?,
                        _ => write!(f, " {} ", operator.sign())?,
                    }
                    write_part(part, Some(inside), f)
                })
            }
            Node::Choice(parts) => {
                let [test, then, otherwise] = &**parts;
                write_part(test, Some(Level::Either), f)?;
                f.write_str(" ? ")?;
                write_part(then, Some(Level::Either), f)?;
                f.write_str(" : ")?;
                write_part(otherwise, Some(Level::Choice), f)
            }
            Node::Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                for (position, argument) in arguments.iter().enumerate() {
                    f.write_str(if position > 0 { ", " } else { "" })?;
                    argument.fmt(f)?;
                }
                f.write_str(")")
            }
            Node::Sum(index, parts) => {
                let [count, of] = &**parts;
                f.write_str("sum(")?;
                write_name(index, f)?;
                f.write_str(" < ")?;
                write_part(count, Some(Level::Sum), f)?;
                write!(f, ": {of})")
            }
        }
    }
}

/// Writes a part, in brackets unless it holds at least as tight as what is around needs.
fn write_part(part: &Formula, needed: Option<Level>, f: &mut Formatter<'_>) -> Written {
    if needed.is_some_and(|needed| level(part) >= needed) { part.fmt(f) } else { write!(f, "({part})") }
}

fn level(formula: &Formula) -> Level {
    match formula.node() {
        Node::Number(number) if number.is_negative() => Level::Unary,
        Node::Negate(_) | Node::Wrap(..) => Level::Unary,
        Node::Chain(_, rest) => rest.first().map_or(Level::Whole, |(operator, _)| operator.level()),
        Node::Choice(_) => Level::Choice,
        Node::Number(_) | Node::Name(_) | Node::Call(..) | Node::Sum(..) => Level::Whole,
    }
}

/// The next level that holds tighter.
fn above(level: Level) -> Level {
    match level {
        Level::Choice => Level::Either,
        Level::Either => Level::Both,
        Level::Both => Level::Mask,
        Level::Mask => Level::Comparison,
        Level::Comparison => Level::Shift,
        Level::Shift => Level::Sum,
        Level::Sum => Level::Product,
        Level::Product => Level::Unary,
        Level::Unary | Level::Whole => Level::Whole,
    }
}

/// Whether plain names have it.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '.'
}

fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_word)
}

fn must_escape(c: char) -> bool {
    matches!(c, '`' | '\\' | '\0'..='\x1f' | '\x7f')
}

fn write_name(name: &str, f: &mut Formatter<'_>) -> Written {
    if is_plain(name) {
        return f.write_str(name);
    }
    f.write_str("`")?;
    for c in name.chars() {
        if must_escape(c) { write!(f, "\\{:02X}", u32::from(c))? } else { f.write_char(c)? }
    }
    f.write_str("`")
}

impl FromStr for Formula {
    type Err = FormulaError;
    fn from_str(text: &str) -> Result<Self, FormulaError> {
        Self::read(text, &[])
    }
}

impl Formula {
    /// Reads a formula in which these names are written as they are, without backquotes:
    /// `argv[1] + 1` with `argv[1]`. Of several that fit the longest is taken.
    ///
    /// # Errors
    /// It is none.
    pub fn read(text: &str, names: &[&str]) -> Result<Self, FormulaError> {
        let mut reader = Reader { text, names, at: 0, nested: 0 };
        let formula = reader.choice()?;
        if reader.rest().is_empty() { Ok(formula) } else { Err(reader.wrong("operator")) }
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Names that are written as they are.
    names: &'a [&'a str],
    at: usize,
    /// How deep brackets and signs are nested here.
    nested: u16,
}

impl<'a> Reader<'a> {
    /// What is left after blanks.
    fn rest(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start_matches(' ');
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn wrong(&self, expected: &'static str) -> FormulaError {
        FormulaError::Text { at: self.at, expected }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_there = self.rest().starts_with(sign);
        self.at += if is_there { sign.len() } else { 0 };
        is_there
    }

    fn need(&mut self, sign: &'static str) -> Result<(), FormulaError> {
        if self.takes(sign) { Ok(()) } else { Err(self.wrong(sign)) }
    }

    /// What `part` reads, one deeper.
    fn nest(
        &mut self,
        part: fn(&mut Self) -> Result<Formula, FormulaError>,
    ) -> Result<Formula, FormulaError> {
        if self.nested >= 3 * DEEPEST {
            return Err(FormulaError::TooDeep);
        }
        self.nested += 1;
        let made = part(self);
        self.nested -= 1;
        made
    }

    fn choice(&mut self) -> Result<Formula, FormulaError> {
        let test = self.chain(Level::Either)?;
        if !self.takes("?") {
            return Ok(test);
        }
        let then = self.nest(Self::choice)?;
        self.need(":")?;
        let otherwise = self.nest(Self::choice)?;
        Formula::choice(test, then, otherwise)
    }

    fn chain(&mut self, level: Level) -> Result<Formula, FormulaError> {
        if level == Level::Unary {
            return self.unary();
        }
        let first = self.chain(above(level))?;
        let mut rest = Vec::new();
        while let Some(operator) = self.operator(level) {
            rest.push((operator, self.chain(above(level))?));
        }
        if rest.is_empty() { Ok(first) } else { Formula::chain(first, rest) }
    }

    fn operator(&mut self, level: Level) -> Option<Operator> {
        let rest = self.rest();
        let operator = *Operator::ALL.iter().find(|operator| rest.starts_with(operator.sign()))?;
        let is_meant = operator.level() == level;
        self.at += if is_meant { operator.sign().len() } else { 0 };
        is_meant.then_some(operator)
    }

    fn unary(&mut self) -> Result<Formula, FormulaError> {
        if let Some(name) = self.given_name() {
            self.at += name.len();
            return Ok(Formula::name(name));
        }
        let rest = self.rest();
        if let Some(behind) = rest.strip_prefix('-') {
            if behind.starts_with(|c: char| c.is_ascii_digit()) {
                return self.number();
            }
            self.at += 1;
            return Formula::negate(self.nest(Self::unary)?);
        }
        if let Some(wrap) = self.wrap() {
            return Formula::wrap(wrap, self.nest(Self::unary)?);
        }
        self.whole()
    }

    fn given_name(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let is_there = |name: &&str| {
            let behind = rest.strip_prefix(*name).and_then(|behind| behind.chars().next());
            let goes_on = name.ends_with(is_word) && behind.is_some_and(|c| is_word(c) || c == '(');
            !name.is_empty() && rest.starts_with(*name) && !goes_on
        };
        self.names.iter().copied().filter(is_there).max_by_key(|name| name.len())
    }

    /// `(u8)`
    fn wrap(&mut self) -> Option<Wrap> {
        let rest = self.rest();
        let (inside, _) = rest.strip_prefix('(')?.split_once(')')?;
        let is_signed = inside.starts_with('i');
        let bits = inside.strip_prefix(['i', 'u'])?;
        let is_number = bits.bytes().all(|digit| digit.is_ascii_digit()) && !bits.starts_with('0');
        let bits = is_number.then(|| bits.parse().ok()).flatten()?;
        self.at += inside.len() + 2;
        Some(Wrap { is_signed, bits })
    }

    fn number(&mut self) -> Result<Formula, FormulaError> {
        let rest = self.rest();
        let sign = usize::from(rest.starts_with('-'));
        let digits = rest[sign..].bytes().take_while(u8::is_ascii_digit).count();
        let number: Integer = rest[..sign + digits].parse().map_err(|_| self.wrong("number"))?;
        self.at += sign + digits;
        Ok(Formula::number(number))
    }

    fn whole(&mut self) -> Result<Formula, FormulaError> {
        if self.takes("(") {
            let inside = self.nest(Self::choice)?;
            self.need(")")?;
            return Ok(inside);
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.number();
        }
        let is_quoted = self.rest().starts_with('`');
        let name = self.name()?;
        if is_quoted || !self.text[self.at..].starts_with('(') {
            return Ok(Formula::name(&name));
        }
        self.at += 1;
        if name == "sum" {
            return self.sum();
        }
        // `log2(n)` is `log(2, n)`.
        if let Some(base) = name.strip_prefix("log").and_then(|base| base.parse::<Integer>().ok()) {
            let of = self.nest(Self::choice)?;
            self.need(")")?;
            return Formula::call(FormulaFunction::Logarithm, vec![Formula::number(base), of]);
        }
        let function = FormulaFunction::ALL.iter().find(|function| function.name() == name);
        let function = *function.ok_or_else(|| self.wrong("function"))?;
        let mut arguments = vec![self.nest(Self::choice)?];
        while self.takes(",") {
            arguments.push(self.nest(Self::choice)?);
        }
        self.need(")")?;
        Formula::call(function, arguments)
    }

    /// After `sum(`.
    fn sum(&mut self) -> Result<Formula, FormulaError> {
        self.rest();
        let index = self.name()?;
        self.need("<")?;
        let count = self.nest(|reader| reader.chain(Level::Sum))?;
        self.need(":")?;
        let of = self.nest(Self::choice)?;
        self.need(")")?;
        Formula::sum(&index, count, of)
    }

    fn name(&mut self) -> Result<String, FormulaError> {
        let rest = self.rest();
        let Some(quoted) = rest.strip_prefix('`') else {
            let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
            if !is_plain(name) {
                return Err(self.wrong("number or name"));
            }
            self.at += name.len();
            return Ok(name.to_owned());
        };
        let end = quoted.find('`').ok_or_else(|| self.wrong("quoted name"))?;
        let name = unescape(&quoted[..end]).ok_or_else(|| self.wrong("quoted name"))?;
        self.at += end + 2;
        Ok(name)
    }
}

fn unescape(text: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        let byte = u8::from_str_radix(behind.get(..2)?, 16).ok()?;
        name.push_str(before);
        name.push(must_escape(char::from(byte)).then_some(char::from(byte))?);
        rest = &behind[2..];
    }
    name.push_str(rest);
    Some(name)
}

#[cfg(test)]
#[path = "formula_tests.rs"]
mod tests;
