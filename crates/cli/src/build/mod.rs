//! From sources to a counted program.
//!
//! ```text
//! source ─clang -emit-llvm▶ bitcode ─opcost __module▶ object + map ─clang▶ program
//! ```
//!
//! Each module is handled in a child process: LLVM ends the process on its
//! fatal errors, and the tool must live to say so. All intermediate files lie
//! in one temporary folder that goes away.

mod admission;
mod analysis;
mod answers;
#[cfg(test)]
mod audit_tests;
mod bits;
mod bits_floats;
mod bits_narrow;
mod certificate;
mod compile;
mod contracts;
mod cost;
mod driver;
mod explanation;
mod export;
mod export_places;
mod foretold;
mod foretold_steps;
#[cfg(test)]
mod foretold_tests;
mod fuel;
mod headers;
mod input;
mod install;
mod kept;
mod life;
mod life_asked;
mod life_code;
mod life_machine;
mod link;
mod loops;
mod module;
mod phases;
mod plugin;
mod portable;
mod runtime;
mod rust;
mod sampled;
mod tools;
mod values;
mod wasm;
mod width;

use std::path::{Path, PathBuf};

pub(crate) use analysis::{AnalysisQuestion, AnalysisRequest, Answers, ExplainWanted, Refusal, analyse};
pub(crate) use answers::{
    AnswerKind, DependenceEdge, DependenceNode, EntryAnswer, EntryKind, ExplainAnswers, Explained,
    LoopAnswer, LoopAnswers, LoopNumbers,
};
pub(crate) use bits::{
    Assumptions, BitsAnswers, BitsFinding, BitsFunction, BitsObserved, BitsValue, CertifiedAnswer,
};
pub(crate) use bits_floats::{BitsFloat, BitsFloatObserved};
pub(crate) use bits_narrow::NarrowAnswers;
pub(crate) use certificate::{CheckAnswers, CheckFailure};
pub(crate) use driver::{Drive, Front, by_program_name, launched};
pub(crate) use export::{ExportModule, ProfileRequest, carry_out, reasons};
pub(crate) use fuel::{FUEL_SECTION, FUEL_SECTION_WINDOWS, Promise};
pub(crate) use input::{Input, Language};
pub(crate) use install::install;
pub(crate) use life::{LifeQuestion, LifeRequest, Meant, record};
pub(crate) use life_code::{CodeRequest, CodeText, code_life, read_code};
pub(crate) use life_machine::MachineInstruction;
pub(crate) use module::{ModuleRequest, Product, instrument, relative, tidy};
pub(crate) use portable::Machine;
pub(crate) use runtime::compile_world;
pub(crate) use rust::{
    RustPurpose, Rustc, cargo_linker, is_rust_linker, link as link_rust, linker_arguments,
};
pub(crate) use tools::{Tools, version_of};
pub(crate) use values::{Meaning, PointList, PointText, RefusedText, VALUES_SECTION, ValuesWish};
pub(crate) use width::{WidthAnswers, WidthExplained, WidthStep};

use opcost_instrument::CostModel;

use opcost_key::Placement;

use crate::arguments::{BuildArguments, CompileArguments};
use crate::error::CliError;
use module::COUNTS_BY_THREAD;

/// What a program is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To be counted.
    Count { placement: Placement },
    /// To be looked at on its way to machine code.
    Life,
    /// To be looked at without running it.
    Analysis,
    /// To record values: what, `Build::values` says.
    Values,
    /// To be sampled: as it is, with a table of its code beside it.
    Sample,
    /// To be given fuel, with at most so much work between two checks (without
    /// checks it is never stopped); audited when it is metered, if wanted; kept
    /// off its counter, if wanted; every segment charged by itself, as the referee
    /// of metering.
    Fuel { overshoot: Option<u64>, audit: bool, harden: bool, by_segment: bool },
}

