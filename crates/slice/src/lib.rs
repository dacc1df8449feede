//! Which part of a program decides how often its loops iterate?
//!
//! The *minicore* of llvm-pred (MarkPreserve, SlashShrink): the instructions that decide trip
//! counts and all that these depend on. Run in place of the program, with the
//! same arguments and files, it enters the same loops in the same order, and
//! each iterates as often. The criterion is the *stream*: the sequence of entries and iterations
//! of all loops, not their sums.
//!
//! | question | file |
//! |---|---|
//! | which programs are not sliced? | `refused` |
//! | where are the events of loops? | `marks` |
//! | which branches decide whether a block runs? | `control` |
//! | what may be left out of calls of libraries? | `library` |
//! | which loops need no events, as their counts are constant? | `constants` |
//! | what must stay in any case? | `roots` |
//! | what else must stay? | `closure` |
//! | which blocks run as often as in the program? | `counted` |
//! | which calls that stay may change files? | `changes` |
//! | which calls end the program as a return would? | `ends` |
//! | why does an instruction stay? | `reason` |
//! | what is changed? | `edits` |
//! | is a program left? | `check` |
//!
//! Input: a [`MemoryModel`](opcost_analysis::memory::MemoryModel) of a closed program. Output: [`Slice`]. What is not
//! proven to be without effect stays; what cannot be followed is refused.
//!
//! It is assumed that the program does nothing undefined, and has memory enough.
//! Code that is removed is not there to trap.

mod changes;
mod check;
mod closure;
mod constants;
mod control;
mod counted;
mod edits;
mod ends;
mod library;
mod marks;
mod options;
mod reason;
mod refused;
mod roots;
mod site;
mod slice;

pub use check::{RemovalFault, check};
pub use constants::ConstantLoop;
pub use counted::CountedBlock;
pub use marks::{LoopNumber, MarkedLoop};
pub use options::{Criterion, Level, SliceOptions};
pub use reason::{Because, How};
pub use refused::SliceRefusal;
pub use site::SliceSite;
pub use slice::Slice;
