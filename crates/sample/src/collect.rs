//! How do records become hits of addresses?
//!
//! Records are folded in the order of their times. Mappings, forks and execs
//! change address spaces ([`crate::mappings`]); a sample is looked up in the
//! space of its process and adds one to an address of an image, or to a
//! reason. A file is opened and compared when its first mapping is folded
//! ([`crate::image`]), so the answer about it is from a moment soon after.
//!
//! Every sample is counted exactly once: the sum over all images and reasons
//! is the number of samples.
//!
//! Cost: a look-up in the mappings and one in a hash table for each sample.

mod hits;
mod selection;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::SystemTime;

use opcost_index::{IdMap, define_id};

use crate::LostReason;
use crate::branches::{BranchRun, runs};
use crate::decode::{FileMark, Mapping, Mode, Record, Sample};
use crate::image::{Image, ImageFile};
use crate::mappings::{MappedPiece, Space};
use crate::samples::LeftOut;
use crate::tasks::{Tasks, ThreadId, ThreadNumber};
use selection::Selection;

define_id!(
    /// A file at a path with a mark.
    struct ImageId,
    "image"
);
define_id!(
    /// A reason why samples lead nowhere, with a path.
    struct NowhereId,
    "nowhere"
);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Home {
    Image(ImageId),
    Nowhere(NowhereId),
}

struct MappedImage {
    path: String,
    image: Image,
    hits: HashMap<u64, u64>,
    /// In which threads each address was hit.
    threads: HashSet<(u64, ThreadId)>,
    runs: HashMap<BranchRun, u64>,
}

/// Folds records.
pub(crate) struct Collector {
    page: u64,
    /// A file that has no build-id and was changed later is refused.
    until: SystemTime,
    /// Files that replace others of the same build.
    stand_ins: Vec<PathBuf>,
    /// Whose samples are taken, if not everybody's.
    selection: Option<Selection<Home>>,
    spaces: HashMap<u32, Space<Home>>,
    tasks: Tasks,
    images: IdMap<ImageId, MappedImage>,
    /// Path and mark → the image, or why it is none.
    opened: HashMap<(String, FileMark), Home>,
    nowhere: IdMap<NowhereId, u64>,
    reasons: HashMap<(LostReason, Option<String>), NowhereId>,
    stacks: HashMap<Vec<Option<(ImageId, u64)>>, u64>,
    counts: Counts,
}

/// What is counted in addition to hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) total: u64,
    pub(crate) lost: u64,
    /// Runs between branches that are in no image.
    pub(crate) torn: u64,
    pub(crate) throttled: u64,
    pub(crate) processes: u64,
    pub(crate) threads: u64,
}

impl Collector {
    pub(crate) fn new(page: u64, until: SystemTime) -> Self {
        Collector {
            page,
            until,
            stand_ins: Vec::new(),
            selection: None,
            spaces: HashMap::new(),
            tasks: Tasks::default(),
            images: IdMap::new(),
            opened: HashMap::new(),
            nowhere: IdMap::new(),
            reasons: HashMap::new(),
            stacks: HashMap::new(),
            counts: Counts::default(),
        }
    }

    /// Files that are read in place of those that are not at their paths any
    /// more, if their build-ids are the same.
    pub(crate) fn stand_in(&mut self, files: &[PathBuf]) {
        self.stand_ins = files.to_vec();
    }

    /// Takes the samples of processes of a program only, which is one of these files.
    pub(crate) fn select(&mut self, programs: Vec<ImageFile>) {
        self.selection = Some(Selection::of(programs, self.until));
    }

    pub(crate) fn counts(&self) -> Counts {
        match &self.selection {
            None => Counts { threads: self.tasks.observed_threads(), ..self.counts },
            Some(selection) => {
                let by_process = self.tasks.samples();
                let threads = by_process.iter().map(|process| process.threads.len() as u64).sum();
                Counts { threads, processes: selection.processes(), ..self.counts }
            }
        }
    }

    /// What was left out, if samples of a program only were taken.
    pub(crate) fn left_out(&self) -> LeftOut {
        self.selection.as_ref().map(Selection::left_out).unwrap_or_default()
    }

