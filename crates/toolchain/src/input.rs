//! What has the user given? By name first, by contents where names do not tell.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;

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
    /// Looks at a file.
    pub fn classify(path: &Path) -> Result<Input, Failure> {
        let mut head = [0; 18];
        let mut file = File::open(path).map_err(|source| without_line(path, source))?;
        if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return Err(Failure::Usage(format!("{} is a folder; give its sources", path.display())));
        }
        let length = file.read(&mut head).map_err(Failure::file("read", path))?;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let head = &head[..length];
        if let Some(what) = other_file(head) {
            return Err(Failure::Usage(format!("{} {what}", path.display())));
        }
        let language = match extension {
            // What a file is stands in its first bytes; who named it may have been mistaken.
            "so" => Language::Object,
            _ if head.starts_with(b"\x7fELF") => elf_kind(path, head),
            _ if head.starts_with(b"BC\xc0\xde") => Language::Bitcode,
            _ if head.starts_with(b"!<arch>") => Language::Object,
            "bc" if head.is_empty() => {
                return Err(Failure::Usage(format!(
                    "{} is empty: no module was written into it",
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
                return Err(Failure::Usage(format!("{} is empty", path.display())));
            }
            _ if head.starts_with(b"#!") => {
                return Err(Failure::Usage(format!(
                    "{} is a script; give the program that it starts (libtool keeps it in .libs)",
                    path.display()
                )));
            }
            _ => {
                return Err(Failure::Usage(format!(
                    "{} is neither a source (.c, .cc, .cpp, .f90, .rs, …), nor .bc or .ll, nor a program",
                    path.display()
                )));
            }
        };
        Ok(Input { path: path.to_owned(), language })
    }
}

/// What a file is that opcost knows and that is no code, and which verb takes it.
fn other_file(head: &[u8]) -> Option<&'static str> {
    let known: [(&[u8], &str); 3] = [
        (b"PAR1", "is a ledger; opcost report shows it"),
        (b"PERFILE2", "holds samples of perf; name the program, too: opcost sample --perf FILE PROGRAM"),
        (b"OPCRAW\r\n", "holds raw counters; opcost report shows them"),
    ];
    known.into_iter().find(|(begin, _)| head.starts_with(begin)).map(|(_, what)| what)
}

/// Why a file cannot be read. A place in a file is none.
fn without_line(path: &Path, source: std::io::Error) -> Failure {
    let name = path.to_string_lossy();
    match name.rsplit_once(':') {
        Some((file, place)) if source.kind() == std::io::ErrorKind::NotFound && Path::new(file).is_file() => {
            let of = if place.parse::<u32>().is_ok_and(|line| line > 0) {
                format!("this verb takes files, not lines: {file}")
            } else {
                format!("'{place}' is no line number; lines begin at 1: {file}:1")
            };
            Failure::Usage(format!("there is no file {name}; {of}"))
        }
        _ => Failure::file("read", path)(source),
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
