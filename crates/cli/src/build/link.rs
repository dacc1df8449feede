//! From objects to a program, by clang, with the runtime around them.
//!
//! Order matters: the runtime's pads stand before and behind all counters, so
//! that the section shares no page with other data.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::compile::run_tool;
use super::{Build, Input, Language};
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
        let [begin, runtime, end] = self.runtime()?;
        let is_cxx = inputs.iter().any(|input| input.language == Language::Cxx);
        let linker = if is_cxx { &self.tools.clangxx } else { &self.tools.clang };
        let mut command = Command::new(linker);
        if product == Product::Shared {
            command.arg("-shared");
        }
        command.arg("-o").arg(output).arg("-Wl,--build-id=sha1");
        command.arg(begin).args(objects).arg(runtime).arg(end);
        for flag in self.arguments.cflags.iter().filter(|flag| reaches_linker(flag)) {
            command.arg(flag);
        }
        command.args(self.arguments.library_path.iter().map(|folder| format!("-L{folder}")));
        command.args(self.arguments.library.iter().map(|library| format!("-l{library}")));
        run_tool(&mut command, linker, output)
    }

    /// Compiles the runtime.
    pub(crate) fn runtime(&self) -> Result<[PathBuf; 3], CliError> {
        let folder = self.path("runtime");
        std::fs::create_dir_all(&folder).map_err(CliError::file("make", &folder))?;
        for (name, text) in opcost_runtime::SOURCES {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(CliError::file("write", &path))?;
        }
        let mut objects = Vec::new();
        for unit in opcost_runtime::UNITS {
            let source = folder.join(unit);
            let object = source.with_extension("o");
            let mut command = Command::new(&self.tools.clang);
            command.args(opcost_runtime::FLAGS).arg("-o").arg(&object).arg(&source);
            run_tool(&mut command, &self.tools.clang, &source)?;
            objects.push(object);
        }
        Ok(objects.try_into().expect("three units"))
    }
}

/// Flags that mean something to the linking compiler.
fn reaches_linker(flag: &str) -> bool {
    ["-l", "-L", "-Wl,", "-fsanitize", "-static", "-m", "--target", "--sysroot", "-fuse-ld"]
        .iter()
        .any(|prefix| flag.starts_with(prefix))
        || matches!(flag, "-pthread" | "-fopenmp" | "-no-pie" | "-pie" | "-nostdlib" | "-rdynamic")
}
