//! What did somebody else sample: what does a `perf.data` say?
//!
//! The file is a header, the attributes of its events with their ids, records
//! (decoded by [`crate::decode`], as from the ring), and a table of build-ids.
//! All records are read and sorted by time, then folded; so the order in which
//! `perf` wrote the rings does not matter. A file that breaks off gives what
//! stands before the break, and says so.
//!
//! Sources: `tools/perf/Documentation/perf.data-file-format.txt`. The crate
//! `linux-perf-data` reads more; it makes room by sizes that the file states
//! before it has compared them with the file, so a damaged file can end the
//! process. It is the referee in the tests.
//!
//! A file that went through a pipe (`perf record -o -`) has records in place of
//! the tables, and is read twice: for events and build-ids, then for samples.
//! Compressed records are unpacked (`unpack`) and read like the others.
//!
//! Limits, each refused by name: big-endian files and several events with samples. An image without a
//! build-id (or all, after `perf record -B`) must not have changed since the
//! file was written; a copy of the file must keep that time (`cp -p`). Memory: about as much as
//! the file.

mod unpack;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::collect::Collector;
use crate::decode::{self, FileMark, HEADER_BYTES, Header, Record, SampleLayout, Stamped, field};
use crate::image::ImageFile;
use crate::malformed::MalformedSample;
use crate::order::Queue;
use crate::reason::hexadecimal;
use crate::samples::{End, Rate, Samples};
use crate::sys::event::{self, flag};
use crate::{Error, Event, sys};
use unpack::Packed;

/// The samples of the file at `path`; images are looked for where they were.
pub fn read_perf_data(path: &Path) -> Result<Samples, Error> {
    read_perf_data_with(path, &[])
}

/// The same. What is not where it was any more, or is another build there, is read from that file
/// of `images` that has its build-id.
pub fn read_perf_data_with(path: &Path, images: &[PathBuf]) -> Result<Samples, Error> {
    read_file(path, images, None)
}

/// The same, of the processes of `program` only: what ran at the same time is left out and counted.
///
/// # Errors
/// Neither `program` nor a program among `images` is what ran.
pub fn read_perf_data_of(path: &Path, program: &Path, images: &[PathBuf]) -> Result<Samples, Error> {
    read_file(path, images, Some(program))
}

fn read_file(path: &Path, images: &[PathBuf], program: Option<&Path>) -> Result<Samples, Error> {
    let wrong = |source| Error::File { path: path.to_owned(), source };
    let bytes = std::fs::read(path).map_err(|error| wrong(error.into()))?;
    let recorded = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    let recorded = recorded.map_err(|error| wrong(error.into()))?;
    read(&bytes, &ReadRequest { recorded, images, program }).map_err(wrong)
}

/// What is asked of a file.
struct ReadRequest<'a> {
    /// When it was written.
    recorded: SystemTime,
    /// Files that replace others of the same build.
    images: &'a [PathBuf],
    /// The program whose processes are selected, if not all.
    program: Option<&'a Path>,
}

