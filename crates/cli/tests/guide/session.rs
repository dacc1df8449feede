//! What do the commands of a page print?
//!
//! All commands of a page run in one shell, so that variables, `cd` and background programs go on
//! from one to the next as they do for a reader. Between them the shell writes a mark with the
//! status. Standard output and standard error are one stream, as on a terminal; input is empty. The
//! folder of the session is written as `/home/you`. Cost: that of the commands.

use std::path::Path;
use std::process::Stdio;

use opcost_testkit::command::Workplace;

use crate::page::{Block, Page, Shown};

/// Stands before the status of each command; no program prints it.
const MARK: &str = "\u{1e}guide";

/// Runs the page and compares; what is wrong. Writes it, where that is asked for.
pub(crate) fn run(page: &mut Page, examples: &Path) -> Vec<String> {
    let place = Workplace::new(env!("CARGO_BIN_EXE_opcost"));
    if let Some(files) = &page.files {
        let from = examples.join(files);
        place.tool("cp", &["-r", &format!("{}/.", from.display()), "."]);
    }
    let outputs = outputs_of(page, &place);
    let is_to_be_written = std::env::var_os("OPCOST_WRITE_GUIDE").is_some();
    let name = page.name.clone();
    let mut faults = Vec::new();
    let mut outputs = outputs.into_iter();
    for block in &mut page.blocks {
        let count = block.commands.len();
        for at in 0..count {
            let place =
                format!("guide/src/{name}:{}: {}", block.commands[at].line, block.commands[at].command);
            let Some(Printed { status, lines }) = outputs.next() else {
                faults.push(format!("{place}\nthe shell ended before it"));
                return faults;
            };
            let is_asked = block.commands.get(at + 1).is_some_and(|next| next.command == "echo $?");
            if status != 0 && !is_asked {
                faults.push(format!(
                    "{place}\nends with {status}, and `echo $?` does not follow:\n{}",
                    lines.join("\n")
                ));
            }
            let cut = shortened(lines, block.shown);
            if is_same(&block.commands[at], &cut, block) {
                continue;
            }
            if is_to_be_written {
                block.commands[at].output = cut;
            } else {
                let shown = block.commands[at].output.join("\n");
                faults.push(format!("{place}\nshows\n{shown}\nand prints\n{}", cut.join("\n")));
            }
        }
    }
    if is_to_be_written {
        page.write();
    }
    faults
}

/// What a command printed.
struct Printed {
    status: i32,
    lines: Vec<String>,
}

fn outputs_of(page: &Page, place: &Workplace) -> Vec<Printed> {
    let opcost = Path::new(env!("CARGO_BIN_EXE_opcost"));
    let path = std::env::var("PATH").expect("a PATH");
    let path = format!("{}:{path}", opcost.parent().expect("its folder").display());
    let mut script = String::from("set +m\n");
    for shown in page.blocks.iter().flat_map(|block| &block.commands) {
        let quoted = shown.command.replace('\'', "'\\''");
        script += &format!("eval '{quoted}'\nstatus=$?; printf '\\n{MARK} %d\\n' $status; (exit $status)\n");
    }
    // A file and no pipe: a program that goes on in the background does not hold it open.
    let logs = tempfile::tempdir().expect("a temporary folder");
    let log = std::fs::File::create(logs.path().join("log")).expect("a file");
    let mut command = place.program("bash");
    command.args(["-c", &script]).env("PATH", path).env("COLUMNS", "100").env("LC_ALL", "C.UTF-8");
    // What cargo sets for tests is not in the environment of a reader.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO")) {
        if name != "CARGO_HOME" {
            command.env_remove(name);
        }
    }
    command.stdout(log.try_clone().expect("a second handle")).stderr(log).stdin(Stdio::null());
    command.status().expect("bash starts");
    let bytes = std::fs::read(logs.path().join("log")).expect("the log");
    let text = String::from_utf8_lossy(&bytes).replace(&place.at(""), "/home/you/");
    let text = text.replace(place.at("").trim_end_matches('/'), "/home/you");
    let mut printed = Vec::new();
    let mut rest = text.as_str();
    while let Some((output, behind)) = rest.split_once(&format!("\n{MARK} ")) {
        let (status, next) = behind.split_once('\n').unwrap_or((behind, ""));
        let lines = output.trim_end_matches('\n').lines().map(|line| line.trim_end().to_owned());
        printed.push(Printed { status: status.parse().unwrap_or(-1), lines: lines.collect() });
        rest = next;
    }
    printed
}

/// The lines that are shown.
fn shortened(mut lines: Vec<String>, shown: Option<usize>) -> Vec<String> {
    if let Some(count) = shown.filter(|count| lines.len() > *count) {
        lines.truncate(count);
        lines.push("…".to_owned());
    }
    lines
}

fn is_same(shown: &Shown, printed: &[String], block: &Block) -> bool {
    if !block.varies {
        return shown.output == printed;
    }
    let masked =
        |lines: &[String]| -> Vec<String> { lines.iter().map(|line| without_numbers(line)).collect() };
    masked(&shown.output) == masked(printed)
}

/// A line without what varies: digits with what stands between them, bars, and blanks.
fn without_numbers(line: &str) -> String {
    let is_of_number = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '▁'..='▏');
    let words = line.split_whitespace().map(|word| word.replace(is_of_number, ""));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
