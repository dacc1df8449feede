//! From a sliced module to a program that reports its loops.
//!
//! The optimiser runs behind the slice: what was left out makes room for it. Marks are in the module already, so
//! the whole program and its slice report the same spots.

use std::path::{Path, PathBuf};
use std::process::Command;

use opcost_answer::Failure;

use super::link::Linked;
use super::state::Build;
use crate::input::Input;
use crate::running::run_tool;

impl Build {
    /// Optimises a module and links it with the runtime of slices.
    ///
    /// # Errors
    /// clang or the linker fails.
    pub fn sliced_program(&self, inputs: &[Input], module: &Path, output: &Path) -> Result<(), Failure> {
        let clang = &self.tools.clang;
        let target = self.target_flags();
        let object: PathBuf = module.with_extension("o");
        let machine = self.options.cflags.iter().filter(|flag| flag.starts_with("-m"));
        let mut command = Command::new(clang);
        command.args(&target).args(machine).args(["-O2", "-w", "-c"]).arg(module).arg("-o").arg(&object);
        run_tool(&mut command, clang, module)?;
        let runtime = crate::runtime::compile_slice(clang, &target, &self.path("runtime"))?;
        self.link(inputs, &[object, runtime], output, Linked::Program)
    }
}
