//! What do the signs in formulas mean that no source has?
//!
//! A formula may name a value by its number in the IR text, `%196`, when the source has no
//! name for it, or say that one of several is meant, `0||{Δ#1+1}`. Whoever prints formulas
//! hands each to a [`Legend`] and prints below what it then explains. Only formulas are
//! handed over: in a line of C, `||` is another thing. Limit: a condition of a formula has
//! blanks around its `||`, by which the two are told from each other.

use crate::kit::style::{DIM, STRONG, paint, wrapped};

/// Cells of the column of signs.
const SIGN: usize = 7;

/// The signs that occurred.
#[derive(Clone, Copy, Debug, Default)]
pub struct Legend {
    has_number: bool,
    has_either: bool,
    has_before: bool,
}

impl Legend {
    /// Looks at a formula that is printed.
    pub fn read(&mut self, formula: &str) {
        let after = |at: usize| formula[at + 1..].starts_with(|letter: char| letter.is_ascii_digit());
        self.has_number |= formula.match_indices('%').any(|(at, _)| after(at));
        self.has_either |= formula.match_indices("||").any(|(at, _)| !formula[..at].ends_with(' '));
        self.has_before |= formula.contains('Δ');
    }

    /// What occurred, explained below a title; empty if nothing did.
    pub fn text(&self, width: usize) -> String {
        match self.lines(width).as_slice() {
            [] => String::new(),
            lines => format!("\n{}\n{}\n", paint(STRONG, "signs"), paint(DIM, lines.join("\n"))),
        }
    }

    /// What occurred, explained in lines of so many cells; none if nothing did.
    fn lines(&self, width: usize) -> Vec<String> {
        let signs = [
            (
                self.has_number,
                "%N",
                "a value or block without a name in the source, by its number in the IR text",
            ),
            (self.has_either, "A||B", "one of both: which one, the way of the execution decides"),
            (
                self.has_before,
                "Δ#1",
                "the same value one iteration before: 0||{Δ#1+1} is 0 first, then always one more; Δ#2 is \
                 that of the alternatives around these",
            ),
        ];
        let mut lines = Vec::new();
        for (_, sign, words) in signs.into_iter().filter(|(occurs, ..)| *occurs) {
            let mut column = sign;
            for line in wrapped(words, width.saturating_sub(SIGN + 2)) {
                let spaces = " ".repeat(SIGN - column.chars().count());
                lines.push(format!("  {column}{spaces}{line}"));
                column = "";
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::Legend;

    #[test]
    fn signs_are_explained_where_they_occur_and_nowhere_else() {
        let of = |formula: &str| {
            let mut legend = Legend::default();
            legend.read(formula);
            legend.lines(60)
        };
        for formula in ["n", "a % b", "%name", "i < n || j > 2", "100 %", ""] {
            assert!(of(formula).is_empty(), "{formula}");
        }
        assert!(of("max(1, %196)")[0].starts_with("  %N     a value"));
        assert!(of("argv[1]||argc")[0].starts_with("  A||B   one of both"));
        let both = of("0||{Δ#1+1}");
        assert!(both.iter().any(|line| line.starts_with("  Δ#1    the same value")), "{both:?}");
        assert!(both.iter().all(|line| line.chars().count() <= 60), "{both:?}");
    }
}
