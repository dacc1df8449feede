//! What has a program spent that does not say so by itself?
//!
//! While metered code computes in a register, the cell in its page stands still.
//! Its runtime looks up what is left when a signal comes (`fuel.c`), which costs
//! the program nothing until then. So while the cell stands still and the
//! program takes processor time, it is asked by SIGURG, which a program without a
//! handler for it ignores. What it said last is what is known after a SIGKILL.
//!
//! Input: the page's file and the process. Cost: two reads of a file every ten
//! milliseconds. Limit: what it did since it was asked last is not known when it
//! is killed; and nobody asks a program that took the signal for itself.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use opcost_runtime::fuel::{PAGE, Page};
use rustix::process::{Pid, Signal};

use opcost_answer::Failure;

/// How often it is looked whether the program computes.
pub(crate) const TICK: Duration = Duration::from_millis(10);
/// How long a program may take to answer that is about to be ended.
const ANSWER: Duration = Duration::from_millis(200);

/// Someone who asks one process.
pub(crate) struct FuelWatch {
    page: File,
    pid: Pid,
    settled: i64,
    busy: Duration,
}

impl FuelWatch {
    /// For a child that has not been waited for. Its page need not be in use yet.
    ///
    /// # Errors
    /// The page cannot be read.
    pub(crate) fn new(page: &Path, pid: u32) -> Result<FuelWatch, Failure> {
        let file = File::open(page).map_err(Failure::file("read", page))?;
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process has a number");
        Ok(FuelWatch { page: file, pid, settled: i64::MAX, busy: Duration::ZERO })
    }

    /// What the page says while the program runs; nothing once its end has begun.
    pub(crate) fn page(&self) -> Option<Page> {
        let mut bytes = vec![0; PAGE];
        self.page.read_exact_at(&mut bytes, 0).ok()?;
        Page::read(&bytes).filter(|page| page.is_running)
    }

    /// To be called every [`TICK`], while the child has not been waited for.
    pub(crate) fn tick(&mut self) {
        let Some(page) = self.page().filter(|page| page.has_balance_signal) else { return };
        let Some(busy) = processor_time(self.pid) else { return };
        // One that waits in the kernel is left alone, so that no wait is cut short.
        let is_computing = busy.saturating_sub(self.busy) > TICK / 2;
        if page.settled == self.settled && is_computing {
            let _ = rustix::process::kill_process(self.pid, Signal::URG);
        }
        (self.settled, self.busy) = (page.settled, busy);
    }

    /// Asks a program that is about to be ended until it has said what is left.
    pub(crate) fn insist(&self) {
        let start = Instant::now();
        let Some(before) = self.page().filter(|page| page.has_balance_signal) else { return };
        let has_answered = || self.page().is_none_or(|page| page.balance_reports != before.balance_reports);
        while !has_answered() && start.elapsed() < ANSWER {
            let _ = rustix::process::kill_process(self.pid, Signal::URG);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Processor time of the process's first thread, where the kernel reports it.
fn processor_time(pid: Pid) -> Option<Duration> {
    times(pid).map(|[busy, _]| busy)
}

/// The same, and the time that it was ready and another had the processor.
pub(crate) fn runnable_time(pid: Pid) -> Option<Duration> {
    times(pid).map(|[busy, ready]| busy + ready)
}

fn times(pid: Pid) -> Option<[Duration; 2]> {
    let text = std::fs::read_to_string(format!("/proc/{}/schedstat", pid.as_raw_nonzero())).ok()?;
    let mut numbers = text.split_ascii_whitespace().map(|number| number.parse().map(Duration::from_nanos));
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?])
}