    /// Files of samples that were left out, with their build-ids, most first.
    pub(crate) fn left_out_in(&self) -> Vec<(String, Option<Vec<u8>>)> {
        let named = |home| match home {
            Home::Image(image) => {
                let known = &self.images[image];
                Some((known.path.clone(), known.image.build_id.clone()))
            }
            Home::Nowhere(nowhere) => {
                let ((reason, path), _) = self.reasons.iter().find(|(_, id)| **id == nowhere)?;
                let ran =
                    if let LostReason::OtherBuild { ran, .. } = reason { Some(ran.clone()) } else { None };
                Some((path.clone()?, ran))
            }
        };
        let homes = self.selection.as_ref().map(Selection::left_out_in).unwrap_or_default();
        homes.into_iter().filter_map(named).collect()
    }

    /// Folds one record; they must come in the order of their times.
    pub(crate) fn take(&mut self, record: Record) {
        match record {
            Record::Sample(sample) => self.sample(&sample),
            Record::Mapping(mapping) if !mapping.is_kernel => self.map(*mapping),
            Record::Name { pid, tid, is_exec, name } => {
                let space = self.space(pid);
                if is_exec {
                    space.clear();
                    if let Some(selection) = &mut self.selection {
                        selection.exec(pid);
                    }
                    self.tasks.exec(pid, tid, name);
                } else {
                    self.tasks.name(pid, tid, name);
                }
            }
            Record::Fork { pid, parent_pid, tid, parent_tid } => {
                if pid != parent_pid {
                    // A number that was used before begins anew.
                    let inherited = self.space(parent_pid).clone();
                    self.spaces.remove(&pid);
                    *self.space(pid) = inherited;
                    if let Some(selection) = &mut self.selection {
                        selection.fork(pid, parent_pid);
                    }
                }
                self.space(pid);
                let parent = ThreadNumber { pid: parent_pid, tid: parent_tid };
                self.tasks.fork(ThreadNumber { pid, tid }, parent);
            }
            Record::Exit { tid, .. } => self.tasks.exit(tid),
            Record::Lost(count) => self.counts.lost = self.counts.lost.saturating_add(count),
            Record::Throttle(true) => self.counts.throttled += 1,
            Record::Throttle(false) | Record::Mapping(_) | Record::Other(_) => {}
        }
    }

    /// The space of a process, which is new if it was never seen.
    fn space(&mut self, pid: u32) -> &mut Space<Home> {
        self.spaces.entry(pid).or_insert_with(|| {
            self.counts.processes += 1;
            Space::default()
        })
    }

    fn map(&mut self, mapping: Mapping) {
        let file = self.file(&mapping);
        if let Some(selection) = &mut self.selection {
            let image = if let Home::Image(image) = file { Some(&self.images[image].image) } else { None };
            selection.map(mapping.pid, &mapping.mark, image);
        }
        let checked = match file {
            Home::Image(image) => self.images[image].image.check(&mapping, self.page),
            Home::Nowhere(_) => Ok(mapping.length),
        };
        let end = mapping.start.saturating_add(mapping.length);
        let code_end = mapping.start.saturating_add(checked.as_ref().map_or(0, |length| *length));
        self.space(mapping.pid)
            .map(mapping.start, MappedPiece { end: code_end, offset: mapping.offset, home: file });
        if code_end < end {
            // Other parts of the file will lie there, or nothing.
            let reason = checked.err().unwrap_or(LostReason::NoCode);
            let home = Home::Nowhere(self.nowhere(reason, Some(mapping.path.clone())));
            let offset = mapping.offset.wrapping_add(code_end - mapping.start);
            self.space(mapping.pid).map(code_end, MappedPiece { end, offset, home });
        }
    }

    /// The file that was mapped, or why it is not known.
    fn file(&mut self, mapping: &Mapping) -> Home {
        if let Some(reason) = reason_of_name(&mapping.path)
            && (reason != LostReason::Deleted || self.stand_ins.is_empty())
        {
            let path = (reason == LostReason::Deleted).then(|| mapping.path.clone());
            return Home::Nowhere(self.nowhere(reason, path));
        }
        let key = (mapping.path.clone(), mapping.mark.clone());
        if let Some(home) = self.opened.get(&key) {
            return *home;
        }
        let opened = Image::open(&mapping.path, &mapping.mark, self.until);
        let home = match opened.or_else(|reason| self.stand_in_for(mapping).ok_or(reason)) {
            Ok(image) => {
                let path = mapping.path.clone();
                let (hits, threads, runs) = (HashMap::new(), HashSet::new(), HashMap::new());
                Home::Image(self.images.push(MappedImage { path, image, hits, threads, runs }))
            }
            Err(reason) => {
                let reason = reason_of_name(&mapping.path).unwrap_or(reason);
                Home::Nowhere(self.nowhere(reason, Some(mapping.path.clone())))
            }
        };
        self.opened.insert(key, home);
        home
    }

