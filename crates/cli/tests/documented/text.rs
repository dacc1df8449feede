//! Which commands does a document show, and what does it say that they print?
//!
//! A block has a prompt (`$` or `>`) before each command, and output below; or it has no prompt,
//! and then each line that begins as a command does is one, without output. Comments behind `#`
//! are not part of a command. A line that ends in `\` goes on in the next, and so does one with
//! the prompt `>` below one with `$`.

use std::path::Path;

/// A command of a document.
pub(crate) struct Example {
    /// `README.md:12`.
    pub(crate) place: String,
    /// The command, in one line.
    pub(crate) command: String,
    /// What the document shows below.
    pub(crate) output: Vec<String>,
}

/// All of a document.
pub(crate) fn examples(path: &Path) -> Vec<Example> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let name = path.file_name().expect("a file").to_string_lossy();
    let mut found: Vec<Example> = Vec::new();
    let mut block: Option<Vec<(usize, &str)>> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut block) {
            // Other languages have no commands.
            (Some(language), None) if language.is_empty() || language == "sh" => block = Some(Vec::new()),
            (Some(_), None) => block = Some(vec![(usize::MAX, "")]),
            (Some(_), Some(lines)) => {
                if lines.first().is_none_or(|(number, _)| *number != usize::MAX) {
                    found.extend(of_block(&name, lines));
                }
                block = None;
            }
            (None, Some(lines)) => lines.push((number + 1, line)),
            (None, None) => {}
        }
    }
    found
}

fn of_block(name: &str, lines: &[(usize, &str)]) -> Vec<Example> {
    let dollar = lines.iter().any(|(_, line)| line.starts_with("$ "));
    let prompt = if dollar { "$ " } else { "> " };
    let has_prompt = lines.iter().any(|(_, line)| line.starts_with(prompt));
    let mut found: Vec<Example> = Vec::new();
    let mut goes_on = false;
    for (number, line) in lines {
        let begun = match (line.strip_prefix(prompt), has_prompt) {
            (Some(command), true) => Some(command),
            (None, false) if is_command(line) => Some(*line),
            _ => None,
        };
        if let Some(command) = begun {
            let place = format!("{name}:{number}");
            found.push(Example { place, command: without_comment(command), output: Vec::new() });
        } else if let Some(last) = found.last_mut() {
            let more = line.strip_prefix("> ").filter(|_| dollar && last.output.is_empty());
            match more.or(goes_on.then_some(*line)) {
                Some(more) => last.command = format!("{} {}", last.command, without_comment(more.trim())),
                None if has_prompt => last.output.push((*line).to_owned()),
                None => {}
            }
        }
        goes_on = false;
        if let Some(last) = found.last_mut().filter(|last| last.command.ends_with('\\')) {
            last.command = last.command.trim_end_matches('\\').trim_end().to_owned();
            goes_on = true;
        }
    }
    found
}

/// Whether a line of a block without prompts is a command.
fn is_command(line: &str) -> bool {
    let known = ["opcost ", "cargo ", "./", "CC=", "clang-22 ", "rustc ", "c++ ", "for "];
    known.iter().any(|begin| line.starts_with(begin))
}

fn without_comment(command: &str) -> String {
    command.split(" #").next().expect("the first of many").trim_end().to_owned()
}
