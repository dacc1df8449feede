//! What is believed of a program besides its code?

use opcost_analysis::propagation::{Backwards, EdgeFact, RangeOptions};
use opcost_answer::bits::{Assumptions, IEEE};

/// What ranges may rest on; `backwards` also on accesses that certainly follow.
pub(crate) fn options(assumptions: Assumptions, backwards: bool) -> RangeOptions {
    RangeOptions {
        memory_is_written_first: assumptions.assume_written_first,
        backwards: match (backwards, assumptions.assume_inbounds) {
            (false, _) => Backwards::No,
            (true, false) => Backwards::WithinObjects,
            (true, true) => Backwards::WithinArrays,
        },
        assume_no_overflow: assumptions.assume_no_overflow,
        stepwise: false,
    }
}

/// What is taken for granted of the source language.
pub(crate) fn assumed(fact: &EdgeFact) -> Option<&'static str> {
    match fact {
        EdgeFact::Memory(words) => Some(words),
        EdgeFact::Ieee => Some(IEEE),
        _ => None,
    }
}
