//! Does what is told of loops before they run agree with what they do?
//!
//! The source document's own loops first; then hard ones with marks in their
//! sources, bad input, and what must change when a program changes.

mod bits;
mod bits_inputs;
mod bits_marks;
mod bits_odd;
mod changed;
mod check;
mod contracts;
mod entered;
mod errors;
mod explained;
mod forged;
mod hard;
mod narrow;
mod narrow_fuzz;
mod outside;
mod outside_search;
mod told;
mod twelve;
mod weaker;
mod width;

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

/// What a verb, or one with a flag, writes with `--json -`, held against the schema
/// of its document.
fn document(verb: &str, arguments: &[&str]) -> Value {
    let (words, flag) = verb.split_once('-').map_or((verb, None), |(verb, flag)| (verb, Some(flag)));
    let flag = flag.map(|flag| format!("--{flag}"));
    let all = [words, "--json", "-"].into_iter().chain(flag.as_deref());
    let all: Vec<&str> = all.chain(arguments.iter().copied()).collect();
    let output = opcost(&all);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    against_schema(verb, &document);
    document
}

/// Holds a document against the schema of its name, in the version that it says.
fn against_schema(name: &str, document: &Value) {
    let said = document["schema"].as_str().expect("the document's schema");
    let version = said.strip_prefix(&format!("opcost.{name}/")).unwrap_or_else(|| panic!("{said} of {name}"));
    let path = format!("{}/../../schemas/opcost.{name}-{version}.json", env!("CARGO_MANIFEST_DIR"));
    let schema: Value = serde_json::from_slice(&std::fs::read(path).expect("the schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    assert!(validator.is_valid(document), "{:?}", validator.iter_errors(document).next());
}

/// The loops of a program that was analysed.
fn loops(arguments: &[&str]) -> Vec<Value> {
    document("loops", arguments)["loops"].as_array().expect("loops").clone()
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
