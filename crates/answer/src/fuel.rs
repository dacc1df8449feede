//! What a metered program promises, where it says so, and what it did with its fuel.

use std::time::Duration;

use opcost_runtime::fuel::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::run::Finish;

/// Section of an image in which each metered module says what it promises: a
/// line of JSON each. It is not loaded when the program runs.
pub const FUEL_SECTION: &str = ".opcost.fuel";

/// The same in images of Windows, which have eight letters for a name.
pub const FUEL_SECTION_WINDOWS: &str = ".opcfuel";

/// What a metered module promises.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Promise {
    /// The most work between two checks; none without checks.
    pub overshoot: Option<u64>,
    /// Name of the weights.
    pub cost_model: String,
    /// Instructions that write to memory and those among them that are asked
    /// first whether they would write to the counter, when that is wanted.
    #[serde(default)]
    pub guarded: Option<(u32, u32)>,
    /// The hash of its code, when that means the same on every machine.
    #[serde(default)]
    pub portable: Option<String>,
    /// The hash of the headers and the library that it was made with, then.
    #[serde(default)]
    pub sysroot: Option<String>,
}

/// What a metered program used, and what it promised before.
#[derive(Clone, Debug)]
pub struct FuelAnswers {
    /// How the run ended, and what it used.
    pub spending: Spending,
    /// Instructions that it might use, in units of the cost model; none without a limit.
    pub limit: Option<u64>,
    /// Name of the weights: `fuel/1`.
    pub cost_model: String,
    /// The most work between two checks; none without checks.
    pub overshoot: Option<u64>,
    /// Its stores, and those that are asked first whether they reach its counter.
    pub guarded: Option<(u32, u32)>,
    /// The hash of its code, when that means the same on every machine.
    pub code: Option<String>,
    /// The hash of the headers and the library that it was made with, then.
    pub sysroot: Option<String>,
}

/// Bytes that each of its two streams may carry.
pub const LONGEST_OUTPUT: u64 = 64 << 20;

/// What a program did with its fuel.
#[derive(Clone, Debug)]
pub struct Spending {
    /// How it ended, as the process that waited for it saw.
    pub finish: Finish,
    /// The signal by which the user ended it, through opcost or on the terminal.
    pub interrupted: Option<i32>,
    /// Instructions used, also beyond the limit.
    pub spent: u64,
    /// The page of its counter, as its runtime left it.
    pub page: Page,
    /// What ran it, if it is WebAssembly.
    pub engine: Option<Engine>,
    /// Whether its world was held fixed.
    pub is_deterministic: bool,
    /// When nobody trusted it.
    pub walls: Option<Walls>,
}

/// What a program may have that nobody trusts.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Bytes of addresses.
    pub memory: u64,
    /// By the clock on the wall.
    pub time: Duration,
}

/// How a program within walls was ended by others than itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its time was over, and most of it was the processor's.
    Time,
    /// Its time was over, and it had waited for most of it.
    Clock,
    /// Its counter went up.
    Tampered,
    /// It said too much.
    Output,
}

/// How far the kernel enforces landlock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Landlock {
    /// All that was asked for.
    Full,
    /// What this kernel knows of it.
    Partial,
    /// The kernel has none of it; the filters of system calls hold alone.
    Missing,
}

/// What is known of a run within walls.
#[derive(Clone, Copy, Debug)]
pub struct Walls {
    /// What it might use.
    pub room: Room,
    /// How it was ended by others than itself, if it was.
    pub ending: Option<Ending>,
    /// How far the kernel enforces landlock.
    pub landlock: Landlock,
}

/// What runs WebAssembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Node, with its V8.
    Node,
    /// The package wasmtime of Python, with cranelift.
    Wasmtime,
}

impl Engine {
    /// As its makers call it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Node => "Node",
            Engine::Wasmtime => "wasmtime",
        }
    }
}
