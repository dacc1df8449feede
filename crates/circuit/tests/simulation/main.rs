//! Does a circuit compute what the function computes?
//!
//! Functions are interpreted by the testkit, with inputs and memories at random, and the circuits of
//! these functions are simulated by iverilog with the same inputs. Widths are those of types, or, as
//! the hardest claims that are true, the narrowest that the runs themselves show. Each schedule is
//! looked at by the checker first, and each module by verilator, which must not warn.
//!
//! `PROPTEST_CASES=1000 cargo test -p opcost-circuit --test simulation` goes on for longer.

mod kernels;
mod loops;
mod merged;
mod random;

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use opcost_circuit::{
    CircuitRefusal, Claim, Design, NodeOrigin, Resources, Schedule, Target, axi, axi_testbench, check,
    declared, design, lower, schedule, testbench, widths,
};
use opcost_ir::{Module, Type, parse_module};
use opcost_key::FunctionId;
use opcost_testkit::{Ended, Interpreter, Scalar, function_named, nothing_known};

/// Runs of one function, as lines for a testbench, and which numbers its values had.
#[derive(Default)]
struct Runs {
    count: usize,
    lines: String,
    seen: HashMap<NodeOrigin, Vec<u128>>,
}

/// What a function is given: numbers, and memories of so many elements of so many bits.
enum Given {
    Number(u32, u128),
    Memory(u32, Vec<u128>),
}

impl Runs {
    /// Runs the function once; nothing is noted of a run that does what no program may do.
    fn run(&mut self, module: &Module, function: FunctionId, given: &[Given]) {
        let interpreter = Interpreter::new(module).with_values();
        let mut memory = interpreter.memory();
        let mut arguments = Vec::new();
        let mut pointers = Vec::new();
        let (mut numbers, mut before) = (String::new(), String::new());
        for one in given {
            match one {
                Given::Number(bits, number) => {
                    arguments.push(Scalar::integer(*bits, *number));
                    writeln!(numbers, "{number:x}").expect("a string");
                }
                Given::Memory(bits, elements) => {
                    let size = elements.len() as u64 * u64::from(bits / 8);
                    if !elements.is_empty() {
                        writeln!(before, "{:x}", elements.len()).expect("a string");
                    }
                    let start = memory.allocate(size).expect("there is room");
                    for (place, &element) in elements.iter().enumerate() {
                        let mut at = start;
                        at.offset += place as i64 * i64::from(bits / 8);
                        assert!(memory.store_integer(at, *bits, element));
                        writeln!(before, "{element:x}").expect("a string");
                    }
                    pointers.push((start, *bits, elements.len()));
                    arguments.push(Scalar::Pointer(start));
                }
            }
        }
        let run = interpreter.run_in(memory, function, &arguments, &mut nothing_known);
        let Ended::Returned(result) = run.ended else { return };
        let mut after = String::new();
        if let Some(result) = result {
            let Some(bits) = result.bits() else { return };
            writeln!(after, "{bits:x}").expect("a string");
        }
        for (start, bits, length) in pointers {
            for place in 0..length {
                let mut at = start;
                at.offset += place as i64 * i64::from(bits / 8);
                let Some(element) = run.memory.load_integer(at, bits) else { return };
                writeln!(after, "{element:x}").expect("a string");
            }
        }
        for (function, value, number) in run.values {
            self.seen.entry(NodeOrigin { function, value }).or_default().push(number);
        }
        self.count += 1;
        self.lines += &numbers;
        self.lines += &before;
        self.lines += &after;
    }

    /// The narrowest width that holds all that a value was.
    fn claim(&self, module: &Module, origin: NodeOrigin) -> Option<Claim> {
        let function = &module.functions[origin.function];
        let Type::Integer(declared) = module.types[module.type_of(function, origin.value)?] else {
            return None;
        };
        let seen = self.seen.get(&origin)?;
        let plain = seen.iter().map(|number| 128 - number.leading_zeros()).max()?;
        let with_sign = seen.iter().map(|number| {
            let signed = ((number << (128 - declared)) as i128) >> (128 - declared);
            129 - if signed < 0 { !signed } else { signed }.leading_zeros()
        });
        let with_sign = with_sign.max()?;
        let signed = with_sign < plain;
        let bits = if signed { with_sign } else { plain }.max(1);
        Some(Claim { bits, signed, demanded: declared, words: format!("what {} runs show", self.count) })
    }
}

/// A circuit with its schedule.
struct Made {
    schedule: Schedule,
    design: Design,
}

fn make(
    module: &Module,
    function: FunctionId,
    target: &Target,
    claims: Option<&dyn Fn(NodeOrigin) -> Option<Claim>>,
) -> Result<Made, CircuitRefusal> {
    let mut kernel = lower(module, function, 16)?;
    let schedule = schedule(&mut kernel, target, true);
    let wrong = check(&kernel, target, &schedule);
    assert!(wrong.is_empty(), "{wrong:?}\n{kernel:#?}\n{schedule:#?}");
    let wires = match claims {
        None => declared(&kernel),
        Some(claims) => widths(&kernel, claims, true),
    };
    let design = design(&kernel, &schedule, &wires, target, &["a test".to_owned()]);
    Ok(Made { schedule, design })
}

