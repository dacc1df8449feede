//! Two ledgers, or one before and after repair.

pub mod diff;
pub mod diff_json;
pub mod overlap;
pub mod repair;
