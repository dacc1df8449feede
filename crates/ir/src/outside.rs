//! Which definitions of a module does code beside it reach by their names?
//!
//! A program is never all of its code: libraries, start files, the linker and
//! code generation look names up, whoever defines them. A program's own `malloc`
//! is called by the library's `printf`, its own `optind` is written by `getopt`,
//! its own `memcpy` is what a copied struct calls, and data in the section `tab`
//! is what lies between `__start_tab` and `__stop_tab`. What is reached so may be
//! called with anything and hold anything, whoever else calls and writes it.
//!
//! A definition that others see is reached if libraries may know its name
//! ([`is_name_of_libraries`]), or if the module looks names up when it runs
//! (`dlsym`). Whoever sees it, it is reached if code generation may call it, if
//! it is kept for others (`llvm.used`, `llvm.compiler.used`), lies in a section of
//! its own choice, is named in assembly, or if the module takes the ends of all data.
//! So is what others fill or export (`externally_initialized`, `appending`, `dllexport`),
//! a copy of what another module defines (`available_externally`), and all data where
//! functions have data before their code (`prefix`, `prologue`), which may hold addresses.
//! The unwinder calls personalities.
//!
//! Input: a module. Output: [`Outside`]. Cost: a look-up for each name. Limits: that a library of the user's knows a name which is not in
//! the table cannot be seen. Flags of the linker that rename are not seen here; whoever has them
//! takes the world for open.

use std::collections::HashSet;

use opcost_index::IdSet;
use opcost_key::FunctionId;
use opcost_library::{
    ControlEffect, as_linked, control_effect, is_generated, is_name_of_libraries, replaces_library,
};

use crate::{
    Call, CalleeRef, ConstantValue, Declaration, DeclarationId, Function, Global, GlobalId, GlobalKind,
    Linkage, Module, ScalarValue, Type, Value,
};

/// What of a module other code reaches by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// Functions that it may call with anything.
    pub functions: IdSet<FunctionId>,
    /// Data that it may read and write, and second names that lead it there.
    pub globals: IdSet<GlobalId>,
    /// Functions of the module that any call of a library function, or what becomes
    /// such a call, may call: they are among `functions`.
    pub has_library_functions: bool,
}

impl Outside {
    /// Of a module.
    pub fn of(module: &Module) -> Outside {
        let mut outside = Outside::default();
        let in_assembly: HashSet<&str> = module.assembly_names.iter().map(|name| &**name).collect();
        let is_looked_up = module.declarations.values().any(|declared| looks_up(&declared.name));
        for (id, function) in module.functions.iter() {
            let by_name =
                is_visible(function.linkage) && (is_looked_up || is_name_of_libraries(&function.name));
            let by_code = is_generated(&function.name);
            let is_exported =
                function.marks.iter().any(|mark| matches!(&**mark, "dllexport" | "personality"));
            outside.has_library_functions |= by_name || by_code;
            if by_name
                || by_code
                || is_exported
                || is_placed(function)
                || in_assembly.contains(as_linked(&function.name))
            {
                outside.functions.insert(id);
            }
        }
        let all_data = module.globals.values().any(|global| global.is_declared && is_end(&global.name))
            || module.declarations.values().any(|declared| is_end(&declared.name))
            || module.functions.values().any(has_data_before);
        for (id, global) in module.globals.iter() {
            let by_name = is_visible(global.linkage) && (is_looked_up || is_name_of_libraries(&global.name));
            let is_table = global.name.starts_with("llvm.");
            let is_placed =
                global.section.is_some() || all_data || in_assembly.contains(as_linked(&global.name));
            let is_given =
                global.is_given_away || global.linkage == Linkage::Elsewhere && !global.is_declared;
            if !is_table && (by_name || is_placed || is_given) {
                outside.globals.insert(id);
            }
            // A second name: whoever has it has a function of ours.
            let is_code = global.kind != GlobalKind::Variable;
            outside.has_library_functions |= by_name && is_code && !global.is_declared;
        }
        outside.add_used_lists(module);
        outside
    }

