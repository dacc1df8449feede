//! Is it still at work? A line on stderr for whatever takes longer than a second.
//!
//! Only where stderr is a terminal, and never while the measured program
//! runs: the terminal is the program's then. The line goes away when the work
//! is done.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use opcost_answer::terminal::{Styles, harmless};

/// Work that needs no word.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// Shows that work goes on until it is dropped.
pub struct Progress {
    /// Dropping the sender ends the thread.
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Work begins: `building bot.cpp`.
    pub fn start(work: impl Into<String>) -> Progress {
        let work = harmless(&work.into(), Styles::Foreign).into_owned();
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if !std::io::stderr().is_terminal() || is_dumb {
            return Progress { running: None };
        }
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || {
            if receiver.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style =
                ProgressStyle::with_template("{spinner} {msg} ({elapsed})").expect("a fixed template");
            let line = ProgressBar::new_spinner().with_style(style).with_message(work).with_elapsed(PATIENCE);
            while receiver.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                line.tick();
            }
            line.finish_and_clear();
        });
        Progress { running: Some((sender, thread)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.running.take() {
            drop(sender);
            // A progress line that failed is no reason to fail.
            let _ = thread.join();
        }
    }
}
