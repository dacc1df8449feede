//! A program that has one number on every machine, for one of them.
//!
//! ```text
//! sources ─clang, for the reference machine▶ bitcode ─spell out, link the library▶ anchor
//!     anchor ─weigh, meter▶ metered module ─code generation▶ object + world, fuel ─clang▶ program
//! ```
//!
//! Everything up to the metered module is the same for all machines; its hash
//! is kept in the program, beside that of the headers and the library, which opcost
//! carries: clang finds no others ([`super::headers`]). Limit: another release of clang
//! may make another program, which the hash shows.

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;
use opcost_instrument::{Admission, Portability, admit_portable};
use opcost_llvm::{PortableLibrary, Session};
use opcost_runtime::library::TEXT_AND_SORT;
use opcost_runtime::portable::{
    FUNCTIONS, MATH, MATH_FUNCTIONS, PREFIX, SHAPE, UNIT, VARIADIC, WORLD_FUNCTIONS,
};
use serde::{Deserialize, Serialize};

use super::compile::run_tool;
use super::fuel::{FUEL_SECTION, FUEL_SECTION_WINDOWS};
use super::kept::{Order, make};
use super::module::{ModuleRequest, Product, name_files};
use super::runtime::{ANYWHERE, write_all};
use super::{Build, Input};
use crate::error::CliError;

/// Extension of the file in which the child says what it found.
const PORTABILITY: &str = "portability";

/// A machine for which portable programs can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Machine {
    /// Linux on x86-64.
    #[value(name = "x86_64-linux")]
    X86Linux,
    /// Linux on 64-bit ARM.
    #[value(name = "aarch64-linux")]
    ArmLinux,
    /// Linux on 64-bit RISC-V.
    #[value(name = "riscv64-linux")]
    RiscvLinux,
    /// Windows on x86-64.
    #[value(name = "x86_64-windows")]
    X86Windows,
    /// WebAssembly with WASI, in Node or wasmtime: its own IR, so its own number (without --portable).
    #[value(name = "wasm32-wasi")]
    Wasm,
}

impl Machine {
    /// The one that this program runs on.
    pub(crate) fn at_hand() -> Machine {
        match std::env::consts::ARCH {
            "aarch64" => Machine::ArmLinux,
            "riscv64" => Machine::RiscvLinux,
            _ => Machine::X86Linux,
        }
    }

    /// As clang and LLVM call it.
    fn triple(self) -> &'static str {
        match self {
            Machine::X86Linux => "x86_64-unknown-linux-gnu",
            Machine::ArmLinux => "aarch64-unknown-linux-gnu",
            Machine::RiscvLinux => "riscv64-unknown-linux-gnu",
            Machine::X86Windows => "x86_64-w64-windows-gnu",
            Machine::Wasm => "wasm32-unknown-wasi",
        }
    }

    /// What its C library is called where packages are made.
    fn remedy(self) -> &'static str {
        match self {
            Machine::X86Linux => "apt-get install gcc libc6-dev",
            Machine::ArmLinux => "apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
            Machine::RiscvLinux => "apt-get install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross lld-22",
            Machine::X86Windows => "apt-get install gcc-mingw-w64-x86-64-win32 lld-22",
            Machine::Wasm => super::wasm::REMEDY,
        }
    }
}

/// What the child is asked to do besides.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PortableRequest {
    /// The machine.
    pub(super) triple: String,
    /// Bitcode of the library.
    library: Vec<PathBuf>,
}

impl PortableRequest {
    /// The section for what a program promises.
    pub(super) fn section(&self) -> &'static str {
        if self.is_windows() { FUEL_SECTION_WINDOWS } else { FUEL_SECTION }
    }

    /// Whether it is for Windows.
    pub(super) fn is_windows(&self) -> bool {
        self.triple.contains("windows")
    }
}

