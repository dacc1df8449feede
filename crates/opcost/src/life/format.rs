//! For which system does LLVM write a given object format?
//!
//! LLVM has the format in the triple. One that was asked for by name takes the
//! place of the system in it: ELF is Linux, COFF is Windows as MinGW has it,
//! Mach-O is macOS. RISC-V has ELF alone.

/// A format of object files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectFormat {
    /// Linux and most others.
    Elf,
    /// Windows.
    Coff,
    /// macOS.
    MachO,
}

/// A machine for which LLVM has no such format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("for {machine} there is ELF alone; COFF and Mach-O are of x86_64 and aarch64")]
pub struct NoFormat {
    /// The machine, as triples have it.
    pub machine: String,
}

impl ObjectFormat {
    /// The triple for a machine with this format.
    ///
    /// # Errors
    /// LLVM has no such format for the machine; says what there is.
    pub fn triple(self, target: &str) -> Result<String, NoFormat> {
        let machine = target.split('-').next().unwrap_or(target);
        let machine = if machine == "arm64" { "aarch64" } else { machine };
        match (self, machine) {
            (ObjectFormat::Elf, _) => Ok(format!("{machine}-linux-gnu")),
            (ObjectFormat::Coff, "x86_64" | "aarch64") => Ok(format!("{machine}-w64-windows-gnu")),
            (ObjectFormat::MachO, "x86_64") => Ok("x86_64-apple-macosx".to_owned()),
            (ObjectFormat::MachO, "aarch64") => Ok("arm64-apple-macosx".to_owned()),
            _ => Err(NoFormat { machine: machine.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ObjectFormat;

    #[test]
    fn a_format_takes_the_place_of_the_system() {
        let triple = |format: ObjectFormat, target: &str| format.triple(target).ok();
        assert_eq!(triple(ObjectFormat::Coff, "x86_64-linux-gnu").as_deref(), Some("x86_64-w64-windows-gnu"));
        assert_eq!(triple(ObjectFormat::MachO, "aarch64-linux-gnu").as_deref(), Some("arm64-apple-macosx"));
        assert_eq!(triple(ObjectFormat::Elf, "arm64-apple-macosx").as_deref(), Some("aarch64-linux-gnu"));
        assert_eq!(triple(ObjectFormat::Coff, "riscv64-linux-gnu"), None);
    }
}
