//! What is a value called: in the source, or else in the text of the module?

use opcost_ir::{Function, FunctionText, Value};

/// A value's name in the source, or else in the text of the module.
pub(crate) fn name(body: &Function, words: &FunctionText<'_>, value: Value) -> String {
    match body.source_names.get(&value) {
        Some(name) => name.to_string(),
        None => words.value(value),
    }
}
