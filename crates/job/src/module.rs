//! What is asked of a module that is built: to be counted, metered, recorded or sampled?

use std::path::PathBuf;

use opcost_answer::fuel::{FUEL_SECTION, FUEL_SECTION_WINDOWS};
use opcost_instrument::{Admission, CostModel, Portability, ValuesRequest};
use opcost_key::live::ReplaceableFunction;
use opcost_key::{Anchor, Placement};
use serde::{Deserialize, Serialize};

/// Whether each thread gets counters of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThreadMode {
    /// Asked for.
    Always,
    /// When the module itself starts threads.
    IfStarted,
}

/// What is made of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Product {
    /// A counted object.
    Object,
    /// Counted bitcode.
    Counted,
    /// Bitcode, not counted.
    Anchor,
    /// Nothing but what is to be said of it.
    Admission,
}

/// What is asked of a module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModuleJob {
    /// The module as it is given.
    pub bitcode: PathBuf,
    /// Bitcode of all other modules, when all of the program becomes one.
    pub others: Option<Vec<PathBuf>>,
    /// Where the product goes.
    pub output: PathBuf,
    /// What it is.
    pub product: Product,
    /// Where the map's bytes go; it is embedded in the object too.
    pub map: PathBuf,
    /// Name of the module in the map.
    pub module: String,
    /// Source files below this folder are named relative to it.
    pub root: PathBuf,
    /// The state at which its instructions get their identity.
    pub anchor: Anchor,
    /// What becomes of it.
    pub purpose: ModulePurpose,
    /// Whether each thread gets counters of its own.
    pub threads: ThreadMode,
    /// Weights of instructions.
    pub cost: CostModel,
    /// Bitcode of functions of the C library that pay for what they do.
    pub library: Option<PathBuf>,
    /// How machine code is generated.
    pub code: CodeOptions,
    /// The compiler, by its name and version; of a module that was given, what it says of itself.
    pub compiler: Option<String>,
    /// A source that was compiled just now, by a compiler that notes no checksums of files: what it
    /// holds now is what was compiled.
    pub fresh: Option<PathBuf>,
    /// Its flags that shape code.
    pub flags: Vec<String>,
    /// A run by which counters are placed; without one the code alone says where.
    pub earlier: Option<EarlierRun>,
}

/// A run of this or an earlier version of the program, by which counters are placed. No count hangs on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EarlierRun {
    /// The ledger that was named.
    Ledger(PathBuf),
    /// What the cache had of the last run.
    Last {
        /// The file of its branches.
        branches: PathBuf,
        /// Whether it did so much that a module that was built before is built again by it, once. Else that module stays
        /// as it is.
        is_long: bool,
    },
}

/// How machine code is generated.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct CodeOptions {
    /// The level, 0 to 3.
    pub level: u8,
    /// Whether it can be loaded anywhere; else as the module says.
    pub is_position_independent: bool,
    /// Whether each function has a section of its own.
    pub function_sections: bool,
    /// Whether each variable has one.
    pub data_sections: bool,
}

/// What becomes of a module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ModulePurpose {
    /// It is counted.
    Count {
        /// Where counters go.
        placement: Placement,
    },
    /// It is given fuel.
    Meter(MeteringJob),
    /// It records values.
    Values(ValuesWish),
    /// It adds up what is predicted of it.
    Predict {
        /// Bitcode of the runtime, where it becomes part of the module.
        runtime: Option<PathBuf>,
    },
    /// It stays as it is and gets a table of its code.
    Sample {
        /// The optimiser's level, when it runs after the anchor.
        optimise: Option<u8>,
    },
    /// The same, and its functions are replaced while it runs.
    Live(LiveWish),
}

/// What becomes of a module whose functions are replaced.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LiveWish {
    /// Its number among those of the program.
    pub number: u32,
    /// Where the bitcode goes of which later versions are made.
    pub basis: PathBuf,
    /// The optimiser's level. Where running loops are left the module was only simplified.
    pub level: u8,
    /// What can be replaced.
    pub replaced: Replaced,
    /// Whether each segment of it is counted, in first code and in later versions.
    pub is_counted: bool,
}

