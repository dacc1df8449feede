//! What do the kernel's bytes say: which record is it, and what is in it?
//!
//! One decoder serves the ring and `perf.data`. A record is a header (type,
//! flags, size) and a body whose fields depend on what the event was asked
//! for: a [`SampleLayout`]. Only what this room uses is decoded; all other records
//! are [`Record::Other`]. Bytes are trusted in nothing: each read is checked,
//! and what does not fit is [`BadRecord`] and never a panic.
//!
//! Source: `enum perf_event_type` in `include/uapi/linux/perf_event.h`. Cost:
//! one pass; a sample without a stack allocates nothing.

use crate::branches::Branch;

/// Bits of `sample_type`, in the order of the fields of a sample.
pub(crate) mod field {
    pub(crate) const IP: u64 = 1 << 0;
    pub(crate) const TID: u64 = 1 << 1;
    pub(crate) const TIME: u64 = 1 << 2;
    pub(crate) const ADDRESS: u64 = 1 << 3;
    pub(crate) const READ: u64 = 1 << 4;
    pub(crate) const CALLCHAIN: u64 = 1 << 5;
    pub(crate) const ID: u64 = 1 << 6;
    pub(crate) const CPU: u64 = 1 << 7;
    pub(crate) const PERIOD: u64 = 1 << 8;
    pub(crate) const STREAM_ID: u64 = 1 << 9;
    pub(crate) const RAW: u64 = 1 << 10;
    pub(crate) const BRANCHES: u64 = 1 << 11;
    pub(crate) const IDENTIFIER: u64 = 1 << 16;
}

/// Which fields the records of an event have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleLayout {
    /// `perf_event_attr::sample_type`.
    pub sample_type: u64,
    /// `perf_event_attr::read_format`.
    pub read_format: u64,
    /// Whether records that are no samples end in thread and time.
    pub stamps_all: bool,
    /// Whether records of branches have a number of the hardware's before them.
    pub numbers_branches: bool,
}

/// Where code was running when a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In the program.
    User,
    /// In the kernel.
    Kernel,
    /// In a hypervisor or a guest.
    Beyond,
}

/// One sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Where code was running.
    pub mode: Mode,
    /// The instruction that would have been next.
    pub ip: u64,
    /// Process.
    pub pid: u32,
    /// Thread.
    pub tid: u32,
    /// Events since the sample before; 1 where that is not recorded.
    pub period: u64,
    /// Return addresses in the program, innermost first, beginning with `ip`;
    /// empty where none were asked for.
    pub stack: Vec<u64>,
    /// The last branches that were taken, the newest first; empty where none were asked for.
    pub branches: Vec<Branch>,
}

/// What distinguishes two files of one path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileMark {
    /// The build-id, read by the kernel out of the mapping itself.
    BuildId(Vec<u8>),
    /// Device (major, minor) and number of the file.
    Inode {
        /// Major and minor number of the device.
        device: (u32, u32),
        /// The file's number there.
        inode: u64,
    },
    /// Nothing is known.
    None,
}

/// A piece of a file (or of nothing) becomes executable memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Process.
    pub pid: u32,
    /// First address.
    pub start: u64,
    /// Bytes.
    pub length: u64,
    /// Where in the file it begins, in bytes.
    pub offset: u64,
    /// Path, or a name in brackets.
    pub path: String,
    /// Which file of that path.
    pub mark: FileMark,
    /// Whether it is the kernel's own.
    pub is_kernel: bool,
}

/// One record of the kernel's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A sample.
    Sample(Sample),
    /// New executable memory.
    Mapping(Box<Mapping>),
    /// A thread has a new name; with `is_exec` a process becomes a program.
    Name {
        /// Process.
        pid: u32,
        /// Thread.
        tid: u32,
        /// Whether all mappings before this no longer exist.
        is_exec: bool,
        /// The name.
        name: String,
    },
    /// A thread (or, with another `pid` than the parent's, a process) begins.
    Fork {
        /// Process.
        pid: u32,
        /// The process that forked.
        parent_pid: u32,
        /// Thread.
        tid: u32,
        /// The thread that forked.
        parent_tid: u32,
    },
    /// A thread ended.
    Exit {
        /// Process.
        pid: u32,
        /// Thread.
        tid: u32,
    },
    /// So many records found no room.
    Lost(u64),
    /// The kernel took samples too fast and paused (or, `false`, goes on).
    Throttle(bool),
    /// Something that this room does not use.
    Other(u32),
}

/// A record with the time it was written, if it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// Nanoseconds on the event's clock.
    pub time: Option<u64>,
    /// The record.
    pub record: Record,
}

/// Bytes that no kernel writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a record of type {kind} is broken: {what}")]
pub struct BadRecord {
    /// The record's type.
    pub kind: u32,
    /// What is wrong.
    pub what: &'static str,
}

/// Header of a record: type, flags, and the whole size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The record's type.
    pub kind: u32,
    /// Flags.
    pub flags: u16,
    /// Bytes of the header and what follows it.
    pub size: usize,
}

