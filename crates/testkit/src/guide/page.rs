//! Which sessions does a page of the guide show?
//!
//! Input: a file of Markdown. Output: its lines, and of each block fenced as `console` the commands
//! with the lines that stand below them. A command begins with `$ ` and goes on in lines that begin
//! with `> `, as a shell shows it; all other lines are output. [`GuidePage::write`] puts other outputs in
//! their place and leaves everything else as it is. Limits: a fence is three backticks at the
//! beginning of a line.

use std::path::{Path, PathBuf};

/// A page.
pub struct GuidePage {
    /// Its path below `guide/src`.
    pub name: String,
    /// What its reader has installed in addition to opcost: names of packages, and `rust`.
    pub needs: Vec<String>,
    /// The folder of `guide/examples` that its reader has.
    pub files: Option<String>,
    /// Blocks that are run.
    pub blocks: Vec<GuideBlock>,
    path: PathBuf,
    lines: Vec<String>,
    faults: Vec<String>,
}

/// A block of commands.
pub struct GuideBlock {
    /// How many lines of each output are shown, if not all are.
    pub shown: Option<usize>,
    /// Whether digits and bars vary.
    pub varies: bool,
    /// In order.
    pub commands: Vec<Shown>,
    /// Lines of the page between the fences.
    inner: std::ops::Range<usize>,
}

/// A command and what the page shows below it.
pub struct Shown {
    /// The line of the page, from 1.
    pub line: usize,
    /// Without prompts; several lines where it goes on.
    pub command: String,
    /// Lines that the page shows below it.
    pub output: Vec<String>,
}

/// Languages of blocks that nothing runs: sources, and texts that no command prints. A script (`sh`)
/// is a file that is included.
const OTHERS: &[&str] =
    &["text", "c", "cpp", "rust", "fortran", "toml", "yaml", "json", "sql", "llvm", "ignore"];

impl GuidePage {
    /// Reads a page below the folder `source`.
    ///
    /// # Panics
    /// If the file cannot be read.
    pub fn read(path: &Path, source: &Path) -> GuidePage {
        let text =
            std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let name = path.strip_prefix(source).unwrap_or(path).display().to_string();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut page = GuidePage {
            name,
            needs: Vec::new(),
            files: None,
            blocks: Vec::new(),
            path: path.to_owned(),
            lines,
            faults: Vec::new(),
        };
        page.read_lines();
        page
    }

    fn read_lines(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let mut open: Option<(usize, &str)> = None;
        for (at, line) in lines.iter().enumerate() {
            let fence = line.strip_prefix("```");
            if let (None, None) = (open, fence) {
                let note = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
                match note.and_then(|note| note.split_once(": ")) {
                    Some(("files", folder)) => self.files = Some(folder.to_owned()),
                    Some(("needs", names)) => self.needs = names.split(", ").map(str::to_owned).collect(),
                    _ => {}
                }
            }
            match (open, fence) {
                (None, Some(info)) => open = Some((at, info)),
                (Some((begin, info)), Some("")) => {
                    self.block(&lines, info, begin + 1..at);
                    open = None;
                }
                _ => {}
            }
        }
        if let Some((begin, _)) = open {
            self.fault(begin, "no fence closes this block");
        }
        self.lines = lines;
    }

    fn fault(&mut self, at: usize, what: &str) {
        self.faults.push(format!("guide/src/{}:{}: {what}", self.name, at + 1));
    }

    fn block(&mut self, lines: &[String], info: &str, inner: std::ops::Range<usize>) {
        let begin = inner.start - 1;
        let mut words = info.split(',');
        let language = words.next().unwrap_or_default();
        let is_included = lines[inner.clone()].first().is_some_and(|line| line.starts_with("{{#include "));
        if OTHERS.contains(&language) || (language == "sh" && is_included) {
            return;
        }
        if language != "console" {
            return self.fault(begin, &format!("a block is console, or one of {}", OTHERS.join(", ")));
        }
        let mut block = GuideBlock { shown: None, varies: false, commands: Vec::new(), inner };
        for word in words {
            match word.split_once('=') {
                None if word == "varies" => block.varies = true,
                None if word == "elsewhere" => {
                    let before = lines[..begin].iter().rev().find(|line| !line.is_empty());
                    if !before.is_some_and(|line| line.starts_with("<!-- not run: ")) {
                        self.fault(begin, "`<!-- not run: … -->` in front of this block says why");
                    }
                    return;
                }
                Some(("lines", count)) => block.shown = count.parse().ok(),
                _ => self.fault(begin, &format!("`{word}` is no word for a block of commands")),
            }
        }
        for at in block.inner.clone() {
            let line = &lines[at];
            if let Some(command) = line.strip_prefix("$ ") {
                block.commands.push(Shown { line: at + 1, command: command.to_owned(), output: Vec::new() });
            } else if let Some(last) = block.commands.last_mut() {
                match line.strip_prefix("> ").filter(|_| last.output.is_empty()) {
                    Some(more) => last.command = format!("{}\n{more}", last.command),
                    None => last.output.push(line.trim_end().to_owned()),
                }
            } else {
                self.fault(at, "output without a command");
            }
        }
        self.blocks.push(block);
    }

    /// What is wrong with the form of the page.
    pub fn faults(&self) -> Vec<String> {
        self.faults.clone()
    }

    /// Whether there is anything to run.
    pub fn has_commands(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// Writes the page with the outputs of its blocks as they are now.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn write(&self) {
        let mut lines: Vec<String> = Vec::new();
        let mut at = 0;
        for block in &self.blocks {
            lines.extend_from_slice(&self.lines[at..block.inner.start]);
            for shown in &block.commands {
                for (number, line) in shown.command.lines().enumerate() {
                    lines.push(format!("{} {line}", if number == 0 { '$' } else { '>' }));
                }
                lines.extend(shown.output.iter().cloned());
            }
            at = block.inner.end;
        }
        lines.extend_from_slice(&self.lines[at..]);
        std::fs::write(&self.path, lines.join("\n") + "\n").expect("the page can be written");
    }
}
