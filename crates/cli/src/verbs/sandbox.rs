//! The hidden verb `__sandbox`: becomes a metered program behind walls.

use crate::arguments::SandboxArguments;
use crate::error::{CliError, Status};
use crate::run::{Entry, enter};

/// Reads the request and becomes the program; comes back only if it cannot.
pub(crate) fn run(arguments: &SandboxArguments) -> Result<Status, CliError> {
    let path = &arguments.request;
    let text = std::fs::read(path).map_err(CliError::file("read", path))?;
    let entry: Entry = serde_json::from_slice(&text)
        .map_err(|error| CliError::Usage(format!("{} is no request of opcost: {error}", path.display())))?;
    match enter(&entry, &arguments.arguments)? {}
}
