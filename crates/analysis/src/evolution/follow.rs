//! What do recurrences, guards and counts say of each other? Each question once.
//!
//! A closed form is asked for by exits and by loops around, a count by values after the loop,
//! guards by both; the answers to all three are kept here. A closed form that is asked for while it
//! is found out is [`Closed::Open`], a count is none, and of guards nothing is known. Chains are
//! followed [`DEEPEST_QUESTION`] deep. Cost: each question once for each mode.

use std::rc::Rc;

use opcost_graph::loops::LoopId;

use super::answer::Reason;
use super::known::{Closed, Mode, Variable};
use super::loop_facts::{Guards, LoopCount};
use super::solver::{Ask, DEEPEST_QUESTION, Solver};

impl Ask for Solver<'_, '_> {
    fn closed(&mut self, variable: Variable, id: LoopId, mode: Mode) -> Closed {
        let key = (variable, mode);
        if let Some(known) = self.state.closed.get(&key) {
            return known.clone();
        }
        if self.state.depth >= DEEPEST_QUESTION {
            return Closed::None(Reason::TooBig);
        }
        self.state.closed.insert(key, Closed::Open);
        self.state.depth += 1;
        let closed = match self.solve(variable, id, mode) {
            Ok((value, unsigned)) => Closed::Form { value, unsigned },
            Err(reason) => Closed::None(reason),
        };
        self.state.depth -= 1;
        self.state.closed.insert(key, closed.clone());
        closed
    }

    fn guards(&mut self, id: LoopId, mode: Mode) -> Rc<Guards> {
        if let Some(known) = self.state.guards.get(&(id, mode)) {
            return known.clone();
        }
        // While it is being found out nothing is known.
        self.state.guards.insert((id, mode), Rc::new(Guards::nothing()));
        let found = Rc::new(self.find_guards(id, mode));
        self.state.guards.insert((id, mode), found.clone());
        found
    }

    fn count(&mut self, id: LoopId, mode: Mode) -> Option<Rc<LoopCount>> {
        if let Some(known) = self.state.counts.get(&(id, mode)) {
            return known.clone();
        }
        if self.state.depth >= DEEPEST_QUESTION {
            return None;
        }
        self.state.counts.insert((id, mode), None);
        self.state.depth += 1;
        let count = Rc::new(self.find_count(id, mode));
        self.state.depth -= 1;
        self.state.counts.insert((id, mode), Some(count.clone()));
        Some(count)
    }
}
