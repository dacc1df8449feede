//! What does the user ask while sampling goes on?
//!
//! A sampler that is told to end by a signal must still say what it has, so
//! SIGINT, SIGTERM and SIGHUP become requests while [`Requests`] lives, and
//! SIGUSR1 one for a snapshot. What a terminal sends (`^C`), the program in
//! its foreground got too; what another process sent came to us alone.
//!
//! Signals that are ignored stay so (`nohup`). A signal that comes twice before
//! it is taken is one request. Cost: a look at a word.

use crate::Error;
use crate::sys::signal;

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRequest {
    /// To end.
    Stop {
        /// The signal's number.
        signal: i32,
        /// Whether a terminal sent it, to the program too.
        by_terminal: bool,
    },
    /// To say what there is so far.
    Snapshot,
}

/// Hears requests as long as it lives.
#[derive(Debug)]
pub struct Requests(());

impl Requests {
    /// Begins to hear.
    ///
    /// # Errors
    /// The kernel went against its own rules.
    pub fn hear() -> Result<Self, Error> {
        signal::hear().map_err(|source| Error::System { doing: "hearing signals", source })?;
        Ok(Requests(()))
    }

    /// The next request, if there is one; waits for nothing.
    pub fn next(&self) -> Option<EventRequest> {
        let (signal, by_terminal) = signal::take()?;
        Some(match signal {
            libc::SIGUSR1 => EventRequest::Snapshot,
            signal => EventRequest::Stop { signal, by_terminal },
        })
    }

    /// Lets this process read from a terminal that it may have to give up
    /// meanwhile: in the background, reading fails in place of stopping it.
    /// Not where programs are started, which would inherit that.
    pub fn fail_in_background(&self) {
        signal::fail_in_background();
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        signal::hear_no_more();
    }
}
