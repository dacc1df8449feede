//! For which machines are programs built, and what does each need?

/// How to get WASI's C library.
pub(crate) const WASI_REMEDY: &str = "apt-get install wasi-libc libclang-rt-22-dev-wasm32 lld-22";

/// A machine for which portable programs can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// Linux on x86-64.
    X86Linux,
    /// Linux on 64-bit ARM.
    ArmLinux,
    /// Linux on 64-bit RISC-V.
    RiscvLinux,
    /// Windows on x86-64.
    X86Windows,
    /// WebAssembly with WASI, in Node or wasmtime: its own IR, so its own number (without --portable).
    Wasm,
}

impl Machine {
    /// The one that this program runs on.
    pub fn at_hand() -> Machine {
        match std::env::consts::ARCH {
            "aarch64" => Machine::ArmLinux,
            "riscv64" => Machine::RiscvLinux,
            _ => Machine::X86Linux,
        }
    }

    /// As clang and LLVM call it.
    pub(crate) fn triple(self) -> &'static str {
        match self {
            Machine::X86Linux => "x86_64-unknown-linux-gnu",
            Machine::ArmLinux => "aarch64-unknown-linux-gnu",
            Machine::RiscvLinux => "riscv64-unknown-linux-gnu",
            Machine::X86Windows => "x86_64-w64-windows-gnu",
            Machine::Wasm => "wasm32-unknown-wasi",
        }
    }

    /// What its C library is called where packages are made.
    pub(crate) fn remedy(self) -> &'static str {
        match self {
            Machine::X86Linux => "apt-get install gcc libc6-dev",
            Machine::ArmLinux => "apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
            Machine::RiscvLinux => "apt-get install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross lld-22",
            Machine::X86Windows => "apt-get install gcc-mingw-w64-x86-64-win32 lld-22",
            Machine::Wasm => WASI_REMEDY,
        }
    }
}
