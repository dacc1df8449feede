//! Which signals came, and who takes them?
//!
//! One thread waits for signals, from the first time that anybody wants to hear any. What comes
//! while somebody takes requests stands in a queue; else the thread gives it to whoever was named
//! by [`otherwise`], or does what the system would have done. A terminal sends its signals to all
//! processes of its foreground, so it matters whether the kernel sent one or a process did.
//!
//! Source of the handlers: the crate `signal-hook`. Cost: a thread that sleeps.

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::backend::Handle;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::emulate_default_handler;
use signal_hook::low_level::siginfo::Cause;

/// Signals that ask this process to end.
pub(crate) const ENDS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
/// The signal that asks for what there is so far.
pub(crate) const SNAPSHOT: i32 = SIGUSR1;

/// A signal that comes again as soon as this is one and the same: `timeout` sends it to a process
/// and to its group.
const AGAIN: Duration = Duration::from_millis(500);

/// A signal that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Came {
    pub(crate) signal: i32,
    /// Whether the kernel sent it, as it does for a terminal.
    pub(crate) is_by_kernel: bool,
}

/// What came, and who takes it.
#[derive(Default)]
struct State {
    /// How many take requests.
    takers: usize,
    queue: VecDeque<Came>,
    /// When the last request to end came.
    stopped: Option<Instant>,
    /// What is done with a signal that nobody takes.
    otherwise: Option<fn(i32)>,
    /// By this the listening thread is made to receive more.
    handle: Option<Handle>,
}

fn state() -> MutexGuard<'static, State> {
    static STATE: OnceLock<Mutex<State>> = OnceLock::new();
    STATE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Receives these signals from now on, those that are not ignored.
pub(crate) fn listen(signals: &[i32]) -> io::Result<()> {
    let ignored = ignored();
    let wanted: Vec<i32> = signals.iter().copied().filter(|signal| !is_in(ignored, *signal)).collect();
    let mut state = state();
    if let Some(handle) = &state.handle {
        return wanted.iter().try_for_each(|signal| handle.add_signal(*signal));
    }
    let mut infos = SignalsInfo::<WithOrigin>::new(&wanted)?;
    state.handle = Some(infos.handle());
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for origin in &mut infos {
            let is_by_kernel = !matches!(origin.cause, Cause::Sent(_));
            came(Came { signal: origin.signal, is_by_kernel });
        }
    })?;
    Ok(())
}

/// A signal that nobody takes goes to this function from now on.
pub(crate) fn otherwise(act: fn(i32)) {
    state().otherwise = Some(act);
}

/// Somebody takes requests from now on.
pub(crate) fn take() {
    state().takers += 1;
}

/// Somebody does not any more. A request that was left came while he took them: what it was
/// intended for has ended, and the report of it follows.
pub(crate) fn take_no_more() {
    let mut state = state();
    state.takers -= 1;
    if state.takers == 0 {
        state.queue.clear();
    }
}

/// Whether a request to end ever came while somebody took requests.
pub(crate) fn was_stopped() -> bool {
    state().stopped.is_some()
}

/// The next one in the queue.
pub(crate) fn next() -> Option<Came> {
    state().queue.pop_front()
}

fn came(it: Came) {
    let mut state = state();
    let is_end = ENDS.contains(&it.signal);
    if state.takers > 0 {
        if is_end {
            state.stopped = Some(Instant::now());
        }
        // One that comes again before it is taken is one request.
        if !state.queue.contains(&it) {
            state.queue.push_back(it);
        }
        return;
    }
    if is_end && state.stopped.is_some_and(|when| when.elapsed() < AGAIN) {
        return;
    }
    drop(state);
    act(it.signal);
}

fn act(signal: i32) {
    let otherwise = state().otherwise;
    match otherwise {
        Some(act) => act(signal),
        None => _ = emulate_default_handler(signal),
    }
}

/// The signals that this process ignores, as the kernel's mask; none if that cannot be read.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn is_in(mask: u64, signal: i32) -> bool {
    u32::try_from(signal - 1).is_ok_and(|bit| bit < 64 && mask >> bit & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn the_kernels_mask_begins_with_signal_one() {
        // SIGHUP is 1, SIGINT 2.
        assert!(is_in(0b1, 1) && !is_in(0b1, 2) && is_in(0b10, 2));
        assert!(is_in(1 << 63, 64) && !is_in(u64::MAX, 0) && !is_in(u64::MAX, 65));
    }
}
