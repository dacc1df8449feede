//! First versions of functions, and later ones (`shim/live`).
//!
//! A first version is entered by a word, and its loops ask whether the rest is done by another. A later version is made
//! of the module's bitcode: of one function, and of continuations of its loops. How both fit is written there.
//!
//! Input: a module where the optimiser begins. Output: that module with words and checks, or one that holds a version.
//! Cost: of first versions linear; of a version what it and its callees have. Limits: [`ReplaceableFunction::why_not`] and
//! [`ReplaceableFunction::why_stays`].

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

use llvm_sys::core::LLVMContextCreate;
use llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};
use opcost_index::IdMap;
use opcost_key::live::{LiveObject, LiveValue, ReplaceableFunction, ReplaceableLoop, ValueFact, VersionPlan};

use crate::emit::Emission;
use crate::ffi::{self, RawEmission};
use crate::session::{LlvmError, Maker, Session, c_path};

/// Mirrors `opcost_live_sink` in `live/first.cpp`.
#[repr(C)]
struct RawSink {
    context: *mut c_void,
    function: extern "C" fn(*mut c_void, *const c_char, usize, u64, bool, *const c_char, *const c_char),
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
    words: *const *const c_char,
    word_count: usize,
    has_entry: u8,
    is_native: u8,
    block: extern "C" fn(*mut c_void, u32, u32),
    context: *mut c_void,
}

unsafe extern "C" {
    fn opcost_live_simplify(module: LLVMModuleRef, how: *const RawEmission) -> *mut c_char;
    fn opcost_live_share(module: LLVMModuleRef, number: u32);
    fn opcost_live_checks(module: LLVMModuleRef, with_loops: bool, sink: *const RawSink);
    fn opcost_live_words(module: LLVMModuleRef, number: u32);
    fn opcost_live_basis(
        context: LLVMContextRef,
        path: *const c_char,
        message: *mut *mut c_char,
    ) -> LLVMModuleRef;
    fn opcost_live_version(basis: LLVMModuleRef, request: *const RawRequest) -> *mut c_char;
    fn opcost_live_optimise(module: LLVMModuleRef, how: *const RawEmission, level: i32) -> *mut c_char;
    fn opcost_live_calls(module: LLVMModuleRef);
}

extern "C" fn take_function(
    all: *mut c_void,
    name: *const c_char,
    length: usize,
    instructions: u64,
    is_only: bool,
    why_not: *const c_char,
    why_stays: *const c_char,
) {
    // SAFETY: the context is that of `add_checks`; the texts live for the call, null is none.
    let (all, name, [why_not, why_stays]) = unsafe {
        let text = |words: *const c_char| {
            (!words.is_null()).then(|| CStr::from_ptr(words).to_string_lossy().into_owned())
        };
        let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
        (&mut *all.cast::<Vec<ReplaceableFunction>>(), name, [why_not, why_stays].map(text))
    };
    let symbol = String::from_utf8_lossy(name).into_owned();
    all.push(ReplaceableFunction {
        name: symbol.clone(),
        symbol,
        instructions,
        is_only,
        why_not,
        why_stays,
        ..ReplaceableFunction::default()
    });
}

extern "C" fn take_header(all: *mut c_void, block: u32, depth: u32, outer: u32, _values: u32) {
    // SAFETY: as above.
    let all = unsafe { &mut *all.cast::<Vec<ReplaceableFunction>>() };
    let outer = (outer != u32::MAX).then_some(outer);
    let function = all.last_mut().expect("a header comes after its function");
    function.loops.push(ReplaceableLoop { block, depth, outer, values: Vec::new() });
}

extern "C" fn take_variable(all: *mut c_void, name: *const c_char, length: usize, bytes: u64) {
    // SAFETY: as above; the name lives for the call.
    let (all, name) = unsafe {
        (&mut *all.cast::<Vec<ReplaceableFunction>>(), std::slice::from_raw_parts(name.cast::<u8>(), length))
    };
    let function = all.last_mut().expect("a variable comes after its function");
    function.variables.push((String::from_utf8_lossy(name).into_owned(), bytes));
}

extern "C" fn take_value(all: *mut c_void, is_fixed: bool, offset: u32, bytes: u32, object: u64) {
    // SAFETY: as above.
    let all = unsafe { &mut *all.cast::<Vec<ReplaceableFunction>>() };
    let header = all.last_mut().and_then(|function| function.loops.last_mut());
    header.expect("a value comes after its header").values.push(LiveValue {
        is_fixed,
        offset,
        bytes,
        object,
    });
}

extern "C" fn take_block(all: *mut c_void, instruction: u32, block: u32) {
    // SAFETY: the context is that of `version`.
    let all = unsafe { &mut *all.cast::<Vec<u32>>() };
    let number = instruction as usize;
    if all.len() < number {
        all.resize(number, u32::MAX);
    }
    all[number - 1] = block;
}

/// A fact as the shim has it.
fn raw(fact: ValueFact) -> (u8, u64) {
    match fact {
        ValueFact::Unknown => (0, 0),
        ValueFact::Fixed(value) => (1, value),
        ValueFact::Once(value) => (2, value),
    }
}

