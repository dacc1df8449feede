//! Modules of a program whose functions are replaced while it runs.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use opcost_answer::Failure;
use opcost_job::JobStopper;
use opcost_job::live::{MadeVersion, VersionJob};

use super::state::{Build, LiveModule};
use crate::running::run_tool;

impl Build {
    /// The bitcode of which versions of functions of a module are made.
    pub(crate) fn basis(&self, number: u32) -> PathBuf {
        self.path(format!("{number}.basis.bc"))
    }

    /// Modules that were built with versions, in their order.
    pub fn live_modules(&self) -> Vec<LiveModule> {
        self.live.borrow().clone()
    }

    /// An object that has the linker give each import a slot, if there is one. None of it runs.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn imports(&self) -> Result<PathBuf, Failure> {
        let modules = self.live.borrow();
        let names: BTreeSet<&str> = modules
            .iter()
            .flat_map(|module| &module.imports)
            .map(|name| name.trim_start_matches('\u{1}'))
            .collect();
        let mut text = ".section .text.opc_imports,\"ax\",@progbits\n".to_owned();
        for name in names {
            let _ = writeln!(text, ".weak \"{name}\"\nmovq \"{name}\"@GOTPCREL(%rip), %rax");
        }
        text.push_str(".section .note.GNU-stack,\"\",@progbits\n");
        let path = self.path("imports.s");
        std::fs::write(&path, text).map_err(Failure::file("write", &path))?;
        let object = self.path("imports.o");
        // flang has no assembler.
        let mut command = Command::new(&self.tools.clang);
        run_tool(command.arg("-c").arg(&path).arg("-o").arg(&object), &self.tools.clang, &path)?;
        Ok(object)
    }

    /// What ends the making of versions.
    pub fn stopper(&self) -> JobStopper {
        self.jobs.stopper()
    }

    /// Has a later version made.
    ///
    /// # Errors
    /// LLVM says no.
    pub fn version(&self, job: VersionJob) -> Result<MadeVersion, Failure> {
        let file = job.output.with_extension("job");
        let name = job.plan.symbol.clone();
        self.jobs.request(job, &file, &name)
    }
}
