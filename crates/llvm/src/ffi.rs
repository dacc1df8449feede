//! Declarations of the C++ shim (`shim/*.cpp`); each is described there.

use std::ffi::{c_char, c_void};

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMContextRef, LLVMMetadataRef, LLVMModuleRef, LLVMValueRef};

use crate::operation_ffi::RawOperation;

/// How an object is emitted; mirrors `opcost_emission` in `emit.cpp`.
#[repr(C)]
pub(crate) struct RawEmission {
    pub(crate) level: i32,
    pub(crate) position: u8,
    pub(crate) function_sections: u8,
    pub(crate) data_sections: u8,
    pub(crate) keep_calls_apart: u8,
    pub(crate) map_hash: *const u8,
    pub(crate) call_sites: *const u32,
    pub(crate) call_site_count: u32,
    pub(crate) code_table: u8,
    pub(crate) block_of: *const u32,
    pub(crate) numbered: u32,
    pub(crate) allocate_registers: u8,
}

/// How a value is recorded; mirrors `Record` in `values.cpp`.
#[repr(C)]
pub(crate) struct RawRecord {
    pub(crate) poison: *mut c_void,
    pub(crate) is_signed: bool,
    pub(crate) is_mantissa: bool,
}

/// How often a loop goes round; mirrors `Trips` in `trips.cpp`.
#[repr(C)]
pub(crate) struct RawTrips {
    pub(crate) counter: LLVMValueRef,
    pub(crate) test: LLVMValueRef,
    pub(crate) bound: u32,
    pub(crate) is_next_tested: bool,
    pub(crate) step_bits: u32,
    pub(crate) is_down: bool,
    pub(crate) is_divisible: bool,
    pub(crate) most: u64,
    pub(crate) cost: u32,
}

/// What says how often a loop went back; mirrors `Induction` in `apply.cpp`.
#[repr(C)]
pub(crate) struct RawInduction {
    pub(crate) phi: LLVMValueRef,
    pub(crate) next: LLVMValueRef,
    /// Null without a bound.
    pub(crate) test: LLVMValueRef,
    pub(crate) bound: u32,
    pub(crate) is_next: bool,
    pub(crate) may_overflow: bool,
    pub(crate) step: i64,
}

/// One step of a check; mirrors `opcost_step` in `values.cpp`.
#[repr(C)]
pub(crate) struct RawStep {
    operation: u32,
    argument: u32,
    low: u64,
    high: u64,
}

impl RawStep {
    pub(crate) fn of(step: opcost_ir::CheckStep) -> RawStep {
        let (operation, argument, constant) = step.encode();
        RawStep { operation, argument, low: constant as u64, high: (constant >> 64) as u64 }
    }
}

/// What a check needs; mirrors `opcost_input` in `values.cpp`.
#[repr(C)]
pub(crate) struct RawInput {
    pub(crate) kind: u32,
    pub(crate) number: u64,
    pub(crate) value: LLVMValueRef,
    pub(crate) known: LLVMValueRef,
}

/// What is recorded; mirrors `opcost_point` in `values.cpp`.
#[repr(C)]
pub(crate) struct RawPoint {
    pub(crate) kind: u32,
    pub(crate) check: u32,
    pub(crate) input_count: u32,
    pub(crate) step_count: u32,
    pub(crate) steps: *const RawStep,
}

/// One thing of a state; mirrors `Item` in `life/recorder.h`.
#[repr(C)]
pub(crate) struct RawItem {
    pub(crate) node: u64,
    pub(crate) number: u32,
    pub(crate) is_chosen: u8,
    pub(crate) certainty: u8,
    pub(crate) operation: *const c_char,
    pub(crate) text: *const c_char,
    pub(crate) block: *const c_char,
    pub(crate) inputs: *const u64,
    pub(crate) input_count: u32,
}

type Reason = extern "C" fn(*mut c_void, u8, *const c_char, *const c_char, u64, *const c_char);
type Placed = extern "C" fn(
    *mut c_void,
    *const c_char,
    *const RawItem,
    u64,
    u64,
    *const c_char,
    *const c_char,
    *const c_char,
    *const RawOperation,
    usize,
);

