//! How does a file appear whole or not at all?
//!
//! The bytes go to a new file in the same folder, to the disk, and then take
//! the name in one step (`rename`). A full disk, a killed process or a second
//! writer never leaves a mixture: of several writers the last one wins. A name
//! that is a link keeps being one; a name that is no plain file (`/dev/stdout`,
//! a pipe) is simply written to. Limit: a process that is killed while it
//! writes leaves a file `.opcost-*.part` behind, which nothing reads.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

/// Why a file could not be written. Nothing half-written is left under its name.
#[derive(Debug, Error)]
#[error("cannot write {}: {step} failed ({source}); {}", path.display(), advice(source))]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// Which step failed.
    pub step: &'static str,
    /// What the system says.
    pub source: io::Error,
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free some space or name a file on another disk"
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "make the folder first, or name another",
        io::ErrorKind::IsADirectory => "name a file, not a folder",
        _ => "name a file in a folder that you may write to",
    }
}

/// Makes `bytes` the content of `path`, whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let fails = |step| move |source| WriteError { path: path.to_owned(), step, source };
    let target = match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(fails("opening it")(io::ErrorKind::IsADirectory.into())),
        Ok(found) if !found.is_file() => return fs::write(path, bytes).map_err(fails("writing")),
        Ok(_) => fs::canonicalize(path).map_err(fails("following the link"))?,
        Err(_) => path.to_owned(),
    };
    let (mut file, part) = create_beside(&target).map_err(fails("making a new file in its folder"))?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    let (step, result) = match written {
        Ok(()) => ("giving the new file its name", fs::rename(&part, &target)),
        error => ("writing", error),
    };
    result.map_err(|error| {
        // The first error is the one to tell; a part that stays is harmless.
        let _ = fs::remove_file(&part);
        fails(step)(error)
    })
}

/// A new file in the folder of `target`, under a name that nobody else has.
fn create_beside(target: &Path) -> io::Result<(File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let part = target.with_file_name(format!(".opcost-{}-{number}.part", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&part) {
            // Left by a process that had our number; try the next.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            other => return other.map(|file| (file, part)),
        }
    }
}

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
