//! Was the same compiled before? What clang makes of files that opcost carries, kept for the next build.
//!
//! Every build needs the runtime's objects, and compiling them takes longer than all else that is done
//! for a small program. They lie in the user's cache (`$XDG_CACHE_HOME/opcost`, `~/.cache/opcost`), each in
//! a folder with the name of its key: a hash of opcost's own files, clang's words, what clang reads from
//! the environment, and which file clang is. Beside them stands which other files were included, with
//! hashes of them and of what was made. All are read and compared before each use, so a changed header, a
//! half-written file or a folder of another machine is compiled again, never believed. Where there is no
//! cache, or something about it fails, each build compiles for itself.
//!
//! Cost: a few milliseconds if it is there; else a second run of clang's preprocessor, which names the
//! included files. Limits: a compiler that is a script is not known by its file, so nothing of it is kept;
//! a header that newly hides another one, and a changed file of options for clang, are not seen.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use opcost_interrupt::Scratch;
use opcost_key::{Hash128, Hasher128};

use crate::tools::run_tool;
use opcost_answer::Failure;

/// What clang reads besides its words.
const VARIABLES: [&str; 9] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "CCC_OVERRIDE_OPTIONS",
    "SOURCE_DATE_EPOCH",
    "SDKROOT",
];

/// Names the included files, a line each after the hash, and what was made.
const LIST: &str = "list";

/// What one call of clang makes of opcost's own files.
pub(crate) struct Order<'a> {
    /// The build's folder; its place does not matter to what is made.
    pub(crate) scratch: &'a Path,
    /// Folders of opcost's own files, below it.
    pub(crate) carried: &'a [&'a Path],
    /// The files that are made.
    pub(crate) products: &'a [PathBuf],
    /// What messages call it.
    pub(crate) name: &'a str,
}

/// Has the products made by this call of clang, or takes them as they were made before.
///
/// # Errors
/// clang is not there, or fails.
pub(crate) fn make(command: &mut Command, order: &Order<'_>) -> Result<(), Failure> {
    make_with(cache(), command, order)
}

fn make_with(cache: Option<PathBuf>, command: &mut Command, order: &Order<'_>) -> Result<(), Failure> {
    let place = cache.and_then(|cache| Some((key(command, order)?, cache)));
    if let Some((key, cache)) = &place
        && restore(&cache.join(format!("made-{key}")), order).is_some()
    {
        return Ok(());
    }
    let clang = PathBuf::from(command.get_program());
    run_tool(command, &clang, Path::new(order.name))?;
    if let Some((key, cache)) = &place {
        // What cannot be kept is made again by the next build.
        let _ = save(command, order, cache, *key);
    }
    Ok(())
}

/// The user's folder for what can be made again.
pub(crate) fn cache() -> Option<PathBuf> {
    let named = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = named("XDG_CACHE_HOME").or_else(|| Some(named("HOME")?.join(".cache")))?;
    Some(cache.join("opcost"))
}

/// Represents all that decides what is made but the files of others; none if that is not known.
fn key(command: &Command, order: &Order<'_>) -> Option<Hash128> {
    let mut hasher = Hasher128::new();
    let program = resolve(command.get_program())?;
    let about = program.metadata().ok()?;
    hasher.text(&program.to_string_lossy()).text(&format!(
        "{} {} {}",
        about.len(),
        about.mtime(),
        about.mtime_nsec()
    ));
    for argument in command.get_args() {
        hasher.bytes(&without(argument.as_bytes(), order.scratch.as_os_str().as_bytes()));
    }
    for name in VARIABLES {
        hasher.text(name);
        if let Some(value) = std::env::var_os(name) {
            hasher.bytes(value.as_bytes());
        }
    }
    for folder in order.carried {
        mix_in(&mut hasher, folder, order.products)?;
    }
    Some(hasher.finish())
}

/// Mixes in a folder's names and contents, but for the products.
fn mix_in(hasher: &mut Hasher128, folder: &Path, products: &[PathBuf]) -> Option<()> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Some(entry.ok()?.path())).collect::<Option<_>>()?;
    paths.sort_unstable();
    hasher.number(paths.len() as u64);
    for path in paths.iter().filter(|path| !products.contains(path)) {
        hasher.bytes(path.file_name()?.as_bytes());
        if path.is_dir() {
            mix_in(hasher, path, products)?;
        } else {
            hasher.bytes(&std::fs::read(path).ok()?);
        }
    }
    Some(())
}

