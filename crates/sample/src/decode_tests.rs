//! Is each record read as the kernel's header file lays it out, and does no
//! byte of anything else make the decoder panic?

use proptest::prelude::*;

use super::*;

const LAYOUT: SampleLayout = SampleLayout {
    sample_type: field::IP | field::TID | field::TIME,
    read_format: 0,
    stamps_all: true,
    numbers_branches: false,
};

fn header(kind: u32, flags: u16, body: &[u8]) -> Header {
    Header { kind, flags, size: HEADER_BYTES + body.len() }
}

/// Words of 8 bytes, then `text`, then thread and time 77.
fn body(words: &[u64], text: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(text);
    bytes.extend([0; 8]);
    bytes.extend(77_u64.to_le_bytes());
    bytes
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[test]
fn a_sample_has_its_fields_in_the_order_of_the_header_file() {
    let layout = SampleLayout {
        sample_type: field::IDENTIFIER
            | field::IP
            | field::TID
            | field::TIME
            | field::ADDRESS
            | field::ID
            | field::STREAM_ID
            | field::CPU
            | field::PERIOD
            | field::READ
            | field::CALLCHAIN,
        // Both times and the count of lost ones: four words.
        read_format: 0b10011,
        stamps_all: true,
        numbers_branches: false,
    };
    let kernel = -128_i64 as u64;
    let user = -512_i64 as u64;
    let words = [
        900,
        0x40_1000,
        pair(7, 8),
        55,
        1,
        900,
        2,
        pair(1, 0),
        250_000,
        10,
        20,
        30,
        40, // counts
        6,
        kernel,
        0xffff_8000_0000_0000,
        user,
        0x40_1000,
        0x40_2000,
        0x40_3000,
    ];
    let bytes: Vec<u8> = words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
    let read = decode(&layout, header(9, 2, &bytes), &bytes).unwrap();
    let stack = vec![0x40_1000, 0x40_2000, 0x40_3000];
    let sample =
        Sample { mode: Mode::User, ip: 0x40_1000, pid: 7, tid: 8, period: 250_000, stack, branches: vec![] };
    assert_eq!(read, Stamped { time: Some(55), record: Record::Sample(sample) });
}

#[test]
fn branches_stand_behind_a_stack_and_what_a_tracepoint_has() {
    let fields = field::IP | field::CALLCHAIN | field::RAW | field::BRANCHES;
    let branches = vec![Branch { from: 0x40, to: 0x80 }, Branch { from: 0x20, to: 0x30 }];
    for numbers_branches in [false, true] {
        let layout = SampleLayout { sample_type: fields, read_format: 0, stamps_all: true, numbers_branches };
        let mut bytes: Vec<u8> = [0x44, 0_u64].iter().flat_map(|word| word.to_le_bytes()).collect();
        // Four bytes of its own and their number: a word.
        bytes.extend([4, 0, 0, 0, 9, 9, 9, 9]);
        let words: &[u64] = if numbers_branches { &[2, u64::MAX] } else { &[2] };
        let entries = [0x40, 0x80, 1, 0x20, 0x30, 7 << 4];
        bytes.extend(words.iter().chain(&entries).flat_map(|word| word.to_le_bytes()));
        let read = |bytes: &[u8]| decode(&layout, header(9, 2, bytes), bytes);
        let Record::Sample(sample) = read(&bytes).unwrap().record else { panic!("no sample") };
        assert_eq!((sample.ip, sample.branches), (0x44, branches.clone()));
        assert!(read(&bytes[..bytes.len() - 8]).is_err(), "one has no flags");
        bytes[16] = 255;
        assert!(read(&bytes).unwrap_err().to_string().contains("fewer bytes than it says"));
    }
}

#[test]
fn mappings_tell_their_file_by_build_or_by_number() {
    let own = |flags, mark: FileMark, words: &[u64]| {
        let bytes = body(words, b"/bin/a\0\0");
        let read = decode(&LAYOUT, header(10, flags, &bytes), &bytes).unwrap();
        let path = "/bin/a".to_owned();
        let mapping = Mapping { pid: 7, start: 16, length: 32, offset: 48, path, mark, is_kernel: false };
        assert_eq!(read, Stamped { time: Some(77), record: Record::Mapping(Box::new(mapping)) });
    };
    let build = u64::from_le_bytes([4, 0, 0, 0, 1, 2, 3, 4]);
    let executable = pair(5, 2);
    own(2 | 1 << 14, FileMark::BuildId(vec![1, 2, 3, 4]), &[pair(7, 7), 16, 32, 48, build, 0, 0, executable]);
    let by_number = FileMark::Inode { device: (254, 1), inode: 99 };
    own(2, by_number, &[pair(7, 7), 16, 32, 48, pair(254, 1), 99, 0, executable]);
    // What cannot be executed is of no interest.
    let bytes = body(&[pair(7, 7), 16, 32, 48, pair(254, 1), 99, 0, pair(3, 2)], b"/bin/a\0\0");
    assert_eq!(decode(&LAYOUT, header(10, 2, &bytes), &bytes).unwrap().record, Record::Other(10));
}

#[test]
fn tasks_and_losses() {
    let read = |kind, flags, words: &[u64], text: &[u8]| {
        let bytes = body(words, text);
        let stamped = decode(&LAYOUT, header(kind, flags, &bytes), &bytes).unwrap();
        assert_eq!(stamped.time, Some(77));
        stamped.record
    };
    let fork = Record::Fork { pid: 8, parent_pid: 7, tid: 9, parent_tid: 6 };
    assert_eq!(read(7, 0, &[pair(8, 7), pair(9, 6), 70], b""), fork);
    assert_eq!(read(4, 0, &[pair(8, 7), pair(9, 6), 70], b""), Record::Exit { pid: 8, tid: 9 });
    let named = |is_exec, name: &str| Record::Name { pid: 8, tid: 9, is_exec, name: name.to_owned() };
    assert_eq!(read(3, 1 << 13, &[pair(8, 9)], b"prog\0\0\0\0"), named(true, "prog"));
    assert_eq!(read(3, 0, &[pair(8, 9)], b"a thread\0\0\0\0\0\0\0\0"), named(false, "a thread"));
    assert_eq!(read(2, 0, &[900, 12], b""), Record::Lost(12));
    assert_eq!(read(13, 0, &[3], b""), Record::Lost(3));
    assert_eq!(read(5, 0, &[1, 2, 3], b""), Record::Throttle(true));
    assert_eq!(read(6, 0, &[1, 2, 3], b""), Record::Throttle(false));
    assert_eq!(read(17, 0, &[1, 2, 3], b""), Record::Other(17));
}

#[test]
fn what_is_broken_is_told() {
    let told = |kind, flags, bytes: &[u8]| {
        decode(&LAYOUT, header(kind, flags, bytes), bytes).unwrap_err().to_string()
    };
    assert!(told(9, 2, &[0; 23]).contains("ends too early"));
    assert!(told(3, 0, &[0; 15]).contains("no room for its time"));
    let stacked = SampleLayout { sample_type: LAYOUT.sample_type | field::CALLCHAIN, ..LAYOUT };
    let bytes: Vec<u8> = [1, 2, 3, u64::MAX].iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
    let error = decode(&stacked, header(9, 2, &bytes), &bytes).unwrap_err();
    assert!(error.to_string().contains("fewer numbers than it says"), "{error}");
    let build = body(&[pair(7, 7), 16, 32, 48, 255, 0, 0, pair(5, 2)], b"/a\0");
    assert!(told(10, 2 | 1 << 14, &build).contains("build id is too long"));
    let memory = body(&[pair(7, 7), u64::MAX, 32, 48, 0, 0, 0, pair(5, 2)], b"/a\0");
    assert!(told(10, 2, &memory).contains("beyond 2^64"));
    let without = SampleLayout { sample_type: field::TID, ..LAYOUT };
    assert!(decode(&without, header(9, 2, &[0; 8]), &[0; 8]).unwrap_err().to_string().contains("addresses"));
}

#[test]
fn a_header_must_fit_its_bytes() {
    let bytes = [9, 0, 0, 0, 2, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!(Header::read(&bytes), Some(Header { kind: 9, flags: 2, size: 16 }));
    assert_eq!(Header::read(&bytes[..15]), None, "broken off");
    assert_eq!(Header::read(&[9, 0, 0, 0, 2, 0, 7, 0]), None, "smaller than a header");
    assert_eq!(Header::read(&bytes[..7]), None);
}

proptest! {
    /// No bytes and no layout make the decoder panic, and what it reads lies
    /// in the bytes.
    #[test]
    fn random_bytes(
        kind in 0_u32..90,
        flags in any::<u16>(),
        sample_type in any::<u64>(),
        read_format in any::<u64>(),
        stamps_all in any::<bool>(),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let numbers_branches = sample_type & 1 << 20 != 0;
        let layout = SampleLayout { sample_type: sample_type & 0x1_0fff, read_format, stamps_all, numbers_branches };
        if let Ok(stamped) = decode(&layout, header(kind, flags, &bytes), &bytes)
            && let Record::Sample(sample) = stamped.record
        {
            prop_assert!(kind == 9 && sample.stack.len() * 8 + sample.branches.len() * 24 <= bytes.len());
        }
        if let Some(header) = Header::read(&bytes) {
            prop_assert!(header.size >= HEADER_BYTES && header.size <= bytes.len());
        }
    }
}
