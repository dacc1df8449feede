//! How does this process end by a signal that nobody takes?
//!
//! The processes that it began are ended first, or they would write into folders that are being
//! removed; then its folders go; then it dies of the signal, so that a shell, `make` or a CI see
//! how it ended. The thread that was at work meanwhile says nothing any more: what fails now
//! fails because of this ([`hold`]).
//!
//! Cost: none until a signal comes; then two seconds at most for processes that do not listen.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::low_level::emulate_default_handler;

use crate::descendants::end_all;
use crate::scratch::{hold_list, remove};
use crate::signals::{self, ENDS};

/// How long processes that were asked to end may take.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often folders are removed until nothing is left, and how long between two times.
const ROUNDS: usize = 50;
const PAUSE: Duration = Duration::from_millis(20);

static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// From now on a signal that nobody takes ends this process cleanly. For a program's `main`; a
/// library leaves signals to its caller.
///
/// # Errors
/// The system has no room for a pipe or a thread.
pub fn begin() -> io::Result<()> {
    signals::otherwise(end);
    signals::listen(&ENDS)
}

/// Waits for the end if this process is ending by a signal, and returns if it is not. Called before
/// a failure is reported: what a signal made fail is no failure.
pub fn hold() {
    while IS_ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
}

/// Ends this process as a signal does that nobody takes. Its folders must be removed by now.
pub fn die_of(signal: i32) {
    let _ = emulate_default_handler(signal);
}

fn end(signal: i32) {
    IS_ENDING.store(true, Ordering::SeqCst);
    end_all(PATIENCE);
    let list = hold_list();
    // The thread at work may begin another process before it notices, which writes into a folder
    // that is being removed.
    for _ in 0..ROUNDS {
        let is_clean = remove(&list);
        end_all(PATIENCE);
        if is_clean && remove(&list) {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    let _ = emulate_default_handler(signal);
    // Not reached for these signals; the list is held until here, so that no new folder is made.
    drop(list);
    std::process::exit(128 + signal);
}
