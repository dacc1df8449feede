//! Which parts does a demangled name have at one level of brackets?
//!
//! One pass with a stack of open brackets. What an operator is called (`operator<`, `operator()`)
//! and the arrow of a type of Rust (`fn() -> u8`) are no brackets. Cost: linear in the text.

use crate::names::operator_symbol;

/// A part of a name at one level of brackets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    /// `operator<`
    Operator(&'a str),
    /// What is between two brackets, and the first of them.
    Group(u8, &'a str),
}

impl Piece<'_> {
    pub(super) fn length(&self) -> usize {
        match self {
            Piece::Text(text) | Piece::Operator(text) => text.len(),
            Piece::Group(_, inner) => inner.len() + 2,
        }
    }
}

/// Cuts a text at its outermost brackets; none if they do not match.
pub(super) fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut open: Vec<(u8, usize)> = Vec::new();
    let (mut at, mut start) = (0, 0);
    while at < bytes.len() {
        let operator = operator_length(text, at);
        if operator > 0 {
            if open.is_empty() {
                push_text(&mut pieces, &text[start..at]);
                pieces.push(Piece::Operator(&text[at..at + operator]));
                start = at + operator;
            }
            at += operator;
            continue;
        }
        match bytes[at] {
            b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
            letter @ (b'<' | b'(' | b'[' | b'{') => {
                if open.is_empty() {
                    push_text(&mut pieces, &text[start..at]);
                }
                open.push((letter, at));
            }
            letter @ (b'>' | b')' | b']' | b'}') => {
                let (opening, from) = open.pop()?;
                if closing(opening) != letter {
                    return None;
                }
                if open.is_empty() {
                    pieces.push(Piece::Group(opening, &text[from + 1..at]));
                    start = at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    push_text(&mut pieces, &text[start..]);
    open.is_empty().then_some(pieces)
}

fn push_text<'a>(pieces: &mut Vec<Piece<'a>>, text: &'a str) {
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
}

pub(super) fn closing(opening: u8) -> u8 {
    match opening {
        b'<' => b'>',
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// Length of an operator's name that begins here, 0 if none does.
fn operator_length(text: &str, at: usize) -> usize {
    const WORD: &str = "operator";
    let is_word = |letter: Option<&u8>| letter.is_some_and(|l| l.is_ascii_alphanumeric() || *l == b'_');
    let bytes = text.as_bytes();
    let is_start = at == 0 || !is_word(bytes.get(at - 1));
    if !is_start || !bytes[at..].starts_with(WORD.as_bytes()) || is_word(bytes.get(at + WORD.len())) {
        return 0;
    }
    WORD.len() + operator_symbol(&text[at + WORD.len()..]).map_or(0, str::len)
}
