//! What does the user ask while a program runs?
//!
//! Who runs a program for a user must still say what there is when he is told to end, so SIGINT,
//! SIGTERM and SIGHUP become requests while [`Requests`] lives, and SIGUSR1 one for a snapshot
//! where that is heard. What a terminal sends (`^C`), the program in its foreground got too; what
//! another process sent came to this one alone.
//!
//! A signal that comes twice before it is taken is one request. Cost: a look at a queue.

use std::io;

use crate::signals::{self, ENDS, SNAPSHOT};

/// What is received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hears {
    /// That it is to end.
    Ends,
    /// That, and that what there is so far is to be reported.
    EndsAndSnapshots,
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserRequest {
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

/// Whether the user asked for the end of a run at any time: what wants several runs makes no more.
pub fn was_stopped() -> bool {
    signals::was_stopped()
}

/// Receives requests as long as it lives.
#[derive(Debug)]
pub struct Requests(());

impl Requests {
    /// Begins to receive.
    ///
    /// # Errors
    /// The system has no room for a pipe or a thread.
    pub fn listen(what: Hears) -> io::Result<Self> {
        // Before signals come: what comes in between is a request already.
        signals::take();
        let requests = Requests(());
        signals::listen(&ENDS)?;
        if what == Hears::EndsAndSnapshots {
            signals::listen(&[SNAPSHOT])?;
        }
        Ok(requests)
    }

    /// The next request, if there is one; waits for nothing.
    pub fn next(&self) -> Option<UserRequest> {
        let came = signals::next()?;
        Some(match came.signal {
            SNAPSHOT => UserRequest::Snapshot,
            signal => UserRequest::Stop { signal, by_terminal: came.is_by_kernel },
        })
    }
}

impl Drop for Requests {
    fn drop(&mut self) {
        signals::take_no_more();
    }
}
