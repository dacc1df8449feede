//! What are the bytes of each instruction, and what do they say?
//!
//! The recorder tells where each machine instruction lies and what the encoder
//! was given; the object tells bytes and relocations; the disassembler says what
//! the bytes mean. One machine instruction may be several here, or none. One that
//! has more bytes than the encoder first gave it was *relaxed*: a jump that does not
//! reach, or whose end the linker knows alone.
//!
//! Input: events, the object's code, a machine. Output: instructions with offset,
//! bytes, fields and relocations. Cost: linear; dividing into fields is dearer
//! than all else, so it is done for what is told.

use opcost_answer::life::{CodeInstruction, LifeCode, StageLife, StageName};
use opcost_llvm::{CodeSection, LifeEvent, MachineOperation, MachineProgram, ObjectCode, ObjectSymbol};

use crate::encoding::{Divider, operand_text};
use crate::relocation::relocation_of;
use crate::targets::text_with_target;

/// A machine instruction that was recorded.
#[derive(Clone, Copy, Debug)]
pub struct RecordedCode<'a> {
    /// First byte and the byte after the last, from the function's start.
    pub range: (u64, u64),
    /// Number of the IR instruction, or 0.
    pub key: u32,
    /// Whether it was asked for.
    pub is_chosen: bool,
    /// What the encoder was given.
    pub operations: &'a [MachineOperation],
}

/// A function that has a chosen instruction.
#[derive(Clone, Debug)]
pub struct RecordedFunction<'a> {
    /// Linkage name.
    pub name: &'a str,
    /// Where the object has it.
    pub section: &'a CodeSection,
    /// Its place there.
    pub symbol: &'a ObjectSymbol,
    /// In the order of the code.
    pub instructions: Vec<RecordedCode<'a>>,
}

impl<'a> RecordedFunction<'a> {
    /// The functions that have a chosen instruction, in the order of the code.
    pub fn of(events: &'a [LifeEvent], code: &'a ObjectCode) -> Vec<RecordedFunction<'a>> {
        let mut functions: Vec<RecordedFunction<'a>> = Vec::new();
        let mut at = "";
        for event in events {
            let LifeEvent::Bytes { function, item, from, to, operations, .. } = event else { continue };
            if *function != at {
                at = function;
                if let Some((section, symbol)) = code.function(function) {
                    functions.push(RecordedFunction {
                        name: function,
                        section,
                        symbol,
                        instructions: Vec::new(),
                    });
                }
            }
            if let Some(last) = functions.last_mut().filter(|last| last.name == function) {
                let (range, key, is_chosen) = ((*from, *to), item.number, item.is_chosen);
                last.instructions.push(RecordedCode { range, key, is_chosen, operations });
            }
        }
        functions.retain(|function| function.instructions.iter().any(|one| one.is_chosen));
        functions
    }

    /// All bytes of it.
    pub fn bytes(&self) -> &'a [u8] {
        let end = (self.symbol.to as usize).min(self.section.bytes.len());
        self.section.bytes.get(self.symbol.from as usize..end).unwrap_or(&[])
    }

    /// Of one instruction.
    pub fn bytes_of(&self, one: &RecordedCode<'_>) -> &'a [u8] {
        self.bytes().get(one.range.0 as usize..one.range.1 as usize).unwrap_or(&[])
    }
}

/// Machine code as it is reported: the chosen instructions, or all of their functions.
pub fn reported_code(
    functions: &[RecordedFunction<'_>],
    machine: &MachineProgram,
    divider: &Divider<'_>,
    is_whole: bool,
) -> Vec<LifeCode> {
    let told = |function: &RecordedFunction<'_>| {
        let teller = CodeReader { machine, divider, section: function.section, start: function.symbol.from };
        let mut instructions = Vec::new();
        let mut end = 0;
        for one in &function.instructions {
            let (from, to) = one.range;
            if is_whole && end < from {
                // What fills up to a place that is worth it is no one's.
                instructions.extend(teller.instructions_between(end, from, &[]));
            }
            end = end.max(to);
            if is_whole || one.is_chosen {
                let mut told = teller.instructions_between(from, to, one.operations);
                told.iter_mut().for_each(|told| (told.key, told.is_chosen) = (one.key, one.is_chosen));
                instructions.extend(told);
            }
        }
        let (function, section) = (function.name.to_owned(), function.section.name.clone());
        LifeCode { function, section, instructions }
    };
    functions.iter().map(told).collect()
}

