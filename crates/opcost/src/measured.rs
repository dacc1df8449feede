//! What do instructions, calls and memory take on this machine?
//!
//! The program that measures (`crates/timing/c`) is compiled by the clang at hand and run. It writes a
//! line for each thing. It runs until two runs agree, at most four times. Input: nothing. Output: a
//! timing file's content. Cost: two to four minutes; all that is made lies in a folder that goes away.
//! Limits: other work on the machine shows as noise, and a noisy machine is refused. Load that two runs
//! share is not noticed.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use opcost_interrupt::Scratch;
use opcost_timing::{MEASURE, MeasuredLines, Processor, Timing, joined};
use opcost_toolchain::build::processor;
use opcost_toolchain::running::run_tool;
use opcost_toolchain::tools::Tools;

use crate::Failure;
use crate::machine::processor_name;

/// Runs until two agree.
const MOST_RUNS: u32 = 4;

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
    let processor = Processor {
        name: processor_name(),
        model: here.name,
        target: here.target.split('-').next().unwrap_or_default().to_owned(),
        cycle: 0.0,
        agreement: None,
    };
    let mut before: Vec<Timing> = Vec::new();
    let mut refused = None;
    for _ in 0..MOST_RUNS {
        let timing = match lines(Command::new(&program))?.timing(processor.clone()) {
            Ok(timing) => timing,
            Err(error) => {
                refused = Some(error);
                continue;
            }
        };
        for other in &before {
            match joined(other, &timing) {
                Ok(both) => return Ok(both),
                Err(error) => refused = Some(error),
            }
        }
        before.push(timing);
    }
    let words = refused.map_or_else(|| "nothing was measured".to_owned(), |error| error.to_string());
    Err(Failure::Counters(words))
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
