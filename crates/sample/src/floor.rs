//! What does sampling cost at least: an event that fires and is never read?
//!
//! The measure for `examples/overhead.rs`. The event fires at the rate and the
//! kernel throws its samples away, since there is no ring; whatever samples
//! does at least this.

use std::process::Command;
use std::time::Duration;

use crate::opening::{self, Granted};
use crate::sys::{self, gate};
use crate::{Error, Event};

/// Runs `command` to its end under a bare event of `rate` samples a second.
pub fn run_under_bare_event(command: Command, rate: u64) -> Result<(), Error> {
    let granted = Granted::negotiate(&Event::cpu_clock(), rate, true, false, false)?;
    let program = command.get_program().to_string_lossy().into_owned();
    match gate::start(command, |pid| opening::open_bare(&granted, pid)) {
        Ok((mut child, _event)) => {
            let ended = child.wait();
            ended.map(drop).map_err(|source| Error::System { doing: "waiting for the program", source })
        }
        Err(gate::Failed::Start(source)) => Err(Error::Start { program, source }),
        Err(gate::Failed::Prepare(error)) => Err(error),
    }
}

/// Processor time of this process, and of all its children that have ended.
pub fn processor_time() -> (Duration, Duration) {
    (sys::own_time(), sys::children_time())
}
