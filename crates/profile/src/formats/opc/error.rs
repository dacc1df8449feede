//! Why is a file no ledger that can be used, and what is to be done about it?

use std::path::PathBuf;

use parquet::errors::ParquetError;
use thiserror::Error;

use crate::LedgerError;

/// The schema that this version writes.
pub const LEDGER_SCHEMA: &str = "opcost.ledger/3";

/// The one before, without calls and endings, which it reads too.
pub(super) const EARLIER_SCHEMA: &str = "opcost.ledger/2";

/// Why a file is not a ledger that can be used.
#[derive(Debug, Error)]
pub enum OpcError {
    /// The file cannot be read at all.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Something else.
    #[error("not an opcost ledger: {what}; name a file that `opcost … --ledger FILE` wrote")]
    NotALedger {
        /// What it is instead.
        what: &'static str,
    },
    /// The end is missing.
    #[error("the ledger is cut off after {length} bytes: copy it again, or repeat the run that wrote it")]
    CutOff {
        /// What there is of it.
        length: usize,
    },
    /// The bytes were changed after they were written.
    #[error("the ledger is damaged (its hash differs): copy it again, or repeat the run that wrote it")]
    Damaged,
    /// Written by another version.
    #[error(
        "the ledger has schema {actual}, this opcost reads {LEDGER_SCHEMA}: use the opcost that wrote \
             it, or repeat the run with this one: opcost count … --ledger FILE"
    )]
    OtherSchema {
        /// Its schema.
        actual: String,
    },
    /// The hash holds but the content does not make sense.
    #[error("the ledger contradicts itself: {what}. This is a fault of the program that wrote it")]
    Malformed {
        /// What is wrong.
        what: String,
    },
    /// The facts in it do not make a ledger.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

impl From<ParquetError> for OpcError {
    fn from(error: ParquetError) -> Self {
        malformed(error)
    }
}

pub(super) fn malformed(what: impl ToString) -> OpcError {
    OpcError::Malformed { what: what.to_string() }
}
