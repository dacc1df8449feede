//! What is claimed of the values of a program, and does it hold?
//!
//! A [`Certificate`] is a list of claims by which ranges of values hold each
//! other up; a [`Checker`] shows of each one that it follows in one step from
//! what the instructions say and from claims about earlier moments. It shares
//! nothing with what found the claims: it has dominators, origins of pointers
//! and the meaning of instructions of its own, and leaves arithmetic to z3.
//!
//! | question | file |
//! |---|---|
//! | what does a certificate say? | [`claims`], of one integer [`range`] |
//! | how is what it speaks of named? | [`names`] |
//! | is a text a certificate, of a size that one has? | [`reading`] |
//! | may something be taken as given? | `assumptions` |
//! | what must a value be so that what follows is defined? | `implications` |
//! | is it of this module? | `fingerprint` |
//! | does each claim follow in one step? | [`check`], said in `words` |
//! | what do module and certificate say of a value? | `value_facts` |
//! | from what a value is computed from? | `steps`, asked as `goals` |
//! | how do two values stand to each other? | `differences` |
//! | from what a loop does in each turn? | `turns`, of shifted words `growth` |
//! | from what is written to an object? | `contents` |
//! | does it follow from the ends of ranges alone? | `intervals`, of low bits `low`, of a square `squares` |
//! | what is known at a point? | `question`, one operation deeper `expand` |
//! | does a goal follow from that? | `queries` |
//! | what does an operation compute? | `terms` |
//! | what must control have passed? | `shape` |
//! | where can a pointer point? | `origins`, moved by `offsets` to `places` |
//! | into which objects may others write? | `escape` |
//! | which values may be undefined? | `undefined` |
//! | can these conditions hold at once? | [`solver`] |
//!
//! **What an accepted certificate says**: in each execution that does nothing
//! undefined, begun as `world` says, with all that `assumes` and `given` list,
//! each value that is defined and not poison is in its range.
//!
//! This room knows no analysis, and a test of the import table keeps it so.

mod assumptions;
pub mod check;
mod checker;
pub mod claims;
mod contents;
mod differences;
mod escape;
mod expand;
mod fingerprint;
mod goals;
mod growth;
mod implications;
mod intervals;
mod later;
mod low;
mod misfit;
pub mod names;
mod offsets;
mod origins;
mod outside_facts;
mod places;
mod queries;
mod question;
pub mod range;
pub mod reading;
mod relation;
mod shape;
pub mod solver;
mod squares;
mod steps;
mod terms;
mod turns;
mod undefined;
mod value_facts;
mod verdict;
mod words;

pub use check::Verdicts;
pub use checker::Checker;
pub use claims::{
    Certificate, ClaimedWorld, ContentsClaim, DifferenceClaim, FORMAT, FunctionClaims, GivenBy, GivenClaim,
    SumClaim, TurnsClaim, ValueClaim,
};
pub use fingerprint::fingerprint;
pub use misfit::Misfit;
pub use names::{NoValueName, ObjectName, ValueName};
pub use outside_facts::OutsideFacts;
pub use range::{RangeClaim, Word};
pub use reading::Unreadable;
pub use solver::{SatSolver, SolverError};
pub use verdict::{ClaimId, SolverVerdict};
