//! What may be sampled on this machine, and how is it opened?
//!
//! First the kernel is asked on this very process ([`Granted::negotiate`]):
//! with the kernel's own part, else without (`perf_event_paranoid` 2); with
//! build-ids and counts of lost records, else without (older kernels). What
//! was granted is part of the result.
//!
//! A ring cannot serve an inherited event on all processors, so there is one
//! event for each task and processor, inherited by all that the task starts,
//! and one ring for each processor. Mappings, names and forks go to rings of
//! their own ([`EventKind::Sideband`], an event that never fires): when samples come
//! too fast some of them are lost, but never the mapping that the others need.
//!
//! Cost in the program: that of a bare event, plus a second event that the
//! kernel switches with it. A sample has address, task and time: 32 bytes.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use crate::decode::{SampleLayout, field};
use crate::sys::event::{self, Attributes, flag};
use crate::sys::ring::Ring;
use crate::{Error, Event};

/// What the kernel allows here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Granted {
    pub(crate) event: Event,
    pub(crate) rate: u64,
    pub(crate) with_kernel: bool,
    pub(crate) with_stacks: bool,
    with_branches: bool,
    with_build_ids: bool,
    counts_lost: bool,
}

/// When an event begins to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Begin {
    /// When the task becomes a program.
    OnExec,
    /// At once.
    Now,
    /// On command.
    OnCommand,
}

/// What goes into a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    Samples,
    Sideband,
}

impl Granted {
    /// Asks for `event` at `rate` samples a second, by the kernel's leave.
    pub(crate) fn negotiate(
        event: &Event,
        rate: u64,
        with_kernel: bool,
        with_stacks: bool,
        with_branches: bool,
    ) -> Result<Self, Error> {
        let rate = most_samples().map_or(rate, |most| rate.min(most));
        let (with_build_ids, counts_lost) = (true, true);
        let event = event.clone();
        let mut granted =
            Granted { event, rate, with_kernel, with_stacks, with_branches, with_build_ids, counts_lost };
        loop {
            let attempt = [EventKind::Sideband, EventKind::Samples].into_iter().try_for_each(|kind| {
                event::open(&granted.attributes(kind, Begin::OnCommand, 0), 0, None).map(drop)
            });
            let Err(error) = attempt else { return Ok(granted) };
            match error.raw_os_error() {
                // The kernel lowers the limit by itself when samples take it too long.
                Some(libc::EINVAL) if most_samples().is_some_and(|most| most < granted.rate) => {
                    granted.rate = most_samples().unwrap_or(granted.rate);
                }
                Some(libc::EACCES | libc::EPERM) if granted.with_kernel => granted.with_kernel = false,
                Some(libc::EINVAL) if granted.counts_lost => granted.counts_lost = false,
                Some(libc::EINVAL) if granted.with_build_ids => granted.with_build_ids = false,
                _ => return Err(granted.refusal(error)),
            }
        }
    }

    /// Why not. A machine without the counter records no branches with it either.
    fn refusal(&self, source: io::Error) -> Error {
        match refusal(&self.event, source) {
            Error::NoCounter { event, source } if self.with_branches => Error::NoBranches { event, source },
            other => other,
        }
    }

