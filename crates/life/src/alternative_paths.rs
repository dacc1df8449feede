//! The chosen functions on other ways than the recorded one.
//!
//! Input: the recorded functions, the optimised module as bitcode. From there the
//! assembly printer's text goes through the assembler, and LLVM's just-in-time
//! compiler goes its own way. Cost: code generation of these functions twice, and
//! reading the module twice: for SQLite's largest function 2.9 s of processor time
//! (1.5 to write text, 0.1 to assemble it, 1.3 in memory), 1.0 s for a small one,
//! 220 MB at most.

use std::path::{Path, PathBuf};

use opcost_llvm::{
    Assembler, Emission, LlvmError, MachineProgram, ObjectCode, Syntax, compile_in_memory, host_triple,
    write_assembly,
};

use crate::checks;
use crate::code::RecordedFunction;
use opcost_answer::life::{Comparison, SelfCheck};

/// What RISC-V under Linux has, whatever an object says.
const RISCV: &str = "+m,+a,+f,+d,+c";

/// Features with which code of a machine is read: all that it may have, since
/// more features take no instruction away.
pub fn features(triple: &str, of_object: &str) -> String {
    match triple {
        _ if triple.starts_with("aarch64") || triple.starts_with("arm64") => "+all".to_owned(),
        _ if triple.starts_with("riscv") && of_object.is_empty() => RISCV.to_owned(),
        _ if triple.starts_with("riscv") => format!("{RISCV},{of_object}"),
        _ => String::new(),
    }
}

/// Features with which text is assembled: more would choose other forms.
pub fn assembler_features(triple: &str, of_object: &str) -> String {
    let is_told = triple.starts_with("riscv") && !of_object.is_empty();
    if is_told { of_object.to_owned() } else { features(triple, "") }
}

/// The code that was recorded, and what it was made of.
#[derive(Clone, Copy)]
pub struct Original<'a> {
    /// The chosen functions.
    pub functions: &'a [RecordedFunction<'a>],
    /// All code of the object.
    pub code: &'a ObjectCode,
    /// For which machine.
    pub triple: &'a str,
    /// That machine.
    pub machine: &'a MachineProgram,
    /// The optimised module; files of its name are overwritten next to it.
    pub bitcode: &'a Path,
    /// How code was made of it.
    pub how: Emission,
}

/// Makes the functions again on every way and compares.
pub fn compare(original: Original<'_>, self_check: &mut SelfCheck) {
    let Original { functions, machine, .. } = original;
    if functions.is_empty() {
        let none = Comparison::NotMade("no machine code is left of what was asked for".to_owned());
        for name in ["assembler_identical", "jit_identical", "disassembly_identical"] {
            self_check.note(name, &none);
        }
        return;
    }
    self_check.note("disassembly_identical", &checks::disassembly(functions, machine));
    let names: Vec<String> = functions.iter().map(|function| function.name.to_owned()).collect();
    let assembled = assembled(original, &names);
    self_check
        .note("assembler_identical", &assembled.unwrap_or_else(|why| Comparison::NotMade(why.to_string())));
    self_check.note("jit_identical", &in_memory(original, &names));
}

/// Why text was not made and assembled.
#[derive(Debug, thiserror::Error)]
enum Unmade {
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    #[error("{path}: {error}", path = path.display())]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error("the assembler refuses the printer's text: {0}")]
    Refused(LlvmError),
}

fn assembled(original: Original<'_>, names: &[String]) -> Result<Comparison, Unmade> {
    let Original { functions, code, triple, machine, bitcode, how } = original;
    let (path, object) = (bitcode.with_extension("s"), bitcode.with_extension("assembled.o"));
    write_assembly(bitcode, &path, how, names)?;
    let text = std::fs::read(&path).map_err(|error| Unmade::Unreadable { path: path.clone(), error })?;
    let assembler = Assembler {
        triple: triple.to_owned(),
        features: assembler_features(triple, &code.features),
        abi: String::new(),
        position_independent: true,
        syntax: Syntax::Usual,
    };
    let made = assembler.assemble(&text, "assembly", &object, false);
    made.map_err(Unmade::Refused)?;
    let again = ObjectCode::read(&object)?;
    Ok(checks::assembler(functions, &again, machine))
}

fn in_memory(original: Original<'_>, names: &[String]) -> Comparison {
    let Original { functions, triple, machine, bitcode, how, .. } = original;
    let host = host_triple();
    let is_here = host.split('-').next() == triple.split('-').next() && triple.contains("linux");
    if !is_here {
        return Comparison::NotMade(format!("the code is for {triple}, and this machine is {host}"));
    }
    let object = bitcode.with_extension("jit.o");
    let made = compile_in_memory(bitcode, &object, how, names);
    match made.and_then(|taken| Ok((taken, ObjectCode::read(&object)?))) {
        Ok((taken, compiled)) => checks::in_memory(functions, &taken, &compiled, machine),
        Err(error) => Comparison::NotMade(format!("LLJIT: {error}")),
    }
}
