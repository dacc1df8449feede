//! What is claimed of one integer? A set of words, as conditions one can read.
//!
//! All of the conditions hold at once: the word lies on an arc (from `first`
//! on, `span` further at most, around the end if need be), some bits are known,
//! it leaves a known rest, it is one of a few. Nothing is derived here from
//! anything: a claim is compared with words and written down for a solver.

use std::fmt;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A word of at most 128 bits; in JSON hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(with = "String")]
pub struct Word(pub u128);

impl Serialize for Word {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&format_args!("{:x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Word, D::Error> {
        let text = String::deserialize(from)?;
        // One way to write each word: no sign, no zeros before it.
        let number = u128::from_str_radix(&text, 16).map_err(serde::de::Error::custom)?;
        match format!("{number:x}") == text {
            true => Ok(Word(number)),
            false => Err(serde::de::Error::custom(format!("{number:x} is how that word is written"))),
        }
    }
}

/// The most words that a claim lists.
pub const MOST_WORDS: usize = 64;

/// A list of words that is given up when it is too long.
fn few_words<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Vec<Word>>, D::Error> {
    struct Few;
    impl<'de> serde::de::Visitor<'de> for Few {
        type Value = Option<Vec<Word>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "at most {MOST_WORDS} words")
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut words = Vec::new();
            while let Some(word) = list.next_element()? {
                if words.len() == MOST_WORDS {
                    let what = format!("a range lists more than {MOST_WORDS} words");
                    return Err(serde::de::Error::custom(what));
                }
                words.push(word);
            }
            Ok(Some(words))
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }
    from.deserialize_any(Few)
}

/// A set of words of so many bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RangeClaim {
    /// Bits of the type, 1 to 128.
    pub width: u32,
    /// Where the arc begins.
    pub first: Word,
    /// How far it goes.
    pub span: Word,
    /// Bits that are 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub zeros: Word,
    /// Bits that are 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ones: Word,
    /// Divided by this, if it is not 0, the word leaves `rest`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub modulus: Word,
    /// What it leaves.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rest: Word,
    /// The words, if they are few; none of them: no execution gets there.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "few_words")]
    pub set: Option<Vec<Word>>,
}

fn is_zero(word: &Word) -> bool {
    word.0 == 0
}

/// All bits of a type.
pub(crate) fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The word as a number with sign; `width` from 1 to 128.
pub(crate) fn signed(word: u128, width: u32) -> i128 {
    ((word << (128 - width)) as i128) >> (128 - width)
}

impl RangeClaim {
    /// Any word.
    pub fn anything(width: u32) -> RangeClaim {
        RangeClaim::arc(width, 0, mask(width))
    }

    /// An arc and nothing else.
    pub fn arc(width: u32, first: u128, span: u128) -> RangeClaim {
        let nothing = Word(0);
        RangeClaim {
            width,
            first: Word(first & mask(width)),
            span: Word(span & mask(width)),
            zeros: nothing,
            ones: nothing,
            modulus: nothing,
            rest: nothing,
            set: None,
        }
    }

    /// No word: no execution gets there.
    pub fn never(width: u32) -> RangeClaim {
        RangeClaim { set: Some(Vec::new()), ..RangeClaim::anything(width) }
    }

    /// Whether its numbers fit its width.
    pub fn is_well_formed(&self) -> bool {
        let all = mask(self.width);
        let words = [self.first, self.span, self.zeros, self.ones, self.modulus, self.rest];
        let set = self.set.iter().flatten();
        let is_short = self.set.as_ref().is_none_or(|set| set.len() <= MOST_WORDS);
        (1..=128).contains(&self.width) && is_short && words.iter().chain(set).all(|word| word.0 <= all)
    }

    /// Whether nothing is claimed.
    pub fn is_anything(&self) -> bool {
        self.is_arc_full() && self.zeros.0 | self.ones.0 == 0 && self.modulus.0 <= 1 && self.set.is_none()
    }

    pub(crate) fn is_arc_full(&self) -> bool {
        self.span.0 == mask(self.width)
    }

    /// Whether the word is one of them.
    pub fn contains(&self, word: u128) -> bool {
        let ahead = word.wrapping_sub(self.first.0) & mask(self.width);
        ahead <= self.span.0
            && word & self.zeros.0 == 0
            && word & self.ones.0 == self.ones.0
            && (self.modulus.0 <= 1 || word % self.modulus.0 == self.rest.0)
            && self.set.as_ref().is_none_or(|set| set.contains(&Word(word)))
    }

