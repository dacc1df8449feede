//! Carries out a plan on the module its snapshot was taken of.
//!
//! Handles of all spots are looked up before the first edit (`spots`). After
//! it only code generation runs, or the module is kept as bitcode. The module
//! is verified once more, since a broken module is our defect and must
//! not become a wrong count; a release build does so only for modules from
//! anyone, whose shapes no corpus has shown us.

use llvm_sys::prelude::LLVMValueRef;
use opcost_index::Id;
use opcost_ir::{Edit, EditPoint, Plan, RegisterId};
use opcost_key::{FunctionId, Hash128};

use crate::ffi::{self, RawInduction};
use crate::session::{FunctionHandles, LlvmError, Maker, Session};
use crate::spots::{Spots, arguments};

impl Session {
    /// Carries out `plan`. `map_hash` ties the counters to the module's map.
    ///
    /// # Errors
    /// The edited module does not verify: a defect of ours.
    pub fn apply(&mut self, plan: &Plan, map_hash: Hash128) -> Result<(), LlvmError> {
        // SAFETY: the module is alive; ids are put on before anything is inserted.
        unsafe { ffi::opcost_identify(self.module) };
        self.rename(plan)?;
        for &function in &plan.watched {
            // SAFETY: handles of the live module.
            unsafe { ffi::opcost_watch(self.module, self.functions[function].function) };
        }
        if plan.counter_count > 0 {
            let hash = map_hash.0.to_le_bytes();
            // SAFETY: the hash has the 16 bytes that the shim reads.
            let cells = unsafe { ffi::opcost_make_counters(self.module, plan.counter_count, hash.as_ptr()) };
            for edits in plan.edits.chunk_by(|a, b| a.0 == b.0) {
                FunctionEditor::new(self, edits[0].0, cells, plan).run(edits);
            }
        }
        if cfg!(debug_assertions) || self.maker == Maker::Anyone {
            self.verify()?;
        }
        Ok(())
    }

    fn rename(&self, plan: &Plan) -> Result<(), LlvmError> {
        for (declaration, name) in &plan.renames {
            let text = std::ffi::CString::new(name.as_str()).map_err(|_| LlvmError::Path(name.clone()))?;
            // SAFETY: a declared function of the live module.
            unsafe { ffi::opcost_rename(self.declarations[*declaration], text.as_ptr()) };
        }
        Ok(())
    }
}

struct FunctionEditor<'a> {
    session: &'a Session,
    handles: &'a FunctionHandles,
    spots: Spots<'a>,
    /// Address of the counters for this function: the array, or this thread's.
    base: LLVMValueRef,
    scratch: u32,
    registers: Vec<(RegisterId, LLVMValueRef)>,
    /// The cell of the path's number, in a function whose paths are counted.
    path: Option<LLVMValueRef>,
}

impl<'a> FunctionEditor<'a> {
    fn new(session: &'a Session, function: FunctionId, cells: LLVMValueRef, plan: &Plan) -> Self {
        let handles = &session.functions[function];
        let spots = Spots::new(handles);
        // SAFETY: function and array of the live module.
        unsafe { ffi::opcost_relax(handles.function) };
        let base = if plan.per_thread {
            // SAFETY: as above.
            unsafe { ffi::opcost_thread_base(session.module, handles.function, cells) }
        } else {
            cells
        };
        Self { session, handles, spots, base, scratch: plan.counter_count, registers: Vec::new(), path: None }
    }

    fn run(mut self, edits: &[(FunctionId, Edit)]) {
        self.make_registers(edits);
        // Edits that cut blocks in the middle come last: they change which
        // block an instruction lies in.
        let (cutting, plain): (Vec<_>, Vec<_>) =
            edits.iter().map(|(_, edit)| edit).partition(|edit| matches!(edit, Edit::CountAgain { .. }));
        let (returns, plain): (Vec<_>, Vec<_>) =
            plain.into_iter().partition(|edit| matches!(edit, Edit::ReturnHere { .. }));
        for edit in plain.into_iter().chain(returns).chain(cutting) {
            self.edit(edit);
        }
        let cells = self.registers.iter().map(|&(_, cell)| cell);
        let cells: Vec<LLVMValueRef> = cells.chain(self.path).collect();
        if !cells.is_empty() {
            // SAFETY: allocas that we made in this function.
            unsafe { ffi::opcost_promote(self.handles.function, cells.as_ptr(), cells.len() as u32) };
        }
    }

    fn make_registers(&mut self, edits: &[(FunctionId, Edit)]) {
        for (_, edit) in edits {
            if let Edit::CountInRegister { register, .. } = edit
                && !self.registers.iter().any(|(known, _)| known == register)
            {
                // SAFETY: a live function.
                let cell = unsafe { ffi::opcost_make_register(self.handles.function) };
                self.registers.push((*register, cell));
            }
        }
        if edits.iter().any(|(_, edit)| matches!(edit, Edit::BeginPath { .. })) {
            // SAFETY: a live function.
            self.path = Some(unsafe { ffi::opcost_make_register(self.handles.function) });
        }
    }

