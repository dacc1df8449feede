//! The end of the way alone: assembly text and raw bytes.
//!
//! Neither has a module, so there are the stages from the operation on: what the
//! parser made of a line (or the disassembler of bytes), and the bytes with their
//! fields. Each instruction is a key of its own, numbered from 1. Text is
//! assembled twice, once with nobody looking, and what was assembled is taken
//! apart and put together again.
//!
//! Input: text or bytes, a triple. Output: a life. Cost: linear.

use std::path::Path;

use opcost_llvm::{
    AssembledInstruction, Assembler, CodeSection, LlvmError, MachineOperation, MachineProgram, ObjectCode,
    ObjectSymbol, Syntax,
};

use crate::alternative_paths;
use crate::checks;
use crate::code::{CodeReader, RecordedCode, RecordedFunction, hex, mark};
use crate::encoding::{Divider, operand_text};
use opcost_answer::life::{
    Change, CodeLocation, Comparison, Life, LifeCode, SelfCheck, StageLife, StageName, Step, StepCertainty,
};

/// Extensions of RISC-V that bytes are read with.
const RISCV: &str = "+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbs";

/// Why there is no life of what was given.
#[derive(Debug, thiserror::Error)]
pub enum NoLife {
    /// In LLVM's words.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// The triple names no machine that is linked in.
    #[error("{0}; there are x86_64, aarch64 and riscv64")]
    NoMachine(LlvmError),
    /// Nobody saw what was assembled.
    #[error(
        "the hook on MCObjectStreamer::emitInstruction does not fire: this opcost was linked without --wrap"
    )]
    SilentHook,
    /// The line has no instruction.
    #[error("{name}:{line} has no instruction; the nearest line that has is {name}:{near}")]
    EmptyLine {
        /// The file.
        name: String,
        /// The line.
        line: u32,
        /// One that has some.
        near: u32,
    },
    /// The file has no instructions.
    #[error("{0} has no instructions")]
    Empty(String),
    /// Bytes that are no instruction.
    #[error("no instruction of {triple} at offset {offset:#x} ({bytes}); {before}")]
    NoInstruction {
        /// The machine.
        triple: String,
        /// Where they begin.
        offset: usize,
        /// Some of them.
        bytes: String,
        /// What was read before them, in words.
        before: String,
    },
}

/// The life of assembly text: of one line, or of all.
///
/// Objects are written next to `object`.
///
/// # Errors
/// The assembler's words with line and caret; a line without an instruction; a
/// triple that is not linked in.
pub fn from_assembly(
    text: &[u8],
    name: &str,
    line: Option<u32>,
    triple: &str,
    object: &Path,
) -> Result<Life, NoLife> {
    // What the file is written in, its instructions are shown in.
    let is_intel = String::from_utf8_lossy(text).contains(".intel_syntax");
    let syntax = if is_intel { Syntax::Intel } else { Syntax::Usual };
    let assembler = Assembler {
        triple: triple.to_owned(),
        features: alternative_paths::assembler_features(triple, ""),
        position_independent: true,
        ..Assembler::default()
    };
    let assemble = |object: &Path, wanted| {
        let made = assembler.assemble(text, name, object, wanted)?;
        Ok::<_, NoLife>((made, ObjectCode::read(object)?))
    };
    let (instructions, mut code) = assemble(object, true)?;
    let (_, plain) = assemble(&object.with_extension("plain.o"), false)?;
    if instructions.is_empty() && code.sections.iter().any(|section| !section.bytes.is_empty()) {
        return Err(NoLife::SilentHook);
    }
    let is_chosen = |one: &AssembledInstruction| line.is_none_or(|line| one.operation.line == line);
    if !instructions.iter().any(is_chosen) {
        return Err(no_instruction(name, line, &instructions));
    }
    let machine = machine(triple, &code.features, syntax)?;
    code.sections.iter_mut().for_each(name_the_start);
    let functions = placed(&code, &instructions, is_chosen);
    let same_text = code.sections.len() == plain.sections.len()
        && code.sections.iter().zip(&plain.sections).all(|(a, b)| a.bytes == b.bytes);
    let mut self_check = SelfCheck { text_identical: Some(same_text), ..SelfCheck::default() };
    self_check.note("disassembly_identical", &checks::disassembly(&functions, &machine));
    self_check.note("jit_identical", &no_module());
    let mut life = life(name, line, triple, self_check);
    add_stages_and_code(&mut life, &functions, &machine, triple);
    life.locations = functions
        .iter()
        .flat_map(|function| function.instructions.iter().map(|one| (function.name, one)))
        .filter(|(_, one)| one.is_chosen)
        .map(|(function, one)| CodeLocation {
            key: one.key,
            function: function.to_owned(),
            line: one.operations[0].line,
            column: 0,
        })
        .collect();
    Ok(life)
}

