//! What does cachegrind count of a program?
//!
//! Figures are exact, and those of instructions say nothing of luck with positions. Caches are those that
//! `opcost tune --simulate` has. Cost: a run that is about 50 times as slow, 20 times without caches.

use crate::failure::{Failure, Result};
use std::path::Path;
use std::process::{Command, Stdio};

/// What cachegrind counts of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Simulated {
    pub(super) instructions: u64,
    pub(super) instruction_misses: u64,
    pub(super) mispredicted: u64,
}

/// Machine instructions, misses of the cache of instructions, mispredicted branches.
pub(super) fn simulate(program: &Path, arguments: &[String]) -> Result<Simulated> {
    let caches = ["--branch-sim=yes", "--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64"];
    let text = cachegrind(program, arguments, &[&caches[..], &["--LL=33554432,16,64"]].concat())?;
    let figures = (figure(&text, "I   refs"), figure(&text, "I1  misses"), figure(&text, "Mispredicts"));
    let (Some(instructions), Some(instruction_misses), Some(mispredicted)) = figures else {
        return Err(unread(program));
    };
    Ok(Simulated { instructions, instruction_misses, mispredicted })
}

/// Machine instructions alone.
pub(super) fn instructions(program: &Path, arguments: &[String]) -> Result<u64> {
    let text = cachegrind(program, arguments, &["--cache-sim=no"])?;
    figure(&text, "I   refs").or_else(|| figure(&text, "I refs")).ok_or_else(|| unread(program))
}

fn unread(program: &Path) -> Failure {
    Failure::new(format!("cachegrind says nothing of {}", program.display()))
}

fn cachegrind(program: &Path, arguments: &[String], flags: &[&str]) -> Result<String> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cachegrind-out-file=/dev/null"])
        .args(flags)
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .map_err(|error| Failure::new(format!("valgrind does not start: {error}")))?;
    if !output.status.success() {
        let how = format!("{} ended with {} in cachegrind", program.display(), output.status);
        return Err(Failure::new(how));
    }
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// The number after a name in what cachegrind says.
fn figure(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains(name))?;
    let number = line.rsplit_once(name)?.1.trim_start_matches([':', ' ']);
    let digits: String = number.split([' ', '(']).next()?.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cachegrinds_lines_are_read() {
        let said = "==7== I   refs:      1,234,567\n==7== I1  misses:        1,001\n==7== Mispredicts:  99  (88 cond + 11 ind)\n";
        assert_eq!(figure(said, "I   refs"), Some(1_234_567));
        assert_eq!(figure(said, "I1  misses"), Some(1001));
        assert_eq!(figure(said, "Mispredicts"), Some(99));
        assert_eq!(figure(said, "D1  misses"), None);
    }
}
