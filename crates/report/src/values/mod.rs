//! Recorded values: table, plots and JSON.

pub mod json;
mod loops;
pub mod plot;
pub mod report;
pub mod table;
