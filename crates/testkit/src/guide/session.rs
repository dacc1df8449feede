//! What do the commands of a page print?
//!
//! All commands of a page run in one shell ([`script_of`]), so that variables, `cd` and background
//! programs go on from one to the next as they do for a reader. Between them the shell writes a mark
//! with the status. Standard output and standard error are one stream, as on a terminal. Whoever
//! runs the script gives what it printed to [`compare`]. The folder of the session is written as
//! `/home/you`. Cost: that of the commands.

use super::page::{GuideBlock, GuidePage, Shown};

/// Precedes the status of each command; no program prints it.
const MARK: &str = "\u{1e}guide";

/// The script of a page for bash.
pub fn script_of(page: &GuidePage) -> String {
    let mut script = String::from("set +m\n");
    for shown in page.blocks.iter().flat_map(|block| &block.commands) {
        let quoted = shown.command.replace('\'', "'\\''");
        script += &format!("eval '{quoted}'\nstatus=$?; printf '\\n{MARK} %d\\n' $status; (exit $status)\n");
    }
    script
}

/// Compares what the script printed in the folder `home` with what the page shows; what is wrong.
/// Writes the page instead, if `OPCOST_WRITE_GUIDE` is set.
///
/// # Panics
/// If the page cannot be written.
pub fn compare(page: &mut GuidePage, log: &str, home: &str) -> Vec<String> {
    let home = home.trim_end_matches('/');
    let outputs = outputs_of(&log.replace(&format!("{home}/"), "/home/you/").replace(home, "/home/you"));
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

fn outputs_of(text: &str) -> Vec<Printed> {
    let mut printed = Vec::new();
    let mut rest = text;
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

fn is_same(shown: &Shown, printed: &[String], block: &GuideBlock) -> bool {
    if !block.varies {
        return shown.output == printed;
    }
    let masked =
        |lines: &[String]| -> Vec<String> { lines.iter().map(|line| without_numbers(line)).collect() };
    masked(&shown.output) == masked(printed)
}

/// A line without what varies: digits with what is between them, bars, and blanks.
fn without_numbers(line: &str) -> String {
    let is_of_number = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ',' | '▁'..='▏');
    let words = line.split_whitespace().map(|word| word.replace(is_of_number, ""));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
