//! A metered program for WebAssembly.
//!
//! Its pointers have 32 bits, so the compiler makes another IR of the same
//! sources than for any other machine, with a number of its own: what is spent
//! is what that module does, in every engine. All of the program is one module,
//! WASI's C library stands beside it unmetered, as elsewhere, and the functions
//! that pay (`opcost_runtime::library`) are compiled for it.
//!
//! Limit: what WASI does not hold is refused by the compiler or the linker in
//! their own words: `setjmp`, threads, signals, exceptions; and the C++ library
//! is there only if the sysroot (`--cflag=--sysroot=…`) has one.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::compile::run_tool;
use super::kept::{Order, make};
use super::module::{ModuleRequest, Product};
use super::runtime::write_all;
use super::{Build, Input, Language};
use crate::error::CliError;

/// How to get WASI's C library.
pub(super) const REMEDY: &str = "apt-get install wasi-libc libclang-rt-22-dev-wasm32 lld-22";

/// The target; libraries lie where the older of its names leads.
const TARGET: [&str; 2] = ["--target=wasm32-wasi", "-Wno-deprecated"];

/// Where Debian has the headers. Without these words clang would look for what
/// they lack among those of the machine at hand.
const HEADERS: &str = "/usr/include/wasm32-wasi";

impl Build<'_> {
    /// Builds a metered program for WebAssembly, or whatever is wanted of it, at `output`.
    ///
    /// # Errors
    /// It does not compile, is not all of a program, or WASI's C library is not there.
    pub(crate) fn wasm(&self, inputs: &[Input], product: Product, output: &Path) -> Result<(), CliError> {
        let is_code =
            |input: &Input| matches!(input.language, Language::C | Language::Cxx | Language::Bitcode);
        if let Some(other) = inputs.iter().find(|input| !is_code(input)) {
            return Err(CliError::Usage(format!(
                "{}: a program for wasm32-wasi is made of C, C++ and bitcode for it",
                other.path.display()
            )));
        }
        // First, so that a library that is missing is told before anything else.
        let runtime = self.wasm_runtime()?;
        if product != Product::Object {
            return self.together(inputs, product, output);
        }
        let object = self.path("program.o");
        self.together(inputs, product, &object)?;
        let clang = &self.tools.clang;
        let mut command = Command::new(clang);
        command.args(target(self)).arg(&object).arg(&runtime).args(opcost_runtime::wasi::LINK);
        command.args(self.arguments.library_path.iter().map(|folder| format!("-L{folder}")));
        command.args(self.arguments.library.iter().map(|library| format!("-l{library}")));
        command.args(
            self.arguments.cflags.iter().filter(|flag| flag.starts_with("-l") || flag.starts_with("-Wl,")),
        );
        run_tool(command.arg("-o").arg(output), clang, output)
    }

    fn wasm_runtime(&self) -> Result<PathBuf, CliError> {
        let folder = self.path("runtime");
        let source = opcost_runtime::wasi::SOURCE;
        write_all(&folder, &[source, opcost_runtime::fuel::PAGE_HEADER])?;
        let path = folder.join(source.0);
        let object = path.with_extension("o");
        let mut command = Command::new(&self.tools.clang);
        command.args(target(self)).args(["-O2", "-c"]).arg(&path).arg("-o").arg(&object);
        let (carried, products) = ([&*folder], [object]);
        let order =
            Order { scratch: &folder, carried: &carried, products: &products, name: "opcost's runtime" };
        make(&mut command, &order).map_err(|_| CliError::ToolMissing {
            tool: "a C library for wasm32-wasi".to_owned(),
            remedy: format!("install it with: {REMEDY}"),
        })?;
        let [object] = products;
        Ok(object)
    }
}

/// Flags that name the machine, for all that is compiled and linked.
pub(super) fn target(build: &Build<'_>) -> Vec<OsString> {
    let mut flags: Vec<OsString> = TARGET.iter().map(OsString::from).collect();
    let mut own = build.arguments.cflags.iter().filter(|flag| flag.starts_with("--sysroot=")).peekable();
    if own.peek().is_none() && Path::new(HEADERS).is_dir() {
        flags.extend(["-nostdlibinc", "-isystem", HEADERS].map(OsString::from));
    }
    flags.extend(own.map(OsString::from));
    // Nothing is loaded anywhere else, and nothing is thrown.
    flags.extend(["-fno-pic", "-fno-exceptions"].map(OsString::from));
    flags
}

/// In the child: whether the module is for the machine that is wanted.
pub(super) fn check_target(triple: &str, request: &ModuleRequest) -> Result<(), String> {
    match (triple.starts_with("wasm32"), request.wasm) {
        (true, false) if request.is_metered => {
            Err("it is for WebAssembly; give --machine wasm32-wasi".to_owned())
        }
        (false, true) => Err(format!(
            "it is for {triple}, and WebAssembly has an IR of its own; give its sources, or bitcode for wasm32-wasi"
        )),
        _ => Ok(()),
    }
}
