//! What may a call do whose callee is not here? Table and attributes together.
//!
//! A function that the effect table knows does what the table says. Any other does what its
//! attributes leave: `memory(...)` of call and declaration, `captures(none)`, `readonly` and
//! `readnone` of its parameters. A `printf` writes through its arguments if its format is not known
//! or has `%n`. A call that uses a state of the library in which a call of the program keeps something
//! ([`LibraryStates`]) may read and write all that escaped, and call back. What the table that opcost carries says of a name holds only where that name is a
//! builtin; a user's table is believed.
//!
//! Input: module and table. Output: an [`Effect`] for each call. Cost: a
//! look-up for each declaration, then constant for each call.

use std::borrow::Cow;

use opcost_index::IdMap;
use opcost_ir::{
    Call, CalleeRef, ConstantValue, DeclarationId, Function, Linkage, Module, Outside, ParameterFacts,
    ScalarValue, Type, TypeId, Value,
};
use opcost_key::InstructionId;
use rustc_hash::FxHashSet;

use super::contents::string_at;
use opcost_library::effect::*;
use opcost_library::{Effects, LibraryStates, as_linked};

/// Effects of the functions that a module declares.
#[derive(Clone, Debug)]
pub struct Externals<'a> {
    module: &'a Module,
    known: IdMap<DeclarationId, Option<&'a Effect>>,
    /// States of libraries in which calls of the module keep something.
    held: LibraryStates,
    /// What of the module other code reaches by name.
    pub outside: Outside,
}

impl<'a> Externals<'a> {
    /// Looks every declaration up.
    pub fn new(module: &'a Module, effects: &'a Effects) -> Self {
        // The linker was told to call the program's own (`--wrap`).
        let own = module.functions.values().filter_map(|function| function.name.strip_prefix("__wrap_"));
        let wrapped: FxHashSet<&str> = own.collect();
        let of = |name: &str| effects.of(name).filter(|_| !wrapped.contains(name));
        let known = module.declarations.values().map(|declaration| of(&declaration.name));
        let (held, outside) = (LibraryStates::NONE, Outside::of(module));
        let mut externals = Self { module, known: known.collect(), held, outside };
        externals.held = externals.held_states().and(states_with_variables(module, effects));
        externals
    }

    /// The states in which calls of the module keep something.
    fn held_states(&self) -> LibraryStates {
        let mut held = LibraryStates::NONE;
        let mut called: FxHashSet<DeclarationId> = FxHashSet::default();
        for function in self.module.functions.values() {
            for &(at, ref call) in &function.calls {
                let CalleeRef::Declaration(declared) = call.callee else { continue };
                called.insert(declared);
                held = held.and(match self.believed(function, call, declared) {
                    Some(known) => known.holds,
                    None if self.is_passed_outside(function, at, declared) => LibraryStates::ALL,
                    None => LibraryStates::NONE,
                });
            }
        }
        // Others are called through pointers, with whatever.
        for (declared, declaration) in self.module.declarations.iter() {
            if !called.contains(&declared) && !declaration.is_intrinsic {
                held = held.and(self.known[declared].map_or(LibraryStates::ALL, |known| known.holds));
            }
        }
        held
    }

    /// Whether a function that no table knows gets a pointer that it may keep: not one to what
    /// never changes.
    fn is_passed_outside(&self, function: &Function, at: InstructionId, declared: DeclarationId) -> bool {
        let Some(call) = function.call(at) else { return true };
        if self.module.declarations[declared].is_intrinsic {
            return false;
        }
        let arguments = function.arguments_of(at);
        let effect = self.by_attributes(call, declared, arguments.len() as u32);
        (0..).zip(arguments).any(|(position, &argument)| {
            let ty = self.module.type_of(function, argument).map(|ty| &self.module.types[ty]);
            let mut touches = effect.touches_of(position);
            let is_kept =
                touches.any(|touched| matches!(touched.how, Touching::Retains | Touching::RetainsPointees));
            is_kept && !matches!(ty, Some(Type::Integer(_) | Type::Float(_))) && !self.is_fixed(argument)
        })
    }

