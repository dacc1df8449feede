//! The program in as few bits as are proven to do, in the child process.
//!
//! The plan is made on the snapshot, carried out on the module that it was
//! taken of, verified, and written as bitcode. Nothing is optimised behind it.

use std::path::Path;

use opcost_analysis::memory::{Memory, World};
use opcost_analysis::propagation::Options;
use opcost_bits::NarrowPlan;
use opcost_llvm::Session;
use serde::{Deserialize, Serialize};

use super::analysis::Refusal;
use super::bits::{Assumptions, CertifiedAnswer, assumed};
use super::contracts::{self, Under, ranges_under};
use crate::arguments::PortContract;

/// What became narrower.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct NarrowAnswers {
    /// By which ranges, if a checker was to follow them.
    pub(crate) certified: Option<CertifiedAnswer>,
    /// Whether it holds only for the program as a whole.
    pub(crate) is_closed: bool,
    /// What it rests on besides the code.
    pub(crate) assumes: Vec<String>,
    /// Results that are computed in fewer bits.
    pub(crate) values: u64,
    /// Bits of their types.
    pub(crate) declared: u64,
    /// Bits that they are computed in.
    pub(crate) computed: u64,
    /// Comparisons of fewer bits.
    pub(crate) comparisons: u64,
    /// What is left as it is: how many, and what.
    pub(crate) left: Vec<(u64, String)>,
}

/// Rewrites the module of the session and writes it.
///
/// # Errors
/// The result does not verify, or cannot be written; there is no solver for a
/// certificate; a contract names nothing or contradicts the code.
pub(super) fn answer(
    program: &Memory<'_>,
    session: &mut Session,
    (output, is_certified): (&Path, bool),
    contracts: &[PortContract],
) -> Result<NarrowAnswers, Refusal> {
    // Of executions, too, that do something undefined later.
    let Under { ranges, unproven } = ranges_under(program, Options::default(), contracts)?;
    let certified = is_certified
        .then(|| super::certificate::certify(program, Assumptions::default(), contracts))
        .transpose()?;
    let plan = match &certified {
        Some(certified) => NarrowPlan::certified(program.module, &certified.certificate),
        None => NarrowPlan::of(program.module, &ranges),
    };
    session.narrow(&plan.narrowing).map_err(|error| error.to_string())?;
    session.write(output).map_err(|error| error.to_string())?;
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
        assumes: ranges
            .facts()
            .filter_map(assumed)
            .map(str::to_owned)
            .chain(contracts::assumed(contracts))
            .chain(unproven.into_iter().map(|finding| format!("{}: {}", finding.key, finding.text)))
            .collect(),
        values: plan.values,
        declared: plan.declared,
        computed: plan.computed,
        comparisons: plan.comparisons,
        left: all.iter().filter(|(count, _)| *count > 0).map(|&(n, what)| (n, what.to_owned())).collect(),
    })
}
