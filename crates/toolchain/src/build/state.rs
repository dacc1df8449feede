//! A build in progress: what it is for, with which tools and options, and what it has made so far.
//!
//! All intermediate files lie in one temporary folder that goes away with it.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use opcost_answer::Failure;
use opcost_instrument::CostModel;
use opcost_interrupt::Scratch;
use opcost_job::JobSession;
use opcost_job::module::{Replaced, ThreadMode, ValuesWish};
use opcost_key::Placement;
use opcost_key::live::ReplaceableFunction;

use crate::cost::{COUNTED, cost_model, fuel_model};
use crate::late_flags::{refuse_printing, refuse_unkept, refuse_unmetered};
use crate::machine::Machine;
use crate::options::CompileOptions;
use crate::runtime::compile_library;
use crate::tools::Tools;
use crate::wasm_flags::target;

/// What a program is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be counted.
    Count {
        /// Where counters go.
        placement: Placement,
    },
    /// To be looked at on its way to machine code.
    Life,
    /// To be looked at without running it.
    Analysis,
    /// To record values: what, `Build::values` says.
    Values,
    /// To add up what is predicted of it.
    Predict,
    /// To be sampled: as it is, with a table of its code next to it.
    Sample {
        /// Where the optimiser runs.
        optimiser: Optimiser,
    },
    /// To be sampled, and be replaced while it runs.
    Live(LivePurpose),
    /// To be given fuel.
    Fuel {
        /// The most work between two checks, in units of the cost model; without checks it is never stopped.
        overshoot: Option<u64>,
        /// Whether the metering is proven again on LLVM's module.
        audit: bool,
        /// Whether its stores are kept off its counter.
        harden: bool,
        /// Whether every segment is charged by itself, as the referee of metering.
        by_segment: bool,
    },
}

/// What is done with a program that is replaced while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LivePurpose {
    /// What can be replaced.
    pub replaced: Replaced,
    /// Whether first code and later versions are counted, instead of sampled.
    pub is_counted: bool,
}

/// Where the optimiser runs on what is sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimiser {
    /// Before the anchor, if at all: machine code is made of what has an identity.
    BeforeAnchor,
    /// After the anchor, where it may copy and move instructions that have an identity.
    BehindAnchor,
}

/// What a program is built to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// The machine that the user's flags name; the one at hand without such flags.
    Native,
    /// An engine of WebAssembly.
    Wasm,
    /// This machine, as a portable program, which is the same for all of them up to machine code.
    Portable(Machine),
}

/// A module, and what can be done with its functions.
#[derive(Clone, Debug)]
pub struct LiveModule {
    /// Its name in maps.
    pub name: String,
    /// Bitcode of which later versions are made.
    pub basis: PathBuf,
    /// Its functions.
    pub functions: Vec<ReplaceableFunction>,
    /// What it only declares.
    pub imports: Vec<String>,
}

impl Purpose {
    /// The cost model of this name, or the usual one.
    fn cost(self, given: Option<&str>) -> Result<CostModel, Failure> {
        match self {
            Purpose::Count { .. }
            | Purpose::Life
            | Purpose::Analysis
            | Purpose::Values
            | Purpose::Predict
            | Purpose::Sample { .. }
            | Purpose::Live(_) => cost_model(given.unwrap_or(COUNTED)),
            Purpose::Fuel { .. } => fuel_model(given.unwrap_or("fuel/1")),
        }
    }
}

/// A build in progress: its tools, its flags and its temporary folder.
pub struct Build {
    /// Compilers that it uses.
    pub tools: Tools,
    /// Flags of the user, as given.
    pub options: CompileOptions,
    /// What the program is built for.
    pub purpose: Purpose,
    /// Weights of instructions: those that were asked for, else the usual ones of the purpose.
    pub cost: CostModel,
    /// Whether some module of the program starts threads, so that all of them
    /// need counters for each thread. Rust's library does.
    pub(crate) starts_threads: Cell<bool>,
    /// Made when the first module wants it.
    pub(crate) library: OnceCell<PathBuf>,
    /// Where the headers of the C++ library are, once a portable program wants them.
    pub(crate) cxx_library: OnceCell<PathBuf>,
    /// Outside names that the program may use besides those known, when it
    /// must be admitted before it is metered.
    pub(crate) allowed: Option<Vec<String>>,
    /// What values are recorded, if some are.
    pub values: Option<ValuesWish>,
    /// What the program is built to run on.
    pub platform: Platform,
    /// How much the compiler says of places.
    pub(crate) debug_flag: &'static str,
    /// Whether a plug-in is made, to be loaded anywhere.
    pub(crate) as_plugin: Cell<bool>,
    /// Functions of each module that is run with versions, in the order of modules.
    pub(crate) live: RefCell<Vec<LiveModule>>,
    /// Of how many functions an earlier run said which way branches went.
    pub weighed: Cell<usize>,
    /// Bitcode that was made, by source, of a build that keeps it.
    pub(crate) made: Option<RefCell<BTreeMap<PathBuf, PathBuf>>>,
    pub(crate) folder: Scratch,
    /// Who does its jobs.
    pub(crate) jobs: JobSession,
}

