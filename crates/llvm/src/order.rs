//! Emits a module whose machine blocks lie in an order of the caller's.
//!
//! [`Session::emit_ordered`] generates the module's code. Of each function the caller sees the machine blocks with
//! their sizes, and how often they and the edges between them ran ([`MachineFlow`]). It answers with an order, the
//! first block first (`shim/order.cpp`). Counts of machine blocks follow from those of the module's blocks
//! (`shim/flow.cpp`). Cost: that of a code generation. Limits: sizes are estimates, nearly right.

use std::ffi::{c_char, c_void};
use std::path::Path;

use llvm_sys::prelude::LLVMModuleRef;

use crate::emit::Emission;
use crate::ffi::{self, RawEmission};
use crate::session::{LlvmError, Session, c_path};

/// A machine block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FlowBlock {
    /// Its length, nearly.
    pub bytes: u64,
    /// How often it ran.
    pub executions: u64,
}

/// An edge between machine blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct FlowJump {
    /// Position of the block that ends.
    pub from: u32,
    /// Position of the block that runs next.
    pub to: u32,
    /// How often.
    pub taken: u64,
}

/// The machine code of a function as LLVM has placed it.
#[derive(Clone, Debug)]
pub struct MachineFlow<'a> {
    /// Linkage name.
    pub name: String,
    /// Its blocks, the entry first.
    pub blocks: &'a [FlowBlock],
    /// Its edges.
    pub jumps: &'a [FlowJump],
}

/// How code is ordered.
pub struct Ordering<'a> {
    /// For each block of the module, how often it ran. Without any, machine blocks run as often as LLVM estimates
    /// by the module's weights.
    pub counts: &'a [u64],
    /// Whether blocks that never ran go to a section of their own.
    pub splits: bool,
    /// Gives an order of a function's blocks: the positions of all blocks, 0 first; none to leave it.
    pub order: &'a mut dyn FnMut(MachineFlow<'_>) -> Option<Vec<u32>>,
}

/// Mirrors `opcost_shown_function` in `order.cpp`.
#[repr(C)]
struct RawShown {
    name: *const c_char,
    name_length: usize,
    blocks: *const FlowBlock,
    block_count: usize,
    jumps: *const FlowJump,
    jump_count: usize,
    order: *mut u32,
}

/// Mirrors `opcost_order_sink` in `order.cpp`.
#[repr(C)]
struct RawSink {
    context: *mut c_void,
    counts: *const u64,
    count: usize,
    splits: u8,
    function: extern "C" fn(*mut c_void, *const RawShown),
}

unsafe extern "C" {
    fn opcost_emit_ordered(
        module: LLVMModuleRef,
        path: *const c_char,
        how: *const RawEmission,
        sink: *const RawSink,
    ) -> *mut c_char;
}

impl Session {
    /// Writes an object file with its machine blocks in the order that is asked for.
    ///
    /// # Errors
    /// Code generation fails or the file cannot be written.
    ///
    /// # Panics
    /// An order does not have each block once, or another block than the entry first.
    pub fn emit_ordered(
        self,
        path: &Path,
        how: Emission,
        mut ordering: Ordering<'_>,
    ) -> Result<(), LlvmError> {
        let text = c_path(path)?;
        let sink = RawSink {
            context: (&raw mut ordering).cast(),
            counts: ordering.counts.as_ptr(),
            count: ordering.counts.len(),
            splits: u8::from(ordering.splits),
            function: on_function,
        };
        // SAFETY: the module is alive; all that is pointed to outlives the call, in which alone the
        // sink's context is used.
        let wrong = unsafe { opcost_emit_ordered(self.module, text.as_ptr(), &how.raw(), &raw const sink) };
        match ffi::take_message(wrong) {
            None => Ok(()),
            Some(message) => Err(LlvmError::Emission(message)),
        }
    }
}

extern "C" fn on_function(context: *mut c_void, shown: *const RawShown) {
    // SAFETY: called by `opcost_emit_ordered` during its call, with the context of `emit_ordered` and a
    // function whose arrays are alive; the order has as many items as there are blocks.
    let (ordering, flow, order) = unsafe {
        let shown = &*shown;
        let flow = MachineFlow {
            name: ffi::borrowed(shown.name, shown.name_length),
            blocks: std::slice::from_raw_parts(shown.blocks, shown.block_count),
            jumps: if shown.jump_count == 0 {
                &[]
            } else {
                std::slice::from_raw_parts(shown.jumps, shown.jump_count)
            },
        };
        let order = std::slice::from_raw_parts_mut(shown.order, shown.block_count);
        (&mut *context.cast::<Ordering<'_>>(), flow, order)
    };
    let Some(wanted) = (ordering.order)(flow) else { return };
    let mut sorted = wanted.clone();
    sorted.sort_unstable();
    let is_whole = sorted.iter().copied().eq(0..order.len() as u32);
    assert!(is_whole && wanted[0] == 0, "an order of blocks has each of them once, the entry first");
    order.copy_from_slice(&wanted);
}
