//! From objects to a program, by clang, with the runtime around them.
//!
//! Order matters: the runtime's pads stand before and behind all counters, so
//! that the section shares no page with other data.

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};

use super::state::{Build, Purpose};
use crate::input::{Input, Language};
use crate::link_flags::reaches_linker;
use crate::tools::run_linker;
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
                (Some(begin), vec![runtime, end])
            }
            Purpose::Fuel { .. } => {
                (None, vec![crate::runtime::compile_fuel(clang, &target, self.allowed.is_some(), &folder)?])
            }
            Purpose::Values => (None, vec![crate::runtime::compile_values(clang, &target, &folder)?]),
            // Nothing is added to what is only looked at.
            Purpose::Life | Purpose::Analysis | Purpose::Sample { .. } => (None, Vec::new()),
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
        run_linker(&mut command, linker, output, inputs)
    }
}

/// Whether an object needs flang's library: bitcode does not say what language
/// it comes from.
fn calls_fortran(object: &Path) -> bool {
    let Ok(data) = std::fs::read(object) else { return false };
    let Ok(file) = object::File::parse(&*data) else { return false };
    let mut names = file.symbols().filter(ObjectSymbol::is_undefined);
    names.any(|symbol| symbol.name_bytes().is_ok_and(|name| name.starts_with(b"_FortranA")))
}
