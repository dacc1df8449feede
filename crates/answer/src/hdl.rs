//! What became of a function that was made into a circuit.

use serde::{Deserialize, Serialize};

/// A circuit: its files, and what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HdlAnswers {
    /// Name of the module.
    pub name: String,
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
    /// States of its machine.
    pub states: u32,
    /// Innermost loops.
    pub loops: Vec<HdlLoop>,
    /// Operators by kind and width.
    pub operators: Vec<HdlOperator>,
    /// Bits of registers, without those of states.
    pub register_bits: u64,
    /// Memories in the circuit.
    pub memories: Vec<HdlMemory>,
    /// Memories outside of it.
    pub ports: Vec<HdlPort>,
    /// Operations that take longer than a cycle of the clock.
    pub slow: Vec<String>,
}

/// An innermost loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HdlLoop {
    /// Where it ends in the source.
    pub location: Option<String>,
    /// Cycles from one iteration to the next.
    pub interval: u32,
    /// The least interval that any schedule has; none of a loop whose iterations do not overlap.
    pub bound: Option<u32>,
    /// What limits it.
    pub limited_by: String,
    /// Cycles of one iteration.
    pub depth: u32,
}

/// Operators of one kind and width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HdlOperator {
    /// What they do.
    pub kind: String,
    /// Bits of the result.
    pub bits: u32,
    /// How many.
    pub count: u32,
}

/// A memory in the circuit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HdlMemory {
    /// Its name in the source.
    pub name: String,
    /// Elements.
    pub length: u64,
    /// Bits of each.
    pub bits: u32,
    /// Whether it is never written.
    pub is_table: bool,
}

/// A memory outside of the circuit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HdlPort {
    /// Its name in the module.
    pub name: String,
    /// Bits of an element.
    pub bits: u32,
    /// Bits of an address.
    pub address_bits: u32,
    /// Elements that it has in the testbench.
    pub elements: u64,
}
