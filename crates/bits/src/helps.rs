//! Which one fact more would make values narrower?
//!
//! Inputs of a value are what it rests on and nothing is known of, and the
//! parameters on the way there; the ranges are asked for again with one of them
//! in a small range, for one after the other ([`FACTS`]). So what is told is what
//! the same analysis would find, not a guess; of two facts that help only
//! together neither is told.
//!
//! Input: the ranges of a module and values of it. Output: [`Help`]s. Cost: a
//! solution of all variables for each input and fact, of which there are so many
//! that no more than `MOST_VARIABLES` are solved.

use std::collections::{HashMap, HashSet, VecDeque};

use opcost_analysis::propagation::{Definition, Propagation, Range, VariableId};
use opcost_analysis::ranges::{Interval, ValueRange, Width};
use opcost_ir::{Module, Type, Value};
use opcost_key::FunctionId;

use crate::because::Owners;

/// An input is asked for as a number from 0 to each of these, the least first.
pub const FACTS: [u128; 3] = [64, 255, 65535];
/// Inputs that are tried.
const MOST_INPUTS: usize = 12;
/// Variables that the search for inputs looks at.
const MOST_SEEN: usize = 2000;
/// Variables that are solved, over all tries.
const MOST_VARIABLES: usize = 4_000_000;

/// What would be if an input were a number from 0 to `most`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Help {
    /// The input.
    pub input: (FunctionId, Value),
    /// Its largest number.
    pub most: u128,
    /// What the value would need.
    pub width: Width,
}

/// Which facts would help each of these values: the most helpful input first,
/// for each the least number first.
pub fn helps(
    module: &Module,
    ranges: &Propagation,
    owners: &Owners,
    values: &[VariableId],
) -> Vec<Vec<Help>> {
    let of_each: Vec<Vec<VariableId>> =
        values.iter().map(|&value| inputs(module, ranges, owners, value)).collect();
    let mut tried: Vec<VariableId> = Vec::new();
    let tries = MOST_VARIABLES / (FACTS.len() * ranges.variables().len().max(1));
    let room = tries.clamp(1, MOST_INPUTS);
    // The nearest of each first.
    let depth = of_each.iter().map(Vec::len).max().unwrap_or(0);
    for input in (0..depth).flat_map(|at| of_each.iter().filter_map(move |inputs| inputs.get(at))) {
        if tried.len() < room && !tried.contains(input) {
            tried.push(*input);
        }
    }
    let width =
        |ranges: &Propagation, at: VariableId| ranges.range_of(at).integer().map(ValueRange::needed_width);
    let mut found: Vec<Vec<Help>> = vec![Vec::new(); values.len()];
    for &input in &tried {
        let Some(owner) = owners.of_variable(input) else { continue };
        for most in FACTS {
            let Some(bound) = bound(ranges, input, most) else { continue };
            let then = ranges.given(&[(input, bound)]);
            for ((value, inputs), found) in values.iter().zip(&of_each).zip(&mut found) {
                let (Some(now), Some(width)) = (width(ranges, *value), width(&then, *value)) else {
                    continue;
                };
                if width.bits < now.bits && inputs.contains(&input) {
                    found.push(Help { input: owner, most, width });
                }
            }
        }
    }
    for helps in &mut found {
        let mut best: HashMap<(FunctionId, Value), u32> = HashMap::new();
        for help in &*helps {
            let best = best.entry(help.input).or_insert(u32::MAX);
            *best = (*best).min(help.width.bits);
        }
        // Stable: of equals the nearest, and the numbers of one in their order.
        helps.sort_by_key(|help| best[&help.input]);
    }
    found
}

/// The range of an input that is asked for; none if that would say nothing, or
/// what is known says that it is not so.
fn bound(ranges: &Propagation, input: VariableId, most: u128) -> Option<Range> {
    let known = ranges.range_of(input).integer()?;
    let width = known.type_width();
    if width < 128 && most >> width != 0 {
        return None;
    }
    let bound = ValueRange::from(Interval::new(width, 0, most));
    let is_open = !bound.contains_all(known) && !bound.meet(known).is_empty();
    is_open.then_some(Range::Integer(bound))
}

