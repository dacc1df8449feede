//! What does each relocation of x86-64 ask for?
//!
//! The ABI's table ("System V ABI, AMD64 Architecture Processor Supplement", 4.4) in two parts:
//! which value (`Meaning`) and into which field it goes (`Field`). What LLVM emits in the small
//! code model is here. The general and the local dynamic model of thread-locals, and what belongs
//! to other code models, have a name, so that a refusal can tell it.

use object::elf;

/// The value that a relocation asks for: S is the symbol, A the addend, P the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// S + A.
    Address,
    /// S + A - P.
    Distance,
    /// The same, where a stub does as well as the function.
    Call,
    /// A cell with S, + A - P.
    Cell,
    /// The offset of S from the thread pointer, + A.
    ThreadOffset,
    /// A cell with that offset, + A - P.
    ThreadCell,
}

/// The field that a value is written into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// Eight bytes.
    Wide,
    /// Four bytes that the processor extends by their sign.
    Signed,
    /// Four bytes that the processor extends by zeros.
    Unsigned,
}

impl Field {
    /// Its size in bytes.
    pub(crate) fn size(self) -> u64 {
        if self == Self::Wide { 8 } else { 4 }
    }

    /// The bytes of `value`, if it fits.
    pub(crate) fn bytes(self, value: i128) -> Option<Vec<u8>> {
        match self {
            // Eight bytes hold addresses and differences, either way as the ABI's 64 bits.
            Self::Wide => i64::try_from(value)
                .map(i64::to_le_bytes)
                .or_else(|_| u64::try_from(value).map(u64::to_le_bytes))
                .map(|bytes| bytes.to_vec())
                .ok(),
            Self::Signed => i32::try_from(value).map(|value| value.to_le_bytes().to_vec()).ok(),
            Self::Unsigned => u32::try_from(value).map(|value| value.to_le_bytes().to_vec()).ok(),
        }
    }
}

/// What is known of one kind of relocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) name: &'static str,
    pub(crate) meaning: Meaning,
    pub(crate) field: Field,
}

/// A relocation that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unsupported {
    /// What the ABI calls it.
    pub(crate) name: &'static str,
}

/// The form of the relocation with the number `kind`.
pub(crate) fn form(kind: u32) -> Result<Form, Unsupported> {
    let (name, meaning, field) = match kind {
        elf::R_X86_64_64 => ("R_X86_64_64", Meaning::Address, Field::Wide),
        elf::R_X86_64_32 => ("R_X86_64_32", Meaning::Address, Field::Unsigned),
        elf::R_X86_64_32S => ("R_X86_64_32S", Meaning::Address, Field::Signed),
        elf::R_X86_64_PC32 => ("R_X86_64_PC32", Meaning::Distance, Field::Signed),
        elf::R_X86_64_PC64 => ("R_X86_64_PC64", Meaning::Distance, Field::Wide),
        elf::R_X86_64_PLT32 => ("R_X86_64_PLT32", Meaning::Call, Field::Signed),
        elf::R_X86_64_GOTPCREL => ("R_X86_64_GOTPCREL", Meaning::Cell, Field::Signed),
        elf::R_X86_64_GOTPCRELX => ("R_X86_64_GOTPCRELX", Meaning::Cell, Field::Signed),
        elf::R_X86_64_REX_GOTPCRELX => ("R_X86_64_REX_GOTPCRELX", Meaning::Cell, Field::Signed),
        elf::R_X86_64_TPOFF32 => ("R_X86_64_TPOFF32", Meaning::ThreadOffset, Field::Signed),
        elf::R_X86_64_TPOFF64 => ("R_X86_64_TPOFF64", Meaning::ThreadOffset, Field::Wide),
        elf::R_X86_64_GOTTPOFF => ("R_X86_64_GOTTPOFF", Meaning::ThreadCell, Field::Signed),
        _ => return Err(Unsupported { name: refused(kind) }),
    };
    Ok(Form { name, meaning, field })
}

/// The name of a relocation that is not supported.
fn refused(kind: u32) -> &'static str {
    match kind {
        elf::R_X86_64_TLSGD => "R_X86_64_TLSGD (general dynamic thread-locals)",
        elf::R_X86_64_TLSLD => "R_X86_64_TLSLD (local dynamic thread-locals)",
        elf::R_X86_64_DTPOFF32 => "R_X86_64_DTPOFF32 (local dynamic thread-locals)",
        elf::R_X86_64_DTPOFF64 => "R_X86_64_DTPOFF64 (local dynamic thread-locals)",
        elf::R_X86_64_GOTPC32_TLSDESC => "R_X86_64_GOTPC32_TLSDESC (descriptors of thread-locals)",
        elf::R_X86_64_TLSDESC_CALL => "R_X86_64_TLSDESC_CALL (descriptors of thread-locals)",
        elf::R_X86_64_GOTOFF64 => "R_X86_64_GOTOFF64 (another code model)",
        elf::R_X86_64_GOTPC32 => "R_X86_64_GOTPC32 (another code model)",
        elf::R_X86_64_GOT32 => "R_X86_64_GOT32 (another code model)",
        elf::R_X86_64_GOT64 => "R_X86_64_GOT64 (another code model)",
        elf::R_X86_64_GOTPC64 => "R_X86_64_GOTPC64 (another code model)",
        elf::R_X86_64_GOTPCREL64 => "R_X86_64_GOTPCREL64 (another code model)",
        elf::R_X86_64_PLTOFF64 => "R_X86_64_PLTOFF64 (another code model)",
        elf::R_X86_64_8 => "R_X86_64_8",
        elf::R_X86_64_16 => "R_X86_64_16",
        elf::R_X86_64_PC8 => "R_X86_64_PC8",
        elf::R_X86_64_PC16 => "R_X86_64_PC16",
        elf::R_X86_64_SIZE32 => "R_X86_64_SIZE32",
        elf::R_X86_64_SIZE64 => "R_X86_64_SIZE64",
        _ => "of an unknown kind",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_hold_what_the_processor_reads_back() {
        assert_eq!(Field::Signed.bytes(-1), Some(vec![0xff; 4]));
        assert_eq!(Field::Signed.bytes(1 << 31), None);
        assert_eq!(Field::Signed.bytes(-(1 << 31) - 1), None);
        assert_eq!(Field::Unsigned.bytes(0xffff_ffff), Some(vec![0xff; 4]));
        assert_eq!((Field::Unsigned.bytes(1 << 32), Field::Unsigned.bytes(-1)), (None, None));
        assert_eq!(Field::Wide.bytes(-2), Some((-2i64).to_le_bytes().to_vec()));
        assert_eq!(Field::Wide.bytes(u64::MAX.into()), Some(vec![0xff; 8]));
        assert_eq!(Field::Wide.bytes(1 << 64), None);
    }

    #[test]
    fn thread_locals_that_call_are_refused_by_name() {
        assert!(form(elf::R_X86_64_TLSGD).is_err_and(|refused| refused.name.contains("TLSGD")));
        assert!(form(elf::R_X86_64_TLSLD).is_err_and(|refused| refused.name.contains("TLSLD")));
        assert_eq!(form(200), Err(Unsupported { name: "of an unknown kind" }));
    }
}
