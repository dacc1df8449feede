//! From a module where clang's profile passes read to an optimised one with copies of code.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::tune::{CopiedModule, FinishedModule};
use opcost_job::profile::{CopiedCode, CopyJob, ExportModule, FinishJob};
use opcost_key::Anchor;
use opcost_optimise::TrainedLoop;

use super::state::Build;
use crate::input::{Input, Language};
use crate::options::CompileOptions;

/// What is known of a module that gets copies.
#[derive(Clone, Copy, Debug)]
pub struct CopyRequest<'a> {
    /// What was counted.
    pub ledger: &'a Path,
    /// The same as a profile of clang's; none if the module has its profile already.
    pub profile: Option<&'a Path>,
    /// The module where profiles are read.
    pub module: &'a ExportModule,
    /// Functions of it that were counted again, and get these counts.
    pub open: &'a [String],
    /// What is copied.
    pub what: &'a CopiedCode,
    /// How many instructions the program carried out.
    pub executed: u64,
}

/// What is known of a module that is to be optimised.
#[derive(Clone, Copy, Debug)]
pub struct FinishRequest<'a> {
    /// The module, with its profile.
    pub copied: &'a CopiedInput,
    /// The profile.
    pub profile: &'a Path,
    /// What was counted of the very module, if it was.
    pub ledger: Option<&'a Path>,
    /// Functions that get these counts.
    pub open: &'a [String],
    /// Loops of it whose bodies may be copied.
    pub loops: &'a [TrainedLoop],
    /// How many instructions the program carried out.
    pub executed: u64,
}

/// A module that has its profile and its copies, and that the optimiser has not finished.
#[derive(Clone, Debug)]
pub struct CopiedInput {
    /// Its bitcode, as an input that can be counted.
    pub input: Input,
    /// Its name in ledgers.
    pub name: String,
    /// What was copied.
    pub module: CopiedModule,
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

impl Build {
    /// Gives a module its profile and copies of code. The module becomes an input of the build in its own right.
    ///
    /// # Errors
    /// The module, the ledger or the profile cannot be read.
    pub fn copy_code(
        &self,
        position: usize,
        of: &Input,
        request: CopyRequest<'_>,
    ) -> Result<CopiedInput, Failure> {
        let output = self.path(format!("{position}.copied.bc"));
        let job = CopyJob {
            ledger: request.ledger.to_owned(),
            module: request.module.clone(),
            profile: request.profile.map(Path::to_owned),
            open: request.open.to_vec(),
            what: request.what.clone(),
            executed: request.executed,
            code: self.code_options(of),
            cost: self.cost.clone(),
            root: working_folder()?,
            output: output.clone(),
        };
        let module = self.jobs.request(job, &self.path("copy.job"), &request.module.name)?;
        let input = Input { path: output, language: Language::Bitcode };
        Ok(CopiedInput { name: self.module_name(&input)?, input, module })
    }

    /// Optimises a module with copies. From then on this is the input's bitcode.
    ///
    /// # Errors
    /// The module or the ledger cannot be read.
    pub fn finish_copied(
        &self,
        position: usize,
        input: &Input,
        request: FinishRequest<'_>,
    ) -> Result<FinishedModule, Failure> {
        let output: PathBuf = self.path(format!("{position}.optimised.bc"));
        let copied = request.copied;
        let job = FinishJob {
            module: ExportModule {
                name: copied.name.clone(),
                anchor: Anchor::File,
                bitcode: copied.input.path.clone(),
            },
            ledger: request.ledger.map(Path::to_owned),
            open: request.open.to_vec(),
            loops: request.loops.to_vec(),
            executed: request.executed,
            profile: request.profile.to_owned(),
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
