//! Which parts of a program ran without being counted, although they could be?
//!
//! Four kinds are looked for. Code in the image of the program itself that has no counters, and that
//! counted code called: objects and archives that another compiler made, C code of a build script. A
//! library that belongs to the program's build and has no counters, or has some that it never wrote.
//! And a library of the system that ran in place of the one that was built, next to a program of
//! libtool. And functions that are left as they are, because they read the tables of frames.
//!
//! What a program would load, its loader says (`ld-linux --list`), without running it. Cost: a process,
//! and the section tables of all libraries. Limits: code that is only called through pointers is not noticed, nor
//! are libraries that are loaded later (`dlopen`), nor those of programs that it starts. A program
//! that has the C library in its own image is not looked at.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::ReadCache;
use opcost_answer::names::shown_name;
use opcost_instrument::reads_unwind_tables;
use opcost_key::ModuleMap;
use opcost_library::{ControlEffect, control_effect, is_in_every_image};

use object::{Object, ObjectSection, ObjectSymbol};

use crate::image::MAP_SECTION;

/// How many names are written.
const NAMED: usize = 4;
/// How far around a program libtool's folders are looked for.
const DEPTH: usize = 3;
/// Folders that are looked into at most.
const FOLDERS: usize = 2000;

/// A part of a program that was not counted, although it could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Names of functions, or of a library.
    pub what: String,
    /// Why.
    pub kind: MissingKind,
    /// The image that ran.
    pub path: PathBuf,
}

/// Why a part was not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingKind {
    /// Code of the program's own image that was compiled without counters.
    OwnCode,
    /// A library that has counters, and wrote none.
    SilentLibrary,
    /// A library of the system that ran in place of the one with counters.
    OtherLibrary,
    /// A library of the build that has no counters.
    PlainLibrary,
    /// Code that reads the tables of frames, which is left as it is.
    UnwindTables,
}

/// What is known of a run.
pub struct Ran<'a> {
    /// The program.
    pub program: &'a Path,
    /// Images that wrote counters.
    pub counted: BTreeSet<PathBuf>,
    /// What counted code called that is not counted, with the number of calls.
    pub called: Vec<(&'a str, u128)>,
    /// Maps of the modules that ran.
    pub maps: Vec<&'a ModuleMap>,
}

/// What was not counted, though it is part of the build.
pub fn missing(ran: &Ran<'_>) -> Vec<Missing> {
    let mut all: Vec<Missing> = own_code(ran).into_iter().chain(unwind_tables(ran)).collect();
    let folder = ran.program.parent().unwrap_or(Path::new("/"));
    let here = std::env::current_dir().unwrap_or_default();
    for library in loaded(ran.program) {
        let real = library.canonicalize().unwrap_or_else(|_| library.clone());
        let name = library.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        if ran.counted.contains(&real) {
            continue;
        }
        let of = |kind, other: &Path| Missing { what: name.clone(), kind, path: other.to_owned() };
        let is_of_build = |root: &Path| root.components().count() > 2 && real.starts_with(root);
        if is_counted_image(&real) {
            all.push(of(MissingKind::SilentLibrary, &real));
        } else if let Some(built) = built_instead(folder, &name, &real) {
            let mut other = of(MissingKind::OtherLibrary, &real);
            other.what = built.display().to_string();
            all.push(other);
        } else if is_of_build(folder) || is_of_build(&here) {
            all.push(of(MissingKind::PlainLibrary, &real));
        }
    }
    all
}

/// Functions of the program's own image that counted code called, and that nobody counts.
fn own_code(ran: &Ran<'_>) -> Option<Missing> {
    let bytes = std::fs::read(ran.program).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    interpreter(&file)?;
    // What counts has functions of the C library itself, for itself alone.
    let runtime = file.section_by_name("opc_text").map(|section| section.index());
    let is_code = |symbol: &object::Symbol<'_, '_>| {
        let is_runtime = runtime.is_some() && symbol.section_index() == runtime;
        let is_text = symbol.kind() == object::SymbolKind::Text && symbol.is_definition();
        is_text && symbol.size() > 0 && !is_runtime
    };
    let own: BTreeSet<&str> = file.symbols().filter(is_code).filter_map(|one| one.name().ok()).collect();
    let is_support = |name: &str| {
        is_in_every_image(name)
            || name.starts_with("__")
            || name.starts_with("opc")
            || name.contains("__rust")
            // The library of flang is one of the system, though it is in the image.
            || name.starts_with("_Fortran")
    };
    let mut called = ran.called.clone();
    called.retain(|(name, calls)| *calls > 0 && own.contains(name) && !is_support(name));
    if called.is_empty() {
        return None;
    }
    called.sort_by_key(|(name, calls)| (std::cmp::Reverse(*calls), *name));
    let named = called.iter().take(NAMED).map(|(name, calls)| {
        let noun = if *calls == 1 { "call" } else { "calls" };
        format!("{} ({calls} {noun})", shown_name(name))
    });
    let mut what = named.collect::<Vec<_>>().join(", ");
    if called.len() > NAMED {
        what += &format!(" and {} others", called.len() - NAMED);
    }
    Some(Missing { what, kind: MissingKind::OwnCode, path: ran.program.to_owned() })
}

