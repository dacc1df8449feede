//! Which bits of an instruction say what?
//!
//! Two methods, neither with a table of instructions.
//!
//! Where all instructions have one width (AArch64, RISC-V), each bit is turned
//! over and the word decoded again: if the operation is the same and an operand
//! is another, the bit belongs to that operand; all other bits say which
//! operation it is. A bit that cannot be turned alone (a register that must not
//! be zero) is turned together with each bit known so far. What was found holds
//! for the operation, so it is worked out once for each.
//!
//! x86-64 is read from the left as its manual describes it: prefixes, REX, VEX
//! or EVEX, one to three bytes of opcode, ModRM, SIB, displacement, immediate.
//! Whether there is a ModRM byte follows from where LLVM's disassembler read
//! displacement and immediate and from the length; if these do not fit together
//! the instruction is not divided. Which operand a part is, is found by turning
//! bits here, too.
//!
//! Input: a machine and bytes. Output: fields, from the first byte on. Cost:
//! about ten decodings for an instruction of x86-64, some thousand for each
//! operation of the others. Limits: inside VEX and EVEX prefixes nothing is
//! divided; a mandatory prefix is called a prefix; `lock` and `rep` are instructions
//! of their own to LLVM's disassembler.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use opcost_answer::life::Field;
use opcost_llvm::{Decoded, MachineOperation, MachineProgram, Operand};

/// The operand that each bit belongs to.
type Owners = Vec<Option<usize>>;

/// Divides instructions of one machine.
pub struct Divider<'a> {
    machine: &'a MachineProgram,
    is_x86: bool,
    /// Which operand each bit belongs to, by operation.
    owners_by_operation: RefCell<HashMap<(u32, usize), Owners>>,
}

impl<'a> Divider<'a> {
    /// For the machine of this triple.
    pub fn new(machine: &'a MachineProgram, triple: &str) -> Divider<'a> {
        Divider { machine, is_x86: triple.starts_with("x86_64"), owners_by_operation: RefCell::default() }
    }

    /// The fields of the instruction that these bytes are; none if they are no
    /// instruction, or more than one.
    pub fn fields(&self, bytes: &[u8]) -> Vec<Field> {
        match self.machine.decode(bytes) {
            Some(decoded) if decoded.length == bytes.len() => {
                if self.is_x86 {
                    X86 { divider: self, bytes, decoded: &decoded, fields: Vec::new() }.divide()
                } else {
                    self.fixed(bytes, &decoded.operation)
                }
            }
            _ => Vec::new(),
        }
    }

    /// An operand as the assembler writes it.
    pub fn operand(&self, operand: &Operand) -> String {
        operand_text(self.machine, operand)
    }

    /// The operands that change when a bit is turned over, if nothing else does.
    fn changed(&self, bytes: &[u8], operation: &MachineOperation, bit: u32) -> Option<Vec<usize>> {
        let mut turned = bytes.to_vec();
        turned[bit as usize / 8] ^= 1 << (bit % 8);
        let other = self.machine.decode(&turned)?;
        if other.length != bytes.len()
            || other.operation.opcode != operation.opcode
            || other.operation.operands.len() != operation.operands.len()
        {
            return None;
        }
        let pairs = operation.operands.iter().zip(&other.operation.operands);
        Some(pairs.enumerate().filter(|(_, (a, b))| a != b).map(|(at, _)| at).collect())
    }

    /// Which operand each bit belongs to.
    fn owners(&self, bytes: &[u8], operation: &MachineOperation) -> Owners {
        let count = bytes.len() as u32 * 8;
        let alone = |bit: u32| self.changed(bytes, operation, bit)?.first().copied();
        let mut owners: Owners = (0..count).map(alone).collect();
        let known: Vec<u32> = (0..count).filter(|&bit| owners[bit as usize].is_some()).collect();
        for bit in 0..count {
            if owners[bit as usize].is_some() {
                continue;
            }
            owners[bit as usize] = known.iter().find_map(|&other| {
                let mut turned = bytes.to_vec();
                turned[other as usize / 8] ^= 1 << (other % 8);
                let base = self.machine.decode(&turned)?.operation;
                self.changed(&turned, &base, bit)?.first().copied()
            });
        }
        owners
    }

    fn fixed(&self, bytes: &[u8], operation: &MachineOperation) -> Vec<Field> {
        let key = (operation.opcode, operation.operands.len());
        let owners = self
            .owners_by_operation
            .borrow_mut()
            .entry(key)
            .or_insert_with(|| self.owners(bytes, operation))
            .clone();
        let of = |owner: Option<usize>| -> Vec<[u32; 2]> {
            runs((0..owners.len() as u32).filter(|&bit| owners[bit as usize] == owner))
        };
        let mut fields = vec![field("opcode", of(None), bytes, self.machine.opcode_name(operation.opcode))];
        for (at, operand) in operation.operands.iter().enumerate() {
            let bits = of(Some(at));
            if !bits.is_empty() {
                fields.push(field(&format!("operand {at}"), bits, bytes, self.operand(operand)));
            }
        }
        fields
    }
}

/// An operand as the assembler writes it; nothing for no register.
pub(crate) fn operand_text(machine: &MachineProgram, operand: &Operand) -> String {
    match operand {
        Operand::Register(number) => machine.register_name(*number),
        Operand::Immediate(value) => value.to_string(),
        Operand::Single(bits) => f32::from_bits(*bits).to_string(),
        Operand::Double(bits) => f64::from_bits(*bits).to_string(),
        Operand::Symbol => "symbol".to_owned(),
    }
}

/// Neighbours together.
fn runs(bits: impl Iterator<Item = u32>) -> Vec<[u32; 2]> {
    let mut runs: Vec<[u32; 2]> = Vec::new();
    for bit in bits {
        match runs.last_mut() {
            Some(last) if last[1] == bit => last[1] += 1,
            _ => runs.push([bit, bit + 1]),
        }
    }
    runs
}

/// The bits of a field, joined, lowest first.
fn value(bits: &[[u32; 2]], bytes: &[u8]) -> u128 {
    let all = bits.iter().flat_map(|run| run[0]..run[1]);
    all.enumerate()
        .fold(0, |value, (place, bit)| value | u128::from(bytes[bit as usize / 8] >> (bit % 8) & 1) << place)
}

fn field(name: &str, bits: Vec<[u32; 2]>, bytes: &[u8], meaning: String) -> Field {
    let value = format!("{:x}", value(&bits, bytes));
    Field { name: name.to_owned(), bits, value, meaning }
}

/// An instruction of x86-64, from the left.
struct X86<'a> {
    divider: &'a Divider<'a>,
    bytes: &'a [u8],
    decoded: &'a Decoded,
    fields: Vec<Field>,
}

