//! Where does reading stand in a line, and what did it want there?
//!
//! A [`Cursor`] walks over the tokens of one line. Everything it is asked for
//! comes with a description, so that an error says what was expected.

use std::fmt;

use super::lex::{Name, Token};

/// Why a text is no module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is expected there.
    pub expected: String,
    /// What is there.
    pub actual: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}, found {}", self.line, self.expected, self.actual)
    }
}

impl std::error::Error for ParseError {}

/// A place among the tokens of a line.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    line: usize,
    tokens: &'a [Token],
}

pub(crate) type Parsed<T> = Result<T, ParseError>;

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: usize, tokens: &'a [Token]) -> Self {
        Self { line, tokens }
    }

    pub(crate) fn line(&self) -> usize {
        self.line
    }

    pub(crate) fn peek(&self) -> Option<&'a Token> {
        self.tokens.first()
    }

    pub(crate) fn peek_second(&self) -> Option<&'a Token> {
        self.tokens.get(1)
    }

    pub(crate) fn next(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    /// The error that `what` is not here.
    pub(crate) fn expected<T>(&self, what: impl Into<String>) -> Parsed<T> {
        let found = self.peek().map_or("the end of the line".to_owned(), |token| format!("'{token}'"));
        Err(ParseError { line: self.line, expected: what.into(), actual: found })
    }

    /// Whether an array type begins here.
    pub(crate) fn is_array(&self) -> bool {
        matches!(self.tokens, [Token::Sign("["), Token::Number(_), Token::Word(times), ..] if times == "x")
    }

    /// Steps over the sign if it is next.
    pub(crate) fn eat(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        if is_next {
            self.next();
        }
        is_next
    }

    pub(crate) fn sign(&mut self, sign: &str) -> Parsed<()> {
        if self.eat(sign) { Ok(()) } else { self.expected(format!("'{sign}'")) }
    }

    /// The next token's word, if it is one.
    pub(crate) fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Steps over the word if it is next.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.peek_word() == Some(word);
        if is_next {
            self.next();
        }
        is_next
    }

    pub(crate) fn text(&mut self, what: &str) -> Parsed<&'a str> {
        let Some(Token::Text(text)) = self.peek() else { return self.expected(what) };
        self.next();
        Ok(text)
    }

    pub(crate) fn global(&mut self, what: &str) -> Parsed<&'a str> {
        let Some(Token::Global(name)) = self.peek() else { return self.expected(what) };
        self.next();
        Ok(name)
    }

    pub(crate) fn local(&mut self, what: &str) -> Parsed<&'a Name> {
        let Some(Token::Local(name)) = self.peek() else { return self.expected(what) };
        self.next();
        Ok(name)
    }

    pub(crate) fn number<N: std::str::FromStr>(&mut self, what: &str) -> Parsed<N> {
        let number = match self.peek() {
            Some(Token::Number(digits)) => digits.parse().ok(),
            _ => None,
        };
        let Some(number) = number else { return self.expected(what) };
        self.next();
        Ok(number)
    }

    pub(crate) fn end(&self) -> Parsed<()> {
        if self.tokens.is_empty() { Ok(()) } else { self.expected("the end of the line") }
    }
}