fn output(command: &mut Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|error| {
        panic!("{program} cannot be started ({error}): apt-get install iverilog verilator")
    });
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {text}");
    text
}

/// Simulates; the last line.
fn simulate(folder: &Path, made: &Design, runs: &Runs, lengths: &[u64]) -> String {
    let (kernel, bench) = (folder.join("kernel.v"), folder.join("bench.v"));
    std::fs::write(&kernel, &made.verilog).expect("a file");
    std::fs::write(&bench, testbench(made, "vectors", lengths)).expect("a file");
    std::fs::write(folder.join("vectors"), format!("{:x}\n{}", runs.count, runs.lines)).expect("a file");
    let words = output(
        Command::new("iverilog")
            .args(["-g2001", "-Wall", "-Wno-timescale", "-o"])
            .arg(folder.join("sim"))
            .args([&kernel, &bench]),
    );
    // Testbenches have no time scale of their own for each file.
    let words: Vec<&str> = words.lines().filter(|line| !line.contains("timescale")).collect();
    assert!(words.is_empty(), "{words:?}");
    output(Command::new("vvp").arg("-n").arg("sim").current_dir(folder))
}

/// Simulates the circuit with AXI ports, and lints it; the last line.
fn simulate_axi(folder: &Path, made: &Design, runs: &Runs, lengths: &[u64]) -> String {
    std::fs::write(folder.join("axi.v"), axi(made)).expect("a file");
    std::fs::write(folder.join("axi_bench.v"), axi_testbench(made, "vectors", lengths)).expect("a file");
    std::fs::write(folder.join("vectors"), format!("{:x}\n{}", runs.count, runs.lines)).expect("a file");
    let words = output(
        Command::new("verilator")
            .args(["--lint-only", "-Wall", "--language", "1364-2001", "-Wno-DECLFILENAME", "--top-module"])
            .arg(format!("{}_axi", made.name))
            .arg(folder.join("axi.v")),
    );
    assert!(words.is_empty(), "{words}\n{}", axi(made));
    let files = ["axi.v", "axi_bench.v"].map(|file| folder.join(file));
    output(Command::new("iverilog").args(["-g2005", "-o"]).arg(folder.join("axi")).args(&files));
    let text = output(Command::new("vvp").arg("-n").arg("axi").current_dir(folder));
    text.lines().last().unwrap_or_default().to_owned()
}

fn lint(folder: &Path, made: &Design) {
    std::fs::write(folder.join("kernel.v"), &made.verilog).expect("a file");
    let words = output(
        Command::new("verilator")
            .args(["--lint-only", "-Wall", "--language", "1364-2001", "-Wno-DECLFILENAME", "--top-module"])
            .arg(&made.name)
            .arg(folder.join("kernel.v")),
    );
    assert!(words.is_empty(), "{words}\n{}", made.verilog);
}

/// All settings of resources that are tried.
fn targets() -> Vec<Target> {
    let resources = |multipliers, memory_ports| Resources { multipliers, dividers: 1, memory_ports };
    vec![
        Target::ice40(20_000, Resources::default()),
        Target::ice40(6_000, resources(Some(1), 1)),
        Target::ice40(40_000, resources(Some(2), 4)),
    ]
}

/// Makes and simulates circuits of a function in all settings, with widths of types and of runs.
fn try_all(text: &str, runs: &Runs, lengths: &[u64], lints: bool) -> Vec<Made> {
    let module = parse_module(text).expect("a module");
    let function = function_named(&module, "run").expect("run");
    let folder = tempfile::tempdir().expect("a folder");
    let claims = |origin| runs.claim(&module, origin);
    let mut all = Vec::new();
    for target in targets() {
        let mut ends = Vec::new();
        for claims in [None, Some(&claims as &dyn Fn(NodeOrigin) -> Option<Claim>)] {
            let made =
                make(&module, function, &target, claims).unwrap_or_else(|error| panic!("{error}\n{text}"));
            if lints {
                lint(folder.path(), &made.design);
            }
            let end = simulate(folder.path(), &made.design, runs, lengths);
            let last = end.lines().last().unwrap_or_default().to_owned();
            assert!(
                last.starts_with(&format!("runs {} wrong 0 ", runs.count)),
                "{end}\n{text}\n{}\n{:#?}",
                made.design.verilog,
                made.schedule
            );
            assert!(last.ends_with(" outside 0"), "{last}");
            if lints {
                let last = simulate_axi(folder.path(), &made.design, runs, lengths);
                let start = format!("runs {} wrong 0 ", runs.count);
                assert!(last.starts_with(&start) && last.ends_with(" outside 0"), "{last}\n{text}");
            }
            ends.push(last);
            all.push(made);
        }
        assert_eq!(ends[0], ends[1], "both widths take the same cycles");
    }
    all
}

fn cases() -> u64 {
    std::env::var("PROPTEST_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(12)
}
