//! How many bits of its mantissa does each floating point number need?
//!
//! A number needs the bits from the highest to the lowest that is set, its
//! leading one counted: integers in a `double` need few of its 53. Told of
//! parameters and results that are `float` or `double`, in the order of the
//! program; what a run showed comes beside it. No certificate speaks of them.
//!
//! Input: ranges of a module. Cost: linear.

use opcost_analysis::propagation::Propagation;
use opcost_analysis::ranges::FloatRange;
use opcost_index::{Id, IdMap};
use opcost_ir::{FunctionText, Module, Value};
use opcost_key::{FunctionId, InstructionId};

use opcost_answer::bits::BitsFloat;

use super::name::name;

/// The floating point numbers of a function.
pub(crate) fn floats(
    module: &Module,
    ranges: &Propagation,
    id: FunctionId,
    words: &FunctionText<'_>,
    poison: &IdMap<InstructionId, bool>,
) -> Vec<BitsFloat> {
    let body = &module.functions[id];
    let parameters = (0..body.parameters).map(Value::Argument);
    let results = (0..body.instructions.len()).map(|at| Value::Instruction(InstructionId::new(at)));
    let known =
        parameters.chain(results).filter_map(|value| Some((value, *ranges.range(id, value)?.float()?)));
    let is_poison = |value| matches!(value, Value::Instruction(at) if poison[at]);
    known
        .map(|(value, range)| BitsFloat {
            may_be_poison: is_poison(value),
            ..float(module, id, words, value, range)
        })
        .collect()
}

fn float(
    module: &Module,
    id: FunctionId,
    words: &FunctionText<'_>,
    value: Value,
    range: FloatRange,
) -> BitsFloat {
    let body = &module.functions[id];
    let (opcode, place, text) = match value {
        Value::Instruction(at) => {
            let one = &body.instructions[at];
            (one.opcode.to_string(), one.place, words.instruction(at))
        }
        _ => ("argument".to_owned(), body.place, words.value(value)),
    };
    let place = place.map(|place| &module.places[place]);
    BitsFloat {
        key: module.key_of(id, value).expect("only parameters and results have ranges"),
        name: name(body, words, value),
        file: place.map(|place| module.files[place.file].clone()),
        line: place.map(|place| place.line).filter(|&line| line > 0),
        text,
        opcode,
        declared: FloatRange::full(range.format()).significant_bits(),
        needed: range.significant_bits(),
        is_integral: range.is_integral(),
        range: text_of(&range),
        may_be_poison: false,
        observed: None,
    }
}

/// `0.0..255.0`, and whether it may be no number.
fn text_of(range: &FloatRange) -> String {
    match (range.ends(), range.may_be_nan()) {
        (None, false) => "never".to_owned(),
        (None, true) => "NaN".to_owned(),
        (Some((low, high)), false) if low == high => format!("{low:?}"),
        (Some((f64::NEG_INFINITY, f64::INFINITY)), true) => "anything".to_owned(),
        (Some((low, high)), false) => format!("{low:?}..{high:?}"),
        (Some((low, high)), true) => format!("{low:?}..{high:?} or NaN"),
    }
}
