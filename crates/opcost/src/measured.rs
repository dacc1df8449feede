//! What do instructions, calls and memory take on this machine?
//!
//! The program that measures (`crates/timing/c`) is compiled by the clang at hand and run. It writes a
//! line for each thing. Input: nothing. Output: a timing file's content. Cost: a minute; all that is
//! made lies in a folder that goes away. Limits: only what this process's thread does is timed, so
//! other work on the machine shows as noise, and a noisy machine is refused.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use opcost_interrupt::Scratch;
use opcost_timing::{MEASURE, MeasuredLines, Processor, Timing};
use opcost_toolchain::build::processor;
use opcost_toolchain::tools::{Tools, run_tool};

use crate::Failure;
use crate::machine::processor_name;

/// Measures this machine.
///
/// # Errors
/// There is no clang, the machine is too noisy, or the program ended early.
pub fn measure() -> Result<Timing, Failure> {
    let here = processor()?;
    let folder =
        Scratch::folder("opcost-").map_err(Failure::file("make a folder in", std::env::temp_dir()))?;
    let source = folder.path().join(MEASURE.0);
    std::fs::write(&source, MEASURE.1).map_err(Failure::file("write", &source))?;
    let program = folder.path().join("measure");
    let clang = Tools::find()?.clang;
    let mut command = Command::new(&clang);
    command.args(["-O2", "-w"]).arg(&source).arg("-o").arg(&program).arg("-lm");
    run_tool(&mut command, &clang, &source)?;
    let measurement = lines(Command::new(&program))?;
    measurement
        .timing(Processor {
            name: processor_name(),
            model: here.name,
            target: here.target.split('-').next().unwrap_or_default().to_owned(),
            cycle: 0.0,
        })
        .map_err(|error| Failure::Counters(error.to_string()))
}

/// What a program measures.
fn lines(mut command: Command) -> Result<MeasuredLines, Failure> {
    let program = command.get_program().to_owned();
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = started.map_err(|source| Failure::Start { program: program.clone().into(), source })?;
    let output = child.stdout.take().expect("its output is piped");
    let mut measurement = MeasuredLines::default();
    for line in BufReader::new(output).lines() {
        let line = line.map_err(Failure::file("read", &program))?;
        measurement.add(&line).map_err(|error| Failure::Counters(error.to_string()))?;
    }
    let status = child.wait().map_err(Failure::file("wait for", &program))?;
    match status.success() {
        true => Ok(measurement),
        false => Err(Failure::Counters(format!("the measuring program failed: {status}"))),
    }
}
