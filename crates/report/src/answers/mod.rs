//! Answers of a ledger that are no counts: as a table, and as `opcost.answers/1`.

pub mod json;
pub mod table;
