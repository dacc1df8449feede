//! How is a scheduled kernel written as Verilog?
//!
//! A module has a clock, a reset, `start` and `done`, its parameters, and ports to memories outside.
//! A state machine has a state for each cycle of each block; a pipeline has one state, a phase, and a
//! bit for each stage that says whether an iteration is in it. Every node is a wire that holds in its
//! cycle; what is used later goes into a register at the end of that cycle, and, in a pipeline,
//! through as many registers as iterations begin meanwhile. The text is Verilog-2001: every operand
//! of an operator is written with the width of its result, and what is not used is named.
//!
//! Files: names in `names.rs`, wires in `nets.rs`, operations in `expression.rs`, states in `control.rs`,
//! memories in `memories.rs`, units that are shared in `units.rs`.
//!
//! Input: a kernel, its schedule and widths. Output: [`Design`]. Cost: linear, but for long lists of
//! what shares a port.

mod control;
mod expression;
mod memories;
mod names;
mod nets;
mod units;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use opcost_index::Id;
use opcost_ir::Value;
use opcost_key::BlockId;

use crate::kernel::{Action, Kernel, KernelOperand, MemoryId, NodeId};
use crate::slots::Schedule;
use crate::target::Target;
use crate::widths::{Wire, Wires};
use names::{Names, View};

/// A circuit.
#[derive(Clone, Debug)]
pub struct Design {
    /// Name of the module.
    pub name: String,
    /// Its text.
    pub verilog: String,
    /// How many parameters the function has.
    pub parameters: u32,
    /// Parameters that are numbers, in order.
    pub scalars: Vec<ScalarPort>,
    /// The result, if there is one.
    pub result: Option<ScalarPort>,
    /// Bits of the result that mean something.
    pub result_mask: u128,
    /// Memories outside.
    pub memories: Vec<MemoryPort>,
    /// What it is made of.
    pub report: DesignReport,
}

impl Design {
    /// Whether a memory in it may hold something from one call to the next.
    pub fn has_state(&self) -> bool {
        self.report.memories.iter().any(|memory| !memory.is_table)
    }
}

/// A port for a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalarPort {
    /// Its name in the module.
    pub name: String,
    /// Position of the parameter; 0 of the result.
    pub parameter: u32,
    /// Its wires.
    pub bits: u32,
    /// Bits of its type.
    pub declared: u32,
    /// Whether the highest wire is the sign.
    pub signed: bool,
}

/// A port to a memory outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryPort {
    /// Its name, with which the names of its wires begin.
    pub name: String,
    /// Its name in the source.
    pub source_name: String,
    /// Position of the parameter; none of data.
    pub parameter: Option<u32>,
    /// Bits of an element.
    pub bits: u32,
    /// Bits of an address, which counts elements.
    pub address_bits: u32,
    /// Elements, if it is known how many.
    pub length: Option<u64>,
    /// Ports that read.
    pub reads: u32,
    /// Whether it is written.
    pub is_written: bool,
    /// Whether reads and writes share one address.
    pub is_one_port: bool,
    /// How many elements are before the one that the parameter points to.
    pub before: u64,
    /// Whether some numbers are several elements.
    pub is_split: bool,
}

/// What a circuit is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DesignReport {
    /// States of its machine.
    pub states: u32,
    /// Bits of registers, without those of states.
    pub register_bits: u64,
    /// Operators by kind and width.
    pub operators: Vec<OperatorUse>,
    /// Memories in the circuit: name, elements, bits of each.
    pub memories: Vec<InsideMemory>,
}

/// How often an operator occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorUse {
    /// What it does.
    pub kind: &'static str,
    /// Bits of its result.
    pub bits: u32,
    /// How often.
    pub count: u32,
}

/// A memory in the circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InsideMemory {
    /// Its name in the source.
    pub name: String,
    /// Elements.
    pub length: u64,
    /// Bits of each.
    pub bits: u32,
    /// Whether it is never written.
    pub is_table: bool,
}

/// Writes a circuit; `about` are lines for its head.
pub fn design(
    kernel: &Kernel,
    schedule: &Schedule,
    wires: &Wires,
    target: &Target,
    about: &[String],
) -> Design {
    let mut writer = Writer::new(kernel, schedule, wires, target);
    writer.control();
    writer.operations();
    writer.units();
    writer.memories();
    writer.registers();
    writer.finish(about)
}

