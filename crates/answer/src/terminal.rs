//! What may a terminal see of a text that somebody else wrote?
//!
//! Names of files and functions, lines of source and the words of compilers come from input.
//! A control character among them could move the cursor, change the title, or hide a line.
//! So nothing that opcost prints holds one: it is written as Rust writes it, `\u{1b}`.
//! Characters that turn the direction of writing are treated alike.
//!
//! Input: any text. Output: the same text, borrowed where nothing had to change.
//! Limit: styles (`ESC [ … m`, ECMA-48 8.3.117) stay where the caller says that the text has some.
//! They change how a text looks and nothing else. Cost: one pass.

use std::borrow::Cow;

/// Whether the text itself may hold styles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Styles {
    /// It has none of ours: a style in it is input, too.
    Foreign,
    /// It is a report of ours or the words of a compiler, which have styles.
    Ours,
}

/// The text with each control character written out. Line ends and tabs stay.
pub fn harmless(text: &str, styles: Styles) -> Cow<'_, str> {
    if text.chars().all(|letter| letter == '\n' || letter == '\t' || is_safe(letter)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        match (letter, styles) {
            ('\x1b', Styles::Ours) if let Some(style) = style_at(rest) => {
                out.push_str(style);
                length = style.len();
            }
            ('\r', _) if rest.starts_with("\r\n") => {}
            ('\n' | '\t', _) => out.push(letter),
            _ if is_safe(letter) => out.push(letter),
            _ => out.extend(letter.escape_unicode()),
        }
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

/// A text of somebody else as a part of one line: line ends, tabs and styles are written out, too.
/// Otherwise a name with a line end in it could print a line that looks like one of ours.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_safe) {
        return Cow::Borrowed(text);
    }
    let written = |letter: char| match is_safe(letter) {
        true => letter.to_string(),
        false => letter.escape_unicode().to_string(),
    };
    Cow::Owned(text.chars().map(written).collect())
}

/// Neither a control character nor one that changes the direction of writing or ends a line.
pub fn is_safe(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The style that a text begins with: `ESC [ 1 ; 31 m`.
fn style_at(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("\x1b[")?;
    let length = inside.find(|letter: char| !letter.is_ascii_digit() && letter != ';')?;
    inside[length..].starts_with('m').then(|| &text[..2 + length + 1])
}

/// Writes a line to stderr, as `eprintln!` does, without control characters of input.
#[macro_export]
macro_rules! tell {
    ($($words:tt)*) => {
        eprintln!("{}", $crate::terminal::harmless(&format!($($words)*), $crate::terminal::Styles::Foreign))
    };
}

#[cfg(test)]
mod tests {
    use super::{Styles, harmless, one_line};

    #[test]
    fn a_part_of_a_line_ends_no_line_and_has_no_style() {
        assert_eq!(one_line("a\nholds: \t\x1b[8mb"), r"a\u{a}holds: \u{9}\u{1b}[8mb");
        assert_eq!(one_line("a\u{2028}b\u{200f}c\u{85}"), r"a\u{2028}b\u{200f}c\u{85}");
        assert_eq!(one_line("plain ünd säfe"), "plain ünd säfe");
    }

    #[test]
    fn what_moves_a_terminal_is_written_out() {
        let title = "a\x1b]0;pwned\x07b";
        for styles in [Styles::Foreign, Styles::Ours] {
            assert_eq!(harmless(title, styles), r"a\u{1b}]0;pwned\u{7}b");
            assert_eq!(harmless("\x1b[2J\x1b[1;1H", styles), r"\u{1b}[2J\u{1b}[1;1H");
            assert_eq!(harmless("one\r\ntwo\rthree\n\t", styles), "one\ntwo\\u{d}three\n\t");
            assert_eq!(harmless("\u{9b}31m \u{202e}txt.exe", styles), r"\u{9b}31m \u{202e}txt.exe");
            assert_eq!(harmless("plain ünd säfe", styles), "plain ünd säfe");
            assert_eq!(harmless("\x1b", styles), r"\u{1b}");
            assert_eq!(harmless("\x1b[3", styles), r"\u{1b}[3");
        }
    }

    #[test]
    fn styles_stay_where_they_are_ours() {
        let red = "\x1b[1;31mred\x1b[0m";
        assert_eq!(harmless(red, Styles::Ours), red);
        assert_eq!(harmless(red, Styles::Foreign), r"\u{1b}[1;31mred\u{1b}[0m");
    }
}
