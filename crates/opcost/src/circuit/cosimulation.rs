//! The C function against its circuit.
//!
//! A driver in the function's language calls it with inputs at random and writes them down with what came out; it is
//! compiled with sanitizers, so that inputs with which the function does something undefined are not
//! compared. The testbench gives the circuit the same inputs, simulated by iverilog, and compares the
//! result and every element of every memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use opcost_answer::Failure;
use opcost_answer::hdl::HdlSimulation;

use super::tool::{INSTALL_CLANG, carry_out, complaint};
use super::{Circuit, Interface};
use crate::progress::work;

/// What a simulation showed.
pub(super) struct Outcome {
    pub(super) simulation: HdlSimulation,
    /// Runs with an address that is no element of its memory; they are not among the wrong ones.
    pub(super) outside: u64,
}

/// What is simulated, by names in the folder.
pub(super) struct Simulated {
    /// The circuit's sources; the simulator's program is called after the first.
    pub(super) sources: Vec<PathBuf>,
    /// What drives it.
    pub(super) testbench: String,
}

impl Circuit<'_> {
    /// Calls the function so often with inputs by a seed, and the circuit with the same.
    ///
    /// # Errors
    /// A tool is missing or failed; the function cannot be called so.
    pub(super) fn cosimulate(&self, runs: u64, seed: u64) -> Result<HdlSimulation, Failure> {
        if self.answers.driver.is_none() {
            return Err(self.unnamed_data("--cosimulate"));
        }
        let _working = work("simulating");
        let mut compile = self.compiler();
        compile.arg("-fno-sanitize-recover=all");
        let driver = self.file("_driver");
        let source = self.file(if self.is_cpp { "_driver.cpp" } else { "_driver.c" });
        compile.arg(source).arg("-o").arg(&driver);
        carry_out(&mut compile, INSTALL_CLANG)?;
        let mut drive = Command::new(std::path::absolute(&driver).map_err(Failure::file("find", &driver))?);
        drive.arg(self.file(".vectors")).arg(seed.to_string()).arg(runs.to_string());
        drive.env("ASAN_OPTIONS", "detect_leaks=0");
        let output = drive.output().map_err(Failure::file("start", &driver))?;
        if !output.status.success() {
            if !is_undefined(&output) {
                return Err(not_driven(&driver, &output));
            }
            return Err(Failure::Usage(format!(
                "{} does something undefined with inputs at random: {}; state what its callers keep (--assume), give \
                 it larger memories (--elements), or elements before a pointer (--before)",
                self.request.wish.top,
                complaint(&output)
            )));
        }
        let Outcome { mut simulation, outside } = self.simulate_interface()?;
        // The function itself stays within its memories, or it would have done something undefined.
        simulation.wrong += outside;
        Ok(simulation)
    }

    /// The compiler with sanitizers, and the user's flags for sources.
    pub(super) fn compiler(&self) -> Command {
        let options = &self.request.options;
        let mut compile = Command::new(if self.is_cpp { "clang++-22" } else { "clang-22" });
        compile.args(["-O1", "-w", "-fsanitize=address,undefined", "-fwrapv-pointer"]);
        compile.args(&options.cflags);
        compile.args(options.include.iter().map(|folder| format!("-I{folder}")));
        compile.args(options.define.iter().map(|word| format!("-D{word}")));
        compile
    }

    /// Simulates the circuit in the interface that was asked for, with the numbers that are written.
    ///
    /// # Errors
    /// iverilog is missing, or the simulation ends early.
    pub(super) fn simulate_interface(&self) -> Result<Outcome, Failure> {
        let name = self.name();
        let mut plus = Vec::new();
        if let Some(path) = &self.request.waveform {
            let whole = std::path::absolute(path).map_err(Failure::file("find", path))?;
            plus.push(format!("+vcd={}", whole.display()));
        }
        let end = match self.request.interface {
            Interface::Start => "",
            Interface::Stream => "_stream",
            Interface::Axi => "_axi",
        };
        let mut sources = vec![format!("{name}{end}.v").into()];
        // The other has a copy of the circuit.
        if self.request.interface == Interface::Stream {
            sources.push(format!("{name}.v").into());
        }
        let testbench = format!("{name}{end}_testbench.v");
        self.simulate(&Simulated { sources, testbench }, &plus)
    }

    /// Simulates a circuit with the inputs that the driver wrote.
    ///
    /// # Errors
    /// iverilog is missing, or the simulation ends early.
    pub(super) fn simulate(&self, what: &Simulated, plus: &[String]) -> Result<Outcome, Failure> {
        let folder = &*self.request.folder;
        let program = format!("{}.vvp", what.sources[0].with_extension("").display());
        let mut compile = Command::new("iverilog");
        compile.current_dir(folder).args(["-g2005", "-DNO_ICE40_DEFAULT_ASSIGNMENTS", "-o", &program]);
        compile.args(&what.sources).arg(&what.testbench);
        carry_out(&mut compile, "apt-get install iverilog")?;
        let mut simulate = Command::new("vvp");
        simulate.arg("-n").arg(&program).args(plus).current_dir(folder);
        let text = carry_out(&mut simulate, "apt-get install iverilog")?;
        let last = text.lines().rev().find(|line| line.starts_with("runs ")).unwrap_or("");
        let numbers: Vec<u64> = last.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [runs, wrong, cycles, outside] = numbers[..] else {
            return Err(Failure::Module {
                module: self.request.wish.top.clone(),
                message: format!("the simulation ends without a result: {}", text.trim()),
            });
        };
        if wrong > 0 || (outside > 0 && !self.request.is_replayed()) {
            let first: Vec<&str> = text.lines().take(3).collect();
            (self.request.listener)(&first.join("\n"));
        }
        Ok(Outcome { simulation: HdlSimulation { runs, wrong, cycles }, outside })
    }
}

/// Whether a sanitizer found something undefined in the program, and did not fail itself.
fn is_undefined(output: &Output) -> bool {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().any(|line| {
        let found = line.split_once("ERROR: AddressSanitizer: ").map(|(_, what)| what);
        line.contains("runtime error: ")
            || found.is_some_and(|what| !OWN_FAILURES.iter().any(|own| what.starts_with(own)))
    })
}

/// What the sanitizer of addresses says of itself where it also names errors of programs.
const OWN_FAILURES: [&str; 4] = ["out of memory", "out-of-memory", "failed to", "CHECK failed"];

/// The driver ended without a finding.
fn not_driven(driver: &Path, output: &Output) -> Failure {
    let text = String::from_utf8_lossy(&output.stderr);
    let words = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it says nothing").trim();
    Failure::Module {
        module: driver.display().to_string(),
        message: format!(
            "the program that calls the function ended ({}) and no sanitizer found anything undefined: {words}; a \
             limit on address space (ulimit -v) keeps sanitizers from starting",
            output.status
        ),
    }
}
