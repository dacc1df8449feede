//! The child that alone holds LLVM: a job in, a reply out.
//!
//! ```text
//! FILE ─Job▶ module │ program │ life │ profile ─Reply or Refusal▶ FILE.reply
//! ```
//!
//! LLVM ends its process on fatal errors; then there is no reply, and the parent tells LLVM's
//! words.

mod error;
mod file;
mod life;
mod module;
mod names;
mod profile;
mod program;
mod weights;

use std::path::Path;

use opcost_answer::Failure;
use opcost_job::{Job, Refusal, Reply, reply_path};

/// Does the job of a file, and writes its reply next to it.
///
/// # Errors
/// The file holds no job of this version, or the reply cannot be written. A job that is refused
/// has a reply that says so.
pub fn serve(file: &Path) -> Result<(), Failure> {
    let text = std::fs::read(file).map_err(Failure::file("read", file))?;
    let job: Job = serde_json::from_slice(&text)
        .map_err(|error| Failure::Usage(format!("{} is no job of opcost: {error}", file.display())))?;
    let reply = carry_out(&job);
    let path = reply_path(file);
    let text = serde_json::to_vec(&reply).expect("plain data");
    std::fs::write(&path, text).map_err(Failure::file("write", &path))
}

/// Does a job.
///
/// # Errors
/// It cannot be done; why, in words for the user.
pub fn carry_out(job: &Job) -> Result<Reply, Refusal> {
    Ok(match job {
        Job::Module(job) => Reply::Module(Box::new(module::build::build(job)?)),
        Job::Loops(job) => Reply::Loops(Box::new(program::questions::loops(job)?)),
        Job::Predict(job) => Reply::Predict(Box::new(program::questions::predict(job)?)),
        Job::Slice(job) => Reply::Slice(Box::new(program::questions::slice(job)?)),
        Job::Bits(job) => Reply::Bits(Box::new(program::questions::bits(job)?)),
        Job::Check(job) => Reply::Check(Box::new(program::questions::check(job)?)),
        Job::Width(job) => Reply::Width(Box::new(program::questions::width(job)?)),
        Job::Narrow(job) => Reply::Narrow(Box::new(program::questions::narrow(job)?)),
        Job::Hdl(job) => Reply::Hdl(Box::new(program::questions::hdl(job)?)),
        Job::Explain(job) => Reply::Explain(Box::new(program::questions::explain(job)?)),
        Job::Life(job) => Reply::Life(Box::new(life::record::record(job)?)),
        Job::Machine(job) => Reply::Machine(Box::new(life::machine::record_code(job)?)),
        Job::Code(job) => Reply::Code(Box::new(life::code::read_code(job)?)),
        Job::Pgo(job) => Reply::Pgo(Box::new(profile::export::to_pgo(job)?)),
        Job::Arrange(job) => Reply::Arrange(Box::new(profile::arrange::arrange(job)?)),
        Job::Copy(job) => Reply::Copy(Box::new(profile::copy::copy(job)?)),
        Job::Finish(job) => Reply::Finish(Box::new(profile::copy::finish(job)?)),
        Job::Work(job) => Reply::Work(Box::new(profile::work::work(job)?)),
        Job::Processor(_) => Reply::Processor(Box::new(profile::work::processor())),
        Job::Export(job) => Reply::Export(Box::new(profile::export::export(job)?)),
    })
}