impl X86<'_> {
    fn divide(mut self) -> Vec<Field> {
        let opcode = self.prefixes();
        let Some(rest) = self.opcode(opcode) else { return self.undivided() };
        let Some(numbers) = self.address(rest) else { return self.undivided() };
        if numbers < self.bytes.len() {
            self.take("immediate", numbers, self.bytes.len(), String::new());
        }
        // Where LLVM read numbers, ours must be.
        let is_ours = |&(offset, size): &(usize, usize)| {
            let bits = [[8 * offset as u32, 8 * (offset + size) as u32]];
            let within = |field: &Field| field.bits[0][0] <= bits[0][0] && bits[0][1] <= field.bits[0][1];
            self.fields.iter().any(|field| is_number(field) && within(field))
        };
        if self.decoded.pieces.iter().all(is_ours) { self.fields } else { self.undivided() }
    }

    fn undivided(self) -> Vec<Field> {
        vec![field("instruction", vec![[0, 8 * self.bytes.len() as u32]], self.bytes, String::new())]
    }

    fn take(&mut self, name: &str, from: usize, to: usize, meaning: String) {
        // A number is read from its lowest byte on, all else as it is written.
        let bits = vec![[8 * from as u32, 8 * to as u32]];
        let mut field = field(name, bits, self.bytes, meaning);
        if !is_number(&field) {
            field.value = self.bytes[from..to].iter().map(|byte| format!("{byte:02x}")).collect();
        }
        self.fields.push(field);
    }

    /// A part of a byte, by its bits.
    fn part(&mut self, name: &str, byte: usize, bits: Range<u32>, meaning: String) {
        let base = 8 * byte as u32;
        self.fields.push(field(name, vec![[base + bits.start, base + bits.end]], self.bytes, meaning));
    }

    /// What a part of a byte names, found by turning one of its bits.
    fn named(&self, byte: usize, from: u32, to: u32) -> Option<String> {
        let operands = &self.decoded.operation.operands;
        (from..to).find_map(|bit| {
            let turned = 8 * byte as u32 + bit;
            let changed = self.divider.changed(self.bytes, &self.decoded.operation, turned)?;
            Some(self.divider.operand(&operands[*changed.first()?]))
        })
    }

    /// Where the opcode begins.
    fn prefixes(&mut self) -> usize {
        let mut at = 0;
        while at + 1 < self.bytes.len() {
            let meaning = match self.bytes[at] {
                0xf0 => "lock",
                0xf2 => "repne",
                0xf3 => "rep",
                0x2e => "cs",
                0x36 => "ss",
                0x3e => "ds",
                0x26 => "es",
                0x64 => "fs",
                0x65 => "gs",
                0x66 => "operand size",
                0x67 => "address size",
                _ => break,
            };
            self.take("prefix", at, at + 1, meaning.to_owned());
            at += 1;
        }
        let (name, length) = match self.bytes[at] {
            0x40..=0x4f => ("REX", 1),
            0xd5 => ("REX2", 2),
            0xc5 => ("VEX", 2),
            0xc4 => ("VEX", 3),
            0x62 => ("EVEX", 4),
            _ => return at,
        };
        if at + length >= self.bytes.len() {
            return at;
        }
        let letters = [(8, 'W'), (4, 'R'), (2, 'X'), (1, 'B')];
        let meaning = match name {
            "REX" => letters.iter().filter(|(bit, _)| self.bytes[at] & bit != 0).map(|(_, l)| l).collect(),
            _ => String::new(),
        };
        self.take(name, at, at + length, meaning);
        at + length
    }

    /// Where what follows the opcode begins.
    fn opcode(&mut self, at: usize) -> Option<usize> {
        let has_map = self.fields.last().is_some_and(|field| matches!(&*field.name, "VEX" | "EVEX" | "REX2"));
        let length = match self.bytes.get(at..)? {
            _ if has_map => 1,
            [0x0f, 0x38 | 0x3a, _, ..] => 3,
            [0x0f, _, ..] => 2,
            [_, ..] => 1,
            [] => return None,
        };
        // `50+r`: a register in the low bits.
        let last = at + length - 1;
        let register = if self.bytes.len() == at + length || self.first_number() == Some(at + length) {
            self.named(last, 0, 3)
        } else {
            None
        };
        self.take("opcode", at, at + length, register.unwrap_or_default());
        Some(at + length)
    }

    /// Where LLVM read the first number.
    fn first_number(&self) -> Option<usize> {
        self.decoded.pieces.iter().map(|&(offset, _)| offset).min()
    }

    /// ModRM, SIB and displacement; where the immediate begins.
    fn address(&mut self, at: usize) -> Option<usize> {
        let end = self.bytes.len();
        if at == end || self.first_number() == Some(at) || self.has_plain_address(at) {
            return Some(at);
        }
        let modrm = self.bytes[at];
        let (mode, register, memory) = (modrm >> 6, modrm >> 3 & 7, modrm & 7);
        let named = self.named(at, 3, 6).unwrap_or_else(|| format!("/{register}"));
        let base = match (mode, memory) {
            (_, 4) if mode != 3 => "SIB".to_owned(),
            (0, 5) => "%rip".to_owned(),
            _ => self.named(at, 0, 3).unwrap_or_default(),
        };
        self.part("ModRM.mod", at, 6..8, if mode == 3 { "register" } else { "memory" }.to_owned());
        self.part("ModRM.reg", at, 3..6, named);
        self.part("ModRM.rm", at, 0..3, base);
        let mut next = at + 1;
        let mut is_far = mode == 2 || (mode == 0 && memory == 5);
        if mode != 3 && memory == 4 {
            let sib = *self.bytes.get(next)?;
            let (index, base) = (self.named(next, 3, 6), self.named(next, 0, 3));
            self.part("SIB.scale", next, 6..8, format!("times {}", 1 << (sib >> 6)));
            self.part("SIB.index", next, 3..6, index.unwrap_or_default());
            let is_none = mode == 0 && sib & 7 == 5;
            self.part("SIB.base", next, 0..3, base.filter(|_| !is_none).unwrap_or_default());
            is_far |= is_none;
            next += 1;
        }
        let size = if mode == 1 { 1 } else { 4 * usize::from(is_far) };
        if next + size > end {
            return None;
        }
        if size > 0 {
            self.take("displacement", next, next + size, String::new());
        }
        Some(next + size)
    }

    /// `mov` between the accumulator and an address that is written in full.
    fn has_plain_address(&self, at: usize) -> bool {
        let is_alone = at == 1 || !matches!(self.bytes[at - 2], 0x0f | 0x38 | 0x3a);
        is_alone && matches!(self.bytes[at - 1], 0xa0..=0xa3) && self.bytes.len() - at == 8
    }
}

