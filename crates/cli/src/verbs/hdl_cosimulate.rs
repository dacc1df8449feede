//! The C function against its circuit.
//!
//! A driver in the function's language calls it with inputs at random and writes them down with what came out; it is
//! compiled with sanitizers, so that inputs with which the function does something undefined are not
//! compared. The testbench gives the circuit the same inputs, simulated by iverilog, and compares the
//! result and every element of every memory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::arguments::{HdlArguments, InterfaceName};
use opcost_answer::Failure;
use opcost_answer::hdl::HdlAnswers;
use opcost_report::hdl::HdlSimulation;
use opcost_report::kit::progress::Progress;

/// Runs both.
///
/// # Errors
/// A tool is missing or failed; the function cannot be called so.
pub(super) fn cosimulate(
    arguments: &HdlArguments,
    answers: &HdlAnswers,
    is_cpp: bool,
    runs: u64,
) -> Result<HdlSimulation, Failure> {
    if answers.driver.is_none() {
        return Err(unnamed_data(arguments, "--cosimulate"));
    }
    let working = Progress::start("simulating");
    let (folder, name) = (&*arguments.folder, &answers.name);
    let mut compile = compiler(arguments, is_cpp);
    compile.arg("-fno-sanitize-recover=all");
    let driver = folder.join(format!("{name}_driver"));
    let ending = if is_cpp { "cpp" } else { "c" };
    compile.arg(folder.join(format!("{name}_driver.{ending}"))).arg("-o").arg(&driver);
    carry_out(&mut compile, "install clang-22 (opcost doctor says how)")?;
    let vectors = folder.join(format!("{name}.vectors"));
    let mut drive = Command::new(std::path::absolute(&driver).map_err(Failure::file("find", &driver))?);
    drive.arg(&vectors).arg(arguments.seed.to_string()).arg(runs.to_string());
    drive.env("ASAN_OPTIONS", "detect_leaks=0");
    let output = drive.output().map_err(Failure::file("start", &driver))?;
    if !output.status.success() {
        if !is_undefined(&output) {
            return Err(not_driven(&driver, &output));
        }
        return Err(Failure::Usage(format!(
            "{} does something undefined with inputs at random: {}; state what its callers keep (--assume), give \
             it larger memories (--elements), or elements before a pointer (--before)",
            arguments.top,
            complaint(&output)
        )));
    }
    let outcome = simulate_interface(arguments, answers);
    drop(working);
    let Outcome { mut simulation, outside } = outcome?;
    // The function itself stays within its memories, or it would have done something undefined.
    simulation.wrong += outside;
    Ok(simulation)
}

/// The function cannot be called with memories of ours.
pub(super) fn unnamed_data(arguments: &HdlArguments, flag: &str) -> Failure {
    Failure::Usage(format!(
        "{} uses data that nobody else can name or write; make it a parameter, or leave out {flag}",
        arguments.top
    ))
}

/// The compiler with sanitizers, and the user's flags for sources.
pub(super) fn compiler(arguments: &HdlArguments, is_cpp: bool) -> Command {
    let mut compile = Command::new(if is_cpp { "clang++-22" } else { "clang-22" });
    compile.args(["-O1", "-w", "-fsanitize=address,undefined", "-fwrapv-pointer"]);
    compile.args(&arguments.compile.cflags);
    compile.args(arguments.compile.include.iter().map(|folder| format!("-I{folder}")));
    compile.args(arguments.compile.define.iter().map(|word| format!("-D{word}")));
    compile
}

/// Simulates the circuit in the interface that was asked for, with the numbers that are written.
///
/// # Errors
/// iverilog is missing, or the simulation ends early.
pub(super) fn simulate_interface(arguments: &HdlArguments, answers: &HdlAnswers) -> Result<Outcome, Failure> {
    let name = &answers.name;
    let mut plus = Vec::new();
    if let Some(path) = &arguments.waveform {
        let whole = std::path::absolute(path).map_err(Failure::file("find", path))?;
        plus.push(format!("+vcd={}", whole.display()));
    }
    let end = match arguments.interface {
        InterfaceName::Start => "",
        InterfaceName::Stream => "_stream",
        InterfaceName::Axi => "_axi",
    };
    let mut sources = vec![format!("{name}{end}.v").into()];
    // The other has a copy of the circuit.
    if arguments.interface == InterfaceName::Stream {
        sources.push(format!("{name}.v").into());
    }
    let testbench = format!("{name}{end}_testbench.v");
    simulate(arguments, &Simulated { sources, testbench }, &plus)
}

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

/// Simulates a circuit with the inputs that the driver wrote.
///
/// # Errors
/// iverilog is missing, or the simulation ends early.
pub(super) fn simulate(
    arguments: &HdlArguments,
    what: &Simulated,
    plus: &[String],
) -> Result<Outcome, Failure> {
    let folder = &*arguments.folder;
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
            module: arguments.top.clone(),
            message: format!("the simulation ends without a result: {}", text.trim()),
        });
    };
    if wrong > 0 || (outside > 0 && !arguments.replay) {
        let first: Vec<&str> = text.lines().take(3).collect();
        opcost_answer::tell!("{}", first.join("\n"));
    }
    Ok(Outcome { simulation: HdlSimulation { runs, wrong, cycles }, outside })
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

/// What a sanitizer says first.
pub(super) fn complaint(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find(|line| line.contains("runtime error") || line.contains("ERROR: "));
    line.map_or_else(|| output.status.to_string(), |line| line.trim_start_matches('=').trim().to_owned())
}

/// Runs a tool; what it prints.
///
/// # Errors
/// It is missing, or fails.
pub(super) fn carry_out(command: &mut Command, remedy: &str) -> Result<String, Failure> {
    let tool =
        Path::new(command.get_program()).file_name().unwrap_or(OsStr::new("")).to_string_lossy().into_owned();
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Failure::ToolMissing { tool: tool.clone(), remedy: remedy.to_owned() }
        }
        _ => Failure::file("start", Path::new(&tool))(error),
    })?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        // The linker names a file of clang's sanitizers, and not the package that has it.
        if words.contains("libclang_rt.") {
            return Err(Failure::ToolMissing {
                tool: "clang's sanitizers".to_owned(),
                remedy: "apt-get install libclang-rt-22-dev".to_owned(),
            });
        }
        return Err(Failure::Module {
            module: tool,
            message: format!("it failed: {}", words.lines().next().unwrap_or("it says nothing")),
        });
    }
    Ok(text)
}
