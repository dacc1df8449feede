//! How much memory does the program itself need, and what compiles it?
//!
//! What the kernel reports of a process that ended has the memory of what started it. So the peak (`VmHWM` in
//! `/proc`) of each process is read while it runs, every few milliseconds. A compiler, a linker or a system's tool is
//! known by where it is installed; opcost is known by its own path; what is left is the program.
//!
//! Limits: what a process takes between the last look and its end is not known.

use crate::failure::{Failure, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const EVERY: Duration = Duration::from_millis(10);

/// The largest peaks, in megabytes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Peaks {
    /// Of the program.
    pub(super) program: f64,
    /// Of one process of opcost.
    pub(super) opcost: f64,
}

/// Runs a command to its end.
pub(super) fn peaks(command: &mut Command, opcost: &Path) -> Result<Peaks> {
    let name = command.get_program().to_string_lossy().into_owned();
    let null = Stdio::null;
    let child = command.stdin(null()).stdout(null()).stderr(null()).spawn();
    let mut child = child.map_err(|error| Failure::new(format!("`{name}` does not start: {error}")))?;
    let mut peaks = Peaks::default();
    loop {
        observe(child.id(), opcost, &mut peaks);
        let ended = child.try_wait();
        match ended.map_err(|error| Failure::new(format!("cannot wait for `{name}`: {error}")))? {
            Some(status) if status.success() => return Ok(peaks),
            Some(status) => return Err(Failure::new(format!("`{name}` ended with {status}"))),
            None => std::thread::sleep(EVERY),
        }
    }
}

/// What is to be known of all processes that descend from one.
fn observe(root: u32, opcost: &Path, peaks: &mut Peaks) {
    let (parents, own) = (parents(), std::env::current_exe().unwrap_or_default());
    for &process in parents.keys().filter(|&&process| descends(process, root, &parents)) {
        let folder = format!("/proc/{process}");
        let (Ok(executable), Ok(status)) =
            (fs::read_link(format!("{folder}/exe")), fs::read_to_string(format!("{folder}/status")))
        else {
            continue;
        };
        let Some(megabytes) = peak_in(&status) else { continue };
        if executable == opcost {
            peaks.opcost = peaks.opcost.max(megabytes);
        } else if executable != own && !["/usr", "/bin"].iter().any(|system| executable.starts_with(system)) {
            peaks.program = peaks.program.max(megabytes);
        }
    }
}

/// The parent of each process.
fn parents() -> BTreeMap<u32, u32> {
    let Ok(all) = fs::read_dir("/proc") else { return BTreeMap::new() };
    all.flatten()
        .filter_map(|entry| {
            let process = entry.file_name().to_str()?.parse().ok()?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((process, parent_in(&stat)?))
        })
        .collect()
}

/// The parent in a line of `/proc/PID/stat`. A name in brackets may have blanks and brackets.
fn parent_in(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn descends(process: u32, root: u32, parents: &BTreeMap<u32, u32>) -> bool {
    let mut at = process;
    while at != root {
        match parents.get(&at) {
            Some(&parent) if parent > 1 => at = parent,
            _ => return false,
        }
    }
    true
}

/// The peak in `/proc/PID/status`, in megabytes.
fn peak_in(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_writes_is_read() {
        assert_eq!(parent_in("12 (a) b) S 7 12 12 0"), Some(7));
        assert_eq!(peak_in("Name:\tx\nVmHWM:\t   1000 kB\n"), Some(1.024));
        assert_eq!(peak_in("Name:\tx\n"), None);
        let parents = BTreeMap::from([(9, 8), (8, 7), (7, 1)]);
        assert!(descends(9, 7, &parents) && descends(7, 7, &parents) && !descends(9, 6, &parents));
    }

    #[test]
    fn a_program_has_a_peak_and_a_tool_has_none() {
        let peaks = peaks(Command::new("sleep").arg("0.05"), Path::new("/no/opcost")).unwrap();
        assert_eq!(peaks, Peaks::default());
        let own = std::env::current_exe().unwrap();
        let mut itself = Command::new(&own);
        itself.args(["--list"]);
        assert!(super::peaks(&mut itself, Path::new("/no/opcost")).is_ok());
    }
}