    /// What `llvm.used` and `llvm.compiler.used` list; all, where the lists are not known.
    fn add_used_lists(&mut self, module: &Module) {
        let is_list = |name: &str| matches!(name, "llvm.used" | "llvm.compiler.used");
        for list in module.globals.values().filter(|global| is_list(&global.name)) {
            let Some(contents) = &list.contents else {
                module.functions.ids().for_each(|id| _ = self.functions.insert(id));
                module.globals.ids().for_each(|id| _ = self.globals.insert(id));
                continue;
            };
            for &(_, _, value) in &contents.scalars {
                match value {
                    ScalarValue::Function(Value::Function(id)) => _ = self.functions.insert(id),
                    ScalarValue::Constant(ConstantValue::Global { global, .. }) => {
                        self.globals.insert(global);
                    }
                    _ => {}
                }
            }
        }
    }
}

impl Module {
    /// Whether the program has functions of its own that may run in any call of a library function, or in what becomes
    /// such a call. A second name of one is such, too; a copy of what another module defines is none.
    pub fn replaces_library(&self) -> bool {
        let is_own = |name: &str, linkage: Linkage| match linkage {
            Linkage::Elsewhere => false,
            Linkage::Local => is_generated(name),
            Linkage::Exact | Linkage::Replaceable => replaces_library(name),
        };
        let is_code = |global: &&Global| global.kind != GlobalKind::Variable && !global.is_declared;
        let mut defined = self.functions.values().filter(|function| !function.blocks.is_empty());
        defined.any(|function| is_own(&function.name, function.linkage))
            || self.globals.values().filter(is_code).any(|global| is_own(&global.name, global.linkage))
    }

    /// Whether a call of a declared function is surely one of the library's function of that name.
    /// It is not where the name is no builtin (`-fno-builtin`, `-ffreestanding`). An intrinsic
    /// always is what it says.
    pub fn is_library_call(&self, caller: &Function, call: &Call, declared: DeclarationId) -> bool {
        let name = &*self.declarations[declared].name;
        if self.declarations[declared].is_intrinsic {
            return true;
        }
        let is_off = |mark: &str| {
            mark == "no-builtins" || mark.strip_prefix("no-builtin-").is_some_and(|other| other == name)
        };
        !call.is_nobuiltin && !caller.marks.iter().any(|mark| is_off(mark))
    }

    /// Whether an instruction may become a call of a library function. Such are intrinsics but the
    /// optimiser's own marks, remainders of floating point numbers, and arithmetic on types that
    /// machines do not have.
    pub fn may_become_call(&self, function: &Function, at: opcost_key::InstructionId) -> bool {
        use crate::Opcode as Op;
        let instruction = &function.instructions[at];
        let is_odd = |ty: crate::TypeId| match &self.types[ty] {
            Type::Integer(width) => *width > 64,
            Type::Float(name) => !matches!(&**name, "float" | "double"),
            _ => false,
        };
        match instruction.opcode {
            Op::FRem => true,
            opcode if opcode.is_call() => match function.call(at).map(|call| call.callee) {
                Some(CalleeRef::Declaration(declared)) => self.declarations[declared].may_be_called(),
                _ => false,
            },
            Op::UDiv | Op::SDiv | Op::URem | Op::SRem | Op::Mul | Op::FNeg => is_odd(instruction.ty),
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FCmp | Op::SIToFP | Op::UIToFP | Op::FPTrunc => {
                is_odd(instruction.ty) || self.has_odd_operand(function, at, &is_odd)
            }
            Op::FPExt | Op::FPToSI | Op::FPToUI => {
                is_odd(instruction.ty) || self.has_odd_operand(function, at, &is_odd)
            }
            _ => false,
        }
    }

    fn has_odd_operand(
        &self,
        function: &Function,
        at: opcost_key::InstructionId,
        is_odd: &dyn Fn(crate::TypeId) -> bool,
    ) -> bool {
        function.operands_of(at).iter().any(|&value| self.type_of(function, value).is_some_and(is_odd))
    }
}

