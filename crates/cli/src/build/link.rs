//! From objects to a program, by clang, with the runtime around them.
//!
//! Order matters: the runtime's pads stand before and behind all counters, so
//! that the section shares no page with other data.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};

use super::compile::run_tool;
use super::{Build, Input, Language, Purpose};
use crate::error::CliError;

/// What is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    Program,
    Shared,
}

impl Build<'_> {
    /// Links `objects` and the runtime.
    pub(crate) fn link(
        &self,
        inputs: &[Input],
        objects: &[PathBuf],
        output: &Path,
        product: Product,
    ) -> Result<(), CliError> {
        let (clang, target, folder) = (&self.tools.clang, self.target_flags(), self.path("runtime"));
        let (before, behind) = match self.purpose {
            Purpose::Count { .. } => {
                let [begin, runtime, end] = super::runtime::compile(clang, &target, &folder)?;
                (Some(begin), vec![runtime, end])
            }
            Purpose::Fuel { .. } => {
                (None, vec![super::runtime::compile_fuel(clang, &target, self.allowed.is_some(), &folder)?])
            }
            Purpose::Values => (None, vec![super::runtime::compile_values(clang, &target, &folder)?]),
            // Nothing is added to what is only looked at.
            Purpose::Life | Purpose::Analysis | Purpose::Sample => (None, Vec::new()),
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
        if product == Product::Shared {
            command.arg("-shared");
        }
        command.arg("-o").arg(output).arg("-Wl,--build-id=sha1");
        command.args(before).args(objects).args(behind);
        for flag in self.arguments.cflags.iter().filter(|flag| reaches_linker(flag)) {
            command.arg(flag);
        }
        command.args(self.arguments.library_path.iter().map(|folder| format!("-L{folder}")));
        command.args(self.arguments.library.iter().map(|library| format!("-l{library}")));
        if flang.is_some() && has(Language::Cxx) {
            command.arg("-lstdc++");
        } else if has(Language::Bitcode) && !has(Language::Cxx) {
            // Bitcode does not say what language it comes from.
            command.arg("-Wl,--push-state,--as-needed,-lstdc++,--pop-state");
        }
        run_tool(&mut command, linker, output)
    }
}

impl Build<'_> {
    /// Flags that name the machine: the runtime is compiled with them too.
    pub(super) fn target_flags(&self) -> Vec<OsString> {
        if self.is_wasm {
            return super::wasm::target(self);
        }
        let names = ["--target=", "--sysroot=", "--gcc-toolchain=", "-mabi=", "-m32", "-m64"];
        let is_target = |flag: &&String| names.iter().any(|name| flag.starts_with(name));
        self.arguments.cflags.iter().filter(is_target).map(OsString::from).collect()
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

/// The first flag that gives the program's names to code outside of it: that renames or exports
/// them, or tells the linker by a script what to make of them.
pub(super) fn opens_names(flags: &[String]) -> Option<&str> {
    const OPTIONS: [&str; 14] = [
        "defsym",
        "wrap",
        "version-script",
        "dynamic-list",
        "export-dynamic",
        "undefined",
        "require-defined",
        "script",
        "default-script",
        "init",
        "fini",
        "entry",
        "just-symbols",
        "relocatable",
    ];
    const SHORT: [&str; 8] = ["-E", "-T", "-dT", "-e", "-u", "-R", "-r", "@"];
    let opens = |option: &str| {
        let long = option.strip_prefix("--").or(option.strip_prefix('-'));
        long.is_some_and(|long| OPTIONS.iter().any(|name| long.starts_with(name)))
            || SHORT.iter().any(|short| option.starts_with(short)) && !option.starts_with("-rpath")
    };
    let is_handed_on = |at: usize| at > 0 && flags[at - 1] == "-Xlinker";
    let is_one = |(at, flag): &(usize, &String)| match flag.strip_prefix("-Wl,") {
        Some(options) => options.split(',').any(opens),
        None if is_handed_on(*at) => opens(flag),
        None => matches!(&***flag, "-rdynamic" | "-shared" | "-r") || flag.starts_with("-T"),
    };
    flags.iter().enumerate().find(is_one).map(|(_, flag)| flag.as_str())
}

/// Flags that mean something to the linking compiler.
fn reaches_linker(flag: &str) -> bool {
    ["-l", "-L", "-Wl,", "-fsanitize", "-static", "-m", "--target", "--sysroot", "-fuse-ld"]
        .iter()
        .any(|prefix| flag.starts_with(prefix))
        || matches!(flag, "-pthread" | "-fopenmp" | "-no-pie" | "-pie" | "-nostdlib" | "-rdynamic")
}
