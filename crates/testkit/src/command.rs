//! What does the command do, in a folder of its own?
//!
//! The harness of all tests that run `opcost` as its users do. A [`Workplace`] is a folder that
//! goes away, with the command, compilers and the shell in it; [`ProgramOutput`] is what one of them said
//! and how it ended. What is special to a test program (directives, referees, documents of a verb)
//! is a layer over these and lies there. [`corpus`] names the programs of the repository,
//! [`holds_to_schema`] holds a document to the schema that it names, and [`BrowserPage`] is a browser
//! that opened a file.
//!
//! All programs start with one environment: no input, messages in English, lines of 160 columns,
//! colours only where there is a terminal. A test of another one says so at its command.
//!
//! Input: the path of the command, which only a test of its own package knows
//! (`env!("CARGO_BIN_EXE_opcost")`). Limits: what is no UTF-8 fails; a test of such output
//! takes it from `command(..).output()`.

mod browser;
mod output;
mod schema;
mod workplace;

use std::path::Path;

pub use browser::BrowserPage;
pub use output::ProgramOutput;
pub use schema::holds_to_schema;
pub use workplace::Workplace;

/// Copies a program, or a text that is to become one.
///
/// Another process writes the copy. A child that another test's thread has just forked holds what this process has
/// open for writing. Until it runs its own program, nobody can run this one.
#[track_caller]
pub fn copy_program(from: &Path, to: &Path) {
    let ended = std::process::Command::new("install").args(["-m", "755"]).args([from, to]).status();
    assert!(ended.is_ok_and(|status| status.success()), "{}", to.display());
}

/// A file or folder of the repository's `corpus`.
pub fn corpus(name: &str) -> String {
    repository("corpus").join(name).to_str().expect("the repository's path is UTF-8").to_owned()
}

/// A file or folder of the repository.
fn repository(name: &str) -> std::path::PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