impl ReadRequest<'_> {
    fn collector(&self) -> Result<Collector, MalformedSample> {
        let mut collector = Collector::new(sys::page_size(), self.recorded);
        let Some(program) = self.program else {
            collector.stand_in(self.images);
            return Ok(collector);
        };
        let stand_ins: Vec<PathBuf> = self.images.iter().cloned().chain([program.to_owned()]).collect();
        collector.stand_in(&stand_ins);
        let own = ImageFile::open(program).map_err(|reason| MalformedSample::NoProgram {
            program: program.to_owned(),
            cause: reason.to_string(),
        })?;
        // Who names the build that ran means it; a library names no program.
        let named = self.images.iter().filter_map(|path| ImageFile::open(path).ok());
        let named = named.filter(|file| file.image.is_program);
        collector.select([own].into_iter().chain(named).collect());
        Ok(collector)
    }

    /// Whether the program was there at all.
    fn compare(&self, collector: &Collector, is_whole: bool) -> Result<(), MalformedSample> {
        let Some(program) = self.program.filter(|_| collector.counts().processes == 0) else { return Ok(()) };
        let ran = collector.left_out_in();
        let is_namesake =
            |(path, _): &&(String, Option<Vec<u8>>)| Path::new(path).file_name() == program.file_name();
        let is_no_library = |(path, _): &&(String, Option<Vec<u8>>)| !path.contains(".so");
        let found = ran.iter().find(is_namesake).or_else(|| ran.iter().find(is_no_library));
        let own = ImageFile::open(program).ok().and_then(|file| file.image.build_id);
        let program = program.to_owned();
        Err(match (found, own) {
            (None, _) => {
                let samples = collector.left_out().samples;
                MalformedSample::NotOfProgram { program, samples, is_whole }
            }
            (Some((path, Some(ran))), Some(own)) => MalformedSample::OtherBuild {
                program,
                own: hexadecimal(&own),
                path: path.clone(),
                ran: hexadecimal(ran),
            },
            (Some((path, ran)), own) => {
                let whose = match (ran, own) {
                    (None, None) => "neither has a",
                    (None, Some(_)) => "what ran has no",
                    (Some(_), _) => "the program that is named has no",
                };
                MalformedSample::NotComparable { program, path: path.clone(), whose }
            }
        })
    }
}

/// An event of the file.
struct Attribute {
    event: String,
    rate: u64,
    layout: SampleLayout,
    with_kernel: bool,
    ids: Vec<u64>,
}

/// Part of the file.
#[derive(Clone, Copy)]
struct Section {
    offset: u64,
    length: u64,
}

fn number(bytes: &[u8], offset: usize) -> Option<u64> {
    bytes.get(offset..)?.first_chunk().map(|word| u64::from_le_bytes(*word))
}

