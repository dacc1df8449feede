//! Why can a job not be done?

use std::path::{Path, PathBuf};

use opcost_certificate::SolverError;
use opcost_instrument::PlanError;
use opcost_job::Refusal;
use opcost_life::inputs::NoLife;
use opcost_llvm::LlvmError;
use opcost_profile::formats::map::MapError;
use opcost_profile::formats::opc::OpcError;

/// Why a job cannot be done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkError {
    /// What was asked for does not fit the program.
    #[error("{0}")]
    Usage(String),
    /// The program or its file is not as it must be; what to do.
    #[error("{0}")]
    Refused(String),
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: std::io::Error },
    /// LLVM says no.
    #[error(transparent)]
    Llvm(#[from] LlvmError),
    /// The module cannot be counted, metered or recorded.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A map in a module is damaged.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] OpcError),
    /// Code has no life that could be reported.
    #[error(transparent)]
    NoLife(#[from] NoLife),
    /// There is no solver, or it failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
}

impl WorkError {
    /// A failure to do something with a file.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> WorkError {
        let path = path.to_owned();
        move |source| WorkError::File { action, path, source }
    }
}

impl From<WorkError> for Refusal {
    fn from(error: WorkError) -> Refusal {
        match error {
            WorkError::Usage(words) => Refusal::Usage(words),
            WorkError::NoLife(no_line @ NoLife::EmptyLine { .. }) => Refusal::Usage(no_line.to_string()),
            WorkError::Llvm(LlvmError::DefinedTwice(name)) => Refusal::DefinedTwice(name),
            other => Refusal::Failed(other.to_string()),
        }
    }
}
