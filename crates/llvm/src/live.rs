//! First versions of functions, and later ones (`shim/live`).
//!
//! A first version is entered by a word, and its loops ask whether the rest is done by another. A later version is made
//! of the module's bitcode: of one function, and of continuations of its loops. How both fit is written there.
//!
//! Input: a module where the optimiser begins. Output: that module with words and checks, or one that holds a version.
//! Cost: of first versions linear; of a version what it and its callees have. Limits: [`LiveFunction::why_not`] and
//! [`LiveFunction::why_stays`].

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

use llvm_sys::core::LLVMContextCreate;
use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
use opcost_index::IdMap;

use crate::ffi;
use crate::session::{LlvmError, Maker, Session, c_path};

/// A function of a module that is run with versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveFunction {
    /// Its symbol in the program.
    pub symbol: String,
    /// Why it has no versions.
    pub why_not: Option<String>,
    /// Why its running activations are not left.
    pub why_stays: Option<String>,
    /// Loops at which they are.
    pub loops: Vec<LiveLoop>,
    /// Variables that it reads, and their bytes.
    pub variables: Vec<(String, u64)>,
}

/// A loop at whose header a running activation may be left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveLoop {
    /// Number of the header's block in its function.
    pub block: u32,
    /// 1 is an outermost loop.
    pub depth: u32,
    /// The header of the next such loop around it.
    pub outer: Option<u32>,
    /// What the rest of the function needs.
    pub values: Vec<LiveValue>,
}

/// A value that the rest of a function needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveValue {
    /// Whether it is the same in all iterations of all loops around.
    pub is_fixed: bool,
    /// Where it lies among the values.
    pub offset: u32,
    /// Its bytes, if it is a whole number or a pointer; else 0.
    pub bytes: u32,
    /// Bytes of the frame's object that it points to; 0 if it points to none.
    pub object: u64,
}

/// How often branches of a function were taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchWeights {
    /// The function's symbol.
    pub symbol: String,
    /// How often it was called.
    pub entries: u64,
    /// Block, position of the successor, how often; by block.
    pub branches: Vec<(u32, u32, u64)>,
}

/// A version that is wanted.
#[derive(Clone, Copy, Debug)]
pub struct VersionRequest<'a> {
    /// Bitcode of the module, as [`Session::write`] wrote it after [`Session::share`].
    pub basis: &'a Path,
    /// The function's symbol.
    pub symbol: &'a str,
    /// Headers of loops of which there are continuations.
    pub headers: &'a [u32],
    /// What is known of a running activation.
    pub known: Option<KnownActivation<'a>>,
    /// What is known of branches.
    pub weights: &'a [BranchWeights],
    /// Whether there is a whole function to be entered.
    pub has_entry: bool,
    /// Whether all that this processor can do may be used.
    pub is_native: bool,
}

/// What is known of a running activation.
#[derive(Clone, Copy, Debug)]
pub struct KnownActivation<'a> {
    /// At this header.
    pub header: u32,
    /// Its values there, in their order.
    pub values: &'a [KnownValue],
    /// Objects, and their first bytes.
    pub memory: &'a [KnownMemory<'a>],
}

/// What is known of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownValue {
    /// Nothing.
    Unknown,
    /// No loop changes it.
    Fixed(u64),
    /// At that moment it was this.
    Once(u64),
}

/// The first bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownMemory<'a> {
    /// Which object.
    pub object: KnownObject<'a>,
    /// What it held.
    pub bytes: &'a [u8],
}

/// An object of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownObject<'a> {
    /// A variable, by its symbol.
    Variable(&'a str),
    /// What a value at the header points to: an object of its frame.
    Frame(u32),
}

/// Mirrors `opcost_live_sink` in `live/first.cpp`.
#[repr(C)]
struct RawSink {
    context: *mut c_void,
    function: extern "C" fn(*mut c_void, *const c_char, usize, *const c_char, *const c_char),
    header: extern "C" fn(*mut c_void, u32, u32, u32, u32),
    value: extern "C" fn(*mut c_void, bool, u32, u32, u64),
    variable: extern "C" fn(*mut c_void, *const c_char, usize, u64),
}

/// Mirrors `opcost_live_weight` in `live/version.cpp`.
#[repr(C)]
struct RawWeight {
    function: *const c_char,
    entries: u64,
    blocks: *const u32,
    slots: *const u32,
    counts: *const u64,
    count: usize,
}

