//! What does a module really do, what loops can there be, and what should be said of them?
//!
//! The referee of analyses that claim something of all runs of a program: an
//! [`Interpreter`] that executes a function of a snapshot with given arguments
//! and tells of each loop how often it went round and of each load who wrote
//! what it read, and a grammar of loops ([`random_loops`]) and one of branches ([`random_branches`])
//! to be analysed and then run with all their inputs. Both are slow, plain and share no code with
//! what they judge. The third referee are marks, comments in programs that say what
//! is known of a loop ([`read_marks`], [`judge()`]) or of a value's width ([`read_widths`]). Beside these, files of
//! samples that nobody took ([`perf_data`]), and the harness of tests that run the command
//! (`command`, with the feature of that name). Only tests and chores depend on this room.

mod access;
mod accesses;
mod arithmetic_intrinsics;
mod branches;
mod calls;
#[cfg(feature = "command")]
pub mod command;
mod compute;
mod externals;
mod float;
mod grammar;
#[cfg(feature = "command")]
pub mod guide;
mod inputs;
mod integer;
mod interpreter;
mod intrinsics;
mod kinds;
mod machine;
mod marks;
mod memory;
mod outcome;
pub mod perf_data;
mod random;
mod record;
mod run;
mod running;
mod scalar;
mod undefined;
mod widths;

pub use accesses::with_accesses;
pub use branches::random_branches;
pub use calls::function_named;
pub use externals::{ExternalCalls, Reply, nothing_known};
pub use grammar::{Case, Feature, random_loops};
pub use inputs::all_inputs;
pub use interpreter::{Interpreter, Rewriting};
pub use marks::{
    ClaimError, EnteredIf, ExpressionError, JudgedCount, JudgedLoop, Mark, MarkClaim, MarkError,
    MarkExpression, MarkFunction, MarkQuality, MarkVerdict, judge, judge_claim, read_marks,
};
pub use memory::Memory;
pub use outcome::{
    Activation, Ended, FrameId, LoopEnd, LoopShape, ObservedFrame, ObservedLoad, ObservedUse, ObservedWrite,
    ObservedWriter, Site, Trap,
};
pub use random::Random;
pub use record::natural_loops;
pub use run::InterpretedRun;
pub use scalar::{ObjectId, Pointer, Scalar};
pub use undefined::{PossibleWords, UndefinedCase, random_undefined};
pub use widths::{WidthClaim, WidthClaimError, WidthError, WidthMark, read_widths, width_of_joined};
