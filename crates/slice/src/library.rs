//! What may be left out of a call of a function that is not here?
//!
//! An allow-list. A call goes if nobody needs what it gives, and it is known to
//! do nothing else: it computes, allocates, reads a clock, or prints. Every other call stays
//! where it is, with all that it reads: what it does to files, to the library
//! and to the end of the program is not seen.
//!
//! Calls that share a state that nobody sees stay together, or go together: the
//! generator behind `rand`, the parts of one Fortran statement, `errno`.
//!
//! What is printed goes only if the program cannot read it again. Standard output goes
//! unless the program leads it elsewhere. A file that is written goes unless the program
//! reads files or calls what nobody knows.
//!
//! Input: the memory model. Output: a [`Fate`] for each call. Limit: names of
//! libraries are believed, as the effect table is.

use opcost_analysis::memory::{MemoryModel, ObjectKind};
use opcost_ir::{
    Access, Call, CalleeRef, ConstantValue, DeclarationId, Function, Module, Opcode, ScalarValue, Value,
};
use opcost_key::{FunctionId, InstructionId};
use opcost_library::effect::{Effect, ResultKind, Returns, Touching};
use opcost_library::{LibraryStates, SystemEffect, system_effects};

use crate::site::SliceSite;

/// What becomes of a call of a function that is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It goes unless its result or what it writes is needed.
    Value,
    /// It gives memory back: it stays where the memory does.
    Free,
    /// It prints: as `Value`, and it is listed.
    Output,
    /// It stays if another of the same state stays.
    Shared(State),
    /// It is part of a printing statement, which begins there. Where the ends of several statements
    /// were merged, it is part of each.
    Printing(Vec<SliceSite>),
    /// It ends a program whose exit status does not matter, in the function whose return ends it too.
    Ends,
    /// It stays.
    Stays,
}

/// A state that no memory of the program shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum State {
    /// Of the generator of pseudo-random numbers.
    Random,
    /// Of Fortran's.
    FortranRandom,
}

/// It gives the address of `errno`.
const ERRORS: &str = "__errno_location";
/// Statements of flang's library are made of calls that begin so.
const FORTRAN_STATEMENT: &str = "_FortranAio";
/// The first call of a statement.
const FORTRAN_BEGINS: &str = "_FortranAioBegin";
/// Standard output and error, as flang numbers them.
const STANDARD_UNITS: [u128; 2] = [6, 0];
/// Standard input.
const INPUT_UNIT: u128 = 5;

/// What calls of functions that are not here may do, of one program.
pub(crate) struct Library<'a> {
    memory: &'a MemoryModel<'a>,
    /// Standard output may be read again.
    retains_standard: bool,
    /// A file that is written may be read again.
    retains_files: bool,
    /// A unit that is written may be read again.
    retains_units: bool,
    /// Calls that give the address of `errno`.
    errors: Vec<SliceSite>,
    /// The program has functions that the C library or code generation calls by their names.
    is_replaced: bool,
}