/// Where a value is used: in a cycle of a block, or when a pipeline has run dry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct At {
    block: BlockId,
    cycle: Option<u32>,
}

/// A register is written with a value when a wire is one.
#[derive(Clone, Debug)]
struct Writing {
    enable: String,
    value: String,
}

struct Writer<'a> {
    kernel: &'a Kernel,
    schedule: &'a Schedule,
    wires: &'a Wires,
    target: &'a Target,
    names: Names,
    /// First state of each block.
    states: Vec<u32>,
    state_bits: u32,
    idle: u32,
    /// Ports, declarations and assignments, in order.
    ports: Vec<String>,
    declarations: Vec<String>,
    assignments: Vec<String>,
    /// Statements of the state machine.
    control: Vec<String>,
    /// Registers that are needed: how many copies of each node.
    needed: BTreeMap<NodeId, u32>,
    /// Writes of phis' registers, and of the result.
    phi_writes: BTreeMap<NodeId, Vec<Writing>>,
    other_writes: Vec<(String, Writing)>,
    /// Wires that say in which cycle the machine is, that are declared.
    enables: BTreeSet<String>,
    /// How many bits of each wire are used.
    used: BTreeMap<String, u128>,
    widths: BTreeMap<String, u32>,
    scalars: Vec<ScalarPort>,
    result: Option<ScalarPort>,
    outside: Vec<MemoryPort>,
    report: DesignReport,
    memory_names: BTreeMap<MemoryId, String>,
    node_names: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(kernel: &'a Kernel, schedule: &'a Schedule, wires: &'a Wires, target: &'a Target) -> Writer<'a> {
        let mut names = Names::new();
        let mut states = Vec::new();
        let mut next = 0;
        for block in schedule.blocks.values() {
            states.push(next);
            next += if block.pipeline.is_some() { 1 } else { block.length };
        }
        // Names of ports first, so that they are those of the source.
        let mut node_names = vec![String::new(); kernel.nodes.len()];
        for &input in &kernel.inputs {
            node_names[input.index()] = names.fresh(&kernel.nodes[input].name);
        }
        let mut memory_names = BTreeMap::new();
        for (id, memory) in kernel.memories.iter() {
            let name = names.fresh_memory(&memory.name, target.resources.reads());
            memory_names.insert(id, name);
        }
        for (id, node) in kernel.nodes.iter().filter(|(_, node)| node.action != Action::Input) {
            let wanted = if node.name.is_empty() { format!("v{}", id.index()) } else { node.name.clone() };
            node_names[id.index()] = names.fresh(&wanted);
        }
        Writer {
            kernel,
            schedule,
            wires,
            target,
            names,
            states,
            state_bits: (32 - next.leading_zeros()).max(1),
            idle: next,
            ports: Vec::new(),
            declarations: Vec::new(),
            assignments: Vec::new(),
            control: Vec::new(),
            needed: BTreeMap::new(),
            phi_writes: BTreeMap::new(),
            other_writes: Vec::new(),
            enables: BTreeSet::new(),
            used: BTreeMap::new(),
            widths: BTreeMap::new(),
            scalars: Vec::new(),
            result: None,
            outside: Vec::new(),
            report: DesignReport { states: next + 1, ..DesignReport::default() },
            memory_names,
            node_names,
        }
    }

    /// The comment on a wire, after its declaration.
    fn comment(&self, node: NodeId, wire: &Wire) -> String {
        let of = &self.kernel.nodes[node];
        let location = of.location.as_ref().map_or_else(String::new, |location| format!("{location}: "));
        let name = if of.name.is_empty() { "a value".to_owned() } else { of.name.clone() };
        let name = name.replace(['\n', '\r'], " ");
        let signed = if wire.signed { " with sign" } else { "" };
        format!(
            "// {location}{name}, i{}; {} {}{signed}: {}",
            of.bits,
            wire.bits,
            if wire.bits == 1 { "bit" } else { "bits" },
            wire.reason.replace(['\n', '\r'], " ")
        )
    }

    /// Declares and assigns the wire of each node.
    fn operations(&mut self) {
        for &input in &self.kernel.inputs {
            let wire = self.wires.nodes[input].clone();
            let (name, of) = (self.node_names[input.index()].clone(), &self.kernel.nodes[input]);
            self.ports.push(format!("  input {}{name} {}", range(wire.bits), self.comment(input, &wire)));
            self.widths.insert(name.clone(), wire.bits);
            let parameter = match of.origin.map(|origin| origin.value) {
                Some(Value::Argument(position)) => position,
                _ => unreachable!("inputs are parameters"),
            };
            let (bits, signed) = (wire.bits, wire.signed);
            self.scalars.push(ScalarPort { name, parameter, bits, declared: of.bits, signed });
        }
        let mut operators: BTreeMap<(&'static str, u32), u32> = BTreeMap::new();
        for node in self.kernel.nodes.ids() {
            let of = &self.kernel.nodes[node];
            if matches!(of.action, Action::Input | Action::Phi(_) | Action::Store(_)) {
                continue;
            }
            let (Some(block), Some(slot)) = (of.block, self.schedule.slots[node]) else { continue };
            let wire = self.wires.nodes[node].clone();
            let name = self.node_names[node.index()].clone();
            let comment = self.comment(node, &wire);
            self.declare(&name, wire.bits, &comment);
            let value = self.expression(node, At { block, cycle: Some(slot.cycle) });
            self.assignments.push(format!("  assign {name} = {value};"));
            if let Some(kind) = operator(&of.action, &of.operands) {
                *operators.entry((kind, wire.bits)).or_insert(0) += 1;
            }
        }
        self.report.operators =
            operators.into_iter().map(|((kind, bits), count)| OperatorUse { kind, bits, count }).collect();
    }

    /// Declares a wire.
    fn declare(&mut self, name: &str, bits: u32, comment: &str) {
        self.widths.insert(name.to_owned(), bits);
        self.declarations.push(format!("  wire {}{name}; {comment}", range(bits)).trim_end().to_owned());
    }

    fn declare_register(&mut self, name: &str, bits: u32, comment: &str) {
        self.widths.insert(name.to_owned(), bits);
        self.report.register_bits += u64::from(bits);
        self.declarations.push(format!("  reg {}{name}; {comment}", range(bits)).trim_end().to_owned());
    }

    /// Registers of values that are used after their cycle.
    fn registers(&mut self) {
        let mut lines = Vec::new();
        // What feeds a phi's register may need a register of its own.
        for node in self.kernel.nodes.ids() {
            let Some(&copies) = self.needed.get(&node) else { continue };
            let wire = self.wires.nodes[node].clone();
            let comment = self.comment(node, &wire);
            for copy in 0..=copies {
                let name = self.register(node, copy);
                self.declare_register(&name, wire.bits, &comment);
            }
        }
        let mut written: BTreeMap<String, Vec<Writing>> = BTreeMap::new();
        for (&node, &copies) in &self.needed.clone() {
            let of = &self.kernel.nodes[node];
            let block = of.block.expect("inputs have no registers");
            let first = self.register(node, 0);
            let ready = if let Action::Phi(_) = of.action {
                let writes = self.phi_writes.get(&node).cloned().unwrap_or_default();
                written.insert(first, writes);
                self.carried(node)
            } else {
                let slot = self.schedule.slots[node].expect("it has a cycle");
                let (enable, value) = (self.enable(block, slot.ready_cycle), self.whole(node));
                written.insert(first, vec![Writing { enable, value }]);
                Some(slot.ready_cycle)
            };
            for copy in 1..=copies {
                let (name, from) = (self.register(node, copy), self.register(node, copy - 1));
                self.use_all(&from);
                let enable = self.phase(block, ready.expect("copies are of what a pipeline computes"));
                written.insert(name, vec![Writing { enable, value: from }]);
            }
        }
        for (name, writing) in std::mem::take(&mut self.other_writes) {
            written.entry(name).or_default().push(writing);
        }
        for (name, writes) in written {
            for (position, writing) in writes.iter().enumerate() {
                let otherwise = if position > 0 { "else " } else { "" };
                lines.push(format!("    {otherwise}if ({}) {name} <= {};", writing.enable, writing.value));
            }
        }
        self.control.push(String::new());
        if !lines.is_empty() {
            self.control.push("  always @(posedge clk) begin".to_owned());
            self.control.extend(lines);
            self.control.push("  end".to_owned());
        }
    }

    /// The wire of a node, all of it.
    fn whole(&mut self, node: NodeId) -> String {
        let name = self.node_names[node.index()].clone();
        self.use_all(&name);
        name
    }

    /// The module and ports that are called otherwise than in the source.
    fn renamed(&self, module: &str) -> Vec<String> {
        let mut all = Vec::new();
        let mut tell = |kind: &str, old: &str, new: &str| {
            if old != new {
                all.push(format!("the {kind} {old} of the source is called {new} here"));
            }
        };
        tell("function", &self.kernel.name, module);
        for &input in &self.kernel.inputs {
            tell("parameter", &self.kernel.nodes[input].name, &self.node_names[input.index()]);
        }
        for (id, name) in &self.memory_names {
            let memory = &self.kernel.memories[*id];
            if let crate::kernel::MemoryKind::Port { parameter } = memory.kind {
                tell(if parameter.is_some() { "pointer" } else { "data" }, &memory.name, name);
            }
        }
        all
    }

    fn finish(mut self, about: &[String]) -> Design {
        let name = self.names.module_name(&self.kernel.name);
        let mut text = String::new();
        let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
        for words in about {
            line(&format!("// {}", words.replace(['\n', '\r'], " ")));
        }
        for words in self.renamed(&name) {
            line(&format!("// {}", words.replace(['\n', '\r'], " ")));
        }
        line("//");
        line(
            "// start is looked at while the circuit is idle; parameters must stay until done is one, for a",
        );
        line("// cycle. Addresses count elements. A read gives its element in the next cycle.");
        let head = [
            "  input clk".to_owned(),
            "  input rst // with the clock, idle again".to_owned(),
            "  input start".to_owned(),
            "  output reg done".to_owned(),
        ];
        line(&format!("module {name} ("));
        let all: Vec<String> = head.into_iter().chain(std::mem::take(&mut self.ports)).collect();
        for (position, port) in all.iter().enumerate() {
            let comma = if position + 1 < all.len() { "," } else { "" };
            match port.split_once(" //") {
                Some((port, comment)) => line(&format!("{}{comma} //{comment}", port.trim_end())),
                None => line(&format!("{port}{comma}")),
            }
        }
        line(");");
        let unused = self.unused();
        for declaration in &self.declarations {
            line(declaration);
        }
        line("");
        for assignment in &self.assignments {
            line(assignment);
        }
        if !unused.is_empty() {
            line("");
            line("  // Bits that nobody looks at.");
            line(&format!("  wire unused = &{{1'b0, {}}};", unused.join(", ")));
        }
        line("");
        for control in &self.control {
            line(control);
        }
        line("endmodule");
        Design {
            name,
            verilog: text,
            parameters: self.kernel.parameters,
            scalars: self.scalars,
            result: self.result,
            result_mask: u128::MAX,
            memories: self.outside,
            report: self.report,
        }
    }

    /// A view on an operand's wire where it is used.
    fn view(&mut self, operand: KernelOperand, at: At) -> View {
        match operand {
            KernelOperand::Constant { bits, value } => View::Number { bits, value },
            KernelOperand::Node(node) => {
                let wire = &self.wires.nodes[node];
                let (bits, signed) = (wire.bits, wire.signed);
                let name = self.net(node, at);
                View::Net { name, bits, signed, declared: self.kernel.nodes[node].bits }
            }
        }
    }
}

/// `[7:0] `, or nothing for one bit.
fn range(bits: u32) -> String {
    if bits == 1 { String::new() } else { format!("[{}:0] ", bits - 1) }
}

/// What an operator is called in reports; wiring has no name.
fn operator(action: &Action, operands: &[KernelOperand]) -> Option<&'static str> {
    let by_constant = matches!(operands.get(1), Some(KernelOperand::Constant { .. }));
    Some(match action {
        Action::Add | Action::Sub => "add",
        Action::Mul => "multiply",
        Action::Div { .. } | Action::Rem { .. } => "divide",
        Action::Shl | Action::LShr | Action::AShr if !by_constant => "shift",
        Action::And | Action::Or | Action::Xor => "logic",
        Action::Compare(_) => "compare",
        Action::Select => "select",
        Action::Extreme { .. } | Action::Absolute => "clip",
        Action::Address { .. } => "address",
        _ => return None,
    })
}
