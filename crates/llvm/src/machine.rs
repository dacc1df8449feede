//! What do these bytes say on a machine, and what are the bytes of an operation?
//!
//! LLVM's disassembler, encoder and printer for one triple. An operation is
//! LLVM's MCInst as plain data: an opcode and operands, some of which may be
//! holes that a linker fills. Cost: well below a microsecond for an instruction,
//! some hundred for a machine.

use std::ffi::{CStr, CString};

use crate::code_ffi::{self, RawMachine};
use crate::ffi;
use crate::operation_ffi::{RawOperand, RawOperation};
use crate::session::LlvmError;

/// An operand of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register, by LLVM's number; 0 is none.
    Register(u32),
    /// A number.
    Immediate(i64),
    /// The bits of a fraction.
    Single(u32),
    /// The bits of a fraction.
    Double(u64),
    /// A name or a difference of names: no number is known yet.
    Symbol,
}

/// What goes to the encoder, and comes from the disassembler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineOperation {
    /// LLVM's number of it; [`MachineProgram::opcode_name`] returns its name.
    pub opcode: u32,
    /// Prefixes that are no operands, as the target numbers them.
    pub flags: u32,
    /// In assembly text the line, from 1; 0 otherwise.
    pub line: u32,
    /// In LLVM's order: results first.
    pub operands: Vec<Operand>,
}

/// The first operation of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// What it says.
    pub operation: MachineOperation,
    /// How many bytes it has.
    pub length: usize,
    /// On x86: offset and size of each displacement and immediate that was read.
    pub pieces: Vec<(usize, usize)>,
}

/// Where an operation at an address leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leads {
    /// To no address that is known.
    Nowhere,
    /// To that address, and it is an operand: a jump, a call.
    To(u64),
    /// To memory at that address, which the operation has relative to its own.
    ToMemory(u64),
}

/// How assembly text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// The usual one of the machine: AT&T's on x86.
    #[default]
    Usual,
    /// Intel's, on x86.
    Intel,
}

/// A machine's reader and writer.
pub struct MachineProgram {
    handle: *mut RawMachine,
}

impl MachineProgram {
    /// For a triple, with features as LLVM writes them (`+v,-c`).
    ///
    /// # Errors
    /// The triple is of no machine that is linked in.
    pub fn new(triple: &str, features: &str, syntax: Syntax) -> Result<MachineProgram, LlvmError> {
        let text = |text: &str| CString::new(text).map_err(|_| LlvmError::Path(text.to_owned()));
        let (triple, features) = (text(triple)?, text(features)?);
        let dialect = match syntax {
            Syntax::Usual => -1,
            Syntax::Intel => 1,
        };
        let mut message = std::ptr::null_mut();
        // SAFETY: all texts are terminated and outlive the call.
        let handle = unsafe {
            code_ffi::opcost_machine_create(
                triple.as_ptr(),
                c"".as_ptr(),
                features.as_ptr(),
                dialect,
                &mut message,
            )
        };
        if handle.is_null() {
            return Err(LlvmError::Emission(ffi::take_message(message).unwrap_or_default()));
        }
        Ok(MachineProgram { handle })
    }

    /// The first operation of the bytes; none if they are no instruction.
    pub fn decode(&self, bytes: &[u8]) -> Option<Decoded> {
        let mut raw =
            RawOperation { operands: std::ptr::null(), operand_count: 0, opcode: 0, flags: 0, line: 0 };
        let (mut pieces, mut piece_count) = (std::ptr::null(), 0);
        // SAFETY: the handle is alive; the bytes outlive the call.
        let length = unsafe {
            code_ffi::opcost_machine_decode(
                self.handle,
                bytes.as_ptr(),
                bytes.len(),
                0,
                &mut raw,
                &mut pieces,
                &mut piece_count,
            )
        };
        if length == 0 {
            return None;
        }
        let pieces = if piece_count == 0 {
            &[][..]
        } else {
            // SAFETY: so many pairs lie there until the next call.
            unsafe { std::slice::from_raw_parts(pieces, 2 * piece_count as usize) }
        };
        let pieces = pieces.chunks_exact(2).map(|pair| (pair[0] as usize, pair[1] as usize)).collect();
        // SAFETY: its operands live until the next call.
        Some(Decoded { operation: unsafe { operation(&raw) }, length: length as usize, pieces })
    }

