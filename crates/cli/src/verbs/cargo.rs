//! `cargo opcost count --bin rg -- PATTERN FILE`: a crate's program, counted
//! (with `sample`, sampled; with `tune`, placed by what it does).
//!
//! `cargo-opcost` starts `opcost cargo VERB`; cargo's options are taken out of
//! the line, the others are the verb's. The crate is built by `cargo rustc` in
//! a target folder of its own (`target/opcost`), with fat LTO and one codegen
//! unit set for the chosen profile by environment, so that build scripts and
//! the user's own builds stay what they are.

use std::ffi::OsString;

use opcost_answer::{Failure, Status};

use super::cargo_line::{CargoLine, USAGE};
use super::cargo_tune;

/// Carries out the verb.
pub(crate) fn run(given: &[OsString]) -> Result<Status, Failure> {
    let usage = || Failure::Usage(USAGE.to_owned());
    let (verb, rest) = given.split_first().ok_or_else(usage)?;
    let line = CargoLine::read(rest)?;
    match verb.to_str() {
        Some("count" | "stat") => {
            let mut count = line.count_arguments()?;
            let Some(mut count) = count.take() else { return Ok(Status::Usage) };
            count.inputs = vec![line.build_counted(&count)?];
            super::count::run(&count)
        }
        Some("sample") => match line.sample_arguments()? {
            Some(sample) => line.sample(sample),
            None => Ok(Status::Usage),
        },
        Some("tune") => cargo_tune::run(line),
        Some("build") => {
            let Some(count) = line.count_arguments()? else { return Ok(Status::Usage) };
            println!("{}", line.build_counted(&count)?.display());
            Ok(Status::Fine)
        }
        Some("--help" | "-h" | "help") => {
            println!("{USAGE}");
            Ok(Status::Fine)
        }
        _ => Err(usage()),
    }
}
