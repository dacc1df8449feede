//! Which loops need no events in a slice, since a prediction says what they do, or how little?
//!
//! At level 4 a loop goes whose entries and iterations are exact in the prediction for the arguments at hand:
//! constants, and formulas of values that are known. A guard that nothing decides makes a number inexact, and its
//! loop stays. At level 5 a loop goes whose weight is below a share. Its weight is what the blocks of it
//! and of the loops inside execute, by the prediction, with guesses. A ledger of a run gives how often loops iterate
//! where no formula does. Calls of other functions are not in the weight: their own loops have weights of their own.
//!
//! Input: the program, its arguments, the loops. Output: numbers and weights by loop. Cost: a prediction.

use std::collections::BTreeMap;

use opcost_analysis::memory::MemoryModel;
use opcost_answer::slice::EvaluatedTrips;
use opcost_index::{IdMap, IdSet};
use opcost_ir::Function;
use opcost_job::program::SliceJob;
use opcost_key::{BlockId, FunctionId};
use opcost_predict::fraction::to_f64;
use opcost_predict::{Averages, BlockPrediction, Prediction, Wishes, predict};
use opcost_slice::{LoopNumber, MarkedLoop};

use crate::error::WorkError;

/// What is foreseen of loops.
pub(crate) struct Foreseen {
    prediction: Prediction,
}

impl Foreseen {
    /// Predicts the program with the arguments of the job.
    ///
    /// # Errors
    /// The ledger of a run cannot be read.
    pub(crate) fn of(program: &MemoryModel<'_>, job: &SliceJob) -> Result<Foreseen, WorkError> {
        let averages = match &job.trip_counts {
            Some(path) => super::averages::of_run(program.module, path)?,
            None => Averages::default(),
        };
        let bindings = super::inputs::bindings(&job.cut.inputs);
        let wishes = Wishes { is_guess: true, is_followed: true, averages, measured: None };
        let (prediction, _) = predict(program, &bindings, &wishes);
        Ok(Foreseen { prediction })
    }

    /// Loops whose entries and iterations are exact.
    pub(crate) fn evaluated(
        &self,
        program: &MemoryModel<'_>,
        loops: &IdMap<LoopNumber, MarkedLoop>,
    ) -> BTreeMap<LoopNumber, EvaluatedTrips> {
        let mut all = BTreeMap::new();
        if self.prediction.early_end.is_some() {
            return all;
        }
        for (number, one) in loops.iter() {
            let function = &program.module.functions[one.function];
            let Some(predicted) = &self.prediction.functions[one.function] else { continue };
            if let Some(trips) = trips(function, one, &predicted.blocks) {
                all.insert(number, trips);
            }
        }
        all
    }

    /// Loops whose weight is below a share of all, and the shares of those that are in no other of them.
    pub(crate) fn light(
        &self,
        program: &MemoryModel<'_>,
        loops: &IdMap<LoopNumber, MarkedLoop>,
        below: f64,
    ) -> (IdSet<LoopNumber>, f64) {
        let weight = |function: FunctionId, block: BlockId| {
            let predicted = self.prediction.functions[function].as_ref();
            let executions = predicted.map_or(0.0, |one| to_f64(&one.blocks[block].least));
            executions * program.module.functions[function].instructions_of(block).count() as f64
        };
        let functions = program.module.functions.iter();
        let all: f64 = functions
            .flat_map(|(id, function)| function.blocks.ids().map(move |block| (id, block)))
            .map(|(id, block)| weight(id, block))
            .sum();
        let (mut light, mut shares) = (IdSet::new(), 0.0);
        // A loop comes after those around it.
        for (number, one) in loops.iter() {
            let own: f64 = one.members.iter().map(|&block| weight(one.function, block)).sum();
            let is_inside = one.parent.is_some_and(|parent| light.contains(parent));
            if is_inside || own < below * all {
                light.insert(number);
                shares += if is_inside || all <= 0.0 { 0.0 } else { own / all };
            }
        }
        (light, shares)
    }
}

/// Entries and executions of the header, if both are exact.
fn trips(
    function: &Function,
    one: &MarkedLoop,
    blocks: &IdMap<BlockId, BlockPrediction>,
) -> Option<EvaluatedTrips> {
    let headers = exact(&blocks[one.header])?;
    let entries = if headers == 0 { 0 } else { LoopEdges { function, one, blocks, headers }.entries()? };
    Some(EvaluatedTrips { entries, headers })
}

/// A loop whose header runs, and how often blocks do.
struct LoopEdges<'a> {
    function: &'a Function,
    one: &'a MarkedLoop,
    blocks: &'a IdMap<BlockId, BlockPrediction>,
    headers: u64,
}

impl LoopEdges<'_> {
    /// How often the loop is entered. Blocks have numbers, and edges have none, so it is looked for where an edge is
    /// all that a block has.
    fn entries(&self) -> Option<u64> {
        self.by_entering()
            .or_else(|| self.by_latches())
            .or_else(|| self.by_exits())
            .or_else(|| self.by_guard())
    }

    fn is_single(&self, block: BlockId) -> bool {
        self.function.blocks[block].successors.len() == 1
    }

    fn sum(&self, blocks: &[BlockId]) -> Option<u64> {
        let counts = blocks.iter().map(|&block| exact(&self.blocks[block]));
        counts.into_iter().try_fold(0u64, |sum, one| sum.checked_add(one?))
    }

    /// Blocks that lead nowhere else.
    fn by_entering(&self) -> Option<u64> {
        let entering: Vec<BlockId> = self.one.entries.iter().map(|&(block, _)| block).collect();
        let are_single = entering.iter().all(|&block| self.is_single(block));
        are_single.then(|| self.sum(&entering)).flatten()
    }

    /// What does not come from inside.
    fn by_latches(&self) -> Option<u64> {
        let leads_back = |block: &BlockId| self.function.blocks[*block].successors.contains(&self.one.header);
        let latches: Vec<BlockId> = self.one.members.iter().copied().filter(leads_back).collect();
        let are_single = latches.iter().all(|&block| self.is_single(block));
        self.headers.checked_sub(are_single.then(|| self.sum(&latches)).flatten()?)
    }

    /// It is left as often as it is entered: an exact number is of a program that goes on.
    fn by_exits(&self) -> Option<u64> {
        let is_inside = |block: BlockId| self.one.members.contains(&block);
        let successors = self.one.members.iter().flat_map(|&block| &self.function.blocks[block].successors);
        let mut exits: Vec<BlockId> = successors.copied().filter(|&block| !is_inside(block)).collect();
        exits.sort_unstable();
        exits.dedup();
        let is_own = |exit: &BlockId| {
            self.function
                .blocks
                .iter()
                .all(|(from, shape)| is_inside(from) || !shape.successors.contains(exit))
        };
        let are_own = !exits.is_empty() && exits.iter().all(is_own);
        are_own.then(|| self.sum(&exits)).flatten()
    }

    /// What runs once enters it at most once.
    fn by_guard(&self) -> Option<u64> {
        let &[(guard, _)] = self.one.entries.as_slice() else { return None };
        (exact(&self.blocks[guard])? == 1).then_some(1)
    }
}

fn exact(block: &BlockPrediction) -> Option<u64> {
    block.executions.as_ref().filter(|_| block.is_exact)?.to_u64()
}
