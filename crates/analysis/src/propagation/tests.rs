//! What is told of small functions, as text: the examples of the sources first.

use opcost_ir::{Layout, Value, parse_module};

use super::{Propagation, Range, RangeOptions};
use crate::memory::{MemoryModel, World};
use opcost_library::Effects;

mod backwards;
mod budget;
mod documents;
mod loops;
mod low;
mod modules;
mod recomputed;
mod squares;
mod unrolled;
mod written_first;

/// Ranges of named values of the last function: signed ends and bits that are
/// needed, `[low, high] bits`.
pub(super) fn told(text: &str, world: World, names: &[&str]) -> Vec<String> {
    told_with(text, world, RangeOptions::default(), names)
}

/// The same, more being given.
pub(super) fn told_with(text: &str, world: World, options: RangeOptions, names: &[&str]) -> Vec<String> {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (layout, effects) = (Layout::of(&module), Effects::built_in());
    let program = MemoryModel::of(&module, &layout, &effects, world);
    let ranges = Propagation::compute_with(&program, options);
    let (id, function) = module.functions.iter().next_back().expect("a function");
    let named = |wanted: &str| -> Value {
        let found = function.names.iter().find(|(_, name)| &***name == wanted);
        *found.unwrap_or_else(|| panic!("no value {wanted}")).0
    };
    names.iter().map(|name| text_of(ranges.range(id, named(name)).expect("a number"))).collect()
}

fn text_of(range: &Range) -> String {
    match range {
        Range::Integer(range) if range.is_empty() => "nothing".into(),
        Range::Integer(range) => {
            let (signed, unsigned) = (range.signed_range().unwrap(), range.unsigned_range().unwrap());
            let bits = range.needed_width().bits;
            match signed.0 < 0 && unsigned.1 - unsigned.0 < signed.1.abs_diff(signed.0) {
                true => format!("[{}, {}] {bits}", unsigned.0, unsigned.1),
                false => format!("[{}, {}] {bits}", signed.0, signed.1),
            }
        }
        Range::Float(range) => format!("{range:?}"),
    }
}

#[track_caller]
fn says(text: &str, expected: &[(&str, &str)]) {
    says_in(World::Open, text, expected);
}

#[track_caller]
fn says_in(world: World, text: &str, expected: &[(&str, &str)]) {
    let names: Vec<&str> = expected.iter().map(|&(name, _)| name).collect();
    let told = told(text, world, &names);
    let told: Vec<(&str, &str)> = names.into_iter().zip(told.iter().map(String::as_str)).collect();
    assert_eq!(told, expected, "{text}");
}
