//! Is what the bytes say possible, and what is it?
//!
//! Order of work: header, then each region as a checked slice of the file,
//! then counts. A region is looked at only after its bounds are known.

use opcost_key::Hash128;

use super::file::{
    EndState, Error, ImageFacts, LeftFrame, ProcessFacts, RawFile, RawFlags, RawModule, RawPart,
};
use super::layout::{self, RawField, RawSection};

impl RawFile {
    /// Reads a file's bytes.
    ///
    /// # Errors
    /// It is none, is of another version, or was damaged.
    pub fn parse(bytes: &[u8]) -> Result<RawFile, Error> {
        parse(bytes)
    }
}

fn parse(bytes: &[u8]) -> Result<RawFile, Error> {
    let header = Header::read(bytes)?;
    let totals = totals(&header)?;
    Ok(RawFile {
        process: process(&header),
        image: image(&header)?,
        end: end(&header)?,
        flags: RawFlags(header.number(layout::FLAGS)),
        is_forked: header.number(layout::BASELINE_OFFSET) != 0,
        slab_count: header.number(layout::SLABS_COUNT),
        modules: modules(&header, &totals)?,
        left: left(&header)?,
    })
}

/// The file, known to hold a complete header of this version.
struct Header<'a> {
    bytes: &'a [u8],
}

impl<'a> Header<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        match bytes.get(..8) {
            Some(magic) if magic == layout::MAGIC => {}
            // Made, perhaps reserved, but the magic comes last.
            _ if bytes.iter().take(8).all(|byte| *byte == 0) => return Err(Error::NotBegun),
            _ => return Err(Error::NotOpcraw),
        }
        let header = Header { bytes };
        // The version first: another one may have a shorter header.
        let version = header.region(RawPart::Header, layout::VERSION_FIELD.offset as u64, 4)?;
        let found = version.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        if found != layout::VERSION {
            return Err(Error::OtherVersion { actual: found });
        }
        header.region(RawPart::Header, 0, layout::HEADER_BYTES)?;
        Ok(header)
    }

    /// A numeric field; the header is known to be there.
    fn number(&self, field: RawField) -> u64 {
        let length = match field.kind {
            RawSection::U32 => 4,
            RawSection::U64 => 8,
            RawSection::Bytes(length) => length.min(8),
        };
        let bytes = &self.bytes[field.offset..field.offset + length];
        bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn small(&self, field: RawField) -> u32 {
        debug_assert_eq!(field.kind, RawSection::U32);
        self.number(field) as u32
    }

    fn text(&self, field: RawField) -> &'a [u8] {
        let RawSection::Bytes(length) = field.kind else { return &[] };
        &self.bytes[field.offset..field.offset + length]
    }

    /// `length` bytes from `offset` on, if the file has them.
    fn region(&self, part: RawPart, offset: u64, length: u64) -> Result<&'a [u8], Error> {
        let needed =
            offset.checked_add(length).ok_or(Error::Inconsistent { part, what: "it lies beyond 2^64" })?;
        let present = self.bytes.len() as u64;
        if needed > present {
            return Err(Error::Truncated { part, needed, present });
        }
        Ok(&self.bytes[offset as usize..needed as usize])
    }

    /// `count` entries of `size` bytes from `offset` on.
    fn table(&self, part: RawPart, offset: u64, count: u64, size: u64) -> Result<&'a [u8], Error> {
        let length =
            count.checked_mul(size).ok_or(Error::Inconsistent { part, what: "it is longer than 2^64" })?;
        self.region(part, offset, length)
    }
}

/// Bytes as little-endian numbers; a rest below eight bytes is dropped.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk))
}

fn process(header: &Header<'_>) -> ProcessFacts {
    ProcessFacts {
        pid: header.small(layout::PID),
        parent_pid: header.small(layout::PARENT_PID),
        process_start_ns: header.number(layout::PROCESS_START),
        program_start_ns: header.number(layout::PROGRAM_START),
        sequence: header.small(layout::SEQUENCE),
    }
}

fn image(header: &Header<'_>) -> Result<ImageFacts, Error> {
    let path = header.text(layout::IMAGE_PATH);
    let path = path.split(|byte| *byte == 0).next().unwrap_or_default();
    let build_id = header.text(layout::BUILD_ID).get(..header.small(layout::BUILD_ID_BYTES) as usize);
    Ok(ImageFacts {
        path: String::from_utf8_lossy(path).into_owned(),
        build_id: build_id
            .ok_or(Error::Inconsistent { part: RawPart::Header, what: "the build id is too long" })?
            .to_vec(),
        bias: header.number(layout::IMAGE_BIAS),
        start: header.number(layout::IMAGE_START),
        end: header.number(layout::IMAGE_END),
        section_start: header.number(layout::SECTION_START),
    })
}

