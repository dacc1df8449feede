//! The child that alone holds LLVM: a job in, a reply out.
//!
//! ```text
//! FILE ─Job▶ module │ program │ life │ profile ─Reply or Refusal▶ FILE.reply
//! ```
//!
//! One child does many jobs, each in a copy of itself ([`serve`]). LLVM ends its process on fatal errors; then
//! a copy is gone, there is no reply, and the parent tells LLVM's words.

mod error;
mod file;
mod life;
mod module;
mod modules;
mod names;
mod profile;
mod program;
mod read;
mod serve;
mod weights;

use opcost_job::{Job, Refusal, Reply};

pub use modules::Modules;
pub use serve::serve;

/// Does a job.
///
/// # Errors
/// It cannot be done; why, in words for the user.
pub fn carry_out(job: &Job, modules: &mut Modules) -> Result<Reply, Refusal> {
    Ok(match job {
        Job::Module(job) => Reply::Module(Box::new(module::build::build(job, modules)?)),
        Job::Loops(job) => Reply::Loops(Box::new(program::questions::loops(job, modules)?)),
        Job::Predict(job) => Reply::Predict(Box::new(program::questions::predict(job, modules)?)),
        Job::Slice(job) => Reply::Slice(Box::new(program::questions::slice(job, modules)?)),
        Job::Bits(job) => Reply::Bits(Box::new(program::questions::bits(job, modules)?)),
        Job::Check(job) => Reply::Check(Box::new(program::questions::check(job, modules)?)),
        Job::Width(job) => Reply::Width(Box::new(program::questions::width(job, modules)?)),
        Job::Narrow(job) => Reply::Narrow(Box::new(program::questions::narrow(job, modules)?)),
        Job::Hdl(job) => Reply::Hdl(Box::new(program::questions::hdl(job, modules)?)),
        Job::Explain(job) => Reply::Explain(Box::new(program::questions::explain(job, modules)?)),
        Job::Life(job) => Reply::Life(Box::new(life::record::record(job, modules)?)),
        Job::Machine(job) => Reply::Machine(Box::new(life::machine::record_code(job, modules)?)),
        Job::Code(job) => Reply::Code(Box::new(life::code::read_code(job)?)),
        Job::Anchor(job) => Reply::Anchor(Box::new(profile::export::to_anchor(job, modules)?)),
        Job::Arrange(job) => Reply::Arrange(Box::new(profile::arrange::arrange(job, modules)?)),
        Job::Copy(job) => Reply::Copy(Box::new(profile::copy::copy(job, modules)?)),
        Job::Finish(job) => Reply::Finish(Box::new(profile::copy::finish(job, modules)?)),
        Job::Work(job) => Reply::Work(Box::new(profile::work::work(job, modules)?)),
        Job::Processor(_) => Reply::Processor(Box::new(profile::work::processor())),
        Job::Version(job) => Reply::Version(Box::new(module::live::version(job, modules)?)),
        Job::Export(job) => Reply::Export(Box::new(profile::export::export(job, modules)?)),
    })
}
