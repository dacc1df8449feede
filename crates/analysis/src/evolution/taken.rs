//! When is an edge taken, and what is a value there? Formulas of the iterations around.
//!
//! The same as for the entry of a loop ([`entered`](super::entered)), for one branch alone. It is the
//! condition under which control at the end of a block takes one of its edges. Its symbols are the
//! iterations of the loops around the block and what the function is given. No condition on symbols
//! is assumed; what needs one is [`Entered::Unknown`]. Promises of the code (`nsw` and its like) are
//! believed where nothing is known without them. Cost: the parts of the condition.

use opcost_ir::Value;
use opcost_key::BlockId;

use super::answer::TripAssumption;
use super::entered::{MOST_STEPS, MOST_TESTS, Relied, Search};
use super::entry::Entered;
use super::function::FunctionEvolution;
use super::known::Mode;
use super::solver::Solver;
use crate::expression::{FormulaId, Formulas};
use opcost_graph::edge::Edge;

impl FunctionEvolution<'_> {
    /// When control at the end of a block takes this edge.
    pub fn taken(&mut self, formulas: &mut Formulas, edge: Edge<BlockId>) -> Entered {
        let mut solver = self.solver(formulas);
        let strict = solver.taken_by(edge, Mode::Strict);
        if strict.necessary().1 { strict } else { solver.taken_by(edge, Mode::Trusting) }
    }

    /// What a value is in a block, as far as a formula says; none where it rests on a condition.
    pub fn value_in(&mut self, formulas: &mut Formulas, value: Value, block: BlockId) -> Option<FormulaId> {
        let mut solver = self.solver(formulas);
        solver.value_in(value, block, Mode::Strict).or_else(|| solver.value_in(value, block, Mode::Trusting))
    }
}

impl Solver<'_, '_> {
    fn taken_by(&mut self, edge: Edge<BlockId>, mode: Mode) -> Entered {
        let scope = self.source.forest.innermost[edge.from];
        let mut search =
            Search { scope, mode, relies: Relied::Promises, steps: MOST_STEPS, tests: MOST_TESTS };
        let condition = self.exit_condition(edge);
        self.holds_where(&condition, &mut search)
    }

    fn value_in(&mut self, value: Value, block: BlockId, mode: Mode) -> Option<FormulaId> {
        let scope = self.source.forest.innermost[block];
        let raw = self.raw_value(value, mode);
        let inside = self.resolve(raw, scope, mode);
        let known = self.lifted_from(inside, scope, mode);
        let rests = known.relies.iter().any(|one| matches!(one, TripAssumption::Condition(..)));
        let is_number = !self.table.is_too_big(known.formula) && !self.is_no_number(known.formula);
        (is_number && !rests).then_some(known.formula)
    }
}
