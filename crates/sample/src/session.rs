//! How is a program, or a process that runs already, sampled from begin to end?
//!
//! [`Sampler::start`] starts a command behind a gate and opens events on it,
//! inherited by its threads and children; [`Sampler::attach`] opens them on
//! all threads of running processes. [`Sampler::wait`] then collects until
//! time is up or all is over, [`Sampler::snapshot`] says at any moment what
//! there is so far, and [`Sampler::finish`] stops.
//!
//! The reader sleeps until a ring is half full, 200 ms at most. It does
//! nothing for a sample but copy, sort and count it.
//!
//! A thread that is born while its process is attached to is followed exactly
//! once: events that its parent had already are inherited, and then the ring
//! of samples holds a record of its birth; if there is none, events are opened
//! on it.
//!
//! Limits: a started program ends with its own process; children that outlive
//! it are not waited for. What lies in the rings when this process is killed
//! is gone, 200 ms of samples; those before are in [`SessionOptions::keep`].

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant, SystemTime};

use crate::decode::Record;
use crate::fold::Fold;
use crate::keep::{self, Kept};
use crate::opening::{self, Begin, Channel, EventKind, Granted};
use crate::pace::{self, Pace};
use crate::samples::{End, LeftOut, Rate, Samples};
use crate::sys::{self, event, gate};
use crate::{Error, Event, running};

/// The longest sleep of the reader.
const TICK: Duration = Duration::from_millis(200);

/// How to sample.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionOptions {
    /// What is counted.
    pub event: Event,
    /// How often.
    pub pace: Pace,
    /// Whether call stacks are wanted. They cost more, and see frames that
    /// keep a frame pointer only (`-fno-omit-frame-pointer`; a leaf, to which
    /// gcc gives none even then, hides its caller).
    pub stacks: bool,
    /// Whether the last branches that were taken are wanted in each sample. Few machines keep
    /// them, and none for a clock.
    pub branches: bool,
    /// Whether the kernel's part is wanted, as a count without addresses. If
    /// that is not permitted, samples come without it.
    pub kernel: bool,
    /// Pages of the ring of each processor; made smaller if memory may not be
    /// locked. The default, 512 KiB, holds 1.6 s at 10,000 samples a second.
    pub ring_pages: usize,
    /// A file that samples are written into as they come. It is for the case that this process does
    /// not live to say what they are. It is a `perf.data`.
    pub keep: Option<PathBuf>,
    /// Files that are read in place of mapped ones of the same build-id that
    /// are not at their paths any more.
    pub images: Vec<PathBuf>,
}

impl Default for SessionOptions {
    fn default() -> Self {
        let pace = Pace::PerSecond(4000);
        SessionOptions {
            event: Event::cpu_clock(),
            pace,
            stacks: false,
            branches: false,
            kernel: true,
            ring_pages: 128,
            keep: None,
            images: Vec::new(),
        }
    }
}

/// Whether there is more to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionProgress {
    /// Time was up.
    GoesOn,
    /// What was sampled has ended.
    Ended,
}

/// Sampling that goes on.
pub struct Sampler {
    granted: Granted,
    requested: u64,
    channels: Vec<Channel>,
    /// A handle on each process whose end is waited for, until it has come.
    processes: Vec<OwnedFd>,
    child: Option<Child>,
    fold: Fold,
    kept: Option<Kept>,
    not_kept: Option<String>,
    began: Instant,
    end: End,
}

/// Why the system shows nothing of a process.
fn no_process(pid: u32, source: &io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::PermissionDenied => Error::GuardedProcess { pid },
        _ => Error::NoProcess { pid },
    }
}

impl Sampler {
    /// Starts `command` and samples it and all that it starts, from its first
    /// instruction on. Its streams are those that the command says.
    pub fn start(command: Command, options: &SessionOptions) -> Result<Self, Error> {
        let mut sampler = Sampler::prepare(options)?;
        let program = command.get_program().to_string_lossy().into_owned();
        let opened = gate::start(command, |pid| {
            let mut channels = Vec::new();
            opening::open_task(&sampler.granted, pid, Begin::OnExec, options.ring_pages, &mut channels)?;
            let handle = sys::process_handle(pid)
                .map_err(|source| Error::System { doing: "getting hold of the process", source })?;
            Ok((channels, handle))
        });
        let (child, (channels, handle)) = opened.map_err(|failed| match failed {
            gate::Failed::Start(source) => Error::Start { program, source },
            gate::Failed::Prepare(error) => error,
        })?;
        (sampler.channels, sampler.child) = (channels, Some(child));
        sampler.processes.push(handle);
        Ok(sampler)
    }

