//! The columns of the table: one way to build a program each.
//!
//! All of them compile every source separately at -O2 with the same clang, so
//! that what differs is the instrumentation alone.

use super::question::Question;
use super::{setup, wasm};
use crate::command;
use crate::failure::{Failure, Result};
use crate::manifest::Program;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One way to build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// clang -O2, nothing added: what the others are compared with.
    Plain,
    /// The same file as [`Column::Plain`], run again: the noise.
    PlainAgain,
    /// opcost with one counter in every segment.
    Naive,
    /// opcost as it comes: counters on chords.
    Opcost,
    /// opcost with counters where a run on the small arguments did little.
    OpcostPlaced,
    /// opcost for programs that start threads.
    OpcostThreads,
    /// LLVM's own counters on chords.
    ProfileGenerate,
    /// opcost fuel as it comes: length charges, checks.
    Fuel,
    /// The same, paid where a run on the small arguments did little.
    FuelPlaced,
    /// opcost fuel with every instruction 1 and the C library's own functions.
    FuelUnit,
    /// The same without checks: it is counted what is spent, and nothing stops.
    FuelUnchecked,
    /// opcost fuel that keeps the program's stores off its counter.
    FuelHarden,
    /// WebAssembly in wasmtime, without a limit.
    Wasm,
    /// WebAssembly in wasmtime, with its fuel.
    WasmFuel,
}

impl Column {
    /// The columns of a page, in order.
    pub(crate) fn of(question: Question) -> &'static [Self] {
        match question {
            Question::Count => &[
                Self::Plain,
                Self::PlainAgain,
                Self::Naive,
                Self::Opcost,
                Self::OpcostPlaced,
                Self::OpcostThreads,
                Self::ProfileGenerate,
            ],
            Question::Fuel => &[
                Self::Plain,
                Self::PlainAgain,
                Self::Fuel,
                Self::FuelPlaced,
                Self::FuelUnit,
                Self::FuelUnchecked,
                Self::FuelHarden,
                Self::ProfileGenerate,
                Self::Wasm,
                Self::WasmFuel,
            ],
        }
    }

    /// Whether it runs in wasmtime.
    pub(crate) fn is_wasm(self) -> bool {
        matches!(self, Self::Wasm | Self::WasmFuel)
    }

    /// The word for it on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::PlainAgain => "again",
            Self::Naive => "naive",
            Self::Opcost => "opcost",
            Self::OpcostPlaced => "placed",
            Self::OpcostThreads => "threads",
            Self::ProfileGenerate => "pgo",
            Self::Fuel => "fuel",
            Self::FuelPlaced => "fuel-placed",
            Self::FuelUnit => "unit",
            Self::FuelUnchecked => "unchecked",
            Self::FuelHarden => "harden",
            Self::Wasm => "wasm",
            Self::WasmFuel => "wasm-fuel",
        }
    }

    /// Its name on the page.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::PlainAgain => "plain again",
            Self::Naive => "naive",
            Self::Opcost => "opcost",
            Self::OpcostPlaced => "opcost, placed by a run",
            Self::OpcostThreads => "opcost --threads",
            Self::ProfileGenerate => "-fprofile-generate",
            Self::Fuel => "opcost fuel",
            Self::FuelPlaced => "opcost fuel, placed by a run",
            Self::FuelUnit => "opcost fuel, unit/1",
            Self::FuelUnchecked => "opcost fuel, unit/1, unchecked",
            Self::FuelHarden => "opcost fuel, hardened",
            Self::Wasm => "wasmtime",
            Self::WasmFuel => "wasmtime with fuel",
        }
    }

    /// The command that builds it, with its changing parts in capitals.
    pub(crate) fn recipe(self) -> String {
        match self {
            Self::Plain => "clang-22 -O2 FLAGS SOURCES -o PROGRAM LIBRARIES".to_owned(),
            Self::PlainAgain => "(the same file as plain)".to_owned(),
            Self::ProfileGenerate => {
                "clang-22 -O2 -fprofile-generate FLAGS SOURCES -o PROGRAM LIBRARIES".to_owned()
            }
            Self::Wasm | Self::WasmFuel => {
                "clang-22 --target=wasm32-wasi -O2 FLAGS SOURCES; wasmtime of PyPI, cranelift, compiled ahead"
                    .to_owned()
            }
            _ => {
                let verb = self.verb();
                let placed = self.is_placed().then_some(" --placement-from RUN");
                let flags = self.opcost_flags().join(" ") + placed.unwrap_or_default().trim_start();
                let space = if flags.is_empty() { "" } else { " " };
                format!("opcost {verb} --emit exe -o PROGRAM{space}{flags} SOURCES --cflag=FLAG… LIBRARIES")
            }
        }
    }

    fn uses_opcost(self) -> bool {
        self.verb() == "fuel"
            || matches!(self, Self::Naive | Self::Opcost | Self::OpcostPlaced | Self::OpcostThreads)
    }

    fn verb(self) -> &'static str {
        let fuel = [Self::Fuel, Self::FuelPlaced, Self::FuelUnit, Self::FuelUnchecked, Self::FuelHarden];
        if fuel.contains(&self) { "fuel" } else { "count" }
    }

    /// Whether counters are placed by a run, which is on the small arguments.
    fn is_placed(self) -> bool {
        matches!(self, Self::OpcostPlaced | Self::FuelPlaced)
    }

    fn opcost_flags(self) -> &'static [&'static str] {
        match self {
            Self::Naive => &["--placement", "every-segment"],
            Self::OpcostThreads => &["--threads"],
            Self::FuelUnit => &["--cost", "unit/1"],
            Self::FuelUnchecked => &["--cost", "unit/1", "--unchecked"],
            Self::FuelHarden => &["--harden"],
            _ => &[],
        }
    }
}

