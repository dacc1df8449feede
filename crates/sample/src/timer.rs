//! How is a program sampled where the kernel refuses its counters?
//!
//! By a library of ours (`c/timer.c`, compiled for the run) that is preloaded
//! into the program and all that it starts. A timer on the processor time of
//! each thread interrupts that thread, and the handler writes into a ring in a file, one for each process,
//! laid out as the kernel's ring; so whatever ends the program, what it wrote
//! is there, and the same decoder and fold read it.
//!
//! Which mappings there are, the library says at the begin, before each
//! `dlclose` and at the end; a process that is killed in between has no end,
//! so `/proc/PID/maps` is looked at in each round too. What such a look finds
//! anew is taken to have been there since the look before, or since the last
//! `dlclose`; if something vanished without a `dlclose`, only from now on.
//!
//! Limits: the kernel looks at such timers on its ticks only, so 250 samples a
//! second are usual whatever is asked for (the result says what was reached);
//! no stacks and nothing of the kernel; not in static and set-user-id
//! programs, nor in programs that handle SIGPROF themselves. Processor time
//! counts all of them, so the rate that was reached shows what was missed.

use std::collections::BTreeSet;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant, SystemTime};

use crate::decode::{Mapping, Record, SampleLayout, Stamped, field};
use crate::fold::Fold;
use crate::pace::Pace;
use crate::samples::{End, LeftOut, Rate, Samples};
use crate::sys::ring::Ring;
use crate::sys::{self, gate};
use crate::{Error, SessionOptions, SessionProgress, running};
use opcost_interrupt::Scratch;

const SOURCE: &str = include_str!("c/timer.c");
/// No such timer is faster; asked for when an overhead is.
const FASTEST: u64 = 1000;
const ROUND: Duration = Duration::from_millis(100);
const LAYOUT: SampleLayout = SampleLayout {
    sample_type: field::IP | field::TID | field::TIME,
    read_format: 0,
    stamps_all: true,
    numbers_branches: false,
};

/// Words of a ring's control page that `c/timer.c` writes.
mod word {
    pub(super) const LOST: usize = 64;
    pub(super) const CPU: usize = 72;
    pub(super) const LOOKED: usize = 80;
    pub(super) const READY: usize = 88;
}

/// The ring of one process, or of what it was before an `exec`.
struct Stream {
    name: String,
    pid: u32,
    ring: Ring,
    /// Mappings at the look before: begin, length, offset, path.
    known_mappings: BTreeSet<(u64, u64, u64, String)>,
    observed_at: u64,
}

/// Sampling by a timer in the program.
pub struct TimerSampler {
    folder: Scratch,
    /// Where the library is, if it cannot be loaded out of `folder`.
    _aside: Option<Scratch>,
    streams: Vec<Stream>,
    child: Child,
    handle: Option<OwnedFd>,
    fold: Fold,
    requested: u64,
    pages: usize,
    began: Instant,
    end: End,
    /// Processor time of the program and its children, once it has ended.
    used: Duration,
}

