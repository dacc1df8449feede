//! How right are counts that are predicted from the code?
//!
//! Every program of `corpus/loops` but the hard ones, and those of the corpus that are C or Fortran,
//! is counted once at -O1 without input files, and predicted from its code with `--defaults --guess`.
//! The document of `opcost predict --against` has how near the prediction is, beside LLVM's block
//! frequencies and static probabilities, each times the counted entries of its functions.
//!
//! A program that cannot be counted or predicted stays in the table with its reason.

use crate::command;
use crate::corpus;
use crate::failure::{Failure, Result};
use crate::loops::sets::sets;
use crate::manifest::Language;
use serde_json::Value;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The sets of `corpus/loops` that are programs with a meaning.
const SETS: [&str; 3] = ["fortran", "c", "kernels"];

/// A program as it is counted and predicted.
struct Subject {
    name: String,
    /// Flags and sources.
    inputs: Vec<OsString>,
    libraries: Vec<String>,
    arguments: Vec<String>,
}

/// One line of the table.
struct Line {
    name: String,
    /// The document of the prediction, or why there is none.
    document: std::result::Result<Value, String>,
}

/// Counts and predicts each program: the part of the page about counts.
pub(super) fn part(programs: &[String], opcost: &Path, folder: &Path) -> Result<String> {
    let mut lines = Vec::new();
    for subject in subjects(programs)? {
        eprintln!("bench: counts of {}", subject.name);
        let document = held(&subject, opcost, folder).map_err(|failure| failure.to_string());
        lines.push(Line { name: subject.name, document });
    }
    let mut part = String::new();
    if !lines.is_empty() {
        write_nearness(&mut part, &lines);
        write_classes(&mut part, &lines);
    }
    Ok(part)
}

/// The programs that are wanted: by `SET/NAME`, those of the corpus by their names.
fn subjects(programs: &[String]) -> Result<Vec<Subject>> {
    let is_wanted = |name: &str| programs.is_empty() || programs.iter().any(|one| one == name);
    let mut all = Vec::new();
    for set in sets()?.into_iter().filter(|set| SETS.contains(&set.name)) {
        for member in set.members {
            let name = format!("{}/{}", set.name, member.name);
            if !is_wanted(&name) {
                continue;
            }
            let sources = [member.source].into_iter().chain(member.common).map(PathBuf::into_os_string);
            let inputs = member.flags.into_iter().chain(sources).collect();
            // Threads are in the C library itself, and no input of opcost.
            let libraries = member.libraries.into_iter().filter(|library| library != "-pthread").collect();
            all.push(Subject { name, inputs, libraries, arguments: Vec::new() });
        }
    }
    let is_read = |language: &Language| matches!(language, Language::C | Language::Fortran);
    for program in corpus::programs(&[])?.into_iter().filter(|program| is_read(&program.language)) {
        if !is_wanted(&program.name) {
            continue;
        }
        let flags = program.flags.iter().map(OsString::from);
        let inputs = flags.chain(program.sources.iter().map(|path| path.clone().into_os_string())).collect();
        let libraries = program.libraries.into_iter().filter(|library| library != "-pthread").collect();
        let arguments = program.small;
        all.push(Subject { name: program.name, inputs, libraries, arguments });
    }
    Ok(all)
}

/// Counts a program and holds its prediction against that. It runs in an empty folder, so that it has no input.
fn held(subject: &Subject, opcost: &Path, folder: &Path) -> Result<Value> {
    let empty = folder.join("empty");
    fs::create_dir_all(&empty).map_err(|error| Failure::at("create", &empty, error))?;
    let run = folder.join(format!("{}.opc", subject.name.replace('/', "-")));
    let words = |command: &mut Command, libraries: &[String]| {
        command.current_dir(&empty).arg("-O1").args(&subject.inputs).args(libraries);
        if !subject.arguments.is_empty() {
            command.arg("--").args(&subject.arguments);
        }
    };
    let mut count = Command::new(opcost);
    count.arg("count").arg("--ledger").arg(&run);
    words(&mut count, &subject.libraries);
    command::output_of(&mut count)?;
    let mut predict = Command::new(opcost);
    predict.args(["predict", "--defaults", "--guess", "--json", "-", "--against"]).arg(&run);
    words(&mut predict, &subject.libraries);
    let text = command::output_of(&mut predict)?;
    serde_json::from_str(&text).map_err(|error| Failure::new(format!("{}: {error}", subject.name)))
}

