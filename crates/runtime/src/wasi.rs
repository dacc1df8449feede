//! What a metered program for WebAssembly needs: its runtime, and who runs it.
//!
//! The program has its page in its own memory and exports the address; a driver
//! in the engine's language puts the limit there and reads the page at the end.

/// Source of the metered program's runtime: one file.
pub const SOURCE: (&str, &str) = ("fuel_wasi.c", include_str!("c/fuel_wasi.c"));
/// The driver for Node.
pub const NODE: (&str, &str) = ("node.mjs", include_str!("engines/node.mjs"));
/// The driver for the wasmtime of Python.
pub const WASMTIME: (&str, &str) = ("wasmtime.py", include_str!("engines/wasmtime.py"));

/// What a driver needs to find in the program. The stack comes first in memory,
/// so that whatever steps over its end leaves the memory and is a trap.
pub const LINK: &[&str] = &[
    "-Wl,--export=opc_fuel",
    "-Wl,--export=__stack_pointer",
    "-Wl,--stack-first",
    "-Wl,-z,stack-size=8388608",
];

/// Above this number a crash has one of [`TRAPS`], counted from 1.
pub const TRAP: u32 = 0x5741_0000;
/// Why an engine ended a program, in the order of the drivers.
pub const TRAPS: &[&str] = &[
    "it came to an instruction that ends it (abort does that)",
    "it left its memory",
    "it divided by zero",
    "a number was too large for its type",
    "it called what is no function of that type",
];