/// Bytes of a header.
pub const HEADER_BYTES: usize = 8;

impl Header {
    /// The header at the begin of `bytes`; `None` when they are fewer than a
    /// header or than the record says that it has.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let header = bytes.first_chunk::<HEADER_BYTES>()?;
        let [a, b, c, d, e, f, g, h] = *header;
        let (kind, flags) = (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]));
        let size = usize::from(u16::from_le_bytes([g, h]));
        (size >= HEADER_BYTES && size <= bytes.len()).then_some(Header { kind, flags, size })
    }
}

/// Reads numbers off the front.
struct Cursor<'a> {
    kind: u32,
    bytes: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn wrong(&self, what: &'static str) -> BadRecord {
        BadRecord { kind: self.kind, what }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], BadRecord> {
        let (taken, rest) = self.bytes.split_first_chunk::<N>().ok_or(self.wrong("it ends too early"))?;
        self.bytes = rest;
        Ok(*taken)
    }

    fn small(&mut self) -> Result<u32, BadRecord> {
        self.take().map(u32::from_le_bytes)
    }

    fn number(&mut self) -> Result<u64, BadRecord> {
        self.take().map(u64::from_le_bytes)
    }

    fn numbers(&mut self, count: u64) -> Result<&'a [[u8; 8]], BadRecord> {
        let (words, _) = self.bytes.as_chunks::<8>();
        let count = usize::try_from(count).ok().filter(|count| *count <= words.len());
        let count = count.ok_or(self.wrong("it has fewer numbers than it says"))?;
        self.bytes = &self.bytes[count * 8..];
        Ok(&words[..count])
    }

    fn text(&mut self) -> String {
        let end = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(self.bytes.len());
        let text = String::from_utf8_lossy(&self.bytes[..end]).into_owned();
        self.bytes = &self.bytes[end..];
        text
    }
}

/// Decodes the record whose header is `header` and whose body is `body`.
pub fn decode(layout: &SampleLayout, header: Header, body: &[u8]) -> Result<Stamped, BadRecord> {
    let mut cursor = Cursor { kind: header.kind, bytes: body };
    if header.kind == 9 {
        return sample(layout, header, &mut cursor);
    }
    let time = stamp(layout, &mut cursor)?;
    let record = match header.kind {
        1 => mapping(header, &mut cursor, false)?,
        10 => mapping(header, &mut cursor, true)?,
        2 => {
            let _id = cursor.number()?;
            Record::Lost(cursor.number()?)
        }
        13 => Record::Lost(cursor.number()?),
        3 => {
            const EXEC: u16 = 1 << 13;
            let (pid, tid) = (cursor.small()?, cursor.small()?);
            Record::Name { pid, tid, is_exec: header.flags & EXEC != 0, name: cursor.text() }
        }
        5 => Record::Throttle(true),
        6 => Record::Throttle(false),
        4 | 7 => {
            let (pid, parent_pid) = (cursor.small()?, cursor.small()?);
            let (tid, parent_tid) = (cursor.small()?, cursor.small()?);
            let fork = Record::Fork { pid, parent_pid, tid, parent_tid };
            if header.kind == 4 { Record::Exit { pid, tid } } else { fork }
        }
        other => Record::Other(other),
    };
    Ok(Stamped { time, record })
}

/// Cuts off the thread, time and ids at the end of a record that is no sample.
/// Records that `perf` itself makes up (type 64 and above) have none.
fn stamp(layout: &SampleLayout, cursor: &mut Cursor<'_>) -> Result<Option<u64>, BadRecord> {
    if !layout.stamps_all || cursor.kind >= 64 {
        return Ok(None);
    }
    let order = [field::TID, field::TIME, field::ID, field::STREAM_ID, field::CPU, field::IDENTIFIER];
    let present = order.iter().filter(|bit| layout.sample_type & **bit != 0);
    let length = present.count() * 8;
    let cut = cursor.bytes.len().checked_sub(length).ok_or(cursor.wrong("it has no room for its time"))?;
    let (body, trailer) = cursor.bytes.split_at(cut);
    cursor.bytes = body;
    if layout.sample_type & field::TIME == 0 {
        return Ok(None);
    }
    let mut trailer = Cursor { kind: cursor.kind, bytes: trailer };
    if layout.sample_type & field::TID != 0 {
        trailer.number()?;
    }
    trailer.number().map(Some)
}

