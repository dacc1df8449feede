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

/// What the calls of a real run are to a circuit. Calls that are compared are the runs of the simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HdlReplay {
    /// Calls of the function in the run.
    pub calls: u64,
    /// Calls that break a contract, do not fit the ports, or do something undefined. They are not compared.
    pub broken: u64,
    /// Which of these is the first, and why.
    pub first_broken: Option<String>,
    /// Calls that use an element that the circuit's memory does not have. They are not compared.
    pub outside: u64,
    /// Calls with pointers into one array that is written.
    pub overlapping: u64,
    /// Calls that are not compared since there are enough, or since the circuit keeps what one of these calls has
    /// left.
    pub left_out: u64,
    /// Calls in processes that the program made, which are not compared either.
    pub elsewhere: u64,
}

impl HdlReplay {
    /// Whether each call that was looked at is one that the circuit takes.
    pub fn is_accepted(&self) -> bool {
        self.broken == 0 && self.outside == 0
    }
}

/// What a circuit became on a chip. What was not measured is null.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct HdlSynthesis {
    /// The chip: `ice40`, `ecp5` or `xilinx`.
    pub target: String,
    /// Lookup tables, as yosys made them.
    pub luts: Option<u64>,
    /// Flip-flops.
    pub flip_flops: Option<u64>,
    /// Cells of carry chains.
    pub carries: Option<u64>,
    /// Block memories.
    pub block_rams: Option<u64>,
    /// Multipliers of the chip.
    pub multipliers: Option<u64>,
    /// The clock that is reached between registers, by seed of the placement.
    pub fmax_mhz: Vec<f64>,
    /// Toggles of nets times their fan-out, a cycle, in the simulation of the netlist.
    pub switched_capacitance: Option<f64>,
    /// What the simulation of the netlist against the C function showed; null without `--cosimulate` and `--replay`.
    pub netlist: Option<HdlSimulation>,
    /// Tools that are missing or failed, and what to do.
    pub missing: Vec<String>,
}

impl HdlSynthesis {
    /// The median of the clocks that are reached.
    pub fn median_mhz(&self) -> Option<f64> {
        let mut all = self.fmax_mhz.clone();
        all.sort_by(f64::total_cmp);
        let (last, middle) = (all.len().checked_sub(1)?, all.len() / 2);
        Some((all[last - middle] + all[middle]) / 2.0)
    }
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
    /// How wide wires are: `declared`, `llvm`, `proven` or `certified`.
    pub widths: &'a str,
    /// The simulation, if there was one.
    pub simulation: Option<HdlSimulation>,
    /// The calls of a real run, if there was one.
    pub replay: Option<HdlReplay>,
    /// What it became on a chip, if that was asked for.
    pub synthesis: Option<HdlSynthesis>,
}

/// The document of `opcost hdl`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "opcost.hdl/1")]
pub struct HdlJson<'a> {
    /// Always `opcost.hdl/1`.
    #[schemars(extend("const" = "opcost.hdl/1"))]
    schema: &'static str,
    /// How wide wires are: `declared`, `llvm`, `proven` or `certified`.
    widths: &'a str,
    /// What it rests on besides the code.
    assumes: &'a [String],
    /// Circuits: one, for now.
    modules: Vec<ModuleJson<'a>>,
    /// What the simulation against the C function showed; null without `--cosimulate` and `--replay`.
    simulation: Option<HdlSimulation>,
    /// The calls of a real run; null without `--replay`.
    replay: Option<&'a HdlReplay>,
    /// What the circuit became on a chip; null without `--synthesise`.
    synthesis: Option<&'a HdlSynthesis>,
}

/// A circuit.
#[derive(Serialize, JsonSchema)]
struct ModuleJson<'a> {
    name: &'a str,
    /// States of its machine, with the idle one. A pipeline is one state.
    states: u32,
    /// Innermost loops.
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
            replay: report.replay.as_ref(),
            synthesis: report.synthesis.as_ref(),
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
    let HdlReport { answers, about, folder, widths, simulation, replay, synthesis } = report;
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
    lines.extend(replay.iter().flat_map(replayed));
    lines.extend(simulation.as_ref().map(|simulation| simulated("simulated", simulation)));
    lines.extend(synthesis.iter().flat_map(synthesised));
    lines.push(format!("written: {}", folder.display()));
    lines.join("\n") + "\n"
}

