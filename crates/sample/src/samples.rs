//! What came of sampling: which addresses of which images were hit how often?
//!
//! A finished value, in a fixed order, the same for a run of ours, for a
//! process that goes on and for a file that somebody else took.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use crate::LostReason;
use crate::branches::BranchRun;

/// What a processor is taken to run at that does not report it, in cycles a second.
pub const USUAL_HERTZ: f64 = 2.5e9;

/// The samples of a program, of several processes or of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Images that were hit, by path and build-id.
    pub images: Vec<ImageSamples>,
    /// Files that were mapped, hit or not, in which builds; by path.
    pub mapped: Vec<MappedFile>,
    /// Samples that lead nowhere, by reason and path.
    pub homeless: Vec<Homeless>,
    /// Call stacks, if they were asked for; those hit most often first.
    pub stacks: Vec<Stack>,
    /// All samples: the hits of all images and all homeless ones.
    pub total: u64,
    /// Records that found no room in the ring (samples, as a rule).
    pub lost: u64,
    /// Records that no kernel writes; nothing else was read out of them.
    pub broken: u64,
    /// Runs between branches that are in no image, or in none as a whole.
    pub torn: u64,
    /// How often the kernel paused because samples came too fast.
    pub throttled: u64,
    /// The event's name.
    pub event: String,
    /// What was asked for and what was granted.
    pub rate: Rate,
    /// Processor time of all that was sampled; `None` for files, which do not have it.
    pub cpu: Option<Duration>,
    /// From the first to the last moment of sampling.
    pub wall: Duration,
    /// Processes that were seen.
    pub processes: u64,
    /// Threads that were seen.
    pub threads: u64,
    /// Processes with samples, those with most first; together all samples.
    pub by_process: Vec<ProcessSamples>,
    /// Samples of other programs, where a file has some; they are in nothing else here.
    pub left_out: LeftOut,
    /// Whether the kernel's part was sampled too.
    pub with_kernel: bool,
    /// How it ended.
    pub end: End,
    /// Why the file that was to keep the samples does not have all of them.
    pub not_kept: Option<String>,
}

/// Samples that were not taken, since other programs were running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many.
    pub samples: u64,
    /// Of so many processes.
    pub processes: u64,
}

/// Samples in a second of processor time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// By the caller.
    pub requested: u64,
    /// By the kernel, which has an upper limit.
    pub granted: u64,
}

/// Hits of one image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageSamples {
    /// Where the file is.
    pub path: String,
    /// Its build-id, if it has one.
    pub build_id: Option<Vec<u8>>,
    /// Address in the file's own numbering (as in its symbol table) and how
    /// often it was hit; ascending.
    pub hits: Vec<(u64, u64)>,
    /// Address and thread that was sampled there; ascending. Threads are numbered from 0, in the order
    /// in which they were seen, and no number is used again.
    pub threads: Vec<(u64, u32)>,
    /// What ran in a row, in the same numbering, and how often that was recorded; ascending.
    /// Empty where the processor was not asked for branches.
    pub runs: Vec<(BranchRun, u64)>,
}

/// A file that was mapped with code while samples were taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MappedFile {
    /// Where it was.
    pub path: String,
    /// Its build-id, if that is known.
    pub build_id: Option<Vec<u8>>,
}

/// Samples of one process, or of what it was before an `exec`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSamples {
    /// Its number.
    pub pid: u32,
    /// The name of its first thread, if one was recorded.
    pub name: Option<String>,
    /// All its samples.
    pub hits: u64,
    /// Its threads with samples, those with most first.
    pub threads: Vec<ThreadSamples>,
}

/// Samples of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadSamples {
    /// Its number.
    pub tid: u32,
    /// Its last name, if one was recorded.
    pub name: Option<String>,
    /// Its samples.
    pub hits: u64,
}

/// Samples without a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Homeless {
    /// Why.
    pub reason: LostReason,
    /// The file, where there is one.
    pub path: Option<String>,
    /// How many samples.
    pub hits: u64,
}

/// A frame of a call stack: `(position in `images`, address)`, or `None` for
/// one that leads nowhere.
pub type CallFrame = Option<(usize, u64)>;

/// A call stack of the program's part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stack {
    /// Innermost first: where it was hit, then return addresses. Only frames
    /// that keep a frame pointer are seen.
    pub frames: Vec<CallFrame>,
    /// How many samples.
    pub hits: u64,
}

/// Why there are no more samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// What was sampled goes on: a snapshot, or time was up.
    GoesOn,
    /// The started program ended by itself.
    Exited(i32),
    /// The started program was ended by a signal; what it did before is here.
    Killed(i32),
    /// All processes that were attached to have ended.
    AllEnded,
    /// The file was read to its end.
    FileEnd,
    /// The file breaks off; what was before is here.
    FileBrokenOff,
}

impl End {
    /// The end of a program that we started.
    pub(crate) fn of(status: ExitStatus) -> Self {
        status.code().map_or_else(|| End::Killed(status.signal().unwrap_or(0)), End::Exited)
    }
}

impl Samples {
    /// Samples (with lost ones) in a second of processor time; `None` where
    /// processor time is not known or was none.
    pub fn rate_reached(&self) -> Option<f64> {
        let seconds = self.cpu?.as_secs_f64();
        (seconds > 0.0).then(|| self.total.saturating_add(self.lost) as f64 / seconds)
    }

    /// Processor time between two samples, in seconds; where it is not known,
    /// as the rate says.
    pub fn seconds_per_sample(&self) -> f64 {
        match self.cpu {
            Some(cpu) if self.total > 0 => cpu.as_secs_f64() / self.total as f64,
            _ => 1.0 / self.rate.granted.max(1) as f64,
        }
    }

    /// Whether the processor recorded branches.
    pub fn has_runs(&self) -> bool {
        self.images.iter().any(|image| !image.runs.is_empty())
    }

    /// The image at `path`, if it was hit.
    pub fn image(&self, path: &str) -> Option<&ImageSamples> {
        self.images.iter().find(|image| image.path == path)
    }

    /// How many samples have no home for a reason that `holds`.
    pub fn homeless_hits(&self, holds: impl Fn(&LostReason) -> bool) -> u64 {
        self.homeless.iter().filter(|homeless| holds(&homeless.reason)).map(|homeless| homeless.hits).sum()
    }
}

impl ImageSamples {
    /// All hits of the image.
    pub fn total(&self) -> u64 {
        self.hits.iter().map(|(_, hits)| hits).sum()
    }

    /// Hits of addresses in `range`.
    pub fn hits_in(&self, range: std::ops::Range<u64>) -> u64 {
        self.hits.iter().filter(|(address, _)| range.contains(address)).map(|(_, hits)| hits).sum()
    }
}
