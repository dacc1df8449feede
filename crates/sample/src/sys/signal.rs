//! Which signals came to this process since it was last asked?
//!
//! A handler may do next to nothing, so it sets a bit; whoever waits looks at
//! the bits. Each signal has two: whether the kernel sent it (a terminal's
//! signals go to all processes in its foreground), or a process did.
//! Children get the signals' own effects back when they become programs.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicU32, Ordering};

/// Signals that are heard.
pub(crate) const HEARD: [i32; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1];

static CAME: AtomicU32 = AtomicU32::new(0);

extern "C" fn note(signal: libc::c_int, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
    let Some(position) = HEARD.iter().position(|heard| *heard == signal) else { return };
    // SAFETY: the kernel gives the handler a filled structure.
    let is_from_kernel = unsafe { (*about).si_code } > 0;
    CAME.fetch_or(1 << (2 * position + usize::from(is_from_kernel)), Ordering::Relaxed);
}

/// Hears the signals from now on; those that are ignored stay ignored.
pub(crate) fn hear() -> io::Result<()> {
    for signal in HEARD {
        // SAFETY: all zeros is a value of this structure, both pointers are to
        // structures of ours, and the handler only sets bits.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &mut action) != 0 {
                return Err(io::Error::last_os_error());
            }
            if action.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            action.sa_sigaction = note as *const () as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            if libc::sigaction(signal, &action, std::ptr::null_mut()) != 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}

/// Gives the signals their own effects back, those that were heard.
pub(crate) fn hear_no_more() {
    for signal in HEARD {
        // SAFETY: as above; the default action is always allowed.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, std::ptr::null(), &mut action) == 0
                && action.sa_sigaction == note as *const () as libc::sighandler_t
            {
                action.sa_sigaction = libc::SIG_DFL;
                action.sa_flags = 0;
                libc::sigaction(signal, &action, std::ptr::null_mut());
            }
        }
    }
}

/// A signal that came and was not taken yet, and whether the kernel sent it.
pub(crate) fn take() -> Option<(i32, bool)> {
    let came = CAME.load(Ordering::Relaxed);
    let bit = (came != 0).then(|| came.trailing_zeros())?;
    CAME.fetch_and(!(1 << bit), Ordering::Relaxed);
    Some((HEARD[bit as usize / 2], bit % 2 == 1))
}

/// Reading from the terminal in the background fails from now on, in place of
/// stopping this process. Programs that it starts would inherit that.
pub(crate) fn fail_in_background() {
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