/// The program's file; none if it is not found, or a script.
fn resolve(program: &OsStr) -> Option<PathBuf> {
    let is_there = |path: &PathBuf| {
        path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    let found = if program.as_bytes().contains(&b'/') {
        Some(PathBuf::from(program)).filter(is_there)
    } else {
        std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(is_there)
    };
    let found = found?.canonicalize().ok()?;
    let mut start = [0; 4];
    std::io::Read::read_exact(&mut std::fs::File::open(&found).ok()?, &mut start).ok()?;
    (&start == b"\x7fELF").then_some(found)
}

/// A word in which a folder is called by one name, wherever it is.
fn without(word: &[u8], folder: &[u8]) -> Vec<u8> {
    let mut rest = word;
    let mut named = Vec::new();
    while let Some(position) = rest.windows(folder.len()).position(|part| part == folder) {
        named.extend_from_slice(&rest[..position]);
        named.extend_from_slice(b"<scratch>");
        rest = &rest[position + folder.len()..];
    }
    named.extend_from_slice(rest);
    named
}

fn hash(content: &[u8]) -> String {
    Hasher128::new().bytes(content).finish().to_string()
}

/// Writes the products as they were kept; none, and nothing written, if anything is not as it was.
fn restore(folder: &Path, order: &Order<'_>) -> Option<()> {
    let list = std::fs::read(folder.join(LIST)).ok()?;
    let mut lines = list.split(|byte| *byte == b'\n');
    let mut contents = Vec::new();
    for position in 0..order.products.len() {
        let content = std::fs::read(folder.join(position.to_string())).ok()?;
        if lines.next()? != hash(&content).as_bytes() {
            return None;
        }
        contents.push(content);
    }
    let mut is_whole = false;
    for line in lines {
        if line == b"end" {
            is_whole = true;
            break;
        }
        let space = line.iter().position(|byte| *byte == b' ')?;
        let included = std::fs::read(OsStr::from_bytes(&line[space + 1..])).ok()?;
        if hash(&included).as_bytes() != &line[..space] {
            return None;
        }
    }
    if !is_whole {
        return None;
    }
    for (product, content) in order.products.iter().zip(contents) {
        std::fs::write(product, content).ok()?;
    }
    Some(())
}

/// Saves what was made; none if that fails. It appears by one rename, so that no other build sees a half.
fn save(command: &Command, order: &Order<'_>, cache: &Path, key: Hash128) -> Option<()> {
    std::fs::create_dir_all(cache).ok()?;
    let aside = Scratch::folder_in(cache, ".making-").ok()?;
    let made = aside.path().join("made");
    std::fs::create_dir(&made).ok()?;
    let mut list = Vec::new();
    for (position, product) in order.products.iter().enumerate() {
        let content = std::fs::read(product).ok()?;
        list.extend_from_slice(hash(&content).as_bytes());
        list.push(b'\n');
        std::fs::write(made.join(position.to_string()), content).ok()?;
    }
    for path in included(command, order)? {
        let bytes = path.as_os_str().as_bytes();
        if bytes.contains(&b'\n') {
            return None;
        }
        list.extend_from_slice(hash(&std::fs::read(&path).ok()?).as_bytes());
        list.push(b' ');
        list.extend_from_slice(bytes);
        list.push(b'\n');
    }
    list.extend_from_slice(b"end\n");
    std::fs::write(made.join(LIST), list).ok()?;
    let folder = cache.join(format!("made-{key}"));
    if std::fs::rename(&made, &folder).is_err() {
        // One that no longer held lies there, or another build was first.
        std::fs::rename(&folder, aside.path().join("old")).ok()?;
        std::fs::rename(&made, &folder).ok()?;
    }
    Some(())
}

/// The files of others that were included, as clang's preprocessor says.
fn included(command: &Command, order: &Order<'_>) -> Option<Vec<PathBuf>> {
    let mut asked = Command::new(command.get_program());
    let mut words = command.get_args();
    while let Some(word) = words.next() {
        if word == "-o" {
            words.next();
        } else {
            asked.arg(word);
        }
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => asked.env(name, value),
            None => asked.env_remove(name),
        };
    }
    let folder = match command.get_current_dir() {
        Some(folder) => folder.to_owned(),
        None => std::env::current_dir().ok()?,
    };
    let output = asked.args(["-M", "-w"]).current_dir(&folder).stderr(Stdio::null()).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let mut paths: Vec<PathBuf> =
        words_of(&output.stdout).into_iter().map(|path| folder.join(path)).collect();
    paths.retain(|path| !order.carried.iter().any(|carried| path.starts_with(carried)));
    paths.sort_unstable();
    paths.dedup();
    Some(paths)
}

/// The files in rules for `make`, without what they are for.
fn words_of(rules: &[u8]) -> Vec<PathBuf> {
    let mut words = Vec::new();
    let mut word = Vec::new();
    let mut bytes = rules.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek().is_some_and(|next| matches!(next, b' ' | b'#' | b'\\')) => {
                word.extend(bytes.next());
            }
            b'\\' if bytes.peek() == Some(&b'\n') => {}
            b'$' if bytes.peek() == Some(&b'$') => word.extend(bytes.next()),
            b' ' | b'\n' => words.push(std::mem::take(&mut word)),
            other => word.push(other),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty() && !word.ends_with(b":"));
    words.into_iter().map(|word| PathBuf::from(OsString::from_vec(word))).collect()
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
