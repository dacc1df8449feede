//! Does the reader see what is there, and survive what is not?

use proptest::prelude::*;

use super::layout::{self, HEADER_BYTES, RawField, RawSection};
use super::{EndState, Error, LeftFrame, RawFile, RawPart};

const CELLS: u64 = 4;
const MODULES: u64 = HEADER_BYTES + 2 * 16;
const BASELINE: u64 = MODULES + 32;
const COUNTERS: u64 = BASELINE + CELLS * 8;
const SLABS: u64 = COUNTERS + CELLS * 8;

fn put(bytes: &mut [u8], offset: u64, value: u64) {
    bytes[offset as usize..][..8].copy_from_slice(&value.to_le_bytes());
}

fn set(bytes: &mut [u8], field: RawField, value: u64) {
    let length = if field.kind == RawSection::U32 { 4 } else { 8 };
    bytes[field.offset..field.offset + length].copy_from_slice(&value.to_le_bytes()[..length]);
}

/// A child of fork with one module of three cells and two threads' slabs.
fn valid() -> Vec<u8> {
    let mut bytes = vec![0; (SLABS + 2 * CELLS * 8) as usize];
    bytes[..8].copy_from_slice(&layout::MAGIC);
    let fields = [
        (layout::VERSION_FIELD, 1),
        (layout::END_STATE, 1),
        (layout::COUNTERS_OFFSET, COUNTERS),
        (layout::COUNTERS_BYTES, CELLS * 8),
        (layout::MODULES_OFFSET, MODULES),
        (layout::MODULES_COUNT, 1),
        (layout::BASELINE_OFFSET, BASELINE),
        (layout::LEFT_OFFSET, HEADER_BYTES),
        (layout::LEFT_CAPACITY, 2),
        (layout::SLABS_OFFSET, SLABS),
        (layout::SLAB_STRIDE, CELLS * 8),
        (layout::SLABS_COUNT, 2),
    ];
    for (field, value) in fields {
        set(&mut bytes, field, value);
    }
    for (at, word) in [(HEADER_BYTES, 0x1234), (HEADER_BYTES + 8, -2_i64 as u64), (MODULES + 16, 8)] {
        put(&mut bytes, at, word);
    }
    put(&mut bytes, MODULES + 24, 3);
    for (at, word) in [(BASELINE + 8, 100), (COUNTERS + 8, 105), (SLABS + 8, 20), (SLABS + 40, 300)] {
        put(&mut bytes, at, word);
    }
    bytes
}

#[test]
fn counts_are_final_less_baseline_plus_slabs() {
    let file = RawFile::parse(&valid()).expect("it is valid");
    assert_eq!(file.modules[0].counts, [325, 0, 0]);
    assert_eq!(file.left, [LeftFrame { pc: 0x1234, count: -2 }]);
    assert_eq!((file.end, file.is_forked, file.slab_count), (EndState::Exit, true, 2));
}

#[test]
fn what_is_wrong_is_said_by_name() {
    let with = |field, value| {
        let mut bytes = valid();
        set(&mut bytes, field, value);
        RawFile::parse(&bytes).expect_err("it is wrong")
    };
    assert_eq!(RawFile::parse(b"ELF"), Err(Error::NotOpcraw));
    assert_eq!(RawFile::parse(&[]), Err(Error::NotBegun));
    assert_eq!(RawFile::parse(&[0; 4096]), Err(Error::NotBegun));
    assert_eq!(with(layout::VERSION_FIELD, 2), Error::OtherVersion { actual: 2 });
    let cut = RawFile::parse(&valid()[..valid().len() - 1]).expect_err("it is cut");
    assert!(matches!(cut, Error::Truncated { part: RawPart::Slabs, .. }));
    assert!(matches!(with(layout::END_STATE, 9), Error::Inconsistent { part: RawPart::Header, .. }));
    assert!(matches!(with(layout::SLAB_STRIDE, 8), Error::Inconsistent { part: RawPart::Slabs, .. }));
    assert!(matches!(with(layout::COUNTERS_BYTES, 8), Error::Inconsistent { part: RawPart::Modules, .. }));
    assert!(matches!(with(layout::LEFT_CAPACITY, u64::MAX), Error::Inconsistent { .. }));
}

#[test]
fn no_sum_wraps() {
    let mut bytes = valid();
    put(&mut bytes, BASELINE + 8, 106);
    assert_eq!(RawFile::parse(&bytes), Err(Error::Wrapped { cell: 1 }));
    let mut bytes = valid();
    put(&mut bytes, SLABS + 8, u64::MAX);
    assert_eq!(RawFile::parse(&bytes), Err(Error::Overflow { cell: 1 }));
}

proptest! {
    /// Whatever is overwritten or cut off, the answer is a value or an error.
    #[test]
    fn no_bytes_make_it_panic(
        words in prop::collection::vec((0..40_usize, prop_oneof![any::<u64>(), 0..200_000_u64]), 0..6),
        tail in prop::collection::vec((0..300_usize, any::<u8>()), 0..20),
        cut in prop::option::of(0..66_000_usize),
    ) {
        let mut bytes = valid();
        for (word, value) in words {
            put(&mut bytes, 8 * word as u64, value);
        }
        // Mostly with the magic in place, or nothing else is ever reached.
        bytes[..8].copy_from_slice(&layout::MAGIC);
        for (at, byte) in tail {
            let at = (HEADER_BYTES as usize + at).min(bytes.len() - 1);
            bytes[at] = byte;
        }
        bytes.truncate(cut.unwrap_or(bytes.len()));
        let _ = RawFile::parse(&bytes);
    }

    #[test]
    fn no_noise_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let _ = RawFile::parse(&bytes);
    }
}
