//! Does a goal follow from what is known at a point? The solver is asked.
//!
//! First with little and at once, then with more and all simplifications: most
//! claims need little. What is not answered in its steps does not follow, and is told
//! as not decided; nor is anything asked when all such questions together have taken
//! more than a module of this size gets. A question with products or quotients of more
//! than 64 bits is asked briefly and once: each step of those takes the solver long.

use std::collections::BTreeSet;

use opcost_key::FunctionId;

use crate::checker::Checker;
use crate::question::{Depth, Question};
use crate::solver::{ConflictLimit, Satisfiability};
use crate::verdict::{ClaimId, SolverVerdict};

/// What is tried one after the other, with steps of the solver: most claims need
/// little.
const TRIES: [(Depth, ConflictLimit, u64); 4] = [
    (Depth { steps: 2, values: 16 }, ConflictLimit::Quick, 400_000),
    (Depth { steps: 2, values: 16 }, ConflictLimit::Thorough, 1_000_000),
    (Depth { steps: 8, values: 60 }, ConflictLimit::Thorough, 1_500_000),
    (Depth { steps: 24, values: 200 }, ConflictLimit::Thorough, 3_000_000),
];

/// Steps for a question with wide products or quotients.
const BRIEF: u64 = 100_000;

impl<'c> Checker<'c> {
    /// Whether `goal` follows from what is assumed: what `ask` writes down at
    /// each depth is a question together with the goal.
    pub(crate) fn follows(
        &self,
        function: FunctionId,
        what: &str,
        used: &mut BTreeSet<ClaimId>,
        ask: impl Fn(&mut Question<'_, 'c>) -> Option<String>,
    ) -> SolverVerdict {
        if self.left.get() == 0 {
            let words = "z3 has used up all steps that a certificate of this module gets";
            return SolverVerdict::Fails {
                what: format!("{what}: not decided, {words}"),
                example: Vec::new(),
            };
        }
        let (mut last, mut example) = (None, Vec::new());
        let (mut is_answered, mut is_brief) = (false, false);
        for (depth, effort, steps) in TRIES {
            if is_brief {
                break;
            }
            let mut question = Question::new(self, function, depth);
            let Some(goal) = ask(&mut question) else {
                return SolverVerdict::Fails {
                    what: format!("{what}: it is not followed"),
                    example: Vec::new(),
                };
            };
            question.finish();
            used.extend(question.used.iter().copied());
            // What was answered is not asked again.
            if is_answered && last.as_ref() == Some(&question.text) {
                continue;
            }
            let text = format!("{}(assert (not {goal}))", question.text);
            let terms = mentioned(&question.text);
            let has_wide = question.has_wide;
            last = Some(question.text);
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            is_brief = has_wide;
            let steps = u64::from(self.patience) * if is_brief { BRIEF } else { steps };
            match self.solver.borrow_mut().query(&text, &terms, effort, steps) {
                Ok(Satisfiability::Contradiction) => return SolverVerdict::Holds,
                Ok(Satisfiability::Possible(values)) => (example, is_answered) = (values, true),
                Ok(Satisfiability::Unknown) => {
                    is_answered = false;
                    self.left.set(self.left.get().saturating_sub(steps));
                }
                Err(failure) => {
                    *self.failure.borrow_mut() = Some(failure);
                    break;
                }
            }
        }
        let undecided = if is_answered { "" } else { ": not decided, z3 gave up" };
        SolverVerdict::Fails { what: format!("{what}{undecided}"), example }
    }
}

/// Names of values in a question, not too many.
fn mentioned(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.strip_prefix("(declare-const "));
    let names = names.filter_map(|line| line.split(' ').next());
    names.filter(|name| name.starts_with('i') || name.starts_with('a')).take(6).map(str::to_owned).collect()
}