impl Build {
    /// A build of a program to be counted. `threads` says whether each thread gets counters of its own.
    ///
    /// # Errors
    /// A tool is missing, or the cost model is wrong.
    pub fn counted(
        options: &CompileOptions,
        placement: Placement,
        threads: ThreadMode,
    ) -> Result<Build, Failure> {
        let build = Build::new(options, Purpose::Count { placement })?;
        build.starts_threads.set(threads == ThreadMode::Always);
        Ok(build)
    }

    /// Finds the tools and makes the temporary folder.
    ///
    /// # Errors
    /// A tool is missing, the cost model is wrong, or a flag cannot be kept.
    pub fn new(options: &CompileOptions, purpose: Purpose) -> Result<Build, Failure> {
        refuse_printing(&options.cflags)?;
        refuse_unkept(&options.cflags)?;
        if matches!(purpose, Purpose::Fuel { .. }) {
            refuse_unmetered(&options.cflags)?;
        }
        let folder =
            Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
        Ok(Build {
            tools: Tools::find()?,
            options: options.clone(),
            purpose,
            cost: purpose.cost(options.cost.as_deref())?,
            starts_threads: Cell::new(false),
            library: OnceCell::new(),
            cxx_library: OnceCell::new(),
            allowed: None,
            values: None,
            platform: Platform::Native,
            // Names of variables stand in full debug information only; it changes no code.
            debug_flag: if purpose == Purpose::Analysis { "-g" } else { "-gline-tables-only" },
            as_plugin: Cell::new(false),
            live: RefCell::default(),
            weighed: Cell::new(0),
            made: None,
            folder,
            jobs: JobSession::default(),
        })
    }

    /// From now on each source is compiled once; those that `other` compiled, which has the same options, are
    /// taken from it.
    pub fn compile_once(&mut self, other: Option<&Build>) {
        let made = other.and_then(|other| other.made.as_ref()).map(|made| made.borrow().clone());
        self.made = Some(RefCell::new(made.unwrap_or_default()));
    }

    /// Whether it is for any of several machines, on which the program is the same.
    pub(crate) fn is_portable(&self) -> bool {
        matches!(self.platform, Platform::Portable(_))
    }

    /// Where counters go, if any are wanted.
    pub(crate) fn placement(&self) -> Placement {
        match self.purpose {
            Purpose::Count { placement } => placement,
            Purpose::Fuel { .. }
            | Purpose::Life
            | Purpose::Analysis
            | Purpose::Values
            | Purpose::Predict
            | Purpose::Sample { .. }
            | Purpose::Live(_) => Placement::Chords,
        }
    }

    /// Flags that name the machine: the runtime is compiled with them too.
    pub(crate) fn target_flags(&self) -> Vec<OsString> {
        if self.platform == Platform::Wasm {
            return target(&self.options);
        }
        let names = ["--target=", "--sysroot=", "--gcc-toolchain=", "-mabi=", "-m32", "-m64"];
        let is_target = |flag: &&String| names.iter().any(|name| flag.starts_with(name));
        self.options.cflags.iter().filter(is_target).map(OsString::from).collect()
    }

    /// Bitcode of the library functions that pay, if the cost model wants it.
    pub(crate) fn library(&self) -> Result<Option<PathBuf>, Failure> {
        let CostModel::Table(table) = &self.cost else { return Ok(None) };
        if !table.with_library {
            return Ok(None);
        }
        if let Some(made) = self.library.get() {
            return Ok(Some(made.clone()));
        }
        let folder = self.path("library");
        let made = compile_library(&self.tools.clang, &self.target_flags(), &folder)?;
        Ok(Some(self.library.get_or_init(|| made).clone()))
    }

    /// The temporary folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A path in the temporary folder.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }
}
