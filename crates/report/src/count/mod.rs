//! Counts: the report of a run, on the terminal, as a page, as JSON and as lists.

pub mod annotate;
pub mod builds;
pub mod events;
pub mod json;
pub mod ledger;
pub mod list;
pub mod mine;
pub mod page;
pub mod samples;
pub mod stacks;
pub mod tasks;
pub mod terminal;
