//! Called functions in place of hot calls.

mod calls;
mod plan;

pub use calls::{
    CallId, CalledFunction, CalledId, CountedSite, InlineLimits, MoreThanEntered, choose_calls, entries_left,
};
pub use plan::{CallCandidates, InlinePlan};
