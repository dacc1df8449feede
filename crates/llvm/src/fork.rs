//! How is work done so that its end ends nothing else?
//!
//! LLVM ends the process on fatal errors, sets options for all of it, and gives memory back when it ends.
//! So a process that lives long does each piece of work in a copy of itself, which `fork` makes. The copy has
//! all that was read before, and shares its pages until one of the two writes to them.
//!
//! Output: how the copy ended. Cost: 0.2 ms, and page faults for what the copy changes. Limit: a copy has one
//! thread, so it is for processes of one thread.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitStatus;

/// The status of a program of Rust that panicked.
const PANICKED: u8 = 101;

/// Does `work` in a copy of this process, which ends with the status that it returns, and waits for that.
///
/// # Errors
/// The system has no room for another process.
pub fn in_fork(work: impl FnOnce() -> u8) -> io::Result<ExitStatus> {
    // SAFETY: the copy goes on in this thread, which holds no lock; it never returns from here.
    let copy = unsafe { libc::fork() };
    if copy == 0 {
        let status = catch_unwind(AssertUnwindSafe(work)).unwrap_or(PANICKED);
        // SAFETY: always defined. What is to be done at the end of the process is left to the other one.
        unsafe { libc::_exit(i32::from(status)) }
    }
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    let mut status = 0;
    // SAFETY: the number is that of a child that nobody else waits for, and the pointer is valid for a write.
    while unsafe { libc::waitpid(copy, &raw mut status, 0) } < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(ExitStatus::from_raw(status))
}
