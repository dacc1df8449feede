//! Flags of `opcost fuel` for programs that nobody trusts.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use thiserror::Error;

use opcost_answer::Failure;
use opcost_answer::fuel::Engine;
use opcost_toolchain::machine::Machine;

/// Flags for one number on every machine.
#[derive(Args, Debug, Clone)]
pub(crate) struct PortableArguments {
    /// Builds a program with one number on every machine. The C library is compiled in and metered.
    /// Programs with exceptions, threads, files or clocks are rejected.
    #[arg(long, conflicts_with_all = ["check", "sandbox", "header", "deterministic"])]
    pub(crate) portable: bool,
    /// The machine to build for, if it is another one. The program runs in an emulator (qemu, wine) or
    /// an engine (Node, wasmtime).
    #[arg(long, value_name = "MACHINE", value_enum, conflicts_with_all = ["check", "sandbox", "header", "deterministic"])]
    pub(crate) machine: Option<MachineWord>,
    /// What runs WebAssembly. Without it that is Node, or the wasmtime of Python (OPCOST_PYTHON).
    #[arg(long, value_name = "ENGINE", value_enum)]
    pub(crate) engine: Option<EngineWord>,
    /// The JSON of a run on another machine. Reports whether the code is the same, and the first
    /// function that differs.
    #[arg(long, value_name = "FILE", requires = "portable", conflicts_with = "emit")]
    pub(crate) same_as: Option<PathBuf>,
}

/// How much the program is trusted.
#[derive(Args, Debug, Clone)]
pub(crate) struct TrustArguments {
    /// Builds and runs nothing. Reports whether the inputs can be metered safely.
    #[arg(long, conflicts_with_all = ["limit", "emit", "stdin", "stdout", "sandbox", "deterministic"])]
    pub(crate) check: bool,
    /// Checks the program first, then runs it in a process of its own without files, threads,
    /// processes or network. Memory and time are limited. Its output is held back until it finishes.
    #[arg(long, conflicts_with_all = ["emit", "deterministic"])]
    pub(crate) sandbox: bool,
    /// Memory of the program in the sandbox (256M, 1G; powers of two).
    #[arg(long, value_name = "SIZE", default_value = "256M", value_parser = parse_size, requires = "sandbox")]
    pub(crate) memory: u64,
    /// Seconds that the program may take in the sandbox.
    #[arg(long = "seconds", value_name = "SECONDS", default_value = "10", value_parser = parse_seconds, requires = "sandbox")]
    pub(crate) seconds: Duration,
    /// Prints the output of a sandboxed program even if it did not finish.
    #[arg(long, requires = "sandbox")]
    pub(crate) partial: bool,
    /// Guards the counter against the program's own stores, and stores it twice. A program that writes
    /// to it is rejected. Costs some time and no fuel. --sandbox is stronger.
    #[arg(long, conflicts_with_all = ["sandbox", "check", "portable", "machine"])]
    pub(crate) harden: bool,
    /// More outside functions or data that the program may use.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,
    /// A file of such names, one per line. `#` begins a comment.
    #[arg(long, value_name = "FILE")]
    pub(crate) allow_file: Option<PathBuf>,
}

impl TrustArguments {
    /// The names that the host allows.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is no name.
    pub(crate) fn allowed(&self) -> Result<Vec<String>, Failure> {
        let mut names = self.allow.clone();
        let Some(path) = &self.allow_file else { return Ok(names) };
        let text = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
        for (position, line) in text.lines().enumerate() {
            let name = line.split('#').next().unwrap_or_default().trim();
            if name.contains(char::is_whitespace) {
                return Err(Failure::Usage(format!(
                    "{}:{}: '{name}' is no name; write one a line",
                    path.display(),
                    position + 1
                )));
            }
            names.extend((!name.is_empty()).then(|| name.to_owned()));
        }
        Ok(names)
    }
}

/// Why a word is no limit of a sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum WallError {
    #[error("'{0}' is no size of memory; write 64M or 1G, at least 16M")]
    Memory(String),
    #[error("'{0}' is no number of seconds; write 10 or 0.5")]
    Seconds(String),
}

/// `256M` and the like. Powers of two, as memory is sold.
fn parse_size(text: &str) -> Result<u64, WallError> {
    let wrong = || WallError::Memory(text.to_owned());
    let (number, scale) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 10),
        Some((at, 'M' | 'm')) => (&text[..at], 20),
        Some((at, 'G' | 'g')) => (&text[..at], 30),
        _ => (text, 0),
    };
    let size = number.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << scale));
    // Less than that does not hold the C library.
    size.filter(|size| *size >= 16 << 20).ok_or_else(wrong)
}

/// `10` or `0.5`.
fn parse_seconds(text: &str) -> Result<Duration, WallError> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| WallError::Seconds(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_seconds() {
        assert_eq!(parse_size("256M"), Ok(256 << 20));
        assert_eq!(parse_size("2G"), Ok(2 << 30));
        for wrong in ["", "M", "1M", "-3G", "99999999999999G", "1.5G"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "0", "-1", "nan", "1e300", "10s"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}

/// A machine for which portable programs can be built, as a flag takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MachineWord {
    /// Linux on x86-64.
    #[value(name = "x86_64-linux")]
    X86Linux,
    /// Linux on 64-bit ARM.
    #[value(name = "aarch64-linux")]
    ArmLinux,
    /// Linux on 64-bit RISC-V.
    #[value(name = "riscv64-linux")]
    RiscvLinux,
    /// Windows on x86-64.
    #[value(name = "x86_64-windows")]
    X86Windows,
    /// WebAssembly with WASI, in Node or wasmtime, without --portable. Its IR differs, so its number does.
    #[value(name = "wasm32-wasi")]
    Wasm,
}

impl From<MachineWord> for Machine {
    fn from(word: MachineWord) -> Machine {
        match word {
            MachineWord::X86Linux => Machine::X86Linux,
            MachineWord::ArmLinux => Machine::ArmLinux,
            MachineWord::RiscvLinux => Machine::RiscvLinux,
            MachineWord::X86Windows => Machine::X86Windows,
            MachineWord::Wasm => Machine::Wasm,
        }
    }
}

/// What runs WebAssembly, as a flag takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineWord {
    /// Node, with its V8.
    Node,
    /// The package wasmtime of Python, with cranelift.
    Wasmtime,
}

impl From<EngineWord> for Engine {
    fn from(word: EngineWord) -> Engine {
        match word {
            EngineWord::Node => Engine::Node,
            EngineWord::Wasmtime => Engine::Wasmtime,
        }
    }
}
