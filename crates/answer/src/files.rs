//! Why can a file not be used, and what is to be done?
//!
//! The system knows one sentence for each error, and none says what to do. Here each common error
//! gets the next step: a name that is like the missing one, the right that is missing, the folder
//! to make. A name such as `a.c:3` is described as a place in a file.
//!
//! Input: the path by the user's word and the system's error. Output: words.
//! Cost: of a missing file, one look at its folder. Limits: other errors keep the system's words.

use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::names::{alike, relative, tidy};

/// Likeness (Jaro and Winkler) from which on a name in the folder is suggested.
const ALIKE: f64 = 0.85;
/// How many names are suggested.
const SUGGESTED: usize = 3;

/// Why the system did not do it, and what to do.
pub fn reason(action: &str, path: &Path, source: &Error) -> String {
    match (source.kind(), action) {
        (ErrorKind::NotFound, "write" | "make") => match folder_of(path) {
            Some(folder) => format!("there is no folder {folder}; make it first"),
            None => plain(source),
        },
        // Who says more in place of the system is right.
        (ErrorKind::NotFound, _) if source.raw_os_error().is_some() => no_such_file(path),
        (ErrorKind::PermissionDenied, "start") => {
            format!("there is no right to run it; give it: chmod +x {}", from_here(path))
        }
        (ErrorKind::PermissionDenied, "write" | "make") => {
            "there is no right to write there; give it, or name another place".to_owned()
        }
        (ErrorKind::PermissionDenied, "read") => {
            format!("there is no right to read it; give it: chmod +r {}", path.display())
        }
        (ErrorKind::InvalidData, "read") => "it is no text; was another file to be named?".to_owned(),
        _ if source.raw_os_error() == Some(NO_PROGRAM) => {
            "it is no program of this machine; build it again here".to_owned()
        }
        _ => plain(source),
    }
}

/// `ENOEXEC` of Linux.
const NO_PROGRAM: i32 = 8;

/// The system's words without the number of the error.
fn plain(source: &Error) -> String {
    let words = source.to_string();
    match words.rsplit_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => words,
    }
}

/// The folder of a file, if it does not exist.
fn folder_of(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    (!folder.is_dir()).then(|| folder.display().to_string())
}

fn no_such_file(path: &Path) -> String {
    if let Some(folder) = folder_of(path) {
        return format!("there is no folder {folder}");
    }
    let alike = names_like(path);
    if !alike.is_empty() {
        return format!("there is no such file; did you mean {}?", alike.join(", or "));
    }
    match std::env::current_dir() {
        Ok(here) if path.is_relative() => format!("there is no such file (you are in {})", here.display()),
        _ => "there is no such file".to_owned(),
    }
}

/// Files of the same folder whose names are like this one's.
fn names_like(path: &Path) -> Vec<String> {
    let Some(wanted) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = files.filter(|file| file.path().is_file());
    let names: Vec<String> = files.filter_map(|file| file.file_name().into_string().ok()).collect();
    let alike = alike(names.iter().map(String::as_str), wanted, ALIKE);
    let named = alike.into_iter().take(SUGGESTED).map(|name| path.with_file_name(name));
    named.map(|path| path.display().to_string()).collect()
}

/// The message for a name that is a file and a place in it. `None` if it is no such name.
pub fn location_words(path: &Path) -> Option<String> {
    let name = path.to_str()?;
    let mut ends = name.rmatch_indices(':').map(|(at, _)| at);
    let at = ends.find(|&at| Path::new(&name[..at]).is_file())?;
    let (file, place) = (&name[..at], &name[at + 1..]);
    let is_number = |text: &str| text.parse::<u32>().is_ok_and(|number| number > 0);
    let parts: Vec<&str> = place.split(':').collect();
    let advice = if parts.len() <= 2 && parts.iter().all(|part| is_number(part)) {
        format!("this takes files, not lines: {file}")
    } else if let [line] = parts[..] {
        format!("'{line}' is no line number; lines begin at 1: {file}:1")
    } else {
        format!("'{place}' is no place; name a line, or a line and a column: {file}:3 or {file}:3:14")
    };
    Some(format!("there is no file {name}; {advice}"))
}

/// A path as it is named from the folder that we are in.
pub fn from_here(path: &Path) -> String {
    match std::env::current_dir() {
        Ok(here) if path.is_absolute() => relative(&tidy(path), &here),
        _ => path.display().to_string(),
    }
}

/// A message about a file, which begins with its name once.
pub fn behind_name(name: &str, message: &str) -> String {
    let begins = message.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', ' ', ',']));
    if begins { message.to_owned() } else { format!("{name}: {message}") }
}

#[cfg(test)]
mod tests {
    use std::io::Error;
    use std::path::Path;

    use super::{behind_name, location_words, reason};

    #[test]
    fn each_error_has_a_next_step() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("main.c"), "int main;").expect("a file");
        let words_of = |action, path: &Path, number| reason(action, path, &Error::from_raw_os_error(number));
        let near = words_of("read", &at("mian.c"), 2);
        assert!(near.contains("did you mean") && near.contains("main.c?"), "{near}");
        assert_eq!(words_of("read", &at("zzz.opc"), 2), "there is no such file");
        assert!(words_of("read", Path::new("zzz.opc"), 2).contains("you are in /"));
        assert!(words_of("read", &at("none/main.c"), 2).starts_with("there is no folder "));
        assert!(words_of("write", &at("none/out"), 2).ends_with("make it first"));
        assert!(words_of("start", Path::new("prog"), 13).ends_with("chmod +x prog"));
        assert!(words_of("read", Path::new("a.c"), 13).ends_with("chmod +r a.c"));
        assert!(words_of("start", Path::new("prog"), 8).contains("no program of this machine"));
        assert_eq!(words_of("write", Path::new("full"), 28), "No space left on device");
    }

    #[test]
    fn a_place_is_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.c");
        std::fs::write(&file, "int main;").expect("a file");
        let words_of = |place: &str| location_words(Path::new(&format!("{}:{place}", file.display())));
        for (place, words) in [
            ("3", "this takes files, not lines"),
            ("3:14", "this takes files, not lines"),
            ("abc", "'abc' is no line number"),
            ("0", "'0' is no line number"),
            ("", "'' is no line number"),
            ("3:x", "'3:x' is no place"),
            ("3:", "'3:' is no place"),
        ] {
            assert!(
                words_of(place).is_some_and(|text| text.contains(words)),
                "{place}: {:?}",
                words_of(place)
            );
        }
        assert_eq!(location_words(&folder.path().join("b.c:3")), None);
    }

    #[test]
    fn a_message_names_its_file_once() {
        assert_eq!(behind_name("a.c", "a.c:3 has no code"), "a.c:3 has no code");
        assert_eq!(behind_name("a.c", "a.c is empty"), "a.c is empty");
        assert_eq!(behind_name("a.c", "a.cpp is empty"), "a.c: a.cpp is empty");
        assert_eq!(behind_name("a.c", "no main"), "a.c: no main");
    }
}