fn percent(value: &Value) -> String {
    value.as_f64().map_or_else(|| "none".to_owned(), |share| format!("{:.1}", 100.0 * share))
}

fn write_nearness(page: &mut String, lines: &[Line]) {
    page.push_str(
        "\n## How near\n\nIn percent. *Within 1 %*: the share of the run's block executions in blocks that are predicted \
         within 1 %. LLVM's block frequencies and static probabilities get the counted entries of each function. *Mean*: of \
         |p − r| / min(p, r) over blocks that ran; *without far*: without blocks that are off by more than 2 ×. *Overlap*: as \
         `opcost overlap` measures it. *Exact*: the share of predicted executions in blocks that are called exact.\n\n\
         | program | within 1 % | LLVM | static | mean | without far | overlap | exact |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for line in lines {
        match &line.document {
            Ok(document) => {
                let against = &document["against"];
                let _ = writeln!(
                    page,
                    "| {} | {} | {} | {} | {} | {} | {} | {} |",
                    line.name,
                    percent(&against["within_1_percent"]),
                    percent(&against["llvm"]["within_1_percent"]),
                    percent(&against["statics"]["within_1_percent"]),
                    percent(&against["mean_error"]),
                    percent(&against["mean_error_without_far"]),
                    percent(&against["overlap"]["program_block"]),
                    percent(&exact_share(document)),
                );
            }
            Err(reason) => {
                let reason = reason.lines().next().unwrap_or_default().replace('|', "/");
                let _ = writeln!(page, "| {} | none: {reason} | | | | | | |", line.name);
            }
        }
    }
}

/// The share of executions in blocks that are called exact.
fn exact_share(document: &Value) -> Value {
    let (mut exact, mut all) = (0.0, 0.0);
    for block in document["blocks"].as_array().into_iter().flatten() {
        let executions = block["executions"].as_f64().unwrap_or(0.0);
        all += executions;
        if block["exact"] == true {
            exact += executions;
        }
    }
    if all > 0.0 { Value::from(exact / all) } else { Value::Null }
}

fn write_classes(page: &mut String, lines: &[Line]) {
    const CLASSES: [&str; 7] =
        ["static_block", "loop_constant", "loop_formula", "run", "loop_bound", "static_loop", "unknown"];
    page.push_str(
        "\n## How it is known\n\nShares of the predicted executions, in percent, by class.\n\n| program |",
    );
    CLASSES.iter().for_each(|class| _ = write!(page, " {class} |"));
    page.push_str("\n|---|");
    CLASSES.iter().for_each(|_| page.push_str("---:|"));
    page.push('\n');
    for line in lines {
        let Ok(document) = &line.document else { continue };
        let _ = write!(page, "| {} |", line.name);
        CLASSES.iter().for_each(|class| _ = write!(page, " {} |", percent(&document["classes"][class])));
        page.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_line_for_each_program_and_reasons() {
        let document = serde_json::json!({
            "against": {"within_1_percent": 0.5, "llvm": {"within_1_percent": 0.25}, "statics":
                {"within_1_percent": 0.0}, "mean_error": null, "mean_error_without_far": 0.125,
                "overlap": {"program_block": 1.0}},
            "blocks": [{"executions": 3, "exact": true}, {"executions": 1, "exact": false},
                {"executions": null, "exact": false}],
            "classes": {"static_block": 1.0},
        });
        let lines = [
            Line { name: "c/a".to_owned(), document: Ok(document) },
            Line { name: "c/b".to_owned(), document: Err("it | stops\nhere".to_owned()) },
        ];
        let mut page = String::new();
        write_nearness(&mut page, &lines);
        write_classes(&mut page, &lines);
        for wanted in [
            "| c/a | 50.0 | 25.0 | 0.0 | none | 12.5 | 100.0 | 75.0 |",
            "| c/b | none: it / stops |",
            "| c/a | 100.0 | none |",
        ] {
            assert!(page.contains(wanted), "{page}");
        }
    }
}
