//! One program, looked at without running it.
//!
//! ```text
//! bitcode ─link▶ one module ─snapshot in detail▶ ir::Module ─analysis▶ answer
//! ```
//!
//! Each question is answered of the program's [`MemoryModel`], which all of them need.

use std::path::Path;

use opcost_analysis::memory::{Effects, MemoryModel, World};
use opcost_answer::bits::{BitsAnswers, NarrowAnswers};
use opcost_answer::certificate::CheckAnswers;
use opcost_answer::dependence::ExplainAnswers;
use opcost_answer::hdl::HdlAnswers;
use opcost_answer::loops::LoopAnswers;
use opcost_answer::predict::PredictAnswers;
use opcost_answer::slice::SliceAnswers;
use opcost_answer::width::WidthAnswers;
use opcost_ir::{Contents, GlobalKind, Layout, Module};
use opcost_job::program::{
    BitsJob, CheckJob, ExplainJob, HdlJob, LoopsJob, NarrowJob, PredictJob, ProgramSource, SliceJob,
    WidthJob, WorldWish,
};
use opcost_llvm::{Maker, Session};

use crate::error::WorkError;
use crate::names::name_files;

/// Trip counts of all loops.
pub(crate) fn loops(job: &LoopsJob) -> Result<LoopAnswers, WorkError> {
    of_program(&job.program, |program, _| super::loops::answer(program, &job.inputs))
}

/// Executions of all blocks.
pub(crate) fn predict(job: &PredictJob) -> Result<PredictAnswers, WorkError> {
    of_program(&job.program, |program, session| super::predict::answer(program, session, job))
}

/// Which part decides the loops, and what is made of it.
pub(crate) fn slice(job: &SliceJob) -> Result<SliceAnswers, WorkError> {
    let (answers, plan) = of_program(&job.program, |program, _| super::slice::answer(program, job))?;
    for product in &job.products {
        // The module is edited once; its numbers are the same each time it is read.
        let (mut session, ..) = read(&job.program)?;
        plan.make(&mut session, product)?;
    }
    Ok(answers)
}

/// Bits that values need.
pub(crate) fn bits(job: &BitsJob) -> Result<BitsAnswers, WorkError> {
    of_program(&job.program, |program, _| {
        super::bits::answer(program, job.is_certified, job.assumptions, &job.contracts)
    })
}

/// Whether a certificate holds.
pub(crate) fn check(job: &CheckJob) -> Result<CheckAnswers, WorkError> {
    of_program(&job.program, |program, _| super::certificate::answer(program, job))
}

/// Why integers are as wide as they are.
pub(crate) fn width(job: &WidthJob) -> Result<WidthAnswers, WorkError> {
    of_program(&job.program, |program, _| super::width::answer(program, &job.place, &job.contracts))
}

/// The program in fewer bits, written.
pub(crate) fn narrow(job: &NarrowJob) -> Result<NarrowAnswers, WorkError> {
    of_program(&job.program, |program, session| {
        super::narrow::answer(program, session, &job.output, job.is_certified, &job.contracts)
    })
}

/// A function as a circuit.
pub(crate) fn hdl(job: &HdlJob) -> Result<HdlAnswers, WorkError> {
    of_program(&job.program, |program, session| super::hdl::answer(program, session, job))
}

/// What decides a value or a loop.
pub(crate) fn explain(job: &ExplainJob) -> Result<ExplainAnswers, WorkError> {
    of_program(&job.program, |program, _| super::explanation::answer(program, &job.wanted))
}

/// Reads the program and asks.
fn of_program<T>(
    source: &ProgramSource,
    ask: impl FnOnce(&MemoryModel<'_>, &mut Session) -> Result<T, WorkError>,
) -> Result<T, WorkError> {
    let (mut session, module, world) = read(source)?;
    let effects = effects(source)?;
    let layout = Layout::of(&module);
    ask(&MemoryModel::of(&module, &layout, &effects, world), &mut session)
}

/// All inputs as one module, in LLVM's hands and read out, and the world that
/// it lives in.
fn read(source: &ProgramSource) -> Result<(Session, Module, World), WorkError> {
    let maker = if source.is_own { Maker::FrontEnd } else { Maker::Anyone };
    let read = |path: &Path| Session::read(path, maker);
    let mut session = read(&source.bitcode[0])?;
    for other in &source.bitcode[1..] {
        session.link(other)?;
    }
    let mut module = session.snapshot_in_detail();
    name_files(&mut module, &source.root);
    let begins = module.functions.values().any(|function| opcost_key::is_program_start(&function.name));
    let is_closed = source.world == Some(WorldWish::Closed);
    if is_closed && !begins {
        return Err(WorkError::Refused(
            "the program is said to be whole, but there is no main to begin with; give all of its \
             files, or leave out --closed (or --world closed)"
                .to_owned(),
        ));
    }
    if let (true, Some(flag)) = (is_closed, &source.opens_names) {
        return Err(WorkError::Refused(format!(
            "the program is said to be whole, but {flag} gives its names to code outside of it; leave out the \
             flag, or --closed (or --world closed)"
        )));
    }
    let is_closed = match source.world {
        Some(wish) => wish == WorldWish::Closed,
        None => begins && source.opens_names.is_none(),
    };
    let world = if is_closed { World::Closed } else { World::Open };
    if world == World::Closed {
        fill_common(&mut module);
    }
    Ok((session, module, world))
}

/// What is common (COMMON of Fortran, `-fcommon`) may be defined by another
/// module; in a closed world there is none, and it begins as zeros. What others
/// fill before the start stays unknown.
fn fill_common(module: &mut Module) {
    for global in module.globals.values_mut() {
        let is_data = global.kind == GlobalKind::Variable && !global.is_declared && !global.is_given_away;
        if is_data && global.contents.is_none() {
            global.contents = Some(Contents { scalars: Vec::new(), is_complete: true });
        }
    }
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
