//! Is it the same code as elsewhere?
//!
//! A portable program's report carries the hash of its code and of each
//! function, and that of the sysroot: the headers and the library that opcost brought.
//! Two reports whose codes differ are of different programs: another sysroot, which is
//! said first, another compiler, other sources; the first function that differs is
//! named.

use std::path::Path;

use opcost_instrument::{Fingerprint, Portability};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use opcost_answer::Failure;
use opcost_answer::names::{shown_name, tidy_path};

/// The code of a portable program.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct PortableJson {
    /// Hash of all of it, as it was weighed: the same on every machine.
    code: String,
    /// Hash of the headers and the library that opcost brought; null when it was built by an
    /// opcost that did not keep it.
    sysroot: Option<String>,
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
    /// Of the code's hash, the sysroot's if it is known, and the functions, none if they are not
    /// known.
    pub fn new(code: &str, sysroot: Option<&str>, functions: &[Fingerprint]) -> PortableJson {
        let function = |it: &Fingerprint| FunctionJson {
            name: it.name.clone(),
            file: it.file.clone(),
            line: it.line,
            hash: it.hash.clone(),
        };
        PortableJson {
            code: code.to_owned(),
            sysroot: sysroot.map(str::to_owned),
            functions: functions.iter().map(function).collect(),
        }
    }
}

/// As much of a hash as a person compares.
pub fn short_hash(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// What of it is asked of a report from elsewhere.
#[derive(Deserialize)]
struct Document {
    portable: Option<PortableJson>,
}

/// A report from elsewhere on a portable program.
pub struct Elsewhere<'a> {
    path: &'a Path,
    portable: PortableJson,
}

impl Elsewhere<'_> {
    /// Reads the report at `path`.
    ///
    /// # Errors
    /// It cannot be read, or is none on a portable program.
    pub fn read(path: &Path) -> Result<Elsewhere<'_>, Failure> {
        let text = std::fs::read_to_string(path).map_err(Failure::file("read", path))?;
        let document: Document =
            serde_json::from_str(&text).map_err(|error| wrong(path, &error.to_string()))?;
        let portable = document.portable.ok_or_else(|| wrong(path, "it names no code"))?;
        Ok(Elsewhere { path, portable })
    }

    /// Says that it is of another sysroot; none if it is of this one, or does not say.
    pub fn sysroot_difference(&self) -> Option<String> {
        let (there, here) = (self.portable.sysroot.as_deref()?, opcost_runtime::portable::sysroot());
        (there != here).then(|| {
            format!(
                "another sysroot than in {} ({} there, {} here): another opcost brought other headers or another \
                 library\n",
                self.path.display(),
                short_hash(there),
                short_hash(here)
            )
        })
    }

    /// How its code differs from that of `here`; none if it does not.
    ///
    /// # Errors
    /// The program was built earlier, so its functions are not known.
    pub fn code_difference(&self, here: &Portability) -> Result<Option<String>, Failure> {
        let PortableJson { code, functions, .. } = &self.portable;
        if *code == here.admission.hash {
            return Ok(None);
        }
        if functions.is_empty() {
            return Err(wrong(self.path, "the program was built earlier, so its functions are not in it"));
        }
        let codes = format!("{} there, {} here", short_hash(code), short_hash(&here.admission.hash));
        let first = first_difference(functions, &here.functions);
        Ok(Some(format!("other code than in {} ({codes}): {first}\n", self.path.display())))
    }
}

fn wrong(path: &Path, why: &str) -> Failure {
    Failure::Usage(format!(
        "{} is no report on a portable program ({why}); write one with: opcost fuel --portable --json FILE SOURCES",
        path.display()
    ))
}

fn first_difference(there: &[FunctionJson], here: &[Fingerprint]) -> String {
    let printable = |text: &str| text.replace(char::is_control, "?");
    for (one, other) in there.iter().zip(here) {
        let place = match (&other.file, other.line) {
            (Some(file), Some(line)) => format!(", {}:{line}", tidy_path(file)),
            _ => String::new(),
        };
        if one.name != other.name {
            let names = [&one.name, &other.name].map(|name| printable(&shown_name(name)));
            return format!("there {} comes where here is {}{}", names[0], names[1], printable(&place));
        }
        if one.hash != other.hash {
            let name = printable(&shown_name(&other.name));
            return format!("the first function that differs is {name}{}", printable(&place));
        }
    }
    match there.len().cmp(&here.len()) {
        std::cmp::Ordering::Equal => "its data differ".to_owned(),
        std::cmp::Ordering::Less => {
            format!("{} comes after all that is there", printable(&shown_name(&here[there.len()].name)))
        }
        std::cmp::Ordering::Greater => {
            format!("{} is not here", printable(&shown_name(&there[here.len()].name)))
        }
    }
}
