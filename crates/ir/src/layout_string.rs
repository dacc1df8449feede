//! What does a data layout string say? Sizes and alignments by width.
//!
//! The string is LLVM's: specifications with `-` between, each a letter and
//! numbers in bits: `p270:32:32` pointers, `i64:64` integers, `f80:128` floats,
//! `v128:128` vectors, `a:0:64` aggregates. What it does not say has LLVM's
//! default. What does not read is passed over: LLVM has refused such a module.
//! Source: LLVM's language reference, "Data Layout". Cost: linear.

use std::collections::BTreeMap;

/// Size and alignment of pointers to one address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointerSpecification {
    /// Bits of a pointer.
    pub(crate) bits: u32,
    /// Its alignment in bytes.
    pub(crate) alignment: u64,
    /// Bits of an offset that is added to it.
    pub(crate) index_bits: u32,
}

/// A data layout string, read. Alignments are those of the binary interface, in
/// bytes, by width in bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Specifications {
    pub(crate) pointers: BTreeMap<u32, PointerSpecification>,
    pub(crate) integers: BTreeMap<u64, u64>,
    pub(crate) floats: BTreeMap<u64, u64>,
    pub(crate) vectors: BTreeMap<u64, u64>,
    pub(crate) aggregate: u64,
}

impl Default for Specifications {
    fn default() -> Self {
        let pointer = PointerSpecification { bits: 64, alignment: 8, index_bits: 64 };
        Self {
            pointers: BTreeMap::from([(0, pointer)]),
            integers: BTreeMap::from([(1, 1), (8, 1), (16, 2), (32, 4), (64, 4)]),
            floats: BTreeMap::from([(16, 2), (32, 4), (64, 8), (128, 16)]),
            vectors: BTreeMap::from([(64, 8), (128, 16)]),
            aggregate: 1,
        }
    }
}

impl Specifications {
    pub(crate) fn read(text: &str) -> Self {
        let mut all = Self::default();
        for specification in text.split('-') {
            // What does not read is passed over.
            let _ = all.one(specification);
        }
        all
    }

    /// One specification; `None` if it says nothing of sizes.
    fn one(&mut self, text: &str) -> Option<()> {
        let mut parts = text.split(':');
        let head = parts.next()?;
        let kind = head.chars().next()?;
        let width = &head[kind.len_utf8()..];
        let numbers: Vec<u64> = parts.map_while(|part| part.parse().ok()).collect();
        match kind {
            'p' => return self.pointer(width, &numbers),
            'a' => self.aggregate = alignment(*numbers.first()?)?,
            'i' | 'f' | 'v' => {
                let table = match kind {
                    'i' => &mut self.integers,
                    'f' => &mut self.floats,
                    _ => &mut self.vectors,
                };
                table.insert(width.parse().ok()?, alignment(*numbers.first()?)?);
            }
            _ => return None,
        }
        Some(())
    }

    /// `p` and letters, the number of an address space and its name.
    fn pointer(&mut self, head: &str, numbers: &[u64]) -> Option<()> {
        let head = head.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let digits = head.split('(').next().unwrap_or("");
        let space = if digits.is_empty() { 0 } else { digits.parse().ok()? };
        let (&[bits, abi], rest) = numbers.split_first_chunk()?;
        let bits = u32::try_from(bits).ok()?;
        // Behind the alignment that is preferred stand the bits of an offset.
        let index_bits = rest.get(1).map_or(Some(bits), |&bits| u32::try_from(bits).ok())?;
        self.pointers.insert(space, PointerSpecification { bits, alignment: alignment(abi)?, index_bits });
        Some(())
    }

    /// That of a space that is not named is that of space 0.
    pub(crate) fn pointer_to(&self, space: u32) -> PointerSpecification {
        self.pointers.get(&space).copied().unwrap_or(self.pointers[&0])
    }

    /// That of the next width that is named, else of the last one.
    pub(crate) fn integer_alignment(&self, bits: u64) -> u64 {
        let next = self.integers.range(bits..).next();
        next.or(self.integers.last_key_value()).map_or(1, |(_, &alignment)| alignment)
    }
}

/// Bits to bytes; 0 means one byte.
fn alignment(bits: u64) -> Option<u64> {
    let bytes = (bits / 8).max(1);
    (bits.is_multiple_of(8) && bytes.is_power_of_two()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{PointerSpecification, Specifications};

    #[test]
    fn what_is_said_takes_the_place_of_defaults() {
        let read = Specifications::read("e-m:e-p270:32:32-p:32:32-i64:64-i128:128-f80:128-n8:16-S128-ni:1");
        assert_eq!(read.integers[&64], 8);
        assert_eq!(read.floats[&80], 16);
        assert_eq!((read.integer_alignment(33), read.integer_alignment(65)), (8, 16));
        assert_eq!((read.integer_alignment(129), read.integer_alignment(3)), (16, 1));
        let narrow = PointerSpecification { bits: 32, alignment: 4, index_bits: 32 };
        assert_eq!((read.pointer_to(0), read.pointer_to(270), read.pointer_to(9)), (narrow, narrow, narrow));
    }

    #[test]
    fn offsets_may_be_narrower_than_pointers() {
        let read = Specifications::read("pe200(far):128:128:128:64-p7:160:256:256:32-a:8:16-p8:x");
        let wide = PointerSpecification { bits: 128, alignment: 16, index_bits: 64 };
        assert_eq!(read.pointer_to(200), wide);
        assert_eq!(read.pointer_to(7), PointerSpecification { bits: 160, alignment: 32, index_bits: 32 });
        assert_eq!(read.pointer_to(8), Specifications::default().pointer_to(0));
        assert_eq!(read.aggregate, 1);
    }
}
