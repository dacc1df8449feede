//! Copies of code in a module where clang's profile passes read, and the rest of the optimiser.
//!
//! The ledger's counts are laid on the module. What is copied follows from them, and from the paths of the same run
//! (`opcost_optimise`). [`copy`] writes the profile into the module as clang does it, and copies; branches get
//! exact counts. [`finish`] runs the rest of clang's pipeline, after open functions got the counts of the second run.
//!
//! Input: a module, a ledger, a profile of clang's with the same counts, paths. Output: modules, and what was copied.
//! Cost: that of the optimiser.

use opcost_answer::tune::{CopiedModule, FinishedModule, UnrolledLoop};
use opcost_job::profile::{CopiedCode, CopyJob, FinishJob};
use opcost_llvm::{LoopRequest, Maker, NumberedLoop};
use opcost_optimise::{CallCandidates, FunctionPaths, PlannedLoop, TrainedLoop, plan_copies, plan_unrolling};
use opcost_profile::formats::opc::load_ledger;

use super::laid::{Laid, Laying, lay};
use crate::error::WorkError;
use crate::module::emission;
use crate::modules::Modules;

/// Writes the module with its copies.
///
/// # Errors
/// The module, the ledger or the profile cannot be read, or LLVM says no.
pub(crate) fn copy(job: &CopyJob, modules: &mut Modules) -> Result<CopiedModule, WorkError> {
    let ledger = load_ledger(&job.request.ledger)?;
    let laying = Laying { root: &job.root, cost: &job.cost, is_alone: true };
    let mut laid = lay(&laying, &job.request.module, &ledger, modules)?;
    laid.weigh_branches(&job.request.open)?;
    let mut answers = CopiedModule::default();
    match &job.request.what {
        CopiedCode::Nothing => use_profile(job, &mut laid)?,
        CopiedCode::Calls => copy_calls(job, &mut laid, &mut answers)?,
        CopiedCode::Joins(paths) => copy_joins(job, paths, &mut laid, &mut answers)?,
    }
    laid.session.write(&job.output)?;
    Ok(answers)
}

/// Gives the module its profile, if it has none.
fn use_profile(job: &CopyJob, laid: &mut Laid) -> Result<(), WorkError> {
    match &job.request.profile {
        Some(profile) => Ok(laid.session.use_profile(profile)?),
        None => Ok(()),
    }
}

/// Puts called functions in place of hot calls.
fn copy_calls(job: &CopyJob, laid: &mut Laid, answers: &mut CopiedModule) -> Result<(), WorkError> {
    let how = emission(&job.code);
    let module = laid.session.snapshot();
    let candidates = CallCandidates::of(laid.of(&module));
    let can = laid.session.can_inline(how, candidates.sites())?;
    let plan = candidates.choose(&can, job.request.executed).map_err(|why| {
        WorkError::Refused(format!("the ledger's counts do not fit together: {why}; count again"))
    })?;
    use_profile(job, laid)?;
    let heads = laid.session.inline_calls(how, &plan.edits)?;
    (answers.calls, answers.called) = plan.done(&heads);
    Ok(())
}

/// Copies hot joins of all functions.
fn copy_joins(
    job: &CopyJob,
    paths: &[FunctionPaths],
    laid: &mut Laid,
    answers: &mut CopiedModule,
) -> Result<(), WorkError> {
    let module = laid.session.snapshot();
    let plan = plan_copies(laid.of(&module), paths, |function| laid.session.copyable(function));
    answers.functions = plan.functions;
    answers.left = plan.left;
    use_profile(job, laid)?;
    let positions = laid.session.copy_blocks(&plan.edits)?;
    for (function, positions) in answers.functions.iter_mut().zip(positions) {
        function.positions = positions;
    }
    Ok(())
}

/// Writes the optimised module.
///
/// # Errors
/// The module, the ledger or the profile cannot be read, or LLVM says no.
pub(crate) fn finish(job: &FinishJob, modules: &mut Modules) -> Result<FinishedModule, WorkError> {
    let how = emission(&job.code);
    let mut session = match &job.request.ledger {
        None => modules.module(&job.request.module.bitcode, Maker::FrontEnd)?,
        Some(ledger) => {
            let ledger = load_ledger(ledger)?;
            let laying = Laying { root: &job.root, cost: &job.cost, is_alone: true };
            let mut laid = lay(&laying, &job.request.module, &ledger, modules)?;
            laid.weigh_branches(&job.request.open)?;
            laid.session
        }
    };
    let loops = if job.request.loops.is_empty() {
        Vec::new()
    } else {
        plan_unrolling(&session.snapshot(), &job.request.loops, job.request.executed)
    };
    let numbered = loops.iter().map(|one| NumberedLoop { function: one.function, header: one.header });
    session.number_loops(&numbered.collect::<Vec<_>>())?;
    let mut requests: Vec<LoopRequest> = loops.iter().map(request).collect();
    session.finish(how, job.level, &job.request.profile, &mut requests)?;
    session.write(&job.output)?;
    let unrolled =
        loops.iter().zip(&requests).map(|(one, request)| unrolled(&job.request.loops[one.position], request));
    Ok(FinishedModule { loops: unrolled.collect() })
}

/// What LLVM's unroller is asked of a loop when it comes to it: only then the size of the body is known.
fn request(planned: &PlannedLoop) -> LoopRequest {
    let mut request = LoopRequest::default();
    for (slot, choice) in planned.choices.iter().enumerate().take(request.counts.len()) {
        request.counts[slot] = choice.copies;
        request.sizes[slot] = choice.size;
    }
    request
}

/// What became of a loop that was numbered.
fn unrolled(of: &TrainedLoop, request: &LoopRequest) -> UnrolledLoop {
    UnrolledLoop {
        function: of.function.clone(),
        location: of.location.clone(),
        activations: of.activations.values().sum(),
        iterations: of.activations.iter().map(|(iterations, times)| iterations.saturating_mul(*times)).sum(),
        requested: (request.requested > 0).then_some(request.requested),
        is_done: request.done > 0,
    }
}
