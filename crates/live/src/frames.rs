//! How does an exception find its way through code that came after the start?
//!
//! The unwinder asks the loader for the segment `PT_GNU_EH_FRAME` of the executable. That is
//! `.eh_frame_hdr`: a count, and a table from the start of code to its frame, sorted. It is
//! searched by halves at each step of an exception. So the executable is given a larger table, in
//! memory that another process can write. Its entries are those of the old one, and then room.
//!
//! Readers may come at any moment. New code is above all code that came before, so new
//! entries belong at the end. They are written first, where nobody looks yet, and then the count.
//! That is four bytes at a multiple of four, which processors write at once. A reader sees the
//! table before or after, and both are sorted. Code that is not above is refused.
//!
//! The form: version 1, the address of `.eh_frame` relative to its place, a count of four bytes,
//! entries of two signed offsets from the table's start. Limits: everything within 2 GiB.

use object::LittleEndian as LE;
use object::elf;
use object::endian::U64;
use object::read::elf::{FileHeader, ProgramHeader};

use crate::error::LiveError;
use crate::program::LiveProgram;
use crate::symbol::Header;
use crate::unwind::{FrameEntry, Reader};

/// Four bytes of forms, the address of `.eh_frame`, the count.
const FIRST: usize = 12;
const COUNT: usize = 8;
const ENTRY: usize = 8;
/// Version 1; relative to the place and signed; unsigned; relative to the table and signed.
const FORMS: [u8; 4] = [1, 0x1b, 0x03, 0x3b];

/// Bytes that must be written at an offset from the table's start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableWrite {
    /// From the start of the table.
    pub offset: usize,
    /// What to write.
    pub bytes: Vec<u8>,
}

/// A table of frames that can grow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frames {
    at: u64,
    bytes: Vec<u8>,
    count: usize,
    last: Option<u64>,
}

impl Frames {
    /// The table of `program` for the address `at`, with room for `capacity` frames more.
    pub fn of(program: &LiveProgram, at: u64, capacity: usize) -> Result<Self, LiveError> {
        if !at.is_multiple_of(4) {
            return Err(LiveError::FramesAlignment { at });
        }
        let header = program.exception_header().ok_or(LiveError::NoFrames)?;
        let old = &header.bytes;
        let wrong = |offset| LiveError::FramesForm { offset };
        let mut reader = Reader::new(old, FORMS.len());
        if old.first() != Some(&FORMS[0]) || old.get(2..4) != Some(&FORMS[2..]) {
            return Err(wrong(0));
        }
        let section = reader.pointer(old[1], header.address).ok_or(wrong(FORMS.len()))?;
        let count = reader.pointer(FORMS[2], 0).ok_or(wrong(reader.offset))? as usize;
        let room = count.checked_add(capacity).filter(|&all| u32::try_from(all).is_ok());
        let room = room.ok_or(LiveError::FramesFull { room: u32::MAX as usize, needed: capacity })?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let mut relative = || {
                let offset = reader.pointer(0x0b, 0)?;
                Some(header.address.wrapping_add(offset))
            };
            let (Some(start), Some(entry)) = (relative(), relative()) else {
                return Err(wrong(reader.offset));
            };
            entries.push(FrameEntry { start, entry });
        }
        if !entries.is_sorted_by_key(|frame| frame.start) {
            return Err(wrong(FIRST));
        }
        let mut bytes = FORMS.to_vec();
        bytes.extend(offset_from(at.saturating_add(FORMS.len() as u64), section)?);
        bytes.extend((count as u32).to_le_bytes());
        bytes.extend(encoded(at, &entries)?);
        bytes.resize(FIRST + ENTRY * room, 0);
        Ok(Self { at, bytes, count, last: entries.last().map(|frame| frame.start) })
    }

    /// The size in bytes that the table of `program` has with room for `capacity` frames more.
    /// It does not depend on the address.
    pub fn size(program: &LiveProgram, capacity: usize) -> Result<usize, LiveError> {
        let header = program.exception_header().ok_or(LiveError::NoFrames)?;
        // A table near the old one reaches whatever the old one reaches.
        Ok(Self::of(program, header.address & !3, capacity)?.bytes.len())
    }

    /// The whole table as it is now, room included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many frames are in the table.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many frames more there is room for.
    pub fn room(&self) -> usize {
        (self.bytes.len() - FIRST) / ENTRY - self.count
    }

    /// Where the last code starts that the table knows; new code must be above.
    pub fn last(&self) -> Option<u64> {
        self.last
    }

    /// Adds `frames`, which are sorted and above all others. What is returned must be written in
    /// this order. After an error nothing has changed.
    pub fn appended(&mut self, frames: &[FrameEntry]) -> Result<Vec<TableWrite>, LiveError> {
        if frames.len() > self.room() {
            return Err(LiveError::FramesFull { room: self.room(), needed: frames.len() });
        }
        let mut last = self.last;
        for (number, &FrameEntry { start, .. }) in frames.iter().enumerate() {
            // Two frames of one empty function are in order; nothing else may be twice.
            if let Some(last) = last.filter(|&last| start < last || (number == 0 && start == last)) {
                return Err(LiveError::FramesOrder { start, last });
            }
            last = Some(start);
        }
        if frames.is_empty() {
            return Ok(Vec::new());
        }
        let entries = TableWrite { offset: FIRST + ENTRY * self.count, bytes: encoded(self.at, frames)? };
        let count = self.count + frames.len();
        // `of` has checked that what there is room for can be counted in four bytes.
        let count_bytes = TableWrite { offset: COUNT, bytes: (count as u32).to_le_bytes().to_vec() };
        let writes = vec![entries, count_bytes];
        for write in &writes {
            self.bytes[write.offset..write.offset + write.bytes.len()].copy_from_slice(&write.bytes);
        }
        (self.count, self.last) = (count, last);
        Ok(writes)
    }
}