fn small(bytes: &[u8], offset: usize) -> Option<u32> {
    bytes.get(offset..)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

impl Section {
    fn read(bytes: &[u8], offset: usize) -> Option<Self> {
        Some(Section { offset: number(bytes, offset)?, length: number(bytes, offset + 8)? })
    }

    fn of(self, bytes: &[u8]) -> Option<&[u8]> {
        let end = self.offset.checked_add(self.length)?;
        bytes.get(usize::try_from(self.offset).ok()?..usize::try_from(end).ok()?)
    }
}

/// The samples in the bytes of a file.
fn read(bytes: &[u8], request: &ReadRequest<'_>) -> Result<Samples, MalformedSample> {
    match bytes.first_chunk::<8>() {
        Some(b"PERFILE2") => {}
        Some(b"2ELIFREP") => return Err(MalformedSample::BigEndian),
        _ => return Err(MalformedSample::NotPerfData),
    }
    let broken = |part| MalformedSample::BrokenOff { part };
    if number(bytes, 8) == Some(PIPE_HEADER as u64) {
        return read_stream(bytes, request);
    }
    let attributes = attributes(bytes)?;
    let data = Section::read(bytes, 40).ok_or(broken("header"))?;
    let begin = usize::try_from(data.offset).ok().filter(|begin| *begin <= bytes.len());
    let begin = begin.ok_or(broken("records"))?;
    // A recorder that was killed left no length.
    let complete = data.of(bytes).filter(|_| data.length > 0);
    let records = complete.unwrap_or(&bytes[begin..]);
    let mut file = Reader::new(&attributes);
    let is_whole = file.all(records, begin)? && complete.is_some();
    let build_ids = if complete.is_some() { build_ids(bytes, data) } else { BTreeMap::new() };
    file.samples(&build_ids, request, is_whole)
}

/// Bytes of the header of a file that went through a pipe.
const PIPE_HEADER: usize = 16;

/// The samples in a file that went through a pipe: records describe events and builds.
fn read_stream(bytes: &[u8], request: &ReadRequest<'_>) -> Result<Samples, MalformedSample> {
    const EVENT: u32 = 64;
    const BUILD_ID: u32 = 67;
    const FEATURE: u32 = 80;
    const BUILD_IDS: u64 = 2;
    let records = &bytes[PIPE_HEADER..];
    let (mut attributes, mut build_ids) = (Vec::new(), BTreeMap::new());
    let mut has_broken_event = false;
    visit_records(records, |header, record, _| {
        let body = &record[HEADER_BYTES..];
        match header.kind {
            EVENT => match stream_attribute(body) {
                Some(attribute) => attributes.push(attribute),
                None => has_broken_event = true,
            },
            BUILD_ID => add_build_ids(record, &mut build_ids),
            FEATURE if number(body, 0) == Some(BUILD_IDS) => add_build_ids(&body[8..], &mut build_ids),
            _ => {}
        }
        Ok(())
    })?;
    if has_broken_event || (attributes.is_empty() && Header::read(records).is_none()) {
        return Err(MalformedSample::BrokenOff { part: "events" });
    }
    let attributes = distinct(attributes)?;
    let mut file = Reader::new(&attributes);
    let is_whole = file.all(records, PIPE_HEADER)?;
    file.samples(&build_ids, request, is_whole)
}

/// An event as a record describes it: its attribute, which begins with its kind and size, and ids.
fn stream_attribute(body: &[u8]) -> Option<Attribute> {
    let size = usize::try_from(small(body, 4)?).ok().filter(|size| *size >= 64)?;
    let ids = body.get(size..)?;
    attribute(body.get(..size)?, ids)
}

/// Goes over records with their places, until `visit` refuses one; `false` if they break off.
fn visit_records<'a>(
    bytes: &'a [u8],
    mut visit: impl FnMut(Header, &'a [u8], usize) -> Result<(), MalformedSample>,
) -> Result<bool, MalformedSample> {
    const AUXILIARY: u32 = 71;
    const TRACING: u32 = 66;
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some(header) = Header::read(rest) else { return Ok(false) };
        let place = bytes.len() - rest.len();
        let (record, behind) = rest.split_at(header.size);
        let body = &record[HEADER_BYTES..];
        // Two kinds are followed by bytes that are not in their size.
        let more = match header.kind {
            AUXILIARY => number(body, 0),
            TRACING => small(body, 0).map(|length| u64::from(length).next_multiple_of(8)),
            _ => Some(0),
        };
        let Some(behind) = more.and_then(|more| behind.get(usize::try_from(more).ok()?..)) else {
            return Ok(false);
        };
        rest = behind;
        visit(header, record, place)?;
    }
    Ok(true)
}

fn attributes(bytes: &[u8]) -> Result<Vec<Attribute>, MalformedSample> {
    let broken = || MalformedSample::BrokenOff { part: "events" };
    let size = number(bytes, 16).and_then(|size| usize::try_from(size).ok()).ok_or_else(broken)?;
    let section = Section::read(bytes, 24).and_then(|section| section.of(bytes)).ok_or_else(broken)?;
    // The oldest attribute has 64 bytes, and its section of ids 16.
    if size < 80 {
        return Err(broken());
    }
    let entry = |entry: &[u8]| {
        let (own, ids) = entry.split_at(size - 16);
        attribute(own, Section::read(ids, 0)?.of(bytes)?)
    };
    let attributes: Option<Vec<Attribute>> = section.chunks_exact(size).map(entry).collect();
    distinct(attributes.ok_or_else(broken)?)
}

/// Events whose records can be distinguished.
fn distinct(attributes: Vec<Attribute>) -> Result<Vec<Attribute>, MalformedSample> {
    let first = attributes.first().ok_or(MalformedSample::NoEvent)?;
    let is_alike = attributes.iter().all(|other| other.layout == first.layout);
    let has_id = attributes.iter().all(|attribute| attribute.layout.sample_type & field::IDENTIFIER != 0);
    if !is_alike && !has_id {
        return Err(MalformedSample::Ambiguous);
    }
    Ok(attributes)
}