    pub(crate) fn attributes(&self, kind: EventKind, begin: Begin, ring_bytes: usize) -> Attributes {
        let event = if kind == EventKind::Samples { self.event.clone() } else { Event::silent() };
        let mut flags = flag::INHERIT | flag::WATERMARK | flag::STAMP_ALL | flag::CLOCK;
        flags |= flag::EXCLUDE_HYPERVISOR | flag::TASKS;
        flags |= match begin {
            Begin::OnExec => flag::DISABLED | flag::ENABLE_ON_EXEC,
            Begin::OnCommand => flag::DISABLED,
            Begin::Now => 0,
        };
        if !self.with_kernel {
            flags |= flag::EXCLUDE_KERNEL;
        }
        // Both kinds alike, though news have no addresses: one event then
        // describes all records of a file that keeps them.
        let mut sample_type = field::IP | field::TID | field::TIME;
        let mut frequency = 0;
        match kind {
            EventKind::Samples => {
                flags |= flag::FREQUENCY | flag::NO_KERNEL_STACK;
                sample_type |= if self.with_stacks { field::CALLCHAIN } else { 0 };
                sample_type |= if self.with_branches { field::BRANCHES } else { 0 };
                frequency = self.rate;
            }
            EventKind::Sideband => {
                flags |= flag::MAPPINGS | flag::MAPPINGS_WITH_FILE | flag::NAMES | flag::NAMES_TELL_EXEC;
                flags |= if self.with_build_ids { flag::BUILD_IDS } else { 0 };
            }
        }
        Attributes {
            kind: event.kind,
            config: event.config,
            frequency,
            sample_type,
            read_format: event::READ_FORMAT | if self.counts_lost { event::COUNT_LOST } else { 0 },
            flags,
            // Half full: the reader sleeps as long as it can and is in time.
            watermark: (ring_bytes / 2) as u32,
            branch_sample_type: if sample_type & field::BRANCHES != 0 { event::PROGRAM_BRANCHES } else { 0 },
            clock: libc::CLOCK_MONOTONIC,
            ..Attributes::default()
        }
    }

    fn layout(&self, kind: EventKind) -> SampleLayout {
        let attributes = self.attributes(kind, Begin::Now, 0);
        SampleLayout {
            sample_type: attributes.sample_type,
            read_format: attributes.read_format,
            stamps_all: attributes.flags & flag::STAMP_ALL != 0,
            numbers_branches: false,
        }
    }
}

/// The most samples in a second that this kernel takes.
pub(crate) fn most_samples() -> Option<u64> {
    let path = "/proc/sys/kernel/perf_event_max_sample_rate";
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn refusal(event: &Event, source: io::Error) -> Error {
    match source.raw_os_error() {
        Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP | libc::EINVAL) => {
            Error::NoCounter { event: event.name().to_owned(), source }
        }
        Some(libc::EACCES | libc::EPERM | libc::ENOSYS) => {
            let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
            let paranoid =
                paranoid.map_or_else(|error| format!("unknown ({error})"), |text| text.trim().into());
            Error::NotPermitted { source, paranoid }
        }
        Some(libc::EMFILE | libc::ENFILE) => Error::TooManyFiles { source },
        _ => Error::System { doing: "perf_event_open", source },
    }
}

/// One ring of one processor and the events that write into it.
pub(crate) struct Channel {
    pub(crate) kind: EventKind,
    pub(crate) layout: SampleLayout,
    pub(crate) ring: Ring,
    /// The first one owns the ring.
    pub(crate) events: Vec<OwnedFd>,
    /// Whether waiting on the owner is of no use any more.
    pub(crate) is_over: bool,
    processor: u32,
}

/// Opens both kinds of events for a task on all processors; rings are made
/// for the first task and shared by the others. `pages` is the size of a ring
/// of samples, made smaller if there is no memory.
pub(crate) fn open_task(
    granted: &Granted,
    task: u32,
    begin: Begin,
    pages: usize,
    channels: &mut Vec<Channel>,
) -> Result<(), Error> {
    for processor in processors() {
        // Samples first: who is seen being born has inherited both.
        for (kind, pages) in [(EventKind::Samples, pages), (EventKind::Sideband, pages.clamp(1, 32))] {
            let bytes = pages * crate::sys::page_size() as usize;
            let attributes = granted.attributes(kind, begin, bytes);
            let event = match event::open(&attributes, task, Some(processor)) {
                Ok(event) => event,
                // This processor was switched off meanwhile.
                Err(error) if error.raw_os_error() == Some(libc::ENODEV) => continue,
                Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {
                    return Err(Error::NoProcess { pid: task });
                }
                Err(error) => return Err(granted.refusal(error)),
            };
            let same = |channel: &&mut Channel| channel.processor == processor && channel.kind == kind;
            if let Some(channel) = channels.iter_mut().find(same) {
                let shared = event::share_ring(event.as_fd(), channel.events[0].as_fd());
                shared.map_err(|source| Error::System { doing: "sharing a ring", source })?;
                channel.events.push(event);
            } else {
                let ring = map_ring(&event, pages)?;
                let layout = granted.layout(kind);
                let events = vec![event];
                channels.push(Channel { kind, layout, ring, events, is_over: false, processor });
            }
        }
    }
    Ok(())
}