/// The entries of a table at `at`.
fn encoded(at: u64, frames: &[FrameEntry]) -> Result<Vec<u8>, LiveError> {
    let mut bytes = Vec::with_capacity(ENTRY * frames.len());
    for frame in frames {
        bytes.extend(offset_from(at, frame.start)?);
        bytes.extend(offset_from(at, frame.entry)?);
    }
    Ok(bytes)
}

fn offset_from(base: u64, address: u64) -> Result<[u8; 4], LiveError> {
    let distance = i128::from(address) - i128::from(base);
    i32::try_from(distance).map(i32::to_le_bytes).map_err(|_| LiveError::FramesReach { address })
}

/// Makes the executable in `bytes` use the table of `size` bytes at `at`, which a segment of the
/// file holds. The table's own bytes are not written.
pub fn redirect(bytes: &mut [u8], at: u64, size: u64) -> Result<(), LiveError> {
    let header = Header::parse(&*bytes).map_err(|_| LiveError::Machine)?;
    let segments = header.program_headers(LE, &*bytes)?;
    let holds = |segment: &&elf::ProgramHeader64<LE>| {
        let inside = at.checked_sub(segment.p_vaddr(LE)).and_then(|inside| inside.checked_add(size));
        segment.p_type(LE) == elf::PT_LOAD && inside.is_some_and(|end| end <= segment.p_filesz(LE))
    };
    let holder = segments.iter().find(holds).ok_or(LiveError::NotInFile { at, size })?;
    let offset = (at - holder.p_vaddr(LE)).checked_add(holder.p_offset(LE));
    let offset = offset.ok_or(LiveError::NotInFile { at, size })?;
    let is_frames = |segment: &elf::ProgramHeader64<LE>| segment.p_type(LE) == elf::PT_GNU_EH_FRAME;
    let index = segments.iter().position(is_frames).ok_or(LiveError::NoFrames)?;
    let mut segment = segments[index];
    segment.p_offset = U64::new(LE, offset);
    (segment.p_vaddr, segment.p_paddr) = (U64::new(LE, at), U64::new(LE, at));
    (segment.p_filesz, segment.p_memsz) = (U64::new(LE, size), U64::new(LE, size));
    let new = object::bytes_of(&segment);
    // The header was read at this place, so it is inside.
    let place = header.e_phoff(LE) as usize + index * new.len();
    bytes[place..place + new.len()].copy_from_slice(new);
    Ok(())
}
