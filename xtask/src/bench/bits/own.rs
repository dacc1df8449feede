//! opcost's answers: `opcost bits --json - --world WORLD FILE.bc`, read, and what
//! was wrong if a run says otherwise.
//!
//! A value is found by its function and by the number that LLVM's half gives it:
//! there parameters come first and instructions go on counting, here both have
//! numbers of their own. The width of a constant is made up for: opcost gives it
//! none, and LLVM and runs the bits of its number, so on this page it has these.

use super::modules::World;
use super::observed::Observed;
use super::peer::Row;
use crate::bench::timed::{self, Taken};
use crate::failure::{Failure, Result};
use opcost_testkit::width_of_joined;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

#[derive(Deserialize)]
struct Document {
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    values: Vec<Own>,
}

/// One value; of the document only what is compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Own {
    key: String,
    pub(super) text: String,
    pub(super) declared: u32,
    width: u32,
    dead_bits: u32,
    pub(super) range: String,
    least: Option<i64>,
    greatest: Option<i64>,
    #[serde(default)]
    pub(super) because: Option<String>,
}

/// By function and the end of the key.
pub(super) type Answers = BTreeMap<(String, String), Own>;

impl Own {
    /// Bits of the narrowest type that holds it.
    pub(super) fn needed(&self) -> u32 {
        match (self.least, self.greatest) {
            (Some(least), Some(greatest)) if least == greatest => {
                let plain = if least < 0 { u64::MAX } else { least.cast_unsigned() };
                width_of_joined(plain, (least ^ (least >> 63)).cast_unsigned()).min(self.declared)
            }
            _ => self.width,
        }
    }

    /// Bits that are not always the same, and looked at.
    pub(super) fn slice(&self) -> u32 {
        self.width - self.dead_bits.min(self.width)
    }

    /// Why what was seen cannot be, if it cannot.
    pub(super) fn contradiction(&self, observed: &Observed) -> Option<String> {
        let (Some(least), Some(greatest)) = (self.least, self.greatest) else {
            return Some("it was computed".to_owned());
        };
        if observed.least < least || observed.most > greatest {
            return Some(format!("it was {}..{}", observed.least, observed.most));
        }
        if observed.width() > self.needed() {
            return Some(format!("it had {} bits", observed.width()));
        }
        // What nobody looks at a slice leaves out; a run does not show that.
        None
    }
}

/// Which of our answers is about the same value.
pub(super) fn key(row: &Row) -> (String, String) {
    let end = match row.index.checked_sub(row.parameters) {
        Some(instruction) => format!("i{instruction}"),
        None => format!("argument{}", row.index),
    };
    (row.function.clone(), end)
}

/// What opcost says of every value of the module.
pub(super) fn query(opcost: &Path, module: &Path, world: World, folder: &Path) -> Result<(Answers, Taken)> {
    let mut command = Command::new(opcost);
    command.args(["bits", "--json", "-", "--world", world.word()]).arg(module);
    let (text, taken) = timed::run(&mut command, &[], folder)?;
    Ok((read(&text)?, taken))
}

/// What of it a checker believes, and what that is made of.
pub(super) fn query_certified(
    opcost: &Path,
    module: &Path,
    world: World,
    folder: &Path,
) -> Result<(Answers, Certified)> {
    let certificate = folder.join("certificate.json");
    let mut command = Command::new(opcost);
    command.args(["bits", "--json", "-", "--world", world.word(), "--certificate"]);
    let (text, taken) = timed::run(command.arg(&certificate).arg(module), &[], folder)?;
    let mut command = Command::new(opcost);
    command.args(["bits", "--json", "-", "--world", world.word(), "--check"]);
    let (checked, _) = timed::run(command.arg(&certificate).arg(module), &[3], folder)?;
    let CheckedDocument { holds, claims, assumes } = serde_json::from_str(&checked).map_err(|error| {
        Failure::new(format!("`opcost bits --check` said no opcost.bits-check/1: {error}"))
    })?;
    Ok((read(&text)?, Certified { holds, claims, given: assumes.len(), seconds: taken.seconds }))
}

#[derive(Deserialize)]
struct CheckedDocument {
    holds: bool,
    claims: usize,
    assumes: Vec<String>,
}

/// A certificate of a program.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Certified {
    /// Whether the checker accepts it as a whole.
    pub(super) holds: bool,
    /// Claims in it.
    pub(super) claims: usize,
    /// What is taken as given.
    pub(super) given: usize,
    /// To find it, without the solver's own time.
    pub(super) seconds: f64,
}

fn read(text: &str) -> Result<Answers> {
    let document: Document = serde_json::from_str(text)
        .map_err(|error| Failure::new(format!("`opcost bits` said what is no opcost.bits/2: {error}")))?;
    let mut answers = Answers::new();
    for function in document.functions {
        for value in function.values {
            let end = value.key.rsplit(':').next().unwrap_or_default().to_owned();
            answers.insert((function.name.clone(), end), value);
        }
    }
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"schema": "opcost.bits/2", "functions": [{"name": "f", "values": [
        {"key": "f:argument1", "text": "%n", "declared": 32, "width": 7, "signed": false, "dead_bits": 2,
         "range": "0..124 in steps of 4", "least": 0, "greatest": 124, "because": "a table"},
        {"key": "f:i3", "text": "%3 = add", "declared": 8, "width": 0, "signed": false, "dead_bits": 0,
         "range": "-3", "least": -3, "greatest": -3, "because": null},
        {"key": "f:i4", "text": "%4 = add", "declared": 8, "width": 0, "signed": false, "dead_bits": 0,
         "range": "never", "least": null, "greatest": null, "because": null}]}]}"#;

    fn of(end: &str) -> Own {
        read(DOCUMENT).unwrap()[&("f".to_owned(), end.to_owned())].clone()
    }

    #[test]
    fn values_are_found_by_number() {
        let row = |index| Row { function: "f".to_owned(), index, parameters: 2, ..Row::default() };
        assert_eq!(key(&row(1)).1, "argument1");
        assert_eq!(key(&row(2)).1, "i0");
        assert_eq!(read(DOCUMENT).unwrap()[&key(&row(5))].text, "%3 = add");
        assert!(read("{}").is_err());
    }

    #[test]
    fn a_constant_has_the_bits_of_its_number() {
        assert_eq!((of("argument1").needed(), of("argument1").slice()), (7, 5));
        // -3 in two's complement.
        assert_eq!((of("i3").needed(), of("i3").slice()), (3, 0));
        assert_eq!(of("i4").needed(), 0);
    }

    #[test]
    fn what_was_seen_contradicts_or_not() {
        let seen = |least: i64, most: i64, any: u64, every: u64| Observed {
            times: 2,
            any,
            every,
            low: least.cast_unsigned(),
            high: most.cast_unsigned(),
            least,
            most,
        };
        let value = of("argument1");
        assert_eq!(value.contradiction(&seen(0, 124, 124, 0)), None);
        assert_eq!(value.contradiction(&seen(0, 125, 125, 0)).as_deref(), Some("it was 0..125"));
        let minus = |number: i64| seen(number, number, 0xfd, 0xfd);
        assert_eq!(of("i3").contradiction(&minus(-3)), None);
        assert!(of("i3").contradiction(&minus(-4)).is_some());
        assert_eq!(of("i4").contradiction(&seen(1, 1, 1, 1)).as_deref(), Some("it was computed"));
    }
}
