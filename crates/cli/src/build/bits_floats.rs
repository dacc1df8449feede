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
use opcost_key::{FunctionId, InstructionId, Key};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bits::name;

/// What is known of a floating point number.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BitsFloat {
    /// Function, and number of the parameter or instruction in it: `@main:argument0`, `a.c@step:i5`.
    #[schemars(with = "String")]
    pub(crate) key: Key,
    /// Its name in the source, or else in the text of the module.
    pub(crate) name: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    /// The instruction as text; of a parameter its name.
    pub(crate) text: String,
    /// LLVM's name of the operation; `argument` of a parameter.
    pub(crate) opcode: String,
    /// Bits of its mantissa: 24 or 53.
    pub(crate) declared: u32,
    /// How many of them are needed for all that it can be, as far as that is known.
    pub(crate) needed: u32,
    /// Whether all its finite numbers are integers.
    pub(crate) is_integral: bool,
    /// Its least and greatest number; `never` if no execution gets there.
    pub(crate) range: String,
    /// Whether flags promise what it is computed from: where that is broken the
    /// value is poison, and nothing is said of it.
    pub(crate) may_be_poison: bool,
    /// What it was in a run.
    pub(crate) observed: Option<BitsFloatObserved>,
}

/// What a floating point number was in a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BitsFloatObserved {
    /// How often it was defined.
    pub(crate) times: u64,
    /// How many bits of its mantissa were needed for all that it was.
    pub(crate) needed: u32,
    /// Whether that is more than can be where nothing is poison.
    pub(crate) is_outside: bool,
}

/// The floating point numbers of a function.
pub(super) fn floats(
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
            ..float((module, id, words), value, range)
        })
        .collect()
}

fn float(
    (module, id, words): (&Module, FunctionId, &FunctionText<'_>),
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
