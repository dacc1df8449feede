//! What marks in programs say of the width of values.
//!
//! A mark is a comment at the end of a line of C, `/* bits: q 18 */`: after
//! this line (before it, where it is a `return`) the lvalue `q` needs 18 bits,
//! over all executions and whatever comes in by the ports. The width of a set of
//! numbers is the smaller of what its largest needs without a sign and of what
//! all of them need in two's complement; zero alone needs none. `shown 7` says
//! how many bits the program's own runs show, where that is fewer; `closed` that
//! the claim holds for the whole program only. `corpus/bits/README.md` says the
//! same to those who write marks.
//!
//! In: the text of a source. Out: its marks, or the line that cannot be read.

use std::collections::BTreeMap;

use thiserror::Error;

/// The marks of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WidthMark {
    /// From 1.
    pub line: usize,
    /// What is said of one or more values.
    pub claims: Vec<WidthClaim>,
}

/// How wide a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WidthClaim {
    /// An lvalue of C without blanks.
    pub name: String,
    /// The bits that the facts of the file give: more are weak.
    pub bits: u32,
    /// The bits that the program's own runs show: fewer are wrong.
    pub shown: u32,
    /// Whether this is so in the whole program only.
    pub is_closed: bool,
}

/// The bits that numbers need of which these are all bits, joined by or: as they
/// are, and with the negative ones turned over.
#[must_use]
pub fn width_of_joined(plain: u64, folded: u64) -> u32 {
    let active = |bits: u64| u64::BITS - bits.leading_zeros();
    active(plain).min(active(folded) + 1)
}

/// A line whose mark cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct WidthError {
    /// From 1.
    pub line: usize,
    /// Why not.
    pub reason: WidthClaimError,
}

/// Why what a mark says of a width cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WidthClaimError {
    /// Something follows the mark, or it has no end.
    #[error("a mark ends its line")]
    NotAtEnd,
    /// Two claims of one value for one world.
    #[error("{0} stands twice")]
    Twice(String),
    /// Nothing before a `;`.
    #[error("a claim without a name")]
    NoName,
    /// No number of bits follows a name.
    #[error("{0} wants a number of bits up to 64")]
    NoBits(String),
    /// A word that is none of a mark.
    #[error("`{0}` means nothing in a mark")]
    UnknownWord(String),
    /// The runs show more bits than there are.
    #[error("{name} cannot show {shown} bits if it needs {bits}")]
    ShowsMore {
        /// The value.
        name: String,
        /// What it shows.
        shown: u32,
        /// What it needs.
        bits: u32,
    },
}

/// The marks of a source in C.
///
/// # Errors
/// A line whose mark cannot be read.
pub fn read_widths(text: &str) -> Result<Vec<WidthMark>, WidthError> {
    let mut marks = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let Some((_, rest)) = content.split_once("/* bits:") else { continue };
        let claims = match rest.split_once("*/") {
            Some((words, behind)) if behind.trim().is_empty() => words.split(';').map(claim).collect(),
            _ => Err(WidthClaimError::NotAtEnd),
        };
        let claims: Vec<WidthClaim> = claims.map_err(|reason| WidthError { line, reason })?;
        let mut seen = BTreeMap::new();
        for one in &claims {
            if seen.insert((&one.name, one.is_closed), ()).is_some() {
                return Err(WidthError { line, reason: WidthClaimError::Twice(one.name.clone()) });
            }
        }
        marks.push(WidthMark { line, claims });
    }
    Ok(marks)
}

fn claim(words: &str) -> Result<WidthClaim, WidthClaimError> {
    let mut words = words.split_whitespace();
    let name = words.next().ok_or(WidthClaimError::NoName)?.to_owned();
    let number = |word: Option<&str>| {
        let bits = word.and_then(|word| word.parse().ok()).filter(|bits| *bits <= u64::BITS);
        bits.ok_or_else(|| WidthClaimError::NoBits(name.clone()))
    };
    let bits = number(words.next())?;
    let (mut shown, mut is_closed) = (bits, false);
    while let Some(word) = words.next() {
        match word {
            "shown" => shown = number(words.next())?,
            "closed" => is_closed = true,
            other => return Err(WidthClaimError::UnknownWord(other.to_owned())),
        }
    }
    if shown > bits {
        return Err(WidthClaimError::ShowsMore { name, shown, bits });
    }
    Ok(WidthClaim { name, bits, shown, is_closed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read() {
        let text = "int f(void) {\n  q += s; /* bits: q 18 */\n  x = y; /* bits: x 32 shown 8; a[i] 7 closed */\n}\n";
        let marks = read_widths(text).unwrap();
        let lines: Vec<usize> = marks.iter().map(|mark| mark.line).collect();
        assert_eq!(lines, [2, 3]);
        assert_eq!(
            marks[0].claims,
            [WidthClaim { name: "q".to_owned(), bits: 18, shown: 18, is_closed: false }]
        );
        let (first, second) = (&marks[1].claims[0], &marks[1].claims[1]);
        assert_eq!((first.bits, first.shown, first.is_closed), (32, 8, false));
        assert_eq!((&*second.name, second.bits, second.is_closed), ("a[i]", 7, true));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let trouble = |mark: &str| read_widths(mark).unwrap_err().to_string();
        assert_eq!(trouble("/* bits: q */"), "line 1: q wants a number of bits up to 64");
        assert_eq!(trouble("\n/* bits: q 65 */"), "line 2: q wants a number of bits up to 64");
        assert_eq!(trouble("/* bits: q 6 shown 7 */"), "line 1: q cannot show 7 bits if it needs 6");
        assert_eq!(trouble("/* bits: q 6 often */"), "line 1: `often` means nothing in a mark");
        assert_eq!(trouble("/* bits: q 6; q 7 */"), "line 1: q stands twice");
        assert_eq!(trouble("/* bits: q 6 */ q = 7;"), "line 1: a mark ends its line");
        assert_eq!(trouble("/* bits: */"), "line 1: a claim without a name");
    }

    #[test]
    fn widths_are_the_smaller_of_two() {
        let joined = |numbers: &[i64]| {
            let plain = numbers.iter().fold(0, |all, number| all | number.cast_unsigned());
            let folded =
                numbers.iter().fold(0, |all, number| all | (number ^ (number >> 63)).cast_unsigned());
            width_of_joined(plain, folded)
        };
        assert_eq!((joined(&[0]), joined(&[-1]), joined(&[1])), (0, 1, 1));
        assert_eq!((joined(&[0, 255]), joined(&[-1, 255]), joined(&[-128, 127])), (8, 9, 8));
        assert_eq!((joined(&[i64::MIN, 0]), joined(&[-5, 3])), (64, 4));
    }
}
