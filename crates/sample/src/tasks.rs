//! In which process and thread was each sample taken, and what is it called?
//!
//! The kernel numbers them, and numbers are used again: a process begins with
//! its first record, with a `fork`, and anew with an `exec`, since what it was
//! before is another program; a thread begins with its first record or its
//! birth. A name is the last one that was told (`PR_SET_NAME`, 15 bytes); a
//! thread that was born has its parent's until it has its own, as in the
//! kernel. The name of a process is that of its first thread.
//!
//! Input: records in the order of their times. Each sample is counted for one
//! thread. Cost: two look-ups in hash tables for each sample; a few words for
//! each thread that there ever was.

use std::collections::HashMap;

use opcost_index::{IdMap, define_id};

use crate::samples::{ProcessSamples, ThreadSamples};

define_id!(
    /// A process from its begin or its `exec` to its end or the next one.
    struct ProcessId,
    "process"
);
define_id!(
    /// A thread of such a process.
    pub(crate) struct ThreadId,
    "thread"
);

struct Process {
    pid: u32,
    name: Option<String>,
}

struct Thread {
    process: ProcessId,
    tid: u32,
    name: Option<String>,
    hits: u64,
}

/// All that were seen.
#[derive(Default)]
pub(crate) struct Tasks {
    processes: IdMap<ProcessId, Process>,
    threads: IdMap<ThreadId, Thread>,
    /// Who has a number now.
    process_of: HashMap<u32, ProcessId>,
    thread_of: HashMap<u32, ThreadId>,
    /// Threads that were seen; one that goes on over `exec` is one.
    observed_threads: u64,
}

/// The numbers of a thread at a moment: its process's and its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadNumber {
    pub(crate) pid: u32,
    pub(crate) tid: u32,
}

impl Tasks {
    /// Threads that were seen.
    pub(crate) fn observed_threads(&self) -> u64 {
        self.observed_threads
    }

    /// A sample was taken in a thread, which is returned.
    pub(crate) fn sample(&mut self, pid: u32, tid: u32) -> ThreadId {
        let thread = self.thread(pid, tid);
        self.threads[thread].hits += 1;
        thread
    }

    /// A thread has a name.
    pub(crate) fn name(&mut self, pid: u32, tid: u32, name: String) {
        let thread = self.thread(pid, tid);
        if pid == tid {
            let process = self.threads[thread].process;
            self.processes[process].name = Some(name.clone());
        }
        self.threads[thread].name = Some(name);
    }

    /// A process became another program, with one thread.
    pub(crate) fn exec(&mut self, pid: u32, tid: u32, name: String) {
        self.process_of.remove(&pid);
        self.name(pid, tid, name);
    }

    /// A thread was born, and a process with it if it is not its parent's.
    pub(crate) fn fork(&mut self, born: ThreadNumber, parent: ThreadNumber) {
        let ThreadNumber { pid, tid } = born;
        let inherited = self.thread_of.get(&parent.tid).and_then(|parent| self.threads[*parent].name.clone());
        if pid != parent.pid {
            self.process_of.remove(&pid);
        }
        let process = self.process(pid);
        if pid == tid {
            self.processes[process].name.clone_from(&inherited);
        }
        self.begin(process, tid, inherited);
    }

    /// A thread ended; its number is free.
    pub(crate) fn exit(&mut self, tid: u32) {
        self.thread_of.remove(&tid);
    }

    /// The process that has a number now.
    fn process(&mut self, pid: u32) -> ProcessId {
        *self.process_of.entry(pid).or_insert_with(|| self.processes.push(Process { pid, name: None }))
    }

    /// The thread that has a number now, which is new if its process is.
    fn thread(&mut self, pid: u32, tid: u32) -> ThreadId {
        let process = self.process(pid);
        match self.thread_of.get(&tid) {
            Some(thread) if self.threads[*thread].process == process => *thread,
            _ => self.begin(process, tid, None),
        }
    }

    fn begin(&mut self, process: ProcessId, tid: u32, name: Option<String>) -> ThreadId {
        let thread = self.threads.push(Thread { process, tid, name, hits: 0 });
        // Of one that ended there was a record, and its number is free.
        self.observed_threads += u64::from(self.thread_of.insert(tid, thread).is_none());
        thread
    }

