//! What do ranges rest on that is no step of a program? Each answered by itself.
//!
//! That a local is written before it is read, that memory of a call is zero at first, what the
//! table of library functions says of a result. Anyone who checks ranges against the code asks the
//! same here, and believes no list of it.
//!
//! Cost: of locals that of `written_first`, else constant.

use opcost_ir::{CalleeRef, DeclarationId, Type};
use opcost_key::{FunctionId, InstructionId};
use rustc_hash::FxHashSet;

use super::written_first::WrittenFirst;
use crate::memory::MemoryModel;
use crate::ranges::word::{mask, sign_bit, signed};
use crate::ranges::{Interval, ValueRange};
use opcost_library::effect::ResultKind;

/// Those of these locals of which nothing is read before it is written.
pub fn written_first(
    program: &MemoryModel<'_>,
    locals: impl IntoIterator<Item = (FunctionId, InstructionId)>,
) -> FxHashSet<(FunctionId, InstructionId)> {
    let mut first = WrittenFirst::new(program);
    locals.into_iter().filter(|&(function, at)| first.holds(function, at)).collect()
}

/// Whether a call gives zeros, and nothing can add memory to them.
pub fn is_zeroed(program: &MemoryModel<'_>, function: FunctionId, at: InstructionId) -> bool {
    let mut names = program.module.declarations.values().map(|declaration| &*declaration.name);
    if names.any(|name| name.contains("realloc")) {
        return false;
    }
    let body = &program.module.functions[function];
    let Some(CalleeRef::Declaration(declared)) = body.call(at).map(|call| call.callee) else {
        return false;
    };
    program.externals.effect(body, at, declared).result == ResultKind::Fresh { zeroed: true }
}

/// What the table says that a call of a library function gives, and whom it is of.
pub fn library_result(
    program: &MemoryModel<'_>,
    function: FunctionId,
    at: InstructionId,
) -> Option<(DeclarationId, ValueRange)> {
    let body = &program.module.functions[function];
    let Some(CalleeRef::Declaration(declared)) = body.call(at).map(|call| call.callee) else { return None };
    let Type::Integer(width @ 1..=128) = program.module.types[body.instructions[at].ty] else { return None };
    let effect = program.externals.effect(body, at, declared);
    let (low, high) = effect.range.filter(|_| !effect.does_anything)?;
    Some((declared, within(width, low, high)))
}

/// The words of these numbers, as far as the type has them.
fn within(width: u32, low: i128, high: i128) -> ValueRange {
    let least = signed(sign_bit(width), width);
    let word = |number: i128| number as u128 & mask(width);
    let arc = if low >= 0 {
        let most = mask(width) as i128;
        let high = if most >= 0 { high.min(most) } else { high };
        Interval::new(width, word(low), word(high.max(low)))
    } else {
        Interval::new(width, word(low.max(least)), word(high.min(!least)))
    };
    ValueRange::from(arc)
}
