//! What does a profile change in a program?
//!
//! Each transform is a function: a snapshot of a module and its counts in ([`ProfiledModule`]), a plan out. What only
//! LLVM knows, such as whether a block can be copied at all, is an argument. Who has LLVM carries the plan out.
//!
//! | question | folder |
//! |---|---|
//! | which joins get a copy for each way in, and how often does each copy run? | `copies` |
//! | which calls are replaced by what they call? | `inlining` |
//! | how often is the body of a loop copied? | `unrolling` |
//! | in which order does code lie in memory? | `layout` |
//! | did the code run as often as it was tuned by? | `conserved` |
//!
//! A plan says how often each copy is to run. These numbers are exact: [`check_split`] adds them up again before the plan
//! is carried out, and [`conserved`] holds them against a run of the program that came out.
//!
//! This room knows nothing of LLVM, of files, or of how counts were taken.

mod conserved;
mod copies;
mod counted;
mod inlining;
mod layout;
mod trained;
mod unrolling;

pub use conserved::{CountedModules, conserved, repeated};
pub use copies::{
    Body, BodyNode, BodyNodeId, CopiedBody, CopiedNode, InEdge, InEdgeCounts, Joins, NodeCopy, NotConserved,
    Route, RouteCounts, SplitLimits, SplitPlan, check_split, count_in_edges, count_routes, headers,
    plan_copies,
};
pub use counted::ProfiledModule;
pub use inlining::{
    CallCandidates, CallId, CalledFunction, CalledId, CountedSite, InlineLimits, InlinePlan, MoreThanEntered,
    choose_calls, entries_left,
};
pub use layout::{
    CallsByName, CodeBlock, CodeBlockId, CodeFunction, CodeFunctionId, CodeGraph, FunctionCalls, Jump,
    NamedFunction, Order, Score, WrongOrder, arranged_function, calls_by_name, order_blocks, order_functions,
    order_named, spare_jumps, straight_functions, taken_jumps,
};
pub use trained::{FunctionPaths, TakenPath, TrainedLoop};
pub use unrolling::{BodyCopies, PlannedLoop, TripCounts, UnrollLimits, plan_unrolling, unroll};
