//! Which ports has a circuit, and what do their bits mean?
//!
//! Input: a circuit. Output: its ports but the clock and the reset, in order; a port's bits as 128 bits.

use crate::verilog::{Design, MemoryPort, ScalarPort};

/// A port of a circuit.
pub(crate) struct Port {
    pub(crate) name: String,
    pub(crate) bits: u32,
    /// Whether the circuit drives it.
    pub(crate) is_driven: bool,
}

/// All ports but the clock and the reset.
pub(crate) fn ports(design: &Design) -> Vec<Port> {
    let port = |name: &str, bits: u32, is_driven: bool| Port { name: name.to_owned(), bits, is_driven };
    let mut all = vec![port("start", 1, false), port("done", 1, true)];
    all.extend(design.scalars.iter().map(|scalar| port(&scalar.name, scalar.bits, false)));
    all.extend(design.result.iter().map(|result| port("result", result.bits, true)));
    all.extend(design.memories.iter().flat_map(wires));
    all
}

/// The wires of a memory.
pub(crate) fn wires(memory: &MemoryPort) -> Vec<Port> {
    let mut all = Vec::new();
    let mut add = |end: String, bits: u32, is_driven: bool| {
        all.push(Port { name: format!("{}_{end}", memory.name), bits, is_driven });
    };
    if memory.is_one_port {
        add("address".to_owned(), memory.address_bits, true);
    }
    for read in 0..memory.reads {
        if !memory.is_one_port {
            add(format!("read{read}_address"), memory.address_bits, true);
        }
        add(format!("read{read}_enable"), 1, true);
        add(format!("read{read}_data"), memory.bits, false);
    }
    if memory.is_written {
        if !memory.is_one_port {
            add("write_address".to_owned(), memory.address_bits, true);
        }
        add("write_data".to_owned(), memory.bits, true);
        add("write_enable".to_owned(), 1, true);
    }
    all
}

/// The 128 bits that a port's bits mean: those of its type, with zeros above.
pub(crate) fn widened(value: &str, whole: &str, port: &ScalarPort) -> String {
    widened_to(value, whole, port, 128)
}

/// So many bits that a port's bits mean.
pub(crate) fn widened_to(value: &str, whole: &str, port: &ScalarPort, to: u32) -> String {
    let (bits, declared) = (port.bits, port.declared);
    let sign = if port.signed && bits < declared {
        format!("{{{}{{{whole}[{}]}}}}, ", declared - bits, bits - 1)
    } else if bits < declared {
        format!("{}'d0, ", declared - bits)
    } else {
        String::new()
    };
    let above = if declared < to { format!("{}'d0, ", to - declared) } else { String::new() };
    format!("{{{above}{sign}{value}}}")
}
