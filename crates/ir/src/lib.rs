//! A module as plain values: what LLVM knows, copied out once.
//!
//! The `llvm` room fills a [`Module`]; analyses and instrumentation only read
//! it, and say what they want changed as [`Edit`]s, which the `llvm` room
//! carries out. So nothing above the fence holds a pointer into LLVM, and
//! everything above it can be tested on text.
//!
//! Cost: about 40 bytes an instruction beside its operands. Limit: a snapshot
//! knows what counting and the analyses need, not all of LLVM: constants that
//! compute are folded or kept as text, metadata is dropped but for places,
//! weights, loops and, in a snapshot in detail, alias tags and names.

mod assembly;
mod call;
mod charging;
mod constant;
mod constant_parts;
mod contents;
mod duplication;
mod edit;
mod effects;
mod flags;
mod globals;
mod ids;
mod layout;
mod layout_string;
mod length;
mod linkage;
mod malformed;
mod metering;
mod module;
mod narrowing;
mod opcode;
mod outside;
mod recording;
mod removal;
mod tags;
mod text;
mod types;
mod value;
mod verify;

pub use assembly::{assembly_may_round, inline_assembly_may_leave, module_assembly_has_code};
pub use call::{Call, CalleeRef, TailKind};
pub use charging::{ChargeAmount, ChargeEdit, Charging, ESTIMATE_PARTS};
pub use constant::{Constant, ConstantValue};
pub use contents::{Contents, ScalarValue};
pub use duplication::{BlockCopy, CallAt, Copyable, FunctionCopies, ReplacedCall};
pub use edit::{Edit, EditPoint, Plan, RegisterId};
pub use effects::{Access, MemoryEffects, ParameterFacts};
pub use flags::Flags;
pub use globals::{Global, GlobalKind, Initializer};
pub use ids::{ConstantId, DeclarationId, GlobalId, TagId, TagTypeId};
pub use layout::Layout;
pub use length::{BULK, BULK_TIMES, BYTES_PER_UNIT, BYTES_SHIFT, LONGEST_BULK, Length, LengthWork};
pub use linkage::Linkage;
pub use malformed::Malformed;
pub use metering::{BalanceLocation, Charged, FuelEdit, MeteredSite, Metering, SiteId, StraightId, Trips};
pub use module::{Block, Declaration, Flow, Function, Instruction, LatchFacts, Module};
pub use narrowing::{Narrow, Narrowing, Widened};
pub use opcode::{Opcode, Predicate};
pub use outside::Outside;
pub use recording::{
    Check, CheckInput, CheckStep, IntegerComparison, MOST_DEPTH, MOST_INPUTS, MOST_STEPS, MOST_SUMS,
    MOST_TERMS, PointId, PointKind, RecordEdit, RecordPoint, Recording,
};
pub use removal::{EventMarks, Removal, RemovalEdit};
pub use tags::Tag;
pub use text::{FunctionText, ParseError, parse_module, print_module};
pub use types::{Type, TypeId};
pub use value::Value;
pub use verify::verify;