    fn stand_in_for(&self, mapping: &Mapping) -> Option<Image> {
        let has_id = matches!(mapping.mark, FileMark::BuildId(_));
        let mut files = self.stand_ins.iter().filter(|_| has_id);
        files.find_map(|file| Image::open(file.to_str()?, &mapping.mark, self.until).ok())
    }

    fn nowhere(&mut self, reason: LostReason, path: Option<String>) -> NowhereId {
        *self.reasons.entry((reason, path)).or_insert_with(|| self.nowhere.push(0))
    }

    fn sample(&mut self, sample: &Sample) {
        self.space(sample.pid);
        let place = match sample.mode {
            Mode::User => self.locate(sample.pid, sample.ip),
            Mode::Kernel => Err(self.nowhere(LostReason::Kernel, None)),
            Mode::Beyond => Err(self.nowhere(LostReason::Beyond, None)),
        };
        let home = place.map_or_else(Home::Nowhere, |(image, _)| Home::Image(image));
        if self.selection.as_mut().is_some_and(|selection| !selection.takes(sample.pid, home)) {
            return;
        }
        self.counts.total += 1;
        let thread = self.tasks.sample(sample.pid, sample.tid);
        match place {
            Ok((image, address)) => {
                *self.images[image].hits.entry(address).or_default() += 1;
                self.images[image].threads.insert((address, thread));
            }
            Err(nowhere) => self.nowhere[nowhere] += 1,
        }
        for run in runs(&sample.branches) {
            match run.and_then(|run| self.run(sample.pid, run)) {
                Some((image, run)) => *self.images[image].runs.entry(run).or_default() += 1,
                None => self.counts.torn += 1,
            }
        }
        if !sample.stack.is_empty() {
            let frames = sample.stack.iter().map(|frame| self.locate(sample.pid, *frame).ok()).collect();
            *self.stacks.entry(frames).or_default() += 1;
        }
    }

    /// Where a run of a process is, in the numbering of its file.
    fn run(&mut self, pid: u32, run: BranchRun) -> Option<(ImageId, BranchRun)> {
        let (image, first) = self.locate(pid, run.first).ok()?;
        let (other, last) = self.locate(pid, run.last).ok()?;
        (image == other && last.wrapping_sub(first) == run.last - run.first)
            .then_some((image, BranchRun { first, last }))
    }

    /// Where an address of a process is, in the numbering of its file.
    fn locate(&mut self, pid: u32, ip: u64) -> Result<(ImageId, u64), NowhereId> {
        let found = self.spaces.get(&pid).and_then(|space| space.find(ip));
        let Some((&home, offset)) = found else { return Err(self.nowhere(LostReason::Unmapped, None)) };
        match home {
            Home::Nowhere(nowhere) => Err(nowhere),
            Home::Image(image) => match self.images[image].image.address(offset) {
                Some(address) => Ok((image, address)),
                None => {
                    let path = self.images[image].path.clone();
                    Err(self.nowhere(LostReason::NoCode, Some(path)))
                }
            },
        }
    }
}

