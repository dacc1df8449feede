//! A number of two ledgers: what was it, and what is it?

/// A number before and after; `None` where there is no such thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
