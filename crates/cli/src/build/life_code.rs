//! Assembly text and raw bytes, read in a child process: LLVM's fatal errors end
//! the process, and the tool must live to say so.

use std::path::PathBuf;

use opcost_life::Life;
use opcost_life::inputs::{from_assembly, from_bytes};
use serde::{Deserialize, Serialize};

use super::module::run_own;
use crate::error::CliError;

/// What the child is asked to read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CodeRequest {
    /// Of the input, for messages.
    pub(crate) name: String,
    /// The machine.
    pub(crate) triple: String,
    /// What is read.
    pub(crate) text: CodeText,
    /// Where the life is written, as JSON.
    output: PathBuf,
}

/// Code that has no source.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum CodeText {
    /// Assembly text: one line of it, or all.
    Assembly { path: PathBuf, line: Option<u32> },
    /// Machine code.
    Bytes(Vec<u8>),
}

/// The life of code without a source.
///
/// # Errors
/// It is no code of the machine.
pub(crate) fn code_life(name: &str, triple: String, text: CodeText) -> Result<Life, CliError> {
    let folder = tempfile::Builder::new()
        .prefix("opcost-")
        .tempdir()
        .map_err(CliError::file("make a folder in", std::env::temp_dir()))?;
    let output = folder.path().join("life.json");
    let request = CodeRequest { name: name.to_owned(), triple, text, output };
    run_own("__code", &folder.path().join("code.request"), name, &request)?;
    let text = std::fs::read(&request.output).map_err(CliError::file("read", &request.output))?;
    Ok(serde_json::from_slice(&text).expect("the child writes it"))
}

/// In the child: reads and writes the life.
pub(crate) fn read_code(request: &CodeRequest) -> Result<(), String> {
    let life = match &request.text {
        CodeText::Bytes(bytes) => from_bytes(bytes, &request.triple).map_err(|error| error.to_string())?,
        CodeText::Assembly { path, line } => {
            let text = std::fs::read(path).map_err(|error| format!("cannot read it: {error}"))?;
            let object = request.output.with_extension("o");
            from_assembly(&text, &request.name, *line, &request.triple, &object)
                .map_err(|error| error.to_string())?
        }
    };
    let text = serde_json::to_vec(&life).expect("plain data");
    std::fs::write(&request.output, text).map_err(|error| error.to_string())
}