    fn path(&self) -> LLVMValueRef {
        self.path.expect("a path that is counted begins somewhere")
    }

    fn register(&self, wanted: RegisterId) -> LLVMValueRef {
        let found = self.registers.iter().find(|(known, _)| *known == wanted);
        found.expect("all registers were made first").1
    }

    fn edit(&mut self, edit: &Edit) {
        match edit {
            Edit::Count { spot, counter } => {
                let before = self.spots.before(*spot);
                // SAFETY: instruction and array of the live module, here and below.
                unsafe { ffi::opcost_count(before, self.base, counter.index() as u32) };
            }
            Edit::CountByPredecessor { target, sources } => {
                let terminators: Vec<LLVMValueRef> =
                    sources.iter().map(|(block, _)| self.spots.terminators[*block]).collect();
                let indices: Vec<u32> = sources.iter().map(|(_, counter)| counter.index() as u32).collect();
                // SAFETY: both arrays have `sources.len()` elements.
                unsafe {
                    ffi::opcost_count_by_predecessor(
                        self.handles.blocks[*target],
                        self.spots.before(EditPoint::Start(*target)),
                        terminators.as_ptr(),
                        indices.as_ptr(),
                        sources.len() as u32,
                        self.base,
                        self.scratch,
                    );
                }
            }
            Edit::CountAgain { call, counter } => {
                let call = self.spots.instruction(*call);
                // SAFETY: a call of the live module.
                unsafe {
                    ffi::opcost_count_again(self.session.module, call, self.base, counter.index() as u32)
                };
            }
            Edit::CountInRegister { spot, register } => {
                let before = self.spots.before(*spot);
                // SAFETY: as above.
                unsafe { ffi::opcost_count_in_register(before, self.register(*register)) };
            }
            Edit::Clear { spot, register } => {
                let before = self.spots.before(*spot);
                // SAFETY: as above.
                unsafe { ffi::opcost_clear(before, self.register(*register)) };
            }
            Edit::Flush { spot, register, counter } => {
                let before = self.spots.before(*spot);
                // SAFETY: as above.
                unsafe {
                    ffi::opcost_flush(before, self.register(*register), self.base, counter.index() as u32)
                };
            }
            Edit::CountIterations { exit, phi, next, is_next, bound, step, may_overflow, counter } => {
                let before = self.spots.before(*exit);
                let (phi, next) = (self.spots.instruction(*phi), self.spots.instruction(*next));
                let induction = RawInduction {
                    phi,
                    next,
                    test: bound.map_or(std::ptr::null_mut(), |(test, _)| self.spots.instruction(test)),
                    bound: bound.map_or(0, |(_, side)| side),
                    is_next: *is_next,
                    step: *step,
                    may_overflow: *may_overflow,
                };
                let index = counter.index() as u32;
                // SAFETY: as above; values of one variable, of which the one that is read is known at the spot.
                unsafe { ffi::opcost_count_iterations(before, induction, self.base, index) };
            }
            Edit::BeginPath { spot, value } => {
                let before = self.spots.before(*spot);
                // SAFETY: as above.
                unsafe { ffi::opcost_begin_path(before, self.path(), *value) };
            }
            Edit::AddToPath { spot, value } => {
                let before = self.spots.before(*spot);
                // SAFETY: as above.
                unsafe { ffi::opcost_add_to_path(before, self.path(), *value) };
            }
            Edit::CountPath { spot, value, first } => {
                let before = self.spots.before(*spot);
                // SAFETY: as above; the number and `value` lead into the array, which flow's numbering promises.
                unsafe {
                    ffi::opcost_count_path(before, self.path(), self.base, *value, first.index() as u32)
                };
            }
            Edit::AddLength { instruction, length, counter } => {
                let instruction = self.spots.instruction(*instruction);
                let (first, second, is_moved) = arguments(*length);
                // SAFETY: a call or alloca of the live module with these arguments.
                unsafe {
                    let index = counter.index() as u32;
                    ffi::opcost_add_length(instruction, first, second, is_moved, self.base, index)
                };
            }
            Edit::ReturnHere { block } => {
                // SAFETY: the branch that ends a block of the live function.
                unsafe { ffi::opcost_return_here(self.spots.terminators[*block]) };
            }
            Edit::PreserveFrame { call } => {
                // SAFETY: a plain call of the live module.
                unsafe { ffi::opcost_keep_frame(self.spots.instruction(*call)) };
            }
        }
    }
}