    /// Samples processes that run already, with all their threads, and what
    /// they start from now on. They go on when sampling ends.
    pub fn attach(pids: &[u32], options: &SessionOptions) -> Result<Self, Error> {
        let mut sampler = Sampler::prepare(options)?;
        for &pid in pids {
            let handle = sys::process_handle(pid).map_err(|source| match source.raw_os_error() {
                Some(libc::ESRCH | libc::EINVAL) => Error::NoProcess { pid },
                _ => Error::System { doing: "getting hold of the process", source },
            })?;
            sampler.processes.push(handle);
            sampler.attach_threads(pid, options.ring_pages)?;
            // Behind the events, so that no mapping falls between.
            let mappings = running::mappings(pid).map_err(|source| no_process(pid, &source))?;
            sampler.learn(mappings.into_iter().map(|mapping| Record::Mapping(Box::new(mapping))));
            sampler.learn(running::names(pid).into_iter());
        }
        Ok(sampler)
    }

    /// Takes in what was there before.
    fn learn(&mut self, records: impl Iterator<Item = Record>) {
        for record in records {
            self.fold.taken.iter_mut().for_each(|taken| taken.extend(keep::encoded(&record)));
            self.fold.collector.take(record);
        }
    }

    fn prepare(options: &SessionOptions) -> Result<Self, Error> {
        let asked = pace::rate(&options.pace, &options.event)?;
        let SessionOptions { kernel, stacks, branches, .. } = *options;
        let granted = Granted::negotiate(&options.event, asked, kernel, stacks, branches)?;
        let mut fold = Fold::new(SystemTime::now());
        fold.collector.stand_in(&options.images);
        let kept = options.keep.as_deref().map(|path| {
            let attributes = granted.attributes(EventKind::Samples, Begin::Now, 0);
            Kept::create(path, &attributes).map_err(|source| Error::Keep { path: path.to_owned(), source })
        });
        let kept = kept.transpose()?;
        fold.taken = kept.is_some().then(Vec::new);
        Ok(Sampler {
            granted,
            requested: asked,
            channels: Vec::new(),
            processes: Vec::new(),
            child: None,
            fold,
            kept,
            not_kept: None,
            began: Instant::now(),
            end: End::GoesOn,
        })
    }

    fn attach_threads(&mut self, pid: u32, pages: usize) -> Result<(), Error> {
        let mut covered = BTreeSet::new();
        loop {
            let threads = running::threads(pid).map_err(|source| no_process(pid, &source))?;
            let born = self.drain();
            covered.extend(born);
            let new: Vec<u32> = threads.into_iter().filter(|thread| !covered.contains(thread)).collect();
            if new.is_empty() {
                return Ok(());
            }
            for thread in new {
                covered.insert(thread);
                match opening::open_task(&self.granted, thread, Begin::Now, pages, &mut self.channels) {
                    // A thread other than the first may be gone again.
                    Err(Error::NoProcess { .. }) if thread != pid => {}
                    other => other?,
                }
            }
        }
    }

    /// The started program's process, if one was started.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Sends a signal to the started program, if it still runs. Processes that
    /// were attached to are left alone.
    pub fn signal(&self, signal: i32) {
        if let (Some(_), Some(process)) = (&self.child, self.processes.first()) {
            // It may have ended just now, which is what a signal is for.
            let _ = sys::signal::send(process.as_fd(), signal);
        }
    }

    /// What was asked for and what the kernel granted.
    pub fn rate(&self) -> Rate {
        Rate { requested: self.requested, granted: self.granted.rate }
    }

