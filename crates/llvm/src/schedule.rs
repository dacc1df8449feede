//! How long does the code of a module take on a processor, by LLVM's model of it?
//!
//! [`Session::schedule`] generates the module's code as it would be emitted, without
//! writing it, and has LLVM's simulator run its machine blocks (`shim/schedule.cpp`). The
//! processor is only asked for its model: the code is the same for every one. How often
//! machine blocks ran follows from counts of the module's blocks (`shim/flow.cpp`).
//!
//! Cost: a code generation, and some milliseconds for each loop that ran. Limits: no load
//! misses, no branch is mispredicted, calls return at once.

use std::ffi::{CString, c_char, c_void};

use llvm_sys::prelude::LLVMModuleRef;
use opcost_index::Id;
use opcost_key::FunctionId;

use crate::emit::Emission;
use crate::ffi::{self, RawEmission};
use crate::session::{LlvmError, Session};

/// A machine block that ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScheduledBlock {
    /// The function, among those that the module defines.
    pub function: FunctionId,
    /// The block of the module that it is made of, numbered through the module.
    pub block: Option<u32>,
    /// How often it ran.
    pub executions: f64,
    /// Cycles of one execution.
    pub cycles: f64,
    /// How often a conditional branch did not leave it by its most frequent edge.
    pub rare: f64,
    /// Machine instructions.
    pub instructions: u32,
    /// Those that the model does not know.
    pub strange: u32,
    /// Whether the counts did not decide how often it ran.
    pub is_guess: bool,
}

/// Mirrors `opcost_schedule_wish` in `schedule.h`.
#[repr(C)]
struct RawWish {
    processor: *const c_char,
    counts: *const u64,
    count: usize,
    capacities: *const u64,
    capacity_count: usize,
}

/// Mirrors `opcost_scheduled` in `schedule.h`.
#[repr(C)]
struct RawScheduled {
    function: u32,
    block: u32,
    executions: f64,
    cycles: f64,
    rare: f64,
    instructions: u32,
    strange: u32,
    is_guess: u8,
}

/// Mirrors `opcost_schedule_sink` in `schedule.h`.
#[repr(C)]
struct RawSink {
    data: *mut c_void,
    row: extern "C" fn(*mut c_void, *const RawScheduled),
    call: extern "C" fn(*mut c_void, u32, *const c_char, usize, f64),
    lines: extern "C" fn(*mut c_void, u32, u32, u32, f64, f64),
}

unsafe extern "C" {
    fn opcost_host_processor() -> *mut c_char;
    fn opcost_schedule(
        module: LLVMModuleRef,
        how: *const RawEmission,
        wish: *const RawWish,
        sink: *const RawSink,
    ) -> *mut c_char;
}

/// What ran in a module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scheduled {
    /// Machine blocks.
    pub blocks: Vec<ScheduledBlock>,
    /// Calls of functions that the module does not define, as its machine code makes them: also
    /// those that code generation made of intrinsics.
    pub calls: Vec<ScheduledCall>,
    /// Lines of memory that loops fetch from beyond a level of the cache.
    pub lines: Vec<FetchedLines>,
}

/// Lines of memory that a loop's own code fetches from beyond a level of the cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FetchedLines {
    /// The function.
    pub function: FunctionId,
    /// The first block of the loop, of the module.
    pub first: u32,
    /// The level, by position among those that were asked about.
    pub level: u32,
    /// Lines in a row.
    pub near: f64,
    /// Lines that are far from each other.
    pub far: f64,
}

/// A call out of the module.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduledCall {
    /// The function that calls.
    pub function: FunctionId,
    /// Linkage name of the function that is called.
    pub name: String,
    /// How often.
    pub executions: f64,
}

/// The name by which LLVM knows the processor that runs this: `znver4`.
pub fn host_processor() -> String {
    // SAFETY: it takes nothing, and gives a string that is ours.
    ffi::take_message(unsafe { opcost_host_processor() }).unwrap_or_default()
}

impl Session {
    /// Machine blocks of the last snapshot's module that ran, with the cycles that the model of
    /// `processor` expects. `counts` has for each block of the module how often it ran,
    /// `capacities` the bytes that each level of the cache holds.
    ///
    /// # Errors
    /// LLVM does not know the processor, or code generation fails.
    ///
    /// # Panics
    /// When the processor's name has a zero byte.
    pub fn schedule(
        self,
        how: Emission,
        processor: &str,
        counts: &[u64],
        capacities: &[u64],
    ) -> Result<Scheduled, LlvmError> {
        let name = CString::new(processor).expect("a processor's name has no zero byte");
        let wish = RawWish {
            processor: name.as_ptr(),
            counts: counts.as_ptr(),
            count: counts.len(),
            capacities: capacities.as_ptr(),
            capacity_count: capacities.len(),
        };
        let mut found = Scheduled::default();
        let sink = RawSink { data: (&raw mut found).cast(), row: on_row, call: on_call, lines: on_lines };
        // SAFETY: the module is alive; all that is pointed to outlives the call, in which alone the
        // sink's data is used.
        let wrong = unsafe { opcost_schedule(self.module, &how.raw(), &raw const wish, &raw const sink) };
        match ffi::take_message(wrong) {
            None => Ok(found),
            Some(message) => Err(LlvmError::Emission(message)),
        }
    }
}

extern "C" fn on_row(data: *mut c_void, row: *const RawScheduled) {
    // SAFETY: told by `opcost_schedule` during its call, with the data of `schedule` and a row that is alive.
    let (found, row) = unsafe { (&mut *data.cast::<Scheduled>(), &*row) };
    found.blocks.push(ScheduledBlock {
        function: FunctionId::new(row.function as usize),
        block: row.block.checked_sub(1),
        executions: row.executions,
        cycles: row.cycles,
        rare: row.rare,
        instructions: row.instructions,
        strange: row.strange,
        is_guess: row.is_guess != 0,
    });
}

extern "C" fn on_call(data: *mut c_void, function: u32, name: *const c_char, length: usize, executions: f64) {
    // SAFETY: as above; the name lives for the call.
    let (found, name) = unsafe { (&mut *data.cast::<Scheduled>(), ffi::borrowed(name, length)) };
    found.calls.push(ScheduledCall { function: FunctionId::new(function as usize), name, executions });
}

extern "C" fn on_lines(data: *mut c_void, function: u32, first: u32, level: u32, near: f64, far: f64) {
    // SAFETY: as above.
    let found = unsafe { &mut *data.cast::<Scheduled>() };
    found.lines.push(FetchedLines { function: FunctionId::new(function as usize), first, level, near, far });
}
