//! Which loops of a module get copies of their bodies?
//!
//! [`unroll`] works out which numbers of copies pay, by the iterations of each activation in a training run. A loop is found
//! by its function and the number of its header.
//!
//! Input: a snapshot, counted loops of the program. Output: the loops of this module for which copies pay. Cost: linear.

use opcost_index::Id as _;
use opcost_ir::Module;
use opcost_key::{BlockId, FunctionId};

use super::iterations::{BodyCopies, TripCounts, UnrollLimits, unroll};
use crate::trained::TrainedLoop;

/// A loop that may get copies of its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedLoop {
    /// Its position among the counted ones.
    pub position: usize,
    /// Its function.
    pub function: FunctionId,
    /// Its header.
    pub header: BlockId,
    /// Numbers of copies that pay, the best first.
    pub choices: Vec<BodyCopies>,
}

/// Loops of the module for which copies pay. `executed` is how many instructions the program carried out.
pub fn plan_unrolling(module: &Module, loops: &[TrainedLoop], executed: u64) -> Vec<PlannedLoop> {
    let planned = |(position, one): (usize, &TrainedLoop)| {
        let trips = TripCounts { activations: one.activations.clone() };
        let choices = unroll(&trips, executed, UnrollLimits::default());
        let (function, own) = module.functions.iter().find(|(_, own)| own.name == one.function)?;
        let header = BlockId::new(one.header as usize);
        own.blocks.get(header)?;
        (!choices.is_empty()).then_some(PlannedLoop { position, function, header, choices })
    };
    loops.iter().enumerate().filter_map(planned).collect()
}
