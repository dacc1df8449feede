//! What is a linker to fill in, and which bits of the code does it fill?
//!
//! The bytes under a relocation are a placeholder: what stands there says
//! nothing yet, and two objects may differ there and be the same. Which bits it
//! has follows from its type, by the rules of each format's psABI; of a type
//! that is not known here, all bytes of the word. On x86-64 a linker may also
//! change the opcode before a GOTPCRELX field.

use opcost_answer::life::Relocation;
use opcost_llvm::ObjectRelocation;

/// One of an instruction that begins at `start` of the section.
pub fn relocation_of(relocation: &ObjectRelocation, start: u64) -> Relocation {
    let masks = masks(&relocation.kind);
    Relocation {
        offset: relocation.offset - start,
        kind: relocation.kind.clone(),
        symbol: relocation.symbol.clone(),
        addend: relocation.addend,
        placeholder: masks.iter().map(|mask| format!("{mask:02x}")).collect(),
    }
}

/// The bits under a relocation, one mask for each byte from its place on.
pub fn masks(kind: &str) -> Vec<u8> {
    let is = |part: &str| kind.contains(part);
    let word = |mask: u32| mask.to_le_bytes().to_vec();
    if is("X86_64") || is("AMD64") {
        let size = match kind {
            _ if is("TLSDESC_CALL") || kind.ends_with("_NONE") => 0,
            _ if kind.ends_with("_64") || is("ADDR64") || is("64_RELOC_UNSIGNED") => 8,
            _ if kind.ends_with("_16") || kind.ends_with("PC16") || is("SECTION") => 2,
            _ if kind.ends_with("_8") || kind.ends_with("PC8") => 1,
            _ => 4,
        };
        return vec![0xff; size];
    }
    if is("RISCV") {
        return match kind.trim_start_matches("R_RISCV_") {
            "CALL" | "CALL_PLT" => [word(0xffff_f000), word(0xfff0_0000)].concat(),
            "BRANCH" => word(0xfe00_0f80),
            "RVC_BRANCH" => 0x1c7c_u16.to_le_bytes().to_vec(),
            "RVC_JUMP" => 0x1ffc_u16.to_le_bytes().to_vec(),
            "RELAX" | "ALIGN" | "TPREL_ADD" | "TLSDESC_CALL" => Vec::new(),
            name if name.ends_with("LO12_I") || name.ends_with("LOAD_LO12") || name.ends_with("ADD_LO12") => {
                word(0xfff0_0000)
            }
            name if name.ends_with("LO12_S") => word(0xfe00_0f80),
            name if name.ends_with("HI20") || name == "JAL" => word(0xffff_f000),
            _ => word(u32::MAX),
        };
    }
    // AArch64, under three formats' names.
    match kind {
        _ if is("TLSDESC_CALL") || is("RELOC_ADDEND") || kind.ends_with("_NONE") => Vec::new(),
        _ if is("CALL26") || is("JUMP26") || is("BRANCH26") => word(0x03ff_ffff),
        _ if is("PAGEOFF") || is("LO12") || is("PAGEOFFSET") || is("HI12") => word(0x003f_fc00),
        _ if is("CONDBR19") || is("BRANCH19") || is("LD_PREL_LO19") || is("PREL19") => word(0x00ff_ffe0),
        _ if is("TSTBR14") || is("BRANCH14") => word(0x0007_ffe0),
        _ if is("MOVW") => word(0x001f_ffe0),
        _ if is("PAGE") || is("PG_HI21") || is("LO21") || is("REL21") => word(0x60ff_ffe0),
        _ => word(u32::MAX),
    }
}

/// Clears all that a linker fills in code that begins at `start` of its section, and what else it
/// may change.
pub fn clear(code: &mut [u8], start: u64, relocations: &[ObjectRelocation]) {
    for relocation in relocations {
        let mut clear = |at: u64, mask: u8| {
            if let Some(byte) = at.checked_sub(start).and_then(|at| code.get_mut(at as usize)) {
                *byte &= !mask;
            }
        };
        for (place, mask) in masks(&relocation.kind).into_iter().enumerate() {
            clear(relocation.offset + place as u64, mask);
        }
        if relocation.kind.contains("GOTPCRELX") {
            // Opcode and ModRM, and REX before them.
            let before = if relocation.kind.contains("REX") { 3 } else { 2 };
            (1..=before).for_each(|back| clear(relocation.offset.wrapping_sub(back), 0xff));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_linker_fills_says_nothing() {
        let call = |kind: &str, offset| ObjectRelocation {
            offset,
            kind: kind.to_owned(),
            symbol: "f".to_owned(),
            addend: Some(-4),
        };
        let mut code = [0xe8, 1, 2, 3, 4, 0xc3];
        clear(&mut code, 0x10, &[call("R_X86_64_PLT32", 0x11)]);
        assert_eq!(code, [0xe8, 0, 0, 0, 0, 0xc3]);
        let mut code = 0x9400_0123_u32.to_le_bytes();
        clear(&mut code, 0, &[call("R_AARCH64_CALL26", 0)]);
        assert_eq!(code, 0x9400_0000_u32.to_le_bytes());
        assert_eq!(relocation_of(&call("R_X86_64_PLT32", 5), 4).text(), "R_X86_64_PLT32 f-0x4");
    }
}
