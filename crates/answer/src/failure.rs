//! What is told when something goes wrong, and the exit status it gives.
//!
//! Every message says what happened, where, and what to do next. One kind of fault has one status
//! in every verb:
//!
//! - [`Status::Usage`]: the command line names what cannot be there. That is a flag, a file of
//!   another kind than the verb takes, or a function or line that the code does not have.
//! - [`Status::Failed`]: the command line is right, and a file or tool is not. A file is missing,
//!   damaged, does not compile, or cannot be read or written.
//!
//! What the system says of a file becomes words in [`super::files`].

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::files;

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
    /// A signal asked opcost to end: it dies of that signal.
    Interrupted(i32),
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
            Status::Interrupted(signal) => 128u8.wrapping_add(signal as u8),
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
    #[error("cannot {action} {}: {}", path.display(), files::reason(action, path, source))]
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
    /// Several of the files define one thing.
    #[error(
        "{symbol} is defined more than once in {inputs}: leave out the file that is too many, or make one of them static"
    )]
    DefinedTwice {
        /// What is defined, as the source writes it.
        symbol: String,
        /// The files, by the user's words.
        inputs: String,
    },
    /// A module could not be instrumented.
    #[error("{}", files::behind_name(module, message))]
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
        files::from_here(.0)
    )]
    NotOurs(PathBuf),
    /// The program could not be started.
    #[error("cannot start {}: {}", files::from_here(program), files::reason("start", program, source))]
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
    /// A signal asked opcost to end, and there is nothing to report.
    #[error("signal {0} ended it before the program began")]
    Interrupted(i32),
}

impl Failure {
    /// The exit status this failure gives.
    pub fn status(&self) -> Status {
        match self {
            Failure::Usage(_) | Failure::NotOurs(_) => Status::Usage,
            Failure::Interrupted(signal) => Status::Interrupted(*signal),
            _ => Status::Failed,
        }
    }

    /// A failure to do something with a file. A folder that is to be read, and a place in a file,
    /// are files of another kind.
    pub fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Failure {
        let path = path.into();
        move |source| match source.kind() {
            ErrorKind::IsADirectory if action == "read" => Failure::folder(&path),
            ErrorKind::NotFound if action == "read" => match files::location_words(&path) {
                Some(words) => Failure::Usage(words),
                None => Failure::File { action, path, source },
            },
            _ => Failure::File { action, path, source },
        }
    }

    /// The same, naming all the files that were linked.
    pub fn among(self, paths: &[&Path]) -> Failure {
        match self {
            Failure::DefinedTwice { symbol, .. } => {
                let inputs: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
                Failure::DefinedTwice { symbol, inputs: inputs.join(", ") }
            }
            other => other,
        }
    }

    /// A folder in place of a file.
    pub fn folder(path: &Path) -> Failure {
        Failure::Usage(format!("{} is a folder; name a file in it", path.display()))
    }
}
