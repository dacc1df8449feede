//! Identity: what an answer is about, and what one built program looks like.
//!
//! An [`Anchor`] is the state of a module at which its instructions get their
//! identity; ids ([`FunctionId`], [`BlockId`], …) are dense in program order
//! at that anchor. A [`ModuleMap`] is everything that must be known about one
//! module to turn its raw counters into answers without LLVM and without the
//! source: the skeleton (blocks, segments, edges), what each counter means,
//! weights, places in the source and the text of each instruction.
//!
//! This room knows no LLVM, no files, no ledgers: plain values only.

mod anchor;
mod branches;
mod hash;
mod key;
mod lines;
pub mod live;
mod map;
mod skeleton;
mod start;

pub use anchor::{Anchor, Placement, UnknownAnchor, UnknownPlacement};
pub use branches::{BranchCounts, Branches};
pub use hash::{Hash128, Hasher128, text_hash};
pub use key::{FunctionKey, Key, KeyError, KeyFault, Part};
pub use map::{
    AddressHeld, BuildFacts, CallMap, Callee, Charge, CostFacts, Expected, FileTexts, FunctionMap,
    InstructionMap, KnownLoop, LineText, MAP_SCHEMA, ModuleMap, PathsMap, Place, Pointers,
};
pub use skeleton::{
    BlockId, BlockMap, CallSiteId, CounterId, EdgeId, EdgeKind, EdgeMap, FileId, FunctionId, InstructionId,
    Meter, PlaceId, SegmentId, SegmentMap,
};
pub use start::{PROGRAM_STARTS, is_program_start};
