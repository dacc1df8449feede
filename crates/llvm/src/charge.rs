//! Carries out charges on the module its snapshot was taken of.
//!
//! As in `apply`, all handles are looked up before the first edit. Cells of loops and of what is kept become
//! registers by LLVM's own promotion, but in functions that call what returns twice.

use llvm_sys::prelude::LLVMValueRef;
use opcost_index::Id;
use opcost_ir::{ChargeEdit, Charging, CheckInput, PointId, RecordEdit, Value};
use opcost_key::FunctionId;
use rustc_hash::FxHashMap;

use crate::charge_ffi::{self, RawCharge};
use crate::ffi::{self, RawInput, RawStep};
use crate::session::{FunctionHandles, LlvmError, Maker, Session};
use crate::spots::Spots;

impl Session {
    /// Has the module add up what is predicted of it.
    ///
    /// # Errors
    /// The edited module does not verify, which is a defect of ours.
    pub fn charge(&mut self, charging: &Charging) -> Result<(), LlvmError> {
        let steps: Vec<Vec<RawStep>> = charging
            .charges
            .values()
            .map(|charge| charge.back_edges.iter().flatten().map(|&step| RawStep::of(step)).collect())
            .collect();
        let function = |id: FunctionId| self.functions[id].function;
        let raw: Vec<RawCharge> = charging
            .charges
            .values()
            .zip(&steps)
            .map(|(charge, steps)| RawCharge::of(charge, function(charge.function), steps))
            .collect();
        // SAFETY: the module is alive; the lists live until the call is over.
        let charges =
            unsafe { charge_ffi::opcost_predict_charges(self.module, raw.as_ptr(), raw.len() as u64) };
        for edits in charging.edits.chunk_by(|a, b| a.0 == b.0) {
            FunctionCharger::new(self, edits[0].0, charges).run(edits, charging);
        }
        if cfg!(debug_assertions) || self.maker == Maker::Anyone {
            self.verify()?;
        }
        Ok(())
    }
}

/// A loop's cells in its function's frame.
#[derive(Clone, Copy)]
struct Cells {
    buffer: LLVMValueRef,
    iterations: LLVMValueRef,
}

struct FunctionCharger<'a> {
    handles: &'a FunctionHandles,
    sites: Spots<'a>,
    charges: LLVMValueRef,
    /// Where inputs are noted; null in a function without loops.
    buffer: LLVMValueRef,
    cells: FxHashMap<PointId, Cells>,
    /// Cells of what is kept, by number: of its value, and of whether there is one.
    held: FxHashMap<u32, (LLVMValueRef, LLVMValueRef)>,
}

impl<'a> FunctionCharger<'a> {
    fn new(session: &'a Session, function: FunctionId, charges: LLVMValueRef) -> Self {
        let handles = &session.functions[function];
        let sites = Spots::new(handles);
        // SAFETY: a live function.
        unsafe { ffi::opcost_relax(handles.function) };
        let buffer = std::ptr::null_mut();
        Self { handles, sites, charges, buffer, cells: FxHashMap::default(), held: FxHashMap::default() }
    }

    fn run(mut self, edits: &[(FunctionId, ChargeEdit)], charging: &Charging) {
        let function = self.handles.function;
        for (_, edit) in edits {
            match edit {
                ChargeEdit::Prepare(RecordEdit::Enter { point, .. }) => {
                    if self.buffer.is_null() {
                        // SAFETY: a live function, here and below.
                        self.buffer = unsafe { charge_ffi::opcost_predict_buffer(function) };
                    }
                    // SAFETY: as above.
                    self.cells.entry(*point).or_insert_with(|| unsafe {
                        Cells {
                            buffer: ffi::opcost_values_cell(function, true),
                            iterations: ffi::opcost_values_cell(function, false),
                        }
                    });
                }
                ChargeEdit::Prepare(RecordEdit::Hold { cell, .. }) => {
                    // SAFETY: as above.
                    self.held.entry(*cell).or_insert_with(|| unsafe {
                        (ffi::opcost_values_empty(function), ffi::opcost_values_empty(function))
                    });
                }
                _ => {}
            }
        }
        for (_, edit) in edits {
            match edit {
                ChargeEdit::Prepare(edit) => self.prepare(edit),
                ChargeEdit::Charge { site, point } => {
                    let before = self.sites.before(*site);
                    let has_formula = charging.charges[*point].back_edges.is_some();
                    let buffer = if has_formula { self.buffer } else { std::ptr::null_mut() };
                    let index = point.index() as u64;
                    // SAFETY: a spot of the live function, and its buffer.
                    unsafe { charge_ffi::opcost_predict_charge(before, self.charges, index, buffer) };
                }
            }
        }
        // SAFETY: as above.
        let returns_twice = unsafe { ffi::opcost_returns_twice(function) };
        let held = self.held.values().flat_map(|&(cell, known)| [cell, known]);
        let cells: Vec<LLVMValueRef> =
            self.cells.values().flat_map(|cells| [cells.buffer, cells.iterations]).chain(held).collect();
        if !cells.is_empty() && !returns_twice {
            // SAFETY: allocas that we made in this function.
            unsafe { ffi::opcost_promote(function, cells.as_ptr(), cells.len() as u32) };
        }
    }

    /// The handle of an instruction or argument.
    fn value(&self, value: Value) -> LLVMValueRef {
        match value {
            Value::Instruction(id) => self.handles.instructions[id],
            // SAFETY: an argument of the live function.
            Value::Argument(position) => unsafe {
                llvm_sys::core::LLVMGetParam(self.handles.function, position)
            },
            _ => unreachable!("only instructions and arguments are inputs"),
        }
    }

    /// As the shim takes it; the kinds are those of `values.cpp`.
    fn input(&self, input: Option<CheckInput>) -> RawInput {
        let none = std::ptr::null_mut();
        let (kind, number, value, known) = match input {
            Some(CheckInput::Value(value)) => (0, 0, self.value(value), none),
            Some(CheckInput::Loaded { address, bits }) => (1, bits.into(), self.value(address), none),
            Some(CheckInput::Reread(load)) => (2, 0, self.handles.instructions[load], none),
            Some(CheckInput::Number(number)) => (3, number, none, none),
            Some(CheckInput::Iterations(around)) => (4, 0, self.cells[&around].iterations, none),
            Some(CheckInput::Held(cell)) => {
                let (cell, known) = self.held[&cell];
                (5, 0, cell, known)
            }
            None => (6, 0, none, none),
        };
        RawInput { kind, number, value, known }
    }

    fn prepare(&mut self, edit: &RecordEdit) {
        let before = self.sites.before(edit.spot());
        // SAFETY: handles of the live module and cells of this function, here and below.
        unsafe {
            match *edit {
                RecordEdit::Enter { point, .. } => {
                    let Cells { buffer, iterations } = self.cells[&point];
                    charge_ffi::opcost_predict_enter(before, self.buffer, buffer, iterations);
                }
                RecordEdit::Note { point, position, input, .. } => {
                    let input = self.input(Some(input));
                    ffi::opcost_values_note(before, self.cells[&point].buffer, position, &raw const input);
                }
                RecordEdit::Hold { cell, input, .. } => {
                    let input = self.input(input);
                    let (cell, known) = self.held[&cell];
                    ffi::opcost_values_hold(before, cell, known, &raw const input);
                }
                RecordEdit::Iteration { point, .. } => {
                    charge_ffi::opcost_predict_turn(before, self.cells[&point].iterations);
                }
                RecordEdit::Leave { .. } | RecordEdit::Record { .. } => {
                    unreachable!("charges need no such edit")
                }
            }
        }
    }
}
