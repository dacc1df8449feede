//! How is a counter of the kernel opened, steered and read?
//!
//! [`Attributes`] is the kernel's `perf_event_attr` as far as this room uses
//! it (version 5 of the structure, 112 bytes, understood since Linux 4.10);
//! newer bits in its flags are refused by older kernels with `EINVAL`, which
//! the caller answers by asking for less. The layout of the bit field is that
//! of a little-endian machine.
//!
//! Source: `include/uapi/linux/perf_event.h`; perf_event_open(2).

use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

#[cfg(target_endian = "big")]
compile_error!("the flags of perf_event_attr are laid out for little-endian machines");

/// `perf_event_attr`, fields in the kernel's order.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) kind: u32,
    pub(crate) size: u32,
    pub(crate) config: u64,
    /// Samples in a second, with [`flag::FREQUENCY`].
    pub(crate) frequency: u64,
    pub(crate) sample_type: u64,
    pub(crate) read_format: u64,
    pub(crate) flags: u64,
    /// Bytes in the ring before a reader is woken, with [`flag::WATERMARK`].
    pub(crate) watermark: u32,
    pub(crate) breakpoint_type: u32,
    pub(crate) config1: u64,
    pub(crate) config2: u64,
    pub(crate) branch_sample_type: u64,
    pub(crate) sample_registers: u64,
    pub(crate) sample_stack_bytes: u32,
    /// With [`flag::CLOCK`].
    pub(crate) clock: i32,
    pub(crate) sample_interrupt_registers: u64,
    pub(crate) auxiliary_watermark: u32,
    /// Most frames of a stack.
    pub(crate) most_frames: u16,
    pub(crate) reserved: u16,
}

/// Bits of [`Attributes::flags`].
pub(crate) mod flag {
    pub(crate) const DISABLED: u64 = 1 << 0;
    pub(crate) const INHERIT: u64 = 1 << 1;
    pub(crate) const EXCLUDE_KERNEL: u64 = 1 << 5;
    pub(crate) const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
    pub(crate) const MAPPINGS: u64 = 1 << 8;
    pub(crate) const NAMES: u64 = 1 << 9;
    pub(crate) const FREQUENCY: u64 = 1 << 10;
    pub(crate) const ENABLE_ON_EXEC: u64 = 1 << 12;
    pub(crate) const TASKS: u64 = 1 << 13;
    pub(crate) const WATERMARK: u64 = 1 << 14;
    pub(crate) const STAMP_ALL: u64 = 1 << 18;
    pub(crate) const NO_KERNEL_STACK: u64 = 1 << 21;
    pub(crate) const MAPPINGS_WITH_FILE: u64 = 1 << 23;
    pub(crate) const NAMES_TELL_EXEC: u64 = 1 << 24;
    pub(crate) const CLOCK: u64 = 1 << 25;
    pub(crate) const BUILD_IDS: u64 = 1 << 34;
}

/// Bits of [`Attributes::branch_sample_type`]: branches of the program, of all kinds.
pub(crate) const PROGRAM_BRANCHES: u64 = 1 << 0 | 1 << 3;
/// Another bit of it: a number of the hardware comes before them.
pub(crate) const NUMBER_BRANCHES: u64 = 1 << 17;

const TIME_ENABLED: u64 = 1 << 0;
const TIME_RUNNING: u64 = 1 << 1;
/// Since Linux 6.0.
pub(crate) const COUNT_LOST: u64 = 1 << 4;
/// What [`counts`] reads of every event.
pub(crate) const READ_FORMAT: u64 = TIME_ENABLED | TIME_RUNNING;

/// Opens the event for a task, and what it will start, while on one processor
/// (or, with `None`, on any).
pub(crate) fn open(attributes: &Attributes, task: u32, processor: Option<u32>) -> io::Result<OwnedFd> {
    const CLOSE_ON_EXEC: libc::c_ulong = 1 << 3;
    let attributes = Attributes { size: size_of::<Attributes>() as u32, ..*attributes };
    let processor = processor.map_or(-1, |processor| processor as i32);
    // SAFETY: the pointer is to a structure of the size that it says; the
    // kernel reads no more and writes at most that size back.
    let descriptor = unsafe {
        libc::syscall(
            libc::SYS_perf_event_open,
            &attributes as *const Attributes,
            task as libc::pid_t,
            processor,
            -1,
            CLOSE_ON_EXEC,
        )
    };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just made this descriptor for us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as i32) })
}

fn control(event: BorrowedFd<'_>, request: libc::c_ulong, argument: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the requests below take a number, never a pointer.
    match unsafe { libc::ioctl(event.as_raw_fd(), request as _, argument) } {
        0.. => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Starts an event that was opened as disabled.
pub(crate) fn enable(event: BorrowedFd<'_>) -> io::Result<()> {
    control(event, 0x2400, 0)
}

/// Stops an event; what it wrote stays in the ring.
pub(crate) fn disable(event: BorrowedFd<'_>) -> io::Result<()> {
    control(event, 0x2401, 0)
}

/// Has the event write into the ring of another one of the same processor.
pub(crate) fn share_ring(event: BorrowedFd<'_>, owner: BorrowedFd<'_>) -> io::Result<()> {
    control(event, 0x2405, owner.as_raw_fd() as libc::c_ulong)
}

/// What an event says of itself, with all that inherited it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Nanoseconds that its tasks ran on its processor.
    pub(crate) running: u64,
    /// Records that found no room; zero where the kernel does not report it.
    pub(crate) lost: u64,
}

/// Reads an event opened with [`READ_FORMAT`] and perhaps [`COUNT_LOST`].
pub(crate) fn counts(event: &OwnedFd) -> io::Result<Counts> {
    let mut bytes = [0; 32];
    let mut file = std::fs::File::from(event.try_clone()?);
    let length = file.read(&mut bytes)?;
    let word = |position: usize| {
        let end = position * 8 + 8;
        if end > length {
            0
        } else {
            u64::from_le_bytes(std::array::from_fn(|byte| bytes[position * 8 + byte]))
        }
    };
    Ok(Counts { running: word(2), lost: word(3) })
}