/// Mirrors `opcost_live_memory` in `live/version.cpp`.
#[repr(C)]
struct RawMemory {
    variable: *const c_char,
    value: u32,
    bytes: *const u8,
    length: usize,
}

/// Mirrors `opcost_live_request` in `live/version.cpp`.
#[repr(C)]
struct RawRequest {
    basis: *const c_char,
    function: *const c_char,
    headers: *const u32,
    header_count: usize,
    known_header: u32,
    is_known: *const u8,
    values: *const u64,
    value_count: usize,
    memory: *const RawMemory,
    memory_count: usize,
    weights: *const RawWeight,
    weight_count: usize,
    has_entry: u8,
    is_native: u8,
}

unsafe extern "C" {
    fn opcost_live_share(module: LLVMModuleRef, number: u32);
    fn opcost_live_checks(module: LLVMModuleRef, with_loops: bool, sink: *const RawSink);
    fn opcost_live_words(module: LLVMModuleRef);
    fn opcost_live_version(
        context: LLVMContextRef,
        request: *const RawRequest,
        message: *mut *mut c_char,
    ) -> LLVMModuleRef;
    fn opcost_live_calls(module: LLVMModuleRef);
}

extern "C" fn take_function(
    all: *mut c_void,
    name: *const c_char,
    length: usize,
    why_not: *const c_char,
    why_stays: *const c_char,
) {
    // SAFETY: the context is that of `add_checks`; the texts live for the call, null is none.
    let (all, name, [why_not, why_stays]) = unsafe {
        let text = |words: *const c_char| {
            (!words.is_null()).then(|| CStr::from_ptr(words).to_string_lossy().into_owned())
        };
        let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
        (&mut *all.cast::<Vec<LiveFunction>>(), name, [why_not, why_stays].map(text))
    };
    let symbol = String::from_utf8_lossy(name).into_owned();
    all.push(LiveFunction { symbol, why_not, why_stays, ..LiveFunction::default() });
}

extern "C" fn take_header(all: *mut c_void, block: u32, depth: u32, outer: u32, _values: u32) {
    // SAFETY: as above.
    let all = unsafe { &mut *all.cast::<Vec<LiveFunction>>() };
    let outer = (outer != u32::MAX).then_some(outer);
    let function = all.last_mut().expect("a header comes after its function");
    function.loops.push(LiveLoop { block, depth, outer, values: Vec::new() });
}

extern "C" fn take_variable(all: *mut c_void, name: *const c_char, length: usize, bytes: u64) {
    // SAFETY: as above; the name lives for the call.
    let (all, name) = unsafe {
        (&mut *all.cast::<Vec<LiveFunction>>(), std::slice::from_raw_parts(name.cast::<u8>(), length))
    };
    let function = all.last_mut().expect("a variable comes after its function");
    function.variables.push((String::from_utf8_lossy(name).into_owned(), bytes));
}

extern "C" fn take_value(all: *mut c_void, is_fixed: bool, offset: u32, bytes: u32, object: u64) {
    // SAFETY: as above.
    let all = unsafe { &mut *all.cast::<Vec<LiveFunction>>() };
    let header = all.last_mut().and_then(|function| function.loops.last_mut());
    header.expect("a value comes after its header").values.push(LiveValue {
        is_fixed,
        offset,
        bytes,
        object,
    });
}

impl KnownValue {
    /// As the shim has it.
    fn raw(self) -> (u8, u64) {
        match self {
            KnownValue::Unknown => (0, 0),
            KnownValue::Fixed(value) => (1, value),
            KnownValue::Once(value) => (2, value),
        }
    }
}

impl<'a> KnownObject<'a> {
    fn variable(self) -> Option<&'a str> {
        match self {
            KnownObject::Variable(name) => Some(name),
            KnownObject::Frame(_) => None,
        }
    }

    fn value(self) -> u32 {
        match self {
            KnownObject::Variable(_) => 0,
            KnownObject::Frame(value) => value,
        }
    }
}