    /// Whether a pointer is null, or one to data that never changes.
    fn is_fixed(&self, pointer: Value) -> bool {
        let Value::Constant(id) = pointer else { return false };
        match self.module.constants[id].value {
            ConstantValue::Global { global, .. } => {
                let data = &self.module.globals[global];
                let is_number = |&(_, _, scalar): &(u64, TypeId, ScalarValue)| {
                    use ConstantValue::{Float, Integer, Null, Zero};
                    matches!(scalar, ScalarValue::Constant(Integer(_) | Float(_) | Null | Zero))
                };
                let contents = data.contents.as_ref().filter(|contents| contents.is_complete);
                data.is_constant && contents.is_some_and(|contents| contents.scalars.iter().all(is_number))
            }
            value => value == ConstantValue::Null,
        }
    }

    /// What a table says of a call, where that is believed.
    fn believed(&self, function: &Function, call: &Call, declared: DeclarationId) -> Option<&'a Effect> {
        let is_believed =
            |effect: &&Effect| !effect.is_built_in || self.module.is_library_call(function, call, declared);
        self.known[declared].filter(is_believed)
    }

    /// Whether an instruction may call functions of the module that nobody sees it call. It is, or
    /// becomes, a call of a library function, and the module owns such by name.
    pub fn calls_by_name(&self, function: &Function, at: InstructionId) -> bool {
        self.outside.has_library_functions && self.module.may_become_call(function, at)
    }

    /// Whether a table knows it.
    pub fn is_known(&self, declaration: DeclarationId) -> bool {
        self.known[declaration].is_some()
    }

    /// What this call of a declared function does.
    pub fn effect(
        &self,
        function: &Function,
        site: InstructionId,
        declaration: DeclarationId,
    ) -> Cow<'a, Effect> {
        let Some(call) = function.call(site) else { return Cow::Owned(anything()) };
        let Some(known) = self.believed(function, call, declaration) else {
            let arguments = function.arguments_of(site).len() as u32;
            return Cow::Owned(self.by_attributes(call, declaration, arguments));
        };
        let used = known.used_states();
        let writes = has_by_format(known, self.module, function, site, 'n');
        let tells_addresses = has_by_format(known, self.module, function, site, 'p');
        // What a list of arguments leads to was handed to another function, and escaped.
        let reaches = used.but_error().meet(self.held) || writes && known.has_list;
        let sets_error = used != LibraryStates::NONE && self.held.meet(LibraryStates::ERROR);
        if !reaches && !writes && !tells_addresses && !sets_error {
            return Cow::Borrowed(known);
        }
        let mut effect = known.clone();
        effect.reaches_others |= reaches;
        effect.writes_library |= sets_error;
        for (_, how) in
            [(writes, Touching::Writes), (tells_addresses, Touching::Retains)].into_iter().filter(|one| one.0)
        {
            effect.touches.push(Touched {
                parameters: Parameters::From(known.format.unwrap_or(0) + 1),
                how,
                extent: Extent::Unknown,
                is_deep: false,
            });
        }
        Cow::Owned(effect)
    }

    fn by_attributes(&self, call: &Call, declaration: DeclarationId, arguments: u32) -> Effect {
        let declaration = &self.module.declarations[declaration];
        let (site, whole) = (call.memory, declaration.memory);
        let both = |site: bool, whole: bool| site && whole;
        let reads_others = both(site.other.reads, whole.other.reads);
        let writes_others = both(site.other.writes, whole.other.writes);
        let reads = both(site.argument.reads, whole.argument.reads);
        let writes = both(site.argument.writes, whole.argument.writes);
        let hides = both(site.inaccessible.writes, whole.inaccessible.writes);
        let mut effect = Effect {
            reaches_others: reads_others || writes_others,
            result: match (reads || reads_others, declaration.returns_noalias) {
                (_, true) => ResultKind::Fresh { zeroed: false },
                (true, _) => ResultKind::Input,
                (false, _) if both(site.inaccessible.reads, whole.inaccessible.reads) => ResultKind::Input,
                (false, _) => ResultKind::Pure,
            },
            returns: match (declaration.is_noreturn, declaration.is_willreturn) {
                (true, _) => Returns::Never,
                (_, true) => Returns::Always,
                _ => Returns::Perhaps,
            },
            ..Effect::default()
        };
        for position in 0..arguments {
            let facts = declaration.parameter_facts.get(position as usize).copied().unwrap_or_default();
            let mut touch = |how| {
                let parameters = Parameters::One(position);
                effect.touches.push(Touched { parameters, how, extent: Extent::Unknown, is_deep: false });
            };
            let ParameterFacts { is_nocapture, is_readonly, is_readnone, is_writeonly, .. } = facts;
            if !is_nocapture && (writes || writes_others || hides) {
                touch(Touching::Retains);
            } else if reads_others || writes_others {
                touch(Touching::RetainsPointees);
            }
            if (reads || reads_others) && !is_writeonly && !is_readnone {
                touch(Touching::Reads);
            }
            if (writes || writes_others) && !is_readonly && !is_readnone {
                touch(Touching::Writes);
            }
        }
        effect
    }
}

