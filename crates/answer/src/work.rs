//! What did a program do, as far as time is worked out from it?
//!
//! Plain data that the worker makes of a ledger and its modules. Nothing in it is a time: a timing
//! file (room `timing`) turns it into one.

use serde::{Deserialize, Serialize};

/// All that ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgramWork {
    /// Target triples of its modules, each once.
    pub targets: Vec<String>,
    /// The processor by whose model cycles were worked out, as LLVM calls it.
    pub processor: String,
    /// Operations of the IR that ran, with their types: `fadd double`.
    pub operations: Vec<String>,
    /// Functions that ran.
    pub functions: Vec<FunctionWork>,
    /// Linkage names of functions without counts, and why.
    pub refused: Vec<(String, String)>,
}

/// What a function did, without what it called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FunctionWork {
    /// Linkage name.
    pub name: String,
    /// The module that holds it.
    pub module: String,
    /// How often it was called.
    pub entries: u64,
    /// Its machine code.
    pub machine: MachineWork,
    /// Its blocks that ran.
    pub blocks: Vec<BlockWork>,
    /// Calls of functions outside the program, by linkage name.
    pub calls: Vec<(String, f64)>,
    /// Its loops that fetched lines of memory.
    pub loops: Vec<LoopWork>,
}

/// What a loop did by itself, without the loops in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopWork {
    /// Cycles of its blocks; those of code on edges are in none.
    pub cycles: f64,
    /// By size of the cache, from the least, lines that it fetched from beyond.
    pub lines: Vec<LineWork>,
}

/// What machine code did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineWork {
    /// Cycles by the processor's model, if no load misses and no branch is mispredicted.
    pub cycles: f64,
    /// Machine instructions.
    pub instructions: f64,
    /// Those that the model does not know; they are in no cycle.
    pub strange: f64,
    /// Those in machine blocks whose executions the counts did not decide.
    pub guessed: f64,
    /// How often a conditional branch did not go the way that it goes most.
    pub rare: f64,
}

/// Lines of memory that a cache of some size does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LineWork {
    /// Lines in a row.
    pub near: f64,
    /// Lines that are far from each other.
    pub far: f64,
}

/// What a block did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockWork {
    /// Its position in the function.
    pub block: u32,
    /// How often it ran.
    pub executions: u64,
    /// Cycles by the processor's model, of all executions; those of code on edges are in none.
    pub cycles: f64,
    /// Its operations: position among those of the program, and how many there are of them.
    pub operations: Vec<(u32, u32)>,
}

impl MachineWork {
    /// Adds what other code did.
    pub fn add(&mut self, other: &MachineWork) {
        self.cycles += other.cycles;
        self.instructions += other.instructions;
        self.strange += other.strange;
        self.guessed += other.guessed;
        self.rare += other.rare;
    }
}