impl<'a> Library<'a> {
    /// Looks at all calls of functions that are not here.
    pub(crate) fn of(memory: &'a MemoryModel<'a>) -> Library<'a> {
        let mut library = Library {
            memory,
            retains_standard: false,
            retains_files: false,
            retains_units: false,
            errors: Vec::new(),
            is_replaced: memory.module.replaces_library(),
        };
        for (id, function) in memory.module.functions.iter().filter(|&(id, _)| memory.calls.is_reachable(id))
        {
            for &(at, ref call) in &function.calls {
                library.inspect(id, at, call);
            }
        }
        library
    }

    /// Whether a function of the program may run in an instruction, by its name. Instances of templates run in calls
    /// of the C++ library alone.
    pub(crate) fn may_run_own(&self, function: &Function, at: InstructionId) -> bool {
        let module = self.memory.module;
        let is_instance = || match function.call(at).map(|call| call.callee) {
            Some(CalleeRef::Declaration(declared)) => module.declarations[declared].name.starts_with("_Z"),
            _ => false,
        };
        self.memory.externals.calls_by_name(function, at) && (self.is_replaced || is_instance())
    }

    fn inspect(&mut self, id: FunctionId, at: InstructionId, call: &Call) {
        let function = &self.memory.module.functions[id];
        let CalleeRef::Declaration(declared) = call.callee else { return };
        let name = &*self.memory.module.declarations[declared].name;
        if name == ERRORS {
            self.errors.push(SliceSite { function: id, instruction: at });
        }
        let is_unknown = !self.memory.module.declarations[declared].is_intrinsic
            && self.memory.externals.effect(function, at, declared).reaches_others;
        self.retains_files |= is_unknown;
        for &effect in system_effects(name) {
            match effect {
                SystemEffect::Redirects => (self.retains_standard, self.retains_files) = (true, true),
                SystemEffect::ReadsFiles => self.retains_files = true,
                SystemEffect::OpensByMode(mode) => {
                    self.retains_files |= !self.only_writes(function, at, mode)
                }
                SystemEffect::ReadsUnit(unit) => {
                    self.retains_units |= self.integer(function, at, unit) != Some(INPUT_UNIT);
                }
                SystemEffect::InspectsUnits => self.retains_units = true,
                SystemEffect::OpensUnit(Some(unit)) => {
                    let unit = self.integer(function, at, unit);
                    self.retains_standard |= unit.is_none_or(|unit| STANDARD_UNITS.contains(&unit));
                }
                SystemEffect::Prints
                | SystemEffect::PrintsTo(_)
                | SystemEffect::PrintsToUnit(_)
                | SystemEffect::OpensByFlags(_)
                | SystemEffect::OpensUnit(None)
                | SystemEffect::Changes
                | SystemEffect::FollowsLink
                | SystemEffect::InspectsCode
                | SystemEffect::ChangesRounding
                | SystemEffect::Observes
                | SystemEffect::ReadsClock
                | SystemEffect::Computes => {}
            }
        }
    }

    /// Whether a stream is opened for writing alone.
    fn only_writes(&self, function: &Function, at: InstructionId, mode: usize) -> bool {
        let letters = Library::text(self.memory.module, function, at, mode).unwrap_or_default();
        matches!(letters.first(), Some(b'w' | b'a')) && !letters.contains(&b'+')
    }

    /// Whether a stream is opened for reading alone.
    pub(crate) fn only_reads(&self, function: &Function, at: InstructionId, mode: usize) -> bool {
        let letters = Library::text(self.memory.module, function, at, mode).unwrap_or_default();
        letters.first() == Some(&b'r') && !letters.contains(&b'+')
    }

    /// The constant text that a call passes in this position.
    pub(crate) fn text(
        module: &Module,
        function: &Function,
        at: InstructionId,
        position: usize,
    ) -> Option<Vec<u8>> {
        let Some(&Value::Constant(text)) = function.arguments_of(at).get(position) else { return None };
        let ConstantValue::Global { global, offset: 0 } = module.constants[text].value else { return None };
        let data = &module.globals[global];
        let contents = data.contents.as_ref().filter(|_| data.is_constant)?;
        let letter = |scalar| match scalar {
            ScalarValue::Constant(ConstantValue::Integer(value)) => u8::try_from(value).ok(),
            _ => None,
        };
        Some(contents.scalars.iter().filter_map(|&(_, _, scalar)| letter(scalar)).collect())
    }

    /// Whether the unit that a call names in this position is that of a file, or may be.
    pub(crate) fn is_unit_of_file(&self, function: &Function, at: InstructionId, position: usize) -> bool {
        self.integer(function, at, position).is_none_or(|unit| !STANDARD_UNITS.contains(&unit))
    }

    /// The constant number that a call passes in this position.
    pub(crate) fn integer(&self, function: &Function, at: InstructionId, position: usize) -> Option<u128> {
        match function.arguments_of(at).get(position) {
            Some(&Value::Constant(id)) => match self.memory.module.constants[id].value {
                ConstantValue::Integer(value) => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// What becomes of a call.
    pub(crate) fn fate(&self, id: FunctionId, at: InstructionId, declared: DeclarationId) -> Fate {
        let function = &self.memory.module.functions[id];
        let call = function.call(at).expect("a call");
        let declaration = &self.memory.module.declarations[declared];
        let name = &*declaration.name;
        let effect = self.memory.externals.effect(function, at, declared);
        if effect.returns == Returns::Never || call.is_noreturn || call.returns_twice {
            return Fate::Stays;
        }
        if self.may_run_own(function, at) {
            return Fate::Stays;
        }
        if declaration.is_intrinsic {
            let is_volatile = COPYING.iter().any(|beginning| name.starts_with(beginning))
                && self.integer(function, at, VOLATILE) != Some(0);
            return if is_volatile { Fate::Stays } else { intrinsic(name, &effect, call) };
        }
        let is_library = self.memory.externals.is_known(declared)
            && self.memory.module.is_library_call(function, call, declared);
        if !is_library {
            let is_known = self.memory.externals.is_known(declared);
            let ends = is_known || (declaration.is_willreturn && call.is_nounwind);
            let computes =
                ends && is_silent(&effect) && (effect.result == ResultKind::Pure || is_contained(call));
            return if computes { Fate::Value } else { Fate::Stays };
        }
        self.library_fate(SliceSite { function: id, instruction: at }, name, &effect)
    }

    fn library_fate(&self, site: SliceSite, name: &str, effect: &Effect) -> Fate {
        let function = &self.memory.module.functions[site.function];
        let at = site.instruction;
        // What it does with what others keep is not seen.
        if effect.reaches_others {
            return Fate::Stays;
        }
        if effect.uses.is_some_and(|uses| uses.but_error() == LibraryStates::RANDOM) {
            return Fate::Shared(State::Random);
        }
        if name.starts_with("_FortranARandom") {
            return Fate::Shared(State::FortranRandom);
        }
        if name.starts_with(FORTRAN_STATEMENT) {
            return self.fortran(site, name).map_or(Fate::Stays, Fate::Printing);
        }
        for &does in system_effects(name) {
            let stays = match does {
                SystemEffect::Prints => self.retains_standard,
                SystemEffect::PrintsTo(stream) if self.is_standard_stream(function, at, stream) => {
                    self.retains_standard
                }
                SystemEffect::PrintsTo(_) => self.retains_files,
                SystemEffect::ReadsClock | SystemEffect::Computes => return Fate::Value,
                _ => continue,
            };
            return if stays { Fate::Stays } else { Fate::Output };
        }
        let frees = effect.touches.iter().any(|touched| touched.how == Touching::Frees);
        if frees && effect.touches.len() == 1 && !effect.does_anything {
            return Fate::Free;
        }
        let is_computed = matches!(
            effect.result,
            ResultKind::Pure
                | ResultKind::Fresh { .. }
                | ResultKind::Parameter(_)
                | ResultKind::Moved(_)
                | ResultKind::Inside(_)
        );
        if is_computed && is_silent(effect) { Fate::Value } else { Fate::Stays }
    }

    /// Whether the stream is loaded from `stdout` or `stderr`.
    fn is_standard_stream(&self, function: &Function, at: InstructionId, position: usize) -> bool {
        let Some(&Value::Instruction(stream)) = function.arguments_of(at).get(position) else { return false };
        if function.instructions[stream].opcode != Opcode::Load {
            return false;
        }
        let Value::Constant(pointer) = function.operands_of(stream)[0] else { return false };
        match self.memory.module.constants[pointer].value {
            ConstantValue::Global { global, offset: 0 } => {
                let data = &self.memory.module.globals[global];
                data.is_declared && ["stdout", "stderr"].contains(&&*data.name)
            }
            _ => false,
        }
    }

    /// The statements that a call of Fortran's library is part of, if all of them print what nobody
    /// reads again.
    fn fortran(&self, site: SliceSite, name: &str) -> Option<Vec<SliceSite>> {
        let function = &self.memory.module.functions[site.function];
        if name.starts_with(FORTRAN_BEGINS) {
            return self.prints(site, name).then(|| vec![site]);
        }
        let mut work = vec![*function.arguments_of(site.instruction).first()?];
        let (mut begins, mut phis) = (Vec::new(), Vec::new());
        while let Some(value) = work.pop() {
            let Value::Instruction(at) = value else { return None };
            if function.instructions[at].opcode == Opcode::Phi {
                if !phis.contains(&at) {
                    phis.push(at);
                    // Values and the blocks that they come from, in turns.
                    work.extend(function.operands_of(at).iter().step_by(2));
                }
                continue;
            }
            let begin = SliceSite { instruction: at, ..site };
            let CalleeRef::Declaration(declared) = function.call(at)?.callee else { return None };
            let name = &*self.memory.module.declarations[declared].name;
            if !name.starts_with(FORTRAN_BEGINS) || !self.prints(begin, name) {
                return None;
            }
            if !begins.contains(&begin) {
                begins.push(begin);
            }
        }
        (!begins.is_empty()).then_some(begins)
    }

    /// Whether a statement of Fortran that begins here prints what nobody reads again.
    fn prints(&self, begin: SliceSite, name: &str) -> bool {
        let mut positions = system_effects(name).iter().filter_map(|effect| match effect {
            SystemEffect::PrintsToUnit(position) => Some(*position),
            _ => None,
        });
        let Some(position) = positions.next() else { return false };
        let function = &self.memory.module.functions[begin.function];
        let is_of_file = self.is_unit_of_file(function, begin.instruction, position);
        !if is_of_file { self.retains_units || self.retains_files } else { self.retains_standard }
    }

    /// Calls that give the address of `errno`. Where one stays, all that may set it stays.
    pub(crate) fn errors(&self) -> &[SliceSite] {
        &self.errors
    }

    /// Whether the memory that a call gives back may be memory of which `stays` says so.
    pub(crate) fn frees_any(&self, site: SliceSite, stays: impl Fn(SliceSite) -> bool) -> bool {
        let function = &self.memory.module.functions[site.function];
        let Some(&pointer) = function.arguments_of(site.instruction).first() else { return true };
        let targets = self.memory.addresses.targets(site.function, pointer);
        let objects = self.memory.addresses.objects();
        targets.is_unknown
            || targets.known.iter().any(|target| match objects.kind(target.object) {
                ObjectKind::Fresh(function, instruction) => stays(SliceSite { function, instruction }),
                _ => true,
            })
    }
}

/// Whether nothing but its result and the memory that it names comes of it.
fn is_silent(effect: &Effect) -> bool {
    let is_more = |how: Touching| matches!(how, Touching::Input(_) | Touching::Frees);
    !effect.does_anything
        && !effect.reaches_others
        && !effect.synchronises
        && effect.callbacks.is_empty()
        && effect.statement.is_none()
        // What it leaves behind in the library is not seen.
        && effect.used_states().but_error() == LibraryStates::NONE
        && !effect.touches.iter().any(|touched| is_more(touched.how))
}

/// Whether it touches only memory that its arguments lead to.
fn is_contained(call: &Call) -> bool {
    call.memory.inaccessible == Access::NONE && call.memory.other == Access::NONE
}

/// Intrinsics that copy, and which argument says whether they are volatile.
const COPYING: &[&str] = &["llvm.memcpy.", "llvm.memmove.", "llvm.memset."];
const VOLATILE: usize = 3;
/// Intrinsics that say something and do nothing.
const EMPTY: &[&str] = &[
    "llvm.lifetime.",
    "llvm.invariant.",
    "llvm.dbg.",
    "llvm.assume",
    "llvm.experimental.noalias.scope.decl",
    "llvm.sideeffect",
    "llvm.donothing",
    "llvm.prefetch.",
    "llvm.var.annotation",
    "llvm.fake.use",
    "llvm.pseudoprobe",
];

fn intrinsic(name: &str, effect: &Effect, call: &Call) -> Fate {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| name.starts_with(beginning));
    if begins(EMPTY) {
        return Fate::Value;
    }
    if begins(COPYING) {
        return Fate::Value;
    }
    let is_computed =
        matches!(effect.result, ResultKind::Pure | ResultKind::Parameter(_)) || is_contained(call);
    let ends = call.is_willreturn || effect.returns == Returns::Always;
    if is_computed && is_silent(effect) && ends { Fate::Value } else { Fate::Stays }
}
