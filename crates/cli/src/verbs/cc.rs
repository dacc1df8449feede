//! `opcost cc`, `opcost c++`, `opcost flang`: compilers for real builds.
//!
//! Their arguments are a compiler's, so clap never sees them: they are taken
//! off the command line before it is parsed. The exit status is the
//! compiler's own, or 1 when opcost failed.

use std::ffi::{OsStr, OsString};

use opcost_answer::{Failure, Status};
use opcost_toolchain::driver::Drive;
use opcost_toolchain::driver::names::{Front, by_program_name, launched};

/// What this command line compiles, if it is one of a compiler.
pub(crate) fn intercept(line: &[OsString]) -> Option<(Front, &[OsString])> {
    let (program, rest) = line.split_first()?;
    if let Some(front) = by_program_name(program) {
        return Some((front, rest));
    }
    let (verb, rest) = rest.split_first()?;
    let front = Front::from_verb(verb).or_else(|| (verb == OsStr::new("launcher")).then_some(Front::C))?;
    Some((front, rest))
}

/// Compiles and links as asked.
pub(crate) fn run(front: Front, arguments: &[OsString]) -> Result<Status, Failure> {
    let (front, replaced, arguments) = launched(front, arguments);
    Drive::new(front, replaced.as_deref(), arguments)?.run().map(Status::Own)
}
