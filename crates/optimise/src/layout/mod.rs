//! In which order should code lie in memory?
//!
//! A processor reads code ahead in order of addresses. So blocks that run one behind the other should lie
//! so, targets of jumps should be near, and what never runs should be out of the way. The same holds for
//! functions that call each other.
//!
//! [`CodeGraph`] is what is asked: blocks with their sizes and jumps with their counts. [`Score`] says how
//! good an order is, by the measure Ext-TSP (Newell and Pupyrev, "Improved Basic Block Reordering", 2020).
//! [`order_blocks`] finds an order that is at least as good as the one that is there, and
//! [`order_functions`] clusters functions by their calls (Ottoni and Maher, "Optimizing Function Placement for
//! Large-Scale Data-Center Applications", 2017), and [`order_named`] does so by name.
//!
//! All is in integers, so an order is the same on every machine.

mod chains;
mod few;
mod functions;
mod graph;
mod module;
mod named;
mod order;
mod polish;
mod score;

pub use functions::{CodeFunction, CodeFunctionId, FunctionCalls, order_functions};
pub use graph::{CodeBlock, CodeBlockId, CodeGraph, Jump};
pub use module::{arranged_function, calls_by_name, straight_functions};
pub use named::{CallsByName, NamedFunction, order_named};
pub use order::{Order, WrongOrder, order_blocks};
pub use score::{Score, spare_jumps, taken_jumps};
