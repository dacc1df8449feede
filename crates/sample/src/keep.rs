//! How do samples outlive the sampler?
//!
//! They are written, round by round, into a file that is a `perf.data`: header,
//! one event, records. Its length stands in the header only when sampling is
//! finished; without it a reader takes what is there, as it does with a file
//! of `perf` whose recorder was killed ([`crate::read_perf_data`]). Records of
//! both kinds of rings have one layout, so one event describes them.
//!
//! A full disk ends the writing and not the sampling; the result says so.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::decode::{FileMark, HEADER_BYTES, Mapping, Record};
use crate::sys::event::Attributes;

/// Bytes of the file's header, and of the one entry of events after it.
const HEAD: u64 = 104;
const ATTRIBUTE: u64 = 112;
const DATA: u64 = HEAD + ATTRIBUTE + 16;

/// A file that records are written into.
pub(crate) struct Kept {
    file: File,
    length: u64,
}

fn words(words: &[u64]) -> impl Iterator<Item = u8> {
    words.iter().flat_map(|word| word.to_le_bytes())
}

impl Kept {
    /// A new file at `path` for records of the event `of`.
    pub(crate) fn create(path: &Path, of: &Attributes) -> io::Result<Self> {
        let mut file = File::create(path)?;
        let mut bytes = b"PERFILE2".to_vec();
        // Events, data without a length yet, and none of the further tables.
        bytes.extend(words(&[HEAD, ATTRIBUTE + 16, HEAD, ATTRIBUTE + 16, DATA, 0, 0, 0, 0, 0, 0, 0]));
        let kind = u64::from(of.kind) | ATTRIBUTE << 32;
        bytes.extend(words(&[kind, of.config, of.frequency, of.sample_type, of.read_format, of.flags]));
        bytes.resize((HEAD + 72) as usize, 0);
        bytes.extend(of.branch_sample_type.to_le_bytes());
        bytes.resize((HEAD + 92) as usize, 0);
        bytes.extend(of.clock.to_le_bytes());
        bytes.resize((HEAD + ATTRIBUTE) as usize, 0);
        bytes.extend(words(&[DATA, 0]));
        file.write_all(&bytes)?;
        Ok(Kept { file, length: 0 })
    }

    /// Adds whole records.
    pub(crate) fn write(&mut self, records: &[u8]) -> io::Result<()> {
        self.file.write_all(records)?;
        self.length += records.len() as u64;
        Ok(())
    }

    /// Says in the header that this is all.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(48))?;
        self.file.write_all(&self.length.to_le_bytes())?;
        self.file.flush()
    }
}

/// A mapping or a name as the kernel writes it, at time 0, with thread and time at its end. Nothing
/// for other records, which are copied as they come.
pub(crate) fn encoded(record: &Record) -> Vec<u8> {
    match record {
        Record::Mapping(mapping) => encoded_mapping(mapping),
        Record::Name { pid, tid, is_exec, name } => {
            const EXEC: u16 = 1 << 13;
            let task = u64::from(*pid) | u64::from(*tid) << 32;
            let mut body: Vec<u8> = words(&[task]).collect();
            extend_with_text(&mut body, name);
            whole(3, if *is_exec { EXEC } else { 0 }, body, task)
        }
        _ => Vec::new(),
    }
}

fn encoded_mapping(mapping: &Mapping) -> Vec<u8> {
    const EXECUTABLE: u64 = 5;
    const PRIVATE: u64 = 2;
    let task = u64::from(mapping.pid) | u64::from(mapping.pid) << 32;
    let mut body: Vec<u8> = words(&[task, mapping.start, mapping.length, mapping.offset]).collect();
    let mut flags = 2_u16;
    match &mapping.mark {
        FileMark::BuildId(id) => {
            flags |= 1 << 14;
            let told = &id[..id.len().min(20)];
            body.extend([told.len() as u8, 0, 0, 0]);
            body.extend(told);
            body.resize(32 + 24, 0);
        }
        FileMark::Inode { device, inode } => {
            body.extend(words(&[u64::from(device.0) | u64::from(device.1) << 32, *inode, 0]));
        }
        FileMark::None => body.resize(32 + 24, 0),
    }
    body.extend(words(&[EXECUTABLE | PRIVATE << 32]));
    extend_with_text(&mut body, &mapping.path);
    whole(10, flags, body, task)
}

/// Text with at least one 0 after it, up to a word's end.
fn extend_with_text(body: &mut Vec<u8>, text: &str) {
    // A path is no longer than the kernel's own limit for one.
    body.extend(&text.as_bytes()[..text.len().min(4096)]);
    body.resize(body.len() / 8 * 8 + 8, 0);
}

fn whole(kind: u32, flags: u16, mut body: Vec<u8>, task: u64) -> Vec<u8> {
    body.extend(words(&[task, 0]));
    let mut record = kind.to_le_bytes().to_vec();
    record.extend(flags.to_le_bytes());
    record.extend(((HEADER_BYTES + body.len()) as u16).to_le_bytes());
    record.extend(body);
    record
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{Header, SampleLayout, decode};

    #[test]
    fn what_is_encoded_is_decoded_to_the_same() {
        let layout =
            SampleLayout { sample_type: 0b111, read_format: 0, stamps_all: true, numbers_branches: false };
        let same = |record: Record| {
            let bytes = encoded(&record);
            let header = Header::read(&bytes).unwrap();
            assert_eq!(header.size, bytes.len());
            let stamped = decode(&layout, header, &bytes[HEADER_BYTES..]).unwrap();
            assert_eq!((stamped.record, stamped.time), (record, Some(0)));
        };
        let marks =
            [FileMark::None, FileMark::Inode { device: (8, 1), inode: 77 }, FileMark::BuildId(vec![7; 20])];
        for (mark, path) in marks.into_iter().zip(["", "/bin/a", "/bin/a path of another length"]) {
            let path = path.to_owned();
            let mapping = Mapping { pid: 7, start: 16, length: 32, offset: 48, path, mark, is_kernel: false };
            same(Record::Mapping(Box::new(mapping)));
        }
        for (name, is_exec) in [("", false), ("fifteen letters", true), ("seven l", false)] {
            same(Record::Name { pid: 7, tid: 9, is_exec, name: name.to_owned() });
        }
        assert!(encoded(&Record::Lost(1)).is_empty());
    }
}
