//! The fence around LLVM: the only room that declares or calls it.
//!
//! [`Session`] owns one module. [`Session::snapshot`] copies it out as plain
//! values; [`Session::apply`] carries out a [`Plan`](opcost_ir::Plan) made on
//! that snapshot; [`Session::emit`] turns the module into an object file whose
//! calls are tabled, [`Session::write_counted`] into bitcode from which that can be
//! done later. LLVM's fatal errors end the process, so the tool calls
//! this room in a child process.
//!
//! Unsafe code is confined to this crate: `ffi` declares the shim, everything
//! public is safe. Handles never leave.

mod apply;
mod assembly;
mod bits;
mod charge;
mod charge_ffi;
mod code_ffi;
mod copies;
mod detail;
mod emit;
mod facts;
mod facts_ffi;
mod ffi;
mod fork;
mod frames;
mod frequency;
mod fuel;
mod globals;
mod inlining;
mod keep;
mod life;
mod live;
mod machine;
mod narrow;
mod object;
mod operands;
mod operation_ffi;
mod order;
mod origin;
mod pgo;
mod places;
mod plugin;
mod portable;
mod reader;
mod referee;
mod schedule;
mod session;
mod shape;
mod sizes;
mod slice;
mod snapshot;
mod spots;
mod tags;
mod unrolling;
mod values;
mod weigh;

pub use assembly::{AssembledInstruction, Assembler, compile_in_memory, host_triple, write_assembly};
pub use bits::{LlvmBits, ParameterPromise};
pub use emit::{Emission, Position};
pub use fork::in_fork;
pub use frames::Frame;
pub use fuel::Guarded;
pub use keep::Kept;
pub use life::{LifeEvent, LifeInput, LifeItem, LifeRequest, RecordedCertainty, RecordedReferee, Stage};
pub use live::{Basis, VersionModule};
pub use machine::{Decoded, Leads, MachineOperation, MachineProgram, Operand, Syntax};
pub use object::{CodeSection, ObjectCode, ObjectRelocation, ObjectSymbol};
pub use order::{FlowBlock, FlowJump, MachineFlow, Ordering};
pub use origin::RecordedOrigins;
pub use pgo::{INDIRECT_CALLS, PgoCounter, PgoEdge, PgoFunction, PgoRecord, PgoTarget, write_pgo};
pub use portable::PortableLibrary;
pub use schedule::{FetchedLines, Scheduled, ScheduledBlock, ScheduledCall, host_processor};
pub use session::{LlvmError, Maker, Session};
pub use shape::{FunctionShape, ShapeMember};
pub use sizes::LlvmSizes;
pub use slice::{EventForm, Events};
pub use unrolling::{LoopRequest, NumberedLoop, UNROLL_CHOICES};
pub use weigh::Weighed;

/// Version of LLVM that is linked in, as clang prints it: `22.1.8`.
pub fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the three pointers are valid for writes.
    unsafe { llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    format!("{major}.{minor}.{patch}")
}

/// MD5 of bytes as 32 digits, as debug information has it of files.
pub fn md5(bytes: &[u8]) -> String {
    let mut digits = [0u8; 32];
    // SAFETY: the bytes are readable, and 32 digits are written.
    unsafe { ffi::opcost_md5(bytes.as_ptr(), bytes.len(), digits.as_mut_ptr().cast()) };
    String::from_utf8_lossy(&digits).into_owned()
}
