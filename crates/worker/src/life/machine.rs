//! The machine instructions of functions, as they stand in the object that
//! nobody counts in: for `--asm`, which shows them beside counts.
//!
//! The module is numbered and recorded as for a life, but no instruction is
//! followed: only where the bytes of each lie is wanted, and which instruction
//! they come from. Input: bitcode, names of functions. Output: instructions in
//! the order of the code. Cost: one code generation, and a disassembly.

use std::path::Path;

use opcost_answer::life::MachineInstruction;
use opcost_job::life::MachineJob;
use opcost_life::text_with_target;
use opcost_llvm::{CodeSection, LifeEvent, LifeRequest as Recorded, MachineProgram, ObjectCode, Syntax};

use crate::error::WorkError;
use crate::module::emission;
use crate::modules::Modules;
use crate::read::maker_of_followed;

/// Records them.
///
/// # Errors
/// LLVM gives up.
pub(crate) fn record_code(
    job: &MachineJob,
    modules: &mut Modules,
) -> Result<Vec<MachineInstruction>, WorkError> {
    let followed = &job.module;
    let mut session = modules.module(&followed.bitcode, maker_of_followed(followed))?;
    let target = session.target();
    session.snapshot();
    session.identify();
    let object = followed.scratch.with_extension("o");
    let nothing = Recorded { numbers: Vec::new(), is_whole: false, optimise: followed.optimise };
    let events = session.record(&object, emission(&followed.code), followed.optimise, Some(&nothing))?;
    Ok(read_code(&events, &object, &target, &job.functions)?)
}

/// With what a linker fills, if the text does not name it.
fn with_names(mut text: String, section: &CodeSection, within: std::ops::Range<u64>) -> String {
    for filled in section.relocations.iter().filter(|one| within.contains(&one.offset)) {
        if !filled.symbol.is_empty() && !text.contains(&filled.symbol) {
            text.push_str(&format!("  # {}", filled.symbol));
        }
    }
    text
}

fn read_code(
    events: &[LifeEvent],
    object: &Path,
    target: &str,
    wanted: &[String],
) -> Result<Vec<MachineInstruction>, opcost_llvm::LlvmError> {
    let code = ObjectCode::read(object)?;
    let machine = MachineProgram::new(target, &code.features, Syntax::Usual)?;
    let mut instructions = Vec::new();
    for event in events {
        let LifeEvent::Bytes { function, item, from, to, .. } = event else { continue };
        let Some((section, symbol)) = code.function(function).filter(|_| wanted.contains(function)) else {
            continue;
        };
        let (mut at, end) = ((symbol.from + from) as usize, (symbol.from + to) as usize);
        while at < end.min(section.bytes.len()) {
            let decoded = machine.decode(&section.bytes[at..end]);
            let length = decoded.as_ref().map_or(end - at, |decoded| decoded.length);
            let text = decoded.map_or("(no instruction)".to_owned(), |one| {
                text_with_target(&machine, section, at as u64, length as u64, &one.operation)
            });
            let text = with_names(text, section, at as u64..(at + length) as u64);
            instructions.push(MachineInstruction {
                function: function.clone(),
                offset: at as u64 - symbol.from,
                key: item.number,
                text,
            });
            at += length;
        }
    }
    Ok(instructions)
}
