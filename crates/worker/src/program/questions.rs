//! One program, looked at without running it.
//!
//! ```text
//! bitcode ─link▶ one module ─snapshot in detail▶ ir::Module ─analysis▶ answer
//! ```
//!
//! Each question is answered of the program's [`MemoryModel`], which all of them need.

use opcost_analysis::memory::MemoryModel;
use opcost_answer::bits::{BitsAnswers, NarrowAnswers};
use opcost_answer::certificate::CheckAnswers;
use opcost_answer::dependence::ExplainAnswers;
use opcost_answer::hdl::HdlAnswers;
use opcost_answer::loops::LoopAnswers;
use opcost_answer::predict::PredictAnswers;
use opcost_answer::slice::SliceAnswers;
use opcost_answer::width::WidthAnswers;
use opcost_ir::Layout;
use opcost_job::program::{
    BitsJob, CheckJob, ExplainJob, HdlJob, LoopsJob, NarrowJob, PredictJob, ProgramSource, SliceJob, WidthJob,
};
use opcost_library::Effects;
use opcost_llvm::Session;

use crate::error::WorkError;
use crate::modules::Modules;
use crate::read::{ReadProgram, read_program};

/// Trip counts of all loops.
pub(crate) fn loops(job: &LoopsJob, modules: &mut Modules) -> Result<LoopAnswers, WorkError> {
    of_program(modules, &job.program, |program, _| super::loops::answer(program, &job.inputs))
}

/// Executions of all blocks.
pub(crate) fn predict(job: &PredictJob, modules: &mut Modules) -> Result<PredictAnswers, WorkError> {
    of_program(modules, &job.program, |program, session| super::predict::answer(program, session, job))
}

/// Which part decides the loops, and what is made of it.
pub(crate) fn slice(job: &SliceJob, modules: &mut Modules) -> Result<SliceAnswers, WorkError> {
    let (answers, plan) = of_program(modules, &job.program, |program, _| super::slice::answer(program, job))?;
    for product in &job.products {
        // The module is edited once; its numbers are the same each time it is read.
        plan.make(&mut read_program(&job.program)?.session, product)?;
    }
    Ok(answers)
}

/// Bits that values need.
pub(crate) fn bits(job: &BitsJob, modules: &mut Modules) -> Result<BitsAnswers, WorkError> {
    of_program(modules, &job.program, |program, _| {
        super::bits::answer(program, job.is_certified, job.assumptions, &job.contracts)
    })
}

/// Whether a certificate holds.
pub(crate) fn check(job: &CheckJob, modules: &mut Modules) -> Result<CheckAnswers, WorkError> {
    of_program(modules, &job.program, |program, _| super::certificate::answer(program, job))
}

/// Why integers are as wide as they are.
pub(crate) fn width(job: &WidthJob, modules: &mut Modules) -> Result<WidthAnswers, WorkError> {
    of_program(modules, &job.program, |program, _| {
        super::width::answer(program, &job.location, &job.contracts)
    })
}

/// The program in fewer bits, written.
pub(crate) fn narrow(job: &NarrowJob, modules: &mut Modules) -> Result<NarrowAnswers, WorkError> {
    of_program(modules, &job.program, |program, session| {
        super::narrow::answer(program, session, &job.output, job.is_certified, &job.contracts)
    })
}

/// A function as a circuit.
pub(crate) fn hdl(job: &HdlJob, modules: &mut Modules) -> Result<HdlAnswers, WorkError> {
    of_program(modules, &job.program, |program, session| super::hdl::answer(program, session, job))
}

/// What decides a value or a loop.
pub(crate) fn explain(job: &ExplainJob, modules: &mut Modules) -> Result<ExplainAnswers, WorkError> {
    of_program(modules, &job.program, |program, _| super::explanation::answer(program, &job.subject))
}

/// Reads the program and asks.
fn of_program<T>(
    modules: &mut Modules,
    source: &ProgramSource,
    ask: impl FnOnce(&MemoryModel<'_>, &mut Session) -> Result<T, WorkError>,
) -> Result<T, WorkError> {
    let ReadProgram { mut session, module, world } = modules.program(source)?;
    let effects = effects(source)?;
    let layout = Layout::of(&module);
    ask(&MemoryModel::of(&module, &layout, &effects, world), &mut session)
}

/// What is known of functions outside the program; the user's lines go first.
fn effects(source: &ProgramSource) -> Result<Effects, WorkError> {
    match &source.effects {
        None => Ok(Effects::built_in()),
        Some(table) => Effects::built_in()
            .with(&table.text)
            .map_err(|error| WorkError::Refused(format!("{}:{error}", table.name))),
    }
}
