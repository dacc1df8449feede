//! What forces a value to be as wide as it is?
//!
//! From the value back along its definitions, each time to the source that is
//! widest itself (of facts that hold at once, the narrowest), until something
//! that is not computed: an input, memory that others write, a constant, a
//! table, or a cycle that only its type stops: what comes again is wider than
//! all that goes into it. That chain is one explanation,
//! the one in which most bits come from; where two sources are as wide, the
//! first is told.
//!
//! Input: the ranges of a module. Output: [`BecauseLink`]s, the value itself first.
//! Cost: at most [`MOST_LINKS`] steps.

use opcost_analysis::propagation::{Definition, Limit, Propagation, VariableId};
use opcost_index::{Id, IdMap};
use opcost_ir::{Module, Value};
use opcost_key::{FunctionId, InstructionId};

/// Links of a chain.
pub const MOST_LINKS: usize = 24;

/// One step of an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BecauseLink {
    /// The value of the program that it is about; none of a step in between.
    pub value: Option<(FunctionId, Value)>,
    /// Bits that it needs.
    pub bits: u32,
    /// What it is.
    pub cause: Cause,
}

/// What a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Nothing is known of it, for this reason.
    Limit(Limit),
    /// It is a constant.
    Constant,
    /// Callers promise that it is no more.
    Contract,
    /// An element of a constant table.
    Table,
    /// A floating point number.
    Float,
    /// It is computed from the next.
    Computed,
    /// It is one of several, of which the next is the widest.
    OneOf,
    /// It grows from iteration to iteration.
    Grows,
    /// The chain is longer.
    AndSoOn,
}

/// Which value of the program a variable is of.
#[derive(Clone, Debug)]
pub struct Owners(IdMap<VariableId, Option<(FunctionId, Value)>>);

impl Owners {
    /// Of all variables.
    pub fn of(module: &Module, ranges: &Propagation) -> Owners {
        let mut owners = IdMap::filled(ranges.variables().len(), None);
        for (id, function) in module.functions.iter() {
            let arguments = (0..function.parameters).map(Value::Argument);
            let results =
                (0..function.instructions.len()).map(|at| Value::Instruction(InstructionId::new(at)));
            for value in arguments.chain(results) {
                if let Some(variable) = ranges.variable(id, value) {
                    owners[variable] = Some((id, value));
                }
            }
        }
        Owners(owners)
    }

    /// Whose it is, if it is that of a value itself.
    pub fn of_variable(&self, variable: VariableId) -> Option<(FunctionId, Value)> {
        self.0[variable]
    }
}

/// Why a value is as wide as it is.
pub fn because(ranges: &Propagation, owners: &Owners, value: VariableId) -> Vec<BecauseLink> {
    let mut links: Vec<BecauseLink> = Vec::new();
    let mut passed = vec![value];
    loop {
        let at = passed[passed.len() - 1];
        let (cause, next) = step(ranges, at, &passed);
        let is_promised = cause == Cause::Constant && ranges.is_promised(at);
        let cause = if is_promised { Cause::Contract } else { cause };
        let cause = if passed.len() > MOST_LINKS { Cause::AndSoOn } else { cause };
        links.push(BecauseLink { value: owners.0[at], bits: bits(ranges, at), cause });
        match next {
            Some(next) if passed.len() <= MOST_LINKS => passed.push(next),
            _ => return links,
        }
    }
}

/// Bits that an integer needs; none of a floating point number.
fn bits(ranges: &Propagation, at: VariableId) -> u32 {
    ranges.range_of(at).integer().map_or(0, |range| range.needed_width().bits)
}

/// What a definition says of its variable, and where most of its bits come from.
fn step(ranges: &Propagation, at: VariableId, passed: &[VariableId]) -> (Cause, Option<VariableId>) {
    let definition = &ranges.variables().get(at).definition;
    let is_new = |source: &VariableId| !passed.contains(source);
    // The first of the widest; none if what came before is wider than all: then it
    // is that which makes it wide, again and again.
    let widest = |list: &[VariableId]| {
        let next = list.iter().copied().filter(is_new).rev().max_by_key(|&source| bits(ranges, source))?;
        let again = list.iter().copied().filter(|source| !is_new(source));
        let is_narrower = again.map(|source| bits(ranges, source)).any(|wide| wide > bits(ranges, next));
        (!is_narrower).then_some(next)
    };
    // The first of the narrowest.
    let narrowest =
        |list: &[VariableId]| list.iter().copied().filter(is_new).min_by_key(|&source| bits(ranges, source));
    let or_grows = |cause: Cause, next: Option<VariableId>| match next {
        Some(next) => (cause, Some(next)),
        None => (Cause::Grows, None),
    };
    match definition {
        Definition::Full(limit) => (Cause::Limit(*limit), None),
        Definition::Constant(_) => (Cause::Constant, None),
        Definition::Table(..) => (Cause::Table, None),
        Definition::ToInteger(..) | Definition::ToFloat(..) | Definition::ToFormat(_) => (Cause::Float, None),
        Definition::Join(list) => or_grows(Cause::OneOf, widest(list)),
        Definition::Meet(list) => or_grows(Cause::Computed, narrowest(list)),
        // What was compared made it no narrower.
        Definition::Refined { source, .. } if is_new(source) && bits(ranges, *source) == bits(ranges, at) => {
            (Cause::Computed, Some(*source))
        }
        Definition::Refined { source, other, .. } => or_grows(Cause::Computed, narrowest(&[*source, *other])),
        other => {
            let mut sources = Vec::new();
            other.each_source(|source| sources.push(source));
            or_grows(Cause::Computed, widest(&sources))
        }
    }
}