/// What the calls of a run are.
fn replayed(replay: &HdlReplay) -> Vec<String> {
    let mut lines = vec![format!("the run: {}", counted(replay.calls, "call"))];
    if replay.broken > 0 {
        let first = replay.first_broken.as_deref().unwrap_or("no reason is known");
        let calls = counted(replay.broken, "call");
        lines.push(format!("not taken by the circuit: {calls}; {first}. Change --assume, or the caller"));
    }
    if replay.outside > 0 {
        let calls = counted(replay.outside, "call");
        let overlapping = match replay.overlapping {
            0 => "Give larger memories (--elements)".to_owned(),
            count => format!(
                "In {} pointers lead into one array, which a circuit has no port for; where they do not, give larger \
                 memories (--elements)",
                counted(count, "call")
            ),
        };
        lines.push(format!("with an address outside of its memory: {calls}. {overlapping}"));
    }
    if replay.left_out > 0 {
        let why = match replay.is_accepted() {
            true => "--calls takes more",
            false => "the circuit keeps what an earlier one left, or --calls takes more",
        };
        lines.push(format!("not compared: {}; {why}", counted(replay.left_out, "call")));
    }
    if replay.elsewhere > 0 {
        lines.push(format!("not compared, in other processes: {}", counted(replay.elsewhere, "call")));
    }
    lines
}

fn simulated(what: &str, simulation: &HdlSimulation) -> String {
    let HdlSimulation { runs, wrong, cycles } = simulation;
    format!("{what} against C: {}, {wrong} wrong, {}", counted(*runs, "run"), counted(*cycles, "cycle"))
}

fn synthesised(synthesis: &HdlSynthesis) -> Vec<String> {
    let cells = [
        (synthesis.luts, "lookup table"),
        (synthesis.flip_flops, "flip-flop"),
        (synthesis.carries, "carry"),
        (synthesis.block_rams, "block memory"),
        (synthesis.multipliers, "multiplier"),
    ];
    let cells: Vec<String> = cells
        .iter()
        .filter_map(|&(count, what)| match (count?, what) {
            (1, _) => Some(format!("1 {what}")),
            (count, "carry") => Some(format!("{count} carries")),
            (count, "block memory") => Some(format!("{count} block memories")),
            (count, what) => Some(format!("{count} {what}s")),
        })
        .collect();
    let mut lines = Vec::new();
    if !cells.is_empty() {
        lines.push(format!("on {}: {}", synthesis.target, cells.join(", ")));
    }
    if let Some(median) = synthesis.median_mhz() {
        let ends = |better: fn(f64, f64) -> f64| synthesis.fmax_mhz.iter().copied().fold(median, better);
        lines.push(format!(
            "clock between registers: {median:.1} MHz, the median of {} ({:.1} to {:.1})",
            counted(synthesis.fmax_mhz.len() as u64, "placement"),
            ends(f64::min),
            ends(f64::max)
        ));
    }
    lines.extend(synthesis.netlist.as_ref().map(|netlist| simulated("netlist", netlist)));
    if let Some(switched) = synthesis.switched_capacitance {
        lines.push(format!("switched: {switched:.1} toggles times fan-out a cycle"));
    }
    lines.extend(synthesis.missing.iter().map(|words| format!("missing: {words}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::{HdlReplay, HdlSynthesis, replayed, synthesised};

    #[test]
    fn calls_of_a_run_are_reported_with_why_some_are_not_compared() {
        let mut replay = HdlReplay { calls: 3, ..HdlReplay::default() };
        assert!(replay.is_accepted());
        assert_eq!(replayed(&replay), ["the run: 3 calls"]);
        replay.left_out = 1;
        assert_eq!(replayed(&replay)[1], "not compared: 1 call; --calls takes more");
        (replay.broken, replay.first_broken) = (1, Some("call 2: n is 9".to_owned()));
        assert!(!replay.is_accepted());
        assert_eq!(
            replayed(&replay)[1],
            "not taken by the circuit: 1 call; call 2: n is 9. Change --assume, or the caller"
        );
    }

    #[test]
    fn synthesis_is_reported_as_far_as_it_went() {
        let mut synthesis = HdlSynthesis { target: "ice40".to_owned(), ..HdlSynthesis::default() };
        synthesis.missing.push("yosys: install it".to_owned());
        assert_eq!(synthesised(&synthesis), ["missing: yosys: install it"]);
        synthesis.luts = Some(1);
        synthesis.carries = Some(2);
        synthesis.fmax_mhz = vec![90.0, 70.0, 80.0, 75.0];
        let lines = synthesised(&synthesis);
        assert_eq!(lines[0], "on ice40: 1 lookup table, 2 carries");
        assert_eq!(lines[1], "clock between registers: 77.5 MHz, the median of 4 placements (70.0 to 90.0)");
        synthesis.fmax_mhz.pop();
        assert_eq!(synthesis.median_mhz(), Some(80.0));
    }
}