    /// The conditions on a term of a solver that is a vector of `width` bits.
    pub(crate) fn conditions(&self, term: &str) -> String {
        let constant = |word: Word| bits(self.width, word.0);
        let mut all = String::from("(and true");
        if let Some(set) = &self.set {
            all.push_str(" (or false");
            for &word in set {
                write!(all, " (= {term} {})", constant(word)).expect("writing to a string");
            }
            all.push(')');
        }
        if !self.is_arc_full() {
            let ahead = match self.first.0 {
                0 => term.to_owned(),
                _ => format!("(bvsub {term} {})", constant(self.first)),
            };
            write!(all, " (bvule {ahead} {})", constant(self.span)).expect("writing to a string");
        }
        let known = Word(self.zeros.0 | self.ones.0);
        if known.0 != 0 {
            let masked = format!("(bvand {term} {})", constant(known));
            write!(all, " (= {masked} {})", constant(self.ones)).expect("writing to a string");
        }
        if self.modulus.0 > 1 {
            let rest = format!("(bvurem {term} {})", constant(self.modulus));
            write!(all, " (= {rest} {})", constant(self.rest)).expect("writing to a string");
        }
        all.push(')');
        all
    }
}

/// A constant of so many bits as a solver reads it.
pub(crate) fn bits(width: u32, word: u128) -> String {
    format!("(_ bv{} {width})", word & mask(width))
}

impl fmt::Display for RangeClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(set) = &self.set {
            let words: Vec<String> = set.iter().map(|word| word.0.to_string()).collect();
            return match words.is_empty() {
                true => f.write_str("never"),
                false => write!(f, "{{{}}}", words.join(", ")),
            };
        }
        let last = self.first.0.wrapping_add(self.span.0) & mask(self.width);
        match self.is_arc_full() {
            true => write!(f, "any i{}", self.width)?,
            false => write!(f, "{}..{last} of i{}", self.first.0, self.width)?,
        }
        if self.zeros.0 | self.ones.0 != 0 {
            write!(f, ", zeros {:#x}, ones {:#x}", self.zeros.0, self.ones.0)?;
        }
        if self.modulus.0 > 1 {
            write!(f, ", rest {} of {}", self.rest.0, self.modulus.0)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{RangeClaim, Word};

    #[test]
    fn all_conditions_hold_at_once() {
        let arc = RangeClaim::arc(8, 250, 10);
        assert!(arc.contains(250) && arc.contains(255) && arc.contains(4) && !arc.contains(5));
        let even = RangeClaim { modulus: Word(2), rest: Word(0), ..arc.clone() };
        assert!(even.contains(252) && !even.contains(253));
        let low = RangeClaim { zeros: Word(0xf0), ..arc };
        assert!(low.contains(3) && !low.contains(251));
        assert!(RangeClaim::anything(8).is_anything() && !RangeClaim::never(8).contains(0));
    }

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        let claim =
            RangeClaim { ones: Word(1), set: Some(vec![Word(3), Word(255)]), ..RangeClaim::arc(8, 255, 4) };
        let text = serde_json::to_string(&claim).expect("plain data");
        assert_eq!(serde_json::from_str::<RangeClaim>(&text).expect("it is what was written"), claim);
        assert!(text.contains("\"ff\""), "{text}");
    }

    #[test]
    fn numbers_that_do_not_fit_the_type_are_found() {
        assert!(RangeClaim::arc(8, 3, 4).is_well_formed());
        assert!(!RangeClaim { first: Word(256), ..RangeClaim::anything(8) }.is_well_formed());
        assert!(!RangeClaim { width: 129, ..RangeClaim::anything(8) }.is_well_formed());
        assert!(!RangeClaim { set: Some(vec![Word(1); 65]), ..RangeClaim::anything(8) }.is_well_formed());
    }

    #[test]
    fn what_is_no_claim_is_not_read() {
        let read = |text: &str| serde_json::from_str::<RangeClaim>(text).is_ok();
        assert!(read(r#"{"width": 8, "first": "0", "span": "ff"}"#));
        for wrong in [
            r#"{"width": 8, "first": "0", "span": "ff", "spam": "1"}"#,
            r#"{"width": 8, "first": "0", "first": "0", "span": "ff"}"#,
            r#"{"width": 8, "first": "0"}"#,
            r#"{"width": 8, "first": "+0", "span": "ff"}"#,
            r#"{"width": 8, "first": "00", "span": "ff"}"#,
            r#"{"width": 8, "first": "FF", "span": "ff"}"#,
            r#"{"width": -8, "first": "0", "span": "ff"}"#,
            r#"{"width": 8.0, "first": "0", "span": "ff"}"#,
            r#"{"width": 8, "first": 0, "span": "ff"}"#,
        ] {
            assert!(!read(wrong), "{wrong}");
        }
        let many = |count: usize| {
            format!(
                r#"{{"width": 8, "first": "0", "span": "ff", "set": [{}]}}"#,
                vec!["\"1\""; count].join(",")
            )
        };
        assert!(read(&many(64)) && !read(&many(65)));
    }
}
