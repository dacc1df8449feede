//! Carries out a recording on the module its snapshot was taken of.
//!
//! As in `apply`, all handles are looked up before the first edit. The cells of
//! loops become registers at the end by LLVM's own promotion; in functions that
//! call what returns twice they stay in memory, where the second return finds
//! them as they are.

use llvm_sys::prelude::LLVMValueRef;
use opcost_index::Id;
use opcost_ir::{CheckInput, PointId, PointKind, RecordEdit, Recording, Value};
use opcost_key::{FunctionId, Hash128};
use rustc_hash::FxHashMap;

use crate::ffi::{self, RawInput, RawPoint, RawStep};
use crate::session::{FunctionHandles, LlvmError, Maker, Session};
use crate::spots::Spots;

impl Session {
    /// Carries out a recording. `hash` ties it to the list of its points.
    ///
    /// # Errors
    /// A name with a zero byte; or the edited module does not verify, which is
    /// a defect of ours.
    pub fn record_values(&mut self, recording: &Recording, hash: Hash128) -> Result<(), LlvmError> {
        for (declaration, name) in &recording.renames {
            let text = std::ffi::CString::new(name.as_str()).map_err(|_| LlvmError::Path(name.clone()))?;
            // SAFETY: a declared function of the live module.
            unsafe { ffi::opcost_rename(self.declarations[*declaration], text.as_ptr()) };
        }
        let points = self.points(recording, hash);
        for edits in recording.edits.chunk_by(|a, b| a.0 == b.0) {
            FunctionRecorder::new(self, edits[0].0, recording, points).run(edits);
        }
        if cfg!(debug_assertions) || self.maker == Maker::Anyone {
            self.verify()?;
        }
        Ok(())
    }

    fn points(&self, recording: &Recording, hash: Hash128) -> LLVMValueRef {
        let steps: Vec<Vec<RawStep>> = recording
            .points
            .values()
            .map(|point| {
                point.check.iter().flat_map(|check| &check.steps).map(|&step| RawStep::of(step)).collect()
            })
            .collect();
        let raw: Vec<RawPoint> = recording
            .points
            .values()
            .zip(&steps)
            .map(|(point, steps)| RawPoint {
                kind: match point.kind {
                    PointKind::BackEdges => 0,
                    PointKind::Unsigned | PointKind::Mantissa => 1,
                    PointKind::Signed => 2,
                    PointKind::Float => 3,
                },
                check: point.check.as_ref().map_or(0, |check| {
                    1 | u32::from(check.is_exact) << 1 | u32::from(check.has_assumptions) << 2
                }),
                input_count: point.check.as_ref().map_or(0, |check| {
                    let inputs = check.steps.iter().filter_map(|step| match step {
                        opcost_ir::CheckStep::Input(position) => Some(position + 1),
                        _ => None,
                    });
                    inputs.max().unwrap_or(0)
                }),
                step_count: steps.len() as u32,
                steps: steps.as_ptr(),
            })
            .collect();
        let hash = hash.0.to_le_bytes();
        // SAFETY: the module is alive; the lists live until the call is over.
        unsafe { ffi::opcost_values_points(self.module, raw.as_ptr(), raw.len() as u32, hash.as_ptr()) }
    }
}

/// A loop's cells in its function's frame.
#[derive(Clone, Copy)]
struct Cells {
    slot: LLVMValueRef,
    iterations: LLVMValueRef,
}

struct FunctionRecorder<'a> {
    handles: &'a FunctionHandles,
    spots: Spots<'a>,
    recording: &'a Recording,
    points: LLVMValueRef,
    cells: FxHashMap<PointId, Cells>,
    /// Cells of what is kept, by number: of its value, and of whether there is one.
    held: FxHashMap<u32, (LLVMValueRef, LLVMValueRef)>,
    /// Which values are poison, found out where it is asked.
    poison: *mut std::ffi::c_void,
}

