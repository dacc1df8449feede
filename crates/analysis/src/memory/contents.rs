//! What does constant data hold? Strings and numbers that are in the module.
//!
//! Only of data that nothing changes while the program runs (`constant`) and
//! whose contents the snapshot has to the end. Cost: linear in the string,
//! logarithmic in the contents.

use opcost_ir::{ConstantValue, Global, GlobalId, Module, ScalarValue, Type, Value};

/// The longest string that is read.
const LONGEST: u64 = 4096;

/// The global and the offset that a constant address is.
pub(crate) fn address(module: &Module, value: Value) -> Option<(GlobalId, i64)> {
    let Value::Constant(id) = value else { return None };
    match module.constants[id].value {
        ConstantValue::Global { global, offset } => Some((global, offset)),
        _ => None,
    }
}

/// The bytes up to the first 0 at a constant address, as text.
pub(crate) fn string_at(module: &Module, value: Value) -> Option<String> {
    let (global, offset) = address(module, value)?;
    let start = u64::try_from(offset).ok()?;
    let data = &module.globals[global];
    let mut bytes = Vec::new();
    for at in start..start + LONGEST {
        match byte(module, data, at)? {
            0 => return String::from_utf8(bytes).ok(),
            byte => bytes.push(byte),
        }
    }
    None
}

/// So many bytes at a constant address, as text.
pub(crate) fn text_at(module: &Module, value: Value, length: u64) -> Option<String> {
    let (global, offset) = address(module, value)?;
    let start = u64::try_from(offset).ok()?;
    let data = &module.globals[global];
    let bytes: Option<Vec<u8>> =
        (start..start + length.min(LONGEST)).map(|at| byte(module, data, at)).collect();
    String::from_utf8(bytes?).ok()
}

fn byte(module: &Module, data: &Global, at: u64) -> Option<u8> {
    let contents = data.contents.as_ref().filter(|contents| contents.is_complete && data.is_constant)?;
    match contents.at(at) {
        Some((ty, ScalarValue::Constant(ConstantValue::Integer(value)))) => {
            (module.types[ty] == Type::Integer(8)).then_some(value as u8)
        }
        Some(_) => None,
        // Inside of a wider scalar?
        None => {
            let behind = contents.scalars.partition_point(|&(offset, ..)| offset < at);
            let before = contents.scalars[..behind].last();
            let is_byte = before.is_none_or(|&(offset, ty, _)| {
                module.types[ty] == Type::Integer(8) || offset.saturating_add(16) <= at
            });
            is_byte.then_some(0)
        }
    }
}
