//! A ledger becomes a profile that other tools read, or work of which time is worked out.

pub(crate) mod arrange;
pub(crate) mod copy;
pub(crate) mod export;
mod laid;
mod locations;
pub(crate) mod work;
