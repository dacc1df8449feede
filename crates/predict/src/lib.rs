//! How often will every block of a program run? Predicted from its code alone.
//!
//! Block frequencies from static probabilities times trip counts (llvm-pred: Xie, 2014), over whole
//! nests and through calls, in exact fractions. What `analysis` knows of loops and branches decides,
//! with the numbers that a user gives. Where it does not, static probabilities guess. Each block says
//! how its number is known.
//!
//! | question | file |
//! |---|---|
//! | what is a number of times? | [`fraction`] |
//! | which way does a branch go that nothing decides? | `prior` |
//! | what of a function decides its counts? | `model` |
//! | in which order are blocks looked at? | `region` |
//! | which iterations are not all alike? | `dependence` |
//! | how often does each block run for one call? | `evaluate` |
//! | what do iterations do together that differ? | `sums` |
//! | and through calls? | `program` |
//! | with which numbers is a function entered? | `contexts` |
//! | what do values hold, followed from the start of `main`? | `follow` |
//! | what follows from counts of the program's slice? | `measured` |
//! | how does it read as a formula? | `formula` |
//! | what must a program add up to predict itself? | [`charges`] |
//! | does such a plan hang together? | [`charges_verified`] |
//! | what is predicted? (data only) | [`prediction`] |
//!
//! This room knows nothing of LLVM, of ledgers or of files.

pub mod charges;
pub mod charges_verified;
mod contexts;
mod dependence;
mod ending;
mod entries;
mod evaluate;
mod follow;
mod formula;
pub mod fraction;
mod measured;
mod model;
pub mod prediction;
mod prior;
mod program;
mod region;
mod sums;

use std::collections::BTreeSet;

use opcost_analysis::memory::MemoryModel;
use opcost_claims::{Bindings, with_functions};
use opcost_index::IdMap;
use opcost_ir::Module;
use opcost_key::{BlockId, FunctionId, InstructionId};

use fraction::Fraction;

pub use measured::{LoopRun, Measured};
pub use program::{Averages, Wishes};

pub use prediction::{BlockPrediction, Class, FunctionPrediction, MissingInput, Prediction};

/// Predicts a program. Also the names of inputs that numbers were put in for.
pub fn predict(
    program: &MemoryModel<'_>,
    bindings: &Bindings,
    wishes: &Wishes,
) -> (Prediction, BTreeSet<String>) {
    with_functions(program, bindings, |functions| {
        program::Program::predict(program, functions, bindings, wishes)
    })
}

/// By block the first instruction after a call that never comes back: from there on nothing of the block runs.
pub fn cut_offs(program: &MemoryModel<'_>, function: FunctionId) -> IdMap<BlockId, Option<InstructionId>> {
    ending::cut_offs(program, function)
}

/// Executions of a function's blocks for one call, by static probabilities alone.
pub fn static_frequencies(module: &Module, function: FunctionId) -> IdMap<BlockId, Fraction> {
    if module.functions[function].blocks.is_empty() {
        return IdMap::new();
    }
    let model = model::FunctionModel::of_statics(module, function);
    let dependence = dependence::Dependence::of(&model);
    let numbers = rustc_hash::FxHashMap::default();
    evaluate::Evaluator::new(&model, &dependence, &numbers, 0, evaluate::Belief::Statics).counts().blocks
}
