//! A small Rust program: text through the standard collections.
//!
//! Writes a made-up text, counts its words in a `HashMap` with a hasher of
//! its own (the standard one takes its seed from the system, and the count of
//! a run would differ from the next), ranks them through a `BTreeMap`, and
//! catches a panic now and then so that unwinding has its part.
//!
//!     words [WORDS]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic;

/// FNV-1a: the same on every run.
#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    fn finish(&self) -> u64 {
        self.0
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn write_text(words: u64) -> String {
    let mut random = Random(20_261_121);
    let mut text = String::new();
    for _ in 0..words {
        let bound = random.below(900) + 1;
        write!(text, "w{:x}{} ", random.below(bound), if random.below(9) == 0 { "." } else { "" })
            .expect("writing to a string succeeds");
    }
    text
}

fn parsed(word: &str) -> u64 {
    let digits = word.trim_start_matches('w').trim_end_matches('.');
    u64::from_str_radix(digits, 16).expect("every word is w and hexadecimal digits")
}

fn main() {
    let words = std::env::args().nth(1).map_or(2_400_000, |text| text.parse().expect("WORDS is a number"));
    let text = write_text(words);
    let mut seen: HashMap<&str, u64, BuildHasherDefault<Fnv>> = HashMap::default();
    for word in text.split_ascii_whitespace() {
        *seen.entry(word).or_default() += 1;
    }
    let mut ranking: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
    for (word, times) in &seen {
        ranking.entry(*times).or_default().push(word);
    }
    let sum: u64 = seen.iter().map(|(word, times)| parsed(word) * times).sum();
    panic::set_hook(Box::new(|_| ()));
    let refused =
        (0..200).filter(|n| panic::catch_unwind(|| parsed(if n % 4 == 0 { "wx" } else { "w1" })).is_err());
    let (refused, distinct) = (refused.count(), seen.len());
    let mut most: Vec<&str> = ranking.pop_last().map(|(_, words)| words).unwrap_or_default();
    most.sort_unstable();
    println!("{distinct} distinct, sum {sum}, most often {most:?}, {refused} refused");
}
