//! May this be taken as given? Only what others are known to say.
//!
//! - A **contract** is about a parameter: each caller keeps it. A call in the module
//!   that certainly breaks it refutes it.
//! - The **table of library functions** says what a call gives: no less than that may
//!   be given, and only of calls of which whoever checks knows it, too ([`Told`](crate::Told)).
//! - That a local is **written before it is read**, or that memory is zero at first,
//!   whoever checks must know from elsewhere, too.
//!
//! Everything else that is given is refused. Cost: a question for each call of a
//! function with a contract.

use std::collections::BTreeSet;

use opcost_ir::Value;
use opcost_key::FunctionId;

use crate::checker::Checker;
use crate::claims::{GivenBy, GivenClaim};
use crate::misfit::Misfit;
use crate::question::ALWAYS;
use crate::shape::word;
use crate::verdict::{SolverVerdict, fails};

impl Checker<'_> {
    /// Refuses what nobody can have given.
    pub(crate) fn find_given(&self) -> Result<(), Misfit> {
        for (claims, &function) in self.certificate.functions.iter().zip(&self.functions) {
            for given in &claims.given {
                if !self.may_be_given(function, given) {
                    let what =
                        format!("{}:{} is said to be given as {}", claims.name, given.value, given.range);
                    return Err(Misfit::Given(what));
                }
            }
        }
        Ok(())
    }

    fn may_be_given(&self, function: FunctionId, given: &GivenClaim) -> bool {
        match (given.by, given.value.value()) {
            (GivenBy::Contract, Value::Argument(_)) => true,
            (GivenBy::Library, Value::Instruction(at)) => {
                self.outside_facts.results.get(&(function, at)).is_some_and(|told| *told == given.range)
            }
            _ => false,
        }
    }

    /// Whether no call in the module certainly breaks a contract.
    pub(crate) fn check_given(&self, place: usize, at: usize) -> SolverVerdict {
        let given = &self.claims(place).given[at];
        let Value::Argument(position) = given.value.value() else { return SolverVerdict::Holds };
        for (caller, call) in self.calls_of(self.functions[place]) {
            let function = &self.module.functions[caller];
            let block = self.shapes[caller].block_of[call];
            let Some(&value) = function.arguments_of(call).get(position as usize) else { continue };
            if !self.shapes[caller].is_reached(block)
                || self.word_width_of(caller, value) != given.range.width
            {
                continue;
            }
            let is_broken = match word(self.module, value) {
                Some(word) => !given.range.contains(word),
                None => {
                    let denied = self.follows(caller, "a contract", &mut BTreeSet::new(), |question| {
                        question.at_block(block);
                        let word = question.value(value, ALWAYS)?;
                        // Of a call that no execution makes everything follows.
                        Some(format!("(not {})", given.range.conditions(&word.term)))
                    });
                    denied == SolverVerdict::Holds && !self.is_never_made(caller, block)
                }
            };
            if is_broken {
                return fails(&format!("the call {}:{call} gives it something else", function.name));
            }
        }
        SolverVerdict::Holds
    }

    /// Whether what is claimed says that no execution gets to a block.
    fn is_never_made(&self, id: FunctionId, block: opcost_key::BlockId) -> bool {
        let never = self.follows(id, "a call", &mut BTreeSet::new(), |question| {
            question.at_block(block);
            Some("false".to_owned())
        });
        never == SolverVerdict::Holds
    }
}
