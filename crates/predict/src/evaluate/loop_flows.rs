//! What does one iteration of a loop run, by which way it goes on?
//!
//! The flows that the evaluation sums over iterations, one at a time. Numbers of iterations are not known, so
//! conditions that hang on them are guessed. Input: a loop. Output: [`LoopFlows`], in the order of
//! `Dependence::members`. Cost: three flows through the loop's region.

use num_traits::{One, Zero};
use opcost_graph::loops::LoopId;

use super::{ENDLESS, Evaluator, Event};
use crate::fraction::{Fraction, whole};

/// Executions of a loop's members in one iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopFlows {
    /// In one that goes back.
    pub(crate) stays: Vec<Fraction>,
    /// In one that leaves.
    pub(crate) leaves: Vec<Fraction>,
    /// In any.
    pub(crate) any: Vec<Fraction>,
    /// How many there are of any, by static probabilities.
    pub(crate) iterations: Fraction,
}

impl Evaluator<'_> {
    /// The flows of a loop, by the usual shares of branches or by the others.
    pub(crate) fn loop_flows(&mut self, id: LoopId, is_other: bool) -> LoopFlows {
        if self.is_other != is_other {
            self.is_other = is_other;
            self.cache.clear();
        }
        let stays = self.flow(Some(id), Event::Stays).counts;
        let leaves = self.flow(Some(id), Event::Leaves).counts;
        let any = self.flow(Some(id), Event::Any);
        let leaving = Fraction::one() - &any.back;
        let iterations = if leaving.is_zero() { whole(ENDLESS) } else { leaving.recip() };
        LoopFlows { stays, leaves, any: any.counts, iterations }
    }
}
