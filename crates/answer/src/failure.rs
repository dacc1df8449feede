//! What is told when something goes wrong, and the exit status it gives.
//!
//! Every message says what happened, where, and what to do next.

use std::path::PathBuf;
use std::process::ExitCode;

/// Exit statuses. Precedence when several apply: usage, opcost, program, verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Fine,
    /// opcost failed.
    Failed,
    /// It was called wrongly.
    Usage,
    /// The verdict is no.
    Verdict,
    /// The measured program failed.
    Program,
    /// The measured program's own status, asked for by `--pass-status`.
    Own(u8),
}

impl Status {
    /// As the system sees it.
    pub fn number(self) -> u8 {
        match self {
            Status::Fine => 0,
            Status::Failed => 1,
            Status::Usage => 2,
            Status::Verdict => 3,
            Status::Program => 4,
            Status::Own(own) => own,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status.number())
    }
}

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Wrong use, found after parsing.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried: `read`, `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A tool is missing.
    #[error("{tool} was not found; {remedy}")]
    ToolMissing {
        /// Its name.
        tool: String,
        /// What to do.
        remedy: String,
    },
    /// A tool failed and has said why.
    #[error("{tool} failed on {input} (its own words are above)")]
    ToolFailed {
        /// Its name.
        tool: String,
        /// What it was given.
        input: String,
    },
    /// A program was to be linked of files without `main`.
    #[error(
        "no main in {inputs}, and a program begins there: add the file that has it. Counted objects without one: \
         opcost count --emit obj FILE"
    )]
    NoMain {
        /// The files, by the user's words.
        inputs: String,
    },
    /// A module could not be instrumented.
    #[error("{module}: {message}")]
    Module {
        /// Its name.
        module: String,
        /// What went wrong, and what to do.
        message: String,
    },
    /// A program that was not built by opcost.
    #[error(
        "{} was not built by opcost, so nothing in it counts; rebuild it with CC='opcost cc' CXX='opcost c++', \
         or give its sources",
        .0.display()
    )]
    NotOurs(PathBuf),
    /// The program could not be started.
    #[error("cannot start {}: {source}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// An output could not be written.
    #[error(transparent)]
    Write(#[from] opcost_profile::formats::WriteError),
    /// Counters could not be turned into counts.
    #[error("{0}")]
    Counters(String),
}

impl Failure {
    /// The exit status this failure gives.
    pub fn status(&self) -> Status {
        match self {
            Failure::Usage(_) => Status::Usage,
            _ => Status::Failed,
        }
    }

    /// A failure to do something with a file.
    pub fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Failure {
        let path = path.into();
        move |source| Failure::File { action, path, source }
    }
}