/// The receiver of reports; mirrors `Sink` in `life/recorder.h`.
#[repr(C)]
pub(crate) struct RawSink {
    pub(crate) context: *mut c_void,
    pub(crate) state: extern "C" fn(*mut c_void, u8, *const c_char, *const c_char),
    pub(crate) item: extern "C" fn(*mut c_void, *const RawItem),
    pub(crate) gone: extern "C" fn(*mut c_void, u64),
    pub(crate) reason: Reason,
    pub(crate) bytes: Placed,
    pub(crate) work: extern "C" fn(*mut c_void, u64, u64, u64, u64, u64),
}

/// Bytes of somebody else; mirrors `opcost_bytes` in `keep.cpp`.
#[repr(C)]
pub(crate) struct RawBytes {
    data: *const u8,
    length: usize,
}

impl RawBytes {
    /// Leads to these bytes as long as they live.
    pub(crate) const fn of(bytes: &[u8]) -> RawBytes {
        RawBytes { data: bytes.as_ptr(), length: bytes.len() }
    }

    /// The bytes.
    ///
    /// # Safety
    /// They are alive.
    pub(crate) unsafe fn bytes<'a>(&self) -> &'a [u8] {
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts(self.data, self.length) }
    }
}

unsafe extern "C" {
    pub(crate) fn opcost_free(text: *mut c_char);
    pub(crate) fn opcost_read(
        context: LLVMContextRef,
        path: *const c_char,
        message: *mut *mut c_char,
    ) -> LLVMModuleRef;
    pub(crate) fn opcost_admit(module: LLVMModuleRef) -> *mut c_char;
    pub(crate) fn opcost_link(
        context: LLVMContextRef,
        module: LLVMModuleRef,
        path: *const c_char,
        is_trusted: bool,
    ) -> *mut c_char;
    pub(crate) fn opcost_home(function: LLVMValueRef, part: u32, length: *mut usize) -> *const c_char;
    pub(crate) fn opcost_producer(module: LLVMModuleRef, position: u32, length: *mut usize) -> *const c_char;
    pub(crate) fn opcost_file_md5(file: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    pub(crate) fn opcost_md5(bytes: *const u8, count: usize, digits: *mut c_char);
    pub(crate) fn opcost_tag_origins(module: LLVMModuleRef);
    pub(crate) fn opcost_origins(instruction: LLVMValueRef, to: *mut u32, room: u32) -> u32;
    pub(crate) fn opcost_make_calls(module: LLVMModuleRef, names: *const *const c_char, count: u32);
    pub(crate) fn opcost_rename_declared(
        module: LLVMModuleRef,
        names: *const *const c_char,
        count: u32,
        prefix: *const c_char,
    ) -> u32;
    pub(crate) fn opcost_link_needed(
        context: LLVMContextRef,
        module: LLVMModuleRef,
        path: *const c_char,
        prefix: *const c_char,
    ) -> *mut c_char;
    pub(crate) fn opcost_guard_counter(module: LLVMModuleRef, stores: *mut u32, guarded: *mut u32);
    pub(crate) fn opcost_spell_out(module: LLVMModuleRef);
    pub(crate) fn opcost_pack_variadic(
        module: LLVMModuleRef,
        names: *const *const c_char,
        count: u32,
        prefix: *const c_char,
    );
    pub(crate) fn opcost_portable_start(module: LLVMModuleRef) -> bool;
    pub(crate) fn opcost_enclose(module: LLVMModuleRef);
    pub(crate) fn opcost_retarget(module: LLVMModuleRef, triple: *const c_char) -> *mut c_char;
    pub(crate) fn opcost_verify(module: LLVMModuleRef) -> *mut c_char;
    pub(crate) fn opcost_call_facts(call: LLVMValueRef) -> u32;
    pub(crate) fn opcost_called_function(call: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn opcost_scope_function(scope: LLVMMetadataRef, length: *mut usize) -> *const c_char;
    pub(crate) fn opcost_flow(terminator: LLVMValueRef) -> u32;
    pub(crate) fn opcost_branch_weights(terminator: LLVMValueRef, weights: *mut u32, count: u32) -> u32;
    pub(crate) fn opcost_is_address_taken(function: LLVMValueRef) -> bool;
    pub(crate) fn opcost_is_called_oddly(function: LLVMValueRef) -> bool;

    pub(crate) fn opcost_global_facts(global: LLVMValueRef) -> u32;
    pub(crate) fn opcost_implicit_section(global: LLVMValueRef) -> *mut c_char;
    pub(crate) fn opcost_global_place(variable: LLVMValueRef, line: *mut u32) -> LLVMMetadataRef;
    pub(crate) fn opcost_initializer_count(module: LLVMModuleRef, at_end: bool) -> u32;
    pub(crate) fn opcost_initializer(
        module: LLVMModuleRef,
        at_end: bool,
        position: u32,
        priority: *mut u32,
    ) -> LLVMValueRef;
    pub(crate) fn opcost_metadata_name(
        module: LLVMModuleRef,
        position: u32,
        length: *mut usize,
    ) -> *const c_char;
    pub(crate) fn opcost_text_attribute(
        function: LLVMValueRef,
        position: u32,
        length: *mut usize,
    ) -> *const c_char;
    pub(crate) fn opcost_function_extras(function: LLVMValueRef) -> u32;
    pub(crate) fn opcost_assembly_names(module: LLVMModuleRef) -> *mut c_char;
    pub(crate) fn opcost_is_empty_assembly(call: LLVMValueRef) -> bool;
    pub(crate) fn opcost_assembly_text(
        call: LLVMValueRef,
        constraints: bool,
        length: *mut usize,
    ) -> *const c_char;
    pub(crate) fn opcost_module_assembly(module: LLVMModuleRef, length: *mut usize) -> *const c_char;
    pub(crate) fn opcost_copied_bytes(call: LLVMValueRef) -> u64;

    pub(crate) fn opcost_identify(module: LLVMModuleRef);
    pub(crate) fn opcost_identify_mapped(module: LLVMModuleRef, for_copies: bool);
    pub(crate) fn opcost_strip_debug(module: LLVMModuleRef);

    pub(crate) fn opcost_make_counters(
        module: LLVMModuleRef,
        count: u32,
        map_hash: *const u8,
    ) -> LLVMValueRef;
    pub(crate) fn opcost_thread_base(
        module: LLVMModuleRef,
        function: LLVMValueRef,
        cells: LLVMValueRef,
    ) -> LLVMValueRef;
    pub(crate) fn opcost_start_of_block(block: LLVMBasicBlockRef) -> LLVMValueRef;
    pub(crate) fn opcost_count(before: LLVMValueRef, base: LLVMValueRef, index: u32);
    pub(crate) fn opcost_split_edge(terminator: LLVMValueRef, slot: u32) -> LLVMValueRef;
    pub(crate) fn opcost_count_by_predecessor(
        target: LLVMBasicBlockRef,
        before: LLVMValueRef,
        terminators: *const LLVMValueRef,
        indices: *const u32,
        count: u32,
        base: LLVMValueRef,
        scratch: u32,
    );
    pub(crate) fn opcost_count_again(
        module: LLVMModuleRef,
        call: LLVMValueRef,
        base: LLVMValueRef,
        index: u32,
    );
    pub(crate) fn opcost_make_register(function: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn opcost_return_here(branch: LLVMValueRef);
    pub(crate) fn opcost_clear(before: LLVMValueRef, cell: LLVMValueRef);
    pub(crate) fn opcost_count_in_register(before: LLVMValueRef, cell: LLVMValueRef);
    pub(crate) fn opcost_assembly_reads_files(module: LLVMModuleRef) -> bool;
    pub(crate) fn opcost_count_iterations(
        before: LLVMValueRef,
        induction: RawInduction,
        base: LLVMValueRef,
        index: u32,
    );
    pub(crate) fn opcost_flush(before: LLVMValueRef, cell: LLVMValueRef, base: LLVMValueRef, index: u32);
    pub(crate) fn opcost_begin_path(before: LLVMValueRef, cell: LLVMValueRef, value: i64);
    pub(crate) fn opcost_add_to_path(before: LLVMValueRef, cell: LLVMValueRef, value: i64);
    pub(crate) fn opcost_count_path(
        before: LLVMValueRef,
        cell: LLVMValueRef,
        base: LLVMValueRef,
        value: i64,
        first: u32,
    );
    pub(crate) fn opcost_fuel_promote(function: LLVMValueRef, register: LLVMValueRef);
    pub(crate) fn opcost_promote(function: LLVMValueRef, cells: *const LLVMValueRef, count: u32);
    pub(crate) fn opcost_keep_frame(call: LLVMValueRef);
    pub(crate) fn opcost_rename(function: LLVMValueRef, name: *const c_char);
    pub(crate) fn opcost_watch(module: LLVMModuleRef, function: LLVMValueRef);
    pub(crate) fn opcost_relax(function: LLVMValueRef);

    pub(crate) fn opcost_values_points(
        module: LLVMModuleRef,
        points: *const RawPoint,
        count: u32,
        hash: *const u8,
    ) -> LLVMValueRef;
    pub(crate) fn opcost_values_cell(function: LLVMValueRef, is_slot: bool) -> LLVMValueRef;
    pub(crate) fn opcost_values_enter(
        before: LLVMValueRef,
        points: LLVMValueRef,
        index: u32,
        slot: LLVMValueRef,
        turns: LLVMValueRef,
    );
    pub(crate) fn opcost_values_empty(function: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn opcost_values_hold(
        before: LLVMValueRef,
        cell: LLVMValueRef,
        known: LLVMValueRef,
        input: *const RawInput,
    );
    pub(crate) fn opcost_values_note(
        before: LLVMValueRef,
        slot: LLVMValueRef,
        position: u32,
        input: *const RawInput,
    );
    pub(crate) fn opcost_values_turn(
        before: LLVMValueRef,
        slot: LLVMValueRef,
        turns: LLVMValueRef,
        may_leave: bool,
    );
    pub(crate) fn opcost_values_leave(
        before: LLVMValueRef,
        points: LLVMValueRef,
        index: u32,
        slot: LLVMValueRef,
        turns: LLVMValueRef,
    );
    pub(crate) fn opcost_values_record(
        before: LLVMValueRef,
        points: LLVMValueRef,
        index: u32,
        value: LLVMValueRef,
        how: RawRecord,
    );
    pub(crate) fn opcost_poison_new(function: LLVMValueRef) -> *mut c_void;
    pub(crate) fn opcost_poison_free(poison: *mut c_void);
    pub(crate) fn opcost_narrow_records(original: LLVMValueRef, narrow: LLVMValueRef, is_signed: bool);
    pub(crate) fn opcost_returns_twice(function: LLVMValueRef) -> bool;

    pub(crate) fn opcost_emit(
        module: LLVMModuleRef,
        path: *const c_char,
        how: *const RawEmission,
    ) -> *mut c_char;
    pub(crate) fn opcost_embed_map(module: LLVMModuleRef, path: *const c_char);

    pub(crate) fn opcost_embed(module: LLVMModuleRef, section: *const c_char, bytes: *const u8, count: usize);
    pub(crate) fn opcost_hidden_cell(module: LLVMModuleRef) -> LLVMValueRef;
    pub(crate) fn opcost_probe_stacks(module: LLVMModuleRef);
    pub(crate) fn opcost_trap_unreachable(module: LLVMModuleRef);
    pub(crate) fn opcost_fuel_cell(module: LLVMModuleRef) -> LLVMValueRef;
    pub(crate) fn opcost_fuel_load(
        before: LLVMValueRef,
        register: LLVMValueRef,
        cell: LLVMValueRef,
        advance: i64,
    );
    pub(crate) fn opcost_fuel_store(
        before: LLVMValueRef,
        register: LLVMValueRef,
        cell: LLVMValueRef,
        advance: i64,
    );
    pub(crate) fn opcost_add_length(
        instruction: LLVMValueRef,
        first: i32,
        second: i32,
        is_moved: bool,
        base: LLVMValueRef,
        index: u32,
    );
    pub(crate) fn opcost_fuel_charge_length(
        instruction: LLVMValueRef,
        register: LLVMValueRef,
        first: i32,
        second: i32,
        is_moved: bool,
    );
    pub(crate) fn opcost_fuel_charge_trips(before: LLVMValueRef, register: LLVMValueRef, trips: RawTrips);
    pub(crate) fn opcost_life_run(
        module: LLVMModuleRef,
        path: *const c_char,
        how: *const RawEmission,
        optimise: i32,
        sink: *const RawSink,
        numbers: *const u32,
        count: usize,
        is_whole: bool,
    ) -> *mut c_char;
    pub(crate) fn opcost_make_hand(function: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn opcost_fuel_take(
        before: LLVMValueRef,
        register: LLVMValueRef,
        hand: LLVMValueRef,
        advance: i64,
    );
    pub(crate) fn opcost_fuel_give(
        before: LLVMValueRef,
        register: LLVMValueRef,
        hand: LLVMValueRef,
        advance: i64,
    );
    pub(crate) fn opcost_hand_over(
        module: LLVMModuleRef,
        functions: *const LLVMValueRef,
        hands: *const LLVMValueRef,
        is_handed: *const bool,
        count: usize,
    );
    pub(crate) fn opcost_fuel_tell(before: LLVMValueRef, register: LLVMValueRef, advance: i64, straight: u32);
    pub(crate) fn opcost_fuel_reach(instruction: LLVMValueRef, straight: u32, done: i64, known: u32);
    pub(crate) fn opcost_fuel_charge(before: LLVMValueRef, register: LLVMValueRef, amount: i64);
    pub(crate) fn opcost_fuel_site(
        module: LLVMModuleRef,
        function: *const c_char,
        file: *const c_char,
        line: u32,
    ) -> LLVMValueRef;
    pub(crate) fn opcost_fuel_check(
        module: LLVMModuleRef,
        before: LLVMValueRef,
        register: LLVMValueRef,
        cell: LLVMValueRef,
        advance: i64,
        site: LLVMValueRef,
        ends: bool,
    );

    pub(crate) fn opcost_plugin_objection(module: LLVMModuleRef) -> *mut c_char;
    pub(crate) fn opcost_plugin_open(module: LLVMModuleRef) -> u32;
    pub(crate) fn opcost_plugin_close(module: LLVMModuleRef, cost_model: *const c_char, overshoot: u64);

    pub(crate) fn opcost_write(module: LLVMModuleRef, path: *const c_char) -> *mut c_char;
    pub(crate) fn opcost_keep(module: LLVMModuleRef, strings: *const RawBytes, count: u32);
    pub(crate) fn opcost_kept(module: LLVMModuleRef) -> u32;
    pub(crate) fn opcost_kept_strings(module: LLVMModuleRef, strings: *mut RawBytes, count: u32) -> bool;
}

/// Takes over a message that the shim made; `None` for null.
pub(crate) fn take_message(message: *mut c_char) -> Option<String> {
    if message.is_null() {
        return None;
    }
    // SAFETY: the shim returns null or a terminated string from strdup.
    let text = unsafe { std::ffi::CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // SAFETY: it came from strdup and is not used after this.
    unsafe { opcost_free(message) };
    Some(text)
}

/// Takes over a message that LLVM made.
pub(crate) fn take_llvm_message(message: *mut c_char) -> String {
    // SAFETY: LLVM returns a terminated string.
    let text = unsafe { std::ffi::CStr::from_ptr(message) }.to_string_lossy().into_owned();
    // SAFETY: LLVM's messages are freed by LLVM, once.
    unsafe { llvm_sys::core::LLVMDisposeMessage(message.cast::<c_void>().cast()) };
    text
}

/// A text that LLVM owns, by pointer and length.
///
/// # Safety
/// `text` points to `length` bytes that live for the call, or `length` is 0.
pub(crate) unsafe fn borrowed(text: *const c_char, length: usize) -> String {
    if length == 0 || text.is_null() {
        return String::new();
    }
    // SAFETY: by this function's contract.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