/// The states of which a module has a variable by name: declared, or its own in the library's stead.
fn states_with_variables(module: &Module, effects: &Effects) -> LibraryStates {
    let shared = module.globals.values().filter(|global| global.linkage != Linkage::Local);
    let states = shared.filter_map(|global| Some(effects.of(as_linked(&global.name))?.holds));
    states.fold(LibraryStates::NONE, LibraryStates::and)
}

/// Whether a `printf` may write through its arguments (`%n`).
fn has_by_format(
    known: &Effect,
    module: &Module,
    function: &Function,
    site: InstructionId,
    conversion: char,
) -> bool {
    let Some(format) = known.format else { return false };
    if known.touches.iter().any(|touched| matches!(touched.how, Touching::Input(_))) {
        return false;
    }
    let text = function.arguments_of(site).get(format as usize).and_then(|&value| string_at(module, value));
    text.is_none_or(|text| has_conversion(&text, conversion))
}

/// Whether a format has this conversion.
fn has_conversion(format: &str, conversion: char) -> bool {
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c == '%' {
            let is_flag = |c: &char| "0123456789-+ #'.*$hljztLqIwZ".contains(*c);
            if rest.find(|c| !is_flag(c)) == Some(conversion) {
                return true;
            }
        }
    }
    false
}

/// The effect of what nothing is known of.
pub(crate) fn anything() -> Effect {
    Effect { does_anything: true, reaches_others: true, ..Effect::default() }
}

#[cfg(test)]
mod tests {
    use opcost_index::Id;
    use opcost_ir::{DeclarationId, parse_module};
    use opcost_key::{FunctionId, InstructionId};

    use super::{Externals, has_conversion};
    use opcost_library::Effects;

    /// `-fno-builtin` marks callers, and calls: then only attributes are believed.
    #[test]
    fn a_name_that_is_no_builtin_is_not_looked_up() {
        let text = "
declare @isalpha
define void @plain() {
  %r = call i32 @isalpha(i32 97)
  ret void
}
define void @call() {
  %r = call i32 @isalpha(i32 97) nobuiltin
  ret void
}
";
        let mut module = parse_module(text).expect("a module");
        let (plain, call) = (FunctionId::new(0), FunctionId::new(1));
        let effects = Effects::built_in();
        let range = |module: &opcost_ir::Module, function: FunctionId| {
            let body = &module.functions[function];
            Externals::new(module, &effects).effect(body, InstructionId::new(0), DeclarationId::new(0)).range
        };
        assert!(range(&module, plain).is_some() && range(&module, call).is_none());
        for (mark, is_off) in [("no-builtins", true), ("no-builtin-isalpha", true), ("no-builtin-abs", false)]
        {
            module.functions[plain].marks = vec![mark.into()];
            assert_eq!(range(&module, plain).is_none(), is_off, "{mark}");
        }
    }

    #[test]
    fn only_percent_n_counts() {
        assert!(has_conversion("%d%n", 'n') && has_conversion("%-5lln", 'n'));
        assert!(!has_conversion("%%n %d\n", 'n') && !has_conversion("100%% nothing%s", 'n'));
    }
}
