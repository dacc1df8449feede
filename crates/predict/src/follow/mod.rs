//! What do values hold, followed forwards from the start of `main`?
//!
//! Resolution backwards answers what one value is. A program that works its sizes out first, in arrays
//! by level, in COMMON, in functions that are handed addresses, is better followed forwards. This is
//! an evaluation of the program with contents that may be unknown. Where a branch is decided, it goes
//! that way; where it is not, it goes both ways with their probabilities, and joins what holds of
//! both. A loop that formulas count is not iterated: its blocks are counted by the evaluator, and what
//! it writes is forgotten. Other loops are iterated while values decide their exits. A loop whose exit
//! is not decided is taken back and counted as without this room.
//!
//! | question | file |
//! |---|---|
//! | what is a value? | `content` |
//! | what does memory hold? | `memory` |
//! | what does an instruction give? | `compute` |
//! | which memory may be written? | `writes` |
//! | what of a function does not change? | `facts` |
//! | what is known while a program is followed? | `follower` |
//! | what does an activation hold? | `frame` |
//! | what is a loop that formulas count? | `summary` |
//! | what happened? | `log` |
//! | what does an activation do? | `activation` |
//! | what does a call do? | `calls` |
//! | what does a loop do? | `loops` |
//! | what does Fortran read from its command line? | `command` |
//!
//! Input: a closed program, models of its functions. Output: [`Followed`], which has counts of
//! what was followed and the calls that were not. Cost: at most [`STEPS`] instructions.
//! Limits: nothing is followed in a program with constructors, other threads, handlers of signals or
//! functions that return twice; nor in functions with exceptions or cycles that are no loops.

mod activation;
mod calls;
mod command;
mod compute;
mod content;
mod facts;
mod follower;
mod frame;
mod log;
mod loops;
mod memory;
mod summary;
mod writes;

use std::rc::Rc;

use opcost_ir::{Type, Value};
use opcost_key::FunctionId;

use crate::prediction::Class;
use content::Content;
use frame::Start;
use log::{Path, Weight};
use memory::Memory;

pub(crate) use follower::Follower;
pub(crate) use log::Followed;

impl Follower<'_, '_> {
    /// Follows `main`; none if it cannot be.
    pub(crate) fn main(mut self, main: FunctionId) -> Option<Followed> {
        if !self.is_followable(main) {
            return None;
        }
        let path = Path { weight: Rc::new(Weight::one()), class: Class::StaticBlock, reason: None };
        let parameters = self.model.module.functions[main].parameters;
        let arguments: Vec<Content> =
            (0..parameters).map(|position| self.parameter_of_main(main, position)).collect();
        let start = Start { id: main, arguments, chain: Vec::new(), path };
        self.activation(start, Memory::default()).ok()?;
        Some(self.log.finish(self.contexts))
    }

    /// How many words there are, if a user says so.
    fn parameter_of_main(&mut self, main: FunctionId, position: u32) -> Content {
        let value = Value::Argument(position);
        let module = self.model.module;
        let ty = module.type_of(&module.functions[main], value).map(|ty| &module.types[ty]);
        match (ty, self.contexts.number_where_called(main, value, &Vec::new())) {
            (Some(&Type::Integer(bits @ 1..=64)), Some(number)) => {
                Content::Word(number as u128 & (u128::MAX >> (128 - bits)))
            }
            _ => Content::Unknown,
        }
    }
}
