//! What is wanted of a plan?

use opcost_key::{Anchor, BuildFacts, Placement};

use crate::cost::CostModel;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct InstrumentRequest<'a> {
    /// Path of the module relative to the project root.
    pub module: String,
    /// State of the module.
    pub anchor: Anchor,
    /// Facts for the map.
    pub build: BuildFacts,
    /// Weights.
    pub cost: CostModel,
    /// Where counters go.
    pub placement: Placement,
    /// Whether every thread gets counters of its own.
    pub per_thread: bool,
    /// Functions that the runtime wraps: calls of `exit` go to `opc_wrap_exit`.
    pub wrapped: &'a [&'a str],
}

/// The prefix under which the runtime keeps its wrappers.
pub(crate) const WRAPPER_PREFIX: &str = "opc_wrap_";