fn is_number(field: &Field) -> bool {
    matches!(&*field.name, "displacement" | "immediate")
}

#[cfg(test)]
mod tests {
    use super::*;
    use opcost_llvm::Syntax;

    fn divided(triple: &str, features: &str, bytes: &[u8]) -> Vec<String> {
        let machine = MachineProgram::new(triple, features, Syntax::Usual).expect("a machine");
        let divider = Divider::new(&machine, triple);
        let told = |field: &Field| format!("{} {} {}", field.name, field.value, field.meaning);
        divider.fields(bytes).iter().map(|field| told(field).trim_end().to_owned()).collect()
    }

    fn x86(bytes: &[u8]) -> Vec<String> {
        divided("x86_64-linux-gnu", "", bytes)
    }

    #[test]
    fn the_division_of_the_source_document() {
        assert_eq!(
            x86(&[0xf7, 0xf9]),
            ["opcode f7", "ModRM.mod 3 register", "ModRM.reg 7 /7", "ModRM.rm 1 %ecx"]
        );
        assert_eq!(x86(&[0x99]), ["opcode 99"]);
        assert_eq!(
            x86(&[0x8d, 0x04, 0x37]),
            [
                "opcode 8d",
                "ModRM.mod 0 memory",
                "ModRM.reg 0 %eax",
                "ModRM.rm 4 SIB",
                "SIB.scale 0 times 1",
                "SIB.index 6 %rsi",
                "SIB.base 7 %rdi"
            ]
        );
    }

