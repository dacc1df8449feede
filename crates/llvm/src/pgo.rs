//! Where would clang's profile passes count, and how is what they counted written?
//!
//! [`Session::to_pgo`] brings a module as the front end left it to where those passes
//! find it. [`Session::pgo_counters`] asks the pass that would put counters in which
//! ones those are; each is told as the ways by which control comes to it, in blocks
//! of the module as it was. [`write_pgo`] writes counts of them as the file that
//! `clang -fprofile-use` and `rustc -Cprofile-use` read. All is LLVM's own: pipeline,
//! hashes, names, format (`shim/pgo.cpp`).
//!
//! Cost: half of an optimisation to get there, then linear. Limits: which value a
//! select chose and which sizes copies had is not known of anything that counts blocks;
//! the file has a place for it, and nothing in it. Of calls through pointers it holds
//! what the caller takes for their targets.

use std::ffi::{c_char, c_void};
use std::path::Path;

use llvm_sys::prelude::LLVMModuleRef;
use opcost_index::Id;
use opcost_key::{BlockId, FunctionId};

use crate::emit::Emission;
use crate::ffi::{self, RawEmission};
use crate::session::{LlvmError, Session, c_path};

/// One way into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PgoEdge {
    /// The function is called.
    Entry,
    /// A successor of a terminator.
    Branch {
        /// The block that ends in it.
        block: BlockId,
        /// The successor's position.
        slot: u32,
    },
}

/// What a counter counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgoCounter {
    /// It counts how often any of these ways is taken.
    pub edges: Vec<PgoEdge>,
    /// Of those, only where a select chose its first value.
    pub is_select: bool,
}

/// A function that is profiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgoFunction {
    /// Which.
    pub function: FunctionId,
    /// Its name in profiles.
    pub name: String,
    /// The hash of its flow graph by which LLVM knows it again.
    pub hash: u64,
    /// Its counters, in order.
    pub counters: Vec<PgoCounter>,
    /// By kind, how many values would be profiled.
    pub sites: Vec<u32>,
}

/// What was counted of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgoRecord {
    /// Its name in profiles.
    pub name: String,
    /// The hash of its flow graph.
    pub hash: u64,
    /// Counts of its counters.
    pub counts: Vec<u64>,
    /// By kind, how many values would be profiled.
    pub sites: Vec<u32>,
    /// Whom its calls through pointers called, in order of the calls.
    pub targets: Vec<PgoTarget>,
}

/// A function that was called through a pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgoTarget {
    /// Which of the function's calls through pointers, in program order.
    pub site: u32,
    /// The called function's name in profiles.
    pub name: String,
    /// How often.
    pub calls: u64,
}

/// The kind of value that the targets of calls through pointers are
/// (`IPVK_IndirectCallTarget`).
pub const INDIRECT_CALLS: usize = 0;

/// The largest count that is one (`getInstrMaxCountValue`). The two above it are LLVM's marks for functions that are
/// hot or warm and have no counts.
pub(crate) const LARGEST_COUNT: u64 = u64::MAX - 2;

/// Mirrors `opcost_pgo_sink` in `pgo.cpp`.
#[repr(C)]
struct RawSink {
    context: *mut c_void,
    function: extern "C" fn(*mut c_void, u32, *const c_char, usize, u64, u32),
    counter: extern "C" fn(*mut c_void, u32, bool, *const u32, usize),
    sites: extern "C" fn(*mut c_void, u32, u32),
}

/// Mirrors `opcost_pgo_record` in `pgo.cpp`.
#[repr(C)]
struct RawRecord {
    name: *const u8,
    name_length: usize,
    hash: u64,
    counts: *const u64,
    count: usize,
    sites: *const u32,
    kinds: usize,
    targets: *const RawTarget,
    target_count: usize,
}

/// Mirrors `opcost_pgo_target` in `pgo.cpp`.
#[repr(C)]
struct RawTarget {
    name: *const u8,
    name_length: usize,
    calls: u64,
    site: u32,
}

unsafe extern "C" {
    fn opcost_pgo_anchor(
        module: LLVMModuleRef,
        how: *const RawEmission,
        level: i32,
        path: *const c_char,
    ) -> *mut c_char;
    fn opcost_pgo_counters(module: LLVMModuleRef, sink: *const RawSink);
    fn opcost_pgo_write(path: *const c_char, records: *const RawRecord, count: usize) -> *mut c_char;
}