impl Declaration {
    /// Whether a call of it is one in the finished code, or may become one: it is no mark of the optimiser's.
    pub fn may_be_called(&self) -> bool {
        !self.is_intrinsic || !is_mark(&self.name)
    }
}

/// Intrinsics that are no code, or that are always some instructions of the machine.
fn is_mark(name: &str) -> bool {
    const ALL: [&str; 26] = [
        "llvm.dbg.",
        "llvm.lifetime.",
        "llvm.assume",
        "llvm.expect",
        "llvm.experimental.noalias.scope",
        "llvm.invariant.",
        "llvm.smin.",
        "llvm.smax.",
        "llvm.umin.",
        "llvm.umax.",
        "llvm.abs.",
        "llvm.fshl.",
        "llvm.fshr.",
        "llvm.bswap.",
        "llvm.uadd.",
        "llvm.usub.",
        "llvm.sadd.",
        "llvm.ssub.",
        "llvm.vector.",
        "llvm.stack",
        "llvm.va_",
        "llvm.objectsize.",
        "llvm.is.constant",
        "llvm.ptrmask",
        "llvm.launder.",
        "llvm.strip.",
    ];
    ALL.iter().any(|start| name.starts_with(start))
}

/// Whether another module may see the name.
fn is_visible(linkage: Linkage) -> bool {
    linkage != Linkage::Local
}

/// A function in a section that the program chose; not where compilers put code.
fn is_placed(function: &Function) -> bool {
    function.section.as_ref().is_some_and(|section| {
        let behind = section.strip_prefix(".text");
        !behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('.'))
    })
}

/// Whether data comes before its code, or in it before its first instruction.
fn has_data_before(function: &Function) -> bool {
    function.marks.iter().any(|mark| matches!(&**mark, "prefix" | "prologue"))
}

/// Functions that look names up, or load what does.
fn looks_up(name: &str) -> bool {
    matches!(control_effect(as_linked(name)), Some(ControlEffect::LoadsCode | ControlEffect::FindsNames))
}

/// Names that linkers give to the ends of data.
fn is_end(name: &str) -> bool {
    const ALL: [&str; 14] = [
        "__bss_start",
        "__bss_start__",
        "__bss_end__",
        "_edata",
        "edata",
        "_end",
        "end",
        "__end__",
        "__data_start",
        "data_start",
        "__executable_start",
        "__ehdr_start",
        "_DYNAMIC",
        "_GLOBAL_OFFSET_TABLE_",
    ];
    ALL.contains(&as_linked(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_module;

    #[test]
    fn what_is_kept_placed_or_named_is_reached_whoever_sees_it() {
        let module = parse_module(
            "
in_assembly \"asked\"
global internal @a section \"tab\"
global internal @b
global internal @asked
define internal i32 @memset() {
  ret i32 0
}
define internal i32 @index() {
  ret i32 0
}
define i32 @rindex() {
  ret i32 0
}
",
        )
        .expect("a module");
        let outside = Outside::of(&module);
        let names: Vec<&str> = outside.functions.iter().map(|id| &*module.functions[id].name).collect();
        assert_eq!(names, ["memset", "rindex"]);
        let names: Vec<&str> = outside.globals.iter().map(|id| &*module.globals[id].name).collect();
        assert_eq!(names, ["a", "asked"]);
        assert!(outside.has_library_functions);
    }

    #[test]
    fn what_replaces_a_library_function_is_here_and_seen() {
        let replaces = |text: &str| parse_module(text).expect("a module").replaces_library();
        let body = "{\n  ret i32 0\n}\n";
        assert!(replaces(&format!("define i32 @index() {body}")));
        assert!(replaces(&format!("define internal i32 @memset() {body}")));
        assert!(replaces(&format!("alias @malloc\ndefine i32 @mine() {body}")));
        for own in ["internal i32 @index", "available_externally i32 @atoi", "i32 @main", "i32 @mine"] {
            assert!(!replaces(&format!("define {own}() {body}")), "{own}");
        }
    }
}