/// Builds programs into a folder, one file per program and column.
pub(crate) struct Builder {
    folder: PathBuf,
    /// The opcost to measure, or why there is none.
    opcost: Result<PathBuf>,
    /// Whether programs that an earlier run built are taken as they are.
    pub(crate) is_built: bool,
}

impl Builder {
    /// Finds opcost, if a column needs it: the file given, or a release build
    /// of this checkout. Without one the columns that need it fail, each by
    /// name.
    pub(crate) fn prepare(columns: &[Column], opcost: Option<PathBuf>, folder: &Path) -> Result<Self> {
        let opcost = match opcost {
            Some(path) => Ok(std::path::absolute(&path).map_err(|error| Failure::at("find", &path, error))?),
            None if columns.iter().any(|column| column.uses_opcost()) => setup::release_build(),
            None => Err(Failure::new("no column asked for it")),
        };
        Ok(Self { folder: folder.to_owned(), opcost, is_built: false })
    }

    /// The opcost in use, or why there is none.
    pub(crate) fn opcost(&self) -> std::result::Result<&Path, &Failure> {
        self.opcost.as_deref()
    }

    /// Builds the program and returns the executable.
    pub(crate) fn build(&self, column: Column, program: &Program) -> Result<PathBuf> {
        let executable = self.folder.join(format!("{}.{}", program.name, column.word()));
        if self.is_built && executable.is_file() {
            return Ok(executable);
        }
        let _ = std::fs::remove_file(&executable);
        if column.is_wasm() {
            return wasm::build(&self.folder, program, column == Column::WasmFuel, &executable);
        }
        command::output_of(self.command(column, program, &executable)?.current_dir(&self.folder))?;
        if executable.is_file() { Ok(executable) } else { Err(Failure::new("the build left no program")) }
    }

    /// The command that builds it.
    pub(crate) fn command(&self, column: Column, program: &Program, executable: &Path) -> Result<Command> {
        if !column.uses_opcost() {
            return Ok(clang(column, program, executable));
        }
        let opcost = self.opcost.as_ref().map_err(Clone::clone)?;
        let mut command = Command::new(opcost);
        command.args([column.verb(), "--emit", "exe", "-o"]).arg(executable).args(column.opcost_flags());
        if column.is_placed() {
            let ledger = executable.with_added_extension("opc");
            let mut run = Command::new(opcost);
            run.args(["count", "--stdout", "/dev/null", "--ledger"]).arg(&ledger).current_dir(&self.folder);
            setup::add_program(&mut run, program).arg("--").args(&program.small);
            command::output_of(&mut run)?;
            command.arg("--placement-from").arg(ledger);
        }
        setup::add_program(&mut command, program);
        Ok(command)
    }
}

fn clang(column: Column, program: &Program, executable: &Path) -> Command {
    let mut command = setup::clang(program);
    command.arg("-O2");
    if column == Column::ProfileGenerate {
        command.arg("-fprofile-generate");
    }
    command.args(&program.flags).args(&program.sources).arg("-o").arg(executable).args(&program.libraries);
    command
}
