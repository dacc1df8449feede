//! Can what the user wants to be written be written? Asked before any work is done.
//!
//! A build and a run may take an hour, and a misspelt folder is no reason to lose them. Looked at
//! are the flags of all verbs that name a file to write: its folder must be there, and it must not
//! be a folder itself. Nothing is made or opened: a pipe would block, and a file that a run does
//! not come to write must stay as it is.
//!
//! Cost: a look at each folder. Limit: a disk that is full, and rights that change, show later;
//! then the report comes all the same.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use clap::ArgMatches;

use opcost_answer::Failure;

/// Flags that name a file to write, as clap knows them.
const WRITTEN: [&str; 8] = ["json", "html", "ledger", "output", "svg", "dot", "certificate", "collapsed"];
/// Verbs in which a flag of such a name is read.
const READ: [(&str, &str); 1] = [("life", "ledger")];

/// Finds an output that cannot be written.
///
/// # Errors
/// The first one, with what is in the way.
pub(crate) fn check(arguments: &ArgMatches) -> Result<(), Failure> {
    let Some((verb, flags)) = arguments.subcommand() else { return Ok(()) };
    for flag in WRITTEN.into_iter().filter(|flag| !READ.contains(&(verb, flag))) {
        if let Ok(Some(path)) = flags.try_get_one::<PathBuf>(flag) {
            writable(path)?;
        }
    }
    Ok(())
}

fn writable(path: &Path) -> Result<(), Failure> {
    if path == Path::new("-") {
        return Ok(());
    }
    let wrong = |kind, words: String| Err(Failure::file("write", path)(io::Error::new(kind, words)));
    if path.is_dir() {
        return wrong(ErrorKind::IsADirectory, "it is a folder; name a file".to_owned());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match std::fs::metadata(folder) {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => wrong(ErrorKind::NotADirectory, format!("{} is no folder", folder.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            wrong(error.kind(), format!("there is no folder {}; make it first", folder.display()))
        }
        Err(error) => wrong(error.kind(), error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::writable;

    #[test]
    fn folders_are_looked_at() {
        let folder = std::env::temp_dir();
        assert!(writable(&folder.join("new.json")).is_ok() && writable(&folder).is_err());
        for fine in ["-", "new.json", "/dev/null"] {
            assert!(writable(Path::new(fine)).is_ok(), "{fine}");
        }
        for wrong in ["/nowhere/at/all/x.json", "/dev/null/x.json"] {
            assert!(writable(Path::new(wrong)).is_err(), "{wrong}");
        }
    }
}
