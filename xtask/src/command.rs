//! Running other tools and keeping what they say.
//!
//! A tool's output is shown only when it fails: the last lines of it, with
//! the command, in the error.

use crate::failure::{Failure, Result};
use std::path::Path;
use std::process::{Command, Stdio};

/// How many lines of a failing tool's words are repeated.
const LINES_SHOWN: usize = 12;

/// Runs the command to its end and returns what it wrote to its standard output. Fails with its
/// last lines when it does not start or its status is not 0.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let name = name_of(command);
    let output =
        command.output().map_err(|error| Failure::new(format!("`{name}` does not start: {error}")))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    let mut words = String::from_utf8_lossy(&output.stderr).into_owned();
    if words.trim().is_empty() {
        words = said;
    }
    Err(Failure::new(format!("`{name}` failed with {}: {}", output.status, last_lines(&words))))
}

/// Whether a tool starts.
pub(crate) fn is_installed(tool: &str) -> bool {
    let status = Command::new(tool).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok()
}

/// The tool's name without its folder.
fn name_of(command: &Command) -> String {
    let program = Path::new(command.get_program());
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

/// The first line that the command prints, or why there is none.
pub(crate) fn first_line_of(command: &mut Command) -> String {
    match output_of(command) {
        Ok(text) => text.lines().next().unwrap_or("(says nothing)").trim().to_owned(),
        Err(failure) => format!("({failure})"),
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES_SHOWN)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_tool_is_quoted() {
        let failure = output_of(Command::new("sh").args(["-c", "echo ignored; echo the reason >&2; exit 3"]))
            .unwrap_err();
        assert!(failure.to_string().contains("the reason"), "{failure}");
        assert!(failure.to_string().contains('3'), "{failure}");
    }

    #[test]
    fn a_missing_tool_is_named() {
        let failure = output_of(&mut Command::new("no-such-tool-here")).unwrap_err();
        assert!(failure.to_string().contains("no-such-tool-here"), "{failure}");
    }
}
