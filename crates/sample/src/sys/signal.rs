//! Two small things about signals.
//!
//! A sampler ends its program by a handle, so that no other process that got the number meanwhile
//! is meant. What the user asks by signals is the question of another room.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Reading from the terminal in the background fails from now on, in place of
/// stopping this process. Programs that it starts would inherit that.
pub fn fail_in_background() {
    // SAFETY: sets the action of one signal to a constant.
    unsafe { libc::signal(libc::SIGTTIN, libc::SIG_IGN) };
}

/// Sends a signal to the process of a handle.
pub(crate) fn send(handle: BorrowedFd<'_>, signal: i32) -> io::Result<()> {
    let number = handle.as_raw_fd();
    // SAFETY: a system call on numbers.
    let result = unsafe {
        libc::syscall(libc::SYS_pidfd_send_signal, number, signal, std::ptr::null::<libc::siginfo_t>(), 0)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
