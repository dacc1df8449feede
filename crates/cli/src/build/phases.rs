//! Where does the time of a build go?
//!
//! The child that instruments a module reads its own processor clock between
//! phases and leaves the figures beside the object; `--time` shows them. They
//! are processor time of one process, so a loaded machine disturbs them
//! little. Memory is the child's peak.

use std::path::Path;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

/// What one module took.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Phases {
    /// Name and seconds of processor time, in order.
    pub(crate) seconds: Vec<(String, f64)>,
    /// Instructions of the module.
    pub(crate) instructions: usize,
    /// Largest resident memory of the process, in bytes.
    pub(crate) peak_bytes: u64,
}

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

    /// Leaves the figures at `path`; that it fails is no reason to fail a build.
    pub(crate) fn finish(mut self, instructions: usize, path: &Path) {
        self.phases.instructions = instructions;
        self.phases.peak_bytes = peak_bytes();
        if let Ok(text) = serde_json::to_vec(&self.phases) {
            let _ = std::fs::write(path, text);
        }
    }
}

impl Phases {
    /// Reads what a child left.
    pub(crate) fn read(path: &Path) -> Option<Phases> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// One line: `sqlite3.c: read 0.41 s · snapshot 0.05 s · …`.
    pub(crate) fn line(&self, module: &str) -> String {
        let phases: Vec<String> =
            self.seconds.iter().map(|(name, seconds)| format!("{name} {seconds:.2} s")).collect();
        let megabytes = self.peak_bytes / 1_000_000;
        format!("{module}: {} instructions · {} · peak {megabytes} MB", self.instructions, phases.join(" · "))
    }
}

fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// `VmHWM` of this process; 0 where the kernel does not tell.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
