//! How is a tool of others run?

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use opcost_answer::Failure;

/// Runs a tool; what it prints.
///
/// # Errors
/// It is missing, or fails.
pub(super) fn carry_out(command: &mut Command, remedy: &str) -> Result<String, Failure> {
    let tool =
        Path::new(command.get_program()).file_name().unwrap_or(OsStr::new("")).to_string_lossy().into_owned();
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::ToolMissing { tool: tool.clone(), remedy: remedy.to_owned() }
        }
        _ => Failure::file("start", Path::new(&tool))(error),
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        // The linker names a file of clang's sanitizers, and not the package that has it.
        if words.contains("libclang_rt.") {
            return Err(Failure::ToolMissing {
                tool: "clang's sanitizers".to_owned(),
                remedy: "apt-get install libclang-rt-22-dev".to_owned(),
            });
        }
        return Err(Failure::Module {
            module: tool,
            message: format!("it failed: {}", words.lines().next().unwrap_or("it says nothing")),
        });
    }
    Ok(text)
}

/// What a sanitizer says first.
pub(super) fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find(|line| line.contains("runtime error") || line.contains("ERROR: "));
    line.map_or_else(|| output.status.to_string(), |line| line.trim_start_matches('=').trim().to_owned())
}

/// What to do where there is no clang.
pub(super) const INSTALL_CLANG: &str = "install clang-22 (opcost doctor says how)";
