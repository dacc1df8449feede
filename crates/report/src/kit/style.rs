//! How does text fit a terminal, and what colour has it?
//!
//! Printers style freely; whoever writes the text strips the styles where
//! they do not belong (anstream: no terminal, `NO_COLOR`, `TERM=dumb`), see
//! `save.rs`. Widths are those of a terminal's cells (unicode-width), and
//! control characters never pass: source code must not drive the terminal.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use opcost_answer::names::are_names_full;
use opcost_answer::terminal;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What a line is about: a name, a title, the number that counts.
pub const STRONG: Style = Style::new().bold();
/// What is needed less: places, heads of tables, hints.
pub const DIM: Style = Style::new().dimmed();
/// What is wrong, refused or over a limit.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// What is well: within a limit, finished, less work than before.
pub const GOOD: Style = AnsiColor::Green.on_default();
const HOT: Style = AnsiColor::Red.on_default();
/// What is between good and bad: only bounded, or a share that is neither hot nor cool.
pub const WARM: Style = AnsiColor::Yellow.on_default();
const COOL: Style = AnsiColor::Blue.on_default();

/// Width where none is known.
const DEFAULT_WIDTH: usize = 100;
const LEAST_WIDTH: usize = 50;
const GREATEST_WIDTH: usize = 160;

/// Cells in a line of the terminal that stderr or stdout is: `COLUMNS`, then
/// the terminal itself.
pub fn screen_width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let size = || {
        let size = terminal_size::terminal_size_of(std::io::stderr())
            .or_else(|| terminal_size::terminal_size_of(std::io::stdout()));
        size.map(|(width, _)| usize::from(width.0))
    };
    told.or_else(size).unwrap_or(DEFAULT_WIDTH).clamp(LEAST_WIDTH, GREATEST_WIDTH)
}

/// A text in a style.
pub fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The colour of a share of a whole.
pub fn heat(share: f64) -> Style {
    match share {
        _ if share >= 0.10 => HOT,
        _ if share >= 0.01 => WARM,
        _ => COOL,
    }
}

/// Cells that a text takes.
pub fn width_of(text: &str) -> usize {
    text.width()
}

/// The text and as many spaces as it needs to take `width` cells.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(width_of(text))))
}

/// A line of source as a terminal may see it: tabs as spaces, control
/// characters as dots.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    for letter in text.trim_end().chars() {
        if letter == '\t' {
            let spaces = 4 - column % 4;
            out.extend(std::iter::repeat_n(' ', spaces));
            column += spaces;
        } else {
            let letter = if terminal::is_safe(letter) { letter } else { '·' };
            column += letter.width().unwrap_or(0);
            out.push(letter);
        }
    }
    out
}

/// A text cut at its end to fit.
pub fn cut(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    format!("{}…", head(text, width.saturating_sub(1)))
}

/// A name cut in its middle to fit: both ends say more than the middle.
pub fn cut_middle(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let start = head(text, width * 2 / 3);
    let end = tail(text, width.saturating_sub(width_of(start) + 1));
    format!("{start}…{end}")
}

/// The name of a function, cut to fit unless names are to be shown whole.
pub fn cut_name(text: &str, width: usize) -> String {
    if are_names_full() { text.to_owned() } else { cut_middle(text, width) }
}

/// Words in lines of so many cells; a word that is wider is cut.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = cut(word, width);
        match lines.last_mut() {
            Some(line) if width_of(line) + 1 + width_of(&word) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// A path cut at its start to fit: its end says most.
pub fn cut_start(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    format!("…{}", tail(text, width.saturating_sub(1)))
}

/// The longest start of a text that fits.
fn head(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().map_while(|(at, letter)| {
        used += letter.width().unwrap_or(0);
        (used <= width).then_some(at + letter.len_utf8())
    });
    &text[..end.last().unwrap_or(0)]
}

/// The longest end of a text that fits.
fn tail(text: &str, width: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().map_while(|(at, letter)| {
        used += letter.width().unwrap_or(0);
        (used <= width).then_some(at)
    });
    &text[start.last().unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::{cut, cut_middle, cut_start, padded, printable, width_of};

    #[test]
    fn what_is_cut_fits() {
        assert_eq!(cut("for (auto m : moves)", 8), "for (au…");
        assert_eq!(cut("short", 8), "short");
        assert_eq!(cut_middle("std::vector<Move>::push_back", 12), "std::vec…ack");
        assert_eq!(cut_start("/usr/include/c++/12/vector:77", 10), "…vector:77");
        for width in 0..12 {
            for text in ["日本語のソース", "e\u{301}e\u{301}e\u{301}", "plain ascii"] {
                assert!(width_of(&cut_middle(text, width)) <= width.max(1), "{text} in {width}");
                assert!(width_of(&cut(text, width)) <= width.max(1), "{text} in {width}");
            }
        }
    }

    #[test]
    fn source_cannot_drive_the_terminal() {
        assert_eq!(printable("\tx = \"\x1b[2J\";\r\n"), "    x = \"·[2J\";");
        assert_eq!(printable("a\u{202e}b"), "a·b");
        assert_eq!(padded("日本", 6), "日本  ");
    }
}
