//! A module as plain values: what LLVM knows, copied out once.
//!
//! The `llvm` room fills a [`Module`]; analyses and instrumentation only read
//! it, and say what they want changed as [`Edit`]s, which the `llvm` room
//! carries out. So nothing above the fence holds a pointer into LLVM, and
//! everything above it can be tested on text.
//!
//! Cost: about 25 bytes an instruction beside its operands. Limit: a snapshot
//! knows what counting and the analyses need, not all of LLVM: constants other
//! than integers are kept as text, metadata is dropped but for places.

mod edit;
mod globals;
mod length;
mod metering;
mod module;
mod opcode;
mod text;
mod types;
mod verify;

pub use edit::{Edit, Plan, RegisterId, Spot};
pub use globals::{Global, GlobalKind, Initializer};
pub use length::{BYTES_PER_UNIT, BYTES_SHIFT, Length};
pub use metering::{FuelEdit, Keeper, Metering, Site, SiteId, Trips};
pub use module::{
    Block, Call, CalleeRef, Constant, ConstantId, Declaration, DeclarationId, Flow, Function, Instruction,
    Linkage, Module, TailKind, Value,
};
pub use opcode::{Opcode, Predicate};
pub use text::{FunctionText, ParseError, parse_module, print_module};
pub use types::{Type, TypeId};
pub use verify::{Malformed, verify};
