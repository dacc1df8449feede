//! Do the commands of README do what the text says, to the letter of what they print? The guide has a
//! test of its own.
//!
//! Every fenced block of the documents is read (`text`), and every command in it stands in a list
//! (`list`) with the way it is tried: its output is compared with the lines below it, or its exit
//! status is, or another test runs it, which is named. A command that is not in the list fails the
//! test, and so does an entry that no document has. Commands run one after another in one folder,
//! as a reader would type them. Lines that are `…` stand for any lines; blanks do not count.
//!
//! Cost: the programs are small; all together take less than a minute.

mod list;
mod text;

use std::path::{Path, PathBuf};
use std::process::Command;

use list::{Expected, LIST};
use opcost_testkit::command::{ProgramOutput, Workplace};
use text::{Example, examples};

/// The documents, from the root of the repository.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let documents =
        ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "crates/host/examples/game/README.md"];
    documents.map(|document| root.join(document)).into()
}

fn all_examples() -> Vec<Example> {
    documents().iter().flat_map(|path| examples(path)).collect()
}

#[test]
fn every_command_is_tried_and_every_trial_is_of_a_command() {
    let examples = all_examples();
    let mut wrong = Vec::new();
    for example in &examples {
        if !LIST.iter().any(|tried| tried.command == example.command) {
            wrong.push(format!("{}: nothing tries: {}", example.place, example.command));
        }
    }
    for tried in LIST {
        if !examples.iter().any(|example| example.command == tried.command) {
            wrong.push(format!("no document has: {}", tried.command));
        }
    }
    assert!(wrong.is_empty(), "add to or take from documented/list.rs:\n{}", wrong.join("\n"));
}

#[test]
fn every_command_prints_what_its_document_says() {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.to_str().expect("a path in UTF-8");
    let copy = format!(
        "cp -r {root}/corpus . && cd {root} && cp -r --parents crates/host/examples/game \"$OLDPWD\""
    );
    assert_eq!(shell(&place, "", &copy).status, 0);
    let examples = all_examples();
    let mut wrong = Vec::new();
    for tried in LIST {
        let Expected::Here(folder) = tried.expected else { continue };
        for example in examples.iter().filter(|example| example.command == tried.command) {
            wrong.extend(fault(&place, folder, example));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What is wrong with an example, if anything is.
fn fault(place: &Workplace, folder: &str, example: &Example) -> Option<String> {
    let said = shell(place, folder, &example.command);
    let about = format!("{}: {}", example.place, example.command);
    if said.status != 0 {
        return Some(format!("{about}\nends with {}:\n{}", said.status, said.all()));
    }
    let all = said.all();
    let mut lines = all.lines().map(bare);
    for documented in example.output.iter().filter(|line| !matches!(line.trim(), "…" | "")) {
        let wanted = bare(documented);
        if !lines.any(|line| line == wanted) {
            return Some(format!("{about}\ndoes not print, or not in this order:\n{documented}\nbut\n{all}"));
        }
    }
    None
}

/// A line without what may differ: blanks.
fn bare(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a line of a document as its reader would, with `opcost` in PATH.
fn shell(place: &Workplace, folder: &str, line: &str) -> ProgramOutput {
    let opcost = Path::new(env!("CARGO_BIN_EXE_opcost"));
    let path = std::env::var("PATH").expect("a PATH");
    let path = format!("{}:{path}", opcost.parent().expect("its folder").display());
    let mut command: Command = place.program("bash");
    command.args(["-c", &format!("exec 2>&1; {line}\n")]).env("PATH", path).env("COLUMNS", "100");
    ProgramOutput::of(command.current_dir(place.path(folder)))
}
