//! A folder in which a program runs.
//!
//! Each run gets an empty one, or copies of its input files, so that no run finds what
//! another left.

use crate::failure::{Failure, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs it in a folder of its own, with or without input files; what it
/// printed.
pub(crate) fn run_in(executable: &Path, inputs: Option<&Path>, scratch: &Path) -> Result<Vec<u8>> {
    let room = furnished_room(inputs, scratch)?;
    let output = Command::new(executable)
        .current_dir(&room)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Failure::at("start", executable, error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = [output.stdout, output.stderr].concat();
    Err(Failure::new(format!("it ended with {}: {}", output.status, String::from_utf8_lossy(&said).trim())))
}

/// An empty folder, or one that holds copies of the inputs.
pub(crate) fn furnished_room(inputs: Option<&Path>, scratch: &Path) -> Result<PathBuf> {
    let room = scratch.join("room");
    if room.exists() {
        fs::remove_dir_all(&room).map_err(|error| Failure::at("empty", &room, error))?;
    }
    fs::create_dir_all(&room).map_err(|error| Failure::at("create", &room, error))?;
    if let Some(inputs) = inputs {
        for entry in fs::read_dir(inputs).map_err(|error| Failure::at("list", inputs, error))? {
            let path = entry.map_err(|error| Failure::at("list", inputs, error))?.path();
            let copy = room.join(path.file_name().unwrap_or_default());
            fs::copy(&path, &copy).map_err(|error| Failure::at("copy", &path, error))?;
        }
    }
    Ok(room)
}
