//! How does a program end with the process that started it, even when that is killed?
//!
//! The kernel sends SIGKILL to the child when the thread that forked it ends. So that thread must
//! wait for the child. A parent that ended before the child asked for the signal sends none, so the
//! child looks whose child it is after it asked. The signal stays over `exec`, except for programs
//! that gain privileges; children of the child have none.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The program that this command starts ends when the calling thread does.
pub fn end_with_this_process(command: &mut Command) {
    let parent = std::process::id().cast_signed();
    // SAFETY: the closure makes two system calls and touches no memory but its own.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            if libc::getppid() == parent {
                Ok(())
            } else {
                Err(io::Error::from_raw_os_error(libc::ECANCELED))
            }
        });
    }
}
