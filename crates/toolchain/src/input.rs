//! What has the user given? By name first, by contents where names do not tell.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;

use crate::fortran::order_of_modules;

/// One input.
#[derive(Clone, Debug)]
pub struct Input {
    /// Path of the file, as it was given.
    pub path: PathBuf,
    /// What the file is written in, by its name or its first bytes.
    pub language: Language,
}

/// What an input is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C source (`.c`), also preprocessed (`.i`).
    C,
    /// C++ source (`.cc`, `.cpp`, …), also preprocessed (`.ii`).
    Cxx,
    /// Fortran source, free (`.f90`, …) or fixed form (`.f`, …).
    Fortran,
    /// Rust source (`.rs`), the root of its crate.
    Rust,
    /// `.bc` or `.ll`
    Bitcode,
    /// An object, an archive, a shared library or assembly, to be linked as it is.
    Object,
    /// A program.
    Program,
}

impl Input {
    /// Looks at all files of a program. A source that is named twice would define all of it twice. Sources
    /// of Fortran come after those whose modules they use.
    ///
    /// # Errors
    /// One of them is no input, or is named twice.
    pub fn all<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Vec<Input>, Failure> {
        let mut before = std::collections::HashSet::new();
        let mut inputs = Vec::new();
        for path in paths {
            let input = Input::classify(path)?;
            // Libraries that need each other are named again.
            let is_linked = matches!(input.language, Language::Object | Language::Program);
            let file = path.canonicalize().map_err(Failure::file("find", path))?;
            if !before.insert(file) && !is_linked {
                return Err(Failure::Usage(format!("{} is named twice; name it once", path.display())));
            }
            inputs.push(input);
        }
        Ok(in_order_of_modules(inputs))
    }

    /// The same of files whose code can be analysed.
    ///
    /// # Errors
    /// One of them is no input, is named twice, or has no code that is read.
    pub fn all_analysed<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<Vec<Input>, Failure> {
        let inputs = Input::all(paths)?;
        for input in &inputs {
            if !matches!(input.language, Language::C | Language::Cxx | Language::Fortran | Language::Bitcode)
            {
                return Err(Failure::Usage(format!(
                    "{}: give a source of C, C++ or Fortran, .bc or .ll (of Rust: rustc --emit llvm-bc)",
                    input.path.display()
                )));
            }
        }
        Ok(inputs)
    }

    /// Looks at a file.
    pub fn classify(path: &Path) -> Result<Input, Failure> {
        let mut head = [0; 18];
        let mut file = File::open(path).map_err(Failure::file("read", path))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(Failure::Usage(format!("{} is a folder; give its sources", path.display())));
        }
        let length = file.read(&mut head).map_err(Failure::file("read", path))?;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let head = &head[..length];
        if let Some(words) = other_file(path, head) {
            return Err(Failure::Usage(words));
        }
        let language = match extension {
            // What a file is stands in its first bytes; who named it may have been mistaken.
            "so" => Language::Object,
            _ if head.starts_with(b"\x7fELF") => elf_kind(path, head),
            _ if head.starts_with(b"BC\xc0\xde") => Language::Bitcode,
            _ if head.starts_with(b"!<arch>") => Language::Object,
            "bc" | "ll" if head.is_empty() => {
                return Err(Failure::Usage(format!(
                    "{} is empty: no module was written into it; compile it again",
                    path.display()
                )));
            }
            "c" | "i" => Language::C,
            "cc" | "cpp" | "cxx" | "C" | "c++" | "cp" | "ii" => Language::Cxx,
            "f" | "for" | "ftn" | "f77" | "f90" | "f95" | "f03" | "f08" | "f18" | "F" | "FOR" | "F77"
            | "F90" | "F95" | "F03" | "F08" | "F18" => Language::Fortran,
            "rs" => Language::Rust,
            "bc" | "ll" => Language::Bitcode,
            "a" | "s" | "S" => Language::Object,
            _ if head.starts_with(b"MZ") || head.starts_with(b"\0asm") => Language::Program,
            _ if head.is_empty() => {
                return Err(Failure::Usage(format!("{} is empty; name another file", path.display())));
            }
            _ if head.starts_with(b"#!") => {
                return Err(Failure::Usage(format!(
                    "{} is a script; give the program that it starts (libtool keeps it in .libs)",
                    path.display()
                )));
            }
            _ => {
                return Err(Failure::Usage(format!(
                    "{} is neither a source (.c, .cc, .cpp, .f90, .rs, …), nor .bc or .ll, nor a program. If it is a \
                     source, give it such an ending",
                    path.display()
                )));
            }
        };
        Ok(Input { path: path.to_owned(), language })
    }
}

/// The inputs, with sources of Fortran after those that they need. Others keep their positions.
fn in_order_of_modules(inputs: Vec<Input>) -> Vec<Input> {
    let is_fortran = |input: &Input| input.language == Language::Fortran;
    let sources: Vec<&Path> =
        inputs.iter().filter(|input| is_fortran(input)).map(|input| input.path.as_path()).collect();
    if sources.len() < 2 {
        return inputs;
    }
    let mut order = order_of_modules(&sources).into_iter().map(|at| sources[at].to_owned());
    let mut ordered = Vec::new();
    for input in &inputs {
        let path = if is_fortran(input) { order.next() } else { None };
        ordered.push(Input { path: path.unwrap_or_else(|| input.path.clone()), language: input.language });
    }
    ordered
}

/// What a file is that opcost knows and that is no code, and which verb takes it.
fn other_file(path: &Path, head: &[u8]) -> Option<String> {
    let file = path.display();
    if head.starts_with(b"PAR1") {
        Some(format!("{file} is a ledger; it is shown by: opcost report {file}"))
    } else if head.starts_with(b"PERFILE2") {
        Some(format!(
            "{file} holds samples of perf; name the program, too: opcost sample --perf {file} PROGRAM"
        ))
    } else if head.starts_with(b"OPCRAW\r\n") {
        Some(format!("{file} holds raw counters; they are shown by: opcost report {file}"))
    } else {
        None
    }
}

/// Relocatable files and libraries are linked; executables are run. A
/// position-independent executable and a shared library have one type; who is
/// named `.so` is a library.
fn elf_kind(path: &Path, head: &[u8]) -> Language {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match head.get(16) {
        Some(1) => Language::Object,
        Some(3) if name.contains(".so.") => Language::Object,
        _ => Language::Program,
    }
}
