//! From objects to a program, by clang, with the runtime around them.
//!
//! Order matters: the runtime's pads stand before and behind all counters, so
//! that the section shares no page with other data.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};

use super::state::{Build, LivePurpose, Purpose};
use crate::input::{Input, Language};
use crate::link_flags::reaches_linker;
use crate::running::run_linker;
use crate::runtime::Form;
use opcost_answer::Failure;

/// What is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    /// A program.
    Program,
    /// A shared library.
    Shared,
}

impl Build {
    /// Links `objects` and the runtime.
    pub fn link(
        &self,
        inputs: &[Input],
        objects: &[PathBuf],
        output: &Path,
        product: Linked,
    ) -> Result<(), Failure> {
        let (clang, target, folder) = (&self.tools.clang, self.target_flags(), self.path("runtime"));
        let (before, behind) = match self.purpose {
            Purpose::Count { .. } => {
                let [begin, runtime, end] = crate::runtime::compile(clang, &target, &folder)?;
                (vec![begin], vec![runtime, end])
            }
            Purpose::Fuel { .. } => (
                Vec::new(),
                vec![crate::runtime::compile_fuel(clang, &target, self.allowed.is_some(), &folder)?],
            ),
            Purpose::Values => (Vec::new(), vec![crate::runtime::compile_values(clang, &target, &folder)?]),
            Purpose::Predict => {
                (Vec::new(), vec![crate::runtime::compile_predict(clang, &target, &folder, Form::Object)?])
            }
            Purpose::Live(LivePurpose { is_counted, .. }) => {
                let [begin, end] = crate::runtime::compile_live(clang, &target, &folder)?;
                let (mut before, mut behind) = (vec![begin], vec![end, self.imports()?]);
                if is_counted {
                    let counting = self.path("counting");
                    let [begin, runtime, end] = crate::runtime::compile(clang, &target, &counting)?;
                    before.push(begin);
                    behind.extend([runtime, end]);
                }
                (before, behind)
            }
            // Nothing is added to what is only looked at.
            Purpose::Life | Purpose::Analysis | Purpose::Sample { .. } => (Vec::new(), Vec::new()),
        };
        let has = |language| inputs.iter().any(|input| input.language == language);
        // flang knows where its own library lies, clang does not.
        let is_fortran = has(Language::Fortran)
            || has(Language::Bitcode) && objects.iter().any(|object| calls_fortran(object));
        let flang = if is_fortran { Some(self.tools.flang()?.0) } else { None };
        let linker = match &flang {
            Some(flang) => flang,
            None if has(Language::Cxx) => &self.tools.clangxx,
            None => &self.tools.clang,
        };
        let mut command = Command::new(linker);
        if product == Linked::Shared {
            command.arg("-shared");
        }
        command.arg("-o").arg(output).arg("-Wl,--build-id=sha1");
        command.args(before).args(objects).args(behind);
        for flag in self.options.cflags.iter().filter(|flag| reaches_linker(flag)) {
            command.arg(flag);
        }
        command.args(self.options.library_path.iter().map(|folder| format!("-L{folder}")));
        command.args(self.options.library.iter().map(|library| format!("-l{library}")));
        if flang.is_some() && has(Language::Cxx) {
            command.arg("-lstdc++");
        } else if has(Language::Bitcode) && !has(Language::Cxx) {
            // Bitcode does not say what language it comes from.
            command.arg("-Wl,--push-state,--as-needed,-lstdc++,--pop-state");
        }
        // Who names a library of Rust's means that one.
        let names_std = self.options.library.iter().any(|library| library.starts_with("std-"));
        if has(Language::Bitcode) && !names_std && objects.iter().any(|object| calls_rust(object)) {
            command.args(rust_library(inputs)?);
        }
        if matches!(self.purpose, Purpose::Live(_)) {
            command.args(opcost_runtime::live::LINK);
        }
        if product == Linked::Program {
            // It stays out of programs that call nothing in it.
            command.arg("-Wl,--push-state,--as-needed,-lm,--pop-state");
        }
        run_linker(&mut command, linker, inputs)
    }
}

/// Whether an object needs flang's library: bitcode does not say what language
/// it comes from.
fn calls_fortran(object: &Path) -> bool {
    lacks(object, |name| name.starts_with(b"_FortranA"))
}

/// Whether an object needs Rust's library. With `panic=abort` nothing names the personality, and
/// the start of `main` does.
fn calls_rust(object: &Path) -> bool {
    let is_of_std = |name: &[u8]| {
        name == b"rust_eh_personality"
            || name.ends_with(b"lang_start_internal")
            || name.starts_with(b"_ZN3std")
    };
    lacks(object, is_of_std)
}

/// Whether an object leaves such a symbol to others.
fn lacks(object: &Path, is_meant: impl Fn(&[u8]) -> bool) -> bool {
    let Ok(data) = std::fs::read(object) else { return false };
    let Ok(file) = object::File::parse(&*data) else { return false };
    let mut names = file.symbols().filter(ObjectSymbol::is_undefined);
    names.any(|symbol| symbol.name_bytes().is_ok_and(&is_meant))
}

/// Words that link the standard library of the rustc at hand, as a shared library.
///
/// Its symbols carry the hash of its build: with another rustc than the one that made the bitcode
/// the linker says which are missing.
fn rust_library(inputs: &[Input]) -> Result<Vec<OsString>, Failure> {
    let of = |input: &Input| input.path.display().to_string();
    let named = inputs.iter().filter(|input| input.language == Language::Bitcode).map(of);
    let missing = || Failure::ToolMissing {
        tool: format!("Rust's library, which {} needs,", named.clone().collect::<Vec<_>>().join(", ")),
        remedy: "give the source (.rs), use cargo opcost, or install the rustc that made the bitcode"
            .to_owned(),
    };
    let asked = Command::new("rustc").args(["--print", "target-libdir"]).output().map_err(|_| missing())?;
    let folder = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
    let entries = std::fs::read_dir(&folder).map_err(|_| missing())?;
    let mut libraries = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".so")
    });
    let library = libraries.next().ok_or_else(missing)?;
    let mut path = OsString::from("-Wl,-rpath,");
    path.push(&folder);
    Ok(vec![library.into_os_string(), path])
}
