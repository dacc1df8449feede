//! Computes results in fewer bits, on the module that the snapshot was taken of.
//!
//! Narrow operations are put directly before what they stand for, so places and
//! domination are as they were; narrow phis come first and get their inputs
//! last. A number that is needed in another width is cut or widened once,
//! directly behind its definition. Originals go at the very end: until then all
//! handles are alive. Debug records then speak of the narrow number, widened. No promise (`nsw`, `exact`, …) and no metadata but the
//! place in the source is carried over. Cost: linear in the plan and the uses
//! of what it names.

use std::ffi::c_uint;

use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use llvm_sys::prelude::{LLVMBuilderRef, LLVMContextRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use opcost_ir::{Narrow, Narrowing, Opcode, Predicate, Widened};
use opcost_key::FunctionId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ffi;
use crate::session::{LlvmError, Session};
use crate::spots::Spots;

/// No name.
const NAMELESS: *const std::ffi::c_char = c"".as_ptr();

impl Session {
    /// Carries out `plan`, made on the last snapshot.
    ///
    /// # Errors
    /// The module does not verify after it: a defect of ours.
    pub fn narrow(&mut self, plan: &Narrowing) -> Result<(), LlvmError> {
        for (function, narrows) in &plan.functions {
            // SAFETY: the context is alive; the builder is given back below.
            let builder = unsafe { LLVMCreateBuilderInContext(self.context) };
            FunctionNarrower::new(self, *function, builder).run(narrows);
            // SAFETY: made above.
            unsafe { LLVMDisposeBuilder(builder) };
        }
        self.verify()
    }
}

/// A number in fewer bits.
#[derive(Clone, Copy)]
struct Form {
    value: LLVMValueRef,
    bits: u32,
    widened: Widened,
}

struct FunctionNarrower<'a> {
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
    function: LLVMValueRef,
    spots: Spots<'a>,
    /// First place of each block after its phis.
    starts: FxHashMap<usize, LLVMValueRef>,
    /// What was computed in fewer bits, by its original.
    narrow: FxHashMap<usize, Form>,
    /// Numbers cut or widened, by original and width.
    resized: FxHashMap<(usize, u32), LLVMValueRef>,
}

/// A handle as a key.
fn key<T>(handle: *mut T) -> usize {
    handle as usize
}

// SAFETY of all calls below: handles of the live module that the plan's ids
// stand for, and what was built from them; originals live until `finish`.
impl<'a> FunctionNarrower<'a> {
    fn new(session: &'a Session, function: FunctionId, builder: LLVMBuilderRef) -> Self {
        let handles = &session.functions[function];
        let mut spots = Spots::new(handles);
        let starts = handles
            .blocks
            .iter()
            .map(|(id, &block)| (key(block), spots.before(opcost_ir::EditPoint::Start(id))))
            .collect();
        Self {
            context: session.context,
            builder,
            function: handles.function,
            spots,
            starts,
            narrow: FxHashMap::default(),
            resized: FxHashMap::default(),
        }
    }

    fn run(mut self, narrows: &[Narrow]) {
        let is_phi = |one: &&Narrow| one.opcode == Opcode::Phi;
        for one in narrows.iter().filter(is_phi) {
            let original = self.spots.instruction(one.instruction);
            self.go_to(original, original);
            // SAFETY: see above, here and below.
            let phi = unsafe { LLVMBuildPhi(self.builder, self.integer(one.bits), NAMELESS) };
            self.keep(original, one, phi);
        }
        for one in narrows.iter().filter(|one| !is_phi(one)) {
            self.operation(one);
        }
        for one in narrows.iter().filter(is_phi) {
            self.inputs(one);
        }
        self.finish(narrows);
    }

    fn integer(&self, bits: u32) -> LLVMTypeRef {
        // SAFETY: see above.
        unsafe { LLVMIntTypeInContext(self.context, bits) }
    }

    fn keep(&mut self, original: LLVMValueRef, one: &Narrow, value: LLVMValueRef) {
        self.narrow.insert(key(original), Form { value, bits: one.bits, widened: one.widened });
    }

