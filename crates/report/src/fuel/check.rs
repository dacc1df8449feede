//! May a program be metered, whoever wrote it? Lines, and `opcost.fuel-check/1`.

use opcost_instrument::{Admission, Objection, Rule};
use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::grouped;
use crate::kit::style::{BAD, DIM, GOOD, paint};
use opcost_answer::names::{demangle, shown_name, tidy_path};

/// What `--check` found, ready to be shown.
pub struct CheckedFuel<'a> {
    /// Objections, hashes and functions of the program, as the worker found them.
    pub admission: &'a Admission,
}

impl CheckedFuel<'_> {
    /// For the terminal: a line for each objection, then the answer.
    pub fn text(&self) -> String {
        let admission = self.admission;
        let mut text = objections(&admission.objections);
        let hashes = format!("hash {} · library {}", admission.hash, admission.library);
        if admission.objections.is_empty() {
            let word = if admission.functions == 1 { "function" } else { "functions" };
            let functions = format!("{} {word}", grouped(admission.functions as u64));
            let answer = paint(GOOD, "may be metered");
            text.push_str(&format!("{answer}: {functions}   {}\n", paint(DIM, hashes)));
        } else {
            let count = admission.objections.len();
            let word = if count == 1 { "objection" } else { "objections" };
            text.push_str(&format!("{}: {count} {word}\n", paint(BAD, "may not be metered")));
        }
        if !admission.differs.is_empty() {
            let names: Vec<String> = admission.differs.iter().map(|name| shown_name(name)).collect();
            text.push_str(&format!("its count may differ from run to run: it uses {}\n", names.join(", ")));
        }
        text
    }
}

/// A line for each.
pub fn objections(list: &[Objection]) -> String {
    let mut text = String::new();
    // Whoever wrote the program chose its names: none may speak to the terminal.
    let printable = |text: &str| text.replace(char::is_control, "?");
    for objection in list {
        if let Some(file) = &objection.file {
            text.push_str(&printable(&tidy_path(file)));
            text.push_str(&objection.line.map_or(String::new(), |line| format!(":{line}")));
            text.push_str(": ");
        }
        if let Some(function) = &objection.function {
            text.push_str(&format!("{}: ", printable(&shown_name(function))));
        }
        let rule = paint(DIM, format!("[{}]", rule_name(objection.rule)));
        let reason = printable(&objection.reason);
        text.push_str(&format!("{reason}; {}   {rule}\n", objection.remedy));
    }
    text
}

/// As documents write it.
fn rule_name(rule: Rule) -> String {
    let value = serde_json::to_value(rule).expect("a name");
    value.as_str().expect("a name").to_owned()
}

/// Whether a program may be metered.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.fuel-check/1")]
pub struct FuelCheckJson {
    /// Always `opcost.fuel-check/1`.
    #[schemars(extend("const" = "opcost.fuel-check/1"))]
    schema: &'static str,
    may_be_metered: bool,
    /// Functions that would be metered.
    functions: usize,
    /// Over the program's instructions, as they would be metered; empty when all of it is machine code.
    hash: String,
    /// Over the table of library functions and what was allowed besides.
    library: String,
    /// Outside functions that give something else in every run.
    differs: Vec<String>,
    objections: Vec<ObjectionJson>,
}

/// Something that speaks against metering a program.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ObjectionJson {
    /// Its kind: `inline-assembly`, `outside-function`, …
    rule: String,
    /// As its language writes it.
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    /// What is there, and why it cannot be.
    reason: String,
    /// What to do.
    remedy: String,
}

impl ObjectionJson {
    /// Of one objection, its function demangled.
    pub fn new(objection: &Objection) -> ObjectionJson {
        ObjectionJson {
            rule: rule_name(objection.rule),
            function: objection.function.as_deref().map(demangle),
            file: objection.file.clone(),
            line: objection.line,
            reason: objection.reason.clone(),
            remedy: objection.remedy.clone(),
        }
    }
}

impl FuelCheckJson {
    /// The document.
    pub fn new(admission: &Admission) -> FuelCheckJson {
        FuelCheckJson {
            schema: "opcost.fuel-check/1",
            may_be_metered: admission.objections.is_empty(),
            functions: admission.functions,
            hash: admission.hash.clone(),
            library: admission.library.clone(),
            differs: admission.differs.clone(),
            objections: admission.objections.iter().map(ObjectionJson::new).collect(),
        }
    }
}
