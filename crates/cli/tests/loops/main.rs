//! Does what is told of loops before they run agree with what they do?
//!
//! The loops of llvm-pred first; then hard ones with marks in their
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
mod followed;
mod forged;
mod hard;
mod keepers;
mod narrow;
mod narrow_fuzz;
mod odd_cells;
mod outside;
mod outside_search;
mod predict;
mod predict_slice;
mod predicted_code;
mod slice;
mod slice_clean;
mod slice_levels;
mod told;
mod twelve;
mod weaker;
mod width;

use opcost_testkit::command::{ProgramOutput, Workplace, holds_to_schema};
use serde_json::Value;

fn workplace() -> Workplace {
    Workplace::new(env!("CARGO_BIN_EXE_opcost"))
}

/// Runs the command where no file is.
fn opcost(arguments: &[&str]) -> ProgramOutput {
    workplace().opcost(arguments)
}

/// What a verb, or one with a flag, writes with `--json -`, held against the schema
/// of its document.
fn document(verb: &str, arguments: &[&str]) -> Value {
    let (words, flag) = verb.split_once('-').map_or((verb, None), |(verb, flag)| (verb, Some(flag)));
    let flag = flag.map(|flag| format!("--{flag}"));
    let all = [words, "--json", "-"].into_iter().chain(flag.as_deref());
    let all: Vec<&str> = all.chain(arguments.iter().copied()).collect();
    let document = opcost(&all).expect(0).json();
    against_schema(verb, &document);
    document
}

/// Holds a document against the schema of its name, in the version that it says.
fn against_schema(name: &str, document: &Value) {
    let said = document["schema"].as_str().expect("the document's schema");
    assert!(said.starts_with(&format!("opcost.{name}/")), "{said} of {name}");
    holds_to_schema(document);
}

/// The loops of a program that was analysed.
fn loops(arguments: &[&str]) -> Vec<Value> {
    document("loops", arguments)["loops"].as_array().expect("loops").clone()
}

/// A source in a folder that goes away.
struct Source {
    place: Workplace,
    path: String,
}

impl Source {
    fn new(name: &str, text: &str) -> Source {
        let place = workplace();
        Source { path: place.at(&place.write(name, text)), place }
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
