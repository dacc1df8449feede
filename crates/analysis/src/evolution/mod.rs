//! How often will each loop of a function go round, predicted from its code?
//!
//! 1. Each result is a formula of what merges at the heads of loops (`raw`,
//!    `operations`, `joins`, `address`); memory is asked through
//!    [`Cells`](crate::cells::Cells), so that a counter in memory is one in a phi.
//! 2. What merges at a head is a recurrence, solved in closed form (`recurrence`), in terms of the
//!    iteration and of what is around the loop.
//! 3. Each exit has a first iteration in which it is taken (`exits`, `leaving` and its sisters for
//!    choices and for counters that wrap), with what holds when the loop is entered put in
//!    (`guards`); the least of them is the number of back edges (`counts`). All of that is said of
//!    a loop that is entered, and under which condition it is (`entered`). `taken` says the same of one
//!    branch.
//! 4. What is around is put in: counts become formulas of the iterations of the loops around and of
//!    what the function is given (`resolve`), and are summed over these iterations (`totals`).
//!    Where no formula helps and all is numbers (or constant data), the loop is simulated (`walk`).
//!
//! Steps 2 and 3 rest on each other, and on what step 4 says of loops inside: a recurrence may need
//! a count, and a count a recurrence. What they ask of each other is `solver::Ask`, and `follow`
//! answers it, each question once. Step 1 and what is reported at last (`function`) are passes over
//! finished results.
//!
//! All of it is done without believing any flag, and again with all of them;
//! what needs fewer assumptions wins. An exact answer that is wrong is the worst
//! that could happen here, so every claim lists what it rests on, and the
//! referee (`tests/evolution.rs`) runs random loops with all inputs.
//!
//! [`trips`](crate::trips) and [`bounds`](crate::bounds) answer a smaller
//! question for fuel, which plans with them: they believe nothing and assume
//! nothing, know constants of one step only, and say which instructions to emit
//! rather than formulas to read.
//!
//! Sources: Xie, llvm-pred (2014: the assertions about cycles); Antoniadis (2011: closed
//! forms); Bachmann, Wang, Zima, "Chains of recurrences" (1994); LLVM's
//! ScalarEvolution as the peer. Cost: about linear in the function; chains of
//! loops that depend on one another are followed `solver::DEEPEST_QUESTION`
//! deep.

mod address;
mod answer;
mod compute;
mod counts;
mod entered;
mod entry;
mod exits;
mod follow;
mod form;
mod function;
mod guards;
mod joins;
mod known;
mod leaving;
mod leaving_choice;
mod leaving_question;
mod leaving_wrapped;
mod logic;
mod loop_facts;
mod operands;
mod operations;
mod predicates;
mod raw;
mod recurrence;
mod resolve;
mod solver;
mod taken;
mod totals;
mod vector;
mod walk;
mod walk_addresses;
mod walk_numbers;

pub use answer::{
    ExitCount, ExitTurn, FlagPromise, Form, Otherwise, Reason, SplitPart, Total, TripAnswer, TripAssumption,
    TripCount,
};
pub use entry::Entered;
pub use function::{Evolution, FunctionEvolution};
pub use solver::Source;
