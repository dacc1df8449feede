//! Which system calls does sampling need, behind a safe face?
//!
//! `perf_event_open` and what belongs to it ([`event`]), the ring that the
//! kernel writes records into ([`ring`]), and a child that waits at a gate
//! before it becomes the program ([`gate`]), and signals ([`signal`]). Here are the rest: waiting on
//! several descriptors, the clock that stamps records, a handle on a process.
//!
//! All unsafe code of this room lies below this folder, and nothing below it
//! decides anything.
#![allow(unsafe_code)]

pub(crate) mod event;
pub(crate) mod gate;
pub(crate) mod parent;
pub(crate) mod ring;
pub(crate) mod signal;

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// Nanoseconds of `CLOCK_MONOTONIC`, the clock that records are stamped with.
pub(crate) fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec of ours; this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Processor time of this process.
pub(crate) fn own_time() -> Duration {
    processor_time(libc::RUSAGE_SELF)
}

/// Processor time of all children that have been waited for, and of theirs.
pub(crate) fn children_time() -> Duration {
    processor_time(libc::RUSAGE_CHILDREN)
}

fn processor_time(whose: libc::c_int) -> Duration {
    // SAFETY: all zeros is a value of this structure of numbers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a structure of ours.
    unsafe { libc::getrusage(whose, &mut usage) };
    let time = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// Bytes of a page.
pub(crate) fn page_size() -> u64 {
    // SAFETY: asks for a number.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).unwrap_or(4096)
}

/// A descriptor that becomes readable when the process has ended.
pub(crate) fn process_handle(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: a system call on numbers; the result is a new descriptor or -1.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just made this descriptor for us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as i32) })
}

/// What became of one descriptor while waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Woken {
    /// There is something to read.
    pub(crate) readable: bool,
    /// Nothing will ever come again.
    pub(crate) is_over: bool,
}

/// Sleeps until one of the descriptors has something or time is up; one
/// answer for each, in their order. A signal ends the wait early.
pub(crate) fn wait(descriptors: &[BorrowedFd<'_>], limit: Duration) -> io::Result<Vec<Woken>> {
    let asked = |descriptor: &BorrowedFd<'_>| libc::pollfd {
        fd: descriptor.as_raw_fd(),
        events: libc::POLLIN,
        revents: 0,
    };
    let mut polled: Vec<libc::pollfd> = descriptors.iter().map(asked).collect();
    // Rounded up, so that a short rest of a limit is not a busy loop.
    let milliseconds = i32::try_from(limit.as_micros().div_ceil(1000)).unwrap_or(i32::MAX);
    // SAFETY: the pointer and the length are those of the vector.
    let result = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, milliseconds) };
    if result < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
        polled.iter_mut().for_each(|descriptor| descriptor.revents = 0);
    }
    let answer = |descriptor: &libc::pollfd| Woken {
        readable: descriptor.revents & libc::POLLIN != 0,
        is_over: descriptor.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) != 0,
    };
    Ok(polled.iter().map(answer).collect())
}
