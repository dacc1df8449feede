//! Is a file of samples read as another reader reads it, and is a damaged one
//! told by name?

use std::io::Cursor;

use linux_perf_data::linux_perf_event_reader::EventRecord;
use linux_perf_data::{PerfFileReader, PerfFileRecord};
use object::{Object, ObjectSegment, SegmentFlags};
use opcost_testkit::perf_data::{USER, file, mapping, packed, record, stream, task, words};
use proptest::prelude::*;

use super::*;
use crate::samples::LeftOut;
use crate::{BranchRun, LostReason};

const FIELDS: u64 = field::IP | field::TID | field::TIME | field::PERIOD;

fn read(bytes: &[u8]) -> Result<Samples, MalformedSample> {
    super::read(bytes, &ReadRequest { recorded: SystemTime::now(), images: &[], program: None })
}

fn sample(pid: u32, time: u64, ip: u64) -> Vec<u8> {
    record(9, USER, &words(&[ip, task(pid), time, 250_000]))
}

/// This very program, with the executable part that it has: path, offset,
/// length and address of it.
fn own_code() -> (String, u64, u64, u64) {
    let path = std::env::current_exe().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let image = object::File::parse(&*bytes).unwrap();
    let is_code = |segment: &object::Segment<'_, '_>| match segment.flags() {
        SegmentFlags::Elf { p_flags } => p_flags & object::elf::PF_X != 0,
        _ => false,
    };
    let segment = image.segments().find(is_code).unwrap();
    let (offset, length) = segment.file_range();
    (path.to_string_lossy().into_owned(), offset, length, segment.address())
}

fn example() -> (Vec<u8>, String, u64) {
    let (path, offset, length, address) = own_code();
    let page = sys::page_size();
    let (begin, end) = (offset / page * page, (offset + length).next_multiple_of(page));
    let start = 0x5555_0000_0000;
    let at = |distance: u64| start + (offset - begin) + distance;
    let records = [
        // Out of order, as rings are written one after the other.
        sample(10, 30, at(16)),
        sample(10, 20, at(16)),
        mapping(10, start, end - begin, begin, &path),
        sample(10, 40, at(64)),
        record(68, 0, &[]),
        sample(10, 50, 0x1234),
        record(2, 0, &words(&[1, 7, task(10), 60])),
    ];
    (file(&[(0, &[5])], FIELDS, &records.concat()), path, address)
}

#[test]
fn samples_of_a_file_lead_to_addresses() {
    let (bytes, path, address) = example();
    let samples = read(&bytes).unwrap();
    assert_eq!((samples.total, samples.lost, samples.broken), (4, 7, 0));
    assert_eq!((&*samples.event, samples.rate.requested, samples.end), ("cpu-clock", 4000, End::FileEnd));
    assert_eq!(samples.wall, Duration::from_nanos(30));
    assert_eq!(samples.image(&path).unwrap().hits, [(address + 16, 2), (address + 64, 1)]);
    assert_eq!(samples.homeless_hits(|reason| *reason == LostReason::Unmapped), 1);
}

#[test]
fn branches_of_a_file_become_runs() {
    let (path, offset, length, address) = own_code();
    let page = sys::page_size();
    let (begin, end) = (offset / page * page, (offset + length).next_multiple_of(page));
    let start = 0x5555_0000_0000;
    let at = |distance: u64| start + (offset - begin) + distance;
    // The newest first: out to a library, round a loop twice, in from a library.
    let branches = [at(60), 0x7000, at(60), at(20), at(60), at(20), 0x7100, at(8)];
    let entries = branches.chunks_exact(2).flat_map(|ends| [ends[0], ends[1], 0]);
    let fields: Vec<u64> = [at(64), task(10), 20, 250_000, 4].into_iter().chain(entries).collect();
    let records = [mapping(10, start, end - begin, begin, &path), record(9, USER, &words(&fields))];
    let samples = read(&file(&[(0, &[5])], FIELDS | field::BRANCHES, &records.concat())).unwrap();
    let run = |first, last| BranchRun { first: address + first, last: address + last };
    assert_eq!(samples.image(&path).unwrap().runs, [(run(8, 60), 1), (run(20, 60), 2)]);
    assert_eq!((samples.total, samples.torn, samples.broken), (1, 0, 0));
    assert!(samples.has_runs());
    // A hole in the records, and one where two images would be one run.
    let holes = [at(60), 0x7000, at(10), at(20), 0x7200, at(4), at(2), 0x7100];
    let entries = holes.chunks_exact(2).flat_map(|ends| [ends[0], ends[1], 0]);
    let fields: Vec<u64> = [at(64), task(10), 20, 250_000, 4].into_iter().chain(entries).collect();
    let records = [mapping(10, start, end - begin, begin, &path), record(9, USER, &words(&fields))];
    let samples = read(&file(&[(0, &[5])], FIELDS | field::BRANCHES, &records.concat())).unwrap();
    assert_eq!(
        (samples.image(&path).unwrap().runs.as_slice(), samples.torn),
        ([(run(4, 10), 1), (run(20, 60), 1)].as_slice(), 1)
    );
}

