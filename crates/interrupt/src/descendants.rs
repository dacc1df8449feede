//! Which processes did this one begin, and which of them still run?
//!
//! Read from /proc: each process names its parent. A process whose parent ended belongs to the
//! nearest process above that adopts orphans ([`adopt_orphans`]), and else to the system's first.
//! So who adopts them sees all that a program began.
//!
//! Cost: one small file for each process of the machine. Limit: a process that begins others all
//! the time may escape one look; whoever ends them looks again.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, set_child_subreaper, wait};

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

/// Orphans of what this process begins become its children, from now on.
///
/// # Errors
/// The kernel is older than this.
pub fn adopt_orphans() -> std::io::Result<()> {
    Ok(set_child_subreaper(Some(Pid::INIT))?)
}

/// All processes below this one that have not ended, parents before children.
pub fn running() -> Vec<Running> {
    let mut children: BTreeMap<i32, Vec<Running>> = BTreeMap::new();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    for pid in entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok()) {
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

/// Takes note of children that ended, so that they do not stay as entries of the system, and says
/// whether any is left. The kernel knows, where a look at /proc may meet a process just when its
/// parent ends. Whoever waits for a certain child must have done so.
pub fn reap() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
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
    use super::{parse, running};

    #[test]
    fn names_may_hold_anything() {
        let (parent, it) = parse("12 (a) b) (c) S 7 12 12 0 -1").unwrap();
        assert_eq!((parent, it.pid.as_raw_pid(), &*it.name), (7, 12, "a) b) (c"));
        assert!(parse("12 (a) Z 7 12").is_none());
        assert!(parse("12 a").is_none());
    }

    #[test]
    fn a_child_runs_until_it_ends() {
        let mut child = std::process::Command::new("sleep").arg("100").spawn().unwrap();
        let pid = child.id();
        let runs = || running().iter().any(|it| it.pid.as_raw_pid().unsigned_abs() == pid);
        assert!(runs());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!runs());
    }
}
