//! What is asked of a program that is looked at without running it?

use std::path::PathBuf;

use opcost_answer::bits::Assumptions;
use opcost_answer::contract::PortContract;
use opcost_instrument::CostModel;
use opcost_key::Anchor;
use serde::{Deserialize, Serialize};

/// The program: all of its modules, and what is known besides.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EffectTable {
    /// Of the file, for messages.
    pub name: String,
    /// Its lines.
    pub text: String,
}

/// A line of a source, and perhaps one column of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LinePlace {
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
    /// Values for names in formulas.
    pub bindings: Vec<(String, i128)>,
    /// Whether data that is read holds what it holds when the read fails.
    pub defaults: bool,
}

/// How often does every block run?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PredictJob {
    /// The program.
    pub program: ProgramSource,
    /// Values for names in formulas.
    pub bindings: Vec<(String, i128)>,
    /// Values of words of the program's command line, by names: `argc`, `argv[1]`.
    pub arguments: Vec<(String, i128)>,
    /// Whether no file is there to be read, so that data holds what the program itself stores.
    pub defaults: bool,
    /// Whether inputs without values are guessed by static probabilities.
    pub is_guess: bool,
    /// What the module is called in a ledger, and how it was built.
    pub build: PredictedBuild,
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
}

/// Why are the integers of a line as wide as they are?
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WidthJob {
    /// The program.
    pub program: ProgramSource,
    /// The line.
    pub place: LinePlace,
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
    pub wanted: ExplainWanted,
}

/// What is to be explained.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExplainWanted {
    /// What is in a line.
    Line(LinePlace),
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
    /// The function, by its linkage name or its name in the source.
    pub top: String,
    /// The file that a program in C includes to call it.
    pub source: PathBuf,
    /// What callers promise.
    pub contracts: Vec<PortContract>,
    /// How wide wires are.
    pub widths: HdlWidths,
    /// Of what and how fast.
    pub limits: HdlLimits,
}

/// How wide wires are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HdlWidths {
    /// As their types.
    Declared,
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