/// The life of raw bytes.
///
/// # Errors
/// Bytes that are no instruction: which, and what was read before them; a triple
/// that is not linked in.
pub fn from_bytes(bytes: &[u8], triple: &str) -> Result<Life, NoLife> {
    let machine = machine(triple, if triple.starts_with("riscv") { RISCV } else { "" }, Syntax::Usual)?;
    let (mut ends, mut operations) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < bytes.len() {
        let Some(decoded) = machine.decode(&bytes[at..]) else {
            return Err(no_instruction_at(bytes, at, triple, &machine, &ends));
        };
        ends.push((at as u64, (at + decoded.length) as u64));
        at += decoded.length;
        operations.push(decoded.operation);
    }
    let symbol = ObjectSymbol { name: String::new(), from: 0, to: bytes.len() as u64 };
    let section = CodeSection { bytes: bytes.to_vec(), ..CodeSection::default() };
    let recorded = ends.iter().zip(&operations).enumerate().map(|(place, (range, operation))| RecordedCode {
        range: *range,
        key: place as u32 + 1,
        is_chosen: true,
        operations: std::slice::from_ref(operation),
    });
    let functions =
        [RecordedFunction { name: "", section: &section, symbol: &symbol, instructions: recorded.collect() }];
    let mut self_check = SelfCheck::default();
    self_check.note("disassembly_identical", &checks::disassembly(&functions, &machine));
    self_check.note("jit_identical", &no_module());
    let mut life = life("bytes", None, triple, self_check);
    add_stages_and_code(&mut life, &functions, &machine, triple);
    Ok(life)
}

fn machine(triple: &str, features: &str, syntax: Syntax) -> Result<MachineProgram, NoLife> {
    MachineProgram::new(triple, &alternative_paths::features(triple, features), syntax)
        .map_err(NoLife::NoMachine)
}

fn no_module() -> Comparison {
    Comparison::NotMade("there is no module to compile".to_owned())
}

fn life(name: &str, line: Option<u32>, triple: &str, self_check: SelfCheck) -> Life {
    let question = line.map_or(name.to_owned(), |line| format!("{name}:{line}"));
    Life { question, target: triple.to_owned(), self_check, ..Life::default() }
}

/// What is before the first name of a section has none.
fn name_the_start(section: &mut CodeSection) {
    let end = section.symbols.first().map_or(section.bytes.len() as u64, |symbol| symbol.from);
    if end > 0 {
        section.symbols.insert(0, ObjectSymbol { name: String::new(), from: 0, to: end });
    }
}

/// Instructions under the names before them, or under none.
fn placed<'a>(
    code: &'a ObjectCode,
    instructions: &'a [AssembledInstruction],
    is_chosen: impl Fn(&AssembledInstruction) -> bool,
) -> Vec<RecordedFunction<'a>> {
    let mut functions: Vec<RecordedFunction<'a>> = Vec::new();
    for (place, one) in instructions.iter().enumerate() {
        let Some(section) = code.sections.iter().find(|section| section.name == one.section) else {
            continue;
        };
        let Some(symbol) = section.symbols.iter().rev().find(|symbol| symbol.from <= one.from) else {
            continue;
        };
        let is_same = |last: &RecordedFunction<'_>| {
            std::ptr::eq(last.section, section) && last.symbol.from == symbol.from
        };
        if !functions.last().is_some_and(is_same) {
            functions.push(RecordedFunction {
                name: &symbol.name,
                section,
                symbol,
                instructions: Vec::new(),
            });
        }
        let last = functions.last_mut().expect("just put there");
        last.instructions.push(RecordedCode {
            range: (one.from - symbol.from, one.to - symbol.from),
            key: place as u32 + 1,
            is_chosen: is_chosen(one),
            operations: std::slice::from_ref(&one.operation),
        });
    }
    functions.retain(|function| function.instructions.iter().any(|one| one.is_chosen));
    functions
}

