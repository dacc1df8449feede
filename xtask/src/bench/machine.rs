//! What must be known about the machine to read the table.

use crate::command::first_line_of;
use crate::failure::Failure;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Names and values, in the order of the page.
pub(crate) type Facts = Vec<(&'static str, String)>;

/// The facts of this run. `before` is the load when it began.
pub(crate) fn facts(opcost: Result<&Path, &Failure>, before: &str, flags: &[&str]) -> Facts {
    let version = |program: &str| first_line_of(Command::new(program).arg("--version"));
    let opcost = match opcost {
        Ok(path) => first_line_of(Command::new(path).arg("--version")),
        Err(failure) => format!("none: {failure}"),
    };
    let command = format!("cargo xtask bench {}", flags.join(" "));
    vec![
        ("date", first_line_of(Command::new("date").args(["-u", "+%Y-%m-%d"]))),
        ("command", format!("`{}`", command.trim())),
        ("commit", commit()),
        ("processor", processor(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())),
        ("system", first_line_of(Command::new("uname").args(["-s", "-r", "-m"]))),
        ("load average", format!("{before} before, {} after", load())),
        ("clang", version("clang-22")),
        ("opcost", opcost),
        ("valgrind", version("valgrind")),
    ]
}

/// The load averages of 1, 5 and 15 minutes.
pub(crate) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// The commit of the checkout, and whether files differ from it.
fn commit() -> String {
    let git = |arguments: &[&str]| first_line_of(Command::new("git").args(arguments));
    let changed = Command::new("git").args(["diff", "--quiet", "HEAD"]).status();
    let note = if changed.is_ok_and(|status| status.success()) { "" } else { ", with changes" };
    format!("{}{note}", git(&["rev-parse", "--short", "HEAD"]))
}

fn processor(cpuinfo: &str) -> String {
    let names: Vec<&str> = cpuinfo
        .lines()
        .filter(|line| line.starts_with("model name"))
        .filter_map(|line| line.split_once(':'))
        .map(|(_, name)| name.trim())
        .collect();
    match names.first() {
        Some(name) => format!("{} × {name}", names.len()),
        None => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted_and_named() {
        let text = "processor : 0\nmodel name\t: Fast One\n\nprocessor : 1\nmodel name\t: Fast One\n";
        assert_eq!(processor(text), "2 × Fast One");
        assert_eq!(processor(""), "unknown");
    }
}
