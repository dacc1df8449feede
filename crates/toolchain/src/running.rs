//! How does a tool run, and how do its words reach the user?
//!
//! Compilers and linkers run with our streams. Their words are passed on line by line, without control characters
//! of the input that they quote, and in colours where the terminal is ours. What a linker says of a missing or doubled
//! symbol becomes a failure of its own.
//!
//! Input: a command that is ready to start. Output: whether it did, and what it said. Cost: the tool's own.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use opcost_answer::Failure;
use opcost_answer::terminal::{Styles, harmless};

use crate::input::Input;

/// Runs a tool whose own words go to stderr.
pub fn run_tool(command: &mut Command, tool: &Path, input: &Path) -> Result<(), Failure> {
    command.args(colours_of(tool).filter(|_| wants_colour()));
    if relayed(command, tool, |_| ())?.success() { Ok(()) } else { Err(failed(tool, input)) }
}

/// The same; what the tool said, too.
pub(crate) fn run_tool_reporting(
    command: &mut Command,
    tool: &Path,
    input: &Path,
) -> Result<Vec<u8>, Failure> {
    command.args(colours_of(tool).filter(|_| wants_colour()));
    let mut said = Vec::new();
    let status = relayed(command, tool, |line| said.extend_from_slice(line.as_bytes()))?;
    if status.success() { Ok(said) } else { Err(failed(tool, input)) }
}

/// Links a program of these inputs.
pub(crate) fn run_linker(command: &mut Command, tool: &Path, inputs: &[Input]) -> Result<(), Failure> {
    command.args(colours_of(tool).filter(|_| wants_colour()));
    let mut lacks_main = false;
    let mut twice = None;
    let status = relayed(command, tool, |line| {
        lacks_main |= is_main_missing(line);
        twice = twice.take().or_else(|| defined_twice(line));
    })?;
    if status.success() {
        return Ok(());
    }
    let inputs: Vec<String> = inputs.iter().map(|input| input.path.display().to_string()).collect();
    let inputs = inputs.join(", ");
    Err(match twice {
        Some(symbol) => Failure::DefinedTwice { symbol, inputs },
        None if lacks_main => Failure::NoMain { inputs },
        None => Failure::ToolFailed { tool: tool.display().to_string(), input: inputs },
    })
}

/// Whether a linker says that there is no `main`, in the words of ld.bfd and gold, or of lld and mold.
fn is_main_missing(line: &str) -> bool {
    let is_missing = ["undefined reference to `main'", "undefined symbol: main"];
    is_missing.iter().any(|words| line.trim_end().ends_with(words))
}

/// The symbol that a linker met twice, in the words of ld.bfd and gold, or of lld and mold.
fn defined_twice(line: &str) -> Option<String> {
    if let Some((_, rest)) = line.split_once("multiple definition of ") {
        let quoted = rest.strip_prefix(['`', '\''])?;
        return quoted.split_once('\'').map(|(name, _)| name.to_owned());
    }
    let (_, name) = line.trim_end().split_once("duplicate symbol: ")?;
    Some(name.rsplit_once(": ").map_or(name, |(_, name)| name).to_owned())
}

pub(crate) fn failed(tool: &Path, input: &Path) -> Failure {
    Failure::ToolFailed { tool: tool.display().to_string(), input: input.display().to_string() }
}

/// Runs a tool with our streams; its exit status as the driver would pass it on.
pub(crate) fn status_of(command: &mut Command, tool: &Path) -> Result<u8, Failure> {
    status_reporting(command, tool).map(|(status, _)| status)
}

/// The same; what the tool said, too.
pub(crate) fn status_reporting(command: &mut Command, tool: &Path) -> Result<(u8, Vec<u8>), Failure> {
    let mut said = Vec::new();
    let status = relayed(command, tool, |line| said.extend_from_slice(line.as_bytes()))?;
    if let Some(signal) = status.signal() {
        opcost_answer::tell!("opcost: {} was ended by signal {signal}", tool.display());
    }
    Ok((status.code().map_or(1, |code| code as u8), said))
}

/// Runs a tool and passes on its words line by line. They may quote input, whose control
/// characters must not reach a terminal. `each` sees each line, too.
fn relayed(command: &mut Command, tool: &Path, mut each: impl FnMut(&str)) -> Result<ExitStatus, Failure> {
    let failed = |error: std::io::Error| Failure::ToolMissing {
        tool: tool.display().to_string(),
        remedy: format!("starting it failed: {error}"),
    };
    let mut child = command.stderr(Stdio::piped()).spawn().map_err(failed)?;
    let mut words = BufReader::new(child.stderr.take().expect("it is a pipe"));
    let mut line = Vec::new();
    while words.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        pass_on(&line);
        each(&String::from_utf8_lossy(&line));
        line.clear();
    }
    let status = child.wait().map_err(failed)?;
    if status.signal().is_some() {
        // Who ended it may be this process, on its way to its own end.
        opcost_interrupt::hold();
    }
    Ok(status)
}

/// Writes words of a tool to stderr.
pub(crate) fn pass_on(words: &[u8]) {
    let words = String::from_utf8_lossy(words);
    // Where nobody listens, the tool still has to come to its end.
    let _ = std::io::stderr().write_all(harmless(&words, Styles::Ours).as_bytes());
}

/// The flag for coloured words: the tool sees a pipe in place of our terminal.
fn colours_of(tool: &Path) -> Option<&'static str> {
    let name = tool.file_name()?.to_str()?;
    match name {
        _ if name.starts_with("clang") || name.starts_with("flang") => Some("-fcolor-diagnostics"),
        "rustc" => Some("--color=always"),
        _ => None,
    }
}

/// Whether words for a terminal may have colours.
pub(crate) fn wants_colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// A linker's words without those that would drop the map and the symbols.
pub(crate) fn without_stripping(mut words: Vec<OsString>) -> Vec<OsString> {
    let given = words.len();
    let strips = [
        "-s",
        "-S",
        "--strip-all",
        "--strip-debug",
        "-Wl,-s",
        "-Wl,-S",
        "-Wl,--strip-all",
        "-Wl,--strip-debug",
    ];
    words.retain(|word| !strips.iter().any(|strip| word == strip));
    if words.len() < given {
        opcost_answer::tell!("opcost: the program is not stripped, since its map and symbols are needed");
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{defined_twice, is_main_missing};

    #[test]
    fn linkers_say_what_they_met_twice() {
        for (line, name) in [
            ("a.c:(.text+0x0): multiple definition of `fill'; 0.o:a.c:(.text+0x0): first", Some("fill")),
            ("b.o: multiple definition of 'board::search(int)'; a.o: previous", Some("board::search(int)")),
            ("ld.lld: error: duplicate symbol: fill", Some("fill")),
            ("mold: error: duplicate symbol: out/1.o: out/0.o: fill", Some("fill")),
            ("collect2: error: ld returned 1 exit status", None),
        ] {
            assert_eq!(defined_twice(line).as_deref(), name, "{line}");
        }
        assert!(is_main_missing("(.text+0x17): undefined reference to `main'\n"));
        assert!(!is_main_missing("(.text+0x17): undefined reference to `main_loop'\n"));
    }
}
