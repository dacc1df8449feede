//! The machine instructions of functions, as they stand in the object that
//! nobody counts in: for `--asm`, which shows them beside counts.
//!
//! The module is numbered and recorded as for a life, but no instruction is
//! followed: only where the bytes of each lie is wanted, and which instruction
//! they come from. Input: bitcode, names of functions. Output: instructions in
//! the order of the code. Cost: one code generation, and a disassembly.

use std::path::Path;

use opcost_llvm::{LifeEvent, LifeRequest as Recorded, Machine, ObjectCode, Session, Syntax};
use serde::{Deserialize, Serialize};

use super::life::{LifeRequest, maker};
use super::module::run_own;
use super::{Build, Input};
use crate::error::CliError;

/// One instruction of the machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MachineInstruction {
    /// Linkage name.
    pub(crate) function: String,
    /// From the function's first byte.
    pub(crate) offset: u64,
    /// Number of the IR instruction that it comes from, from 1; 0 if of none.
    pub(crate) key: u32,
    /// As the disassembler writes it, with the name that a linker fills in.
    pub(crate) text: String,
}

impl Build<'_> {
    /// The machine instructions of functions of one input.
    ///
    /// # Errors
    /// It does not compile, or LLVM gives up.
    pub(crate) fn code_of_functions(
        &self,
        input: &Input,
        functions: Vec<String>,
    ) -> Result<Vec<MachineInstruction>, CliError> {
        let request = self.life_request(input, None, functions)?;
        run_own("__life", &self.path("life.request"), &input.path.display().to_string(), &request)?;
        let text = std::fs::read(&request.output).map_err(CliError::file("read", &request.output))?;
        Ok(serde_json::from_slice(&text).expect("the child writes it"))
    }
}

/// In the child: records and writes them.
pub(super) fn record_code(request: &LifeRequest) -> Result<(), String> {
    let told = |error: opcost_llvm::LlvmError| error.to_string();
    let mut session = Session::read(&request.bitcode, maker(request)).map_err(told)?;
    let target = session.target();
    session.snapshot();
    session.identify();
    let object = request.output.with_extension("o");
    let nothing = Recorded { numbers: Vec::new(), is_whole: false, optimise: request.optimise };
    let events =
        session.record(&object, request.emission(), request.optimise, Some(&nothing)).map_err(told)?;
    let code = read_code(&events, &object, &target, &request.functions).map_err(told)?;
    let text = serde_json::to_vec(&code).expect("plain data");
    std::fs::write(&request.output, text).map_err(|error| error.to_string())
}

fn read_code(
    events: &[LifeEvent],
    object: &Path,
    target: &str,
    wanted: &[String],
) -> Result<Vec<MachineInstruction>, opcost_llvm::LlvmError> {
    let code = ObjectCode::read(object)?;
    let machine = Machine::new(target, &code.features, Syntax::Usual)?;
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
            let mut text = decoded.map_or("(no instruction)".to_owned(), |one| machine.text(&one.operation));
            let within = at as u64..(at + length) as u64;
            for filled in section.relocations.iter().filter(|one| within.contains(&one.offset)) {
                text.push_str(&format!("  # {}", filled.symbol));
            }
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
