//! What does metering a function depend on apart from its code?

use opcost_index::{IdMap, IdSet};
use opcost_key::FunctionId;

use crate::cost::CostModel;
use crate::fuel::fuel_access::OwnInCalls;
use crate::leaving::Leaving;

/// What calls of folded functions cost in addition to themselves.
pub(crate) type Folded = IdMap<FunctionId, Option<u64>>;

/// What metering a function depends on, apart from its code.
pub(crate) struct Around<'a> {
    pub(crate) leaving: &'a Leaving,
    /// The functions that take what is left from hand to hand.
    pub(crate) handed: &'a IdSet<FunctionId>,
    pub(crate) folded: &'a Folded,
    pub(crate) cost: &'a CostModel,
    /// The most that a loop whose iterations are known may cost to be paid for as straight code.
    pub(crate) most_known: u64,
    /// Which functions of the module may run in calls of library functions.
    pub(crate) own_in_calls: OwnInCalls,
    /// Whether loops may be paid for ahead whose trip counts only the running program knows.
    pub(crate) are_trips_charged: bool,
}