#[cfg(test)]
mod tests {
    use opcost_analysis::memory::{MemoryModel, World};
    use opcost_analysis::propagation::{Limit, Propagation};
    use opcost_ir::{Layout, parse_module};
    use opcost_library::Effects;

    use super::{Cause, MOST_LINKS, Owners, because};

    /// The chain of a named value of the only function: names, bits, causes.
    fn chain(text: &str, wanted: &str) -> Vec<(String, u32, Cause)> {
        let module = parse_module(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let (layout, effects) = (Layout::of(&module), Effects::built_in());
        let program = MemoryModel::of(&module, &layout, &effects, World::Open);
        let ranges = Propagation::compute(&program);
        let (id, function) = module.functions.iter().next().expect("a function");
        let value = function.names.iter().find(|(_, name)| &***name == wanted).expect("the value").0;
        let variable = ranges.variable(id, *value).expect("a number");
        let name = |value| function.names.get(&value).map_or(String::new(), |name| name.to_string());
        because(&ranges, &Owners::of(&module, &ranges), variable)
            .into_iter()
            .map(|link| (link.value.map_or(String::new(), |(_, value)| name(value)), link.bits, link.cause))
            .collect()
    }

    #[test]
    fn most_bits_come_from_the_widest_source() {
        let text = "define i32 @f(i32 %x, i8 %y) {
  %low = and i32 %x, 7
  %wide = zext i32 i8 %y
  %sum = add i32 %low, %wide
  %more = add i32 %sum, 1
  ret i32 %more
}
";
        let expected = [
            ("more", 9, Cause::Computed),
            ("sum", 9, Cause::Computed),
            ("wide", 8, Cause::Computed),
            ("y", 8, Cause::Limit(Limit::Parameter)),
        ];
        let told = chain(text, "more");
        let told: Vec<(&str, u32, Cause)> =
            told.iter().map(|(name, bits, cause)| (&**name, *bits, *cause)).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn a_value_that_only_its_type_stops_grows() {
        let text = "define i32 @f(i1 %go) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 1, %entry ], [ %next, %loop ]
  %twice = mul i32 %i, 3
  %next = xor i32 %twice, 5
  br i1 %go, label %loop, label %exit
exit:
  ret i32 %i
}
";
        let told = chain(text, "i");
        assert_eq!((&*told[0].0, told[0].2), ("i", Cause::OneOf), "{told:?}");
        assert_eq!(told.last().map(|(_, bits, cause)| (*bits, *cause)), Some((32, Cause::Grows)), "{told:?}");
    }

    #[test]
    fn what_a_comparison_stops_is_as_wide_as_its_bound() {
        let text = "define i32 @f(i32 %x, i8 %most) {
entry:
  %bound = zext i32 i8 %most
  %less = icmp ult i32 %x, %bound
  br i1 %less, label %yes, label %exit
yes:
  %half = xor i32 %x, 1
  ret i32 %half
exit:
  ret i32 0
}
";
        let told = chain(text, "half");
        let last = &told[told.len() - 1];
        assert_eq!((&*last.0, last.1, last.2), ("most", 8, Cause::Limit(Limit::Parameter)), "{told:?}");
    }

    #[test]
    fn a_long_chain_ends_and_says_so() {
        let mut text = String::from("define i32 @f(i32 %v0) {\n");
        for at in 0..60 {
            text += &format!("  %v{} = mul i32 %v{at}, 3\n", at + 1);
        }
        text += "  ret i32 %v60\n}\n";
        let told = chain(&text, "v60");
        assert_eq!((told.len(), told[told.len() - 1].2), (MOST_LINKS + 1, Cause::AndSoOn));
        assert!(told[..MOST_LINKS].iter().all(|(_, _, cause)| *cause == Cause::Computed), "{told:?}");
    }
}
