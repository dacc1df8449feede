//! What does an instruction say, and where does it lead?
//!
//! As objdump writes it. The distance of a jump or a call is written as the address behind it, with
//! the name that it lies under: `jl 0x30 <sum+0x30>`. An operand in memory that is relative to the
//! place has it as a remark: `leaq 16(%rip), %rax # 0x40 <sum+0x40>`. Addresses count from the start
//! of the section. Where a linker fills the distance, no address is known yet, and the name is that
//! of the relocation: `callq <g>`. On x86-64 a relocation counts from its own place and the machine
//! from the next instruction, so what lies between them is added. A slot of a table of the linker is
//! told as the assembler does: `<table@GOTPCREL>`. Where a format keeps an addend in the bytes and
//! it is not 0, or the type is not known, the plain text is all.
//!
//! Input: an operation, its bytes, its section. Output: text. Cost: one printed instruction or two.

use opcost_llvm::{CodeSection, Leads, MachineOperation, MachineProgram, ObjectRelocation};

/// Relocations that lead to a slot of the linker, in the words of their types.
const SLOTS: &[&str] = &["GOTPCREL", "GOTTPOFF", "GOTTPREL", "TLSGD", "TLSLD", "TLSDESC", "GOT"];

/// Types of relocations that are relative to the place, by a part of their names.
const RELATIVE: &[&str] = &[
    "_PC",
    "PLT",
    "GOT",
    "TLSGD",
    "TLSLD",
    "TLSDESC",
    "CALL26",
    "JUMP26",
    "CONDBR19",
    "TSTBR14",
    "LO19",
    "LO21",
    "HI21",
    "RISCV_BRANCH",
    "RISCV_JAL",
    "RVC_BRANCH",
    "RVC_JUMP",
];

/// The text of an instruction at `from` in its section, with what it leads to.
pub fn text_with_target(
    machine: &MachineProgram,
    section: &CodeSection,
    from: u64,
    size: u64,
    operation: &MachineOperation,
) -> String {
    let (text, leads) = machine.text_at(operation, from, size);
    let within: Vec<&ObjectRelocation> =
        section.relocations.iter().filter(|one| (from..from + size).contains(&one.offset)).collect();
    let target = match leads {
        Leads::Nowhere if within.is_empty() => return text,
        Leads::Nowhere => return machine.text(operation),
        Leads::To(target) | Leads::ToMemory(target) => target,
    };
    if within.is_empty() {
        let name = name_of(section, from, target).map(|name| format!(" <{name}>")).unwrap_or_default();
        return match leads {
            Leads::ToMemory(_) => format!("{text} # {target:#x}{name}"),
            _ => format!("{text}{name}"),
        };
    }
    let plain = machine.text(operation);
    let is_x86 = within.iter().any(|one| one.kind.contains("X86_64") || one.kind.contains("AMD64"));
    let end = from + size;
    let stands = target.wrapping_sub(if is_x86 { end } else { from });
    let Some(name) = within.iter().find_map(|one| filled(one, end, is_x86, stands)) else { return plain };
    match (leads, plain.rsplit_once(' ')) {
        (Leads::To(_), Some((before, _))) => format!("{before} <{name}>"),
        (Leads::To(_), None) => plain,
        _ => format!("{plain} # <{name}>"),
    }
}

/// The symbol that an address belongs to, and its distance from the start of that.
fn name_of(section: &CodeSection, from: u64, target: u64) -> Option<String> {
    if target >= section.bytes.len() as u64 {
        return None;
    }
    let start = section.symbols.iter().map(|symbol| symbol.from).filter(|&start| start <= target).max()?;
    let mut named = section.symbols.iter().filter(|symbol| symbol.from == start && !symbol.name.is_empty());
    let is_own = |symbol: &&opcost_llvm::ObjectSymbol| (symbol.from..symbol.to).contains(&from);
    let symbol = named.clone().find(is_own).or_else(|| named.next())?;
    Some(with_offset(&symbol.name, (target - start) as i64))
}

/// What a relocation makes an instruction lead to that ends at `end`; `stands` is the distance in
/// its bytes.
fn filled(one: &ObjectRelocation, end: u64, is_x86: bool, stands: u64) -> Option<String> {
    if one.symbol.is_empty() {
        return None;
    }
    let Some(addend) = one.addend else { return (stands == 0).then(|| one.symbol.clone()) };
    if !RELATIVE.iter().any(|part| one.kind.contains(part)) {
        return None;
    }
    let between = if is_x86 { (end - one.offset) as i64 } else { 0 };
    let slot = SLOTS.iter().find(|slot| one.kind.contains(**slot));
    let name = slot.map_or(one.symbol.trim().to_owned(), |slot| format!("{}@{slot}", one.symbol.trim()));
    Some(with_offset(&name, addend + between))
}

