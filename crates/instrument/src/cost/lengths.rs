//! How long is what a call works on?
//!
//! One unit is charged for each full 16 bytes (`opcost_ir::BYTES_PER_UNIT`). A length of up to 64
//! KiB that is constant in the code is part of the weight; any other is read by the program just
//! before the call, so that the work is charged and asked for before it is done. What is copied or
//! filled from 2 KiB on is charged five times as much (`opcost_ir::Work`).
//!
//! Known are functions of which an argument says how many bytes they
//! touch ([`worked_lengths`]). Functions that search for an end, and strings and streams of C++, have
//! no such argument; they are compiled with the program in place of the library's.

use std::collections::BTreeMap;

use opcost_ir::{Function, Length, LengthWork, Module, Value};
use opcost_key::InstructionId;
use opcost_library::worked_lengths;

/// The table of all known functions.
pub(super) fn lengths_by_name() -> BTreeMap<String, Vec<u32>> {
    let rows = worked_lengths().iter().map(|(name, length)| ((*name).to_owned(), length.arguments.clone()));
    rows.collect()
}

/// What a function or intrinsic does with the bytes.
pub(super) fn work(name: &str) -> LengthWork {
    let plain = || {
        worked_lengths().iter().find(|(lengths_by_name, _)| {
            lengths_by_name.starts_with("llvm.")
                && name.strip_prefix(**lengths_by_name).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let length = worked_lengths().get(name).or_else(|| plain().map(|(_, length)| length));
    if length.is_some_and(|length| length.moves) { LengthWork::Moved } else { LengthWork::Other }
}

/// More than this is asked for before it is done, even if it is known.
const MOST_IN_WEIGHT: u32 = 4096;

/// Units for a length that is constant, unless they are too many.
pub(super) fn units(
    module: &Module,
    function: &Function,
    id: InstructionId,
    arguments: &[u32],
    work: LengthWork,
) -> Option<u32> {
    let operands = function.operands_of(id);
    let mut bytes = 1u64;
    for &argument in arguments {
        bytes = bytes.checked_mul(constant(module, operands[argument as usize])?)?;
    }
    u32::try_from(work.units(bytes)).ok().filter(|&units| units <= MOST_IN_WEIGHT)
}

/// What an `alloca` takes, unless the number of its elements is constant.
pub(super) fn allocated(function: &Function, id: InstructionId) -> Option<Length> {
    let is_known = matches!(function.operands_of(id).first(), None | Some(Value::Constant(_)));
    (!is_known).then_some(Length::Allocated)
}

fn constant(module: &Module, value: Value) -> Option<u64> {
    let Value::Constant(constant) = value else { return None };
    module.constants[constant].text.parse().ok()
}