/// What of a program can be replaced while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Replaced {
    /// Nothing.
    Nothing,
    /// Functions, where they are entered.
    Entries,
    /// So are loops that run.
    Loops,
}

/// How a module is metered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MeteringJob {
    /// Work between two checks at most; none without checks.
    pub overshoot: Option<u64>,
    /// Whether every segment is charged at its own start, as the referee does it.
    pub by_segment: bool,
    /// Whether an auditor checks the metered module.
    pub audit: bool,
    /// Whether its own stores are kept off its counter.
    pub harden: bool,
    /// Outside names that it may use besides those known, when it must be admitted first.
    pub allowed: Option<Vec<String>>,
    /// What it becomes part of.
    pub host: MeteredHost,
}

/// What a metered module becomes part of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum MeteredHost {
    /// A program of the machine at hand.
    Program,
    /// A plug-in, which a host loads.
    Plugin,
    /// A program for WebAssembly.
    Wasm,
    /// A program with one number on every machine.
    Portable(PortableWish),
}

/// A program with one number on every machine: for one of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PortableWish {
    /// The machine.
    pub triple: String,
    /// Bitcode of the library.
    pub library: Vec<PathBuf>,
}

impl PortableWish {
    /// The section for what a program promises.
    pub fn section(&self) -> &'static str {
        if self.is_windows() { FUEL_SECTION_WINDOWS } else { FUEL_SECTION }
    }

    /// Whether it is for Windows.
    pub fn is_windows(&self) -> bool {
        self.triple.contains("windows")
    }
}

/// What values a module records.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ValuesWish {
    /// Which.
    pub request: ValuesRequest,
    /// Whether claims are held against the run.
    pub verify: bool,
    /// For tests: every claim says one iteration more than is true.
    pub lie: bool,
}

impl ValuesWish {
    /// Every integer, and how many bits of each mantissa are significant.
    pub fn widths() -> ValuesWish {
        let request = ValuesRequest { integers: true, mantissas: true, ..ValuesRequest::default() };
        ValuesWish { request, ..ValuesWish::default() }
    }

    /// The trip count of every loop, for each activation.
    pub fn trip_counts() -> ValuesWish {
        let request = ValuesRequest { turns: true, ..ValuesRequest::default() };
        ValuesWish { request, ..ValuesWish::default() }
    }
}

/// What there is to say of a module that was built.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ModuleReply {
    /// Whether its counters are for each thread.
    pub counts_by_thread: bool,
    /// What speaks against metering it, when it must be admitted.
    pub admission: Option<Admission>,
    /// What was found when it was made portable.
    pub portability: Option<Portability>,
    /// Where the time went, of modules that became machine code.
    pub phases: Option<Phases>,
    /// Sources whose lines were looked at: they are believed if they are what was compiled.
    pub sources: Vec<PathBuf>,
    /// Whether its assembly may have read further files, which nobody names: it is built each time.
    pub reads_files: bool,
    /// Of how many functions the earlier run said which way branches went.
    pub weighed: usize,
    /// Functions of a module that is run with versions.
    pub functions: Vec<ReplaceableFunction>,
    /// What such a module only declares: later versions may need what the first ones do not.
    pub imports: Vec<String>,
}

/// What one module took.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Phases {
    /// Name and seconds of processor time, in order.
    pub seconds: Vec<(String, f64)>,
    /// Instructions of the module.
    pub instructions: usize,
    /// Largest resident memory of the process, in bytes.
    pub peak_bytes: u64,
}

impl Phases {
    /// One line: `sqlite3.c: read 0.41 s · snapshot 0.05 s · …`.
    pub fn line(&self, module: &str) -> String {
        let phases: Vec<String> =
            self.seconds.iter().map(|(name, seconds)| format!("{name} {seconds:.2} s")).collect();
        let megabytes = self.peak_bytes / 1_000_000;
        format!("{module}: {} instructions · {} · peak {megabytes} MB", self.instructions, phases.join(" · "))
    }
}