/// `f+0x10`
fn with_offset(name: &str, offset: i64) -> String {
    match offset {
        0 => name.to_owned(),
        _ => format!("{name}{}{:#x}", if offset < 0 { '-' } else { '+' }, offset.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opcost_llvm::{ObjectSymbol, Syntax};

    fn section(relocations: Vec<ObjectRelocation>) -> CodeSection {
        let symbol = |name: &str, from, to| ObjectSymbol { name: name.to_owned(), from, to };
        CodeSection {
            name: ".text".to_owned(),
            bytes: vec![0; 64],
            symbols: vec![symbol("f", 0, 32), symbol("g", 32, 64)],
            relocations,
        }
    }

    fn text(triple: &str, from: u64, bytes: &[u8], section: &CodeSection) -> String {
        let machine = MachineProgram::new(triple, "", Syntax::Usual).expect("a machine");
        let decoded = machine.decode(bytes).expect("an instruction");
        text_with_target(&machine, section, from, decoded.length as u64, &decoded.operation)
    }

    fn relocation(offset: u64, kind: &str, addend: Option<i64>) -> ObjectRelocation {
        ObjectRelocation { offset, kind: kind.to_owned(), symbol: "x".to_owned(), addend }
    }

    /// The right texts are those of `llvm-objdump -d` for the same bytes.
    #[test]
    fn a_distance_is_told_as_the_address_behind_it() {
        let plain = section(Vec::new());
        let x86 = |from, bytes: &[u8]| text("x86_64-linux-gnu", from, bytes, &plain);
        assert_eq!(x86(0x10, &[0x7c, 0xe8]), "jl 0xfffffffffffffffa");
        assert_eq!(x86(0x10, &[0x7c, 0xf8]), "jl 0xa <f+0xa>");
        assert_eq!(x86(4, &[0xe8, 0x17, 0, 0, 0]), "callq 0x20 <g>");
        assert_eq!(x86(0, &[0x48, 0x8d, 0x05, 0x21, 0, 0, 0]), "leaq 33(%rip), %rax # 0x28 <g+0x8>");
        let arm = |from, word: u32| text("aarch64-linux-gnu", from, &word.to_le_bytes(), &plain);
        assert_eq!(arm(0x18, 0x54ff_ff2b), "b.lt 0xfffffffffffffffc");
        assert_eq!(arm(0x1c, 0x54ff_ff2b), "b.lt 0x0 <f>");
        assert_eq!(arm(0, 0x1400_000a), "b 0x28 <g+0x8>");
    }

    #[test]
    fn what_a_linker_fills_has_the_name_of_the_relocation() {
        let call = section(vec![relocation(5, "R_X86_64_PLT32", Some(-4))]);
        assert_eq!(text("x86_64-linux-gnu", 4, &[0xe8, 0, 0, 0, 0], &call), "callq <x>");
        // A number behind the field: `movl $1, x+8(%rip)`.
        let store = section(vec![relocation(2, "R_X86_64_PC32", Some(0))]);
        let bytes = [0xc7, 0x05, 0, 0, 0, 0, 1, 0, 0, 0];
        assert_eq!(text("x86_64-linux-gnu", 0, &bytes, &store), "movl $1, (%rip) # <x+0x8>");
        let slot = section(vec![relocation(3, "R_X86_64_REX_GOTPCRELX", Some(-4))]);
        let bytes = [0x4c, 0x8b, 0x25, 0, 0, 0, 0];
        assert_eq!(text("x86_64-linux-gnu", 0, &bytes, &slot), "movq (%rip), %r12 # <x@GOTPCREL>");
        let branch = section(vec![relocation(0, "R_AARCH64_CALL26", Some(0))]);
        assert_eq!(text("aarch64-linux-gnu", 0, &0x9400_0000_u32.to_le_bytes(), &branch), "bl <x>");
        let coff = section(vec![relocation(1, "IMAGE_REL_AMD64_REL32", None)]);
        assert_eq!(text("x86_64-w64-windows-gnu", 0, &[0xe8, 0, 0, 0, 0], &coff), "callq <x>");
        assert_eq!(text("x86_64-w64-windows-gnu", 0, &[0xe8, 9, 0, 0, 0], &coff), "callq 9");
    }
}