/// Addresses of samples in order of time, as `linux-perf-data` reads them.
fn referee(bytes: &[u8]) -> Vec<(Option<u64>, Option<u64>)> {
    let PerfFileReader { mut perf_file, mut record_iter } =
        PerfFileReader::parse_file(Cursor::new(bytes)).unwrap();
    let mut samples = Vec::new();
    while let Some(record) = record_iter.next_record(&mut perf_file).unwrap() {
        if let PerfFileRecord::EventRecord { record, .. } = record
            && let EventRecord::Sample(sample) = record.parse().unwrap()
        {
            samples.push((sample.timestamp, sample.ip));
        }
    }
    samples.sort();
    samples
}

fn ours(bytes: &[u8]) -> Vec<(Option<u64>, Option<u64>)> {
    let attributes = attributes(bytes).unwrap();
    let data = Section::read(bytes, 40).unwrap().of(bytes).unwrap();
    let mut rest = data;
    let mut samples = Vec::new();
    while let Some(header) = Header::read(rest) {
        let body = &rest[HEADER_BYTES..header.size];
        rest = &rest[header.size..];
        if header.kind == 9 {
            let stamped = decode::decode(&attributes[0].layout, header, body).unwrap();
            let Record::Sample(sample) = stamped.record else { unreachable!() };
            samples.push((stamped.time, Some(sample.ip)));
        }
    }
    samples.sort();
    samples
}

#[test]
fn another_reader_reads_the_same() {
    let (bytes, ..) = example();
    assert_eq!(ours(&bytes), referee(&bytes));
    assert_eq!(ours(&bytes).len(), 4);
}

