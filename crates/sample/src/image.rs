//! Is the file on disk the one that ran, and what does an address of the
//! running program mean in it?
//!
//! The kernel says of each mapping where it lies, which part of which file it
//! is, and mostly the build-id that it read out of the mapping itself. The
//! file is opened by its path and must be the same: by build-id where both
//! have one, else by device and number, unchanged since. Only then are its
//! program headers believed.
//!
//! An address becomes a place in the file, and that an address in the file's
//! own numbering, by the executable program header that holds the place:
//! `address - p_offset + p_vaddr`. So position-independent programs, fixed
//! ones and shared objects are all read alike. A mapping that matches no
//! executable header, or a fixed program away from its own addresses, is
//! refused ([`LostReason::Shifted`]): its samples would land on other functions.
//!
//! Limit: on file systems that give `stat` another device or number than the
//! kernel's mappings (overlays, btrfs), a file without a build-id is refused.
//!
//! Cost: one read of headers and notes for each file; files are read in parts
//! (`object`'s `ReadCache`), so size does not matter.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use object::elf;
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache, ReadRef};

use crate::LostReason;
use crate::decode::{FileMark, Mapping};

/// An executable part of a file, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    offset: u64,
    length: u64,
    address: u64,
}

/// What a file says of its executable parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) build_id: Option<Vec<u8>>,
    /// Whether it runs at its own addresses only.
    is_fixed: bool,
    /// Whether it can be started: it has an entry, and a library has none.
    pub(crate) is_program: bool,
    segments: Vec<Segment>,
    /// What is mapped first, where that is code.
    span: Option<Span>,
}

/// The whole memory of a file whose first part is code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    first: Segment,
    /// The first address after all parts.
    end: u64,
}

impl Image {
    /// The file that a mapping was made of, or why it cannot be believed.
    /// A file without a build-id that was changed after `until` is refused.
    pub(crate) fn open(path: &str, mark: &FileMark, until: SystemTime) -> Result<Self, LostReason> {
        let file = ImageFile::open(Path::new(path))?;
        file.compare(mark, until)?;
        Ok(file.image)
    }

    /// The build-id of a file, whatever it is.
    pub(crate) fn build_id_of(path: &str) -> Option<Vec<u8>> {
        Self::read(File::open(path).ok()?).ok()?.build_id
    }

    fn read(file: File) -> Result<Self, LostReason> {
        let cache = ReadCache::new(file);
        let image = match (&cache).read_at::<[u8; 5]>(0) {
            Ok([0x7f, b'E', b'L', b'F', 2]) => Self::headers::<elf::FileHeader64<Endianness>, _>(&cache),
            Ok([0x7f, b'E', b'L', b'F', 1]) => Self::headers::<elf::FileHeader32<Endianness>, _>(&cache),
            _ => return Err(LostReason::Unreadable("it is no ELF file".to_owned())),
        };
        image.map_err(|error| LostReason::Unreadable(error.to_string()))
    }

    fn headers<'a, H, R>(data: R) -> object::Result<Self>
    where
        H: FileHeader<Endian = Endianness>,
        R: ReadRef<'a>,
    {
        let header = H::parse(data)?;
        let endian = header.endian()?;
        let mut image = Image {
            build_id: None,
            is_fixed: header.e_type(endian) == elf::ET_EXEC,
            is_program: header.e_entry(endian).into() != 0,
            segments: Vec::new(),
            span: None,
        };
        let (mut is_first, mut end) = (true, 0);
        for program_header in header.program_headers(endian, data)? {
            if let Some(mut notes) = program_header.notes(endian, data)? {
                while let Some(note) = notes.next()? {
                    if note.n_type(endian) == elf::NT_GNU_BUILD_ID && note.name() == elf::ELF_NOTE_GNU {
                        image.build_id = Some(note.desc().to_vec());
                    }
                }
            }
            if program_header.p_type(endian) != elf::PT_LOAD {
                continue;
            }
            let address: u64 = program_header.p_vaddr(endian).into();
            end = end.max(address.saturating_add(program_header.p_memsz(endian).into()));
            if program_header.p_flags(endian) & elf::PF_X != 0 {
                let (offset, length) =
                    (program_header.p_offset(endian).into(), program_header.p_filesz(endian).into());
                let segment = Segment { offset, length, address };
                image.segments.push(segment);
                if is_first {
                    image.span = Some(Span { first: segment, end });
                }
            }
            is_first = false;
        }
        if let Some(span) = &mut image.span {
            span.end = end;
        }
        Ok(image)
    }

