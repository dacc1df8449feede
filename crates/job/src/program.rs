//! What is asked of a program that is looked at without running it?

use std::path::PathBuf;

use opcost_answer::bits::Assumptions;
use opcost_answer::contract::PortContract;
use opcost_answer::slice::SliceCounts;
use opcost_instrument::CostModel;
use opcost_key::Anchor;
use serde::{Deserialize, Serialize};

/// The program: all of its modules, and what is known besides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramSource {
    /// Bitcode of its modules, linked in this order.
    pub bitcode: Vec<PathBuf>,
    /// Whether opcost's own front end made all of it.
    pub is_own: bool,
    /// Source files below this folder are named relative to it.
    pub root: PathBuf,
    /// Who may call, if it was said.
    pub world: Option<WorldWish>,
    /// A flag of the linker that gives names of the program to others.
    pub opens_names: Option<String>,
    /// Whether a start file makes numbers next to zero 0 while the program runs.
    pub flushes_subnormals: bool,
    /// The user's table of effects.
    pub effects: Option<EffectTable>,
}

/// Who may call into a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WorldWish {
    /// Exported functions may be called by anyone with anything.
    Open,
    /// The program begins at main, and nobody else calls.
    Closed,
}

/// What functions outside the program do, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectTable {
    /// Of the file, for messages.
    pub name: String,
    /// Its lines.
    pub text: String,
}

/// A line of a source, and perhaps one column of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LineLocation {
    /// End of the file's path.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: Option<u32>,
}

/// How often does every loop iterate?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoopsJob {
    /// The program.
    pub program: ProgramSource,
    /// What its inputs are.
    pub inputs: InputValues,
}

/// What the inputs of a program are, besides its code.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct InputValues {
    /// Values for names in formulas.
    pub bindings: Vec<(String, i128)>,
    /// Values of words of the program's command line, by names: `argc`, `argv[1]`.
    pub arguments: Vec<(String, i128)>,
    /// Whether no input is there to be read, so that data holds what the program itself stores.
    pub defaults: bool,
}

/// How often does every block run?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PredictJob {
    /// The program.
    pub program: ProgramSource,
    /// What its inputs are.
    pub inputs: InputValues,
    /// The ledger of a run that says how often loops iterate whose counts have no formula.
    pub trip_counts: Option<PathBuf>,
    /// Whether inputs without values are guessed by static probabilities.
    pub is_guess: bool,
    /// What the module is called in a ledger, and how it was built.
    pub build: PredictedBuild,
    /// What a run of the program's slice counted.
    pub measured: Option<SliceCounts>,
    /// Where the ledger of the prediction goes.
    pub ledger: Option<PathBuf>,
}

/// How a program that is predicted would be built.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PredictedBuild {
    /// Names of the modules in maps.
    pub modules: Vec<String>,
    /// The state at which its instructions get their identity.
    pub anchor: Anchor,
    /// The compiler, by its name and version.
    pub compiler: Option<String>,
    /// Its flags that shape code.
    pub flags: Vec<String>,
    /// Weights of instructions.
    pub cost: CostModel,
}

/// Which part of a program decides its loops?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SliceJob {
    /// The program.
    pub program: ProgramSource,
    /// What may go, and what is said of what stays.
    pub cut: SliceCut,
    /// The ledger of a run that says how often loops iterate, at level 5.
    pub trip_counts: Option<PathBuf>,
    /// Whether executions of blocks are to be counted by what is written, to predict those of the program.
    pub counts_blocks: bool,
    /// What is written.
    pub products: Vec<SliceProduct>,
}

/// What may go of a program, and what is said of what stays.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SliceCut {
    /// How much may go: 0 nothing, 1 all but control flow, 2 all but calls, 3 what is not needed. At 4 loops go
    /// whose counts are known for these inputs, and at 5 loops that are light.
    pub level: u8,
    /// What the inputs are, at levels 4 and 5.
    pub inputs: InputValues,
    /// At level 5: the share of all that is executed below which a loop goes.
    pub below: Option<f64>,
    /// The line whose values are asked for, in place of loops.
    pub criterion: Option<LineLocation>,
    /// Lines of loops whose counts need not stay.
    pub bounded: Vec<LineLocation>,
    /// Whether the program may return another exit status.
    pub any_status: bool,
    /// Whether all instructions that stay are listed, with what keeps them.
    pub marks: bool,
    /// The line whose instructions are explained.
    pub why: Option<LineLocation>,
    /// For tests of a verification: the store or branch of this number is left out, though it must stay.
    pub without: Option<u32>,
}

