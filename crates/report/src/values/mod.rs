//! Recorded values: table, plots and JSON.

pub mod json;
pub mod plot;
pub mod report;
pub mod table;