impl Purpose {
    /// The cost model of this name, or the usual one.
    fn cost(self, given: Option<&str>) -> Result<CostModel, CliError> {
        match self {
            Purpose::Count { .. } | Purpose::Life | Purpose::Analysis | Purpose::Values | Purpose::Sample => {
                cost::cost_model(given.unwrap_or(cost::COUNTED))
            }
            Purpose::Fuel { .. } => cost::fuel_model(given.unwrap_or("fuel/1")),
        }
    }
}

/// A build in progress: its tools, its flags and its temporary folder.
pub(crate) struct Build<'a> {
    pub(crate) tools: Tools,
    pub(crate) arguments: &'a CompileArguments,
    pub(crate) purpose: Purpose,
    pub(crate) cost: CostModel,
    /// Whether some module of the program starts threads, so that all of them
    /// need counters for each thread. Rust's library does.
    starts_threads: std::cell::Cell<bool>,
    /// Made when the first module wants it.
    library: std::cell::OnceCell<PathBuf>,
    /// Where the headers of the C++ library are, once a portable program wants them.
    cxx_library: std::cell::OnceCell<PathBuf>,
    /// Outside names that the program may use besides those known, when it
    /// must be admitted before it is metered.
    allowed: Option<Vec<String>>,
    /// What values are recorded, if some are.
    pub(crate) values: Option<ValuesWish>,
    /// Whether what is sampled goes through the optimiser behind its anchor.
    pub(crate) is_optimised_behind: bool,
    /// The machine for which a portable program is built, if one is.
    pub(crate) machine: Option<Machine>,
    /// Whether it is built for WebAssembly.
    pub(crate) is_wasm: bool,
    /// How much the compiler says of places.
    debug_flag: &'static str,
    /// Whether a plug-in is made, to be loaded anywhere.
    as_plugin: std::cell::Cell<bool>,
    folder: tempfile::TempDir,
}

