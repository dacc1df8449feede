//! Assembly text and raw bytes, read.

use opcost_answer::life::Life;
use opcost_job::life::{CodeJob, CodeText};
use opcost_life::inputs::{from_assembly, from_bytes};
use opcost_llvm::host_triple;

use crate::error::WorkError;

/// The life of code that has no source.
///
/// # Errors
/// It is no code of the machine.
pub(crate) fn read_code(job: &CodeJob) -> Result<Life, WorkError> {
    let triple = job.triple.clone().unwrap_or_else(host_triple);
    match &job.text {
        CodeText::Bytes(bytes) => Ok(from_bytes(bytes, &triple)?),
        CodeText::Assembly { path, line } => {
            let text = std::fs::read(path)
                .map_err(|error| WorkError::Refused(format!("cannot read it: {error}")))?;
            let object = job.scratch.with_extension("o");
            Ok(from_assembly(&text, &job.name, *line, &triple, &object)?)
        }
    }
}