    /// Collects until all has ended or `limit` is over.
    pub fn wait(&mut self, limit: Option<Duration>) -> Result<SessionProgress, Error> {
        let until = limit.map(|limit| Instant::now() + limit);
        loop {
            if self.processes.is_empty() {
                return Ok(SessionProgress::Ended);
            }
            let rest = until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()));
            if rest.is_zero() {
                return Ok(SessionProgress::GoesOn);
            }
            self.sleep(rest.min(TICK))?;
            self.run_pass();
        }
    }

    /// Sleeps until there is something, and notes who has ended.
    fn sleep(&mut self, limit: Duration) -> Result<(), Error> {
        let processes = self.processes.iter().map(AsFd::as_fd);
        let live = self.channels.iter().filter(|channel| !channel.is_over);
        let descriptors: Vec<BorrowedFd<'_>> =
            processes.chain(live.map(|channel| channel.events[0].as_fd())).collect();
        let woken = sys::wait(&descriptors, limit);
        let woken = woken.map_err(|source| Error::System { doing: "waiting for samples", source })?;
        let (ended, ready) = woken.split_at(self.processes.len());
        let live = self.channels.iter_mut().filter(|channel| !channel.is_over);
        live.zip(ready).for_each(|(channel, woken)| channel.is_over = woken.is_over);
        let mut ended = ended.iter();
        self.processes.retain(|_| !ended.next().is_some_and(|woken| woken.readable));
        if self.processes.is_empty() {
            self.end = self.ending()?;
        }
        Ok(())
    }

    fn ending(&mut self) -> Result<End, Error> {
        let Some(child) = &mut self.child else { return Ok(End::AllEnded) };
        let status =
            child.wait().map_err(|source| Error::System { doing: "waiting for the program", source })?;
        Ok(End::of(status))
    }

    /// Empties all rings into the queue; returns which threads were started by a thread that was
    /// sampled already.
    fn drain(&mut self) -> Vec<u32> {
        let mut born = Vec::new();
        let mut bytes = Vec::new();
        for channel in &mut self.channels {
            bytes.clear();
            channel.ring.drain(&mut bytes);
            // Births and deaths are news; among samples they only prove that
            // the thread is sampled.
            self.fold.feed(&channel.layout, &bytes, |record| match (channel.kind, record) {
                (EventKind::Samples, Record::Fork { tid, .. }) => {
                    born.push(*tid);
                    false
                }
                (EventKind::Samples, Record::Exit { .. }) => false,
                _ => true,
            });
        }
        born
    }

    /// One round: what is old enough is counted.
    fn run_pass(&mut self) {
        let began = sys::now();
        self.drain();
        self.keep();
        self.fold.finish_round(began);
    }

    /// Writes what was drained; a failure ends the writing only.
    fn keep(&mut self) {
        if let (Some(kept), Some(taken)) = (&mut self.kept, &mut self.fold.taken) {
            if let Err(error) = kept.write(taken) {
                self.not_kept = Some(error.to_string());
                (self.kept, self.fold.taken) = (None, None);
            } else {
                taken.clear();
            }
        }
    }

    /// What there is so far; sampling goes on.
    pub fn snapshot(&mut self) -> Result<Samples, Error> {
        // Whatever was written before the first round is ready in the second.
        self.run_pass();
        self.run_pass();
        self.samples()
    }

    /// Stops sampling and says what came of it. A started program that still
    /// runs goes on without being sampled.
    pub fn finish(mut self) -> Result<Samples, Error> {
        if !self.processes.is_empty() {
            self.sleep(Duration::ZERO)?;
        }
        for channel in &self.channels {
            for event in &channel.events {
                // An event whose task is gone cannot be stopped and need not.
                let _ = event::disable(event.as_fd());
            }
        }
        self.drain();
        self.keep();
        if let Some(Err(error)) = self.kept.take().map(Kept::finish) {
            self.not_kept = Some(error.to_string());
        }
        self.fold.finish();
        self.samples()
    }

    fn samples(&self) -> Result<Samples, Error> {
        let (cpu, lost) = self.read_events()?;
        let (counts, hits) = (self.fold.collector.counts(), self.fold.collector.hits());
        Ok(Samples {
            images: hits.images,
            mapped: hits.mapped,
            homeless: hits.homeless,
            stacks: hits.stacks,
            total: counts.total,
            // A record of a loss is written with the next record only; the
            // events themselves know of the last ones too.
            lost: counts.lost.max(lost),
            broken: self.fold.broken,
            torn: counts.torn,
            throttled: counts.throttled,
            event: self.granted.event.name().to_owned(),
            rate: self.rate(),
            cpu: Some(cpu),
            wall: self.began.elapsed(),
            processes: counts.processes,
            threads: counts.threads,
            by_process: hits.by_process,
            with_kernel: self.granted.with_kernel,
            end: self.end,
            left_out: LeftOut::default(),
            not_kept: self.not_kept.clone(),
        })
    }

    /// Processor time of all tasks, and records that found no room.
    fn read_events(&self) -> Result<(Duration, u64), Error> {
        let (mut running, mut lost) = (0_u64, 0_u64);
        for channel in &self.channels {
            for event in &channel.events {
                let counts = event::counts(event);
                let counts = counts
                    .map_err(|source: io::Error| Error::System { doing: "reading a counter", source })?;
                lost = lost.saturating_add(counts.lost);
                if channel.kind == EventKind::Samples {
                    running = running.saturating_add(counts.running);
                }
            }
        }
        Ok((Duration::from_nanos(running), lost))
    }
}