impl Drop for FunctionRecorder<'_> {
    fn drop(&mut self) {
        // SAFETY: made with it, and used by nobody else.
        unsafe { ffi::opcost_poison_free(self.poison) };
    }
}

impl<'a> FunctionRecorder<'a> {
    fn new(
        session: &'a Session,
        function: FunctionId,
        recording: &'a Recording,
        points: LLVMValueRef,
    ) -> Self {
        let handles = &session.functions[function];
        let spots = Spots::new(handles);
        // SAFETY: a live function.
        unsafe { ffi::opcost_relax(handles.function) };
        // SAFETY: as above; nothing was added to it yet.
        let poison = unsafe { ffi::opcost_poison_new(handles.function) };
        let (cells, held) = (FxHashMap::default(), FxHashMap::default());
        Self { handles, spots, recording, points, cells, held, poison }
    }

    fn run(mut self, edits: &[(FunctionId, RecordEdit)]) {
        for (_, edit) in edits {
            if let RecordEdit::Enter { point, .. } = edit {
                let function = self.handles.function;
                // SAFETY: a live function, here and below.
                self.cells.entry(*point).or_insert_with(|| unsafe {
                    Cells {
                        slot: ffi::opcost_values_cell(function, true),
                        iterations: ffi::opcost_values_cell(function, false),
                    }
                });
            }
            if let RecordEdit::Hold { cell, .. } = edit {
                let function = self.handles.function;
                // SAFETY: as above.
                self.held.entry(*cell).or_insert_with(|| unsafe {
                    (ffi::opcost_values_empty(function), ffi::opcost_values_empty(function))
                });
            }
        }
        for (_, edit) in edits {
            self.edit(edit);
        }
        // SAFETY: as above.
        let returns_twice = unsafe { ffi::opcost_returns_twice(self.handles.function) };
        let held = self.held.values().flat_map(|&(cell, known)| [cell, known]);
        let cells: Vec<LLVMValueRef> =
            self.cells.values().flat_map(|cells| [cells.slot, cells.iterations]).chain(held).collect();
        if !cells.is_empty() && !returns_twice {
            // SAFETY: allocas that we made in this function.
            unsafe { ffi::opcost_promote(self.handles.function, cells.as_ptr(), cells.len() as u32) };
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
            _ => unreachable!("only instructions and arguments are recorded"),
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

    fn edit(&mut self, edit: &RecordEdit) {
        let before = self.spots.before(edit.spot());
        let points = self.points;
        // SAFETY: handles of the live module and cells of this function, here and below.
        unsafe {
            match *edit {
                RecordEdit::Enter { point, .. } => {
                    let Cells { slot, iterations: turns } = self.cells[&point];
                    ffi::opcost_values_enter(before, points, point.index() as u32, slot, turns);
                }
                RecordEdit::Note { point, position, input, .. } => {
                    let input = self.input(Some(input));
                    ffi::opcost_values_note(before, self.cells[&point].slot, position, &raw const input);
                }
                RecordEdit::Hold { cell, input, .. } => {
                    let input = self.input(input);
                    let (cell, known) = self.held[&cell];
                    ffi::opcost_values_hold(before, cell, known, &raw const input);
                }
                RecordEdit::Iteration { point, may_leave, .. } => {
                    let Cells { slot, iterations: turns } = self.cells[&point];
                    ffi::opcost_values_turn(before, slot, turns, may_leave);
                }
                RecordEdit::Leave { point, .. } => {
                    let Cells { slot, iterations: turns } = self.cells[&point];
                    ffi::opcost_values_leave(before, points, point.index() as u32, slot, turns);
                }
                RecordEdit::Record { point, value, .. } => {
                    let (value, at) = (self.value(value), point.index() as u32);
                    let kind = self.recording.points[point].kind;
                    let how = ffi::RawRecord {
                        poison: self.poison,
                        is_signed: kind == PointKind::Signed,
                        is_mantissa: kind == PointKind::Mantissa,
                    };
                    ffi::opcost_values_record(before, points, at, value, how);
                }
            }
        }
    }
}
