//! Which processes did this one begin, and which of them still run?
//!
//! Read from /proc, in two ways. Each process names its parent ([`running`]); one whose parent
//! ended is lost to that. And each holds the environment that it began with, and what it mapped: who
//! gave a program a folder that no other has finds all that came of it ([`with_folder`]), whoever
//! its parent is by now. A process can overwrite its environment (many servers write their title
//! there), but one that counts cannot lose the file that its counters are mapped to. Nothing is waited for and nothing is changed in this process, so a caller's own children
//! stay its own.
//!
//! Cost: one small file for each process of the machine, two more for each that is younger than
//! this one. Limits: a process that begins others all the time may escape one look, so whoever ends
//! them looks again; one of another user is not found, nor one that has another environment and
//! counts nothing.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// How long between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A process that still runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// Its number.
    pub pid: Pid,
    /// Its name, as the kernel has it: 15 bytes at most.
    pub name: String,
}

/// All processes below this one that have not ended, parents before children.
pub fn running() -> Vec<Running> {
    let mut children: BTreeMap<i32, Vec<Running>> = BTreeMap::new();
    for pid in numbers() {
        if let Some((parent, it)) = process(pid) {
            children.entry(parent).or_default().push(it);
        }
    }
    let mut all = children.remove(&rustix::process::getpid().as_raw_pid()).unwrap_or_default();
    let mut at = 0;
    while at < all.len() {
        let below = children.remove(&all[at].pid.as_raw_pid()).unwrap_or_default();
        all.extend(below);
        at += 1;
    }
    all
}

/// A process's parent, and itself, unless it has ended.
fn process(pid: i32) -> Option<(i32, Running)> {
    parse(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// `pid (name) state parent …`; the name may hold anything.
fn parse(stat: &str) -> Option<(i32, Running)> {
    let (head, tail) = stat.rsplit_once(')')?;
    let (pid, name) = head.split_once('(')?;
    let mut words = tail.split_whitespace();
    let state = words.next()?;
    let parent = words.next()?.parse().ok()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    Some((parent, Running { pid: Pid::from_raw(pid.trim().parse().ok()?)?, name: name.to_owned() }))
}

/// All processes that have this folder in their environment or map a file of it, unless they have
/// ended.
pub fn with_folder(folder: &Path) -> Vec<Running> {
    let given = folder.as_os_str().as_bytes();
    // The kernel shows files by the names that they have without links.
    let resolved = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let mapped = resolved.as_os_str().as_bytes();
    let own_start = start_of(std::process::id().cast_signed());
    let is_marked = |pid: i32| {
        start_of(pid) >= own_start && (is_in_file(pid, "environ", given) || is_in_file(pid, "maps", mapped))
    };
    numbers().filter(|pid| is_marked(*pid)).filter_map(process).map(|(_, it)| it).collect()
}

/// Whether these bytes are in a file of a process; not if nobody may read it.
fn is_in_file(pid: i32, file: &str, bytes: &[u8]) -> bool {
    let content = std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
    !bytes.is_empty() && content.windows(bytes.len()).any(|window| window == bytes)
}

/// When a process began, in ticks since the machine did; a child is never older than its parent.
fn start_of(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()
}

/// The numbers of all processes.
fn numbers() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Sends all of them a signal.
pub fn signal(all: &[Running], signal: Signal) {
    for it in all {
        // One that ended meanwhile needs no signal.
        let _ = kill_process(it.pid, signal);
    }
}

/// Ends all that run below this process: asks them, and kills what is still there when
/// `patience` is over.
pub fn end_all(patience: Duration) {
    let until = Instant::now() + patience;
    let mut asked: Vec<Pid> = Vec::new();
    loop {
        let all = running();
        if all.is_empty() {
            return;
        }
        if Instant::now() >= until {
            signal(&all, Signal::KILL);
            if Instant::now() >= until + patience {
                // In an uninterruptible wait: the kernel ends it when that is over.
                return;
            }
        } else {
            let new: Vec<Running> = all.into_iter().filter(|it| !asked.contains(&it.pid)).collect();
            signal(&new, Signal::TERM);
            asked.extend(new.iter().map(|it| it.pid));
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use std::path::Path;

    use super::{parse, running, with_folder};

    #[test]
    fn names_may_hold_anything() {
        let (parent, it) = parse("12 (a) b) (c) S 7 12 12 0 -1").unwrap();
        assert_eq!((parent, it.pid.as_raw_pid(), &*it.name), (7, 12, "a) b) (c"));
        assert!(parse("12 (a) Z 7 12").is_none());
        assert!(parse("12 a").is_none());
    }

    #[test]
    fn a_child_runs_until_it_ends() {
        let marker = format!("opcost-test-{}", std::process::id());
        let mut child =
            std::process::Command::new("sleep").arg("100").env("MARKER", &marker).spawn().unwrap();
        let pid = child.id();
        let is_in = |all: Vec<super::Running>| all.iter().any(|it| it.pid.as_raw_pid().unsigned_abs() == pid);
        assert!(is_in(running()));
        // The kernel puts the environment in place a moment after exec lets the parent go on.
        let until = Instant::now() + Duration::from_secs(60);
        while !is_in(with_folder(Path::new(&marker))) {
            assert!(Instant::now() < until, "the child has its environment by now");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!is_in(with_folder(Path::new(""))) && !is_in(with_folder(Path::new(&format!("{marker}x")))));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_in(running()) && !is_in(with_folder(Path::new(&marker))));
    }
}