    /// How many bytes of a mapping are code of the file; a mapping that the program headers
    /// cannot have asked for is refused.
    ///
    /// A loader of a file maps its first part as long as the whole file will be. It puts the other
    /// parts over the end of it. Where the first part is code, that is what is reported of it.
    pub(crate) fn check(&self, mapping: &Mapping, page: u64) -> Result<u64, LostReason> {
        let end = mapping.offset.checked_add(mapping.length).ok_or(LostReason::Shifted)?;
        let found = self.segments.iter().find_map(|segment| {
            let begin = segment.offset / page * page;
            let behind = segment.offset.saturating_add(segment.length).checked_next_multiple_of(page)?;
            let is_inside = begin <= mapping.offset && end <= behind;
            let is_whole_file = self.span.is_some_and(|span| {
                span.first == *segment
                    && mapping.offset == begin
                    && span.end.checked_next_multiple_of(page).is_some_and(|span_end| {
                        mapping.length <= span_end.saturating_sub(segment.address / page * page)
                    })
            });
            (is_inside || is_whole_file).then(|| (segment, end.min(behind) - mapping.offset))
        });
        let (segment, length) = found.ok_or(LostReason::Shifted)?;
        // Where the segment's own numbering would put the mapping.
        let own = mapping.offset.wrapping_sub(segment.offset).wrapping_add(segment.address);
        let bias = mapping.start.wrapping_sub(own);
        let is_shifted = if self.is_fixed { bias != 0 } else { !bias.is_multiple_of(page) };
        if is_shifted { Err(LostReason::Shifted) } else { Ok(length) }
    }

    /// The address, in the file's numbering, of what is at `offset` in it.
    pub(crate) fn address(&self, offset: u64) -> Option<u64> {
        let inside = |segment: &&Segment| {
            offset.checked_sub(segment.offset).is_some_and(|distance| distance < segment.length)
        };
        let segment = self.segments.iter().find(inside)?;
        (offset - segment.offset).checked_add(segment.address)
    }
}

/// A file that is there now, with what decides whether it is the one that ran.
pub(crate) struct ImageFile {
    pub(crate) image: Image,
    metadata: Metadata,
}

impl ImageFile {
    /// Reads the file at a path, whatever ran.
    pub(crate) fn open(path: &Path) -> Result<Self, LostReason> {
        let unreadable = |error: std::io::Error| LostReason::Unreadable(error.to_string());
        // Asked before it is opened: opening a pipe would wait for a writer.
        if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(LostReason::Unreadable("it is no regular file".to_owned()));
        }
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        Ok(ImageFile { image: Image::read(file)?, metadata })
    }

    /// Whether it is the file of that mark, or why this cannot be believed.
    /// Without a build-id it must not have been changed after `until`.
    pub(crate) fn compare(&self, mark: &FileMark, until: SystemTime) -> Result<(), LostReason> {
        let metadata = &self.metadata;
        match (mark, &self.image.build_id) {
            (FileMark::BuildId(ran), Some(found)) if same_build(ran, found) => return Ok(()),
            (FileMark::BuildId(ran), found) => {
                return Err(LostReason::OtherBuild { ran: ran.clone(), at_path: found.clone() });
            }
            (FileMark::Inode { device, inode }, _) => {
                let found = (libc::major(metadata.dev()), libc::minor(metadata.dev()));
                if (*inode, *device) != (metadata.ino(), found) {
                    return Err(LostReason::Replaced);
                }
            }
            (FileMark::None, _) => return Err(LostReason::Unidentified),
        }
        // The right number, but was it this file's when it ran, with this in
        // it? Numbers are used again, and programs set the time of their
        // files back, but not the time at which they did.
        let changed = metadata.ctime().checked_mul(1_000_000_000).map(|time| time + metadata.ctime_nsec());
        let changed = changed.and_then(|changed| u64::try_from(changed).ok());
        let until = until.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |until| until.as_nanos());
        match changed {
            Some(changed) if u128::from(changed) <= until => Ok(()),
            _ => Err(LostReason::Replaced),
        }
    }

    /// Whether both have the same build-id.
    pub(crate) fn is_build_of(&self, image: &Image) -> bool {
        matches!((&self.image.build_id, &image.build_id), (Some(own), Some(other)) if own == other)
    }
}

