//! Which joins get a copy for each way in, and how often does each copy run?
//!
//! Where two ways meet and part again, what is known of the first part is lost: which way control came by decides
//! more about the second part than the middle says. A copy of the middle for each hot way in keeps it
//! ([`Joins`]; Avetisyan, Dolgorukova and Kurmangaleev, "Dynamic profiling for LLVM", section 4).
//!
//! A copy needs counts of its own. Divided by the counts of edges each copy would part as the whole did, which is
//! what splitting denies. Paths say more: a route names the way in and the way out together
//! ([`Route`]), so counts of copies are sums, and exact ([`RouteCounts`]). [`check_split`] adds all up again.

mod body;
mod check;
mod plan;
mod routes;
mod split;

pub use body::{Body, BodyNode, BodyNodeId, CopiedBody, CopiedNode, NodeCopy};
pub use check::{NotConserved, check_split};
pub use plan::{SplitPlan, plan_copies};
pub use routes::{InEdge, InEdgeCounts, Route, RouteCounts, count_in_edges, count_routes};
pub use split::{Joins, SplitLimits, headers};
