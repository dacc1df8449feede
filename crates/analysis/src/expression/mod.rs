//! What is a number made of? Formulas over exact integers.
//!
//! A [`Formula`](FormulaNode) is a mathematical integer as a function of symbols: arguments,
//! results of instructions, what cells of memory hold, the number of the iteration of a loop.
//! Machine arithmetic is said openly: where a result may wrap there is a [`FormulaNode::Wrap`] into
//! the width at hand, and where the ranges of the symbols show that it cannot, there is none. So
//! two formulas that are equal as integers can be compared as polynomials, and what a formula says
//! never rests on a promise that it does not show.
//!
//! | question | file |
//! |---|---|
//! | between which two numbers is it? | [`interval`](FormulaInterval) |
//! | what is a formula made of? | [`nodes`](FormulaNode) |
//! | rounded quotients, powers, logarithms, roots of numbers | `integers` |
//! | between which numbers is a node? | `node_ranges` |
//! | what is there, and each only once? | [`Formulas`] |
//! | sums and products in one form | `arithmetic` |
//! | quotients and remainders | `division` |
//! | the least, the greatest, one of two | `order` |
//! | wraps, powers, logarithms, roots | `residue` |
//! | sums over a range, in closed form | `series` |
//! | one formula in place of a symbol; simpler where more is known | `rewrite`, [`Facts`] |
//! | which number is it, with these inputs? | `evaluate` |
//! | how does it read? | `text` |
//!
//! One table serves one function: arguments and instructions are named by
//! their numbers there. Everything is bounded: a formula deeper than
//! [`DEEPEST`] or larger than [`LARGEST`] nodes, or with a coefficient that 127
//! bits do not hold, becomes [`FormulaNode::TooBig`], and so does what is made of it:
//! a formula that is there is never wrong.
//!
//! Source: canonical sums of products as in Bachmann, Wang and Zima, "Chains of
//! recurrences" (1994), and in LLVM's ScalarEvolution, but over integers
//! instead of residues.

mod arithmetic;
mod division;
mod evaluate;
mod facts;
mod formulas;
mod integers;
mod interval;
mod node_ranges;
mod nodes;
mod order;
mod residue;
mod rewrite;
mod series;
mod text;

pub use evaluate::NoNumber;
pub use facts::Facts;
pub use formulas::Formulas;
pub use interval::{Domain, FormulaInterval};
pub use nodes::{DEEPEST, FormulaId, FormulaNode, LARGEST, Relation, Rounding, Symbol, SymbolId, Test};
pub(crate) use residue::inverse_of_odd;
pub(crate) use rewrite::Replacements;
pub use text::{Shared, TextLimits};
