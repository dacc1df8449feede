//! How is a memory read and written? Ports outside, arrays inside.
//!
//! A memory has so many ports that read, and one that writes; where it has one port for both, they
//! share an address, and the schedule never uses both in one cycle. An array inside is read with the
//! clock, so that synthesis finds block RAM.

use super::names::View;
use super::units::chosen;
use super::{At, InsideMemory, MemoryPort, Writer, Writing, range};
use crate::kernel::{Action, KernelMemory, MemoryId, MemoryKind, NodeId};
use crate::widths::Wire;

/// What one memory is used for.
struct MemoryUses {
    /// Addresses by port that reads.
    reads: Vec<Vec<Writing>>,
    addresses: Vec<Writing>,
    data: Vec<Writing>,
}

impl Writer<'_> {
    /// Bits of an address.
    fn address_bits(memory: &KernelMemory) -> u32 {
        match memory.length {
            Some(length) => (64 - length.saturating_sub(1).leading_zeros()).max(1),
            None => memory.position_bits,
        }
    }

    /// The element that a load gives.
    pub(super) fn loaded(&mut self, node: NodeId, memory: MemoryId, bits: u32) -> String {
        let slot = self.schedule.slots[node].expect("it is in a block");
        let wire = &self.wires.memories[memory];
        let name = format!("{}_read{}_data", self.memory_names[&memory], slot.unit);
        let declared = self.kernel.memories[memory].bits;
        let view = View::Net { name, bits: wire.bits, signed: wire.signed, declared };
        self.field(&view, 0, bits, false)
    }

    /// Writes all memories.
    pub(super) fn memories(&mut self) {
        for id in self.kernel.memories.ids() {
            let memory = &self.kernel.memories[id];
            let uses = self.uses(id);
            if uses.reads.is_empty() && uses.addresses.is_empty() {
                continue;
            }
            let wire = self.wires.memories[id].clone();
            match &memory.kind {
                MemoryKind::Port { parameter } => self.port(id, *parameter, &wire, &uses),
                MemoryKind::Inside(cells) => {
                    let cells = cells.as_ref().map(|cells| cells.0.clone());
                    self.inside(id, cells.as_deref(), &wire, &uses);
                }
                MemoryKind::Table(cells) => {
                    let cells = cells.0.clone();
                    self.inside(id, Some(&cells), &wire, &uses);
                }
            }
        }
    }

    fn uses(&mut self, memory: MemoryId) -> MemoryUses {
        let mut uses = MemoryUses { reads: Vec::new(), addresses: Vec::new(), data: Vec::new() };
        let bits = Self::address_bits(&self.kernel.memories[memory]);
        let width = self.wires.memories[memory].bits;
        for node in self.kernel.nodes.ids() {
            let of = &self.kernel.nodes[node];
            let (Some(block), Some(slot)) = (of.block, self.schedule.slots[node]) else { continue };
            let (action, operands) = (of.action.clone(), of.operands.clone());
            let at = At { block, cycle: Some(slot.cycle) };
            if action == Action::Load(memory) {
                let (enable, view) = (self.enable_access(node, at), self.view(operands[0], at));
                let value = self.field(&view, 0, bits, false);
                while uses.reads.len() <= slot.unit as usize {
                    uses.reads.push(Vec::new());
                }
                uses.reads[slot.unit as usize].push(Writing { enable, value });
            }
            if action == Action::Store(memory) {
                let enable = self.enable_access(node, at);
                let (position, value) = (self.view(operands[0], at), self.view(operands[1], at));
                let address = self.field(&position, 0, bits, false);
                let data = self.field(&value, 0, width, false);
                uses.addresses.push(Writing { enable: enable.clone(), value: address });
                uses.data.push(Writing { enable, value: data });
            }
        }
        uses
    }

    /// What is one when an access works.
    fn enable_access(&mut self, node: NodeId, at: At) -> String {
        let enable = self.enable(at.block, at.cycle.unwrap_or(0));
        match self.kernel.predicate(node) {
            None => enable,
            Some(predicate) => {
                let view = self.view(predicate, at);
                format!("({enable} & {})", self.field(&view, 0, 1, false))
            }
        }
    }

    /// Wires to a memory outside.
    fn port(&mut self, id: MemoryId, parameter: Option<u32>, wire: &Wire, uses: &MemoryUses) {
        let memory = &self.kernel.memories[id];
        let (name, bits) = (self.memory_names[&id].clone(), Self::address_bits(memory));
        let is_one_port = self.target.resources.is_one_port();
        let data = range(wire.bits);
        let elements = match memory.length {
            Some(length) => format!("{length} elements"),
            None => format!("fewer than 2^{bits} elements"),
        };
        let parts = if memory.is_split { "; wider numbers are several, low bits first" } else { "" };
        let before = match memory.before {
            0 => String::new(),
            before => format!("; the pointer points to element {before}"),
        };
        let note =
            format!("// {} is a memory of {elements} of {} bits{parts}{before}", memory.name, memory.bits);
        let element = format!("// an element of {}, i{}: {}", memory.name, memory.bits, wire.reason);
        let reads = uses.reads.len() as u32;
        let is_written = !uses.addresses.is_empty();
        if is_one_port {
            self.ports.push(format!("  output {}{name}_address {note}", range(bits)));
        }
        for read in 0..reads {
            if !is_one_port {
                self.ports.push(format!("  output {}{name}_read{read}_address {note}", range(bits)));
            }
            self.ports.push(format!("  output {name}_read{read}_enable"));
            self.ports.push(format!("  input {data}{name}_read{read}_data {element}"));
            self.widths.insert(format!("{name}_read{read}_data"), wire.bits);
        }
        if is_written {
            if !is_one_port {
                self.ports.push(format!("  output {}{name}_write_address {note}", range(bits)));
            }
            self.ports.push(format!("  output {data}{name}_write_data {element}"));
            self.ports.push(format!("  output {name}_write_enable"));
        }
        self.outside.push(MemoryPort {
            name: name.clone(),
            source_name: memory.name.clone(),
            parameter,
            bits: memory.bits,
            address_bits: bits,
            length: memory.length,
            reads,
            is_written,
            is_one_port,
            before: memory.before,
            is_split: memory.is_split,
        });
        let mut assign = |name: String, value: String| {
            self.assignments.push(format!("  assign {name} = {value};"));
        };
        if is_one_port {
            let all: Vec<Writing> = uses.reads.iter().flatten().chain(&uses.addresses).cloned().collect();
            assign(format!("{name}_address"), chosen(&all, bits));
        }
        for (read, list) in uses.reads.iter().enumerate() {
            if !is_one_port {
                assign(format!("{name}_read{read}_address"), chosen(list, bits));
            }
            assign(format!("{name}_read{read}_enable"), any(list));
        }
        if is_written {
            if !is_one_port {
                assign(format!("{name}_write_address"), chosen(&uses.addresses, bits));
            }
            assign(format!("{name}_write_data"), chosen(&uses.data, wire.bits));
            assign(format!("{name}_write_enable"), any(&uses.addresses));
        }
    }

    /// An array in the circuit.
    fn inside(&mut self, id: MemoryId, cells: Option<&[u64]>, wire: &Wire, uses: &MemoryUses) {
        let memory = &self.kernel.memories[id];
        let (name, bits) = (self.memory_names[&id].clone(), Self::address_bits(memory));
        let length = memory.length.unwrap_or(1).max(1);
        let is_table = matches!(memory.kind, MemoryKind::Table(_));
        self.report.memories.push(InsideMemory {
            name: memory.name.clone(),
            length,
            bits: wire.bits,
            is_table,
        });
        let signed = if wire.signed { " with sign" } else { "" };
        self.declarations.push(format!(
            "  reg {}{name} [0:{}]; // {}, {length} elements of i{}; {} bits{signed}: {}",
            range(wire.bits),
            length - 1,
            memory.name,
            memory.bits,
            wire.bits,
            wire.reason
        ));
        let element = format!(
            "an element of {}, i{}; {} bits{signed}: {}",
            memory.name, memory.bits, wire.bits, wire.reason
        );
        let position = format!("which element of {}; {bits} bits: it has {length}", memory.name);
        if let Some(cells) = cells.filter(|cells| is_table || !cells.is_empty()) {
            let mask = u64::MAX >> (64 - wire.bits);
            self.control.push("  initial begin".to_owned());
            for (location, cell) in cells.iter().enumerate() {
                self.control.push(format!("    {name}[{location}] = {}'d{};", wire.bits, cell & mask));
            }
            self.control.push("  end".to_owned());
        }
        let one_port = self.target.resources.is_one_port() && !uses.addresses.is_empty();
        let mut address_of_all = String::new();
        if one_port {
            let all: Vec<Writing> = uses.reads.iter().flatten().chain(&uses.addresses).cloned().collect();
            address_of_all = format!("{name}_address");
            self.wire(&address_of_all.clone(), bits, &chosen(&all, bits), &position);
            self.use_all(&address_of_all);
        }
        for (read, list) in uses.reads.iter().enumerate() {
            let address = match one_port {
                true => address_of_all.clone(),
                false => {
                    let address = format!("{name}_read{read}_address");
                    self.wire(&address, bits, &chosen(list, bits), &position);
                    self.use_all(&address);
                    address
                }
            };
            let (enable, data) = (format!("{name}_read{read}_enable"), format!("{name}_read{read}_data"));
            self.wire(&enable, 1, &any(list), "whether it is read");
            self.use_all(&enable);
            self.widths.insert(data.clone(), wire.bits);
            self.declarations.push(format!("  reg {}{data}; // {element}", range(wire.bits)));
            self.control.push(format!("  always @(posedge clk) if ({enable}) {data} <= {name}[{address}];"));
        }
        if !uses.addresses.is_empty() {
            let (data, enable) = (format!("{name}_write_data"), format!("{name}_write_enable"));
            let address = match one_port {
                true => address_of_all,
                false => {
                    let address = format!("{name}_write_address");
                    self.wire(&address, bits, &chosen(&uses.addresses, bits), &position);
                    self.use_all(&address);
                    address
                }
            };
            self.wire(&data, wire.bits, &chosen(&uses.data, wire.bits), &element);
            self.wire(&enable, 1, &any(&uses.addresses), "whether it is written");
            self.use_all(&data);
            self.use_all(&enable);
            self.control.push(format!("  always @(posedge clk) if ({enable}) {name}[{address}] <= {data};"));
        }
    }
}

/// Whether any of the wires is one.
fn any(list: &[Writing]) -> String {
    list.iter().map(|one| one.enable.clone()).collect::<Vec<_>>().join(" | ")
}
