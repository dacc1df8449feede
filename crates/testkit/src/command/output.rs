//! What did a program say, and how did it end?
//!
//! Output: both streams as text, with the status or the signal. Each requirement names what was
//! said where it fails, at the line of the test. Limits: streams are UTF-8 or the test fails.

use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};

use serde_json::Value;

/// What a program said and how it ended.
#[derive(Clone, Debug)]
pub struct ProgramOutput {
    /// The line that started it, for messages.
    pub line: String,
    /// Its exit status; -1 if a signal ended it.
    pub status: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

impl ProgramOutput {
    /// Starts a program and waits for its end.
    #[track_caller]
    pub fn of(command: &mut Command) -> ProgramOutput {
        match command.output() {
            Ok(output) => ProgramOutput { line: format!("{command:?}"), ..ProgramOutput::from(output) },
            Err(error) => panic!("{command:?} does not start: {error}"),
        }
    }

    /// Requires an exit status and gives itself back.
    #[track_caller]
    pub fn expect(self, status: i32) -> ProgramOutput {
        assert_eq!((self.status, self.signal), (status, None), "{}", self.all());
        self
    }

    /// Requires that stderr holds all of these, and no word of a panic.
    #[track_caller]
    pub fn expect_stderr(&self, words: &[&str]) {
        for word in words {
            assert!(self.stderr.contains(word), "'{word}' is missing in:\n{}", self.stderr);
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
    }

    /// The document on stdout.
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.stdout) {
            Ok(document) => document,
            Err(error) => panic!("no JSON: {error}\n{}", self.all()),
        }
    }

    /// All of it, for messages.
    pub fn all(&self) -> String {
        let end = self.signal.map_or_else(String::new, |signal| format!(", signal {signal}"));
        let (line, out, err) = (&self.line, &self.stdout, &self.stderr);
        format!("{line}\nstatus {}{end}\nstdout:\n{out}\nstderr:\n{err}", self.status)
    }
}

impl From<Output> for ProgramOutput {
    #[track_caller]
    fn from(output: Output) -> ProgramOutput {
        ProgramOutput {
            line: String::new(),
            status: output.status.code().unwrap_or(-1),
            signal: output.status.signal(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

#[track_caller]
fn text(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => panic!("no UTF-8: {}", String::from_utf8_lossy(error.as_bytes())),
    }
}