    #[test]
    fn prefixes_numbers_and_registers_in_the_opcode() {
        // movabsq $0x1122334455667788, %r9
        assert_eq!(
            x86(&[0x49, 0xb9, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]),
            ["REX 49 WB", "opcode b9 %r9", "immediate 1122334455667788"]
        );
        // cmpxchgq %rcx, %fs:0x10(%rdi)
        let fields = x86(&[0x64, 0x48, 0x0f, 0xb1, 0x4f, 0x10]);
        assert_eq!(fields[..3], ["prefix 64 fs", "REX 48 W", "opcode 0fb1"]);
        assert_eq!(fields.last().map(String::as_str), Some("displacement 10"));
        // movl $7, 0x12345678(%rip)
        let fields = x86(&[0xc7, 0x05, 0x78, 0x56, 0x34, 0x12, 7, 0, 0, 0]);
        assert_eq!(fields[3..], ["ModRM.rm 5 %rip", "displacement 12345678", "immediate 7"]);
        // vpaddd %ymm1, %ymm2, %ymm3
        assert_eq!(x86(&[0xc5, 0xed, 0xfe, 0xd9])[..2], ["VEX c5ed", "opcode fe"]);
        assert_eq!(x86(&[0x55]), ["opcode 55 %rbp"]);
        assert_eq!(x86(&[0xe9, 1, 0, 0, 0]), ["opcode e9", "immediate 1"]);
    }

    #[test]
    fn fields_of_fixed_width_by_turning_bits() {
        // sdiv w0, w8, w2
        let fields = divided("aarch64-linux-gnu", "+all", &0x1ac2_0d00_u32.to_le_bytes());
        assert_eq!(fields[1..], ["operand 0 0 w0", "operand 1 8 w8", "operand 2 2 w2"]);
        // divw a0, a0, a2
        let fields = divided("riscv64-linux-gnu", "+m,+c", &0x02c5_453b_u32.to_le_bytes());
        assert_eq!(fields[1..], ["operand 0 a a0", "operand 1 a a0", "operand 2 c a2"]);
        // c.addi a0, 1: a register that must not be zero, an immediate in two parts
        let machine = MachineProgram::new("riscv64-linux-gnu", "+c", Syntax::Usual).expect("a machine");
        let fields = Divider::new(&machine, "riscv64").fields(&0x0505_u16.to_le_bytes());
        let immediate = fields.last().expect("fields");
        assert_eq!((&immediate.bits[..], &*immediate.meaning), (&[[2, 7], [12, 13]][..], "1"));
        let bits: u32 = fields.iter().flat_map(|field| &field.bits).map(|run| run[1] - run[0]).sum();
        assert_eq!(bits, 16);
    }
}
