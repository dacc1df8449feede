//! Bodies of hot loops are copied as often as their trip counts say.
//!
//! [`opcost_copies::unroll`] works out which numbers of copies pay. Loops are numbered in the module before the
//! optimiser runs, and LLVM's unroller is asked when it comes to them, since only then the size of a body is known.
//!
//! Input: a module, counted loops of the program. Output: requests for LLVM, and what became of them. Cost: linear.

use opcost_answer::tune::UnrolledLoop;
use opcost_copies::{TripCounts, UnrollLimits, unroll};
use opcost_index::Id as _;
use opcost_job::profile::TrainedLoop;
use opcost_key::BlockId;
use opcost_llvm::{LoopRequest, NumberedLoop, Session};

use crate::error::WorkError;

/// Numbers the loops that may get copies, and says what LLVM is asked for each.
pub(super) fn number<'a>(
    session: &mut Session,
    loops: &'a [TrainedLoop],
    executed: u64,
) -> Result<(Vec<&'a TrainedLoop>, Vec<LoopRequest>), WorkError> {
    if loops.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let module = session.snapshot();
    let (mut numbered, mut known, mut requests) = (Vec::new(), Vec::new(), Vec::new());
    for one in loops {
        let trips = TripCounts { activations: one.activations.clone() };
        let choices = unroll(&trips, executed, UnrollLimits::default());
        let function = module.functions.iter().find(|(_, function)| function.name == one.function);
        let (Some((function, own)), false) = (function, choices.is_empty()) else { continue };
        let header = BlockId::new(one.header as usize);
        if own.blocks.get(header).is_none() {
            continue;
        }
        let mut request = LoopRequest::default();
        for (slot, choice) in choices.iter().enumerate().take(request.counts.len()) {
            request.counts[slot] = choice.copies;
            request.sizes[slot] = choice.size;
        }
        numbered.push(NumberedLoop { function, header });
        known.push(one);
        requests.push(request);
    }
    session.number_loops(&numbered)?;
    Ok((known, requests))
}

/// What became of the loops that were numbered.
pub(super) fn unrolled(loops: &[&TrainedLoop], requests: &[LoopRequest]) -> Vec<UnrolledLoop> {
    let one = |(one, request): (&&TrainedLoop, &LoopRequest)| UnrolledLoop {
        function: one.function.clone(),
        location: one.location.clone(),
        activations: one.activations.values().sum(),
        iterations: one.activations.iter().map(|(iterations, times)| iterations.saturating_mul(*times)).sum(),
        requested: (request.requested > 0).then_some(request.requested),
        is_done: request.done > 0,
    };
    loops.iter().zip(requests).map(one).collect()
}
