//! The hidden verb `__module`: instruments one module in a process of its own.

use crate::arguments::ModuleArguments;
use crate::build::{ModuleRequest, instrument};
use crate::error::{CliError, Status};

/// Reads the request and carries it out.
pub(crate) fn run(arguments: &ModuleArguments) -> Result<Status, CliError> {
    let path = &arguments.request;
    let text = std::fs::read(path).map_err(CliError::file("read", path))?;
    let request: ModuleRequest = serde_json::from_slice(&text)
        .map_err(|error| CliError::Usage(format!("{} is no request of opcost: {error}", path.display())))?;
    match instrument(&request) {
        Ok(()) => Ok(Status::Fine),
        Err(message) => {
            eprintln!("opcost: {message}");
            Ok(Status::Failed)
        }
    }
}
