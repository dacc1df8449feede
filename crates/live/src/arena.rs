//! Where do new versions go, and how does a running program see them?
//!
//! A file has the program's words and notes, the unwinder's table, and the versions. The program maps its parts over
//! its own pages before it begins (`crates/runtime/src/c/live.c`), so what is written into the file is in the program.
//! A version is complete before a word leads to it: first its bytes, then its frames, then the word.
//!
//! The file is an ELF program with one part, the versions, at their addresses in the program. So who samples the
//! program reads addresses of versions as those of any other file, and their names (`names`).
//!
//! Input: an executable, and where its parts are. Output: the file. Cost: words and table are copied once, a version
//! once. Limits: versions are never taken away, since a frame may be in each of them; a full arena takes no more.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};
use thiserror::Error;

use crate::names::{IDENTITY, Names};
use crate::symbol::Header;
use crate::words::Words;
use crate::{Frames, LinkRefused, LinkedVersion, LiveError, LiveProgram, link, redirect};

/// What the file begins with, before its parts.
const PAGE: u64 = 4096;
/// Versions begin at lines of the cache.
const LINE: u64 = 64;

/// Where the parts are in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArenaParts {
    /// Words and notes.
    pub words: Range<u64>,
    /// The unwinder's table.
    pub frames: Range<u64>,
    /// Versions.
    pub code: Range<u64>,
}