impl TimerSampler {
    /// Starts `command` with the timer inside, which `compiler` (a C compiler
    /// such as `clang` or `cc`) makes. Of the options, pace and size of the
    /// ring are heeded.
    pub fn start(mut command: Command, options: &SessionOptions, compiler: &Path) -> Result<Self, Error> {
        let asked = match options.pace {
            Pace::PerSecond(rate @ 1..) => rate.min(1_000_000),
            Pace::PerSecond(0) => {
                return Err(Error::Rate { what: "a rate of 0 samples a second takes none".to_owned() });
            }
            Pace::Overhead(_) => FASTEST,
        };
        let folder = Scratch::folder("opcost-timer-");
        let folder =
            folder.map_err(|source| Error::System { doing: "making a folder for samples", source })?;
        let aside = aside(&folder)?;
        let library = compile(aside.as_ref().unwrap_or(&folder), compiler)?;
        let rings = folder.path().join("rings");
        std::fs::create_dir(&rings)
            .map_err(|source| Error::System { doing: "making a folder for samples", source })?;
        let pages = options.ring_pages.max(1);
        let preloaded = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty());
        let mut preload = library.into_os_string();
        if let Some(others) = preloaded {
            preload.push(":");
            preload.push(others);
        }
        command
            .env("LD_PRELOAD", preload)
            .env("OPCOST_TIMER_FOLDER", &rings)
            .env("OPCOST_TIMER_RATE", asked.to_string())
            .env("OPCOST_TIMER_PAGES", pages.to_string());
        let program = command.get_program().to_string_lossy().into_owned();
        let started = gate::start(command, sys::process_handle);
        let (child, handle) = started.map_err(|failed| match failed {
            gate::Failed::Start(source) => Error::Start { program, source },
            gate::Failed::Prepare(source) => Error::System { doing: "getting hold of the process", source },
        })?;
        Ok(TimerSampler {
            folder,
            _aside: aside,
            streams: Vec::new(),
            child,
            handle: Some(handle),
            fold: Fold::new(SystemTime::now()),
            requested: asked,
            pages,
            began: Instant::now(),
            end: End::GoesOn,
            used: Duration::ZERO,
        })
    }

    /// The started program's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the program, if it still runs.
    pub fn signal(&self, signal: i32) {
        if let Some(handle) = &self.handle {
            // It may have ended just now, which is what a signal is for.
            let _ = sys::signal::send(handle.as_fd(), signal);
        }
    }

    /// Collects until the program has ended or `limit` is over.
    pub fn wait(&mut self, limit: Option<Duration>) -> Result<SessionProgress, Error> {
        let until = limit.map(|limit| Instant::now() + limit);
        loop {
            if self.handle.is_none() {
                return Ok(SessionProgress::Ended);
            }
            let rest = until.map_or(ROUND, |until| until.saturating_duration_since(Instant::now()));
            if rest.is_zero() {
                return Ok(SessionProgress::GoesOn);
            }
            self.sleep(rest.min(ROUND))?;
            self.run_pass();
        }
    }

    /// Sleeps, and notes if the program has ended.
    fn sleep(&mut self, limit: Duration) -> Result<(), Error> {
        let Some(handle) = &self.handle else { return Ok(()) };
        let woken = sys::wait(&[handle.as_fd()], limit);
        let woken = woken.map_err(|source| Error::System { doing: "waiting for samples", source })?;
        if woken[0].readable {
            let before = sys::children_time();
            let status = self.child.wait();
            self.used = sys::children_time().saturating_sub(before);
            let status =
                status.map_err(|source| Error::System { doing: "waiting for the program", source })?;
            self.end = End::of(status);
            self.handle = None;
        }
        Ok(())
    }

    /// What there is so far; sampling goes on.
    pub fn snapshot(&mut self) -> Result<Samples, Error> {
        self.run_pass();
        self.run_pass();
        self.samples()
    }

    /// What came of it. A program that still runs keeps its timer; what it
    /// samples from now on is not read.
    pub fn finish(mut self) -> Result<Samples, Error> {
        self.sleep(Duration::ZERO)?;
        self.run_pass();
        self.fold.finish();
        self.samples()
    }

    fn run_pass(&mut self) {
        let began = sys::now();
        self.find_streams();
        let mut bytes = Vec::new();
        for stream in &mut self.streams {
            // Looked first and drained then: so a `dlclose` in between is seen.
            let looked = sys::now();
            let mappings = running::mappings(stream.pid).ok();
            bytes.clear();
            stream.ring.drain(&mut bytes);
            self.fold.feed(&LAYOUT, &bytes, |_| true);
            if let Some(mappings) = mappings.filter(|_| stream.ring.control_word(word::LOOKED) <= looked) {
                stream.update_mappings(mappings, looked, &mut self.fold);
            }
        }
        self.fold.finish_round(began);
    }

    /// Rings of processes that were not known before.
    fn find_streams(&mut self) {
        let entries = std::fs::read_dir(self.folder.path().join("rings")).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        for name in names {
            if self.streams.iter().any(|stream| stream.name == name) {
                continue;
            }
            let path = self.folder.path().join("rings").join(&name);
            let pid = name.split('.').next().and_then(|pid| pid.parse().ok());
            let (Some(pid), Ok(file)) = (pid, File::options().read(true).write(true).open(&path)) else {
                continue;
            };
            // A ring that is not complete yet is looked at again.
            let bytes = (self.pages as u64 + 1) * sys::page_size();
            if file.metadata().map_or(0, |metadata| metadata.len()) < bytes {
                continue;
            }
            if let Ok(ring) = Ring::map(file.as_fd(), self.pages)
                && ring.control_word(word::READY) == 1
            {
                // What this process was before, it is not any more.
                self.streams
                    .iter_mut()
                    .filter(|old| old.pid == pid)
                    .for_each(|old| old.observed_at = u64::MAX);
                self.streams.push(Stream {
                    name,
                    pid,
                    ring,
                    known_mappings: BTreeSet::new(),
                    observed_at: 0,
                });
            }
        }
    }

    fn samples(&self) -> Result<Samples, Error> {
        if self.streams.is_empty() && self.end != End::GoesOn {
            let what = "was not entered: the program is static or set-user-id, or the disk was full \
                        (TMPDIR chooses another); link it dynamically"
                .to_owned();
            return Err(Error::Timer { what });
        }
        let sum = |word| self.streams.iter().map(|stream| stream.ring.control_word(word)).sum::<u64>();
        let (counts, hits) = (self.fold.collector.counts(), self.fold.collector.hits());
        Ok(Samples {
            images: hits.images,
            mapped: hits.mapped,
            homeless: hits.homeless,
            stacks: Vec::new(),
            total: counts.total,
            lost: sum(word::LOST),
            broken: self.fold.broken,
            torn: 0,
            throttled: 0,
            event: "timer".to_owned(),
            rate: Rate { requested: self.requested, granted: self.requested.min(FASTEST) },
            // With what ran unentered, so that the rate tells of it.
            cpu: Some(Duration::from_nanos(sum(word::CPU)).max(self.used)),
            wall: self.began.elapsed(),
            processes: counts.processes,
            threads: counts.threads,
            by_process: hits.by_process,
            with_kernel: false,
            end: self.end,
            left_out: LeftOut::default(),
            not_kept: None,
        })
    }
}

