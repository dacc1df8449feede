//! Does what is told of loops before they run agree with what they do?
//!
//! The source document's own loops first; then hard ones with marks in their
//! sources, bad input, and what must change when a program changes.

mod bits;
mod changed;
mod errors;
mod explained;
mod hard;
mod narrow;
mod told;
mod weaker;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn corpus(name: &str) -> String {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    folder.canonicalize().expect("corpus").join(name).to_string_lossy().into_owned()
}

fn opcost(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_opcost"));
    command.env("COLUMNS", "160").args(arguments).output().expect("opcost starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The loops of a program that was analysed.
fn loops(arguments: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = ["loops", "--json", "-"].iter().chain(arguments).copied().collect();
    let output = opcost(&all);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    let document: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    assert_eq!(document["schema"], "opcost.loops/1");
    document["loops"].as_array().expect("loops").clone()
}

/// A source in a folder that goes away.
struct Source {
    _folder: tempfile::TempDir,
    path: String,
}

impl Source {
    fn new(name: &str, text: &str) -> Source {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        Source { path: path.to_string_lossy().into_owned(), _folder: folder }
    }
}

/// What is said of the body's iterations of the only loop, and its kind.
fn only(source: &Source, flags: &[&str]) -> (String, String) {
    let arguments: Vec<&str> = flags.iter().copied().chain([&*source.path]).collect();
    let all = loops(&arguments);
    assert_eq!(all.len(), 1, "{all:#?}");
    let text = |key: &str| all[0][key].as_str().unwrap_or("").to_owned();
    (text("kind"), text("expression"))
}