/// Why there is no arena.
#[derive(Debug, Error)]
pub enum ArenaError {
    /// The executable is not as it must be.
    #[error(transparent)]
    Program(#[from] LiveError),
    /// The executable does not have a part in its file.
    #[error("the executable has no bytes at {0:#x}")]
    NoBytes(u64),
    /// The file cannot be made or written.
    #[error("the file of versions: {0}")]
    File(#[from] io::Error),
}

/// Why a version is not in the arena.
#[derive(Debug, Error)]
pub enum ArenaRefusal {
    /// It cannot be linked.
    #[error(transparent)]
    Refused(#[from] LinkRefused),
    /// The unwinder's table takes no more.
    #[error(transparent)]
    Frames(#[from] LiveError),
    /// The file cannot be written.
    #[error("the file of versions: {0}")]
    File(#[from] io::Error),
}

/// Words, table and versions of a program that runs.
#[derive(Debug)]
pub struct Arena {
    file: File,
    parts: ArenaParts,
    words: Words,
    frames: Option<Frames>,
    names: Names,
    next: u64,
}

impl Arena {
    /// Makes the file at `path`, and changes the executable in `bytes` so that exceptions find versions.
    ///
    /// # Errors
    /// The executable is not as it must be, or the file cannot be written.
    pub fn create(
        path: &Path,
        bytes: &mut [u8],
        program: &LiveProgram,
        parts: &ArenaParts,
    ) -> Result<Arena, ArenaError> {
        let size = (parts.frames.end - parts.frames.start) as usize;
        let frames = match program.exception_header() {
            None => None,
            Some(_) => {
                let own = Frames::size(program, 0)?;
                let capacity = size.saturating_sub(own) / 8;
                Some(Frames::of(program, parts.frames.start, capacity)?)
            }
        };
        let words = bytes_at(bytes, &parts.words).ok_or(ArenaError::NoBytes(parts.words.start))?.to_vec();
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path)?;
        let end = code_offset(parts) + (parts.code.end - parts.code.start);
        let mut arena = Arena {
            words: {
                file.set_len(end)?;
                file.write_all_at(&header(parts), 0)?;
                file.write_all_at(&words, PAGE)?;
                Words::map(&file, (PAGE + parts.words.end - parts.words.start) as usize)?
            },
            names: Names::create(&file, end, &parts.code, code_offset(parts))?,
            file,
            parts: parts.clone(),
            frames,
            next: parts.code.start,
        };
        if let Some(frames) = &arena.frames {
            let table = frames.bytes();
            if table.len() > size {
                return Err(LiveError::FramesFull { room: size, needed: table.len() }.into());
            }
            arena.file.write_all_at(table, arena.frames_offset())?;
            redirect(bytes, parts.frames.start, table.len() as u64)?;
            let own = bytes_at_mut(bytes, &parts.frames).ok_or(ArenaError::NoBytes(parts.frames.start))?;
            own[..table.len()].copy_from_slice(table);
        }
        arena.next = parts.code.start;
        Ok(arena)
    }

    /// Links a version of a function of this name, and writes it where the program sees it. No word leads to it yet.
    ///
    /// # Errors
    /// It cannot be linked, or there is no more room.
    pub fn add(
        &mut self,
        function: &str,
        object: &[u8],
        program: &LiveProgram,
    ) -> Result<LinkedVersion, ArenaRefusal> {
        let linked = link(object, program, self.next, self.parts.code.end - self.next)?;
        self.file
            .write_all_at(&linked.bytes, code_offset(&self.parts) + self.next - self.parts.code.start)?;
        let offset = self.frames_offset();
        if let Some(frames) = &mut self.frames {
            for write in frames.appended(&linked.frames)? {
                self.file.write_all_at(&write.bytes, offset + write.offset as u64)?;
            }
        }
        self.names.add(&self.file, function, &linked)?;
        self.next = (self.next + linked.bytes.len() as u64).next_multiple_of(LINE).min(self.parts.code.end);
        Ok(linked)
    }

    /// Bytes that versions take.
    pub fn used(&self) -> u64 {
        self.next - self.parts.code.start
    }

    /// Where versions may be.
    pub fn code(&self) -> Range<u64> {
        self.parts.code.clone()
    }

    /// A word of the program, and what it wrote before.
    ///
    /// # Panics
    /// There is no word at this address.
    pub fn word(&self, address: u64) -> u64 {
        self.words.load(self.word_offset(address))
    }

    /// Changes a word of the program.
    ///
    /// # Panics
    /// There is no word at this address.
    pub fn set_word(&self, address: u64, value: u64) {
        self.words.store(self.word_offset(address), value);
    }

    fn word_offset(&self, address: u64) -> usize {
        assert!(self.parts.words.contains(&address), "{address:#x} is no word");
        (PAGE + address - self.parts.words.start) as usize
    }

    fn frames_offset(&self) -> u64 {
        PAGE + self.parts.words.end - self.parts.words.start
    }
}

fn code_offset(parts: &ArenaParts) -> u64 {
    PAGE + (parts.words.end - parts.words.start) + (parts.frames.end - parts.frames.start)
}

/// The header of a program that has the versions at their addresses, and a build-id of its own.
fn header(parts: &ArenaParts) -> Vec<u8> {
    let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let mut add = |width: usize, value: u64| bytes.extend(&value.to_le_bytes()[..width]);
    let (code, size) = (parts.code.start, parts.code.end - parts.code.start);
    for (width, value) in
        [(2, 2), (2, 62), (4, 1), (8, code), (8, 64), (8, 0), (4, 0), (2, 64), (2, 56), (2, 2)]
    {
        add(width, value);
    }
    for (width, value) in [(2, 64), (2, 0), (2, 0)] {
        add(width, value);
    }
    let part = [code_offset(parts), code, code, size, size, PAGE];
    add(4, u64::from(elf::PT_LOAD));
    add(4, u64::from(elf::PF_R | elf::PF_X));
    part.iter().for_each(|&value| add(8, value));
    let (note, length) = (IDENTITY.start, IDENTITY.end - IDENTITY.start);
    add(4, u64::from(elf::PT_NOTE));
    add(4, u64::from(elf::PF_R));
    [note, 0, 0, length, length, 4].iter().for_each(|&value| add(8, value));
    [4, 20, u64::from(elf::NT_GNU_BUILD_ID)].iter().for_each(|&value| add(4, value));
    bytes.extend(*b"GNU\0");
    bytes.extend(identity());
    bytes
}

/// Twenty bytes that no other file has.
fn identity() -> [u8; 20] {
    let mut id = [0; 20];
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    id[..16].copy_from_slice(&time.as_nanos().to_le_bytes());
    id[16..].copy_from_slice(&std::process::id().to_le_bytes());
    id
}

/// Where the bytes of a range of addresses are in an executable.
fn range_in(bytes: &[u8], range: &Range<u64>) -> Option<Range<usize>> {
    let header = Header::parse(bytes).ok()?;
    let segments = header.program_headers(LE, bytes).ok()?;
    segments.iter().find_map(|segment| {
        let inside = range.start.checked_sub(segment.p_vaddr(LE))?;
        let length = range.end.checked_sub(range.start)?;
        let is_there =
            segment.p_type(LE) == elf::PT_LOAD && inside.checked_add(length)? <= segment.p_filesz(LE);
        let start = usize::try_from(segment.p_offset(LE).checked_add(inside)?).ok()?;
        is_there.then(|| start..start + length as usize)
    })
}

fn bytes_at<'a>(bytes: &'a [u8], range: &Range<u64>) -> Option<&'a [u8]> {
    bytes.get(range_in(bytes, range)?)
}

fn bytes_at_mut<'a>(bytes: &'a mut [u8], range: &Range<u64>) -> Option<&'a mut [u8]> {
    let place = range_in(bytes, range)?;
    bytes.get_mut(place)
}
