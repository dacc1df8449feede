//! What is predicted? Executions of blocks, how they are known, what a user can give. Data only.
//!
//! Cost: constant a block.

use num_traits::Zero;
use opcost_index::IdMap;
use opcost_key::{BlockId, FunctionId, InstructionId};

use crate::fraction::Fraction;

/// How well the executions of a block are known, the best first.
///
/// The first four are those of llvm-pred (Xie, 2014). A block has the worst class of the loops
/// around it and of the calls that lead to its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// In no loop: decided branches, or static probabilities alone.
    StaticBlock,
    /// In loops that each iterate a constant number of times.
    Constant,
    /// In a loop whose trip count is a formula.
    Formula,
    /// In a loop of which a run says how often it iterates on average.
    Run,
    /// In a loop that may be left earlier: the bound was taken.
    Bound,
    /// In a loop of which nothing is known: static probabilities.
    StaticLoop,
    /// In a loop whose formula has an input without a number.
    Open,
    /// It is not known. What is counted is the least, or a guess, as the reason says.
    Unknown,
}

impl Class {
    /// All of them, the best first.
    pub const ALL: [Class; 8] = [
        Class::StaticBlock,
        Class::Constant,
        Class::Formula,
        Class::Run,
        Class::Bound,
        Class::StaticLoop,
        Class::Open,
        Class::Unknown,
    ];
}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPrediction {
    /// How often it runs in all; none where that hangs on an input without a number.
    pub executions: Option<Fraction>,
    /// The same, with static probabilities in place of what is open.
    pub least: Fraction,
    /// How that is known.
    pub class: Class,
    /// Whether it is exact, as far as what loops and branches rest on holds: no probability and no bound is in it.
    pub is_exact: bool,
    /// Executions for one call of its function, over the names of inputs.
    pub formula: Option<String>,
    /// Why it is not known better.
    pub reason: Option<String>,
}

impl BlockPrediction {
    fn never() -> BlockPrediction {
        BlockPrediction {
            executions: Some(Fraction::zero()),
            least: Fraction::zero(),
            class: Class::StaticBlock,
            is_exact: true,
            formula: None,
            reason: None,
        }
    }

    /// Adds what the same block does for other calls.
    pub(crate) fn add(&mut self, other: BlockPrediction) {
        let is_first = self.class == Class::StaticBlock && self.least.is_zero() && self.formula.is_none();
        self.executions = match (self.executions.take(), other.executions) {
            (Some(ours), Some(theirs)) => Some(ours + theirs),
            _ => None,
        };
        self.least += other.least;
        self.is_exact &= other.is_exact;
        if other.class > self.class {
            (self.class, self.reason) = (other.class, other.reason);
        }
        self.formula = match self.formula.take() {
            None if is_first => other.formula,
            Some(formula) if other.formula.as_ref() == Some(&formula) => Some(formula),
            _ => None,
        };
    }
}

/// One function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionPrediction {
    /// How often it is entered; none where that hangs on an input without a number.
    pub entries: Option<Fraction>,
    /// How that is known.
    pub class: Class,
    /// Why it is not known better.
    pub reason: Option<String>,
    /// Its blocks.
    pub blocks: IdMap<BlockId, BlockPrediction>,
    /// By block the first instruction after a call that never comes back: from there on nothing of it runs.
    pub cut_offs: IdMap<BlockId, Option<InstructionId>>,
}

impl FunctionPrediction {
    /// One that nothing enters.
    pub(crate) fn none(blocks: usize) -> FunctionPrediction {
        FunctionPrediction {
            entries: Some(Fraction::zero()),
            class: Class::StaticBlock,
            reason: None,
            blocks: IdMap::filled(blocks, BlockPrediction::never()),
            cut_offs: IdMap::filled(blocks, None),
        }
    }

    pub(crate) fn enter(&mut self, times: &Fraction, class: Class, reason: Option<String>) {
        self.entries = self.entries.take().filter(|_| class != Class::Open).map(|entries| entries + times);
        if class > self.class {
            (self.class, self.reason) = (class, reason);
        }
    }
}

/// An input whose number would decide something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingInput {
    /// Its name, as `--set` takes it.
    pub name: String,
    /// What is known of it.
    pub about: String,
}

/// All of a program.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Functions with a body.
    pub functions: IdMap<FunctionId, Option<FunctionPrediction>>,
    /// A block that may run and ends the program, or returns twice: no number is exact then.
    pub early_end: Option<(FunctionId, BlockId)>,
    /// Inputs without numbers, by name.
    pub inputs: Vec<MissingInput>,
    /// Whether the program begins at a `main`; else each exported function was called once.
    pub has_main: bool,
}
