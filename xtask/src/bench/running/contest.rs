//! How long do contenders take for the same work, and is it the same?
//!
//! Each round runs all of them, and begins with another one, so a machine that slows down slows all. The first output
//! of the first contender is what the others must print. One that fails or prints something else keeps its reason, and
//! is not run again.
//!
//! Input: a program and contenders. Output: a [`Cell`] for each. Cost: the runs.

use super::contender::{Contender, Job, LONGEST};
use crate::bench::{figures, timed};
use crate::failure::{Failure, Result};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What one contender took.
#[derive(Debug, Default)]
pub(super) struct Cell {
    /// One per round, from the sources to the end.
    pub(super) taken: Vec<Taken>,
    /// What opcost reports of its last run.
    pub(super) document: Option<Value>,
    /// Why there are no figures.
    pub(super) trouble: Option<Failure>,
}

/// Seconds of one run, from the sources to the end.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Taken {
    /// By the clock.
    pub(super) wall: f64,
    /// Of them, until the program began.
    pub(super) start: f64,
    /// User CPU time of all processes.
    pub(super) user: f64,
}

/// One run.
struct Run {
    output: String,
    taken: Taken,
    document: Option<Value>,
}

/// One of the times of a run.
pub(super) type Figure = fn(&Taken) -> f64;

impl Cell {
    /// The times of one kind; none if there is trouble.
    fn times(&self, figure: Figure) -> Vec<f64> {
        if self.trouble.is_some() { Vec::new() } else { self.taken.iter().map(figure).collect() }
    }

    /// The median.
    pub(super) fn median(&self, figure: Figure) -> Option<f64> {
        figures::median(&self.times(figure))
    }

    /// As a ratio to another cell.
    pub(super) fn ratio(&self, plain: &Cell, figure: Figure) -> Option<f64> {
        figures::ratio_in_rounds(&self.times(figure), &plain.times(figure))
    }

    /// How far runs are from each other; one run says nothing.
    pub(super) fn spread(&self, figure: Figure) -> Option<f64> {
        figures::spread(&self.times(figure)).filter(|_| self.taken.len() > 1)
    }
}

/// Runs all of them in rounds.
pub(super) fn rounds(job: &Job, contenders: &[Contender], rounds: usize) -> Vec<Cell> {
    let mut cells: Vec<Cell> = contenders.iter().map(|_| Cell::default()).collect();
    let mut expected = None;
    for round in 0..rounds {
        eprintln!("bench: {}, round {} of {rounds}", job.program.name, round + 1);
        for step in 0..contenders.len() {
            let at = (round + step) % contenders.len();
            if cells[at].trouble.is_some() {
                continue;
            }
            let run = once(contenders[at], job);
            if at == 0 && expected.is_none() {
                expected = run.as_ref().ok().map(|run| run.output.clone());
            }
            cells[at].add(run, expected.as_deref());
        }
    }
    cells
}

impl Cell {
    /// One more run. There is no output to expect where the first contender failed, and that is in its cell.
    fn add(&mut self, run: Result<Run>, expected: Option<&str>) {
        match run {
            Ok(run) if expected.is_none_or(|expected| expected == run.output) => {
                self.taken.push(run.taken);
                self.document = run.document;
            }
            Ok(_) => {
                self.trouble = Some(Failure::new("**wrong**: it prints something else than `clang -O2`"))
            }
            Err(failure) => self.trouble = Some(failure),
        }
    }
}

fn once(contender: Contender, job: &Job) -> Result<Run> {
    let mut whole = Taken::default();
    let mut output = String::new();
    let is_opcost = matches!(contender, Contender::Opcost(_));
    if is_opcost {
        job.forget()?;
    }
    for command in &mut contender.commands(job)? {
        let (printed, taken) = run(command, &job.folder)?;
        output = printed;
        whole = Taken { wall: whole.wall + taken.wall, start: whole.wall, user: whole.user + taken.user };
    }
    let document = is_opcost.then(|| document(job)).transpose()?;
    if let Some(start) = document.as_ref().and_then(|one| one["milliseconds_to_start"].as_f64()) {
        whole.start = start / 1e3;
    }
    Ok(Run { output, taken: whole, document })
}

/// What opcost reports of the last run.
pub(super) fn document(job: &Job) -> Result<Value> {
    let path = job.document();
    let text = fs::read_to_string(&path).map_err(|error| Failure::at("read", &path, error))?;
    serde_json::from_str(&text).map_err(|error| Failure::at("understand", &path, error))
}

/// Runs a command that is ended after some time; its name is not that of what ends it.
pub(super) fn run(command: &mut Command, folder: &Path) -> Result<(String, timed::Taken)> {
    let tool = command.get_args().nth(2).map(Path::new).and_then(Path::file_name);
    let tool = tool.unwrap_or_default().to_string_lossy().into_owned();
    timed::run(command, &[], folder).map_err(|failure| {
        let text = failure.to_string().replacen("`timeout`", &format!("`{tool}`"), 1);
        if text.contains("ended with exit status: 124") {
            return Failure::new(format!("`{tool}` was ended after {LONGEST} s"));
        }
        Failure::new(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::running::contender::limited;

    fn run_of(output: &str, wall: f64) -> Run {
        let taken = Taken { wall, start: 0.5, user: 2.0 * wall };
        Run { output: output.to_owned(), taken, document: None }
    }

    #[test]
    fn a_wrong_output_is_trouble_and_gives_no_figures() {
        let (mut plain, mut fast, mut wrong) = (Cell::default(), Cell::default(), Cell::default());
        for wall in [2.0, 4.0] {
            plain.add(Ok(run_of("7", wall)), Some("7"));
            fast.add(Ok(run_of("7", wall / 2.0)), Some("7"));
        }
        wrong.add(Ok(run_of("7", 1.0)), Some("7"));
        wrong.add(Ok(run_of("8", 1.0)), Some("7"));
        assert_eq!(fast.ratio(&plain, |taken| taken.wall), Some(0.5));
        assert_eq!(plain.median(|taken| taken.user), Some(6.0));
        assert_eq!(wrong.median(|taken| taken.wall), None);
        assert!(wrong.trouble.unwrap().to_string().contains("wrong"));
    }

    #[test]
    fn a_failure_names_its_tool() {
        let folder = std::env::temp_dir();
        let mut command = Command::new("sh");
        command.args(["-c", "echo reason >&2; exit 4"]);
        let failure = run(&mut limited(&command), &folder).err().unwrap().to_string();
        assert!(failure.contains("`sh` ended with exit status: 4: reason"), "{failure}");
    }
}