/// What the name in a mapping says, if it is no file's path.
fn reason_of_name(path: &str) -> Option<LostReason> {
    let is_made = ["/memfd:", "/SYSV", "/dev/zero", "/anon_hugepage", "//"];
    match path {
        "[vdso]" | "[vsyscall]" => Some(LostReason::Vdso),
        _ if !path.starts_with('/') || is_made.iter().any(|prefix| path.starts_with(prefix)) => {
            Some(LostReason::Anonymous)
        }
        _ if path.ends_with(" (deleted)") => Some(LostReason::Deleted),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Memory of a name that is no file, from `start` to `start + 16`.
    fn mapping(pid: u32, start: u64, path: &str) -> Record {
        let (length, offset, mark) = (16, 0, FileMark::None);
        let path = path.to_owned();
        Record::Mapping(Box::new(Mapping { pid, start, length, offset, path, mark, is_kernel: false }))
    }

    fn sample(pid: u32, tid: u32, ip: u64) -> Record {
        Record::Sample(Sample {
            mode: Mode::User,
            ip,
            pid,
            tid,
            period: 1,
            stack: Vec::new(),
            branches: Vec::new(),
        })
    }

    fn reasons(collector: &Collector) -> Vec<(LostReason, u64)> {
        collector.hits().homeless.into_iter().map(|homeless| (homeless.reason, homeless.hits)).collect()
    }

    #[test]
    fn a_fork_copies_a_space_and_exec_empties_it() {
        let mut collector = Collector::new(4096, SystemTime::now());
        let fork = |pid| Record::Fork { pid, parent_pid: 1, tid: pid, parent_tid: 1 };
        let records = [
            mapping(1, 32, "[vdso]"),
            fork(2),
            sample(2, 2, 40),
            mapping(2, 32, ""),
            sample(2, 2, 40),
            // The parent's is as it was.
            sample(1, 1, 40),
            Record::Name { pid: 2, tid: 2, is_exec: true, name: "b".to_owned() },
            sample(2, 2, 40),
            // The number is used again.
            Record::Exit { pid: 2, tid: 2 },
            fork(2),
            sample(2, 2, 40),
        ];
        records.into_iter().for_each(|record| collector.take(record));
        assert_eq!(
            reasons(&collector),
            [(LostReason::Vdso, 3), (LostReason::Anonymous, 1), (LostReason::Unmapped, 1)]
        );
        let counts = collector.counts();
        assert_eq!((counts.total, counts.processes, counts.threads), (5, 3, 3));
    }

    #[test]
    fn threads_share_a_space_and_losses_add_up() {
        let mut collector = Collector::new(4096, SystemTime::now());
        let records = [
            sample(1, 1, 40),
            Record::Fork { pid: 1, parent_pid: 1, tid: 5, parent_tid: 1 },
            mapping(1, 32, ""),
            sample(1, 5, 40),
            Record::Lost(3),
            Record::Lost(u64::MAX),
            Record::Throttle(true),
            Record::Throttle(false),
        ];
        records.into_iter().for_each(|record| collector.take(record));
        assert_eq!(reasons(&collector), [(LostReason::Anonymous, 1), (LostReason::Unmapped, 1)]);
        let counts = collector.counts();
        assert_eq!((counts.processes, counts.threads, counts.throttled), (1, 2, 1));
        assert_eq!(counts.lost, u64::MAX, "it stays where it cannot grow");
    }

    #[test]
    fn names_that_are_no_paths_have_their_reasons() {
        for (name, reason) in [
            ("[vdso]", Some(LostReason::Vdso)),
            ("", Some(LostReason::Anonymous)),
            ("//anon", Some(LostReason::Anonymous)),
            ("[heap]", Some(LostReason::Anonymous)),
            ("/memfd:code (deleted)", Some(LostReason::Anonymous)),
            ("/bin/gone (deleted)", Some(LostReason::Deleted)),
            ("/bin/there", None),
        ] {
            assert_eq!(reason_of_name(name), reason, "{name}");
        }
    }

    proptest! {
        /// Whatever comes in whatever order, each sample is counted once.
        #[test]
        fn each_sample_is_counted_once(steps in prop::collection::vec((0_u8..6, 1_u32..4, 1_u32..4, 0_u64..64), 0..200)) {
            let mut collector = Collector::new(4096, SystemTime::now());
            let mut samples = 0;
            for (what, pid, tid, place) in steps {
                collector.take(match what {
                    0 => Record::Fork { pid, parent_pid: tid, tid: pid, parent_tid: tid },
                    1 => Record::Name { pid, tid, is_exec: place % 2 == 0, name: place.to_string() },
                    2 => mapping(pid, place, ["", "[vdso]", "/nowhere/at-all"][place as usize % 3]),
                    3 => Record::Exit { pid, tid },
                    _ => {
                        samples += 1;
                        sample(pid, tid, place)
                    }
                });
            }
            prop_assert_eq!(collector.counts().total, samples);
            prop_assert_eq!(reasons(&collector).into_iter().map(|(_, hits)| hits).sum::<u64>(), samples);
            let by_process = collector.hits().by_process;
            let of_threads = by_process.iter().flat_map(|process| &process.threads).map(|thread| thread.hits);
            prop_assert_eq!(of_threads.sum::<u64>(), samples);
            prop_assert_eq!(by_process.iter().map(|process| process.hits).sum::<u64>(), samples);
        }
    }
}
