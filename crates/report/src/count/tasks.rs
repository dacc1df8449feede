//! In which processes and threads were samples taken? A line for each, those
//! with most samples first; a process of one thread needs no line for it. A
//! program that has one thread is not told of.
//!
//! Names are what programs call themselves, so they may hold anything; what
//! would steer a terminal is shown as `?`.

use std::fmt::Write;

use opcost_sample::{ProcessSamples, ThreadSamples};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::{bar, counted, percent};

/// Processes that are shown, and threads of each.
const PROCESSES: usize = 12;
const THREADS: usize = 8;

/// Samples of one process, or of what it was before it became another program.
#[derive(Serialize, JsonSchema)]
pub struct ProcessJson {
    pid: u32,
    /// Of its first thread; null where it is unknown.
    name: Option<String>,
    samples: u64,
    /// Its threads with samples, those with most first.
    threads: Vec<ThreadJson>,
}

#[derive(Serialize, JsonSchema)]
struct ThreadJson {
    tid: u32,
    /// The last one that it had; null where it is unknown.
    name: Option<String>,
    samples: u64,
}

impl ProcessJson {
    /// Of the samples of one process.
    pub fn new(process: &ProcessSamples) -> Self {
        let thread = |thread: &ThreadSamples| ThreadJson {
            tid: thread.tid,
            name: thread.name.clone(),
            samples: thread.hits,
        };
        ProcessJson {
            pid: process.pid,
            name: process.name.clone(),
            samples: process.hits,
            threads: process.threads.iter().map(thread).collect(),
        }
    }
}

/// The lines; empty where all samples are in one thread. `seen` threads there were in all, if that is known.
pub fn print_tasks(processes: &[ProcessSamples], seen: u64) -> String {
    let threads: usize = processes.iter().map(|process| process.threads.len()).sum();
    if threads < 2 {
        return String::new();
    }
    let mut rows: Vec<(u64, String)> = Vec::new();
    for process in processes.iter().take(PROCESSES) {
        rows.push((process.hits, row(process.name.as_deref(), process.pid)));
        if process.threads.len() > 1 {
            let shown = process.threads.iter().take(THREADS);
            rows.extend(shown.map(|one| (one.hits, format!("  {}", row(one.name.as_deref(), one.tid)))));
            let more = process.threads.iter().skip(THREADS).map(|thread| thread.hits);
            rows.extend(rest(more, "  ", "threads"));
        }
    }
    rows.extend(rest(processes.iter().skip(PROCESSES).map(|process| process.hits), "", "processes"));
    let all: u64 = processes.iter().map(|process| process.hits).sum();
    let by = if threads > processes.len() { "process and thread" } else { "process" };
    let of = if seen > threads as u64 {
        format!(" ({threads} of {seen} threads have any)")
    } else {
        String::new()
    };
    let mut out = format!("{} by {by}{of}\n", counted(all, "sample"));
    for (hits, name) in rows {
        let part = hits as f64 / all.max(1) as f64;
        let _ = writeln!(out, "{:>7} {:<10} {name}", percent(part), bar(part, 10));
    }
    out
}

fn row(name: Option<&str>, number: u32) -> String {
    let name = name.unwrap_or("without a name").chars();
    let name: String = name.map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    format!("{name}  {number}")
}

fn rest(more: impl ExactSizeIterator<Item = u64>, shift: &str, what: &str) -> Option<(u64, String)> {
    let count = more.len();
    (count > 0).then(|| (more.sum(), format!("{shift}in {count} more {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, name: &str, hits: &[u64]) -> ProcessSamples {
        let thread = |(tid, &hits)| ThreadSamples { tid, name: Some(format!("{name}-{tid}")), hits };
        let threads = (pid..).zip(hits).map(thread).collect();
        ProcessSamples { pid, name: Some(name.to_owned()), hits: hits.iter().sum(), threads }
    }

    #[test]
    fn only_where_there_is_more_than_one() {
        assert_eq!(print_tasks(&[], 0), "");
        assert_eq!(print_tasks(&[process(7, "alone", &[10])], 0), "");
        let text = print_tasks(&[process(7, "two", &[10, 5])], 0);
        assert!(text.starts_with("15 samples by process and thread\n"), "{text}");
        let rows: Vec<Vec<&str>> =
            text.lines().skip(1).map(|line| line.split_whitespace().rev().take(2).collect()).collect();
        assert_eq!(rows, [["7", "two"], ["7", "two-7"], ["8", "two-8"]], "{text}");
    }

    #[test]
    fn the_rest_is_summed_and_no_name_steers_the_terminal() {
        let mut many: Vec<ProcessSamples> = (0..20).map(|pid| process(pid, "cc1", &[10])).collect();
        many[0] = process(0, "\x1b[2Jmake\n", &[2; 11]);
        let text = print_tasks(&many, 0);
        assert!(text.contains("?[2Jmake?  0\n") && !text.contains('\x1b'), "{text}");
        assert!(text.contains("  in 3 more threads\n") && text.contains(" in 8 more processes\n"), "{text}");
        assert_eq!(text.lines().count(), 1 + 12 + 8 + 1 + 1, "{text}");
    }
}
