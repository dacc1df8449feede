//! A ledger becomes a profile that other tools read.

pub(crate) mod export;
mod laid;
mod locations;