fn sample(layout: &SampleLayout, header: Header, cursor: &mut Cursor<'_>) -> Result<Stamped, BadRecord> {
    let has = |bit| layout.sample_type & bit != 0;
    let mut optional = |bit| if has(bit) { cursor.number().map(Some) } else { Ok(None) };
    optional(field::IDENTIFIER)?;
    let ip = optional(field::IP)?;
    let task = optional(field::TID)?.unwrap_or(0);
    let time = optional(field::TIME)?;
    for bit in [field::ADDRESS, field::ID, field::STREAM_ID, field::CPU] {
        optional(bit)?;
    }
    let period = optional(field::PERIOD)?.unwrap_or(1);
    let ip = ip.ok_or(cursor.wrong("the event was not asked for addresses"))?;
    if has(field::READ) {
        skip_counts(layout.read_format, cursor)?;
    }
    let stack = if has(field::CALLCHAIN) { stack(cursor)? } else { Vec::new() };
    if has(field::RAW) {
        skip_raw(cursor)?;
    }
    let branches = if has(field::BRANCHES) { branches(layout, cursor)? } else { Vec::new() };
    let mode = match header.flags & 7 {
        2 => Mode::User,
        1 => Mode::Kernel,
        _ => Mode::Beyond,
    };
    let (pid, tid) = (task as u32, (task >> 32) as u32);
    Ok(Stamped { time, record: Record::Sample(Sample { mode, ip, pid, tid, period, stack, branches }) })
}

/// Skips the counts that are in a sample taken with `PERF_SAMPLE_READ`.
fn skip_counts(format: u64, cursor: &mut Cursor<'_>) -> Result<(), BadRecord> {
    let times = (format & 0b11).count_ones();
    let each = 1 + (format & (1 << 2 | 1 << 4)).count_ones();
    if format & 1 << 3 == 0 {
        return cursor.numbers(u64::from(times + each)).map(|_| ());
    }
    let members = cursor.number()?;
    let words = members.checked_mul(u64::from(each)).and_then(|words| words.checked_add(u64::from(times)));
    cursor.numbers(words.ok_or(cursor.wrong("it has too many counts"))?).map(|_| ())
}

/// Skips what a tracepoint has of its own.
fn skip_raw(cursor: &mut Cursor<'_>) -> Result<(), BadRecord> {
    let bytes = cursor.small()? as usize;
    cursor.bytes = cursor.bytes.get(bytes..).ok_or(cursor.wrong("it has fewer bytes than it says"))?;
    Ok(())
}

fn branches(layout: &SampleLayout, cursor: &mut Cursor<'_>) -> Result<Vec<Branch>, BadRecord> {
    let count = cursor.number()?;
    if layout.numbers_branches {
        cursor.number()?;
    }
    let words = count.checked_mul(3).ok_or(cursor.wrong("it has too many branches"))?;
    let (entries, _) = cursor.numbers(words)?.as_chunks::<3>();
    let branch = |[from, to, _flags]: &[[u8; 8]; 3]| Branch {
        from: u64::from_le_bytes(*from),
        to: u64::from_le_bytes(*to),
    };
    Ok(entries.iter().map(branch).collect())
}

/// The program's part of a stack: markers say whose frames follow.
fn stack(cursor: &mut Cursor<'_>) -> Result<Vec<u64>, BadRecord> {
    const FIRST_MARKER: u64 = -4095_i64 as u64;
    const USER: u64 = -512_i64 as u64;
    let count = cursor.number()?;
    let mut is_user = true;
    let mut frames = Vec::new();
    for word in cursor.numbers(count)? {
        match u64::from_le_bytes(*word) {
            marker @ FIRST_MARKER.. => is_user = marker == USER,
            frame if is_user => frames.push(frame),
            _ => {}
        }
    }
    Ok(frames)
}

fn mapping(header: Header, cursor: &mut Cursor<'_>, tells_file: bool) -> Result<Record, BadRecord> {
    const HAS_BUILD_ID: u16 = 1 << 14;
    const IS_DATA: u16 = 1 << 13;
    let (pid, _tid) = (cursor.small()?, cursor.small()?);
    let (start, length, offset) = (cursor.number()?, cursor.number()?, cursor.number()?);
    let mut mark = FileMark::None;
    if tells_file && header.flags & HAS_BUILD_ID != 0 {
        let [bytes, _, _, _] = cursor.take::<4>()?;
        let id = cursor.take::<20>()?;
        let id = id.get(..usize::from(bytes)).ok_or(cursor.wrong("its build id is too long"))?;
        mark = if id.is_empty() { FileMark::None } else { FileMark::BuildId(id.to_vec()) };
    } else if tells_file {
        let device = (cursor.small()?, cursor.small()?);
        let (inode, _generation) = (cursor.number()?, cursor.number()?);
        mark = if inode == 0 { FileMark::None } else { FileMark::Inode { device, inode } };
    }
    if tells_file {
        const EXECUTABLE: u32 = 4;
        let (protection, _flags) = (cursor.small()?, cursor.small()?);
        if protection & EXECUTABLE == 0 {
            return Ok(Record::Other(header.kind));
        }
    } else if header.flags & IS_DATA != 0 {
        return Ok(Record::Other(header.kind));
    }
    let is_kernel = header.flags & 7 != 2;
    if start.checked_add(length).is_none() && !is_kernel {
        return Err(cursor.wrong("its memory goes beyond 2^64"));
    }
    let path = cursor.text();
    Ok(Record::Mapping(Box::new(Mapping { pid, start, length, offset, path, mark, is_kernel })))
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