fn attribute(entry: &[u8], ids: &[u8]) -> Option<Attribute> {
    let (kind, config, pace) = (small(entry, 0)?, number(entry, 8)?, number(entry, 16)?);
    let flags = number(entry, 40)?;
    let event = Event::of(kind, config);
    let rate = match () {
        () if flags & flag::FREQUENCY != 0 => pace,
        () if event.is_clock() => 1_000_000_000_u64.checked_div(pace).unwrap_or(0),
        () => 0,
    };
    let ids = ids.as_chunks::<8>().0.iter().map(|id| u64::from_le_bytes(*id)).collect();
    let layout = SampleLayout {
        sample_type: number(entry, 24)?,
        read_format: number(entry, 32)?,
        stamps_all: flags & flag::STAMP_ALL != 0,
        numbers_branches: number(entry, 72).unwrap_or(0) & event::NUMBER_BRANCHES != 0,
    };
    let with_kernel = flags & flag::EXCLUDE_KERNEL == 0;
    Some(Attribute { event: event.name().to_owned(), rate, layout, with_kernel, ids })
}

/// Path → build-id of what was hit, as `perf` found it when it stopped. Cut
/// off where it does not make sense any more: then builds are not known.
fn build_ids(bytes: &[u8], data: Section) -> BTreeMap<String, Vec<u8>> {
    const BUILD_IDS: u64 = 1 << 2;
    let mut found = BTreeMap::new();
    let features = number(bytes, 72).unwrap_or(0);
    if features & BUILD_IDS == 0 {
        return found;
    }
    let before = u64::from((features & (BUILD_IDS - 1)).count_ones());
    let table = data.offset.checked_add(data.length).and_then(|end| end.checked_add(before * 16));
    let section = table.and_then(|table| Section::read(bytes, usize::try_from(table).ok()?));
    add_build_ids(section.and_then(|section| section.of(bytes)).unwrap_or_default(), &mut found);
    found
}

/// Adds what records of build-ids say.
fn add_build_ids(mut rest: &[u8], found: &mut BTreeMap<String, Vec<u8>>) {
    const TELLS_SIZE: u16 = 1 << 15;
    while let Some(header) = Header::read(rest) {
        let (entry, behind) = rest.split_at(header.size);
        rest = behind;
        let (Some(id), Some(path)) = (entry.get(12..36), entry.get(36..)) else { continue };
        let length = if header.flags & TELLS_SIZE != 0 { usize::from(id[20]).min(20) } else { 20 };
        let path = path.split(|byte| *byte == 0).next().unwrap_or_default();
        found.insert(String::from_utf8_lossy(path).into_owned(), id[..length].to_vec());
    }
}

struct Reader<'a> {
    attributes: &'a [Attribute],
    queue: Queue,
    /// The event whose samples were seen, with the times of the first and last.
    sampled: Option<(usize, u64, u64)>,
    broken: u64,
}

impl<'a> Reader<'a> {
    fn new(attributes: &'a [Attribute]) -> Self {
        Reader { attributes, queue: Queue::default(), sampled: None, broken: 0 }
    }

    /// Reads records that begin at a place of the file, and those that are compressed in
    /// them; `false` if they break off.
    fn all(&mut self, records: &[u8], begin: usize) -> Result<bool, MalformedSample> {
        const COMPRESSED: u32 = 81;
        /// With its size before it, since records are filled up.
        const COMPRESSED_SIZED: u32 = 83;
        let mut packed = Packed::default();
        let is_whole = visit_records(records, |header, record, place| {
            let (body, place) = (&record[HEADER_BYTES..], begin + place + HEADER_BYTES);
            match header.kind {
                COMPRESSED => packed.push(body, place),
                COMPRESSED_SIZED => {
                    let size = number(body, 0).and_then(|size| usize::try_from(size).ok());
                    let piece = size.and_then(|size| body.get(8..)?.get(..size));
                    packed.push(piece.ok_or(MalformedSample::DamagedBlock { offset: place })?, place + 8);
                }
                0..64 => self.record(header, body)?,
                _ => {}
            }
            Ok(())
        })?;
        let unpacked = packed.unpack()?;
        let ends = visit_records(&unpacked.records, |header, record, _| match header.kind {
            0..64 => self.record(header, &record[HEADER_BYTES..]),
            _ => Ok(()),
        })?;
        Ok(is_whole && unpacked.is_whole && ends)
    }

