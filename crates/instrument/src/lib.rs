//! Plans for counting: where counters go, and what they will mean.
//!
//! [`plan`] looks at a snapshot and returns the edits that make it count,
//! together with the [`ModuleMap`](opcost_key::ModuleMap) by which raw counters
//! become answers. It never touches a module and knows nothing of files.
//!
//! The order of questions: which calls may leave the frame (`leaving`), what the flow graph is
//! (`skeleton`), what an instruction weighs (`cost`), which edges are counted (`placement`), where
//! the increments are (`spots`), and how all of it is written down (`map`). [`meter`] asks its own
//! (`fuel`).

mod audit;
mod bodies;
mod checks;
mod claims;
mod cost;
mod earlier;
mod expected;
mod fuel;
mod inductions;
mod leaving;
mod library;
mod map;
mod paths;
mod placement;
mod plan;
mod pointers;
mod refusal;
mod registers;
mod request;
mod skeleton;
mod spots;
mod unchecked;
mod values;
mod weights;

pub use audit::{Audit, Fault, InstructionOrigins, audit};
pub use bodies::{Bodies, reads_unwind_tables};
pub use checks::{NoResult, evaluate};
pub use claims::{ClaimStep, Claimed, Moment, TripClaim, TripClaims, steps_over_arguments};
pub use cost::{CostModel, CostTable};
pub use earlier::weigh_as_run;
pub use fuel::{
    Admission, FaultBalanceRule, Fingerprint, FuelRequest, Metered, Objection, OwnInCalls, Portability, Rule,
    admit, admit_portable, meter,
};
pub use library::Library;
pub use plan::{Instrumented, plan, survey};
pub use refusal::{PlanError, RefusalReason};
pub use request::InstrumentRequest;
pub use unchecked::Unchecked;
pub use values::{
    ClaimFacts, PointFacts, RecordedPoints, RecordedSubject, RefusedLoop, Rereads, ValuesRequest, record,
};
