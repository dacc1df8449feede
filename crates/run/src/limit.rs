//! How much is no limit?

/// More than any program can use.
pub(crate) const NO_LIMIT: i64 = i64::MAX / 2;
