//! A C function as a circuit: made, simulated against the function, compared with a run, put on a chip.
//!
//! The function is compiled without vectors, unrolling, and without being put into its callers, in
//! an open world: a circuit is called by anyone. The child makes the circuit. Its files are written to a folder here,
//! and what was asked for is done with them.
//!
//! Input: a [`CircuitRequest`]. Output: a [`CircuitEnd`]. Cost: that of the tools; iverilog takes most.

mod cosimulation;
mod replay;
mod switching;
mod synthesis;
mod tool;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_answer::hdl::{HdlAnswers, HdlDocument, HdlReplay, HdlSimulation};
pub use opcost_job::program::{CircuitWish, HdlLimits, HdlSchedule, HdlWidths};
use opcost_job::program::{HdlJob, WorldWish};
use opcost_profile::formats::write_whole;
use opcost_toolchain::build::{Build, Purpose};
use opcost_toolchain::input::{Input, Language};
use opcost_toolchain::options::{CompileOptions, ProgramOptions};

use crate::progress::work;

/// How a circuit is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interface {
    /// By start and done.
    #[default]
    Start,
    /// By a module `NAME_stream` around it with valid and ready, for calls and for results.
    Stream,
    /// By a module `NAME_axi` around it with registers by AXI4-Lite, and with its memories by AXI4.
    Axi,
}

/// A chip that a circuit is put on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// Lattice iCE40.
    Ice40,
    /// Lattice ECP5.
    Ecp5,
    /// Xilinx, of series 7.
    Xilinx,
}

/// Which calls a circuit is given, to be compared with those of its function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// None.
    #[default]
    None,
    /// With inputs at random.
    Random {
        /// How many.
        runs: u64,
        /// Another number gives other inputs.
        seed: u64,
    },
    /// Those of a run of the sources as a program.
    OfRun {
        /// At most so many: the first ones.
        most: u64,
        /// Arguments of the program.
        arguments: Vec<OsString>,
        /// What it prints does not go to the standard output, but to the listener.
        is_quiet: bool,
    },
}

/// What is to be made of which function.
#[derive(Clone, Debug)]
pub struct CircuitRequest {
    /// Sources, or bitcode.
    pub inputs: Vec<PathBuf>,
    /// How they are compiled.
    pub options: CompileOptions,
    /// Which circuit.
    pub wish: CircuitWish,
    /// Where its files go.
    pub folder: PathBuf,
    /// How it is called.
    pub interface: Interface,
    /// What it is compared with.
    pub calls: Calls,
    /// Where the waveform of the simulation goes, if it is wanted.
    pub waveform: Option<PathBuf>,
    /// The chip that it is put on, and how often it is placed there.
    pub chip: Option<(Chip, u32)>,
    /// Called with what tools and the program printed that is to be known, as it comes.
    pub listener: fn(&str),
}

/// What became of a request.
#[derive(Clone, Debug)]
pub enum CircuitEnd {
    /// The circuit is made, and its files are written.
    Made(Box<HdlDocument>),
    /// It is made, and the program whose calls were wanted failed.
    ProgramFailed,
}

/// Makes a circuit, and does with it what was asked for.
///
/// # Errors
/// The function cannot be a circuit, or cannot be called so; a tool is missing or failed; a file cannot be written.
pub fn make(request: &CircuitRequest) -> Result<CircuitEnd, Failure> {
    let inputs = Input::all_analysed(request.inputs.iter().map(|path| &**path))?;
    let called = request.check(&inputs)?;
    let answers = request.query(&inputs, &called)?;
    if request.interface == Interface::Axi && answers.axi.is_empty() {
        return Err(Failure::Usage(format!(
            "{} has numbers of more than 64 bits, and registers of the bus have 64; use --interface start or stream",
            request.wish.top
        )));
    }
    let circuit = Circuit { request, answers: &answers, is_cpp: called.is_cpp };
    circuit.write()?;
    let (simulation, replay) = match &request.calls {
        Calls::None => (None, None),
        Calls::Random { runs, seed } => (Some(circuit.cosimulate(*runs, *seed)?), None),
        Calls::OfRun { .. } => match circuit.replay(&called.sources)? {
            Some((simulation, replay)) => (Some(simulation), Some(replay)),
            None => return Ok(CircuitEnd::ProgramFailed),
        },
    };
    let synthesis = match request.chip {
        Some((chip, seeds)) => Some(circuit.synthesise(chip, seeds)?),
        None => None,
    };
    let document = HdlDocument {
        widths: width_word(request.wish.widths).to_owned(),
        assumes: answers.assumes.clone(),
        modules: vec![answers.circuit.clone()],
        simulation,
        replay,
        synthesis,
        ..HdlDocument::default()
    };
    Ok(CircuitEnd::Made(Box::new(document)))
}

/// The word of widths in documents and on command lines.
fn width_word(widths: HdlWidths) -> &'static str {
    match widths {
        HdlWidths::Declared => "declared",
        HdlWidths::Llvm => "llvm",
        HdlWidths::Proven => "proven",
        HdlWidths::Certified => "certified",
    }
}

/// The sources that call the function.
struct CalledSources {
    sources: Vec<PathBuf>,
    is_cpp: bool,
}

