//! Where does the time of a build go?
//!
//! The child that instruments a module reads its own processor clock between
//! phases and answers with the figures; `--time` shows them. They
//! are processor time of one process, so a loaded machine disturbs them
//! little. Memory is the child's peak.

use opcost_job::module::Phases;
use rustix::time::{ClockId, clock_gettime};

/// Measures phases one after the other.
pub(crate) struct Stopwatch {
    phases: Phases,
    last: f64,
}

impl Stopwatch {
    /// Starts the first phase.
    pub(crate) fn start() -> Stopwatch {
        Stopwatch { phases: Phases::default(), last: processor_seconds() }
    }

    /// Ends the running phase under this name.
    pub(crate) fn lap(&mut self, name: &str) {
        let now = processor_seconds();
        self.phases.seconds.push((name.to_owned(), now - self.last));
        self.last = now;
    }

    /// The figures.
    pub(crate) fn finish(mut self, instructions: usize) -> Phases {
        self.phases.instructions = instructions;
        self.phases.peak_bytes = peak_bytes();
        self.phases
    }
}

fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// `VmHWM` of this process; 0 where the kernel does not report it.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
