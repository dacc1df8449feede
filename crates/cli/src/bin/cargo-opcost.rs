//! `cargo opcost …`: cargo looks for a program of this name in PATH.
//!
//! It becomes `opcost cargo …`, the opcost that lies beside it; cargo repeats
//! the subcommand's name as the first argument.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "opcost") {
        arguments.remove(0);
    }
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name("opcost"));
    let opcost = beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from("opcost"));
    let error = Command::new(&opcost).arg("cargo").args(arguments).exec();
    opcost_answer::tell!(
        "cargo-opcost: cannot start {}: {error}; install it with: cargo install opcost-cli",
        opcost.display()
    );
    ExitCode::FAILURE
}
