//! Which calls that stay may change what others see: files, processes, the network?
//!
//! A slice that is run in place of its program must leave no trace. What it prints on its streams can be led
//! away. A file that it opens for writing cannot: it would be emptied. So each call that stays and may do that
//! is listed. Allowed is what is known to do no such thing. A file that is opened for reading alone is allowed, if
//! the code says so.
//!
//! Input: the closure. Output: calls. Cost: the calls of functions that are not here. Limit: the table
//! of effects is believed, and the C++ library by its names.

use opcost_ir::{Access, CalleeRef};
use opcost_key::InstructionId;
use opcost_library::{ControlEffect, SystemEffect, control_effect, system_effects};

use crate::closure::Closure;
use crate::library::Library;
use crate::site::SliceSite;

/// Flags with which a file may be written or made: `O_WRONLY`, `O_RDWR`, `O_CREAT`, `O_TRUNC`.
const WRITING_FLAGS: u128 = 0o1 | 0o2 | 0o100 | 0o1000;
const FORTRAN_STATUS: &str = "_FortranAioSetStatus";
const FORTRAN_ACTION: &str = "_FortranAioSetAction";
/// What compilers call for arithmetic: the table does not have it.
const ARITHMETIC: &[&str] = &["__mul", "__div", "__udiv", "__mod", "__umod", "__powi", "__fix", "__float"];
/// The C++ library, and what of it has files.
const CPP_LIBRARY: &[&str] = &["_ZNS", "_ZNKS", "_ZSt", "__cxa_", "_Zn", "_Zd"];
const CPP_FILES: &[&str] = &["filebuf", "fstream", "filesystem"];

impl Closure<'_> {
    /// Calls that stay and may change what others see, in program order.
    pub(crate) fn changes(&self) -> Vec<SliceSite> {
        self.outside.iter().copied().filter(|&site| self.stays(site) && self.may_change(site)).collect()
    }

    fn may_change(&self, site: SliceSite) -> bool {
        let module = self.memory.module;
        let function = &module.functions[site.function];
        let Some(call) = function.call(site.instruction) else { return false };
        let CalleeRef::Declaration(declared) = call.callee else { return false };
        let name = &*module.declarations[declared].name;
        let library = &self.library;
        if module.declarations[declared].is_intrinsic {
            return false;
        }
        if !self.memory.externals.is_known(declared) {
            let is_contained = call.memory.inaccessible == Access::NONE && call.memory.other == Access::NONE;
            let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| name.starts_with(beginning));
            let is_arithmetic = begins(ARITHMETIC);
            let is_cpp = begins(CPP_LIBRARY) && !CPP_FILES.iter().any(|part| name.contains(part));
            return !is_contained && !is_arithmetic && !is_cpp;
        }
        let processes = matches!(
            control_effect(name),
            Some(
                ControlEffect::Forks
                    | ControlEffect::StartsProcess
                    | ControlEffect::BecomesProgram
                    | ControlEffect::SendsSignal
            )
        );
        let does = |effect: &SystemEffect| match *effect {
            SystemEffect::Changes => true,
            SystemEffect::OpensByMode(mode) => !library.only_reads(function, site.instruction, mode),
            SystemEffect::OpensByFlags(flags) => {
                let flags = library.integer(function, site.instruction, flags);
                flags.is_none_or(|flags| flags & WRITING_FLAGS != 0)
            }
            SystemEffect::OpensUnit(_) => !self.opens_old(site),
            SystemEffect::PrintsToUnit(unit) => library.is_unit_of_file(function, site.instruction, unit),
            _ => false,
        };
        let removes = name == FORTRAN_STATUS && !["OLD", "KEEP"].iter().any(|word| self.has_word(site, word));
        processes || removes || system_effects(name).iter().any(does)
    }

    /// Whether an `OPEN` says `STATUS='OLD'` or `ACTION='READ'`, so that no file is made.
    fn opens_old(&self, open: SliceSite) -> bool {
        let module = self.memory.module;
        let function = &module.functions[open.function];
        let is_part = |at: InstructionId| {
            let first = function.arguments_of(at).first();
            first == Some(&opcost_ir::Value::Instruction(open.instruction))
        };
        function.calls.iter().filter(|&&(at, _)| is_part(at)).any(|&(at, ref call)| {
            let CalleeRef::Declaration(declared) = call.callee else { return false };
            let part = SliceSite { instruction: at, ..open };
            match &*module.declarations[declared].name {
                FORTRAN_STATUS => self.has_word(part, "OLD"),
                FORTRAN_ACTION => self.has_word(part, "READ"),
                _ => false,
            }
        })
    }

    /// Whether the text that a call passes is this word, in any case, with blanks after it.
    fn has_word(&self, site: SliceSite, word: &str) -> bool {
        let function = &self.memory.module.functions[site.function];
        let text = Library::text(self.memory.module, function, site.instruction, 1);
        let length = self.library.integer(function, site.instruction, 2);
        let (Some(text), Some(length)) = (text, length) else { return false };
        let text = text.get(..length as usize).unwrap_or(&text);
        String::from_utf8_lossy(text).trim_end().eq_ignore_ascii_case(word)
    }
}