impl Stream {
    /// Adds what is mapped now and was not at the look before.
    fn update_mappings(&mut self, mappings: Vec<Mapping>, looked: u64, fold: &mut Fold) {
        if self.observed_at == u64::MAX {
            return;
        }
        let name = |of: &Mapping| (of.start, of.length, of.offset, of.path.clone());
        let now: BTreeSet<_> = mappings.iter().map(name).collect();
        let since = if self.known_mappings.is_subset(&now) {
            self.observed_at.max(self.ring.control_word(word::LOOKED))
        } else {
            looked
        };
        for mapping in mappings.into_iter().filter(|mapping| !self.known_mappings.contains(&name(mapping))) {
            fold.queue.push(Stamped { time: Some(since), record: Record::Mapping(Box::new(mapping)) });
        }
        (self.known_mappings, self.observed_at) = (now, looked);
    }
}

/// A folder for the library alone, if a list of libraries to load cannot name the other:
/// blanks and colons divide the list.
fn aside(folder: &Scratch) -> Result<Option<Scratch>, Error> {
    let name = folder.path().as_os_str().as_encoded_bytes();
    if !name.iter().any(|byte| b" \t\n:".contains(byte)) {
        return Ok(None);
    }
    Scratch::folder_in(Path::new("/tmp"), "opcost-timer-").map(Some).map_err(|error| Error::Timer {
        what: format!(
            "needs a folder without blank and colon in its path: {} has one, and /tmp takes none ({error}); \
             let TMPDIR lead to another",
            folder.path().display()
        ),
    })
}

/// The library, in the folder.
fn compile(folder: &Scratch, compiler: &Path) -> Result<std::path::PathBuf, Error> {
    let (source, library) = (folder.path().join("timer.c"), folder.path().join("timer.so"));
    let wrong = |what: String| Error::Timer { what: format!("cannot be built: {what}") };
    std::fs::write(&source, SOURCE).map_err(|error| wrong(error.to_string()))?;
    let output = Command::new(compiler)
        .args(["-O2", "-shared", "-fPIC", "-pthread", "-o"])
        .arg(&library)
        .arg(&source)
        .args(["-ldl", "-lrt"])
        .output();
    let output = output.map_err(|error| wrong(format!("{}: {error}", compiler.display())))?;
    if output.status.success() {
        return Ok(library);
    }
    Err(wrong(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}