    /// What is built next comes before `before`, at the place of `like`.
    fn go_to(&self, before: LLVMValueRef, like: LLVMValueRef) {
        // SAFETY: see above.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, before);
            let place = match LLVMIsAInstruction(like).is_null() {
                true => std::ptr::null_mut(),
                false => LLVMInstructionGetDebugLoc(like),
            };
            LLVMSetCurrentDebugLocation2(self.builder, place);
        }
    }

    fn operation(&mut self, one: &Narrow) {
        let original = self.spots.instruction(one.instruction);
        // SAFETY: see above; the plan names operations with these operands.
        let operand = |position: c_uint| unsafe { LLVMGetOperand(original, position) };
        let value = match one.opcode {
            Opcode::ZExt | Opcode::SExt | Opcode::Trunc => self.cast(original, one),
            Opcode::Select => {
                let (then, otherwise) =
                    (self.had_in(operand(1), one.bits), self.had_in(operand(2), one.bits));
                self.go_to(original, original);
                // SAFETY: see above.
                unsafe { LLVMBuildSelect(self.builder, operand(0), then, otherwise, NAMELESS) }
            }
            Opcode::ICmp => {
                let (left, right) = (self.had_in(operand(0), one.bits), self.had_in(operand(1), one.bits));
                self.go_to(original, original);
                let predicate = compared(one.predicate);
                // SAFETY: see above. Its users have it at once: the type is the same.
                unsafe {
                    let value = LLVMBuildICmp(self.builder, predicate, left, right, NAMELESS);
                    LLVMReplaceAllUsesWith(original, value);
                }
                return;
            }
            opcode => {
                let (left, right) = (self.had_in(operand(0), one.bits), self.had_in(operand(1), one.bits));
                self.go_to(original, original);
                // SAFETY: see above.
                unsafe { LLVMBuildBinOp(self.builder, binary(opcode), left, right, NAMELESS) }
            }
        };
        self.keep(original, one, value);
    }

    /// The low bits of what a conversion gives.
    fn cast(&mut self, original: LLVMValueRef, one: &Narrow) -> LLVMValueRef {
        // SAFETY: see above.
        let (source, own) = unsafe {
            let source = LLVMGetOperand(original, 0);
            (source, LLVMGetIntTypeWidth(LLVMTypeOf(source)))
        };
        let part = self.had_in(source, one.bits.min(own));
        if one.bits <= own {
            return part;
        }
        self.go_to(original, original);
        let widened = if one.opcode == Opcode::SExt { Widened::Sign } else { Widened::Zeros };
        self.wider(part, one.bits, widened)
    }

    fn wider(&self, value: LLVMValueRef, bits: u32, widened: Widened) -> LLVMValueRef {
        let ty = self.integer(bits);
        // SAFETY: see above.
        unsafe {
            match widened {
                Widened::Zeros => LLVMBuildZExt(self.builder, value, ty, NAMELESS),
                Widened::Sign => LLVMBuildSExt(self.builder, value, ty, NAMELESS),
            }
        }
    }

    /// A number of the original code in so many bits, at most those of its type.
    fn had_in(&mut self, value: LLVMValueRef, bits: u32) -> LLVMValueRef {
        // SAFETY: see above.
        unsafe {
            if !LLVMIsAConstantInt(value).is_null() {
                let word = LLVMConstIntGetZExtValue(value);
                let kept = if bits < 64 { word & ((1 << bits) - 1) } else { word };
                return LLVMConstInt(self.integer(bits), kept, 0);
            }
            let form = self.narrow.get(&key(value)).copied();
            let own = form.map_or_else(|| LLVMGetIntTypeWidth(LLVMTypeOf(value)), |form| form.bits);
            let from = form.map_or(value, |form| form.value);
            if own == bits {
                return from;
            }
            if let Some(&done) = self.resized.get(&(key(value), bits)) {
                return done;
            }
            self.go_to(self.behind(value, form.is_some()), value);
            let done = match form {
                Some(form) if own < bits => self.wider(from, bits, form.widened),
                _ => LLVMBuildTrunc(self.builder, from, self.integer(bits), NAMELESS),
            };
            self.resized.insert((key(value), bits), done);
            done
        }
    }

    /// Where a form of `value` is at hand: before the original, or after it.
    fn behind(&self, value: LLVMValueRef, is_narrowed: bool) -> LLVMValueRef {
        // SAFETY: see above.
        unsafe {
            if LLVMIsAInstruction(value).is_null() {
                return self.starts[&key(LLVMGetEntryBasicBlock(self.function))];
            }
            match LLVMIsAPHINode(value).is_null() {
                false => self.starts[&key(LLVMGetInstructionParent(value))],
                true if is_narrowed => value,
                true => LLVMGetNextInstruction(value),
            }
        }
    }

    /// Gives a narrow phi its inputs.
    fn inputs(&mut self, one: &Narrow) {
        let original = self.spots.instruction(one.instruction);
        let phi = self.narrow[&key(original)].value;
        // SAFETY: see above; both arrays have one element.
        unsafe {
            for position in 0..LLVMCountIncoming(original) {
                let mut value = self.had_in(LLVMGetIncomingValue(original, position), one.bits);
                let mut block = LLVMGetIncomingBlock(original, position);
                LLVMAddIncoming(phi, &mut value, &mut block, 1);
            }
        }
    }

    /// Widens what others use, and takes the originals away.
    fn finish(self, narrows: &[Narrow]) {
        let originals: Vec<LLVMValueRef> =
            narrows.iter().map(|one| self.spots.instruction(one.instruction)).collect();
        let gone: FxHashSet<usize> = originals.iter().map(|&original| key(original)).collect();
        for &original in &originals {
            let Some(&form) = self.narrow.get(&key(original)) else { continue };
            // SAFETY: see above.
            unsafe {
                let ty = LLVMTypeOf(original);
                let other = match is_used_beside(original, &gone) {
                    false => {
                        let is_signed = form.widened == Widened::Sign;
                        ffi::opcost_narrow_records(original, form.value, is_signed);
                        LLVMGetPoison(ty)
                    }
                    true => {
                        self.go_to(self.behind(original, true), original);
                        self.wider(form.value, LLVMGetIntTypeWidth(ty), form.widened)
                    }
                };
                LLVMReplaceAllUsesWith(original, other);
            }
        }
        for original in originals {
            // SAFETY: nothing uses it any more.
            unsafe { LLVMInstructionEraseFromParent(original) };
        }
    }
}