/// `perf` keeps at most 20 bytes and fills up with zeros. So a short id from a file of its must
/// agree as far as both go, and what follows must be zero.
fn same_build(ran: &[u8], found: &[u8]) -> bool {
    let common = ran.len().min(found.len()).min(20);
    let is_filling = |rest: &[u8]| rest.iter().all(|byte| *byte == 0);
    common > 0
        && ran[..common] == found[..common]
        && is_filling(&ran[common..])
        && (found.len() > 20 || is_filling(&found[common..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example: the code of a program linked by lld, whose segments
    /// begin in the middle of pages.
    fn program(is_fixed: bool) -> Image {
        let segment = Segment { offset: 0x1560, length: 0x2340, address: 0x2560 };
        Image { build_id: None, is_fixed, is_program: true, segments: vec![segment], span: None }
    }

    fn mapping(start: u64, length: u64, offset: u64) -> Mapping {
        let path = "/bin/program".to_owned();
        Mapping { pid: 1, start, length, offset, path, mark: FileMark::None, is_kernel: false }
    }

    #[test]
    fn a_place_in_the_file_has_an_address_in_its_numbering() {
        let image = program(false);
        assert_eq!(image.address(0x1560), Some(0x2560));
        assert_eq!(image.address(0x1560 + 0x233f), Some(0x489f));
        assert_eq!(image.address(0x1560 + 0x2340), None, "behind the segment");
        assert_eq!(image.address(0x155f), None, "before the segment");
    }

    #[test]
    fn a_mapping_must_be_one_that_the_headers_ask_for() {
        let image = program(false);
        assert_eq!(image.check(&mapping(0x5555_0000_2000, 0x3000, 0x1000), 4096), Ok(0x3000));
        assert_eq!(image.check(&mapping(0x5555_0000_3000, 0x1000, 0x2000), 4096), Ok(0x1000), "a part of it");
        for (offset, length) in [(0, 0x1000), (0x1000, 0x4000), (0x8000, 0x1000), (u64::MAX - 1, 0x1000)] {
            let shifted = mapping(0x5555_0000_2000, length, offset);
            assert_eq!(image.check(&shifted, 4096), Err(LostReason::Shifted), "{offset:x} {length:x}");
        }
    }

    /// As linked with `-z noseparate-code`: code first, and data from 0x1e00 to 0x2020.
    #[test]
    fn the_first_mapping_may_be_as_long_as_the_whole_file_if_it_is_code() {
        let first = Segment { offset: 0, length: 0x850, address: 0 };
        let code_first =
            Image { segments: vec![first], span: Some(Span { first, end: 0x2020 }), ..program(false) };
        let checked = |start, length, offset| code_first.check(&mapping(start, length, offset), 4096);
        assert_eq!(checked(0x5555_0000_0000, 0x3000, 0), Ok(0x1000), "the rest is no code");
        assert_eq!(checked(0x5555_0000_0000, 0x1000, 0), Ok(0x1000));
        assert_eq!(
            checked(0x5555_0000_0000, 0x4000, 0),
            Err(LostReason::Shifted),
            "longer than the file's memory"
        );
        assert_eq!(checked(0x5555_0000_1000, 0x2000, 0x1000), Err(LostReason::Shifted), "not its begin");
        let data_first = Image { span: None, ..code_first };
        assert_eq!(data_first.check(&mapping(0x5555_0000_0000, 0x3000, 0), 4096), Err(LostReason::Shifted));
    }

    #[test]
    fn a_fixed_program_runs_at_its_own_addresses_only() {
        let image = program(true);
        assert_eq!(image.check(&mapping(0x2000, 0x3000, 0x1000), 4096), Ok(0x3000));
        assert_eq!(image.check(&mapping(0x3000, 0x3000, 0x1000), 4096), Err(LostReason::Shifted));
        assert_eq!(program(false).check(&mapping(0x3000, 0x3000, 0x1000), 4096), Ok(0x3000));
    }

    #[test]
    fn a_file_must_be_the_one_that_was_mapped() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let own = std::env::current_exe().unwrap();
        let path = folder.path().join("own");
        symlink(&own, &path).unwrap();
        let path = path.to_str().unwrap();
        let facts = std::fs::metadata(&own).unwrap();
        let device = (libc::major(facts.dev()), libc::minor(facts.dev()));
        let right = FileMark::Inode { device, inode: facts.ino() };
        let now = SystemTime::now();
        assert!(Image::open(path, &right, now).is_ok());
        assert_eq!(Image::open(path, &right, SystemTime::UNIX_EPOCH), Err(LostReason::Replaced));
        let other = FileMark::Inode { device, inode: facts.ino() + 1 };
        assert_eq!(Image::open(path, &other, now), Err(LostReason::Replaced));
        assert_eq!(Image::open(path, &FileMark::None, now), Err(LostReason::Unidentified));
        let build = FileMark::BuildId(vec![1, 2, 3]);
        assert!(matches!(Image::open(path, &build, now), Err(LostReason::OtherBuild { .. })));
        let told =
            |path: &str| Image::open(path, &FileMark::None, SystemTime::now()).unwrap_err().to_string();
        assert!(told("/dev/null").contains("no regular file"));
        assert!(told("/proc/self/status").contains("no ELF file"));
        assert!(told("/nowhere/at-all").contains("cannot be read"));
    }

    proptest::proptest! {
        /// Damaged headers are read or refused.
        #[test]
        fn damaged_headers(
            places in proptest::collection::vec((0_usize..1024, proptest::num::u8::ANY), 0..16),
            offset in proptest::num::u64::ANY,
        ) {
            use std::io::{Read, Write};
            let mut bytes = vec![0; 8192];
            File::open(std::env::current_exe().unwrap()).unwrap().read_exact(&mut bytes).unwrap();
            places.into_iter().for_each(|(place, byte)| bytes[place] = byte);
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&bytes).unwrap();
            if let Ok(image) = Image::read(file.reopen().unwrap()) {
                let checked = image.check(&mapping(0x1000, 0x1000, offset), 4096);
                proptest::prop_assert!(matches!(checked, Ok(1..=0x1000) | Err(LostReason::Shifted)));
                if let Some(address) = image.address(offset) {
                    let is_from = |segment: &Segment| address.checked_sub(segment.address) == Some(offset - segment.offset);
                    proptest::prop_assert!(image.segments.iter().any(|segment| offset >= segment.offset && is_from(segment)));
                }
            }
        }
    }

    #[test]
    fn builds_are_the_same_when_all_told_bytes_are() {
        let long: Vec<u8> = (1..=32).collect();
        assert!(same_build(&long[..20], &long));
        assert!(same_build(&[1, 2, 3, 4, 0, 0, 0, 0], &[1, 2, 3, 4]));
        assert!(!same_build(&[1, 2, 3, 4], &[1, 2, 3, 5]));
        assert!(!same_build(&[1, 2, 3, 4], &[1, 2, 3, 4, 5]));
        assert!(!same_build(&[], &[1]) && !same_build(&[1], &[]));
    }
}
