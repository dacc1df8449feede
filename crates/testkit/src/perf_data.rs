//! What would a file of samples look like that nobody took?
//!
//! Bytes of a `perf.data` with whatever records a test wants: mappings, samples of any
//! fields, broken ones. Readers are tried on them.
//!
//! Source: `tools/perf/Documentation/perf.data-file-format.txt`, `include/uapi/linux/perf_event.h`.
//! Cost: linear.

use std::os::unix::fs::MetadataExt;

/// Flags of a record of the program.
pub const USER: u16 = 2;

/// Bytes of a record's header.
const HEADER_BYTES: usize = 8;

/// Numbers as a machine writes them.
pub fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A record of a kind.
///
/// # Panics
/// With more bytes than a record holds.
pub fn record(kind: u32, flags: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend(flags.to_le_bytes());
    bytes.extend(u16::try_from(HEADER_BYTES + body.len()).expect("it fits a record").to_le_bytes());
    bytes.extend(body);
    bytes
}

/// Process and thread of one number.
pub fn task(pid: u32) -> u64 {
    u64::from(pid) << 32 | u64::from(pid)
}

/// An executable mapping of the file at `path`, with zeros for its path's end and thread and time 1
/// after it.
pub fn mapping(pid: u32, start: u64, length: u64, offset: u64, path: &str) -> Vec<u8> {
    let file = std::fs::metadata(path).ok();
    let device = file.as_ref().map_or(0, MetadataExt::dev);
    let (major, minor) = (device >> 8 & 0xfff | device >> 32 & !0xfff, device & 0xff | device >> 12 & !0xff);
    let inode = file.as_ref().map_or(1, MetadataExt::ino);
    let mut body = words(&[task(pid), start, length, offset, major | minor << 32, inode, 0, 5 | 2 << 32]);
    body.extend(path.as_bytes());
    body.resize(body.len() / 8 * 8 + 8, 0);
    body.extend(words(&[task(pid), 1]));
    record(10, USER, &body)
}

/// A file with these events of the kernel's own, at 4000 samples a second, with fields and records.
/// Of each event there are its number in the kernel and the ids of its records.
pub fn file(events: &[(u64, &[u64])], fields: u64, records: &[u8]) -> Vec<u8> {
    file_at(4000, events, fields, records)
}

/// The same at so many samples a second.
pub fn file_at(rate: u64, events: &[(u64, &[u64])], fields: u64, records: &[u8]) -> Vec<u8> {
    const ATTRIBUTE: u64 = 112;
    const INHERIT: u64 = 1 << 1;
    const FREQUENCY: u64 = 1 << 10;
    const STAMP_ALL: u64 = 1 << 18;
    let entry = ATTRIBUTE + 16;
    let ids_begin = 104 + entry * events.len() as u64;
    let ids: Vec<u64> = events.iter().flat_map(|event| event.1).copied().collect();
    let data = ids_begin + 8 * ids.len() as u64;
    let attributes = entry * events.len() as u64;
    let mut bytes = b"PERFILE2".to_vec();
    bytes.extend(words(&[104, entry, 104, attributes, data, records.len() as u64, 0, 0, 0, 0, 0, 0]));
    let mut next_ids = ids_begin;
    for (config, ids) in events {
        let flags = FREQUENCY | STAMP_ALL | INHERIT;
        let mut attribute = words(&[1 | ATTRIBUTE << 32, *config, rate, fields, 0, flags]);
        attribute.resize(ATTRIBUTE as usize, 0);
        bytes.extend(attribute);
        bytes.extend(words(&[next_ids, 8 * ids.len() as u64]));
        next_ids += 8 * ids.len() as u64;
    }
    bytes.extend(words(&ids));
    bytes.extend(records);
    bytes
}

/// The same as it would have passed through a pipe: records describe the events.
pub fn stream(events: &[(u64, &[u64])], fields: u64, records: &[u8]) -> Vec<u8> {
    let whole = file(events, fields, records);
    let mut bytes = b"PERFILE2".to_vec();
    bytes.extend(words(&[16]));
    for (entry, (_, ids)) in whole[104..].chunks(112 + 16).zip(events) {
        bytes.extend(record(64, 0, &[&entry[..112], &words(ids)].concat()));
    }
    bytes.extend(records);
    bytes
}

/// Records as `perf record -z` packs them, in pieces of so many bytes. They are one frame of zstd,
/// whose head is in the first piece and which nobody ends. Nothing is made smaller. With sizes they
/// are as of perf since 6.16.
///
/// # Panics
/// With pieces that are longer than a block or than a record.
pub fn packed(records: &[u8], piece_bytes: usize, with_sizes: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, piece) in records.chunks(piece_bytes).enumerate() {
        // The frame's magic number, no flags, a window of 2 MiB.
        let mut body = if number == 0 { vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x58] } else { Vec::new() };
        let header = u32::try_from(piece.len() << 3).expect("a block").to_le_bytes();
        body.extend(&header[..3]);
        body.extend(piece);
        if with_sizes {
            let size = body.len();
            body.resize(size.next_multiple_of(8), 0);
            bytes.extend(record(83, 0, &[words(&[size as u64]), body].concat()));
        } else {
            bytes.extend(record(81, 0, &body));
        }
    }
    bytes
}
