//! Trip counts, and what decides values and loops.

pub mod explain;
pub mod table;