#[test]
fn a_file_that_breaks_off_gives_what_stands_before() {
    let (bytes, ..) = example();
    let whole = read(&bytes).unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for length in 0..bytes.len() {
        match read(&bytes[..length]) {
            Ok(samples) => {
                assert_eq!(samples.end, End::FileBrokenOff, "{length}");
                assert!(samples.total <= whole.total);
                seen.insert(samples.total);
            }
            Err(error) => {
                let told = error.to_string();
                assert!(told.contains("breaks off") || told.contains("no perf.data"), "{length}: {told}");
            }
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<u64>>(), [0, 1, 2, 3, 4]);
}

#[test]
fn an_image_without_build_id_that_changed_later_is_refused() {
    let (bytes, path, _) = example();
    let samples =
        super::read(&bytes, &ReadRequest { recorded: SystemTime::UNIX_EPOCH, images: &[], program: None })
            .unwrap();
    assert_eq!(samples.image(&path), None);
    assert_eq!(samples.homeless_hits(|reason| *reason == LostReason::Replaced), 3);
}

#[test]
fn a_recorder_that_was_killed_left_no_length() {
    let (mut bytes, ..) = example();
    bytes[48..56].fill(0);
    let samples = read(&bytes).unwrap();
    assert_eq!((samples.total, samples.end), (4, End::FileBrokenOff));
}

#[test]
fn what_cannot_be_read_is_told_by_name() {
    let told = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert_eq!(told(b"\x7fELF and more"), "it is no perf.data");
    assert!(told(b"2ELIFREP").contains("big-endian"));
    assert!(told(&[&b"PERFILE2"[..], &words(&[16])].concat()).contains("breaks off within its events"));
    assert!(told(&file(&[], FIELDS, &[])).contains("no event"));
    // The file's head, its event and a record's header stand before it.
    let compressed = record(81, 0, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let damaged = told(&file(&[(0, &[])], FIELDS, &compressed));
    assert!(damaged.contains("compressed at byte 240 is damaged"), "{damaged}");
    let sized = record(83, 0, &words(&[9, 0]));
    assert!(told(&file(&[(0, &[])], FIELDS, &sized)).contains("compressed at byte 240 is damaged"));
    let timeless = record(9, USER, &words(&[1, task(1)]));
    assert!(told(&file(&[(0, &[])], field::IP | field::TID, &timeless)).contains("their time"));
}

#[test]
fn events_are_told_apart_by_their_ids_and_never_added_up() {
    let fields = field::IDENTIFIER | field::IP | field::TID | field::TIME;
    let of = |id, time| record(9, USER, &words(&[id, 4096, task(1), time]));
    // A silent event beside the one that samples is usual.
    let bytes = file(&[(9, &[1, 2]), (0, &[3, 4])], fields, &[of(4, 1), of(3, 2)].concat());
    let samples = read(&bytes).unwrap();
    assert_eq!((&*samples.event, samples.total), ("cpu-clock", 2));
    let bytes = file(&[(0, &[1]), (2, &[3])], fields, &[of(1, 1), of(3, 2)].concat());
    let told = read(&bytes).unwrap_err().to_string();
    assert!(told.contains("cpu-clock and page-faults"), "{told}");
}

proptest! {
    /// A damaged file is read or refused, and nothing else.
    #[test]
    fn damaged_files(places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let (mut bytes, ..) = example();
        let length = bytes.len();
        for (place, byte) in places {
            bytes[place.index(length)] = byte;
        }
        if let Ok(samples) = read(&bytes) {
            prop_assert!(samples.total <= 5, "{}", samples.total);
        }
    }

    #[test]
    fn random_files(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let bytes = [&b"PERFILE2"[..], &bytes].concat();
        if let Ok(samples) = read(&bytes) {
            prop_assert!(samples.total <= 50);
        }
    }
}

/// Copies of this program with other bytes in their build-ids, if it has one.
fn copy_of_own(name: &str, change: impl Fn(&mut [u8])) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let mut bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    let id = object::File::parse(&*bytes).unwrap().build_id().unwrap().map(<[u8]>::to_vec);
    if let Some(id) = id {
        let at = bytes.windows(id.len()).position(|window| window == id).unwrap();
        change(&mut bytes[at..at + id.len()]);
    }
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

fn read_of(bytes: &[u8], program: &Path, images: &[PathBuf]) -> Result<Samples, MalformedSample> {
    super::read(bytes, &ReadRequest { recorded: SystemTime::now(), images, program: Some(program) })
}

#[test]
fn only_processes_of_the_program_are_counted() {
    let (path, offset, length, _) = own_code();
    let page = sys::page_size();
    let (begin, end) = (offset / page * page, (offset + length).next_multiple_of(page));
    let start = 0x5555_0000_0000;
    let hit = start + (offset - begin) + 16;
    let fork = |pid: u64, parent: u64, time| {
        record(7, USER, &words(&[parent << 32 | pid, parent << 32 | pid, time, task(10), time]))
    };
    let exec = |pid, time| {
        record(
            3,
            USER | 1 << 13,
            &[words(&[task(pid)]), b"other\0\0\0".to_vec(), words(&[task(pid), time])].concat(),
        )
    };
    let records = [
        // Of nobody yet, and then of one that runs something else.
        sample(10, 0, hit),
        mapping(10, start, end - begin, begin, &path),
        sample(10, 20, hit),
        sample(77, 21, hit),
        sample(0, 22, hit),
        fork(11, 10, 23),
        sample(11, 24, hit),
        exec(11, 25),
        sample(11, 26, hit),
        sample(10, 27, hit),
    ];
    let bytes = file(&[(0, &[5])], FIELDS, &records.concat());
    let samples = read_of(&bytes, Path::new(&path), &[]).unwrap();
    assert_eq!((samples.total, samples.image(&path).unwrap().total()), (3, 3));
    assert_eq!(samples.left_out, LeftOut { samples: 4, processes: 4 });
    assert_eq!((samples.processes, samples.threads, samples.by_process.len()), (2, 2, 2));
    assert_eq!(samples.homeless, []);
    // All of them, where no program is asked for.
    let all = read(&bytes).unwrap();
    assert_eq!((all.total, all.left_out), (7, LeftOut::default()));
}

#[test]
fn another_build_is_refused_and_a_copy_is_not() {
    let (bytes, path, _) = example();
    let has_id = ImageFile::open(Path::new(&path)).unwrap().image.build_id.is_some();
    let (_folder, copy) = copy_of_own("copy", |_| {});
    let copied = read_of(&bytes, &copy, &[]);
    assert_eq!(copied.is_ok(), has_id, "without a build-id a copy is another file");
    let (_other_folder, other) = copy_of_own("other", |id| id[3] ^= 1);
    let told = read_of(&bytes, &other, &[]).unwrap_err().to_string();
    let words = if has_id { "of another build" } else { "neither has a build-id" };
    assert!(told.contains(words) && told.contains(&path), "{told}");
    // Who names the build that ran means it.
    assert!(read_of(&bytes, &other, &[PathBuf::from(&path)]).is_ok());
    let told = read_of(&bytes, Path::new("/nowhere/at-all"), &[]).unwrap_err().to_string();
    assert!(told.contains("/nowhere/at-all"), "{told}");
    // Nothing ran at all.
    let told = read_of(&file(&[(0, &[5])], FIELDS, &[]), Path::new(&path), &[]).unwrap_err().to_string();
    assert!(told.contains("none of its 0 samples is of"), "{told}");
}

/// The records of the example.
fn example_records() -> Vec<u8> {
    let (bytes, ..) = example();
    Section::read(&bytes, 40).unwrap().of(&bytes).unwrap().to_vec()
}

/// The example in all forms that files have.
fn forms() -> Vec<(&'static str, Vec<u8>)> {
    let (records, events): (_, [(u64, &[u64]); 1]) = (example_records(), [(0, &[5])]);
    // What perf itself tells is never packed, and pieces end within records.
    let (told, rest) = records.split_at(80);
    let mixed = [told, &packed(rest, 61, true)].concat();
    vec![
        ("packed", file(&events, FIELDS, &packed(&records, 50, false))),
        ("packed with sizes", file(&events, FIELDS, &mixed)),
        ("piped", stream(&events, FIELDS, &records)),
        ("piped and packed", stream(&events, FIELDS, &packed(&records, 1000, false))),
    ]
}

#[test]
fn packed_and_piped_files_tell_the_same() {
    let (bytes, ..) = example();
    let whole = read(&bytes).unwrap();
    for (form, bytes) in forms() {
        assert_eq!(read(&bytes).unwrap(), whole, "{form}");
    }
    // Two frames, one after the other, and one that a compressor ended.
    let records = example_records();
    let (first, second) = records.split_at(100);
    let frame = ruzstd::encoding::compress_to_vec(second, ruzstd::encoding::CompressionLevel::Fastest);
    let ended = ruzstd::encoding::compress_to_vec(first, ruzstd::encoding::CompressionLevel::Fastest);
    let frames = [record(81, 0, &ended), record(81, 0, &frame)].concat();
    assert_eq!(read(&file(&[(0, &[5])], FIELDS, &frames)).unwrap(), whole);
}

#[test]
fn a_stream_tells_builds_and_events() {
    let records = example_records();
    let (_, path, _) = example();
    // Another build than the one that is there ran, as a record of its own tells.
    let build = [words(&[0])[..4].to_vec(), vec![7; 24], path.into_bytes(), vec![0; 3]].concat();
    let mut bytes = stream(&[(0, &[5])], FIELDS, &records);
    bytes.extend(record(67, USER, &build));
    let samples = read(&bytes).unwrap();
    let ran = |reason: &LostReason| matches!(reason, LostReason::OtherBuild { ran, .. } if ran == &[7; 20]);
    assert_eq!(samples.homeless_hits(ran), 3, "{:?}", samples.homeless);
    let told = read(&stream(&[], FIELDS, &records)).unwrap_err().to_string();
    assert!(told.contains("no event"), "{told}");
}

#[test]
fn forms_that_break_off_give_what_stands_before() {
    for (form, bytes) in forms() {
        for length in 0..bytes.len() {
            match read(&bytes[..length]) {
                Ok(samples) => assert!(samples.total <= 4, "{form}: {length}"),
                Err(error) => {
                    let told = error.to_string();
                    let is_told =
                        ["breaks off", "no perf.data", "no event"].iter().any(|words| told.contains(words));
                    assert!(is_told, "{form}: {length}: {told}");
                }
            }
        }
    }
}

#[test]
fn a_few_bytes_that_claim_to_be_many_are_refused() {
    // A block that repeats a byte 2^17 times takes four bytes.
    let mut body = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x58];
    body.extend([2, 0, 0x10, 0].repeat(12_000));
    let records = record(81, 0, &body);
    let samples = read(&file(&[(0, &[5])], FIELDS, &records)).unwrap();
    assert_eq!((samples.total, samples.end), (0, End::FileBrokenOff), "zeros are no records");
}

proptest! {
    /// Damaged files of all forms are read or refused, and nothing else.
    #[test]
    fn damaged_forms(
        form in 0_usize..4,
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = forms().swap_remove(form).1;
        let length = bytes.len();
        for (place, byte) in places {
            bytes[place.index(length)] = byte;
        }
        let _ = read(&bytes);
    }
}
