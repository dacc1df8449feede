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

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cached::carried::{Order, make};
use crate::running::run_tool;
use opcost_job::module::Product;

use super::state::Build;
use crate::input::{Input, Language};
use crate::machine::WASI_REMEDY;
use crate::runtime::write_all;
use crate::wasm_flags::target;
use opcost_answer::Failure;

impl Build {
    /// Builds a metered program for WebAssembly, or whatever is wanted of it, at `output`.
    ///
    /// # Errors
    /// It does not compile, is not all of a program, or WASI's C library is not there.
    pub fn wasm(&self, inputs: &[Input], product: Product, output: &Path) -> Result<(), Failure> {
        let is_code =
            |input: &Input| matches!(input.language, Language::C | Language::Cxx | Language::Bitcode);
        if let Some(other) = inputs.iter().find(|input| !is_code(input)) {
            return Err(Failure::Usage(format!(
                "{}: a program for wasm32-wasi is made of C, C++ and bitcode for it",
                other.path.display()
            )));
        }
        // First, so that a library that is missing is told before anything else.
        let runtime = self.wasm_runtime()?;
        if product != Product::Object {
            self.build_together(inputs, product, output)?;
            return Ok(());
        }
        let object = self.path("program.o");
        self.build_together(inputs, product, &object)?;
        let clang = &self.tools.clang;
        let mut command = Command::new(clang);
        command.args(target(&self.options)).arg(&object).arg(&runtime).args(opcost_runtime::wasi::LINK);
        command.args(self.options.library_path.iter().map(|folder| format!("-L{folder}")));
        command.args(self.options.library.iter().map(|library| format!("-l{library}")));
        command.args(
            self.options.cflags.iter().filter(|flag| flag.starts_with("-l") || flag.starts_with("-Wl,")),
        );
        run_tool(command.arg("-o").arg(output), clang, output)
    }

    fn wasm_runtime(&self) -> Result<PathBuf, Failure> {
        let folder = self.path("runtime");
        let source = opcost_runtime::wasi::SOURCE;
        write_all(&folder, &[source, opcost_runtime::fuel::PAGE_HEADER])?;
        let path = folder.join(source.0);
        let object = path.with_extension("o");
        let mut command = Command::new(&self.tools.clang);
        command.args(target(&self.options)).args(["-O2", "-c"]).arg(&path).arg("-o").arg(&object);
        let (carried, products) = ([&*folder], [object]);
        let order =
            Order { scratch: &folder, carried: &carried, products: &products, name: "opcost's runtime" };
        make(&mut command, &order).map_err(|_| Failure::ToolMissing {
            tool: "a C library for wasm32-wasi".to_owned(),
            remedy: format!("install it with: {WASI_REMEDY}"),
        })?;
        let [object] = products;
        Ok(object)
    }
}
