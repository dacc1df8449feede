//! What is asked of the life of instructions, or of code?

use std::path::PathBuf;

use opcost_answer::life::{LifeSubject, StageName};
use serde::{Deserialize, Serialize};

use crate::module::CodeOptions;

/// A module that is followed to machine code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FollowedModule {
    /// The module.
    pub bitcode: PathBuf,
    /// Files that the child needs are made next to this one.
    pub scratch: PathBuf,
    /// The optimiser's level, of what comes from a front end.
    pub optimise: Option<u8>,
    /// How machine code is generated.
    pub code: CodeOptions,
}

/// The life of instructions of a module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LifeJob {
    /// The module.
    pub module: FollowedModule,
    /// What is asked.
    pub question: LifeQuestion,
    /// What the user's own compiler makes of the source.
    pub compiled: Option<PathBuf>,
}

/// What is asked of a life.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LifeQuestion {
    /// In words.
    pub words: String,
    /// Whose life.
    pub selected: Selected,
    /// The stage that is wanted in full.
    pub stage: Option<StageName>,
    /// Whether graphs are wanted, to be drawn.
    pub graphs: bool,
}

/// Which instructions are followed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Selected {
    /// By a place or a name.
    Matching(LifeSubject),
    /// The one of this number, from 1 in program order.
    Number(u32),
}

/// Machine code of functions of a module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineJob {
    /// The module.
    pub module: FollowedModule,
    /// Linkage names of the functions.
    pub functions: Vec<String>,
}

/// Code that has no source, to be read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CodeJob {
    /// Of the input, for messages.
    pub name: String,
    /// The machine; none: this one.
    pub triple: Option<String>,
    /// What is read.
    pub text: CodeText,
    /// Objects are made next to this file.
    pub scratch: PathBuf,
}

/// Code that has no source.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum CodeText {
    /// Assembly text.
    Assembly {
        /// Where it is.
        path: PathBuf,
        /// One line of it, from 1; else all.
        line: Option<u32>,
    },
    /// Machine code.
    Bytes(Vec<u8>),
}