/// A module that is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SliceProduct {
    /// Where.
    pub output: PathBuf,
    /// Whether it is the whole program.
    pub is_whole: bool,
    /// How it reports its loops.
    pub events: SliceEvents,
}

/// How a module reports its loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SliceEvents {
    /// Not at all.
    Absent,
    /// By counters in place.
    Counted,
    /// By a call at each event.
    Called,
    /// By counters in place, and by one for each block that runs as often as in the program.
    Blocks,
}

/// How many bits does each value need?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BitsJob {
    /// The program.
    pub program: ProgramSource,
    /// Whether only what a checker believes is reported.
    pub is_certified: bool,
    /// What is believed besides the code.
    pub assumptions: Assumptions,
    /// What callers promise.
    pub contracts: Vec<PortContract>,
}

/// Does a certificate hold?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CheckJob {
    /// The program.
    pub program: ProgramSource,
    /// Name of the certificate's file.
    pub name: String,
    /// The certificate, as JSON.
    pub certificate: String,
    /// What is believed besides the code.
    pub assumptions: Assumptions,
    /// What callers promise.
    pub contracts: Vec<PortContract>,
}

/// Why are the integers of a line as wide as they are?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WidthJob {
    /// The program.
    pub program: ProgramSource,
    /// The line.
    pub location: LineLocation,
    /// What callers promise.
    pub contracts: Vec<PortContract>,
}

/// The program in as few bits as are proven to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NarrowJob {
    /// The program.
    pub program: ProgramSource,
    /// Where the bitcode is written.
    pub output: PathBuf,
    /// Whether only what a checker believes is used.
    pub is_certified: bool,
    /// What callers promise.
    pub contracts: Vec<PortContract>,
}

/// What decides the value of a thing?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ExplainJob {
    /// The program.
    pub program: ProgramSource,
    /// What is explained.
    pub subject: ExplainSubject,
}

/// What is to be explained.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExplainSubject {
    /// What is in a line.
    Line(LineLocation),
    /// A function: its loops and results.
    Function {
        /// By its linkage name or its name in the source.
        name: String,
    },
}

/// A function as a circuit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HdlJob {
    /// The program.
    pub program: ProgramSource,
    /// The file that a program includes to call it.
    pub source: PathBuf,
    /// Whether that file is C++.
    pub is_cpp: bool,
    /// Which circuit.
    pub wish: CircuitWish,
}

/// Of which function a circuit is, and what it is to be like.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CircuitWish {
    /// The function, by its linkage name or its name in the source.
    pub top: String,
    /// What callers promise.
    pub contracts: Vec<PortContract>,
    /// Pointers, as `FUNCTION.POINTER`, and how many elements are before what they point to.
    pub before: Vec<(String, u64)>,
    /// How wide wires are.
    pub widths: HdlWidths,
    /// From which widths it is decided what is done when.
    pub schedule: HdlSchedule,
    /// Of what and how fast.
    pub limits: HdlLimits,
}

/// From which widths delays are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HdlSchedule {
    /// From those of types, so that circuits of all widths take the same cycles.
    Common,
    /// From those of its wires.
    Own,
}

/// How wide wires are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HdlWidths {
    /// As their types.
    Declared,
    /// As LLVM's own analyses say.
    Llvm,
    /// As is proven.
    Proven,
    /// As a checker follows.
    Certified,
}

/// Of what a circuit is made, and how fast its clock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HdlLimits {
    /// The clock's period in picoseconds.
    pub period: u32,
    /// Multipliers that are shared; one for each multiplication where it is `None`.
    pub multipliers: Option<u32>,
    /// Ports of each memory.
    pub memory_ports: u32,
    /// Bits of addresses of memories whose size nobody says.
    pub address_bits: u32,
    /// Elements of such memories in the testbench.
    pub elements: u64,
    /// Whether iterations of loops overlap.
    pub pipelines: bool,
}
