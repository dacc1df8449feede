//! Are these two the same? A 128-bit FNV-1a hash.
//!
//! FNV-1a is eight lines, has no seed and no version, and its constants are
//! fixed by its authors (Fowler, Noll, Vo), so a hash written today compares
//! equal in ten years. It is not meant to withstand an adversary: it tells
//! builds apart, it does not authenticate them. Cost: one 128-bit multiply
//! per 8 bytes hashed.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A finished hash; prints as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hash128(pub u128);

impl fmt::Display for Hash128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Hash128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A hash being computed.
#[derive(Clone, Debug)]
pub struct Hasher128 {
    state: u128,
}

impl Hasher128 {
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    /// Nothing hashed yet.
    pub fn new() -> Self {
        Self { state: Self::OFFSET }
    }

    /// Mixes in one number, as one step.
    pub fn number(&mut self, value: u64) -> &mut Self {
        self.state = (self.state ^ u128::from(value)).wrapping_mul(Self::PRIME);
        // FNV spreads upwards only; fold the top half back so that single
        // steps of 64 bits reach the low bits too.
        self.state ^= self.state >> 67;
        self
    }

    /// Mixes in bytes and their number.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.number(u64::from_le_bytes(word));
        }
        self
    }

    /// Mixes in a text and its length.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// The hash of all that was mixed in.
    pub fn finish(&self) -> Hash128 {
        Hash128(self.state)
    }
}

impl Default for Hasher128 {
    fn default() -> Self {
        Self::new()
    }
}

/// The hash of a line's text without blanks at its ends, so that another indentation is no other
/// text. Two texts have one hash once in four billion times.
pub fn text_hash(line: &[u8]) -> u32 {
    let Hash128(hash) = Hasher128::new().bytes(line.trim_ascii()).finish();
    let folded = (hash >> 64) as u64 ^ hash as u64;
    (folded >> 32) as u32 ^ folded as u32
}

#[cfg(test)]
mod tests {
    use super::{Hasher128, text_hash};

    #[test]
    fn a_line_is_what_is_written_on_it() {
        assert_eq!(text_hash(b"  x++;\t"), text_hash(b"x++;\r"));
        assert_ne!(text_hash(b"x++;"), text_hash(b"x--;"));
        assert_ne!(text_hash(b"x  ++;"), text_hash(b"x++;"));
        assert_eq!(text_hash(b""), text_hash(b" \r"));
        // No two of many short lines are taken for one.
        let all: std::collections::BTreeSet<u32> =
            (0..20_000).map(|n| text_hash(format!("a{n} = b;").as_bytes())).collect();
        assert_eq!(all.len(), 20_000);
    }

    #[test]
    fn order_and_length_matter() {
        let hash = |parts: &[&str]| {
            let mut hasher = Hasher128::new();
            for part in parts {
                hasher.text(part);
            }
            hasher.finish()
        };
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_ne!(hash(&["a", "b"]), hash(&["b", "a"]));
        assert_ne!(hash(&[""]), hash(&[]));
        assert_eq!(hash(&["same"]), hash(&["same"]));
        assert_eq!(hash(&["x"]).to_string().len(), 32);
    }
}