/// Reports instructions of one section.
pub(crate) struct CodeReader<'a> {
    pub(crate) machine: &'a MachineProgram,
    pub(crate) divider: &'a Divider<'a>,
    pub(crate) section: &'a CodeSection,
    /// Where offsets count from.
    pub(crate) start: u64,
}

impl CodeReader<'_> {
    /// The instructions between two offsets.
    pub(crate) fn instructions_between(
        &self,
        from: u64,
        to: u64,
        given: &[MachineOperation],
    ) -> Vec<CodeInstruction> {
        let (first, end) = ((self.start + from) as usize, (self.start + to) as usize);
        let Some(bytes) = self.section.bytes.get(first..end) else { return Vec::new() };
        let mut told = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            // What is no instruction is one of its own, and says nothing.
            let decoded = self.machine.decode(&bytes[at..]);
            let length = decoded.as_ref().map_or(bytes.len() - at, |decoded| decoded.length);
            let operation = decoded.map(|decoded| decoded.operation);
            told.push(self.instruction(from + at as u64, &bytes[at..at + length], operation.as_ref()));
            at += length;
        }
        if let ([one], [given]) = (&mut told[..], given) {
            one.line = given.line;
            one.relaxed_from = self.relaxed(given, bytes);
        }
        told
    }

    /// What was given, if its bytes are more than the encoder first made of it.
    fn relaxed(&self, given: &MachineOperation, bytes: &[u8]) -> Option<String> {
        let mut filled = given.clone();
        let mut has_hole = false;
        for operand in &mut filled.operands {
            if *operand == opcost_llvm::Operand::Symbol {
                has_hole = true;
                *operand = opcost_llvm::Operand::Immediate(0);
            }
        }
        let first = self.machine.encode(&filled).filter(|_| has_hole)?;
        (first.len() < bytes.len()).then(|| self.machine.opcode_name(given.opcode))
    }

    fn instruction(
        &self,
        offset: u64,
        bytes: &[u8],
        operation: Option<&MachineOperation>,
    ) -> CodeInstruction {
        let (from, to) = (self.start + offset, self.start + offset + bytes.len() as u64);
        let within = self.section.relocations.iter().filter(|one| (from..to).contains(&one.offset));
        CodeInstruction {
            offset,
            bytes: hex(bytes),
            key: 0,
            is_chosen: false,
            line: 0,
            opcode: operation.map(|one| self.machine.opcode_name(one.opcode)).unwrap_or_default(),
            operands: operation
                .map(|one| one.operands.iter().map(|operand| operand_text(self.machine, operand)).collect())
                .unwrap_or_default(),
            text: operation
                .map(|one| text_with_target(self.machine, self.section, from, bytes.len() as u64, one))
                .unwrap_or_default(),
            relaxed_from: None,
            relocations: within.map(|one| relocation_of(one, from)).collect(),
            fields: self.divider.fields(bytes),
        }
    }
}

/// Notes at the steps of the last stage what a linker fills, and what the assembler made longer.
pub fn mark(stages: &mut [StageLife], code: &[LifeCode]) {
    let steps = stages.iter_mut().filter(|stage| stage.stage == StageName::Bytes);
    for step in steps.flat_map(|stage| &mut stage.steps) {
        let Some(from) = step.pass.strip_prefix("+0x").and_then(|from| u64::from_str_radix(from, 16).ok())
        else {
            continue;
        };
        let to = from + step.text.split_whitespace().count() as u64;
        let own = code.iter().filter(|function| function.function == step.function);
        let within =
            own.flat_map(|function| &function.instructions).filter(|one| (from..to).contains(&one.offset));
        let notes: Vec<String> = within
            .flat_map(|one| {
                let relaxed = one.relaxed_from.iter().map(|was| format!("relaxed from {was}"));
                let filled = one.relocations.iter().map(|relocation| {
                    format!("{} at byte {}", relocation.text(), one.offset - from + relocation.offset)
                });
                relaxed.chain(filled)
            })
            .collect();
        if !notes.is_empty() {
            step.because = Some(notes.join("; "));
        }
    }
}

/// `8d 04 37`
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}
