//! One module: made the same on every machine, before it is weighed.

use std::path::{Path, PathBuf};

use opcost_instrument::{Portability, admit_portable};
use opcost_job::module::{ModuleJob, PortableWish};
use opcost_llvm::{PortableLibrary, Session};
use opcost_runtime::library::TEXT_AND_SORT;
use opcost_runtime::portable::{FUNCTIONS, MATH_FUNCTIONS, PREFIX, VARIADIC, WORLD_FUNCTIONS};

use crate::error::WorkError;
use crate::names::name_files;

/// Makes the module portable and says what it found.
pub(crate) fn complete(
    session: &mut Session,
    job: &ModuleJob,
    wish: &PortableWish,
) -> Result<Portability, WorkError> {
    let bitcode: Vec<&Path> = wish.library.iter().map(PathBuf::as_path).collect();
    let functions = [TEXT_AND_SORT, FUNCTIONS, MATH_FUNCTIONS].concat();
    let library =
        PortableLibrary { functions: &functions, variadic: VARIADIC, prefix: PREFIX, bitcode: &bitcode };
    session.make_portable(&library)?;
    let mut module = session.snapshot();
    name_files(&mut module, &job.root);
    Ok(admit_portable(&module, WORLD_FUNCTIONS))
}
