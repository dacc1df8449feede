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

use opcost_analysis::memory::effect::{Effect, ResultKind, Returns, Touching};
use opcost_analysis::memory::{LibraryStates, MemoryModel, ObjectKind};
use opcost_ir::{
    Access, Call, CalleeRef, ConstantValue, DeclarationId, Function, Module, Opcode, ScalarValue, Value,
};
use opcost_key::{FunctionId, InstructionId};

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

const RANDOM: &[&str] = &[
    "rand",
    "srand",
    "random",
    "srandom",
    "initstate",
    "setstate",
    "rand48",
    "srand48",
    "lrand48",
    "mrand48",
    "drand48",
];
const CLOCKS: &[&str] = &[
    "time",
    "clock",
    "clock_gettime",
    "clock_getres",
    "gettimeofday",
    "getrusage",
    "times",
    "timespec_get",
    "MPI_Wtime",
    "MPI_Wtick",
    "mpi_wtime_",
    "mpi_wtick_",
    "omp_get_wtime",
    "omp_get_wtime_",
    "_FortranACpuTime",
    "_FortranASystemClockCount",
    "_FortranASystemClockCountRate",
    "_FortranASystemClockCountMax",
    "_FortranADateAndTime",
    "etime_",
    "dtime_",
    "second_",
];
/// What they write or give follows from what they read.
const COMPUTING: &[&str] = &[
    "bcopy",
    "bzero",
    "swab",
    "sincos",
    "sincosf",
    "sprintf",
    "snprintf",
    "__sprintf_chk",
    "__snprintf_chk",
    "rand_r",
    "getenv",
    "secure_getenv",
    "_FortranAArgumentCount",
    "_FortranAGetCommandArgument",
    "_FortranAGetEnvVariable",
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "strlcpy",
    "strlcat",
    "sscanf",
    "__isoc99_sscanf",
    "__isoc23_sscanf",
];
/// It gives the address of `errno`.
const ERRORS: &str = "__errno_location";
/// They print to standard output or error.
const TO_STANDARD: &[&str] =
    &["printf", "vprintf", "__printf_chk", "__vprintf_chk", "puts", "putchar", "putchar_unlocked", "perror"];
