//! Running a program as it is, and what it takes.
//!
//! Time is the kernel's account of the process and of those that it waited for: user CPU seconds.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use opcost_answer::Failure;
use opcost_answer::run::Finish;
use opcost_answer::tune::Simulation;
use wait4::Wait4;

/// A program and how it is run.
#[derive(Clone, Copy, Debug)]
pub struct TimedRun<'a> {
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// The file that it reads as its standard input; nothing without it.
    pub stdin: Option<&'a Path>,
    /// The file that its standard output goes to.
    pub stdout: &'a Path,
}

impl TimedRun<'_> {
    fn command(&self, program: &Path) -> Result<Command, Failure> {
        let mut command = Command::new(program);
        command.stdin(match self.stdin {
            Some(path) => Stdio::from(File::open(path).map_err(Failure::file("read", path))?),
            None => Stdio::null(),
        });
        command.stdout(File::create(self.stdout).map_err(Failure::file("write", self.stdout))?);
        Ok(command)
    }

    /// Runs it once: how it ended, and its user CPU seconds.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn seconds(&self) -> Result<(Finish, f64), Failure> {
        let start = |source| Failure::Start { program: self.program.to_owned(), source };
        let mut command = self.command(self.program)?;
        command.args(self.arguments).stderr(Stdio::null());
        let child = command.spawn().map_err(start)?;
        let used = child.wait4().map_err(start)?;
        let finish = match (used.status.code(), used.status.signal()) {
            (Some(code), _) => Finish::Exited(code),
            (None, signal) => Finish::Killed(signal.unwrap_or(0)),
        };
        Ok((finish, used.rusage.utime.as_secs_f64()))
    }

    /// Runs it in cachegrind, with caches of 32 KiB in 8 ways; none if valgrind is not installed or cannot run it.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn simulated(&self) -> Result<Option<Simulation>, Failure> {
        let mut command = self.command(Path::new("valgrind"))?;
        command.args([
            "--tool=cachegrind",
            "--cache-sim=yes",
            "--branch-sim=yes",
            "--I1=32768,8,64",
            "--D1=32768,8,64",
            "--LL=33554432,16,64",
            "--cachegrind-out-file=/dev/null",
        ]);
        command.arg(self.program).args(self.arguments);
        let Ok(output) = command.stderr(Stdio::piped()).output() else { return Ok(None) };
        Ok(read_simulation(&String::from_utf8_lossy(&output.stderr)))
    }
}

/// What cachegrind prints at its end.
fn read_simulation(text: &str) -> Option<Simulation> {
    let figure = |name: &str| {
        let line = text.lines().find_map(|line| {
            let (_, rest) = line.split_once("== ")?;
            rest.strip_prefix(name)?.trim_start().strip_prefix(':')
        })?;
        let digits: String = line.split('(').next()?.chars().filter(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    Some(Simulation {
        instructions: figure("I refs").or_else(|| figure("I   refs"))?,
        instruction_misses: figure("I1  misses")?,
        mispredicted: figure("Mispredicts")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cachegrind_prints_is_read() {
        let text = "==12== I   refs:      1,234,567\n==12== I1  misses:        3,210\n==12== Mispredicts:      43,210  (40,000 cond +  3,210 ind)\n";
        let read = read_simulation(text).expect("figures");
        assert_eq!(
            (read.instructions, read.instruction_misses, read.mispredicted),
            (1_234_567, 3_210, 43_210)
        );
        assert_eq!(read_simulation("valgrind: no such program"), None);
    }

    #[test]
    fn a_run_has_its_end_and_its_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let stdout = folder.path().join("out");
        let run = |words: &[&str]| {
            let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
            TimedRun { program: Path::new("/bin/sh"), arguments: &arguments, stdin: None, stdout: &stdout }
                .seconds()
        };
        let (finish, seconds) = run(&["-c", "echo said; exit 3"]).expect("a run");
        assert_eq!(finish, Finish::Exited(3));
        assert!((0.0..60.0).contains(&seconds));
        assert_eq!(std::fs::read_to_string(&stdout).expect("output"), "said\n");
        assert_eq!(run(&["-c", "kill -9 $$"]).expect("a run").0, Finish::Killed(9));
    }
}