/// An event that begins with the program, is inherited and has no ring.
pub(crate) fn open_bare(granted: &Granted, task: u32) -> Result<OwnedFd, Error> {
    let attributes = granted.attributes(EventKind::Samples, Begin::OnExec, 0);
    event::open(&attributes, task, None).map_err(|error| granted.refusal(error))
}

/// A ring of `pages` pages or, without memory for it, of half as many and so on.
fn map_ring(event: &OwnedFd, pages: usize) -> Result<Ring, Error> {
    let mut pages = pages.max(1).next_power_of_two();
    loop {
        match Ring::map(event.as_fd(), pages) {
            Ok(ring) => return Ok(ring),
            Err(_) if pages > 1 => pages /= 2,
            Err(source) => return Err(Error::NoRing { source }),
        }
    }
}

/// Processors that are switched on: `0-3,5` in the kernel's words.
fn processors() -> Vec<u32> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let listed = listed(&text);
    if !listed.is_empty() {
        return listed;
    }
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (0..count as u32).collect()
}

fn listed(text: &str) -> Vec<u32> {
    let ranges = text.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<u32>().ok()?..=last.parse().ok()?)
    });
    ranges.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_read_in_the_kernels_words() {
        assert_eq!(listed("0-1\n"), [0, 1]);
        assert_eq!(listed("0,2-4,7"), [0, 2, 3, 4, 7]);
        assert!(listed("").is_empty() && listed("x-y").is_empty());
        assert!(!processors().is_empty());
    }

    #[test]
    fn a_refusal_says_whose_fault_it_is_and_what_to_do() {
        let told = |code| refusal(&Event::cpu_clock(), io::Error::from_raw_os_error(code)).to_string();
        assert!(told(libc::EACCES).contains("perf_event_paranoid=2"), "{}", told(libc::EACCES));
        assert!(told(libc::ENOSYS).contains("allow perf_event_open"), "{}", told(libc::ENOSYS));
        assert!(told(libc::ENOENT).contains("no counter `cpu-clock`"), "{}", told(libc::ENOENT));
        assert!(told(libc::EMFILE).contains("raise ulimit -n"), "{}", told(libc::EMFILE));
        assert!(told(libc::EBADF).contains("fault of the kernel or of opcost"), "{}", told(libc::EBADF));
    }

    #[test]
    fn a_watermark_is_half_the_ring_and_a_sample_has_three_fields() {
        let granted = Granted {
            event: Event::cpu_clock(),
            rate: 4000,
            with_kernel: false,
            with_stacks: false,
            with_branches: false,
            with_build_ids: true,
            counts_lost: true,
        };
        let attributes = granted.attributes(EventKind::Samples, Begin::OnExec, 4096);
        assert_eq!((attributes.watermark, attributes.frequency), (2048, 4000));
        assert_eq!(attributes.sample_type.count_ones(), 3);
        assert_ne!(attributes.flags & flag::EXCLUDE_KERNEL, 0);
        assert_eq!(granted.attributes(EventKind::Sideband, Begin::Now, 4096).frequency, 0);
        assert_eq!(attributes.branch_sample_type, 0);
        // With branches, samples have them, and news do not.
        let granted = Granted { with_branches: true, ..granted };
        let told = |code| granted.refusal(io::Error::from_raw_os_error(code)).to_string();
        assert!(told(libc::ENOENT).contains("records no branches"), "{}", told(libc::ENOENT));
        assert!(told(libc::EACCES).contains("perf_event_paranoid"), "{}", told(libc::EACCES));
        let [samples, news] = [EventKind::Samples, EventKind::Sideband]
            .map(|kind| granted.attributes(kind, Begin::OnExec, 4096));
        assert_eq!((samples.sample_type & field::BRANCHES, samples.branch_sample_type), (field::BRANCHES, 9));
        assert_eq!((news.sample_type & field::BRANCHES, news.branch_sample_type), (0, 0));
    }
}
