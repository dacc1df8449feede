//! What became of chosen instructions on their way to machine code?
//!
//! The shim tells it as it happens (`shim/life`); this file turns what it tells
//! into plain values: the states of each function whose chosen instructions
//! changed, why something went, and where the bytes lie. The module is used up.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

use crate::emit::Emission;
use crate::ffi;
use crate::machine::{MachineOperation, operation};
use crate::operation_ffi::RawOperation;
use crate::session::{LlvmError, Session, c_path};

/// Where a state is on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// LLVM IR.
    Ir,
    /// The graph of a block (SelectionDAG).
    Dag,
    /// Machine instructions.
    Machine,
}

/// How sure it is that something comes from an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordedCertainty {
    /// It carries its number.
    #[default]
    Exact,
    /// LLVM made it of several instructions, and said so.
    Merged,
    /// It serves, carries or replaces what comes from it.
    Inferred,
}

/// One instruction or node of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LifeItem {
    /// Its serial number: no other has it, in no state of any stage.
    pub node: u64,
    /// Number of the IR instruction that it comes from, from 1; 0 if that is not
    /// known.
    pub number: u32,
    /// Whether that was asked for.
    pub is_chosen: bool,
    /// How sure the number is.
    pub certainty: RecordedCertainty,
    /// `sdiv`, `IDIV32r`
    pub operation: String,
    /// All of it.
    pub text: String,
    /// The block where it is.
    pub block: String,
    /// What it works on, in the order of its operands.
    pub inputs: Vec<LifeInput>,
}

/// One result of a node that another works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LifeInput {
    /// Which node of the state.
    pub node: u64,
    /// Which of its results, from 0; nodes of a graph may have several.
    pub result: u16,
}

impl LifeInput {
    /// The result is above the number (`dag.cpp`).
    fn new(raw: u64) -> LifeInput {
        LifeInput { node: raw & 0xffff_ffff_ffff, result: (raw >> 48) as u16 }
    }
}

/// What happened, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LifeEvent {
    /// How the chosen instructions of a function are after a pass.
    State {
        /// Where.
        stage: Stage,
        /// The pass.
        pass: String,
        /// Linkage name.
        function: String,
        /// Those that are new, or another; of functions that are reported whole, all.
        items: Vec<LifeItem>,
        /// Nodes of those that are no more.
        gone: Vec<u64>,
    },
    /// Why something became another thing, or went.
    Reason {
        /// Where.
        stage: Stage,
        /// The pass.
        pass: String,
        /// Linkage name.
        function: String,
        /// Which one, by its number in the state that follows, or before.
        node: u64,
        /// In words.
        text: String,
    },
    /// A machine instruction and its bytes.
    Bytes {
        /// Linkage name.
        function: String,
        /// The machine instruction; `text` is empty if it was not asked for.
        item: LifeItem,
        /// Its first byte, from the start of the function.
        from: u64,
        /// The byte after its last.
        to: u64,
        /// What went to the encoder, as LLVM prints it.
        encoded: String,
        /// The pass that made it.
        creator: String,
        /// What it is there for, by its maker: `spill`, `frame set-up`.
        kind: String,
        /// What went to the encoder, in functions that have a chosen instruction.
        operations: Vec<MachineOperation>,
    },
    /// What watching took, at the end.
    Work {
        /// Instructions and nodes that were compared with the state before.
        compared: u64,
        /// Those of them that were printed.
        printed: u64,
        /// How inference answers where LLVM kept the truth.
        referee: RecordedReferee,
    },
}

/// Copies and constants that LLVM gave a location, asked for without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedReferee {
    /// Inferred as LLVM has it.
    pub right: u64,
    /// Inferred otherwise.
    pub wrong: u64,
    /// Nothing is inferred.
    pub silent: u64,
}

/// What to record.
#[derive(Clone, Debug, Default)]
pub struct LifeRequest {
    /// Numbers of the instructions to follow, as [`Session::identify`] gives them:
    /// in program order from 1.
    pub numbers: Vec<u32>,
    /// Whether functions that have one of them are reported whole.
    pub is_whole: bool,
    /// The optimiser's level, if the module is as the front end left it: 0 to 3,
    /// 4 of `-Os`, 5 of `-Oz`.
    pub optimise: Option<u8>,
}