impl<'a> Build<'a> {
    /// A build of a program to be counted.
    pub(crate) fn counted(arguments: &'a BuildArguments) -> Result<Build<'a>, CliError> {
        let BuildArguments { compile, paths, placement, threads } = arguments;
        let placement = if *paths { &Placement::Paths } else { placement };
        let build = Build::new(compile, Purpose::Count { placement: *placement })?;
        build.starts_threads.set(*threads);
        Ok(build)
    }

    /// Finds the tools and makes the temporary folder.
    pub(crate) fn new(arguments: &'a CompileArguments, purpose: Purpose) -> Result<Build<'a>, CliError> {
        let folder = tempfile::Builder::new()
            .prefix("opcost-")
            .tempdir()
            .map_err(CliError::file("make a folder in", std::env::temp_dir()))?;
        Ok(Build {
            tools: Tools::find()?,
            arguments,
            purpose,
            cost: purpose.cost(arguments.cost.as_deref())?,
            starts_threads: std::cell::Cell::new(false),
            library: std::cell::OnceCell::new(),
            cxx_library: std::cell::OnceCell::new(),
            allowed: None,
            values: None,
            is_optimised_behind: false,
            machine: None,
            is_wasm: false,
            // Names of variables stand in full debug information only; it changes no code.
            debug_flag: if purpose == Purpose::Analysis { "-g" } else { "-gline-tables-only" },
            as_plugin: std::cell::Cell::new(false),
            folder,
        })
    }

    /// Bitcode of the library functions that pay, if the cost model wants it.
    fn library(&self) -> Result<Option<PathBuf>, CliError> {
        let CostModel::Table(table) = &self.cost else { return Ok(None) };
        if !table.with_library {
            return Ok(None);
        }
        if let Some(made) = self.library.get() {
            return Ok(Some(made.clone()));
        }
        let folder = self.path("library");
        let made = runtime::compile_library(&self.tools.clang, &self.target_flags(), &folder)?;
        Ok(Some(self.library.get_or_init(|| made).clone()))
    }

    /// A path in the temporary folder.
    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds a counted program at `output`.
    pub(crate) fn program(&self, inputs: &[Input], output: &Path) -> Result<(), CliError> {
        if inputs.iter().any(|input| input.language == Language::Rust) {
            let what = match self.purpose {
                Purpose::Fuel { .. } => "be metered",
                Purpose::Values => "record values",
                Purpose::Count { .. } | Purpose::Life | Purpose::Analysis | Purpose::Sample => "",
            };
            if !what.is_empty() {
                return Err(CliError::Usage(format!(
                    "Rust sources cannot {what} yet; give C, C++, Fortran, .bc or .ll"
                )));
            }
            self.starts_threads.set(true);
            return self.rust_program(inputs, output);
        }
        let objects = match self.purpose {
            Purpose::Fuel { .. } if self.is_whole(inputs) => vec![self.as_one(inputs)?],
            _ => self.objects(inputs)?,
        };
        self.link(inputs, &objects, output, link::Product::Program)
    }

    /// Whether the inputs are all of the program but the C and C++ library.
    fn is_whole(&self, inputs: &[Input]) -> bool {
        let is_code =
            |input: &Input| matches!(input.language, Language::C | Language::Cxx | Language::Bitcode);
        let is_linking = |flag: &String| flag.starts_with("-l") || flag.starts_with("-Wl,");
        inputs.iter().all(is_code)
            && self.arguments.library.iter().all(|library| library == "m")
            && !self.arguments.cflags.iter().any(is_linking)
    }

    /// One object of all inputs, linked before they are instrumented.
    fn as_one(&self, inputs: &[Input]) -> Result<PathBuf, CliError> {
        let object = self.path("program.o");
        self.together(inputs, Product::Object, &object)?;
        Ok(object)
    }

    /// The same at `output`, and whatever is wanted of it.
    fn together(&self, inputs: &[Input], product: Product, output: &Path) -> Result<(), CliError> {
        let bitcode = |(position, input)| self.bitcode(input, position);
        let mut modules = inputs.iter().enumerate().map(bitcode).collect::<Result<Vec<_>, _>>()?;
        let first = modules.remove(0);
        self.instrument_together(&inputs[0], &first, Some(modules), product, output)
    }

    /// Builds a counted shared library at `output`.
    pub(crate) fn shared(&self, inputs: &[Input], output: &Path) -> Result<(), CliError> {
        let objects = self.objects(inputs)?;
        self.link(inputs, &objects, output, link::Product::Shared)
    }

    /// Compiles and instruments every input that needs it; objects and
    /// archives pass through.
    ///
    /// Threads that one module starts run the code of all. Which modules do is
    /// known once they were read, so the others are instrumented again.
    fn objects(&self, inputs: &[Input]) -> Result<Vec<PathBuf>, CliError> {
        let mut objects = Vec::new();
        let mut made = Vec::new();
        for (position, input) in inputs.iter().enumerate() {
            match input.language {
                Language::Object => objects.push(input.path.clone()),
                _ => {
                    let bitcode = self.bitcode(input, position)?;
                    let object = self.path(format!("{position}.o"));
                    self.instrument_in_child(input, &bitcode, Product::Object, &object)?;
                    objects.push(object.clone());
                    made.push((input, bitcode, object));
                }
            }
        }
        let counts_by_thread = |object: &Path| object.with_extension(COUNTS_BY_THREAD).exists();
        if made.iter().any(|(_, _, object)| counts_by_thread(object)) {
            self.starts_threads.set(true);
            for (input, bitcode, object) in made.iter().filter(|(_, _, object)| !counts_by_thread(object)) {
                self.instrument_in_child(input, bitcode, Product::Object, object)?;
            }
        }
        Ok(objects)
    }

    /// Makes one module, and nothing of the runtime, at `output`.
    pub(crate) fn module(&self, input: &Input, product: Product, output: &Path) -> Result<(), CliError> {
        let bitcode = self.bitcode(input, 0)?;
        self.instrument_in_child(input, &bitcode, product, output)
    }
}
