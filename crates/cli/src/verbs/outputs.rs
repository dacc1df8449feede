//! Can what is to be written be written, and the program's input be read? Looked at before any work.
//!
//! A build and a run may take an hour, and a misspelt folder is no reason to lose them. Looked at
//! are the flags of all verbs that name a file to write. Its folder must be there, and it must not
//! be a folder itself. At most one of them may be stdout, and none that is no text. The program's
//! own streams (`--stdin`, `--stdout`) are files in the same way. Nothing is made or opened: a pipe
//! would block, and a file that a run does not come to write must stay as it is.
//!
//! Cost: a look at each folder. Limit: a disk that is full, and rights that change, show later;
//! then the report comes all the same.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use clap::ArgMatches;

use opcost_answer::Failure;

use super::show::save_failure_json;

/// Flags that name a file to write, as clap knows them.
const WRITTEN: [&str; 12] = [
    "json",
    "html",
    "ledger",
    "output",
    "svg",
    "dot",
    "certificate",
    "collapsed",
    "plot",
    "histogram",
    "raw",
    "keep",
];
/// Verbs in which a flag of such a name is read, or names a folder that is made.
const OTHERWISE: [(&str, &str); 3] = [("life", "ledger"), ("repair", "raw"), ("values", "keep")];

/// Finds an output that cannot be written.
///
/// # Errors
/// The first one, with what is in the way.
pub(crate) fn check(arguments: &ArgMatches) -> Result<(), Failure> {
    let Some((verb, flags)) = arguments.subcommand() else { return Ok(()) };
    let found = check_flags(verb, flags);
    if let Ok(json) = flags.try_get_one::<PathBuf>("json") {
        save_failure_json(&found, json.map(PathBuf::as_path));
    }
    found
}

/// Leaves word on stdout of a line that cannot be understood, if it asks for a document there.
pub(crate) fn refused(line: &[OsString], error: &clap::Error) {
    let own = line.split(|word| word == "--").next().unwrap_or_default();
    let wants_json = own.iter().any(|word| word == "--json=-")
        || own.windows(2).any(|pair| pair[0] == "--json" && pair[1] == "-");
    if wants_json {
        save_failure_json::<()>(&Err(Failure::Usage(error.to_string())), Some(Path::new("-")));
    }
}

fn check_flags(verb: &str, flags: &ArgMatches) -> Result<(), Failure> {
    let is_stdout =
        |flag: &&str| matches!(flags.try_get_one::<PathBuf>(flag), Ok(Some(path)) if path == Path::new("-"));
    let on_stdout: Vec<&str> = WRITTEN.into_iter().filter(is_stdout).collect();
    if let [first, second, ..] = on_stdout[..] {
        return Err(Failure::Usage(format!(
            "--{first} and --{second} cannot both be written to stdout; name a file for one of them"
        )));
    }
    for flag in WRITTEN.into_iter().filter(|flag| !OTHERWISE.contains(&(verb, flag))) {
        if let Ok(Some(path)) = flags.try_get_one::<PathBuf>(flag) {
            if path == Path::new("-") && !is_text(verb, flag, flags) {
                return Err(Failure::Usage(format!("--{flag} writes no text for stdout; name a file")));
            }
            writable(path)?;
        }
    }
    if let Ok(Some(path)) = flags.try_get_one::<PathBuf>("stdout") {
        writable(path)?;
    }
    match flags.try_get_one::<PathBuf>("stdin") {
        Ok(Some(path)) => readable(path),
        _ => Ok(()),
    }
}

/// A folder opens like a file, and a program finds nothing in it.
fn readable(path: &Path) -> Result<(), Failure> {
    match std::fs::metadata(path) {
        Ok(about) if about.is_dir() => Err(Failure::folder(path)),
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::file("read", path)(error)),
    }
}

/// Whether what goes there is text: programs, bitcode, tables and samples are not.
fn is_text(verb: &str, flag: &str, flags: &ArgMatches) -> bool {
    match (verb, flag) {
        (_, "ledger" | "raw" | "keep") | ("merge" | "repair" | "export" | "slice", "output") => false,
        (_, "output") => {
            let emits = flags.try_contains_id("emit").unwrap_or(false);
            let narrows = matches!(flags.try_get_one::<bool>("narrow"), Ok(Some(true)));
            !emits && !narrows
        }
        _ => true,
    }
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

    use super::{readable, writable};

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
        assert!(readable(Path::new("/dev/null")).is_ok());
        assert!(readable(&folder).is_err() && readable(&folder.join("none")).is_err());
    }
}
