//! `--ledger FILE` of verbs whose answers are no counts.
//!
//! What they tell becomes rows (`opcost::answered`), and a file, whole or not at all. What a user
//! gave besides the code stands with each row. Cost: the rows.

use std::ffi::OsString;
use std::path::PathBuf;

use opcost_profile::Assumption;

use crate::arguments::ProgramArguments;

/// What the user ran: the verb, its inputs, and what the program was given.
pub(crate) fn command(verb: &str, inputs: &[PathBuf], words: &[OsString]) -> Vec<String> {
    let inputs = inputs.iter().map(|input| input.display().to_string());
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    ["opcost".to_owned(), verb.to_owned()].into_iter().chain(inputs).chain(words).collect()
}

/// What is believed of functions outside of the program because a table says so.
pub(crate) fn believed(program: &ProgramArguments) -> Option<Assumption> {
    let table = program.effects.as_ref()?;
    let words = format!("functions outside of the program do what {} says", table.display());
    Some(Assumption::Rule(words.into()))
}