    fn record(&mut self, header: Header, body: &[u8]) -> Result<(), MalformedSample> {
        let index = self.attribute_of(header, body);
        let attribute = &self.attributes[index];
        let Ok(stamped) = decode::decode(&attribute.layout, header, body) else {
            self.broken += 1;
            return Ok(());
        };
        if let Record::Sample(_) = stamped.record {
            self.sampled(index, &stamped)?;
        }
        self.queue.push(stamped);
        Ok(())
    }

    fn sampled(&mut self, index: usize, stamped: &Stamped) -> Result<(), MalformedSample> {
        let layout = &self.attributes[index].layout;
        let time = stamped.time.ok_or(MalformedSample::Lacks { what: "time" })?;
        if layout.sample_type & field::TID == 0 {
            return Err(MalformedSample::Lacks { what: "process" });
        }
        let (first, begin, end) = self.sampled.unwrap_or((index, time, time));
        if first != index {
            let name = |index: usize| self.attributes[index].event.clone();
            return Err(MalformedSample::SeveralEvents { first: name(first), second: name(index) });
        }
        self.sampled = Some((index, begin.min(time), end.max(time)));
        Ok(())
    }

    /// Which event a record belongs to; the first one where it does not say.
    fn attribute_of(&self, header: Header, body: &[u8]) -> usize {
        const SAMPLE: u32 = 9;
        if self.attributes.len() == 1 {
            return 0;
        }
        let layout = &self.attributes[0].layout;
        let has = |bit| layout.sample_type & bit != 0;
        let before = field::IP | field::TID | field::TIME | field::ADDRESS;
        let place = match () {
            () if header.kind == SAMPLE && has(field::IDENTIFIER) => Some(0),
            () if header.kind == SAMPLE && has(field::ID) => {
                Some(8 * (layout.sample_type & before).count_ones() as usize)
            }
            () if has(field::IDENTIFIER) && layout.stamps_all => body.len().checked_sub(8),
            () => None,
        };
        let id = place.and_then(|place| number(body, place));
        let belongs = |attribute: &Attribute| id.is_some_and(|id| attribute.ids.contains(&id));
        self.attributes.iter().position(belongs).unwrap_or(0)
    }

    fn samples(
        mut self,
        build_ids: &BTreeMap<String, Vec<u8>>,
        request: &ReadRequest<'_>,
        is_whole: bool,
    ) -> Result<Samples, MalformedSample> {
        let mut collector = request.collector()?;
        for mut record in self.queue.finish() {
            if let Record::Mapping(mapping) = &mut record
                && !matches!(mapping.mark, FileMark::BuildId(_))
                && let Some(build_id) = build_ids.get(&mapping.path)
            {
                mapping.mark = FileMark::BuildId(build_id.clone());
            }
            collector.take(record);
        }
        request.compare(&collector, is_whole)?;
        let (index, begin, end) = self.sampled.unwrap_or_default();
        let attribute = &self.attributes[index];
        let (counts, hits) = (collector.counts(), collector.hits());
        Ok(Samples {
            images: hits.images,
            mapped: hits.mapped,
            homeless: hits.homeless,
            stacks: hits.stacks,
            total: counts.total,
            lost: counts.lost,
            broken: self.broken,
            torn: counts.torn,
            throttled: counts.throttled,
            event: attribute.event.clone(),
            rate: Rate { requested: attribute.rate, granted: attribute.rate },
            cpu: None,
            wall: Duration::from_nanos(end - begin),
            processes: counts.processes,
            threads: counts.threads,
            by_process: hits.by_process,
            with_kernel: attribute.with_kernel,
            end: if is_whole { End::FileEnd } else { End::FileBrokenOff },
            left_out: collector.left_out(),
            not_kept: None,
        })
    }
}

#[cfg(test)]
#[path = "perfdata_tests.rs"]
mod tests;
