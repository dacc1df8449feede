//! Which compiler is it, and what does it read from the environment?
//!
//! A compiler that is a script is not known by its file, so nothing of it is kept. Nor is anything of a
//! program that starts a compiler: its file has another name than `clang` or `flang`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use opcost_cache::Recipe;

/// What clang reads besides its words.
const VARIABLES: [&str; 10] = [
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "GCC_EXEC_PREFIX",
    "CCC_OVERRIDE_OPTIONS",
    "CLANG_NO_DEFAULT_CONFIG",
    "SOURCE_DATE_EPOCH",
    "SDKROOT",
];

/// Mixes in the compiler and its environment; none if it is not known which it is.
pub(super) fn mix_in<'a>(recipe: &'a mut Recipe, program: &OsStr) -> Option<&'a mut Recipe> {
    let file = resolve(program)?;
    let name = file.file_name()?.to_str()?;
    (name.starts_with("clang") || name.starts_with("flang")).then_some(())?;
    Some(recipe.program(&file)?.variables(&VARIABLES))
}

/// The program's file; none if it is not found, or a script.
pub(super) fn resolve(program: &OsStr) -> Option<PathBuf> {
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
