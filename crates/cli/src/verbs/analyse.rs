//! The hidden verb `__analyse`, in a process of its own.

use crate::arguments::ModuleArguments;
use crate::build::{AnalysisRequest, Refusal, analyse};
use crate::error::{CliError, Status};

/// Carries out the request.
pub(crate) fn run(arguments: &ModuleArguments) -> Result<Status, CliError> {
    let path = &arguments.request;
    let text = std::fs::read(path).map_err(CliError::file("read", path))?;
    let request: AnalysisRequest = serde_json::from_slice(&text)
        .map_err(|error| CliError::Usage(format!("{} is no request of opcost: {error}", path.display())))?;
    match analyse(&request) {
        Ok(()) => Ok(Status::Fine),
        Err(Refusal::Usage(words)) => Err(CliError::Usage(words)),
        Err(Refusal::Failed(words)) => {
            eprintln!("opcost: {words}");
            Ok(Status::Failed)
        }
    }
}
