//! The program in as few bits as are proven to do.
//!
//! The plan is made on the snapshot, carried out on the module that it was
//! taken of, verified, and written as bitcode. Nothing is optimised behind it.

use std::path::Path;

use opcost_analysis::memory::{MemoryModel, World};
use opcost_analysis::propagation::RangeOptions;
use opcost_bits::NarrowPlan;
use opcost_llvm::Session;

use opcost_answer::bits::{Assumptions, LeftWide, NarrowAnswers, Narrowed};
use opcost_answer::contract::PortContract;

use super::assumed::assumed;
use super::contracts::{self, Under, ranges_under};
use crate::error::WorkError;

/// Rewrites the module of the session and writes it.
///
/// # Errors
/// The result does not verify, or cannot be written; there is no solver for a
/// certificate; a contract names nothing or contradicts the code.
pub(crate) fn answer(
    program: &MemoryModel<'_>,
    session: &mut Session,
    output: &Path,
    is_certified: bool,
    contracts: &[PortContract],
) -> Result<NarrowAnswers, WorkError> {
    // Of executions, too, that do something undefined later.
    let Under { ranges, unproven } = ranges_under(program, RangeOptions::default(), contracts)?;
    let certified = is_certified
        .then(|| super::certificate::certify(program, Assumptions::default(), contracts))
        .transpose()?;
    let plan = match &certified {
        Some(certified) => NarrowPlan::certified(program.module, &certified.certificate),
        None => NarrowPlan::of(program.module, &ranges),
    };
    session.narrow(&plan.narrowing)?;
    session.write(output)?;
    let left = &plan.left;
    let all = [
        (left.vectors, "vectors"),
        (left.wide, "integers of more than 64 bits"),
        (left.frozen, "freezes"),
        (left.shifts, "shifts by what may be the narrow width"),
        (left.divisions, "divisions by what may be -1"),
        (left.functions, "functions with exceptions of Windows, coroutines, or calls that return twice"),
    ];
    Ok(NarrowAnswers {
        certified,
        is_closed: program.roots.world == World::Closed,
        narrowed: Narrowed {
            values: plan.values,
            declared: plan.declared,
            computed: plan.computed,
            comparisons: plan.comparisons,
            left: all
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|&(count, what)| LeftWide { count, what: what.to_owned() })
                .collect(),
            assumes: ranges
                .facts()
                .filter_map(assumed)
                .map(str::to_owned)
                .chain(contracts::assumed(contracts))
                .chain(unproven.into_iter().map(|finding| format!("{}: {}", finding.key, finding.text)))
                .collect(),
        },
    })
}
