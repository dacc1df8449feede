//! What runs say of opcost's claims: `opcost values --trip-counts --verify`.
//!
//! The document's `verify` counts claims: held in every complete activation,
//! about loops that were never entered, wrong, and not held because something
//! that the claim assumes did not hold.

use super::bitcode::Run;
use crate::bench::timed;
use crate::failure::{Failure, Result};
use crate::loops::room::furnished_room;
use serde::Deserialize;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Claims of all runs together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Verified {
    #[serde(default)]
    pub(super) held: u64,
    #[serde(default)]
    pub(super) not_entered: u64,
    #[serde(default)]
    pub(super) wrong: u64,
    #[serde(default)]
    pub(super) assumption_violated: u64,
}

impl Verified {
    pub(super) fn add(&mut self, other: Self) {
        self.held += other.held;
        self.not_entered += other.not_entered;
        self.wrong += other.wrong;
        self.assumption_violated += other.assumption_violated;
    }
}

#[derive(Deserialize)]
struct Document {
    verify: Verified,
}

/// One run of the program, its counts held against the claims.
pub(super) fn run(opcost: &Path, module: &Path, run: &Run, folder: &Path) -> Result<Verified> {
    let room = furnished_room(run.inputs.as_deref(), folder)?;
    let document = folder.join("verify.json");
    let _ = fs::remove_file(&document);
    let mut command = Command::new(opcost);
    command.args(["values", "--trip-counts", "--verify", "--json"]).arg(&document).arg(module);
    // opcost takes -l as it is, and other flags for the compiler behind --cflag.
    let flags = run.libraries.iter().map(|flag| match flag.starts_with("-l") {
        true => flag.clone(),
        false => format!("--cflag={flag}"),
    });
    command.args(flags).arg("--").args(&run.arguments).current_dir(room);
    // 3: a claim is wrong; the document says how many.
    timed::run(&mut command, &[3], folder)?;
    let text = fs::read_to_string(&document).map_err(|error| Failure::at("read", &document, error))?;
    read(&text).map_err(|error| Failure::at("understand", &document, error))
}

fn read(text: &str) -> std::result::Result<Verified, serde_json::Error> {
    serde_json::from_str::<Document>(text).map(|document| document.verify)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_added_up() {
        let text = r#"{"verify": {"held": 5, "not_entered": 2, "wrong": 1, "assumption_violated": 3}}"#;
        let mut all = read(text).unwrap();
        all.add(read(r#"{"verify": {"held": 1}}"#).unwrap());
        assert_eq!(all, Verified { held: 6, not_entered: 2, wrong: 1, assumption_violated: 3 });
        assert!(read("{}").is_err());
    }
}
