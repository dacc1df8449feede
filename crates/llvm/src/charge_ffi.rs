//! What does `shim/predict.cpp` take?

use llvm_sys::prelude::{LLVMModuleRef, LLVMValueRef};
use opcost_ir::{ChargeAmount, CheckStep};

use crate::ffi::RawStep;

/// A charge; mirrors `opcost_charge` in `predict.cpp`.
#[repr(C)]
pub(crate) struct RawCharge {
    function: LLVMValueRef,
    steps: *const RawStep,
    step_count: u64,
    input_count: u64,
    flags: u64,
    amounts: [u64; 6],
}

/// The numbers of the runtime's `predict.c`.
const HAS_FORMULA: u64 = 1;
const IS_EXACT: u64 = 2;
const IS_EARLY_END: u64 = 4;

impl RawCharge {
    /// `steps` must live as long as what is returned.
    pub(crate) fn of(charge: &ChargeAmount, function: LLVMValueRef, steps: &[RawStep]) -> RawCharge {
        let inputs = charge.back_edges.iter().flatten().filter_map(|step| match step {
            CheckStep::Input(position) => Some(u64::from(*position) + 1),
            _ => None,
        });
        let flags = [
            (charge.back_edges.is_some(), HAS_FORMULA),
            (charge.is_exact, IS_EXACT),
            (charge.is_early_end, IS_EARLY_END),
        ];
        let [low, high] = [|of: u128| of as u64, |of: u128| (of >> 64) as u64];
        let ChargeAmount { stay, leave, guess, .. } = *charge;
        RawCharge {
            function,
            steps: steps.as_ptr(),
            step_count: steps.len() as u64,
            input_count: inputs.max().unwrap_or(0),
            flags: flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum(),
            amounts: [low(stay), high(stay), low(leave), high(leave), low(guess), high(guess)],
        }
    }
}

unsafe extern "C" {
    pub(crate) fn opcost_predict_charges(
        module: LLVMModuleRef,
        charges: *const RawCharge,
        count: u64,
    ) -> LLVMValueRef;
    pub(crate) fn opcost_predict_buffer(function: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn opcost_predict_enter(
        before: LLVMValueRef,
        buffer: LLVMValueRef,
        buffer_cell: LLVMValueRef,
        turns: LLVMValueRef,
    );
    pub(crate) fn opcost_predict_turn(before: LLVMValueRef, turns: LLVMValueRef);
    pub(crate) fn opcost_predict_charge(
        before: LLVMValueRef,
        charges: LLVMValueRef,
        index: u64,
        buffer: LLVMValueRef,
    );
}
