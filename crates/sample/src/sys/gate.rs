//! How is a program started so that nothing of it runs before its events are
//! there?
//!
//! The child stops at a gate between `fork` and `exec`: it writes its number
//! into a pipe and waits for a byte from another. `Command::spawn` returns
//! after `exec` only, so a thread spawns while this one opens events on the
//! waiting child and then opens the gate. The events are inherited over `exec`
//! and start there (`enable_on_exec`).
//!
//! If this process dies meanwhile, the pipe ends, and the child gives up
//! instead of running unsampled.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two descriptors into an array of two.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both are new and belong to nobody else.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Waits in the child: says its number, then reads one byte.
fn wait_in_child(say: i32, listen: i32) -> io::Result<()> {
    // SAFETY: only system calls on buffers of ours, as `fork` demands.
    unsafe {
        let pid = libc::getpid().to_le_bytes();
        if libc::write(say, pid.as_ptr().cast(), 4) != 4 {
            return Err(io::Error::last_os_error());
        }
        let mut byte = 0_u8;
        loop {
            match libc::read(listen, (&raw mut byte).cast(), 1) {
                1 => return Ok(()),
                -1 if *libc::__errno_location() == libc::EINTR => {}
                // An end without a byte: nobody samples, so nobody runs.
                _ => return Err(io::Error::from_raw_os_error(libc::ECANCELED)),
            }
        }
    }
}

/// Why no program came of it.
pub(crate) enum Failed<E> {
    /// It could not be started.
    Start(io::Error),
    /// It could be, but what was to be prepared for it could not.
    Prepare(E),
}

/// Starts `command`; `prepare` is called with the number of the child, which
/// becomes the program only when that has succeeded.
pub(crate) fn start<T, E>(
    mut command: Command,
    prepare: impl FnOnce(u32) -> Result<T, E>,
) -> Result<(Child, T), Failed<E>> {
    let (hear, say) = pipe().map_err(Failed::Start)?;
    let (listen, open) = pipe().map_err(Failed::Start)?;
    // The child has a copy of this end too and must not keep its own gate.
    let (say_number, listen_number, open_number) = (say.as_raw_fd(), listen.as_raw_fd(), open.as_raw_fd());
    // SAFETY: the closure makes system calls only; the descriptors live until
    // the thread below has returned from `spawn`.
    unsafe {
        command.pre_exec(move || {
            libc::close(open_number);
            wait_in_child(say_number, listen_number)
        });
    }
    std::thread::scope(|scope| {
        let spawning = scope.spawn(move || {
            let child = command.spawn();
            // If there is no child, the pipe must end for who hears.
            drop((say, listen));
            child
        });
        let mut number = [0; 4];
        let is_waiting = File::from(hear).read_exact(&mut number).is_ok();
        let prepared = is_waiting.then(|| prepare(u32::from_le_bytes(number)));
        let mut gate = File::from(open);
        if let Some(Ok(_)) = prepared {
            // A child that is gone already is told by `spawn`.
            let _ = gate.write_all(&[1]);
        }
        drop(gate);
        let child = spawning.join().unwrap_or_else(|_| Err(io::Error::other("the starting thread failed")));
        match (prepared, child) {
            (Some(Err(error)), _) => Err(Failed::Prepare(error)),
            (Some(Ok(prepared)), Ok(child)) => Ok((child, prepared)),
            (_, Err(error)) => Err(Failed::Start(error)),
            (None, Ok(_)) => Err(Failed::Start(io::Error::other("it ran past its gate"))),
        }
    })
}
