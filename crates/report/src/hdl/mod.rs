//! A function as a circuit: what is printed, and the document.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::counted;
use crate::kit::save::document;
use opcost_answer::hdl::{HdlAnswers, HdlLoop};

/// What a simulation against the C function showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HdlSimulation {
    /// Calls of the function.
    pub runs: u64,
    /// Calls after which the result or a memory was another one.
    pub wrong: u64,
    /// Cycles of all calls.
    pub cycles: u64,
}

/// What is reported of a circuit.
#[derive(Debug)]
pub struct HdlReport<'a> {
    /// What was made.
    pub answers: &'a HdlAnswers,
    /// The files, and what was compiled.
    pub about: String,
    /// Where the files went.
    pub folder: &'a Path,
    /// How wide wires are: `declared`, `proven` or `certified`.
    pub widths: &'a str,
    /// The simulation, if there was one.
    pub simulation: Option<HdlSimulation>,
}

/// The document of `opcost hdl`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.hdl/1")]
pub struct HdlJson<'a> {
    /// Always `opcost.hdl/1`.
    #[schemars(extend("const" = "opcost.hdl/1"))]
    schema: &'static str,
    /// How wide wires are: `declared`, `proven` or `certified`.
    widths: &'a str,
    /// What it rests on besides the code.
    assumes: &'a [String],
    /// Circuits: one, for now.
    modules: Vec<ModuleJson<'a>>,
    /// What the simulation against the C function showed; null without `--cosimulate`.
    simulation: Option<HdlSimulation>,
}

/// A circuit.
#[derive(Serialize, JsonSchema)]
struct ModuleJson<'a> {
    name: &'a str,
    /// States of its machine, with the idle one. A pipeline is one state.
    states: u32,
    /// Loops of one block.
    loops: Vec<LoopJson<'a>>,
    /// Operators by kind and width; wiring is none.
    operators: Vec<OperatorJson<'a>>,
    /// Bits of registers, without those of states, and before synthesis removes any.
    registers_bits: u64,
    /// Memories in the circuit.
    memories: Vec<MemoryJson<'a>>,
    /// Memories outside of it.
    ports: Vec<PortJson<'a>>,
    /// Operations that take longer than a cycle of the clock by the target's delays.
    slow: &'a [String],
}

/// A loop.
#[derive(Serialize, JsonSchema)]
struct LoopJson<'a> {
    /// File and line of its end.
    #[serde(rename = "place")]
    location: Option<&'a str>,
    /// Cycles from one iteration to the next.
    ii: u32,
    /// No schedule has fewer; null where iterations do not overlap.
    ii_bound: Option<u32>,
    /// What limits it.
    limited_by: &'a str,
    /// Cycles of one iteration.
    depth: u32,
}

/// Operators of one kind and width.
#[derive(Serialize, JsonSchema)]
struct OperatorJson<'a> {
    kind: &'a str,
    bits: u32,
    count: u32,
}

/// A memory in the circuit.
#[derive(Serialize, JsonSchema)]
struct MemoryJson<'a> {
    name: &'a str,
    elements: u64,
    bits: u32,
    /// Whether it is never written.
    is_table: bool,
}

/// A memory outside.
#[derive(Serialize, JsonSchema)]
struct PortJson<'a> {
    name: &'a str,
    bits: u32,
    address_bits: u32,
    /// How many the testbench gives it.
    elements: u64,
}

impl<'a> HdlJson<'a> {
    /// The document as text.
    pub fn text(report: &'a HdlReport<'a>) -> String {
        let answers = report.answers;
        let module = ModuleJson {
            name: &answers.name,
            states: answers.states,
            loops: answers.loops.iter().map(LoopJson::of).collect(),
            operators: answers
                .operators
                .iter()
                .map(|one| OperatorJson { kind: &one.kind, bits: one.bits, count: one.count })
                .collect(),
            registers_bits: answers.register_bits,
            memories: answers
                .memories
                .iter()
                .map(|one| MemoryJson {
                    name: &one.name,
                    elements: one.length,
                    bits: one.bits,
                    is_table: one.is_table,
                })
                .collect(),
            ports: answers
                .ports
                .iter()
                .map(|one| PortJson {
                    name: &one.name,
                    bits: one.bits,
                    address_bits: one.address_bits,
                    elements: one.elements,
                })
                .collect(),
            slow: &answers.slow,
        };
        document(&HdlJson {
            schema: "opcost.hdl/1",
            widths: report.widths,
            assumes: &answers.assumes,
            modules: vec![module],
            simulation: report.simulation,
        })
    }
}

impl<'a> LoopJson<'a> {
    fn of(one: &'a HdlLoop) -> LoopJson<'a> {
        LoopJson {
            location: one.location.as_deref(),
            ii: one.interval,
            ii_bound: one.bound,
            limited_by: &one.limited_by,
            depth: one.depth,
        }
    }
}

/// What is printed.
pub fn print_hdl(report: &HdlReport<'_>) -> String {
    let HdlReport { answers, about, folder, widths, simulation } = report;
    let mut lines = vec![format!(
        "{} of {about} as a circuit: {}, {} of registers, widths {widths}",
        answers.name,
        counted(answers.states, "state"),
        counted(answers.register_bits, "bit")
    )];
    for one in &answers.loops {
        let location = one.location.as_deref().unwrap_or("a loop");
        let bound = one.bound.map_or_else(String::new, |bound| format!(" (at least {bound})"));
        lines.push(format!(
            "{location}: an iteration each {}{bound}, {} long; limited by: {}",
            counted(one.interval, "cycle"),
            counted(one.depth, "cycle"),
            one.limited_by
        ));
    }
    for one in &answers.operators {
        lines.push(format!("{:>4} {} of {}", one.count, one.kind, counted(one.bits, "bit")));
    }
    for one in &answers.memories {
        let kind = if one.is_table { "table" } else { "memory" };
        lines.push(format!(
            "{kind} {}: {} of {}",
            one.name,
            counted(one.length, "element"),
            counted(one.bits, "bit")
        ));
    }
    for one in &answers.ports {
        lines.push(format!(
            "port {}: elements of {}, addresses of {}",
            one.name,
            counted(one.bits, "bit"),
            counted(one.address_bits, "bit")
        ));
    }
    lines.extend(answers.slow.iter().map(|words| format!("longer than a cycle: {words}")));
    lines.extend(answers.assumes.iter().map(|fact| format!("assumes: {fact}")));
    if let Some(HdlSimulation { runs, wrong, cycles }) = simulation {
        lines.push(format!(
            "simulated against C: {}, {wrong} wrong, {}",
            counted(*runs, "run"),
            counted(*cycles, "cycle")
        ));
    }
    lines.push(format!("written: {}", folder.display()));
    lines.join("\n") + "\n"
}
