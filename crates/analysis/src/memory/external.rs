//! What may a call do whose callee is not here? Table and attributes together.
//!
//! A function that the effect table knows does what the table says. Any other does what its
//! attributes leave: `memory(...)` of call and declaration, `captures(none)`, `readonly` and
//! `readnone` of its parameters. A `printf` writes through its arguments if its format is not known
//! or has `%n`. What the table that opcost carries says of a name holds only where that name is a
//! builtin; a user's table is believed.
//!
//! Input: module and table. Output: an [`Effect`] for each call. Cost: a
//! look-up for each declaration, then constant for each call.

use std::borrow::Cow;

use opcost_index::IdMap;
use opcost_ir::{Call, DeclarationId, Function, Module, Outside, ParameterFacts};
use opcost_key::InstructionId;
use rustc_hash::FxHashSet;

use super::contents::string_at;
use super::effect::*;
use super::effects::Effects;

/// Effects of the functions that a module declares.
#[derive(Clone, Debug)]
pub struct Externals<'a> {
    module: &'a Module,
    known: IdMap<DeclarationId, Option<&'a Effect>>,
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
        Self { module, known: known.collect(), outside: Outside::of(module) }
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
        let is_believed = |effect: &&Effect| {
            !effect.is_built_in || self.module.is_library_call(function, call, declaration)
        };
        let Some(known) = self.known[declaration].filter(is_believed) else {
            let arguments = function.arguments_of(site).len() as u32;
            return Cow::Owned(self.by_attributes(call, declaration, arguments));
        };
        if known.writes_by_format(self.module, function, site) {
            let mut effect = known.clone();
            let first = known.format.unwrap_or(0) + 1;
            effect.touches.push(Touched {
                parameters: Parameters::From(first),
                how: Touching::Writes,
                extent: Extent::Unknown,
                is_deep: false,
            });
            return Cow::Owned(effect);
        }
        Cow::Borrowed(known)
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
                touch(Touching::Keeps);
            } else if reads_others || writes_others {
                touch(Touching::KeepsWhatItPointsTo);
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

impl Effect {
    /// Whether a `printf` may write through its arguments (`%n`).
    fn writes_by_format(&self, module: &Module, function: &Function, site: InstructionId) -> bool {
        let Some(format) = self.format else { return false };
        if self.touches.iter().any(|touched| matches!(touched.how, Touching::Input(_))) {
            return false;
        }
        let text =
            function.arguments_of(site).get(format as usize).and_then(|&value| string_at(module, value));
        text.is_none_or(|text| has_count_conversion(&text))
    }
}

/// Whether a format has a conversion that writes how much was printed.
fn has_count_conversion(format: &str) -> bool {
    let mut rest = format.chars();
    while let Some(c) = rest.next() {
        if c == '%' {
            let is_flag = |c: &char| "0123456789-+ #'.*$hljztLq".contains(*c);
            if rest.find(|c| !is_flag(c)) == Some('n') {
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

    use super::{Externals, has_count_conversion};
    use crate::memory::Effects;

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
        assert!(has_count_conversion("%d%n") && has_count_conversion("%-5lln"));
        assert!(!has_count_conversion("%%n %d\n") && !has_count_conversion("100%% nothing%s"));
    }
}