    /// Where there were samples, most first.
    pub(crate) fn samples(&self) -> Vec<ProcessSamples> {
        let named = |process: &Process| ProcessSamples {
            pid: process.pid,
            name: process.name.clone(),
            hits: 0,
            threads: Vec::new(),
        };
        let mut all: IdMap<ProcessId, ProcessSamples> =
            IdMap::from_vec(self.processes.values().map(named).collect());
        for thread in self.threads.values().filter(|thread| thread.hits > 0) {
            let process = &mut all[thread.process];
            process.hits += thread.hits;
            let (tid, name, hits) = (thread.tid, thread.name.clone(), thread.hits);
            process.threads.push(ThreadSamples { tid, name, hits });
        }
        let mut all: Vec<ProcessSamples> = all.values().filter(|process| process.hits > 0).cloned().collect();
        // Stable: of two with one number the older one comes first.
        all.sort_by(|a, b| b.hits.cmp(&a.hits).then_with(|| a.pid.cmp(&b.pid)));
        for process in &mut all {
            process.threads.sort_by(|a, b| b.hits.cmp(&a.hits).then_with(|| a.tid.cmp(&b.tid)));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(tasks: &Tasks) -> Vec<(u32, Option<String>, u64, usize)> {
        let all = tasks.samples().into_iter();
        all.map(|process| (process.pid, process.name, process.hits, process.threads.len())).collect()
    }

    fn numbers(pid: u32, tid: u32) -> ThreadNumber {
        ThreadNumber { pid, tid }
    }

    #[test]
    fn names_are_inherited_and_the_last_one_counts() {
        let mut tasks = Tasks::default();
        tasks.exec(7, 7, "server".to_owned());
        tasks.fork(numbers(7, 8), numbers(7, 7));
        tasks.sample(7, 7);
        for _ in 0..3 {
            tasks.sample(7, 8);
        }
        let names = |tasks: &Tasks| -> Vec<(u32, Option<String>, u64)> {
            let [process] = &tasks.samples()[..] else { panic!("one process") };
            process.threads.iter().map(|thread| (thread.tid, thread.name.clone(), thread.hits)).collect()
        };
        let name = |name: &str| Some(name.to_owned());
        assert_eq!(names(&tasks), [(8, name("server"), 3), (7, name("server"), 1)]);
        tasks.name(7, 8, "worker".to_owned());
        tasks.sample(7, 8);
        assert_eq!(names(&tasks), [(8, name("worker"), 4), (7, name("server"), 1)]);
        assert_eq!(told(&tasks), [(7, name("server"), 5, 2)], "a worker's name is not the process's");
        assert_eq!(tasks.observed_threads(), 2);
    }

    #[test]
    fn what_a_process_was_before_is_told_apart() {
        let mut tasks = Tasks::default();
        let name = |name: &str| Some(name.to_owned());
        tasks.exec(1, 1, "shell".to_owned());
        tasks.fork(numbers(2, 2), numbers(1, 1));
        for _ in 0..2 {
            tasks.sample(2, 2);
        }
        tasks.exec(2, 2, "sort".to_owned());
        for _ in 0..5 {
            tasks.sample(2, 2);
        }
        assert_eq!(told(&tasks), [(2, name("sort"), 5, 1), (2, name("shell"), 2, 1)]);
        assert_eq!(tasks.observed_threads(), 2, "the thread goes on");
        // The number is used again, by a process and by a thread of another one.
        tasks.exit(2);
        tasks.fork(numbers(2, 2), numbers(1, 1));
        tasks.sample(2, 2);
        tasks.exit(2);
        tasks.fork(numbers(1, 2), numbers(1, 1));
        tasks.sample(1, 2);
        let all = [
            (2, name("sort"), 5, 1),
            (2, name("shell"), 2, 1),
            (1, name("shell"), 1, 1),
            (2, name("shell"), 1, 1),
        ];
        assert_eq!(told(&tasks), all);
    }

    #[test]
    fn without_any_news_there_are_numbers() {
        let mut tasks = Tasks::default();
        tasks.sample(3, 4);
        assert_eq!(told(&tasks), [(3, None, 1, 1)]);
    }
}
