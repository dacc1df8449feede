//! What of a name of C++ did nobody write?
//!
//! Arguments that the standard library's templates have by default, and scopes that only tell
//! versions of the library apart. An argument goes if it is, letter by letter, the default one for
//! those before it: a vector with an allocator of one's own keeps it. Strings and streams get the
//! names that everyone calls them by. Cost: linear in the text for each level of brackets.

use super::pieces::{Piece, closing, pieces};

/// A text of C++ without default arguments of the standard library, and without the scopes that
/// only distinguish versions of the library.
pub(super) fn plain(text: &str) -> Option<String> {
    let mut out = String::new();
    for piece in pieces(text)? {
        match piece {
            Piece::Text(text) | Piece::Operator(text) => {
                out.push_str(&text.replace("std::__cxx11::", "std::").replace("std::__1::", "std::"));
            }
            Piece::Group(b'<', inner) => {
                let arguments = separated(inner)?;
                let start = out.rfind(|letter: char| !is_of_name(letter)).map_or(0, |at| at + 1);
                let named = out[start..].strip_prefix("std::").map(|name| standard(name, &arguments));
                match named {
                    Some(Standard::Named(name)) => {
                        out.truncate(start);
                        out.push_str(name);
                    }
                    Some(Standard::Of(arguments)) => out.push_str(&format!("<{}>", arguments.join(", "))),
                    None => out.push_str(&format!("<{}>", arguments.join(", "))),
                }
            }
            Piece::Group(opening, inner) => {
                out.push_str(&format!("{}{}{}", opening as char, plain(inner)?, closing(opening) as char));
            }
        }
    }
    Some(out)
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | ':')
}

/// The arguments of a template, each plain.
fn separated(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let (mut position, mut start) = (0, 0);
    for piece in pieces(text)? {
        if let Piece::Text(words) = piece {
            for (at, _) in words.match_indices(',') {
                parts.push(&text[start..position + at]);
                start = position + at + 1;
            }
        }
        position += piece.length();
    }
    parts.push(&text[start..]);
    parts.into_iter().map(|part| plain(part.trim())).collect()
}

/// A template of the standard library with arguments.
enum Standard<'a> {
    /// One that has a name: `std::string`.
    Named(&'static str),
    /// Without those that are default ones.
    Of(&'a [String]),
}

fn standard<'a>(template: &str, arguments: &'a [String]) -> Standard<'a> {
    let defaults = defaults(template, arguments);
    let least = arguments.len().saturating_sub(defaults.len());
    let is_default = arguments[least..].iter().eq(defaults.iter());
    let rest = if is_default { &arguments[..least] } else { arguments };
    let name = match (template, rest) {
        ("basic_string", [letter]) if letter == "char" => "std::string",
        ("basic_string", [letter]) if letter == "wchar_t" => "std::wstring",
        ("basic_string_view", [letter]) if letter == "char" => "std::string_view",
        ("basic_ostream", [letter]) if letter == "char" => "std::ostream",
        ("basic_istream", [letter]) if letter == "char" => "std::istream",
        _ => return Standard::Of(rest),
    };
    Standard::Named(name)
}

/// The last arguments of a standard template, if nobody gave others.
fn defaults(template: &str, arguments: &[String]) -> Vec<String> {
    let (Some(first), second) = (arguments.first(), arguments.get(1)) else { return Vec::new() };
    let of = |names: &[&str], of: &str| names.iter().map(|name| format!("std::{name}<{of}>")).collect();
    let map = |names: &[&str]| -> Vec<String> {
        let Some(second) = second else { return Vec::new() };
        let pair = format!("std::allocator<std::pair<{first} const, {second}>>");
        let before: Vec<String> = of(names, first);
        before.into_iter().chain([pair]).collect()
    };
    match template {
        "vector" | "deque" | "list" | "forward_list" => of(&["allocator"], first),
        "set" | "multiset" => of(&["less", "allocator"], first),
        "unordered_set" | "unordered_multiset" => of(&["hash", "equal_to", "allocator"], first),
        "map" | "multimap" => map(&["less"]),
        "unordered_map" | "unordered_multimap" => map(&["hash", "equal_to"]),
        "basic_string" => of(&["char_traits", "allocator"], first),
        "basic_string_view" | "basic_ostream" | "basic_istream" | "basic_iostream" => {
            of(&["char_traits"], first)
        }
        "unique_ptr" => of(&["default_delete"], first),
        _ => Vec::new(),
    }
}
