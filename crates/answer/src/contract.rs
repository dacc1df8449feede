//! `--assume 'f.stride=64'`: what callers promise of a parameter, as it is written.
//!
//! `FUNCTION.PORT=PIECE,…`, where a piece is a number or `LOW..HIGH` with both
//! ends in it; hexadecimal as `0x1f`. The last point before the sign of equality
//! divides function and port. Which function and port that are is asked later,
//! when there is a module.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

const GRAMMAR: &str = "write FUNCTION.PORT=NUMBER, FUNCTION.PORT=LOW..HIGH (both ends in it) or several with commas between \
                       them, such as 'f.stride=64' or 'f.n=0..99,128'";

/// A contract as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortContract {
    /// All of it.
    pub text: String,
    /// Name of the function.
    pub function: String,
    /// Name of the parameter.
    pub port: String,
    /// One of these holds.
    pub pieces: Vec<ContractPiece>,
}

/// Numbers from the one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ContractPiece {
    /// Whole ones.
    Integers(i128, i128),
    /// With a point or an exponent.
    Numbers(f64, f64),
}

/// Why a text is no contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    /// It has no function, no port or no numbers.
    #[error("it is no contract; {GRAMMAR}")]
    Form,
    /// A number is missing.
    #[error("a number is missing in '{0}'; {GRAMMAR}")]
    Missing(String),
    /// A part that should be a number is none.
    #[error("'{0}' is no number; {GRAMMAR}")]
    NoNumber(String),
    /// The lower end is above the higher one.
    #[error("no number is in {0}: write the lower end first")]
    Empty(String),
}

impl FromStr for PortContract {
    type Err = ContractError;

    fn from_str(text: &str) -> Result<PortContract, ContractError> {
        let wrong = || ContractError::Form;
        // The last one, but for that of `0..=9`: `operator==` is a function too.
        let is_sign = |&(at, _): &(usize, &str)| !text[..at].trim_end().ends_with("..");
        let (sign, _) = text.rmatch_indices('=').find(is_sign).ok_or_else(wrong)?;
        let (port, pieces) = (&text[..sign], &text[sign + 1..]);
        let (function, port) = port.rsplit_once('.').ok_or_else(wrong)?;
        let (function, port) = (function.trim(), port.trim());
        if function.is_empty() || port.is_empty() {
            return Err(wrong());
        }
        let pieces = pieces.split(',').map(|piece| ContractPiece::read(piece.trim()));
        Ok(PortContract {
            text: text.to_owned(),
            function: function.to_owned(),
            port: port.to_owned(),
            pieces: pieces.collect::<Result<_, _>>()?,
        })
    }
}

impl ContractPiece {
    fn read(text: &str) -> Result<ContractPiece, ContractError> {
        let (low, high) = match text.split_once("..") {
            Some((low, high)) => (low.trim(), high.strip_prefix('=').unwrap_or(high).trim()),
            None => (text, text),
        };
        let wrong = |part: &str| match part {
            "" => ContractError::Missing(text.to_owned()),
            part => ContractError::NoNumber(part.to_owned()),
        };
        let whole = integer(low).zip(integer(high));
        let piece = match whole {
            Some((low, high)) => ContractPiece::Integers(low, high),
            None => {
                let part = |part: &str| number(part).ok_or_else(|| wrong(part));
                ContractPiece::Numbers(part(low)?, part(high)?)
            }
        };
        let is_empty = match piece {
            ContractPiece::Integers(low, high) => low > high,
            ContractPiece::Numbers(low, high) => low > high,
        };
        if is_empty { Err(ContractError::Empty(text.to_owned())) } else { Ok(piece) }
    }
}

fn integer(text: &str) -> Option<i128> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
    let digits = digits.replace('_', "");
    let is_digit = |letter: char| letter.is_ascii_hexdigit();
    let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) if hex.starts_with(is_digit) => i128::from_str_radix(hex, 16).ok()?,
        Some(_) => return None,
        None if digits.starts_with(is_digit) => digits.parse().ok()?,
        None => return None,
    };
    Some(sign * magnitude)
}

/// Finite, of digits: no `nan`, no `inf`.
fn number(text: &str) -> Option<f64> {
    let has_digit = text.contains(|letter: char| letter.is_ascii_digit());
    text.parse().ok().filter(|number: &f64| number.is_finite() && has_digit)
}

#[cfg(test)]
mod tests {
    use super::{ContractError, ContractPiece, PortContract};

    fn read(text: &str) -> Result<PortContract, ContractError> {
        text.parse()
    }

    #[test]
    fn a_contract_names_a_port_and_its_numbers() {
        let contract = read("ns::f(int, char).llvm.2.n = -3..0x1f, 64").expect("it is one");
        assert_eq!((&*contract.function, &*contract.port), ("ns::f(int, char).llvm.2", "n"));
        assert_eq!(contract.pieces, [ContractPiece::Integers(-3, 31), ContractPiece::Integers(64, 64)]);
        assert_eq!(read("f.x=-0.5..2e3").unwrap().pieces, [ContractPiece::Numbers(-0.5, 2000.0)]);
        assert_eq!(read("f.n=0..=9").unwrap().pieces, read("f.n=0..9").unwrap().pieces);
    }

    #[test]
    fn what_is_none_says_how_one_is_written() {
        for (text, words) in [
            ("f.n", "it is no contract"),
            ("n=4", "it is no contract"),
            (".n=4", "it is no contract"),
            ("f.=4", "it is no contract"),
            ("f.n=", "a number is missing"),
            ("f.n=3..", "a number is missing in '3..'"),
            ("f.n=ten", "'ten' is no number"),
            ("f.n=1,,2", "a number is missing"),
            ("f.n=nan", "'nan' is no number"),
            ("f.n=0x", "'0x' is no number"),
            ("f.n=--4", "'--4' is no number"),
            ("f.n=9..0", "no number is in 9..0"),
            ("f.n=1e999", "'1e999' is no number"),
        ] {
            let told = read(text).expect_err(text).to_string();
            assert!(told.contains(words), "{text}: {told}");
        }
    }
}
