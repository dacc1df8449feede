//! From sources to a plug-in: one metered module, its runtime, and the C++
//! library inside, so that instances share nothing.
//!
//! ```text
//! bot.o  plugin.o heap.o world.o  libstdc++.a libgcc_eh.a   →  bot.so, which shows one symbol
//! ```

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::running::run_tool;
use opcost_job::module::Product;

use super::state::Build;
use crate::input::{Input, Language};
use opcost_answer::Failure;

/// How the plug-in is linked. All that is not the descriptor stays inside, calls are bound when it
/// is loaded, and unused parts of libraries are dropped.
const LINKING: &[&str] = &[
    "-shared",
    "-static-libgcc",
    "-Wl,--exclude-libs,ALL",
    "-Wl,-Bsymbolic",
    "-Wl,-z,now",
    "-Wl,-z,noexecstack",
    "-Wl,-z,defs",
    "-Wl,--gc-sections",
    "-Wl,--hash-style=both",
    "-Wl,--build-id=sha1",
];

impl Build {
    /// Builds a plug-in at `output`.
    pub fn plugin(&self, inputs: &[Input], output: &Path) -> Result<(), Failure> {
        for input in inputs {
            if !matches!(input.language, Language::C | Language::Cxx | Language::Bitcode) {
                return Err(Failure::Usage(format!(
                    "{}: a plug-in is made of C, C++, .bc and .ll; nothing else can be metered as part of it",
                    input.path.display()
                )));
            }
        }
        if let Some(library) = self.options.library.iter().find(|library| *library != "m") {
            return Err(Failure::Usage(format!(
                "-l{library}: a plug-in has no library but C's and C++'s own; add its sources, to be metered"
            )));
        }
        self.as_plugin.set(true);
        let object = self.path("plugin.o");
        self.build_together(inputs, Product::Object, &object)?;
        self.link_plugin(inputs, &object, output)
    }

    fn link_plugin(&self, inputs: &[Input], object: &Path, output: &Path) -> Result<(), Failure> {
        let has = |language| inputs.iter().any(|input| input.language == language);
        let may_be_cxx = has(Language::Cxx) || has(Language::Bitcode);
        let linker = if may_be_cxx { &self.tools.clangxx } else { &self.tools.clang };
        let mut command = Command::new(linker);
        command.args(self.target_flags()).args(LINKING).arg("-o").arg(output);
        command.args(self.options.cflags.iter().filter(|flag| flag.starts_with("-fuse-ld")));
        if may_be_cxx {
            command.arg("-static-libstdc++");
        }
        command.arg(object).args(self.plugin_runtime()?).arg("-lm");
        run_tool(&mut command, linker, output)
    }

    fn plugin_runtime(&self) -> Result<Vec<PathBuf>, Failure> {
        let folder = self.path("runtime");
        crate::runtime::compile_plugin(&self.tools.clang, &self.target_flags(), &folder)
    }
}