impl CircuitRequest {
    /// A function of one source, with proven widths, at 50 MHz, and nothing else.
    pub fn of(source: &Path, top: &str, folder: impl Into<PathBuf>) -> CircuitRequest {
        CircuitRequest {
            inputs: vec![source.to_owned()],
            options: CompileOptions::default(),
            wish: CircuitWish {
                top: top.to_owned(),
                contracts: Vec::new(),
                before: Vec::new(),
                widths: HdlWidths::Proven,
                schedule: HdlSchedule::Common,
                limits: HdlLimits {
                    period: 20_000,
                    multipliers: None,
                    memory_ports: 2,
                    address_bits: 20,
                    elements: 256,
                    pipelines: true,
                },
            },
            folder: folder.into(),
            interface: Interface::Start,
            calls: Calls::None,
            waveform: None,
            chip: None,
            listener: |_| {},
        }
    }

    /// Whether the circuit is simulated.
    pub fn simulates(&self) -> bool {
        self.calls != Calls::None
    }

    fn is_replayed(&self) -> bool {
        matches!(self.calls, Calls::OfRun { .. })
    }

    fn check(&self, inputs: &[Input]) -> Result<CalledSources, Failure> {
        let of_c = inputs.iter().filter(|input| input.language == Language::C);
        let mut sources: Vec<PathBuf> = of_c.map(|input| input.path.clone()).collect();
        let is_cpp = inputs.len() == 1 && inputs[0].language == Language::Cxx;
        let usage = |words: &str| Err(Failure::Usage(words.to_owned()));
        let is_random = matches!(self.calls, Calls::Random { .. });
        if is_random && !is_cpp && (sources.len() != 1 || inputs.len() != 1) {
            return usage("--cosimulate calls the function of one source in C or C++; give that file alone");
        }
        if self.is_replayed() && sources.len() != inputs.len() {
            return usage("--replay compiles the program; give all of it as sources in C");
        }
        if self.waveform.is_some() && !self.simulates() {
            return usage("--waveform is of a simulation; add --cosimulate RUNS or --replay");
        }
        if is_cpp {
            sources.push(inputs[0].path.clone());
        }
        Ok(CalledSources { sources, is_cpp })
    }

    /// The circuit, as the child makes it.
    fn query(&self, inputs: &[Input], called: &CalledSources) -> Result<HdlAnswers, Failure> {
        let mut options = self.options.clone();
        // A loop that looks for a zero stays one: strlen has no body.
        let idioms = ["-fno-builtin-strlen", "-fno-builtin-wcslen"];
        options.cflags.extend(idioms.map(str::to_owned));
        let plain = ["-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-mllvm"];
        options.cflags.extend(plain.map(str::to_owned));
        options.cflags.push(format!("-force-attribute={}:noinline", self.wish.top));
        let build = Build::new(&options, Purpose::Analysis)?;
        let _working = work("making a circuit");
        let program = ProgramOptions { world: Some(WorldWish::Open), effects: None };
        let source = match called.sources.first() {
            Some(source) => std::path::absolute(source).map_err(Failure::file("find", source))?,
            None => Path::new("kernel.c").to_owned(),
        };
        let question = HdlJob {
            program: build.program_source(inputs, &program)?,
            source,
            is_cpp: called.is_cpp,
            wish: self.wish.clone(),
        };
        build.query(question, inputs)
    }
}

/// A circuit that is being made.
struct Circuit<'a> {
    request: &'a CircuitRequest,
    answers: &'a HdlAnswers,
    is_cpp: bool,
}

impl Circuit<'_> {
    fn name(&self) -> &str {
        &self.answers.circuit.name
    }

    /// A file of the circuit, by what its name ends with.
    fn file(&self, end: &str) -> PathBuf {
        self.request.folder.join(format!("{}{end}", self.name()))
    }

    /// Writes the circuit, and what calls it.
    fn write(&self) -> Result<(), Failure> {
        let HdlAnswers { contract, certificate, driver, replay, .. } = self.answers;
        let folder = &self.request.folder;
        std::fs::create_dir_all(folder).map_err(Failure::file("make", folder))?;
        let save = |end: &str, text: &str| write_whole(&self.file(end), text.as_bytes());
        save(".v", &self.answers.verilog)?;
        save("_testbench.v", &self.answers.testbench)?;
        save("_frame.v", &self.answers.frame)?;
        match self.request.interface {
            Interface::Start => {}
            Interface::Stream => {
                save("_stream.v", &self.answers.stream)?;
                save("_stream_testbench.v", &self.answers.stream_testbench)?;
            }
            Interface::Axi => {
                save("_axi.v", &self.answers.axi)?;
                save("_axi.h", &self.answers.axi_header)?;
                save("_axi_testbench.v", &self.answers.axi_testbench)?;
            }
        }
        let replay = replay.as_ref().filter(|_| self.request.is_replayed());
        let driver_end = if self.is_cpp { "_driver.cpp" } else { "_driver.c" };
        let optional = [
            ("_contract.sv", contract.as_ref()),
            ("_certificate.json", certificate.as_ref()),
            (driver_end, driver.as_ref()),
            ("_replay.c", replay),
        ];
        for (end, text) in optional {
            if let Some(text) = text {
                save(end, text)?;
            }
        }
        Ok(())
    }

    /// The function cannot be called with memories of ours.
    fn unnamed_data(&self, flag: &str) -> Failure {
        Failure::Usage(format!(
            "{} uses data that nobody else can name or write; make it a parameter, or leave out {flag}",
            self.request.wish.top
        ))
    }
}

/// What a simulation of a run's calls is, and what the calls are.
type Compared = (HdlSimulation, HdlReplay);
