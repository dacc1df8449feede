//! Is it the same code as elsewhere?
//!
//! A portable program's report carries the hash of its code and of each
//! function. Two reports whose hashes differ are of different programs: other
//! headers, another compiler, other sources; the first function that differs is
//! named.

use std::path::Path;

use opcost_instrument::{Fingerprint, Portability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{demangle, tidy_path};
use crate::error::CliError;

/// The code of a portable program.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct PortableJson {
    /// Hash of all of it, as it was weighed: the same on every machine.
    code: String,
    /// Its functions in the order of the program; empty when it was built earlier.
    functions: Vec<FunctionJson>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct FunctionJson {
    /// Linkage name.
    name: String,
    file: Option<String>,
    line: Option<u32>,
    /// Hash of its instructions.
    hash: String,
}

impl PortableJson {
    pub(super) fn new(code: &str, functions: &[Fingerprint]) -> PortableJson {
        let function = |it: &Fingerprint| FunctionJson {
            name: it.name.clone(),
            file: it.file.clone(),
            line: it.line,
            hash: it.hash.clone(),
        };
        PortableJson { code: code.to_owned(), functions: functions.iter().map(function).collect() }
    }
}

/// As much of a hash as a person compares.
pub(super) fn short_hash(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// What of it is asked of a report from elsewhere.
#[derive(Deserialize)]
struct Elsewhere {
    portable: Option<PortableJson>,
}

/// How the code differs from that of the report at `path`; none if it does not.
///
/// # Errors
/// The file cannot be read, or is no report on a portable program that was
/// built for it.
pub(crate) fn code_difference(path: &Path, here: &Portability) -> Result<Option<String>, CliError> {
    let text = std::fs::read_to_string(path).map_err(CliError::file("read", path))?;
    let wrong = |why: String| {
        CliError::Usage(format!(
            "{} is no report on a portable program ({why}); write one with: opcost fuel --portable --json FILE SOURCES",
            path.display()
        ))
    };
    let elsewhere: Elsewhere = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let elsewhere = elsewhere.portable.ok_or_else(|| wrong("it names no code".to_owned()))?;
    if elsewhere.code == here.admission.hash {
        return Ok(None);
    }
    if elsewhere.functions.is_empty() {
        return Err(wrong("the program was built earlier, so its functions are not in it".to_owned()));
    }
    let codes = format!("{} there, {} here", short_hash(&elsewhere.code), short_hash(&here.admission.hash));
    let first = first_difference(&elsewhere.functions, &here.functions);
    Ok(Some(format!("other code than in {} ({codes}): {first}\n", path.display())))
}

fn first_difference(there: &[FunctionJson], here: &[Fingerprint]) -> String {
    let printable = |text: &str| text.replace(char::is_control, "?");
    for (one, other) in there.iter().zip(here) {
        let place = match (&other.file, other.line) {
            (Some(file), Some(line)) => format!(", {}:{line}", tidy_path(file)),
            _ => String::new(),
        };
        if one.name != other.name {
            let names = [&one.name, &other.name].map(|name| printable(&demangle(name)));
            return format!("there {} comes where here is {}{}", names[0], names[1], printable(&place));
        }
        if one.hash != other.hash {
            let name = printable(&demangle(&other.name));
            return format!("the first function that differs is {name}{}", printable(&place));
        }
    }
    match there.len().cmp(&here.len()) {
        std::cmp::Ordering::Equal => "its data differ".to_owned(),
        std::cmp::Ordering::Less => {
            format!("{} comes behind all that is there", printable(&demangle(&here[there.len()].name)))
        }
        std::cmp::Ordering::Greater => {
            format!("{} is not here", printable(&demangle(&there[here.len()].name)))
        }
    }
}
