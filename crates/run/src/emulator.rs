//! Does the program need another machine to run on?
//!
//! Its file says for which one it was built. Programs of other processors run in
//! qemu's user mode, those of Windows in wine; both are found by name.

use std::path::Path;

use object::{Architecture, BinaryFormat, Object};

use opcost_answer::Failure;

/// The emulator that runs this program; none if the machine at hand does.
///
/// # Errors
/// It needs one that is not installed.
pub(crate) fn emulator(program: &Path) -> Result<Option<&'static str>, Failure> {
    // Whatever cannot be read here says so when it is started.
    let Ok(bytes) = std::fs::read(program) else { return Ok(None) };
    let Ok(file) = object::File::parse(&*bytes) else { return Ok(None) };
    let here = std::env::consts::ARCH;
    let (name, package) = match (file.format(), file.architecture()) {
        (BinaryFormat::Pe, _) => ("wine", "wine64 wine"),
        (BinaryFormat::Elf, Architecture::X86_64) if here != "x86_64" => ("qemu-x86_64", "qemu-user"),
        (BinaryFormat::Elf, Architecture::Aarch64) if here != "aarch64" => ("qemu-aarch64", "qemu-user"),
        (BinaryFormat::Elf, Architecture::Riscv64) if here != "riscv64" => ("qemu-riscv64", "qemu-user"),
        _ => return Ok(None),
    };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&folders).any(|folder| folder.join(name).is_file()) {
        return Ok(Some(name));
    }
    Err(Failure::ToolMissing {
        tool: format!("{name}, which runs {},", program.display()),
        remedy: format!("install it with: apt-get install {package}"),
    })
}
