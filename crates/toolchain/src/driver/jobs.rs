//! Of one job of a driver: which module does it compile, how, and where does the object go?

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::names::{relative, tidy};
use opcost_job::module::CodeOptions;

use super::call::root_of;
use crate::install::install;
use crate::plan::DriverJob;

/// A module by its names.
pub(crate) struct ModuleNames {
    /// Its source.
    pub(crate) source: PathBuf,
    /// The folder that names are relative to.
    pub(crate) root: PathBuf,
    /// Its name in maps and ledgers.
    pub(crate) module: String,
}

/// The module that a front end compiles.
pub(crate) fn module_names(job: &DriverJob) -> Result<ModuleNames, Failure> {
    let source = PathBuf::from(job.arguments.last().cloned().unwrap_or_default());
    let source = std::path::absolute(&source).map_err(Failure::file("find", &source))?;
    let root = root_of(&source);
    let module = relative(&tidy(&source), &root);
    Ok(ModuleNames { source, root, module })
}

/// How machine code is generated.
pub(crate) fn code_options(job: &DriverJob) -> CodeOptions {
    CodeOptions {
        level: job.level(),
        // Sources say so in their bitcode; bitcode that is given may not.
        is_position_independent: job.behind("-mrelocation-model") == Some(OsStr::new("pic")),
        function_sections: job.has("-ffunction-sections"),
        data_sections: job.has("-fdata-sections"),
    }
}

/// Whether clang's profile passes would read a profile of it: an optimised source, not of Fortran.
pub(crate) fn is_profiled(job: &DriverJob) -> bool {
    job.has("-cc1") && job.level() > 0 && job.behind("-x") != Some(OsStr::new("ir"))
}

/// Puts a finished object where the job wants it.
pub(crate) fn deliver(made: &Path, job: &DriverJob) -> Result<u8, Failure> {
    let output = Path::new(job.behind("-o").unwrap_or_default());
    if output == Path::new("-") {
        let bytes = std::fs::read(made).map_err(Failure::file("read", made))?;
        std::io::stdout().write_all(&bytes).map_err(Failure::file("write", "stdout"))?;
    } else {
        install(made, output)?;
    }
    Ok(0)
}
