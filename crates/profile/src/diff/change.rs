//! A number of two ledgers: what was it, and what is it?

use schemars::JsonSchema;
use serde::Serialize;

/// A number on both sides; null where there is no such thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ChangeJson")]
pub struct CountChange {
    /// Before.
    pub before: Option<u128>,
    /// After.
    pub after: Option<u128>,
}

impl CountChange {
    /// Whether both sides are the same.
    pub fn is_none(&self) -> bool {
        self.before == self.after
    }
}
