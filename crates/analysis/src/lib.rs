//! Facts about a function that follow from its code alone.
//!
//! One file per question. Each analysis is a function from a function or a module, and the results
//! it depends on, to a finished value; nothing is cached and nothing can be stale. What the shape
//! of a graph alone says (dominators, loops) is found by `opcost_graph`.
//!
//! | question | file |
//! |---|---|
//! | how often does a counted loop go round? | [`trips`] |
//! | how often can a loop go back at most? | [`bounds`] |
//! | what does a value amount to, as a formula over exact integers? | [`expression`] |
//! | how does a value go on from iteration to iteration, and how many iterations are there? | [`evolution`] |
//! | what does a load read? (the question only) | [`cells`] |
//! | what is in memory, and who writes it? | [`memory`] |
//! | which values can an integer have, and how many bits does it need? (one operation) | [`ranges`] |
//! | which values can every value of a module have? | [`propagation`] |
//! | does the code change how numbers are rounded? | [`rounding`] |
//! | which bits of each value can anybody notice? | [`demand`] |
//! | what decides a value? | [`dependence`] |
//!
//! This room knows nothing of LLVM, of files or of measured counts.

pub mod bounds;
pub mod cells;
pub mod demand;
pub mod dependence;
pub mod evolution;
pub mod expression;
pub mod memory;
pub mod propagation;
pub mod ranges;
pub mod rounding;
pub mod trips;