    /// The bytes of an operation; none if it has holes, or the encoder leaves
    /// something to the assembler.
    pub fn encode(&self, operation: &MachineOperation) -> Option<Vec<u8>> {
        if operation.operands.contains(&Operand::Symbol) {
            return None;
        }
        let mut bytes = [0; 32];
        // SAFETY: the handle is alive; there is room for so many bytes.
        let length = with_raw(operation, |raw| unsafe {
            code_ffi::opcost_machine_encode(self.handle, raw, bytes.as_mut_ptr(), bytes.len() as u32)
        });
        (length > 0).then(|| bytes[..length as usize].to_vec())
    }

    /// As the assembler writes it; a hole is 0.
    pub fn text(&self, operation: &MachineOperation) -> String {
        // SAFETY: the handle is alive.
        let text = with_raw(operation, |raw| unsafe { code_ffi::opcost_machine_print(self.handle, raw) });
        let text = ffi::take_message(text).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// As objdump writes it at `address`, where it has `size` bytes: a jump has its target instead of
    /// the distance. And where it leads to.
    pub fn text_at(&self, operation: &MachineOperation, address: u64, size: u64) -> (String, Leads) {
        let (mut target, mut leads) = (0, 0);
        // SAFETY: the handle is alive, and so are both places.
        let text = with_raw(operation, |raw| unsafe {
            code_ffi::opcost_machine_print_at(self.handle, raw, address, size, &mut target, &mut leads)
        });
        let text = ffi::take_message(text).unwrap_or_default();
        let leads = match leads {
            1 => Leads::To(target),
            2 => Leads::ToMemory(target),
            _ => Leads::Nowhere,
        };
        (text.split_whitespace().collect::<Vec<_>>().join(" "), leads)
    }

    /// LLVM's name of an opcode: `IDIV32r`.
    pub fn opcode_name(&self, opcode: u32) -> String {
        // SAFETY: the handle is alive; the name lives as long.
        unsafe { CStr::from_ptr(code_ffi::opcost_machine_opcode(self.handle, opcode)) }
            .to_string_lossy()
            .into_owned()
    }

    /// As the assembler writes a register: `%ecx`.
    pub fn register_name(&self, number: u32) -> String {
        // SAFETY: the handle is alive.
        ffi::take_message(unsafe { code_ffi::opcost_machine_register(self.handle, number) })
            .unwrap_or_default()
    }
}

impl Drop for MachineProgram {
    fn drop(&mut self) {
        // SAFETY: it came from create and is not used after this.
        unsafe { code_ffi::opcost_machine_free(self.handle) };
    }
}

/// Takes over an operation.
///
/// # Safety
/// Its operands are alive.
pub(crate) unsafe fn operation(raw: &RawOperation) -> MachineOperation {
    let operands = if raw.operand_count == 0 {
        &[][..]
    } else {
        // SAFETY: by this function's contract.
        unsafe { std::slice::from_raw_parts(raw.operands, raw.operand_count as usize) }
    };
    let operand = |raw: &RawOperand| match raw.kind {
        0 => Operand::Register(raw.value as u32),
        1 => Operand::Immediate(raw.value as i64),
        2 => Operand::Single(raw.value as u32),
        3 => Operand::Double(raw.value),
        _ => Operand::Symbol,
    };
    MachineOperation {
        opcode: raw.opcode,
        flags: raw.flags,
        line: raw.line,
        operands: operands.iter().map(operand).collect(),
    }
}

fn with_raw<T>(operation: &MachineOperation, f: impl FnOnce(*const RawOperation) -> T) -> T {
    let raw = |operand: &Operand| match *operand {
        Operand::Register(number) => RawOperand { value: u64::from(number), kind: 0 },
        Operand::Immediate(value) => RawOperand { value: value as u64, kind: 1 },
        Operand::Single(bits) => RawOperand { value: u64::from(bits), kind: 2 },
        Operand::Double(bits) => RawOperand { value: bits, kind: 3 },
        Operand::Symbol => RawOperand { value: 0, kind: 4 },
    };
    let operands: Vec<RawOperand> = operation.operands.iter().map(raw).collect();
    f(&RawOperation {
        operands: operands.as_ptr(),
        operand_count: operands.len() as u32,
        opcode: operation.opcode,
        flags: operation.flags,
        line: operation.line,
    })
}