fn end(header: &Header<'_>) -> Result<EndState, Error> {
    Ok(match header.small(layout::END_STATE) {
        0 => EndState::None,
        1 => EndState::Exit,
        2 => EndState::ImmediateExit,
        3 => EndState::Abort,
        4 => EndState::Exec,
        5 => EndState::QuickExit,
        _ => return Err(Error::Inconsistent { part: RawPart::Header, what: "no such end of a program" }),
    })
}

/// The counts of the whole section: final, less baseline, plus slabs.
fn totals(header: &Header<'_>) -> Result<Vec<u64>, Error> {
    let length = header.number(layout::COUNTERS_BYTES);
    let counters = header.region(RawPart::Counters, header.number(layout::COUNTERS_OFFSET), length)?;
    let mut totals: Vec<u64> = numbers(counters).collect();
    let baseline = header.number(layout::BASELINE_OFFSET);
    if baseline != 0 {
        let began = numbers(header.region(RawPart::Baseline, baseline, length)?);
        for (cell, (total, began)) in (0..).zip(totals.iter_mut().zip(began)) {
            *total = total.checked_sub(began).ok_or(Error::Wrapped { cell })?;
        }
    }
    add_slabs(header, length, &mut totals)?;
    Ok(totals)
}

fn add_slabs(header: &Header<'_>, length: u64, totals: &mut [u64]) -> Result<(), Error> {
    let (count, stride) = (header.number(layout::SLABS_COUNT), header.number(layout::SLAB_STRIDE));
    let slabs = header.table(RawPart::Slabs, header.number(layout::SLABS_OFFSET), count, stride)?;
    if count == 0 {
        return Ok(());
    }
    if stride < length || stride == 0 {
        return Err(Error::Inconsistent {
            part: RawPart::Slabs,
            what: "a slab is shorter than the counters",
        });
    }
    for slab in slabs.chunks_exact(stride as usize) {
        for (cell, (total, more)) in (0..).zip(totals.iter_mut().zip(numbers(slab))) {
            *total = total.checked_add(more).ok_or(Error::Overflow { cell })?;
        }
    }
    Ok(())
}

fn modules(header: &Header<'_>, totals: &[u64]) -> Result<Vec<RawModule>, Error> {
    let (offset, count) = (header.number(layout::MODULES_OFFSET), header.number(layout::MODULES_COUNT));
    let table = header.table(RawPart::Modules, offset, count, layout::MODULE_BYTES)?;
    let entries: Vec<Module> = table.as_chunks::<32>().0.iter().map(Module::read).collect();
    let mut by_place: Vec<&Module> = entries.iter().collect();
    by_place.sort_by_key(|module| module.offset);
    // Overlap would count twice; ends are checked before, so sums are safe.
    let mut free = 0;
    for module in by_place {
        let end = module.end(totals.len() as u64)?;
        if module.cells != 0 && module.offset / 8 < free {
            return Err(Error::Inconsistent { part: RawPart::Modules, what: "two modules share counters" });
        }
        free = free.max(end);
    }
    let counts = |module: &Module| {
        let first = (module.offset / 8) as usize;
        totals[first..first + module.cells as usize].to_vec()
    };
    Ok(entries.iter().map(|entry| RawModule { map_hash: entry.hash, counts: counts(entry) }).collect())
}

struct Module {
    hash: Hash128,
    /// In bytes from the section's start.
    offset: u64,
    cells: u64,
}

impl Module {
    fn read(entry: &[u8; 32]) -> Self {
        let words: Vec<u64> = numbers(entry).collect();
        let hash = Hash128(u128::from(words[1]) << 64 | u128::from(words[0]));
        Module { hash, offset: words[2], cells: words[3] }
    }

    /// Index of the cell after its last.
    fn end(&self, cells: u64) -> Result<u64, Error> {
        let wrong = |what| Error::Inconsistent { part: RawPart::Modules, what };
        if !self.offset.is_multiple_of(8) {
            return Err(wrong("counters of a module lie at no multiple of eight"));
        }
        let end = (self.offset / 8).checked_add(self.cells).filter(|end| *end <= cells);
        end.ok_or(wrong("counters of a module lie outside the section"))
    }
}

fn left(header: &Header<'_>) -> Result<Vec<LeftFrame>, Error> {
    let (offset, capacity) = (header.number(layout::LEFT_OFFSET), header.number(layout::LEFT_CAPACITY));
    let table = header.table(RawPart::LeftTable, offset, capacity, layout::LEFT_BYTES)?;
    let words: Vec<u64> = numbers(table).collect();
    let entries =
        words.as_chunks::<2>().0.iter().map(|[pc, count]| LeftFrame { pc: *pc, count: *count as i64 });
    let mut left: Vec<LeftFrame> = entries.filter(|frame| frame.pc != 0 && frame.count != 0).collect();
    left.sort_by_key(|frame| frame.pc);
    if left.windows(2).any(|pair| pair[0].pc == pair[1].pc) {
        return Err(Error::Inconsistent {
            part: RawPart::LeftTable,
            what: "an address is noted in two places",
        });
    }
    Ok(left)
}