impl Session {
    /// Writes the module, which the front end made, as the profile passes find it. `level` is that
    /// of the optimiser (0 to 3, 4 for `-Os`, 5 for `-Oz`).
    ///
    /// # Errors
    /// There is no such machine, or the file cannot be written.
    pub fn to_pgo(self, how: Emission, level: u8, path: &Path) -> Result<(), LlvmError> {
        let path = c_path(path)?;
        // SAFETY: the module is alive, the path terminated, the options live for the call.
        let wrong = unsafe { opcost_pgo_anchor(self.module, &how.raw(), i32::from(level), path.as_ptr()) };
        ffi::take_message(wrong).map_or(Ok(()), |message| Err(LlvmError::Emission(message)))
    }

    /// What the profile passes would count in the module, as it is now.
    pub fn pgo_counters(self) -> Vec<PgoFunction> {
        let mut found: Vec<PgoFunction> = Vec::new();
        let sink = RawSink {
            context: (&raw mut found).cast(),
            function: on_function,
            counter: on_counter,
            sites: on_sites,
        };
        // SAFETY: the module is alive; the sink's context outlives the call, in which alone it is used.
        unsafe { opcost_pgo_counters(self.module, &sink) };
        found
    }
}

/// What is being collected.
///
/// # Safety
/// `context` is the one that [`Session::pgo_counters`] gave, during its call.
unsafe fn collected<'a>(context: *mut c_void) -> &'a mut Vec<PgoFunction> {
    // SAFETY: by this function's contract.
    unsafe { &mut *context.cast::<Vec<PgoFunction>>() }
}

extern "C" fn on_function(
    context: *mut c_void,
    number: u32,
    name: *const c_char,
    length: usize,
    hash: u64,
    counters: u32,
) {
    // SAFETY: told by `opcost_pgo_counters` during its call, here and below; the name lives for it.
    let (found, name) = unsafe { (collected(context), ffi::borrowed(name, length)) };
    found.push(PgoFunction {
        function: FunctionId::new(number as usize),
        name,
        hash,
        counters: vec![PgoCounter::default(); counters as usize],
        sites: Vec::new(),
    });
}

extern "C" fn on_counter(context: *mut c_void, index: u32, is_select: bool, ways: *const u32, count: usize) {
    // SAFETY: see above; `count` pairs stand at `ways` (which may be null if there is none).
    let (found, pairs) = unsafe {
        let pairs: &[[u32; 2]] =
            if count == 0 { &[] } else { std::slice::from_raw_parts(ways.cast(), count) };
        (collected(context), pairs)
    };
    let way = |&[block, slot]: &[u32; 2]| match block {
        u32::MAX => PgoEdge::Entry,
        block => PgoEdge::Branch { block: BlockId::new(block as usize), slot },
    };
    let function = found.last_mut().expect("a function is described before its counters");
    if let Some(counter) = function.counters.get_mut(index as usize) {
        *counter = PgoCounter { edges: pairs.iter().map(way).collect(), is_select };
    }
}

extern "C" fn on_sites(context: *mut c_void, kind: u32, count: u32) {
    // SAFETY: see above.
    let found = unsafe { collected(context) };
    let sites = &mut found.last_mut().expect("a function is described before its sites").sites;
    sites.resize(sites.len().max(kind as usize + 1), 0);
    sites[kind as usize] = count;
}

/// Writes an indexed profile of these functions; what has one name and hash is added.
///
/// # Errors
/// Two functions of one name have other hashes' counters, or the file cannot be written.
pub fn write_pgo(path: &Path, records: &[PgoRecord]) -> Result<(), LlvmError> {
    let path = c_path(path)?;
    let target = |one: &PgoTarget| RawTarget {
        name: one.name.as_ptr(),
        name_length: one.name.len(),
        calls: one.calls.min(LARGEST_COUNT),
        site: one.site,
    };
    let counts = |record: &PgoRecord| record.counts.iter().map(|&count| count.min(LARGEST_COUNT)).collect();
    let counts: Vec<Vec<u64>> = records.iter().map(counts).collect();
    let targets: Vec<Vec<RawTarget>> =
        records.iter().map(|record| record.targets.iter().map(target).collect()).collect();
    let raw = |((record, targets), counts): ((&PgoRecord, &Vec<RawTarget>), &Vec<u64>)| RawRecord {
        name: record.name.as_ptr(),
        name_length: record.name.len(),
        hash: record.hash,
        counts: counts.as_ptr(),
        count: counts.len(),
        sites: record.sites.as_ptr(),
        kinds: record.sites.len(),
        targets: targets.as_ptr(),
        target_count: targets.len(),
    };
    let raw: Vec<RawRecord> = records.iter().zip(&targets).zip(&counts).map(raw).collect();
    // SAFETY: the records, their counts and their targets live for the call, the path is terminated.
    let wrong = unsafe { opcost_pgo_write(path.as_ptr(), raw.as_ptr(), raw.len()) };
    ffi::take_message(wrong).map_or(Ok(()), |message| Err(LlvmError::Emission(message)))
}