impl Session {
    /// Gives what is local to the module a name of the program, in which it has this number.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn share(&mut self, number: u32) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        unsafe { opcost_live_share(self.module, number) };
        self.verify()
    }

    /// Says what can be replaced, and if `with_loops`, has loops ask whether the rest is done by another version.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn add_checks(&mut self, with_loops: bool) -> Result<Vec<LiveFunction>, LlvmError> {
        let mut all: Vec<LiveFunction> = Vec::new();
        let context = (&raw mut all).cast();
        let sink = RawSink {
            context,
            function: take_function,
            header: take_header,
            value: take_value,
            variable: take_variable,
        };
        // SAFETY: the module and the sink are alive for the call.
        unsafe { opcost_live_checks(self.module, with_loops, &sink) };
        self.verify()?;
        Ok(all)
    }

    /// Has functions entered by their words. For a module that was optimised.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn add_words(&mut self) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        unsafe { opcost_live_words(self.module) };
        self.verify()
    }

    /// Has a version call others by their words. For one that was optimised.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn call_by_words(&mut self) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        unsafe { opcost_live_calls(self.module) };
        self.verify()
    }

    /// A module that holds a version: `opc.entry`, and for each header `opc.rest` with its number.
    ///
    /// # Errors
    /// The bitcode cannot be read, or has no such function or loop.
    pub fn version(request: &VersionRequest<'_>) -> Result<Session, LlvmError> {
        let basis = c_path(request.basis)?;
        let text = |text: &str| CString::new(text).map_err(|_| LlvmError::Path(text.to_owned()));
        let symbol = text(request.symbol)?;
        let names = request.weights.iter().map(|one| text(&one.symbol)).collect::<Result<Vec<_>, _>>()?;
        let columns: Vec<(Vec<u32>, Vec<u32>, Vec<u64>)> = request
            .weights
            .iter()
            .map(|one| {
                let rows = one.branches.iter();
                (
                    rows.clone().map(|row| row.0).collect(),
                    rows.clone().map(|row| row.1).collect(),
                    rows.map(|row| row.2).collect(),
                )
            })
            .collect();
        let weights: Vec<RawWeight> = request
            .weights
            .iter()
            .zip(&names)
            .zip(&columns)
            .map(|((one, name), (blocks, slots, counts))| RawWeight {
                function: name.as_ptr(),
                entries: one.entries,
                blocks: blocks.as_ptr(),
                slots: slots.as_ptr(),
                counts: counts.as_ptr(),
                count: counts.len(),
            })
            .collect();
        let nothing = KnownActivation { header: u32::MAX, values: &[], memory: &[] };
        let known = request.known.unwrap_or(nothing);
        let (is_known, values): (Vec<u8>, Vec<u64>) = known.values.iter().map(|value| value.raw()).unzip();
        let variables = known.memory.iter().map(|one| one.object.variable().map(text).transpose());
        let variables = variables.collect::<Result<Vec<_>, _>>()?;
        let memory: Vec<RawMemory> = known
            .memory
            .iter()
            .zip(&variables)
            .map(|(one, variable)| RawMemory {
                variable: variable.as_ref().map_or(std::ptr::null(), |name| name.as_ptr()),
                value: one.object.value(),
                bytes: one.bytes.as_ptr(),
                length: one.bytes.len(),
            })
            .collect();
        let raw = RawRequest {
            basis: basis.as_ptr(),
            function: symbol.as_ptr(),
            headers: request.headers.as_ptr(),
            header_count: request.headers.len(),
            known_header: known.header,
            is_known: is_known.as_ptr(),
            values: values.as_ptr(),
            value_count: values.len(),
            memory: memory.as_ptr(),
            memory_count: memory.len(),
            weights: weights.as_ptr(),
            weight_count: weights.len(),
            has_entry: u8::from(request.has_entry),
            is_native: u8::from(request.is_native),
        };
        // SAFETY: plain creation; disposed of in drop.
        let context = unsafe { LLVMContextCreate() };
        let mut message = std::ptr::null_mut();
        // SAFETY: all that the request points to lives for the call.
        let module = unsafe { opcost_live_version(context, &raw, &mut message) };
        let session = Session {
            context,
            maker: Maker::FrontEnd,
            is_hardened: false,
            module,
            functions: IdMap::new(),
            declarations: IdMap::new(),
        };
        match module.is_null() {
            true => Err(LlvmError::Unreadable(ffi::take_message(message).unwrap_or_default())),
            false => Ok(session),
        }
    }
}
