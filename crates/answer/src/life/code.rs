//! Machine code, instruction by instruction: bytes, what they say, and what a linker fills.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Machine code of a function, of a section of assembly text, or of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LifeCode {
    /// Linkage name; empty of code that has none.
    pub function: String,
    /// Where the object has it; empty of bytes.
    pub section: String,
    /// In the order of their places: those that were asked for, or all.
    pub instructions: Vec<CodeInstruction>,
}

/// One instruction of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeInstruction {
    /// From the first byte of the function, or of the section.
    pub offset: u64,
    /// `8d 04 37`
    pub bytes: String,
    /// Number of the instruction that it comes from, as in the steps; 0 if none.
    pub key: u32,
    /// Whether it was asked for.
    pub is_chosen: bool,
    /// Of assembly text, from 1; 0 otherwise.
    pub line: u32,
    /// LLVM's name of what the bytes say: `LEA64_32r`.
    pub opcode: String,
    /// Its operands in LLVM's order; an empty one is no register.
    pub operands: Vec<String>,
    /// As objdump writes it: where it leads, the address in the section and its name, or the name
    /// that a linker fills in.
    pub text: String,
    /// What the encoder was given, where the assembler had to make it longer:
    /// `JMP_1`.
    pub relaxed_from: Option<String>,
    /// What a linker fills in.
    pub relocations: Vec<Relocation>,
    /// Which bits say what.
    pub fields: Vec<Field>,
}

/// A part of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Field {
    /// `opcode`, `ModRM.reg`, `displacement`; `operand 0` where the width is fixed.
    pub name: String,
    /// First bit and the bit after the last, from the lowest bit of the first byte on. An operand
    /// that is scattered has several, lowest first.
    pub bits: Vec<[u32; 2]>,
    /// The bits, joined, as a hexadecimal number.
    pub value: String,
    /// What it says: `%ecx`, `/7`; empty where there is no more to say.
    pub meaning: String,
}

/// A field of an instruction that the linker fills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Relocation {
    /// Where it is, from the instruction's first byte.
    pub offset: u64,
    /// The format's own name: `R_X86_64_PLT32`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it leads to: a symbol, or a section; empty if to nothing.
    pub symbol: String,
    /// What is added; null where the format keeps it in the bytes.
    pub addend: Option<i64>,
    /// The bits that are a placeholder, one mask for each byte from `offset` on,
    /// in hexadecimal.
    pub placeholder: String,
}

impl Relocation {
    /// As objdump writes it: `R_X86_64_PLT32 foo-0x4`.
    pub fn text(&self) -> String {
        let addend = match self.addend {
            Some(addend) if addend != 0 => {
                format!("{}{:#x}", if addend < 0 { '-' } else { '+' }, addend.unsigned_abs())
            }
            _ => String::new(),
        };
        format!("{} {}{addend}", self.kind, self.symbol).trim_end().to_owned()
    }
}

/// One instruction of the machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineInstruction {
    /// Linkage name.
    pub function: String,
    /// From the function's first byte.
    pub offset: u64,
    /// Number of the IR instruction that it comes from, from 1; 0 if of none.
    pub key: u32,
    /// As the disassembler writes it, with the name that a linker fills in.
    pub text: String,
}
