//! How is a demangled name folded?
//!
//! Method: the text is cut at its outermost brackets ([`pieces`]), and each piece is written or
//! folded by itself: template arguments to `<…>`, a long list of parameters to `(…)`. The type of
//! a template's result goes. Before that, what nobody wrote goes from names of C++ ([`plain`]).
//! A name in braces, as of a lambda, is folded like a function's.
//!
//! Input: text as a demangler writes it. Output: text, or none if its brackets do not match: then
//! it is no name that this file can read. Cost: linear in the text for each level of brackets.
//! Limit: an argument that is a comparison with `<` keeps the whole name from being folded.

mod pieces;
mod plain;

use pieces::{Piece, closing, pieces};
use plain::plain;

/// Letters of a list of parameters that is not folded.
const PARAMETERS: usize = 32;
/// What replaces all that is folded.
pub(super) const FOLD: &str = "…";

/// How much of a name is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Template arguments folded, a long list of parameters, too.
    Folded,
    /// All parameters, their template arguments folded.
    Parameters,
    /// Template arguments of the name, their own arguments folded.
    Arguments,
    /// All but default arguments of the standard library.
    Plain,
    /// All, as the demangler writes it.
    Full,
}

/// A name without its parameters, where scopes may have some of their own.
pub(super) fn without_list(text: &str) -> &str {
    let Some(pieces) = pieces(text) else { return text };
    let Some(at) = parameters(&pieces) else { return text };
    let length: usize = pieces[..at].iter().map(Piece::length).sum();
    &text[..length]
}

/// Where the list of parameters is: the last group in parentheses in which no scope goes on.
fn parameters(pieces: &[Piece<'_>]) -> Option<usize> {
    let goes_on = |at: usize| matches!(pieces.get(at + 1), Some(Piece::Text(text)) if text.starts_with("::"));
    (1..pieces.len()).rev().find(|&at| matches!(pieces[at], Piece::Group(b'(', _)) && !goes_on(at))
}

/// A name of C++.
pub(super) fn cxx(text: &str, detail: Detail) -> Option<String> {
    let text = plain(text)?;
    if detail == Detail::Plain {
        return Some(text);
    }
    let pieces = pieces(&text)?;
    let list = parameters(&pieces);
    // What cannot be read as a name with parameters keeps all in front: `vtable for X`.
    let from = list.map_or(0, |list| name_start(&text, &pieces[..list]));
    let mut out = String::new();
    let mut position = 0;
    for (at, piece) in pieces.iter().enumerate() {
        let end = position + piece.length();
        match piece {
            Piece::Text(_) | Piece::Operator(_) => out.push_str(&text[position.max(from).min(end)..end]),
            _ if end <= from => {}
            Piece::Group(b'<', inner) if detail >= Detail::Arguments => {
                out.push_str(&format!("<{}>", folded(inner)?));
            }
            Piece::Group(b'<', _) => out.push_str("<…>"),
            Piece::Group(b'(', inner) => {
                let is_whole = Some(at) == list && detail == Detail::Parameters;
                out.push_str(&format!("({})", if is_whole { folded(inner)? } else { listed(inner)? }));
            }
            Piece::Group(b'{', inner) => out.push_str(&format!("{{{}}}", cxx_braces(inner)?)),
            Piece::Group(..) => out.push_str(&text[position..end]),
        }
        position = end;
    }
    Some(out)
}

/// `lambda(std::vector<int>&)#1`: its parameters are folded like those of a function.
fn cxx_braces(text: &str) -> Option<String> {
    let mut out = String::new();
    for piece in pieces(text)? {
        match piece {
            Piece::Text(text) | Piece::Operator(text) => out.push_str(text),
            Piece::Group(b'(', inner) => out.push_str(&format!("({})", listed(inner)?)),
            Piece::Group(opening, inner) => {
                out.push_str(&format!("{}{}{}", opening as char, folded(inner)?, closing(opening) as char));
            }
        }
    }
    Some(out)
}

/// Where the name begins after the type of the result, which only templates have.
fn name_start(text: &str, head: &[Piece<'_>]) -> usize {
    let (mut start, mut position) = (0, 0);
    for piece in head {
        match piece {
            Piece::Operator(_) => break,
            Piece::Text(words) => {
                if let Some(at) = words.rfind(' ') {
                    start = position + at + 1;
                }
            }
            Piece::Group(..) => {}
        }
        position += piece.length();
    }
    // `non-virtual thunk to A::f()` is no function `A::f()`.
    let front = &text[..start];
    let is_result = !front.trim_end().ends_with(" to") && !front.trim_end().ends_with(" for");
    if is_result { start } else { 0 }
}

/// A list of parameters, folded whole if it is long.
fn listed(text: &str) -> Option<String> {
    let list = folded(text)?;
    Some(if list.chars().count() > PARAMETERS { FOLD.to_owned() } else { list })
}

/// Types with their arguments folded.
fn folded(text: &str) -> Option<String> {
    let mut out = String::new();
    for piece in pieces(text)? {
        match piece {
            Piece::Text(text) | Piece::Operator(text) => out.push_str(text),
            // The type of which something is a part: `<Vec<u8> as Drop>::drop`.
            Piece::Group(b'<', inner) if is_type_start(&out, inner) => {
                out.push_str(&format!("<{}>", folded(inner)?));
            }
            Piece::Group(b'<', _) => out.push_str("<…>"),
            Piece::Group(opening, inner) => {
                out.push_str(&format!("{}{}{}", opening as char, folded(inner)?, closing(opening) as char));
            }
        }
    }
    Some(out)
}

/// Whether brackets after `before` hold the type of Rust that a path begins with, no arguments.
fn is_type_start(before: &str, inner: &str) -> bool {
    let last = before.trim_end().chars().next_back();
    inner.starts_with("impl ") || last.is_none_or(|last| matches!(last, '(' | '[' | ',' | '&' | '*'))
}

/// A name of Rust.
pub(super) fn rust(text: &str, detail: Detail) -> Option<String> {
    if detail == Detail::Plain {
        return Some(text.to_owned());
    }
    let mut out = String::new();
    for piece in pieces(text)? {
        match piece {
            Piece::Text(text) | Piece::Operator(text) => out.push_str(text),
            Piece::Group(b'<', inner) if detail >= Detail::Arguments || is_type_start(&out, inner) => {
                out.push_str(&format!("<{}>", folded(inner)?));
            }
            Piece::Group(b'<', _) => out.push_str("<…>"),
            Piece::Group(opening, inner) => {
                out.push_str(&format!("{}{inner}{}", opening as char, closing(opening) as char));
            }
        }
    }
    Some(out)
}
