//! What became of a function that was made into a circuit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::document::define_document;

/// A circuit: its files, and what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HdlAnswers {
    /// What it is made of.
    pub circuit: HdlCircuit,
    /// The module, as Verilog.
    pub verilog: String,
    /// A testbench that reads `NAME.vectors`.
    pub testbench: String,
    /// The module between registers, to be placed with few pins.
    pub frame: String,
    /// A module with valid and ready around it.
    pub stream: String,
    /// A testbench of that, which reads the same numbers.
    pub stream_testbench: String,
    /// A module with registers (AXI4-Lite) and its memories by AXI4, with a copy of the circuit; empty where a
    /// number has more than 64 bits.
    pub axi: String,
    /// Its registers, as a header in C.
    pub axi_header: String,
    /// A testbench of that, which reads the same numbers.
    pub axi_testbench: String,
    /// A program in C that writes `NAME.vectors`. There is none where data is used that only its
    /// function can name.
    pub driver: Option<String>,
    /// A source in C that writes `NAME.vectors` from a run of the program that it is linked to; none where there
    /// is no driver.
    pub replay: Option<String>,
    /// Why there is no such source, where it is not for the data.
    pub unreplayed: Option<String>,
    /// Assertions of what its callers keep; none if it has no numbers.
    pub contract: Option<String>,
    /// The certificate that its widths rest on, as JSON, if they rest on one.
    pub certificate: Option<String>,
    /// What it rests on besides the code.
    pub assumes: Vec<String>,
}

/// A circuit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ModuleJson")]
pub struct HdlCircuit {
    /// Name of the module.
    pub name: String,
    /// States of its machine, with the idle one. A pipeline is one state.
    pub states: u32,
    /// Innermost loops.
    pub loops: Vec<HdlLoop>,
    /// Operators by kind and width; wiring is none.
    pub operators: Vec<HdlOperator>,
    /// Bits of registers, without those of states, and before synthesis removes any.
    #[serde(rename = "registers_bits")]
    pub register_bits: u64,
    /// Memories in the circuit.
    pub memories: Vec<HdlMemory>,
    /// Memories outside of it.
    pub ports: Vec<HdlPort>,
    /// Operations that take longer than a cycle of the clock by the target's delays.
    pub slow: Vec<String>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LoopJson")]
pub struct HdlLoop {
    /// File and line of its end.
    #[serde(rename = "place")]
    pub location: Option<String>,
    /// Cycles from one iteration to the next.
    #[serde(rename = "ii")]
    pub interval: u32,
    /// No schedule has fewer; null where iterations do not overlap.
    #[serde(rename = "ii_bound")]
    pub bound: Option<u32>,
    /// What limits it.
    pub limited_by: String,
    /// Cycles of one iteration.
    pub depth: u32,
}

/// Operators of one kind and width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OperatorJson")]
pub struct HdlOperator {
    /// What they do.
    pub kind: String,
    /// Bits of the result.
    pub bits: u32,
    /// How many.
    pub count: u32,
}

/// A memory in the circuit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MemoryJson")]
pub struct HdlMemory {
    /// Its name in the source.
    pub name: String,
    /// Elements.
    #[serde(rename = "elements")]
    pub length: u64,
    /// Bits of each.
    pub bits: u32,
    /// Whether it is never written.
    pub is_table: bool,
}

/// A memory outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PortJson")]
pub struct HdlPort {
    /// Its name in the module.
    pub name: String,
    /// Bits of an element.
    pub bits: u32,
    /// Bits of an address.
    pub address_bits: u32,
    /// How many the testbench gives it.
    pub elements: u64,
}

define_document!(
    /// The document of `opcost hdl`.
    pub struct HdlSchema = "opcost.hdl/1"
);

/// The document of `opcost hdl`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "opcost.hdl/1")]
pub struct HdlDocument {
    /// Always `opcost.hdl/1`.
    pub schema: HdlSchema,
    /// How wide wires are: `declared`, `llvm`, `proven` or `certified`.
    pub widths: String,
    /// What it rests on besides the code.
    pub assumes: Vec<String>,
    /// Circuits: one, for now.
    pub modules: Vec<HdlCircuit>,
    /// What the simulation against the C function showed; null without `--cosimulate` and `--replay`.
    pub simulation: Option<HdlSimulation>,
    /// The calls of a real run; null without `--replay`.
    pub replay: Option<HdlReplay>,
    /// What the circuit became on a chip; null without `--synthesise`.
    pub synthesis: Option<HdlSynthesis>,
}

impl HdlDocument {
    /// Whether circuit and function never differed, and the circuit takes each call of the run.
    pub fn holds(&self) -> bool {
        let netlist = self.synthesis.as_ref().and_then(|synthesis| synthesis.netlist);
        let is_wrong = self.simulation.into_iter().chain(netlist).any(|simulation| simulation.wrong > 0);
        !is_wrong && self.replay.as_ref().is_none_or(HdlReplay::is_accepted)
    }
}

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
