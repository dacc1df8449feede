//! From a module where clang's profile passes read to an optimised one with copies of hot joins.

use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::tune::CopiedModule;
use opcost_job::profile::{CopyJob, ExportModule, FinishJob, FunctionPaths};
use opcost_key::Anchor;

use super::state::Build;
use crate::input::{Input, Language};
use crate::options::CompileOptions;

/// What is known of a module that gets copies.
#[derive(Clone, Copy, Debug)]
pub struct CopyRequest<'a> {
    /// What was counted.
    pub ledger: &'a Path,
    /// The same as a profile of clang's.
    pub profile: &'a Path,
    /// The module where profiles are read.
    pub module: &'a ExportModule,
    /// The paths of all functions of the program.
    pub paths: &'a [FunctionPaths],
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
    /// Gives a module its profile and copies of its hot joins.
    ///
    /// # Errors
    /// The module, the ledger or the profile cannot be read.
    pub fn copy_joins(&self, position: usize, request: CopyRequest<'_>) -> Result<CopiedInput, Failure> {
        let output = self.path(format!("{position}.copied.bc"));
        let job = CopyJob {
            ledger: request.ledger.to_owned(),
            module: request.module.clone(),
            profile: request.profile.to_owned(),
            paths: request.paths.to_vec(),
            cost: self.cost.clone(),
            root: working_folder()?,
            output: output.clone(),
        };
        let module = opcost_job::ask(job, &self.path("copy.job"), &request.module.name)?;
        let input = Input { path: output, language: Language::Bitcode };
        Ok(CopiedInput { name: self.module_name(&input)?, input, module })
    }

    /// Optimises a module with copies. From then on this is the input's bitcode. `ledger` has counts of
    /// modules with copies, if they were counted.
    ///
    /// # Errors
    /// The module or the ledger cannot be read.
    pub fn finish_copied(
        &self,
        input: &Input,
        copied: &CopiedInput,
        profile: &Path,
        ledger: Option<&Path>,
    ) -> Result<(), Failure> {
        let output: PathBuf = copied.input.path.with_extension("optimised.bc");
        let open = copied.module.functions.iter().filter(|function| function.executions.is_none());
        let job = FinishJob {
            module: ExportModule {
                name: copied.name.clone(),
                anchor: Anchor::File,
                bitcode: copied.input.path.clone(),
            },
            ledger: ledger.map(Path::to_owned),
            open: open.map(|function| function.name.clone()).collect(),
            profile: profile.to_owned(),
            code: self.code_options(input),
            level: self.options.optimiser_level(),
            cost: self.cost.clone(),
            root: working_folder()?,
            output: output.clone(),
        };
        let name = input.path.display().to_string();
        opcost_job::ask(job, &self.path("finish.job"), &name)?;
        if let Some(made) = &self.made {
            made.borrow_mut().insert(input.path.clone(), output);
        }
        Ok(())
    }
}

fn working_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(Failure::file("find", "."))
}