/// Functions that read the tables of frames, if an exception went through frames.
fn unwind_tables(ran: &Ran<'_>) -> Option<Missing> {
    let throws = |name: &str| control_effect(name) == Some(ControlEffect::Throws);
    let has_thrown = ran.called.iter().any(|(name, calls)| throws(name) && *calls > 0);
    let functions = ran.maps.iter().flat_map(|map| map.functions.values());
    let left = functions.filter(|one| one.segments.is_empty() && reads_unwind_tables(&one.name));
    let names: BTreeSet<&str> = left.map(|one| shorter(&one.name)).collect();
    let what = names.into_iter().collect::<Vec<_>>().join(", ");
    (has_thrown && !what.is_empty()).then(|| Missing {
        what,
        kind: MissingKind::UnwindTables,
        path: ran.program.to_owned(),
    })
}

/// Of the personality function of Rust its usual name.
fn shorter(name: &str) -> &str {
    let usual = "rust_eh_personality";
    if name.contains(usual) || name.contains("11personality") { usual } else { name }
}

/// The loader that a program names; none of one without.
fn interpreter(file: &object::File<'_>) -> Option<PathBuf> {
    let section = file.section_by_name(".interp")?;
    let text = String::from_utf8(section.data().ok()?.to_vec()).ok()?;
    Some(PathBuf::from(text.trim_end_matches('\0')))
}

/// The libraries that the loader would load. Only glibc's is asked: another one might run the program.
fn loaded(program: &Path) -> Vec<PathBuf> {
    let Ok(bytes) = std::fs::read(program) else { return Vec::new() };
    let Ok(file) = object::File::parse(&*bytes) else { return Vec::new() };
    let Some(loader) = interpreter(&file) else { return Vec::new() };
    let is_glibcs = loader.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ld-linux"));
    let is_of_here = matches!(crate::emulator::emulator(program), Ok(None));
    if !is_glibcs || !is_of_here {
        return Vec::new();
    }
    let Ok(said) = Command::new(&loader).arg("--list").arg(program).output() else { return Vec::new() };
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let path = |line: &str| {
        let (_, rest) = line.split_once("=> ")?;
        let path = rest.rsplit_once(" (").map_or(rest, |(path, _)| path).trim();
        path.starts_with('/').then(|| PathBuf::from(path))
    };
    said.lines().filter_map(path).collect()
}

/// A library with counters of the same name in a folder of libtool around the program.
fn built_instead(folder: &Path, name: &str, real: &Path) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    let top = folder.ancestors().nth(if folder.ends_with(".libs") { 2 } else { 1 })?;
    if top.components().count() < 3 {
        return None;
    }
    let mut left = vec![(top.to_owned(), 0)];
    let mut seen = 0;
    while let Some((next, depth)) = left.pop() {
        seen += 1;
        let candidate = next.join(name);
        if next.ends_with(".libs") && candidate != real && is_counted_image(&candidate) {
            return Some(candidate);
        }
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        if depth == DEPTH || seen > FOLDERS {
            continue;
        }
        for entry in entries.filter_map(Result::ok) {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                left.push((entry.path(), depth + 1));
            }
        }
    }
    None
}

/// Whether an image has counters, read without the rest of it.
fn is_counted_image(path: &Path) -> bool {
    let Ok(file) = std::fs::File::open(path) else { return false };
    let cache = ReadCache::new(file);
    object::File::parse(&cache).is_ok_and(|file| file.section_by_name(MAP_SECTION).is_some())
}
