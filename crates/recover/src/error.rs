//! Why can raw counters not be turned into counts?
//!
//! Either they do not belong to the map (another build, a torn file, memory
//! that the program overwrote), or the map does not determine the counts,
//! which is a fault of opcost itself. The messages say which.

use opcost_key::CallSiteId;
use opcost_profile::LedgerError;
use thiserror::Error;

/// What prevented the recovery of a module's counts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecoverError {
    /// The counter array has another length than the map says.
    #[error(
        "the raw counters of {module} are {actual}, its map says {expected}: they come from different builds; \
         run the program again that this map was built with"
    )]
    CounterCount {
        /// Path of the module.
        module: String,
        /// What the map says.
        expected: u32,
        /// What there is.
        actual: usize,
    },
    /// Frames were noted as left at a place where the map knows none.
    #[error(
        "the raw counters note frames left at {site} of {module}, where its map has no way out: they come \
         from different builds; run the program again that this map was built with"
    )]
    UnknownCallSite {
        /// Path of the module.
        module: String,
        /// The number that was noted.
        site: CallSiteId,
    },
    /// What was counted cannot have happened.
    #[error(
        "the raw counters and the map disagree in function {function} of {module}: {what}. Either they come \
         from different builds, or the program overwrote its counters, or frames were left in a way that \
         nobody noted; run again, and with --placement every-segment to see where"
    )]
    Contradiction {
        /// Path of the module.
        module: String,
        /// Linkage name.
        function: String,
        /// The place and the numbers.
        what: String,
    },
    /// Too little was counted: a fault of the instrumenter.
    #[error(
        "the map of {module} does not determine function {function}: {what}. This is a fault of opcost; please \
         report it, and use --placement every-segment meanwhile"
    )]
    Undetermined {
        /// Path of the module.
        module: String,
        /// Linkage name.
        function: String,
        /// Which edges.
        what: String,
    },
    /// Sampled counts cannot be made whole.
    #[error("the sampled counts of function {function} of {module} cannot be made consistent: {what}")]
    Unrepairable {
        /// Path of the module.
        module: String,
        /// Linkage name.
        function: String,
        /// What prevents it.
        what: String,
    },
    /// Nothing was counted.
    #[error("the program holds no module that opcost counts: build it with opcost")]
    NoModules,
    /// Weights of two cost models do not add up.
    #[error("{module} is weighted by {actual}, other modules by {first}: build all of them with one --cost")]
    MixedCost {
        /// Path of the module.
        module: String,
        /// Its cost model.
        actual: String,
        /// That of the first module.
        first: String,
    },
    /// The counts do not fit into a ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}