/// Integers that a value rests on and of which nothing is known, and parameters
/// before them; the nearest first, without the value itself.
fn inputs(module: &Module, ranges: &Propagation, owners: &Owners, value: VariableId) -> Vec<VariableId> {
    let is_integer =
        |at: &VariableId| owners.of_variable(*at).is_some_and(|(id, value)| is_integer(module, id, value));
    // Beside each variable the last one on the way that is a value of the program.
    let mut seen = HashSet::from([value]);
    let mut work = VecDeque::from([(value, value)]);
    let mut found: Vec<VariableId> = Vec::new();
    while let Some((next, owned)) = work.pop_front().filter(|_| seen.len() < MOST_SEEN) {
        let owned = if owners.of_variable(next).is_some() { next } else { owned };
        let definition = &ranges.variables().get(next).definition;
        let is_parameter = matches!(owners.of_variable(next), Some((_, Value::Argument(_))));
        let is_input = is_parameter || matches!(definition, Definition::Full(_));
        if is_input && owned != value && is_integer(&owned) && !found.contains(&owned) {
            found.push(owned);
        }
        definition.each_source(|source| {
            if seen.insert(source) {
                work.push_back((source, owned));
            }
        });
    }
    found
}

fn is_integer(module: &Module, function: FunctionId, value: Value) -> bool {
    let body = &module.functions[function];
    let ty = match value {
        Value::Instruction(at) => Some(body.instructions[at].ty),
        Value::Argument(position) => match &module.types[body.ty] {
            Type::Function(_, parameters, _) => parameters.get(position as usize).copied(),
            _ => None,
        },
        _ => None,
    };
    ty.is_some_and(|ty| matches!(module.types[ty], Type::Integer(_)))
}

#[cfg(test)]
mod tests {
    use opcost_analysis::memory::{MemoryModel, World};
    use opcost_ir::{Layout, parse_module};
    use opcost_library::Effects;

    use super::*;

    /// Input, its largest number and the bits that the named value then needs.
    fn told(text: &str, wanted: &str) -> Vec<(String, u128, u32)> {
        let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (layout, effects) = (Layout::of(&module), Effects::built_in());
        let program = MemoryModel::of(&module, &layout, &effects, World::Open);
        let ranges = Propagation::compute(&program);
        let owners = Owners::of(&module, &ranges);
        let (id, function) = module.functions.iter().next().expect("a function");
        let value = function.names.iter().find(|(_, name)| &***name == wanted).expect("the value").0;
        let variable = ranges.variable(id, *value).expect("a number");
        let found = helps(&module, &ranges, &owners, &[variable]).remove(0);
        let name = |help: &Help| function.names[&help.input.1].to_string();
        found.iter().map(|help| (name(help), help.most, help.width.bits)).collect()
    }

    #[test]
    fn the_wider_factor_helps_most() {
        let text = "define i32 @f(i32 %stride, i8 %row, i32 %other) {
  %wide = zext i32 i8 %row
  %low = and i32 %stride, 4095
  %at = mul i32 %wide, %low
  %not = xor i32 %other, 1
  ret i32 %at
}
";
        let told = told(text, "at");
        let told: Vec<(&str, u128, u32)> =
            told.iter().map(|(name, most, bits)| (&**name, *most, *bits)).collect();
        // 255 * 4095 needs 20 bits, 255 * 64 14, 255 * 255 16, 64 * 4095 18.
        assert_eq!(told, [("stride", 64, 14), ("stride", 255, 16), ("row", 64, 18)]);
    }

    #[test]
    fn facts_that_help_only_together_are_not_told() {
        let text = "define i32 @f(i32 %a, i32 %b) {\n  %sum = add i32 %a, %b\n  ret i32 %sum\n}\n";
        assert_eq!(told(text, "sum"), []);
        // Of a parameter itself nothing is told.
        assert_eq!(told(text, "a"), []);
    }

    /// What would be is what is, once the fact stands in the program.
    #[test]
    fn what_is_told_holds_where_the_fact_stands() {
        for most in FACTS {
            let with = |lines: &str, from: &str| {
                format!(
                    "define i64 @f(i64 %n, i64 %k) {{\n{lines}  %m = and i64 %k, 31\n  %s = shl i64 %{from}, 2\n  %x = sub i64 %s, \
                     %m\n  ret i64 %x\n}}\n"
                )
            };
            let told = told(&with("", "n"), "x");
            let (_, _, bits) = *told.iter().find(|one| one.0 == "n" && one.1 == most).expect("it helps");
            let minimum = format!("  %r = call i64 @llvm.umin.i64(i64 %n, i64 {most})\n");
            let text = with(&minimum, "r") + "declare i64 @llvm.umin.i64(i64, i64)\n";
            let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let (layout, effects) = (Layout::of(&module), Effects::built_in());
            let program = MemoryModel::of(&module, &layout, &effects, World::Open);
            let ranges = Propagation::compute(&program);
            let (id, function) = module.functions.iter().next().expect("a function");
            let x = function.names.iter().find(|(_, name)| &***name == "x").expect("the value").0;
            let range = ranges.range(id, *x).and_then(Range::integer).expect("an integer");
            assert_eq!(range.needed_width().bits, bits, "{most}");
        }
    }
}
