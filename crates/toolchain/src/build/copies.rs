//! From a module where clang's profile passes read to an optimised one with copies of code.

use std::path::PathBuf;

use opcost_answer::Failure;
use opcost_answer::tune::{CopiedModule, FinishedModule};
use opcost_job::profile::{CopyJob, CopyRequest, ExportModule, FinishJob, FinishRequest};
use opcost_key::Anchor;

use super::state::Build;
use crate::input::{Input, Language};
use crate::options::CompileOptions;

/// A module that has its profile and its copies, and that the optimiser has not finished.
#[derive(Clone, Debug)]
pub struct CopiedInput {
    /// Its bitcode, as an input that can be counted.
    pub input: Input,
    /// Its name in ledgers.
    pub name: String,
    /// What was copied.
    pub copies: CopiedModule,
}

/// Flags by which clang runs other passes than those of its level.
const PIPELINE_FLAGS: &[&str] = &[
    "-Xclang",
    "-fcoverage-mapping",
    "-fcs-profile",
    "-fdebug-info-for-profiling",
    "-fexperimental",
    "-finstrument",
    "-flto",
    "-fmemory-profile",
    "-fmerge-functions",
    "-fno-slp-vectorize",
    "-fno-tree-slp-vectorize",
    "-fno-tree-vectorize",
    "-fno-unroll-loops",
    "-fno-vectorize",
    "-fpass-plugin",
    "-fplugin",
    "-fprofile",
    "-fpseudo-probe",
    "-fsanitize",
    "-fslp-vectorize",
    "-fsplit-",
    "-fthinlto",
    "-ftree-slp-vectorize",
    "-ftree-vectorize",
    "-funroll-loops",
    "-fveclib",
    "-fvectorize",
    "-fvirtual-function-elimination",
    "-fwhole-program-vtables",
    "-mllvm",
    "--coverage",
];

/// The first flag by which clang runs other passes than those of its level.
pub fn pipeline_flag(options: &CompileOptions) -> Option<&str> {
    let is_one = |flag: &&String| PIPELINE_FLAGS.iter().any(|prefix| flag.starts_with(prefix));
    options.cflags.iter().find(is_one).map(String::as_str)
}

impl CopiedInput {
    /// It as a module of profiles.
    pub fn module(&self) -> ExportModule {
        ExportModule { name: self.name.clone(), anchor: Anchor::File, bitcode: self.input.path.clone() }
    }
}

impl Build {
    /// Gives a module its profile and copies of code. The module becomes an input of the build in its own right.
    ///
    /// # Errors
    /// The module, the ledger or the profile cannot be read.
    pub fn copy_code(
        &self,
        position: usize,
        of: &Input,
        request: CopyRequest,
    ) -> Result<CopiedInput, Failure> {
        let output = self.path(format!("{position}.copied.bc"));
        let name = request.module.name.clone();
        let job = CopyJob {
            request,
            code: self.code_options(of),
            cost: self.cost.clone(),
            root: working_folder()?,
            output: output.clone(),
        };
        let copies = self.jobs.request(job, &self.path("copy.job"), &name)?;
        let input = Input { path: output, language: Language::Bitcode };
        Ok(CopiedInput { name: self.module_name(&input)?, input, copies })
    }

    /// Optimises a module with copies. From then on this is the input's bitcode.
    ///
    /// # Errors
    /// The module or the ledger cannot be read.
    pub fn finish_copied(
        &self,
        position: usize,
        input: &Input,
        request: FinishRequest,
    ) -> Result<FinishedModule, Failure> {
        let output: PathBuf = self.path(format!("{position}.optimised.bc"));
        let job = FinishJob {
            request,
            code: self.code_options(input),
            level: self.options.optimiser_level(),
            cost: self.cost.clone(),
            root: working_folder()?,
            output: output.clone(),
        };
        let name = input.path.display().to_string();
        let finished = self.jobs.request(job, &self.path("finish.job"), &name)?;
        if let Some(made) = &self.made {
            made.borrow_mut().insert(input.path.clone(), output);
        }
        Ok(finished)
    }
}

fn working_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(Failure::file("find", "."))
}
