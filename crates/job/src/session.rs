//! How does one process do many jobs?
//!
//! A session starts a program that holds LLVM when the first job comes, or when it is told that one will. It gives it
//! one file after the other over a pipe. The program answers each with how the job ended. What a job printed before
//! LLVM ended it lies in a file without a name. A program that is gone, for whatever reason, is started again by the
//! next job.
//!
//! Input: files of jobs. Output: how each ended. Cost: 10 ms for the start, 1 ms a job. Limit: one job at a time;
//! who wants two at once makes two sessions.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use opcost_answer::Failure;
use rustix::process::{Pid, Signal, kill_process};

/// The hidden verb by which a program does jobs, whose files it is given on its standard input.
pub const WORK: &str = "__work";

/// A module fills some hundred megabytes once and gives them back at its end: memory comes in large
/// pages and is kept. SQLite, read to apply: 0.87 s of processor time in place of 1.15 s (medians
/// of five runs each, alternating).
const LARGE_PAGES: &str =
    "glibc.malloc.hugetlb=1:glibc.malloc.trim_threshold=1000000000:glibc.malloc.mmap_threshold=1000000000";

/// A process that does jobs, from the first one until the session is dropped.
#[derive(Default)]
pub struct JobSession {
    worker: Mutex<Option<Worker>>,
    stopper: JobStopper,
}

/// Ends the job that a session does, from another thread.
#[derive(Clone, Debug, Default)]
pub struct JobStopper {
    state: Arc<Mutex<Stopping>>,
}

#[derive(Debug, Default)]
struct Stopping {
    process: Option<u32>,
    is_stopped: bool,
}

impl JobStopper {
    /// Ends the job, if there is one. There are no more.
    pub fn stop(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_stopped = true;
        let process = state.process.and_then(|process| Pid::from_raw(process.cast_signed()));
        if let Some(process) = process {
            // Who is gone needs no signal; it is a child that nobody has waited for.
            let _ = kill_process(process, Signal::KILL);
        }
    }

    /// Whether there are no more jobs.
    pub fn is_stopped(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_stopped
    }

    /// Says who does the next job; whether there is one.
    fn begin(&self, process: u32) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.process = Some(process);
        !state.is_stopped
    }

    fn end(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).process = None;
    }
}

/// How a job ended.
pub(crate) struct EndedJob {
    /// The status of the process that did it.
    pub(crate) status: ExitStatus,
    /// What it said meanwhile.
    pub(crate) words: Vec<u8>,
}

struct Worker {
    /// Its standard input takes the names of jobs' files; to wait for its end closes that.
    process: Child,
    ends: BufReader<ChildStdout>,
    words: File,
    /// How much of the words is of jobs before.
    read: u64,
}

impl JobSession {
    /// What ends its jobs.
    pub fn stopper(&self) -> JobStopper {
        self.stopper.clone()
    }

    /// Starts this program, if there is none. Where that fails, the first job says so.
    pub(crate) fn begin(&self, program: &Path) {
        let mut slot = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none() {
            *slot = Worker::start(program).ok();
        }
    }

    /// Has the job of a file done by this program.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(crate) fn carry_out(&self, program: &Path, file: &Path) -> Result<EndedJob, Failure> {
        let mut slot = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        let mut worker = match slot.take().and_then(Worker::if_alive) {
            Some(worker) => worker,
            None => Worker::start(program).map_err(Failure::file("start", program))?,
        };
        if !self.stopper.begin(worker.process.id()) {
            return Err(Failure::Counters("no more jobs are done".to_owned()));
        }
        let done = worker.carry_out(file);
        self.stopper.end();
        match done {
            Ok(status) => {
                let words = worker.new_words();
                *slot = Some(worker);
                Ok(EndedJob { status, words })
            }
            // It ended itself, and its status says why; or it is no worker, and ends when nobody asks any more.
            Err(_) => {
                let status = worker.process.wait().map_err(Failure::file("wait for", program))?;
                Ok(EndedJob { status, words: worker.new_words() })
            }
        }
    }
}

impl Worker {
    fn start(program: &Path) -> io::Result<Worker> {
        let words = tempfile::tempfile()?;
        let mut command = Command::new(program);
        if std::env::var_os("GLIBC_TUNABLES").is_none() {
            command.env("GLIBC_TUNABLES", LARGE_PAGES);
        }
        command.arg(WORK).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(words.try_clone()?);
        let mut process = command.spawn()?;
        let ends = process.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Worker { process, ends: BufReader::new(ends), words, read: 0 })
    }

    /// The worker, if it still runs: it goes when the thread goes that started it.
    fn if_alive(mut self) -> Option<Worker> {
        matches!(self.process.try_wait(), Ok(None)).then_some(self)
    }

    fn carry_out(&mut self, file: &Path) -> io::Result<ExitStatus> {
        let jobs = self.process.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        jobs.write_all(&[file.as_os_str().as_bytes(), &[0]].concat())?;
        let mut line = String::new();
        self.ends.read_line(&mut line)?;
        let number = line.strip_suffix('\n').and_then(|number| number.parse().ok());
        number.map(ExitStatus::from_raw).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// What it said since this was asked before.
    fn new_words(&mut self) -> Vec<u8> {
        let end = self.words.metadata().map_or(self.read, |about| about.len());
        let mut words = vec![0; usize::try_from(end - self.read).unwrap_or(0)];
        if self.words.read_exact_at(&mut words, self.read).is_err() {
            words.clear();
        }
        self.read = end;
        words
    }
}

impl Drop for Worker {
    /// Between two jobs it holds nothing that would be lost.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// What is named as the worker, and answers with something else, is not waited for in vain.
    #[test]
    fn who_answers_otherwise_ends() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("other.sh");
        std::fs::write(&program, "#!/bin/sh\necho otherwise >&2\necho otherwise\nexec cat > /dev/null\n")
            .expect("room");
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("a mode");
        let session = JobSession::default();
        for _ in 0..2 {
            let ended = session.carry_out(&program, Path::new("a.job")).expect("it starts");
            assert_eq!((ended.status.code(), &*ended.words), (Some(0), &b"otherwise\n"[..]));
        }
    }
}
