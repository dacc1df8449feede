//! What did the program of a ledger do, and which processor is this? Both by the worker.

use std::path::PathBuf;

use opcost_answer::Failure;
use opcost_answer::work::ProgramWork;
use opcost_job::work::{ProcessorAnswer, ProcessorJob, WorkJob, WorkModule};

use super::state::Build;

/// A machine on which a program is thought to run.
pub struct Simulated<'a> {
    /// Its processor, as LLVM calls it.
    pub processor: &'a str,
    /// Bytes that each level of its cache holds, from the first.
    pub capacities: Vec<u64>,
}

impl Build {
    /// What the program of a ledger did, with the cycles of a processor's model.
    ///
    /// # Errors
    /// The ledger is of another build, or LLVM does not know the processor.
    pub fn work(
        &self,
        ledger: PathBuf,
        modules: Vec<WorkModule>,
        machine: Simulated<'_>,
    ) -> Result<ProgramWork, Failure> {
        let names = modules.iter().map(|one| one.module.name.as_str()).collect::<Vec<_>>().join(", ");
        let job = WorkJob {
            ledger,
            modules,
            cost: self.cost.clone(),
            root: std::env::current_dir().map_err(Failure::file("find", "."))?,
            processor: machine.processor.to_owned(),
            capacities: machine.capacities,
        };
        self.jobs.request(job, &self.path("work.job"), &names)
    }
}

/// Which processor this is, as LLVM calls it.
///
/// # Errors
/// There is no worker.
pub fn processor() -> Result<ProcessorAnswer, Failure> {
    let folder = opcost_interrupt::Scratch::folder("opcost-")
        .map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    opcost_job::run_job(ProcessorJob {}, &folder.path().join("processor.job"), "this processor")
}
