//! The same program as WebAssembly in wasmtime, with fuel and without.
//!
//! clang compiles it for WASI; the wasmtime of PyPI compiles it ahead of time
//! with cranelift and runs it, so that what is timed is the start of Python and
//! the program. Needs the packages wasi-libc and libclang-rt-22-dev-wasm32, and
//! `wasmtime` in the Python that OPCOST_PYTHON names. Programs that WASI cannot
//! hold (setjmp, processes) have no column.

use crate::command;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python program: `prepare FUEL MODULE COMPILED` or `run FUEL COMPILED ARGS…`.
const DRIVER: &str = include_str!("wasm.py");

/// Builds the program and a script that runs it like any executable.
pub(crate) fn build(folder: &Path, program: &Program, with_fuel: bool, script: &Path) -> Result<PathBuf> {
    let python = python()?;
    let driver = folder.join("wasm.py");
    let fuel = if with_fuel { "fuel" } else { "free" };
    write(&driver, DRIVER)?;
    // The script has the name of the column; what it runs lies beside it.
    let beside = |kind: &str| script.with_extension(format!("{fuel}.{kind}"));
    let (module, compiled) = (beside("module"), beside("compiled"));
    let mut clang = Command::new("clang-22");
    // Debian's library lies where the older name of the target leads.
    clang
        .args(["--target=wasm32-wasi", "-Wno-deprecated", "-O2"])
        .args(&program.flags)
        .args(&program.sources);
    clang.arg("-o").arg(&module).args(program.libraries.iter().filter(|library| *library != "-lm"));
    command::output_of(clang.current_dir(folder))
        .map_err(|_| Failure::new("WASI's headers or library lack something that it uses"))?;
    command::output_of(
        Command::new(&python).arg(&driver).args(["prepare", fuel]).arg(&module).arg(&compiled),
    )?;
    let line = format!(
        "#!/bin/sh\nexec '{}' '{}' run {fuel} '{}' \"$@\"\n",
        python.display(),
        driver.display(),
        compiled.display()
    );
    write(script, &line)?;
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755))
        .map_err(|error| Failure::at("make executable", script, error))?;
    Ok(script.to_owned())
}

fn python() -> Result<PathBuf> {
    let own = crate::root::repository()?.join("target/venv/bin/python");
    Ok(std::env::var_os("OPCOST_PYTHON").map_or(own, PathBuf::from))
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|error| Failure::at("write", path, error))
}
