//! How often did everything run, given what was counted?
//!
//! ```text
//! map + raw counters ─counts▶ ModuleCounts ─summary, calls▶ totals of the program
//!                                          ├ledger▶ the facts of the run
//!                                          ├listing▶ lines and instructions of a function
//!                                          └repeat▶ do two runs agree?
//! facts ─view▶ totals of the program
//! samples + map + code ─sampled▶ observations ─repair▶ ModuleCounts
//! observations ◀raw▶ facts
//! facts + map ─instructions▶ how often each instruction of a module started
//!             └matched▶ counts of the functions that are as they were
//! counts or facts ─earlier▶ which way branches went, for those who place counters next
//! ```
//!
//! [`recover_module`] turns a module's counter array and its frames that were
//! left into the count of every segment and edge, by conservation of flow.
//! [`summarize`] adds them up over a program for reports, [`compare_runs`]
//! finds where two runs part, [`list_functions`] goes into the detail of some
//! functions, [`make_ledger`] writes down what is kept, and
//! [`summarize_ledger`] reads it again.
//!
//! This room joins `profile` and `flow`. It reads no files and knows neither
//! the IR nor LLVM: a map says all that is needed.

mod arrival;
mod asynchronous;
mod calls;
mod copies;
mod counted;
mod counts;
mod duration;
mod earlier;
mod error;
mod implied;
mod instructions;
mod jumped;
mod ledger;
mod left_over;
mod lines;
mod listing;
mod matched;
mod moved;
mod observation;
mod paths;
mod raw;
mod recorded;
mod repair;
mod repeat;
mod sampled;
mod summary;
mod vanished;
mod view;

#[cfg(test)]
mod example;

pub use asynchronous::{LostLoop, OpenCounts, recover_open_module};
pub use calls::{CallTotals, IndirectCalls, NamedCalls};
pub use counted::{CountedModule, MachineLine, NoMachineCode, SourceLine};
pub use counts::{FunctionCounts, LeftFrames, ModuleCounts, recover_module};
pub use duration::Cycles;
pub use earlier::{branches_of_ledger, branches_of_run};
pub use error::RecoverError;
pub use implied::implied_edges;
pub use instructions::{OtherModule, count_instructions, list_blocks, module_of};
pub use jumped::{may_have_vanished, split_at_jumps, without_returns};
pub use ledger::{Course, RunFacts, make_ledger};
pub use lines::LineTotal;
pub use listing::{BlockListing, FunctionListing, InlineStack, InstructionListing, list_functions};
pub use matched::{Copies, Matched, Unmatched, branches, match_counts};
pub use moved::{Moved, moves};
pub use observation::Observation;
pub use paths::PathCount;
pub use raw::{ConsistentCounts, RawObservations, consistent, join_raw, raw_ledger, raw_observations};
pub use recorded::{RECORDED, observe_runs};
pub use repair::{
    MODEL_ERROR, PointerCall, RepairOptions, RepairSolver, RepairTarget, Repaired, SampledModule, Starts,
    error_of, repair, targets,
};
pub use repeat::{Repetition, compare_runs};
pub use sampled::{ModuleObservations, functions_at, observe};
pub use summary::{BlockTotal, FunctionTotal, ProgramSummary, summarize};
pub use vanished::{Vanished, vanished_frames};
pub use view::{course_of, has_calls, list_by_ledger, list_by_lines, summarize_ledger};