impl Session {
    /// Simplifies a front end's module for code that has to be there soon.
    ///
    /// # Errors
    /// No code generation for the module's machine.
    pub fn simplify(&mut self, how: Emission) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        let message = ffi::take_message(unsafe { opcost_live_simplify(self.module, &how.raw()) });
        message.map_or(Ok(()), |message| Err(LlvmError::Emission(message)))
    }

    /// Gives what is local to the module a name of the program, in which it has this number.
    pub fn share(&mut self, number: u32) {
        // SAFETY: the module is alive.
        unsafe { opcost_live_share(self.module, number) };
    }

    /// Says what can be replaced, and if `with_loops`, has loops ask whether the rest is done by another version.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn add_checks(&mut self, with_loops: bool) -> Result<Vec<ReplaceableFunction>, LlvmError> {
        let mut all: Vec<ReplaceableFunction> = Vec::new();
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

    /// Has functions entered by their words. For a module that was optimised, which has this number in the program.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn add_words(&mut self, number: u32) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        unsafe { opcost_live_words(self.module, number) };
        self.verify()
    }

    /// The optimiser's passes on a version, as clang runs them. Loops that add up are unrolled and jammed, too.
    ///
    /// # Errors
    /// No code generation for the module's machine.
    pub fn optimise_version(&mut self, how: Emission, level: u8) -> Result<(), LlvmError> {
        // SAFETY: the module is alive.
        let message =
            ffi::take_message(unsafe { opcost_live_optimise(self.module, &how.raw(), i32::from(level)) });
        message.map_or(Ok(()), |message| Err(LlvmError::Emission(message)))
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
}

/// A module that holds a version: `opc.entry`, and for each header `opc.rest` with its number.
pub struct VersionModule {
    /// The module.
    pub session: Session,
    /// Blocks of instructions, by their numbers in the module that it is made of. For [`Session::emit_sampled`].
    pub block_of: Vec<u32>,
}

/// A module of which versions are made: names were read, and functions are when they are needed.
pub struct Basis(Session);

impl Basis {
    /// Reads its names.
    ///
    /// # Errors
    /// The bitcode cannot be read.
    pub fn read(path: &Path) -> Result<Basis, LlvmError> {
        let path = c_path(path)?;
        // SAFETY: plain creation; disposed of in drop.
        let context = unsafe { LLVMContextCreate() };
        let mut message = std::ptr::null_mut();
        // SAFETY: all pointers are valid for the call.
        let module = unsafe { opcost_live_basis(context, path.as_ptr(), &mut message) };
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
            false => Ok(Basis(session)),
        }
    }

    /// Makes it a module that holds a version.
    ///
    /// # Errors
    /// It has no such function or loop.
    pub fn version(self, plan: &VersionPlan) -> Result<VersionModule, LlvmError> {
        let text = |text: &str| CString::new(text).map_err(|_| LlvmError::Path(text.to_owned()));
        let symbol = text(&plan.symbol)?;
        let names = plan.weights.iter().map(|one| text(&one.symbol)).collect::<Result<Vec<_>, _>>()?;
        let columns: Vec<(Vec<u32>, Vec<u32>, Vec<u64>)> = plan
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
        let weights: Vec<RawWeight> = plan
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
        let facts = plan.activation.as_ref();
        let values = facts.iter().flat_map(|facts| &facts.values).map(|fact| raw(*fact));
        let (is_known, values): (Vec<u8>, Vec<u64>) = values.unzip();
        let objects = || facts.iter().flat_map(|facts| &facts.memory);
        let variables = objects().map(|one| match &one.object {
            LiveObject::Variable(name) => text(name).map(Some),
            LiveObject::Frame(_) => Ok(None),
        });
        let variables = variables.collect::<Result<Vec<_>, _>>()?;
        let memory = objects().zip(&variables).map(|(one, variable)| RawMemory {
            variable: variable.as_ref().map_or(std::ptr::null(), |name| name.as_ptr()),
            value: if let LiveObject::Frame(value) = one.object { value } else { 0 },
            bytes: one.bytes.as_ptr(),
            length: one.bytes.len(),
        });
        let memory: Vec<RawMemory> = memory.collect();
        let called = plan.words.iter().map(|name| text(name)).collect::<Result<Vec<_>, _>>()?;
        let words: Vec<*const c_char> = called.iter().map(|name| name.as_ptr()).collect();
        let mut block_of: Vec<u32> = Vec::new();
        let request = RawRequest {
            function: symbol.as_ptr(),
            headers: plan.headers.as_ptr(),
            header_count: plan.headers.len(),
            known_header: facts.map_or(u32::MAX, |facts| facts.header),
            is_known: is_known.as_ptr(),
            values: values.as_ptr(),
            value_count: values.len(),
            memory: memory.as_ptr(),
            memory_count: memory.len(),
            weights: weights.as_ptr(),
            weight_count: weights.len(),
            words: words.as_ptr(),
            word_count: words.len(),
            has_entry: u8::from(plan.has_entry),
            is_native: u8::from(plan.is_native),
            block: take_block,
            context: (&raw mut block_of).cast(),
        };
        // SAFETY: the module and all that the request points to live for the call.
        let message = ffi::take_message(unsafe { opcost_live_version(self.0.module, &request) });
        match message {
            Some(message) => Err(LlvmError::Unreadable(message)),
            None => Ok(VersionModule { session: self.0, block_of }),
        }
    }
}
