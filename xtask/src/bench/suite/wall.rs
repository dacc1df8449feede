//! How long does a command take, by the clock on the wall?

use crate::failure::{Failure, Result};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What it printed, and wall seconds.
pub(super) fn timed(command: &mut Command) -> Result<(Vec<u8>, f64)> {
    let name = command.get_program().to_string_lossy().into_owned();
    let begun = Instant::now();
    let output = command.stdin(Stdio::null()).output();
    let took = begun.elapsed().as_secs_f64();
    let output = output.map_err(|error| Failure::new(format!("`{name}` does not start: {error}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Failure::new(format!("`{name}` ended with {}: {said}", output.status)));
    }
    Ok((output.stdout, took))
}
