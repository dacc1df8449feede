//! What counting costs the build: processor time beside clang's own.
//!
//! The plain build and opcost's run alternately; times are the kernel's
//! account of the compiler and all its children. What opcost does between
//! clang's two halves (read, snapshot, plan, map, apply) it tells itself with
//! `--time`, each phase in processor time of the one process that does it;
//! machine code is made once either way.

use super::columns::{Builder, Column};
use super::figures::{Row, median};
use crate::failure::{Failure, Result};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use wait4::Wait4;

/// Builds of each kind; a build is long, and its time a matter of per cents.
pub(crate) const ROUNDS: usize = 3;

/// What building one program took; medians.
pub(crate) struct Building {
    pub(crate) program: String,
    /// Seconds of user time of the plain build.
    pub(crate) plain: f64,
    /// Seconds of user time of opcost's build, clang's part included.
    pub(crate) opcost: f64,
    /// Seconds of processor time between clang's two halves, all modules.
    pub(crate) added: f64,
    /// Largest memory of a process that handles a module, in megabytes.
    pub(crate) peak: f64,
}

/// Builds every program of the table that opcost could build.
pub(crate) fn measure(rows: &[Row], builder: &Builder, folder: &Path) -> Result<Vec<Building>> {
    rows.iter().filter(|_| builder.opcost().is_ok()).map(|row| one(row, builder, folder)).collect()
}

fn one(row: &Row, builder: &Builder, folder: &Path) -> Result<Building> {
    eprintln!("bench: building {} again, {ROUNDS} times each way", row.program.name);
    let executable = folder.join("again");
    let (mut plain, mut opcost, mut added, mut peaks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut command = builder.command(Column::Plain, &row.program, &executable)?;
        // opcost asks clang for lines, and so must the build it is held to.
        command.arg("-gline-tables-only");
        plain.push(run(&mut command, folder)?.0);
        let mut command = builder.command(Column::Opcost, &row.program, &executable)?;
        let (seconds, said) = run(command.arg("--time"), folder)?;
        opcost.push(seconds);
        let phases: Vec<Phases> = said.lines().filter_map(Phases::read).collect();
        if phases.is_empty() {
            return Err(Failure::new(format!("opcost --time prints no phases: {said}")));
        }
        added.push(phases.iter().map(|phases| phases.added).sum());
        peaks.push(phases.iter().map(|phases| phases.peak).fold(0.0, f64::max));
    }
    let middle = |values: &[f64]| median(values).unwrap_or_default();
    Ok(Building {
        program: row.program.name.clone(),
        plain: middle(&plain),
        opcost: middle(&opcost),
        added: middle(&added),
        peak: middle(&peaks),
    })
}

/// User time of the command and its children, and what it said.
fn run(command: &mut Command, folder: &Path) -> Result<(f64, String)> {
    let said = folder.join("stderr");
    let file = File::create(&said).map_err(|error| Failure::at("create", &said, error))?;
    let child = command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).spawn();
    let name = command.get_program().to_string_lossy().into_owned();
    let child = child.map_err(|error| Failure::new(format!("`{name}` does not start: {error}")))?;
    let used = child.wait4().map_err(|error| Failure::new(format!("cannot wait for `{name}`: {error}")))?;
    let said = std::fs::read_to_string(&said).unwrap_or_default();
    if used.status.success() {
        Ok((used.rusage.utime.as_secs_f64(), said))
    } else {
        Err(Failure::new(format!("`{name}` ended with {}: {said}", used.status)))
    }
}

/// One line of `--time`.
#[derive(Debug, PartialEq)]
struct Phases {
    added: f64,
    peak: f64,
}

impl Phases {
    fn read(line: &str) -> Option<Phases> {
        let (_, rest) = line.split_once(" instructions · ")?;
        let mut phases = Phases { added: 0.0, peak: 0.0 };
        for part in rest.split(" · ") {
            let mut words: Vec<&str> = part.split_whitespace().collect();
            words.pop();
            let value: f64 = words.pop()?.parse().ok()?;
            match words.join(" ").as_str() {
                "peak" => phases.peak = value,
                "machine code" => {}
                _ => phases.added += value,
            }
        }
        Some(phases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_phases_is_read() {
        let line = "a.c: 7 instructions · read 0.41 s · apply 0.20 s · machine code 9.00 s · peak 297 MB";
        let phases = Phases::read(line).unwrap();
        assert!((phases.added - 0.61).abs() < 1e-9 && (phases.peak - 297.0).abs() < 1e-9, "{phases:?}");
        assert_eq!(Phases::read("clang: warning: something"), None);
    }
}
