//! Is a file of values read as it was written, and no other believed?

use proptest::prelude::*;

use super::layout::{self, ValueField, ValueSection};
use super::{Error, OpenActivation, ValueFile};

/// A file as the runtime would write it, in small.
struct Draft {
    bytes: Vec<u8>,
}

const SLAB: u64 = 16384;
const POINT: u64 = SLAB + layout::slab::BYTES as u64 + 8 * 2;
const CHUNK: u64 = POINT + 2048;
const TABLE: u64 = CHUNK + layout::SLOTS_A_CHUNK * layout::slot::BYTES as u64;
const RUNS: u64 = TABLE + 32 * layout::PAIR_BYTES;
const END: u64 = RUNS + 32 * layout::PAIR_BYTES;

impl Draft {
    fn word(&mut self, at: u64, value: u64) {
        self.bytes[at as usize..at as usize + 8].copy_from_slice(&value.to_le_bytes());
    }

    fn field(&mut self, base: u64, field: ValueField, value: u64) {
        let at = base as usize + field.offset;
        match field.kind {
            ValueSection::U32 => self.bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
            _ => self.word(at as u64, value),
        }
    }

    fn pair(&mut self, at: u64, value: i64, count: u64) {
        self.word(at, value as u64);
        self.word(at + 8, count);
    }
}

/// Two points; the first was entered 7 times: turns 3, 3, 5, 3 and 4 twice going on, one open.
fn example() -> Vec<u8> {
    use layout::{header as h, module as m, point as p, slab as s, slot as o};
    let mut draft = Draft { bytes: vec![0; END as usize] };
    draft.bytes[..8].copy_from_slice(&layout::MAGIC);
    for (field, value) in [
        (h::VERSION_FIELD, layout::VERSION as u64),
        (h::PID, 42),
        (h::SAMPLE, 1),
        (h::USED, END),
        (h::POINTS, 2),
        (h::MODULES_OFFSET, layout::HEADER_BYTES),
        (h::MODULES_COUNT, 1),
        (h::FIRST_SLAB, SLAB),
    ] {
        draft.field(0, field, value);
    }
    draft.bytes[layout::HEADER_BYTES as usize] = 9;
    draft.field(layout::HEADER_BYTES, m::COUNT, 2);
    draft.field(SLAB, s::DEPTH, 1);
    draft.field(SLAB, s::CHUNK, CHUNK);
    draft.word(SLAB + layout::slab::BYTES as u64, POINT);
    for (field, value) in [(o::POINT, 1), (o::TURNS, 2), (o::NOTED, 1), (o::INPUT, 77)] {
        draft.field(CHUNK, field, value);
    }
    for (field, value) in [
        (p::ENTRIES, 7),
        (p::COMPLETE, 6),
        (p::SUM_LOW, 22),
        (p::RECORDED, 6),
        (p::RUN_VALUE, 4),
        (p::RUN_COUNT, 2),
        (p::LEAST, 3),
        (p::MOST, 5),
        (p::ENDED, 4),
        (p::RUNS, RUNS),
        (p::RUNS_CAPACITY, 32),
        (p::RUNS_COUNT, 3),
        (p::STRIDE, 1),
        (p::TABLE, TABLE),
        (p::TABLE_CAPACITY, 32),
        (p::TABLE_COUNT, 2),
    ] {
        draft.field(POINT, field, value);
    }
    draft.pair(TABLE + 16, 3, 3);
    draft.pair(TABLE + 48, 5, 1);
    for (position, (value, count)) in (0..).zip([(3, 2), (5, 1), (3, 1)]) {
        draft.pair(RUNS + 16 * position, value, count);
    }
    draft.bytes
}

#[test]
fn what_was_written_is_read() {
    let file = ValueFile::parse(&example()).expect("a file");
    assert!(!file.is_cut && file.pid == 42 && file.remarks.is_empty(), "{file:?}");
    let [Some(point), None] = &file.modules[0].points[..] else { panic!("{file:?}") };
    assert_eq!(point.values.iter().map(|(&v, &c)| (v, c)).collect::<Vec<_>>(), [(3, 3), (4, 2), (5, 1)]);
    assert_eq!(point.runs, [(3, 2), (5, 1), (3, 1), (4, 2)]);
    assert_eq!(point.range, Some((3, 5)));
    assert_eq!(point.open, [OpenActivation { iterations: 2, inputs: vec![Some(77)] }]);
    assert_eq!((point.back_edges(), point.partial()), (24, 1));
    assert!(point.is_exact());
}

#[test]
fn a_file_that_is_cut_off_says_so() {
    let whole = example();
    for length in (0..whole.len()).step_by(61) {
        match ValueFile::parse(&whole[..length]) {
            Ok(file) => assert!(file.is_cut, "{length}"),
            Err(Error::Cut(at)) => assert_eq!(at, length as u64),
            Err(Error::NotOne) => assert!(length < 8),
            Err(error) => panic!("{length}: {error}"),
        }
    }
}

#[test]
fn other_files_are_refused() {
    assert_eq!(ValueFile::parse(b"hello"), Err(Error::NotOne));
    assert_eq!(ValueFile::parse(&[0; 10000]), Err(Error::NotBegun));
    let mut newer = example();
    newer[8] += 1;
    assert_eq!(ValueFile::parse(&newer), Err(Error::Version(layout::VERSION + 1, layout::VERSION)));
    let mut circle = example();
    circle[SLAB as usize..SLAB as usize + 8].copy_from_slice(&SLAB.to_le_bytes());
    assert!(matches!(ValueFile::parse(&circle), Err(Error::Damaged(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever stands in the file, reading it ends, and in no panic.
    #[test]
    fn damage_is_no_panic(changes in proptest::collection::vec((0..END as usize, any::<u8>()), 1..40), words in proptest::collection::vec((0..END as usize / 8, any::<u64>()), 0..10)) {
        let mut bytes = example();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        for (at, word) in words {
            bytes[8 * at..8 * at + 8].copy_from_slice(&word.to_le_bytes());
        }
        let Ok(file) = ValueFile::parse(&bytes) else { return Ok(()) };
        for point in file.modules.iter().flat_map(|module| &module.points).flatten() {
            let mut twice = point.clone();
            twice.add(point);
            prop_assert!(twice.back_edges() >= point.back_edges() || point.back_edges() < 0);
        }
    }
}