/// Stages and code of the chosen instructions.
fn add_stages_and_code(
    life: &mut Life,
    functions: &[RecordedFunction<'_>],
    machine: &MachineProgram,
    triple: &str,
) {
    let divider = Divider::new(machine, triple);
    let (mut operations, mut bytes) = (Vec::new(), Vec::new());
    for function in functions {
        let teller =
            CodeReader { machine, divider: &divider, section: function.section, start: function.symbol.from };
        let mut told = Vec::new();
        for one in function.instructions.iter().filter(|one| one.is_chosen) {
            let given = &one.operations[0];
            let step = |pass: String, text: String| Step {
                pass,
                function: function.name.to_owned(),
                key: one.key,
                change: Change::Is,
                opcode: machine.opcode_name(given.opcode),
                text,
                because: None,
                certainty: StepCertainty::Exact,
            };
            let by = if given.line > 0 { format!("line {}", given.line) } else { "decoded".to_owned() };
            operations.push(step(by, operation_text(machine, given)));
            let code = function.section.bytes.get(
                (function.symbol.from + one.range.0) as usize..(function.symbol.from + one.range.1) as usize,
            );
            bytes.push(step(format!("+{:#x}", one.range.0), code.map(hex).unwrap_or_default()));
            for mut instruction in teller.instructions_between(one.range.0, one.range.1, one.operations) {
                (instruction.key, instruction.is_chosen) = (one.key, true);
                instruction.line = given.line;
                told.push(instruction);
            }
        }
        life.code.push(LifeCode {
            function: function.name.to_owned(),
            section: function.section.name.clone(),
            instructions: told,
        });
    }
    life.stages = vec![
        StageLife { stage: StageName::Mc, steps: operations },
        StageLife { stage: StageName::Bytes, steps: bytes },
    ];
    mark(&mut life.stages, &life.code);
}

/// `LEA64_32r %eax, %rdi, 1, %rsi, 0, -`
fn operation_text(machine: &MachineProgram, operation: &MachineOperation) -> String {
    let operand = |operand| {
        let text = operand_text(machine, operand);
        if text.is_empty() { "-".to_owned() } else { text }
    };
    let operands: Vec<String> = operation.operands.iter().map(operand).collect();
    format!("{} {}", machine.opcode_name(operation.opcode), operands.join(", ")).trim_end().to_owned()
}

fn no_instruction(name: &str, line: Option<u32>, instructions: &[AssembledInstruction]) -> NoLife {
    let lines = instructions.iter().map(|one| one.operation.line);
    let name = name.to_owned();
    match (line, lines.min_by_key(|near| near.abs_diff(line.unwrap_or(0)))) {
        (Some(line), Some(near)) => NoLife::EmptyLine { name, line, near },
        _ => NoLife::Empty(name),
    }
}

fn no_instruction_at(
    bytes: &[u8],
    at: usize,
    triple: &str,
    machine: &MachineProgram,
    ends: &[(u64, u64)],
) -> NoLife {
    let rest = &bytes[at..bytes.len().min(at + 8)];
    let read: Vec<String> = ends
        .iter()
        .rev()
        .take(3)
        .rev()
        .filter_map(|&(from, to)| {
            let decoded = machine.decode(&bytes[from as usize..to as usize])?;
            Some(format!("+{from:#x} {}", machine.text(&decoded.operation)))
        })
        .collect();
    let before = match read.len() {
        0 => "nothing was read before it".to_owned(),
        _ => format!("{} instructions were read before it, last: {}", ends.len(), read.join("; ")),
    };
    NoLife::NoInstruction { triple: triple.to_owned(), offset: at, bytes: hex(rest), before }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nine_bytes_of_the_source_document() {
        let bytes = [0x89, 0xd1, 0x8d, 0x04, 0x37, 0x99, 0xf7, 0xf9, 0xc3];
        let life = from_bytes(&bytes, "x86_64-linux-gnu").expect("a life");
        let texts: Vec<&str> = life.code[0].instructions.iter().map(|one| &*one.text).collect();
        assert_eq!(texts, ["movl %edx, %ecx", "leal (%rdi,%rsi), %eax", "cltd", "idivl %ecx", "retq"]);
        assert_eq!(life.stages[0].steps[1].text, "LEA64_32r %eax, %rdi, 1, %rsi, 0, -");
        assert_eq!(life.self_check.disassembly_identical, Some(true));
        assert_eq!(life.self_check.text_identical, None);
    }

    #[test]
    fn bytes_that_are_no_instruction_say_how_far_it_got() {
        let error = from_bytes(&[0x99, 0x06, 0xc3], "x86_64-linux-gnu").expect_err("06 is none");
        assert_eq!(
            error.to_string(),
            "no instruction of x86_64-linux-gnu at offset 0x1 (06 c3); 1 instructions were read before it, \
             last: +0x0 cltd"
        );
        assert!(
            from_bytes(&[0], "pdp11-unknown-none").expect_err("no machine").to_string().contains("x86_64")
        );
    }

    /// The encoder chooses the shorter form, and says so.
    #[test]
    fn an_odd_form_is_told() {
        let life = from_bytes(&[0x40, 0xf7, 0xf9], "x86_64-linux-gnu").expect("a life");
        assert_eq!(life.self_check.disassembly_identical, Some(false));
        assert!(life.self_check.remarks["disassembly_identical"].contains("is encoded as f7 f9"));
    }
}
