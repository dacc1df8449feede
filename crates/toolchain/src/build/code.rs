//! The life of code that has no source: assembly text and raw bytes, by the worker.

use opcost_answer::Failure;
use opcost_answer::life::Life;
use opcost_interrupt::Scratch;
use opcost_job::life::{CodeJob, CodeText};

/// The life of code without a source.
///
/// # Errors
/// It is no code of the machine.
pub fn code_life(name: &str, triple: Option<String>, text: CodeText) -> Result<Life, Failure> {
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let scratch = folder.path().join("life");
    let job = CodeJob { name: name.to_owned(), triple, text, scratch };
    opcost_job::run_job(job, &folder.path().join("code.job"), name)
}
