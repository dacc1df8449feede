//! Takes instructions out of the module that the snapshot was taken of, and marks its loops.
//!
//! Handles of all spots are looked up before the first edit. Marks are put first, where
//! they are in the whole program; then operands become zero, branches are led elsewhere, and at the
//! very end deleted instructions go. The module is verified after it. Cost: linear.

use std::ffi::{CString, c_char};

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};
use opcost_ir::{EventMarks, Removal, RemovalEdit};
use opcost_key::FunctionId;
use rustc_hash::FxHashMap;

use crate::session::{LlvmError, Session};
use crate::spots::Spots;

unsafe extern "C" {
    fn opcost_make_events(
        module: LLVMModuleRef,
        count: u32,
        is_called: bool,
        names: *const c_char,
        constants: *const u64,
    ) -> LLVMValueRef;
    fn opcost_count_event(before: LLVMValueRef, cells: LLVMValueRef, event: u32);
    fn opcost_tell_event(module: LLVMModuleRef, before: LLVMValueRef, event: u32);
    fn opcost_lead_branch(terminator: LLVMValueRef, target: LLVMBasicBlockRef);
    fn opcost_return_nothing(terminator: LLVMValueRef);
    fn opcost_zero_operand(instruction: LLVMValueRef, operand: u32);
    fn opcost_delete(instruction: LLVMValueRef);
    fn opcost_settle_slice(module: LLVMModuleRef);
}

/// How a run reports its loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventForm {
    /// Each event is counted in place.
    Counted,
    /// The runtime is called at each event.
    Called,
}

/// The events that a program reports.
#[derive(Clone, Copy, Debug)]
pub struct Events<'a> {
    /// Where.
    pub marks: &'a EventMarks,
    /// How.
    pub form: EventForm,
    /// Names of all loops, a line each.
    pub names: &'a str,
    /// Three words of each loop. The first is how often its header runs at each entry, 0 if that is counted.
    /// The second is how often it is entered at each entry of another loop, or [`Events::COUNTED`]. The
    /// third is which loop that is. If the second is [`Events::KNOWN`], all is: the third is how often it is entered.
    pub constants: &'a [[u64; 3]],
}

impl Events<'_> {
    /// Entries are counted.
    pub const COUNTED: u64 = u64::MAX;
    /// All of a loop is known.
    pub const KNOWN: u64 = u64::MAX - 1;
    /// All of a loop is counted.
    pub const MEASURED: [u64; 3] = [0, Self::COUNTED, 0];
}

impl Session {
    /// Puts the marks, and carries out the removal, both made on the last snapshot.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn slice(&mut self, removal: &Removal, events: Option<Events<'_>>) -> Result<(), LlvmError> {
        let mut spots: FxHashMap<FunctionId, Spots<'_>> = FxHashMap::default();
        let edited = removal.edits.iter().map(|&(function, _)| function);
        let marked = events.iter().flat_map(|events| &events.marks.marks).map(|&(function, ..)| function);
        for function in edited.chain(marked) {
            spots.entry(function).or_insert_with(|| Spots::new(&self.functions[function]));
        }
        if let Some(events) = &events {
            self.mark(&mut spots, events);
        }
        let is_deletion = |edit: RemovalEdit| matches!(edit, RemovalEdit::Delete { .. });
        let (deletions, others): (Vec<_>, Vec<_>) =
            removal.edits.iter().copied().partition(|&(_, edit)| is_deletion(edit));
        for (function, edit) in others.into_iter().chain(deletions) {
            self.edit(&spots[&function], function, edit);
        }
        // SAFETY: the module is alive; its handles are not used any more.
        unsafe { opcost_settle_slice(self.module) };
        self.verify()
    }

    fn mark(&self, spots: &mut FxHashMap<FunctionId, Spots<'_>>, events: &Events<'_>) {
        let count = 2 * events.names.lines().count() as u32;
        let names = CString::new(events.names.replace('\0', "?")).expect("no zero is left");
        let is_called = events.form == EventForm::Called;
        assert_eq!(2 * events.constants.len(), count as usize, "three words for each loop");
        let constants = events.constants.as_flattened().as_ptr();
        // SAFETY: the module is alive, here and below, and the text terminated; there are three words for each
        // loop; spots are instructions of the module.
        let cells = unsafe { opcost_make_events(self.module, count, is_called, names.as_ptr(), constants) };
        for &(function, spot, event) in &events.marks.marks {
            let before = spots.get_mut(&function).expect("all were looked up").before(spot);
            match events.form {
                // SAFETY: as above.
                EventForm::Counted => unsafe { opcost_count_event(before, cells, event) },
                // SAFETY: as above.
                EventForm::Called => unsafe { opcost_tell_event(self.module, before, event) },
            }
        }
    }

    fn edit(&self, spots: &Spots<'_>, function: FunctionId, edit: RemovalEdit) {
        match edit {
            // SAFETY: handles of the live module that the plan's ids stand for, here and below. Each is
            // deleted once, after all others were used.
            RemovalEdit::Delete { instruction } => unsafe { opcost_delete(spots.instruction(instruction)) },
            // SAFETY: as above.
            RemovalEdit::Retarget { block, target } => unsafe {
                opcost_lead_branch(spots.terminators[block], self.functions[function].blocks[target]);
            },
            // SAFETY: as above.
            RemovalEdit::ReturnNothing { block } => unsafe {
                opcost_return_nothing(spots.terminators[block])
            },
            // SAFETY: as above.
            RemovalEdit::Zero { instruction, operand } => unsafe {
                opcost_zero_operand(spots.instruction(instruction), operand);
            },
        }
    }
}