/// They print to a stream: which argument it is.
const TO_STREAM: &[(&str, usize)] = &[
    ("fprintf", 0),
    ("vfprintf", 0),
    ("__fprintf_chk", 0),
    ("__vfprintf_chk", 0),
    ("fputs", 1),
    ("fputs_unlocked", 1),
    ("fputc", 1),
    ("fputc_unlocked", 1),
    ("putc", 1),
    ("putc_unlocked", 1),
    ("_IO_putc", 1),
    ("fwrite", 3),
    ("fwrite_unlocked", 3),
    ("fflush", 0),
    ("fflush_unlocked", 0),
];
/// They may lead standard output elsewhere, or look at what was printed.
const REDIRECTING: &[&str] = &[
    "freopen",
    "freopen64",
    "dup",
    "dup2",
    "dup3",
    "pipe",
    "pipe2",
    "popen",
    "system",
    "ftell",
    "ftello",
    "ftello64",
    "fseek",
    "fseeko",
    "fseeko64",
    "rewind",
    "fgetpos",
    "fsetpos",
    "lseek",
    "lseek64",
    "setvbuf",
    "setbuf",
    "setbuffer",
    "fcntl",
    "fstat",
    "fstat64",
    "fdopen",
    "fopencookie",
    "open_memstream",
    "open_wmemstream",
    "fmemopen",
    "register_printf_function",
    "register_printf_specifier",
    "fileno",
    "ferror",
];
/// With these a program may read files.
const READING: &[&str] = &[
    "fdopen",
    "open",
    "open64",
    "openat",
    "creat",
    "__open_2",
    "__open64_2",
    "tmpfile",
    "tmpfile64",
    "mkstemp",
    "stat",
    "lstat",
    "stat64",
    "lstat64",
    "__xstat",
    "access",
    "fstatat",
    "mmap",
    "mmap64",
    "execv",
    "execvp",
    "rename",
];
const OPENING: &[&str] = &["fopen", "fopen64"];
const FORTRAN_INPUT: &[&str] = &[
    "_FortranAioBeginExternalListInput",
    "_FortranAioBeginExternalFormattedInput",
    "_FortranAioBeginUnformattedInput",
];
/// Printing statements: which argument the unit is.
const FORTRAN_OUTPUT: &[(&str, usize)] = &[
    ("_FortranAioBeginExternalListOutput", 0),
    ("_FortranAioBeginExternalFormattedOutput", 3),
    ("_FortranAioBeginUnformattedOutput", 0),
];
/// With these a Fortran program may look at what it wrote, or lead units elsewhere.
const FORTRAN_LOOKING: &[&str] = &[
    "_FortranAioBeginInquireUnit",
    "_FortranAioBeginInquireFile",
    "_FortranAioBeginRewind",
    "_FortranAioBeginBackspace",
];
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
        };
        for (id, function) in memory.module.functions.iter().filter(|&(id, _)| memory.calls.is_reachable(id))
        {
            for &(at, ref call) in &function.calls {
                library.inspect(id, at, call);
            }
        }
        library
    }

    fn inspect(&mut self, id: FunctionId, at: InstructionId, call: &Call) {
        let function = &self.memory.module.functions[id];
        let CalleeRef::Declaration(declared) = call.callee else { return };
        let name = &*self.memory.module.declarations[declared].name;
        self.retains_standard |= REDIRECTING.contains(&name);
        if name == ERRORS {
            self.errors.push(SliceSite { function: id, instruction: at });
        }
        let is_unknown = !self.memory.module.declarations[declared].is_intrinsic
            && self.memory.externals.effect(function, at, declared).reaches_others;
        let reads = OPENING.contains(&name) && !self.only_writes(function, at);
        let reads_unit = FORTRAN_INPUT.contains(&name) && {
            let position = usize::from(name.ends_with("FormattedInput")) * 3;
            self.integer(function, at, position) != Some(INPUT_UNIT)
        };
        self.retains_files |= is_unknown || reads || READING.contains(&name) || self.retains_standard;
        self.retains_units |= reads_unit || FORTRAN_LOOKING.contains(&name);
        let opens = name == "_FortranAioBeginOpenUnit"
            && self.integer(function, at, 0).is_none_or(|unit| STANDARD_UNITS.contains(&unit));
        self.retains_standard |= opens;
    }

    /// Whether a stream is opened for writing alone.
    fn only_writes(&self, function: &Function, at: InstructionId) -> bool {
        let letters = Library::text(self.memory.module, function, at, 1).unwrap_or_default();
        matches!(letters.first(), Some(b'w' | b'a')) && !letters.contains(&b'+')
    }

    /// Whether a stream is opened for reading alone.
    pub(crate) fn only_reads(&self, function: &Function, at: InstructionId) -> bool {
        let letters = Library::text(self.memory.module, function, at, 1).unwrap_or_default();
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

    /// Whether a statement of Fortran begins that writes to a unit of a file.
    pub(crate) fn writes_unit(&self, function: &Function, at: InstructionId, name: &str) -> bool {
        let Some(&(_, position)) = FORTRAN_OUTPUT.iter().find(|(known, _)| *known == name) else {
            return false;
        };
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
        if RANDOM.contains(&name) {
            return Fate::Shared(State::Random);
        }
        if name.starts_with("_FortranARandom") {
            return Fate::Shared(State::FortranRandom);
        }
        if TO_STANDARD.contains(&name) {
            return if self.retains_standard { Fate::Stays } else { Fate::Output };
        }
        if let Some(&(_, position)) = TO_STREAM.iter().find(|(known, _)| *known == name) {
            let is_standard = self.is_standard_stream(function, at, position);
            let stays = if is_standard { self.retains_standard } else { self.retains_files };
            return if stays { Fate::Stays } else { Fate::Output };
        }
        if name.starts_with(FORTRAN_STATEMENT) {
            return self.fortran(site, name).map_or(Fate::Stays, Fate::Printing);
        }
        if name == ERRORS || CLOCKS.contains(&name) || COMPUTING.contains(&name) {
            return Fate::Value;
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
        let Some(&(_, position)) = FORTRAN_OUTPUT.iter().find(|(known, _)| *known == name) else {
            return false;
        };
        let function = &self.memory.module.functions[begin.function];
        let unit = self.integer(function, begin.instruction, position);
        let is_standard = unit.is_some_and(|unit| STANDARD_UNITS.contains(&unit));
        !if is_standard { self.retains_standard } else { self.retains_units || self.retains_files }
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