impl Build<'_> {
    /// Builds a metered program, or whatever is wanted of it, at `output`, unless
    /// something speaks against it.
    ///
    /// # Errors
    /// It does not compile, has no `main`, or the machine's C library is not there.
    pub(crate) fn portable(
        &self,
        machine: Machine,
        inputs: &[Input],
        product: Product,
        output: &Path,
    ) -> Result<Portability, CliError> {
        let made = if product == Product::Object { self.path("program.o") } else { output.to_owned() };
        self.together(inputs, product, &made)?;
        let path = made.with_extension(PORTABILITY);
        let text = std::fs::read(&path).map_err(CliError::file("read", &path))?;
        let portability: Portability = serde_json::from_slice(&text).expect("the child writes it");
        if product == Product::Object && portability.admission.objections.is_empty() {
            self.link_portable(machine, &made, output)?;
        }
        Ok(portability)
    }

    /// For the child; none if the program need not be portable.
    pub(super) fn portable_request(&self) -> Result<Option<PortableRequest>, CliError> {
        let Some(machine) = self.machine else { return Ok(None) };
        let folder = self.path("portable");
        let bitcode = folder.join("portable.bc");
        if !bitcode.exists() {
            write_all(&folder, opcost_runtime::portable::SOURCES)?;
            let mut command = Command::new(&self.tools.clang);
            command.args(SHAPE).args(opcost_runtime::portable::FLAGS);
            self.include_c(&mut command)?;
            command.arg(format!("-ffile-prefix-map={}=opcost-library", folder.display())).args(ANYWHERE);
            command.arg(folder.join(UNIT)).arg("-o").arg(&bitcode);
            let order = Order {
                scratch: &self.path(""),
                carried: &[&folder, &self.path("portable-include")],
                products: std::slice::from_ref(&bitcode),
                name: "opcost's portable library",
            };
            make(&mut command, &order)?;
        }
        let mut library = vec![bitcode];
        for (name, bytes) in MATH {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(CliError::file("write", &path))?;
            library.push(path);
        }
        Ok(Some(PortableRequest { triple: machine.triple().to_owned(), library }))
    }

    /// Links the object, the machine's fuel and its world.
    fn link_portable(&self, machine: Machine, object: &Path, output: &Path) -> Result<(), CliError> {
        let for_machine = |error| match error {
            CliError::ToolFailed { .. } if machine != Machine::at_hand() => CliError::ToolMissing {
                tool: format!("a C library for {}", machine.triple()),
                remedy: machine.remedy().to_owned(),
            },
            error => error,
        };
        let runtime = self.portable_runtime(machine).map_err(for_machine)?;
        let mut command = self.clang_for(machine);
        if machine != Machine::at_hand() {
            // An emulator need not find the machine's libraries then.
            command.args(["-static", "-fuse-ld=lld"]);
        }
        command.arg(object).args(runtime);
        // `floor` and its like are calls on some machines, and exact on all.
        command.args((machine != Machine::X86Windows).then_some("-lm"));
        // Linkers for Windows choose the ending themselves.
        let linked = self.path("linked.exe");
        command.arg("-o").arg(&linked);
        run_tool(&mut command, &self.tools.clang, output).map_err(for_machine)?;
        std::fs::rename(&linked, output).map_err(CliError::file("write", output))
    }

    /// The machine's fuel and its world, as objects.
    fn portable_runtime(&self, machine: Machine) -> Result<[PathBuf; 2], CliError> {
        use opcost_runtime::{fuel, portable};
        let folder = self.path("machine");
        let source = if machine == Machine::X86Windows { portable::FUEL_WINDOWS } else { fuel::SOURCE };
        let headers = [fuel::PAGE_HEADER, fuel::WALLS, opcost_host::TOLD];
        write_all(&folder, &[&[source, portable::WORLD], &headers[..]].concat())?;
        let names = [source.0, portable::WORLD.0];
        let objects = names.map(|name| folder.join(name).with_extension("o"));
        let mut command = self.clang_for(machine);
        command.arg("-c").args(names).current_dir(&folder);
        let order =
            Order { scratch: &folder, carried: &[&folder], products: &objects, name: "opcost's runtime" };
        make(&mut command, &order)?;
        Ok(objects)
    }

    fn clang_for(&self, machine: Machine) -> Command {
        let mut command = Command::new(&self.tools.clang);
        command.arg(format!("--target={}", machine.triple())).arg("-O2");
        command
    }
}

/// In the child: makes the module portable and says what it found. Whether to go on.
pub(super) fn complete(
    session: &mut Session,
    request: &ModuleRequest,
    portable: &PortableRequest,
) -> Result<bool, String> {
    let bitcode: Vec<&Path> = portable.library.iter().map(PathBuf::as_path).collect();
    let functions = [TEXT_AND_SORT, FUNCTIONS, MATH_FUNCTIONS].concat();
    let library =
        PortableLibrary { functions: &functions, variadic: VARIADIC, prefix: PREFIX, bitcode: &bitcode };
    session.make_portable(&library).map_err(|error| error.to_string())?;
    let mut module = session.snapshot();
    name_files(&mut module, &request.root);
    let portability = admit_portable(&module, WORLD_FUNCTIONS);
    let path = request.output.with_extension(PORTABILITY);
    let text = serde_json::to_vec(&portability).expect("plain data");
    std::fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(portability.admission.objections.is_empty() && request.product != Product::Admission)
}

/// The hash of what `complete` found.
pub(super) fn code_of(request: &ModuleRequest) -> Result<String, String> {
    let path = request.output.with_extension(PORTABILITY);
    let text = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let Portability { admission: Admission { hash, .. }, .. } =
        serde_json::from_slice(&text).expect("written above");
    Ok(hash)
}
