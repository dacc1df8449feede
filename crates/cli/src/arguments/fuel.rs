//! Flags of `opcost fuel` for programs that nobody trusts.

use std::path::PathBuf;

use clap::Args;

use crate::error::CliError;

/// How much the program is trusted.
#[derive(Args, Debug, Clone)]
pub(crate) struct TrustArguments {
    /// Builds and runs nothing: says whether the inputs may be metered, whoever wrote them.
    #[arg(long, conflicts_with_all = ["limit", "emit", "stdin", "stdout"])]
    pub(crate) check: bool,
    /// Outside functions or data that the program may use besides those opcost knows.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,
    /// A file of such names, one a line; `#` begins a comment.
    #[arg(long, value_name = "FILE")]
    pub(crate) allow_file: Option<PathBuf>,
}

impl TrustArguments {
    /// The names that the host allows.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is no name.
    pub(crate) fn allowed(&self) -> Result<Vec<String>, CliError> {
        let mut names = self.allow.clone();
        let Some(path) = &self.allow_file else { return Ok(names) };
        let text = std::fs::read_to_string(path).map_err(CliError::file("read", path))?;
        for (position, line) in text.lines().enumerate() {
            let name = line.split('#').next().unwrap_or_default().trim();
            if name.contains(char::is_whitespace) {
                return Err(CliError::Usage(format!(
                    "{}:{}: '{name}' is no name; write one a line",
                    path.display(),
                    position + 1
                )));
            }
            names.extend((!name.is_empty()).then(|| name.to_owned()));
        }
        Ok(names)
    }
}