/// Whether anything but what goes away uses it.
fn is_used_beside(original: LLVMValueRef, gone: &FxHashSet<usize>) -> bool {
    // SAFETY: an instruction of the live module.
    unsafe {
        let mut one = LLVMGetFirstUse(original);
        while !one.is_null() {
            if !gone.contains(&key(LLVMGetUser(one))) {
                return true;
            }
            one = LLVMGetNextUse(one);
        }
    }
    false
}

fn binary(opcode: Opcode) -> LLVMOpcode {
    match opcode {
        Opcode::Add => LLVMOpcode::LLVMAdd,
        Opcode::Sub => LLVMOpcode::LLVMSub,
        Opcode::Mul => LLVMOpcode::LLVMMul,
        Opcode::And => LLVMOpcode::LLVMAnd,
        Opcode::Or => LLVMOpcode::LLVMOr,
        Opcode::Xor => LLVMOpcode::LLVMXor,
        Opcode::Shl => LLVMOpcode::LLVMShl,
        Opcode::LShr => LLVMOpcode::LLVMLShr,
        Opcode::AShr => LLVMOpcode::LLVMAShr,
        Opcode::UDiv => LLVMOpcode::LLVMUDiv,
        Opcode::SDiv => LLVMOpcode::LLVMSDiv,
        Opcode::URem => LLVMOpcode::LLVMURem,
        Opcode::SRem => LLVMOpcode::LLVMSRem,
        other => unreachable!("no plan narrows {other}"),
    }
}

fn compared(predicate: Option<Predicate>) -> LLVMIntPredicate {
    match predicate {
        Some(Predicate::Eq) => LLVMIntPredicate::LLVMIntEQ,
        Some(Predicate::Ne) => LLVMIntPredicate::LLVMIntNE,
        Some(Predicate::Ugt) => LLVMIntPredicate::LLVMIntUGT,
        Some(Predicate::Uge) => LLVMIntPredicate::LLVMIntUGE,
        Some(Predicate::Ult) => LLVMIntPredicate::LLVMIntULT,
        Some(Predicate::Ule) => LLVMIntPredicate::LLVMIntULE,
        Some(Predicate::Sgt) => LLVMIntPredicate::LLVMIntSGT,
        Some(Predicate::Sge) => LLVMIntPredicate::LLVMIntSGE,
        Some(Predicate::Slt) => LLVMIntPredicate::LLVMIntSLT,
        Some(Predicate::Sle) => LLVMIntPredicate::LLVMIntSLE,
        other => unreachable!("{other:?} compares no integers"),
    }
}