impl Session {
    /// Optimises the module, generates code into an object file, and says what
    /// became of the instructions; with no request nobody looks on. The object is
    /// the same.
    ///
    /// # Errors
    /// Code generation fails, the file cannot be written, or a hook does not fire.
    pub fn record(
        self,
        object: &Path,
        how: Emission,
        optimise: Option<u8>,
        request: Option<&LifeRequest>,
    ) -> Result<Vec<LifeEvent>, LlvmError> {
        let path = c_path(object)?;
        let raw = how.raw();
        let mut events: Vec<LifeEvent> = Vec::new();
        let sink = ffi::RawSink {
            context: (&raw mut events).cast(),
            state: on_state,
            item: on_item,
            gone: on_gone,
            reason: on_reason,
            bytes: on_bytes,
            work: on_work,
        };
        let numbers = request.map_or(&[][..], |request| &request.numbers);
        // SAFETY: everything outlives the call; the sink's context is the list.
        let message = ffi::take_message(unsafe {
            ffi::opcost_life_run(
                self.module,
                path.as_ptr(),
                &raw,
                optimise.map_or(-1, i32::from),
                if request.is_some() { &sink } else { std::ptr::null() },
                numbers.as_ptr(),
                numbers.len(),
                request.is_some_and(|request| request.is_whole),
            )
        });
        message.map_or(Ok(events), |message| Err(LlvmError::Emission(message)))
    }
}

fn stage(number: u8) -> Stage {
    match number {
        1 => Stage::Ir,
        2 => Stage::Dag,
        _ => Stage::Machine,
    }
}

fn text(words: *const c_char) -> String {
    // SAFETY: the shim's texts are terminated and live as long as the call.
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}

fn events<'a>(context: *mut c_void) -> &'a mut Vec<LifeEvent> {
    // SAFETY: the context is the list of `record`, which waits; nobody else has it.
    unsafe { &mut *context.cast() }
}

fn item(raw: *const ffi::RawItem) -> LifeItem {
    // SAFETY: the shim's item lives as long as the call.
    let raw = unsafe { &*raw };
    let inputs = if raw.input_count == 0 {
        &[][..]
    } else {
        // SAFETY: so many numbers lie there.
        unsafe { std::slice::from_raw_parts(raw.inputs, raw.input_count as usize) }
    };
    LifeItem {
        node: raw.node,
        number: raw.number,
        is_chosen: raw.is_chosen != 0,
        certainty: match raw.certainty {
            0 => RecordedCertainty::Exact,
            1 => RecordedCertainty::Merged,
            _ => RecordedCertainty::Inferred,
        },
        operation: text(raw.operation),
        text: text(raw.text),
        block: text(raw.block),
        inputs: inputs.iter().copied().map(LifeInput::new).collect(),
    }
}

extern "C" fn on_state(context: *mut c_void, number: u8, pass: *const c_char, function: *const c_char) {
    let (pass, function) = (text(pass), text(function));
    events(context).push(LifeEvent::State {
        stage: stage(number),
        pass,
        function,
        items: Vec::new(),
        gone: Vec::new(),
    });
}

extern "C" fn on_item(context: *mut c_void, raw: *const ffi::RawItem) {
    if let Some(LifeEvent::State { items, .. }) = events(context).last_mut() {
        items.push(item(raw));
    }
}

extern "C" fn on_gone(context: *mut c_void, node: u64) {
    if let Some(LifeEvent::State { gone, .. }) = events(context).last_mut() {
        gone.push(node);
    }
}

extern "C" fn on_reason(
    context: *mut c_void,
    number_of_stage: u8,
    pass: *const c_char,
    function: *const c_char,
    node: u64,
    words: *const c_char,
) {
    let (stage, pass, function, text) = (stage(number_of_stage), text(pass), text(function), text(words));
    events(context).push(LifeEvent::Reason { stage, pass, function, node, text });
}

extern "C" fn on_bytes(
    context: *mut c_void,
    function: *const c_char,
    raw: *const ffi::RawItem,
    from: u64,
    to: u64,
    encoded: *const c_char,
    creator: *const c_char,
    kind: *const c_char,
    operations: *const RawOperation,
    count: usize,
) {
    let (function, encoded, creator, kind) = (text(function), text(encoded), text(creator), text(kind));
    let operations = if count == 0 {
        &[][..]
    } else {
        // SAFETY: so many lie there as long as the call.
        unsafe { std::slice::from_raw_parts(operations, count) }
    };
    // SAFETY: their operands live as long.
    let operations = operations.iter().map(|raw| unsafe { operation(raw) }).collect();
    let item = item(raw);
    events(context).push(LifeEvent::Bytes { function, item, from, to, encoded, creator, kind, operations });
}

extern "C" fn on_work(context: *mut c_void, looked: u64, printed: u64, right: u64, wrong: u64, silent: u64) {
    let referee = RecordedReferee { right, wrong, silent };
    events(context).push(LifeEvent::Work { compared: looked, printed, referee });
}
