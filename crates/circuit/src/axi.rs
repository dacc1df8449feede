//! How is a circuit called by a processor? By registers, with its memories in the system's.
//!
//! A module around the circuit has an AXI4-Lite port with registers: control, result, parameters, and where
//! each memory begins. It has an AXI4 port, too, by which the circuit reads and writes those memories, one
//! element a transfer. A circuit's cycle is over when all its accesses are answered. Until then an enable
//! holds the clock of a copy of the circuit. So its schedule stays as it is, and an access may take
//! any time. The copy differs from the circuit in that enable alone.
//!
//! A write of a parameter while a call is under way gets an error (SLVERR) and changes nothing. So does an
//! access of a register that does not exist. What a memory answers with an error sets a bit of the control
//! register.
//!
//! Source: AMBA AXI and ACE Protocol Specification (ARM IHI 0022). Input: a circuit. Output: the module
//! `NAME_axi` with its copy of the circuit, and a header in C. Cost: linear in ports.

use std::fmt::Write;

use crate::ports::{ports, widened_to};
use crate::verilog::{Design, MemoryPort};

/// Offset of the first register that is a parameter.
const FIRST: u32 = 0x10;
/// Offset of the result.
pub(crate) const RESULT: u32 = 0x08;

/// Registers of the module, as offsets in bytes. Each has two words, the low one first.
pub(crate) struct Registers {
    /// Of each scalar, in order.
    pub(crate) scalars: Vec<u32>,
    /// Of each memory, in order.
    pub(crate) memories: Vec<u32>,
    /// Bits of an offset.
    pub(crate) bits: u32,
}

impl Registers {
    pub(crate) fn of(design: &Design) -> Registers {
        let at = |position: usize| FIRST + 8 * position as u32;
        let scalars = design.scalars.len();
        let end = at(scalars + design.memories.len());
        Registers {
            scalars: (0..scalars).map(at).collect(),
            memories: (scalars..scalars + design.memories.len()).map(at).collect(),
            bits: 32 - (end - 1).leading_zeros(),
        }
    }
}

/// Bytes of the bus to memories.
pub(crate) fn bus_bytes(design: &Design) -> u32 {
    if design.memories.iter().any(|memory| memory.bits == 64) { 8 } else { 4 }
}

/// One access that the circuit may make in a cycle.
struct Access<'a> {
    memory: &'a MemoryPort,
    /// Names of wires of the circuit.
    enable: String,
    address: String,
    /// What it writes, or the wire for what it reads.
    data: String,
    is_write: bool,
}

/// All accesses, reads first.
fn accesses(design: &Design) -> Vec<Access<'_>> {
    let mut all = Vec::new();
    for memory in &design.memories {
        let name = &memory.name;
        let address = |own: String| if memory.is_one_port { format!("c_{name}_address") } else { own };
        for read in 0..memory.reads {
            all.push(Access {
                memory,
                enable: format!("c_{name}_read{read}_enable"),
                address: address(format!("c_{name}_read{read}_address")),
                data: format!("c_{name}_read{read}_data"),
                is_write: false,
            });
        }
        if memory.is_written {
            all.push(Access {
                memory,
                enable: format!("c_{name}_write_enable"),
                address: address(format!("c_{name}_write_address")),
                data: format!("c_{name}_write_data"),
                is_write: true,
            });
        }
    }
    all.sort_by_key(|access| access.is_write);
    all
}

/// The circuit with an enable of its clock, as a module `NAME_stalled`.
fn stalled(design: &Design) -> String {
    let name = &design.name;
    let mut text = String::new();
    for line in design.verilog.lines() {
        let line = if line == format!("module {name} (") {
            // Tools that want a file for each module are told that this one is here.
            format!("// verilator lint_off DECLFILENAME\nmodule {name}_stalled (")
        } else if line == "  input clk," {
            "  input clk,\n  input clock_EN, // without it nothing changes".to_owned()
        } else if let Some(rest) = line.strip_prefix("  always @(posedge clk)") {
            format!("  always @(posedge clk) if (clock_EN | rst){rest}")
        } else {
            line.to_owned()
        };
        text += &line;
        text.push('\n');
    }
    text
}

fn range(bits: u32) -> String {
    if bits == 1 { String::new() } else { format!("[{}:0] ", bits - 1) }
}

/// The module with registers and a port to memories, and the circuit that it holds.
pub fn axi(design: &Design) -> String {
    let name = &design.name;
    let (registers, accesses) = (Registers::of(design), accesses(design));
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
    line(&format!(
        "// {name} with registers (AXI4-Lite) and its memories by AXI4; {name}_axi.h has the registers"
    ));
    line(&format!("module {name}_axi ("));
    line(&format!("  {}", module_ports(design, &registers).join(",\n  ")));
    line(");");
    line("  // The circuit, and the registers.");
    line("  reg c_start, is_busy, is_done, is_failed;");
    line("  wire c_done, tick;");
    for port in ports(design).iter().filter(|port| port.name != "start" && port.name != "done") {
        let kind = if port.is_driven { "wire" } else { "reg" };
        line(&format!("  {kind} {}c_{};", range(port.bits), port.name));
    }
    for memory in &design.memories {
        line(&format!("  reg [63:0] base_{};", memory.name));
    }
    let mut connections =
        vec![".clk(aclk)".to_owned(), ".clock_EN(tick)".to_owned(), ".rst(~aresetn)".to_owned()];
    connections.extend(ports(design).iter().map(|port| format!(".{0}(c_{0})", port.name)));
    line(&format!("  {name}_stalled circuit (\n    {}\n  );", connections.join(",\n    ")));
    line("  assign irq = is_done;");
    registers_side(design, &registers, &mut line);
    if accesses.is_empty() {
        line("  assign tick = 1'b1;");
        line("  always @(posedge aclk) is_failed <= 1'b0;");
    } else {
        memory_side(design, &accesses, &mut line);
    }
    line("endmodule");
    line("");
    text + &stalled(design)
}

fn module_ports(design: &Design, registers: &Registers) -> Vec<String> {
    let mut all: Vec<String> =
        ["input aclk", "input aresetn", "output irq"].iter().map(|&port| port.to_owned()).collect();
    let offset = range(registers.bits);
    all.extend([
        format!("input {offset}s_axi_awaddr"),
        "input s_axi_awvalid".to_owned(),
        "output s_axi_awready".to_owned(),
        "input [31:0] s_axi_wdata".to_owned(),
        "input [3:0] s_axi_wstrb".to_owned(),
        "input s_axi_wvalid".to_owned(),
        "output s_axi_wready".to_owned(),
        "output reg [1:0] s_axi_bresp".to_owned(),
        "output reg s_axi_bvalid".to_owned(),
        "input s_axi_bready".to_owned(),
        format!("input {offset}s_axi_araddr"),
        "input s_axi_arvalid".to_owned(),
        "output s_axi_arready".to_owned(),
        "output reg [31:0] s_axi_rdata".to_owned(),
        "output reg [1:0] s_axi_rresp".to_owned(),
        "output reg s_axi_rvalid".to_owned(),
        "input s_axi_rready".to_owned(),
    ]);
    if design.memories.is_empty() {
        return all;
    }
    let (bytes, bits) = (bus_bytes(design), 8 * bus_bytes(design));
    for (channel, kind) in [("ar", "output"), ("aw", "output")] {
        all.extend([
            format!("{kind} reg [63:0] m_axi_{channel}addr"),
            format!("{kind} [7:0] m_axi_{channel}len"),
            format!("{kind} reg [2:0] m_axi_{channel}size"),
            format!("{kind} [1:0] m_axi_{channel}burst"),
            format!("{kind} [3:0] m_axi_{channel}cache"),
            format!("{kind} [2:0] m_axi_{channel}prot"),
            format!("{kind} reg m_axi_{channel}valid"),
            format!("input m_axi_{channel}ready"),
        ]);
    }
    all.extend([
        format!("input [{}:0] m_axi_rdata", bits - 1),
        "input [1:0] m_axi_rresp".to_owned(),
        "input m_axi_rlast".to_owned(),
        "input m_axi_rvalid".to_owned(),
        "output m_axi_rready".to_owned(),
        format!("output reg [{}:0] m_axi_wdata", bits - 1),
        format!("output reg [{}:0] m_axi_wstrb", bytes - 1),
        "output m_axi_wlast".to_owned(),
        "output reg m_axi_wvalid".to_owned(),
        "input m_axi_wready".to_owned(),
        "input [1:0] m_axi_bresp".to_owned(),
        "input m_axi_bvalid".to_owned(),
        "output m_axi_bready".to_owned(),
    ]);
    all
}

/// Writes of one register of up to 64 bits, by the bytes that the strobes say.
fn register_writes(register: &str, bits: u32, offset: u32) -> Vec<String> {
    let mut all = Vec::new();
    for byte in 0..bits.div_ceil(8) {
        let (low, high) = (8 * byte, (8 * byte + 7).min(bits - 1));
        let own = if bits == 1 { register.to_owned() } else { format!("{register}[{high}:{low}]") };
        let (from, lane) = (low % 32, byte % 4);
        let given = if high == low { format!("[{from}]") } else { format!("[{}:{from}]", from + high - low) };
        all.push((
            offset + byte / 4 * 4,
            format!("          if (word_strobes[{lane}]) {own} <= word_given{given};"),
        ));
    }
    let words = [offset, offset + 4];
    let mut lines = Vec::new();
    for word in words {
        let of_word: Vec<&String> = all.iter().filter(|(at, _)| *at == word).map(|(_, text)| text).collect();
        lines.push(format!("        WORD {word}"));
        lines.extend(of_word.into_iter().cloned());
    }
    lines
}

/// The AXI4-Lite side.
fn registers_side(design: &Design, registers: &Registers, line: &mut impl FnMut(&str)) {
    let (bits, top) = (registers.bits, registers.bits - 1);
    let index = bits - 2;
    line("");
    line("  // A write: address and data come in any order, and are answered when both are there.");
    line(&format!("  reg [{}:0] word_at;", index - 1));
    line("  reg [31:0] word_given;");
    line("  reg [3:0] word_strobes;");
    line("  reg has_address, has_word;");
    line("  assign s_axi_awready = ~has_address;");
    line("  assign s_axi_wready = ~has_word;");
    line("  wire writes = has_address & has_word & ~s_axi_bvalid;");
    line("  always @(posedge aclk) begin");
    line("    c_start <= 1'b0;");
    line("    if (~aresetn) begin");
    line("      has_address <= 1'b0; has_word <= 1'b0; s_axi_bvalid <= 1'b0;");
    line("      is_busy <= 1'b0; is_done <= 1'b0;");
    line("    end else begin");
    line("      if (s_axi_awvalid & s_axi_awready) begin");
    line(&format!("        has_address <= 1'b1; word_at <= s_axi_awaddr[{top}:2];"));
    line("      end");
    line("      if (s_axi_wvalid & s_axi_wready) begin");
    line("        has_word <= 1'b1; word_given <= s_axi_wdata; word_strobes <= s_axi_wstrb;");
    line("      end");
    line("      if (s_axi_bvalid & s_axi_bready) s_axi_bvalid <= 1'b0;");
    line("      if (c_done) begin");
    line("        is_busy <= 1'b0; is_done <= 1'b1;");
    line("      end");
    line("      if (writes) begin");
    line("        has_address <= 1'b0; has_word <= 1'b0; s_axi_bvalid <= 1'b1;");
    line("        s_axi_bresp <= is_busy ? 2'b10 : 2'b00; // parameters stay during a call");
    line("        if (~is_busy) case (word_at)");
    line(&format!("        {index}'d0: if (word_strobes[0] & word_given[0]) begin"));
    line("          c_start <= 1'b1; is_busy <= 1'b1; is_done <= 1'b0;");
    line("        end");
    let scalars = design.scalars.iter().zip(&registers.scalars);
    let of_scalars = scalars.map(|(scalar, &at)| (format!("c_{}", scalar.name), scalar.bits, at));
    let memories = design.memories.iter().zip(&registers.memories);
    let of_memories = memories.map(|(memory, &at)| (format!("base_{}", memory.name), 64, at));
    for (register, bits, at) in of_scalars.chain(of_memories) {
        let mut open = false;
        for text in register_writes(&register, bits, at) {
            match text.trim().strip_prefix("WORD ") {
                Some(offset) => {
                    if open {
                        line("        end");
                    }
                    let word: u32 = offset.parse().unwrap_or(0) / 4;
                    line(&format!("        {index}'d{word}: begin"));
                    open = true;
                }
                None => line(&text),
            }
        }
        line("        end");
    }
    line("        default: s_axi_bresp <= 2'b10; // no register, or none to be written");
    line("        endcase");
    line("      end");
    line("    end");
    line("  end");
    line("");
    line("  // A read.");
    line("  assign s_axi_arready = ~s_axi_rvalid;");
    line("  always @(posedge aclk) begin");
    line("    if (~aresetn) s_axi_rvalid <= 1'b0;");
    line("    else if (s_axi_rvalid) begin");
    line("      if (s_axi_rready) s_axi_rvalid <= 1'b0;");
    line("    end else if (s_axi_arvalid) begin");
    line("      s_axi_rvalid <= 1'b1; s_axi_rresp <= 2'b00;");
    line(&format!("      case (s_axi_araddr[{top}:2])"));
    line(&format!("      {index}'d0: s_axi_rdata <= {{28'd0, is_failed, ~is_busy, is_done, is_busy}};"));
    let mut value = |at: u32, value: &str| {
        line(&format!("      {index}'d{}: s_axi_rdata <= {value}[31:0];", at / 4));
        line(&format!("      {index}'d{}: s_axi_rdata <= {value}[63:32];", at / 4 + 1));
    };
    if design.result.is_some() {
        value(RESULT, "v_result");
    }
    for (scalar, &at) in design.scalars.iter().zip(&registers.scalars) {
        value(at, &format!("v_{}", scalar.name));
    }
    for (memory, &at) in design.memories.iter().zip(&registers.memories) {
        value(at, &format!("base_{}", memory.name));
    }
    line("      default: begin s_axi_rdata <= 32'd0; s_axi_rresp <= 2'b10; end");
    line("      endcase");
    line("    end");
    line("  end");
    for scalar in design.result.iter().chain(&design.scalars) {
        let wire = format!("c_{}", scalar.name);
        line(&format!("  wire [63:0] v_{} = {};", scalar.name, widened_to(&wire, &wire, scalar, 64)));
    }
    line("  wire unused = &{1'b0, s_axi_awaddr[1:0], s_axi_araddr[1:0], word_given, word_strobes};");
}

/// The AXI4 side.
fn memory_side(design: &Design, accesses: &[Access<'_>], line: &mut impl FnMut(&str)) {
    let (bytes, count) = (bus_bytes(design), accesses.len());
    let lane_bits = bytes.ilog2();
    line("");
    line(
        "  // Accesses of one cycle of the circuit, one after the other. The cycle is over when all are served.",
    );
    line(&format!("  reg {}served;", range(count as u32)));
    let enables: Vec<&str> = accesses.iter().rev().map(|access| &*access.enable).collect();
    line(&format!("  wire {}open = {{{}}} & ~served;", range(count as u32), enables.join(", ")));
    line("  assign tick = ~|open;");
    line("  reg is_reading, is_writing;");
    line(&format!("  reg {}which; // the access that is under way", range(count as u32)));
    line(&format!("  reg [{}:0] lane;", lane_bits - 1));
    line("  assign m_axi_rready = is_reading;");
    line("  assign m_axi_bready = is_writing;");
    line("  assign m_axi_wlast = 1'b1;");
    for channel in ["ar", "aw"] {
        line(&format!("  assign m_axi_{channel}len = 8'd0; // one element a transfer"));
        line(&format!("  assign m_axi_{channel}burst = 2'b01;"));
        line(&format!("  assign m_axi_{channel}cache = 4'b0011;"));
        line(&format!("  assign m_axi_{channel}prot = 3'b000;"));
    }
    line(&format!("  wire [{}:0] shifted = m_axi_rdata >> {{lane, 3'b000}};", 8 * bytes - 1));
    let bit = |position: usize| if count == 1 { String::new() } else { format!("[{position}]") };
    for (position, access) in accesses.iter().enumerate() {
        let memory = access.memory;
        let shift = (memory.bits / 8).ilog2();
        let above = 64 - memory.address_bits - shift;
        let low = if shift == 0 { String::new() } else { format!(", {shift}'d0") };
        let base = match shift {
            0 => format!("base_{}", memory.name),
            _ => format!("{{base_{}[63:{shift}], {shift}'d0}}", memory.name),
        };
        line(&format!("  wire [63:0] address{position} = {base} + {{{above}'d0, {}{low}}};", access.address));
        if !access.is_write {
            line(&format!("  reg {}fetched{position};", range(memory.bits)));
        }
    }
    line("  always @(posedge aclk) begin");
    line("    if (~aresetn) begin");
    line("      m_axi_arvalid <= 1'b0; m_axi_awvalid <= 1'b0; m_axi_wvalid <= 1'b0;");
    line(&format!("      is_reading <= 1'b0; is_writing <= 1'b0; is_failed <= 1'b0; served <= {count}'d0;"));
    line("      m_axi_araddr <= 64'd0; m_axi_arsize <= 3'd0; m_axi_awaddr <= 64'd0; m_axi_awsize <= 3'd0;");
    line(&format!("      m_axi_wdata <= {}'d0; m_axi_wstrb <= {bytes}'d0;", 8 * bytes));
    line("    end else begin");
    line("      if (c_start) is_failed <= 1'b0;");
    line("      if (m_axi_arready) m_axi_arvalid <= 1'b0;");
    line("      if (m_axi_awready) m_axi_awvalid <= 1'b0;");
    line("      if (m_axi_wready) m_axi_wvalid <= 1'b0;");
    line("      if (tick) begin");
    line(&format!("        served <= {count}'d0;"));
    for (position, access) in accesses.iter().enumerate().filter(|(_, access)| !access.is_write) {
        line(&format!("        if ({}) {} <= fetched{position};", access.enable, access.data));
    }
    line("      end");
    line("      if (~is_reading & ~is_writing) begin");
    let mut otherwise = "";
    for (position, access) in accesses.iter().enumerate() {
        let size = access.memory.bits / 8;
        line(&format!("        {otherwise}if (open{}) begin", bit(position)));
        line(&format!(
            "          which <= {count}'d{}; lane <= address{position}[{}:0];",
            1u64 << position,
            lane_bits - 1
        ));
        let channel = if access.is_write { "aw" } else { "ar" };
        line(&format!(
            "          m_axi_{channel}addr <= address{position}; m_axi_{channel}size <= 3'd{}; m_axi_{channel}valid <= 1'b1;",
            size.ilog2()
        ));
        if access.is_write {
            let (copies, strobes) = (bytes / size, (1u32 << size) - 1);
            line("          is_writing <= 1'b1; m_axi_wvalid <= 1'b1;");
            line(&format!("          m_axi_wdata <= {{{copies}{{{}}}}};", access.data));
            line(&format!(
                "          m_axi_wstrb <= {bytes}'d{strobes} << address{position}[{}:0];",
                lane_bits - 1
            ));
        } else {
            line("          is_reading <= 1'b1;");
        }
        line("        end");
        otherwise = "else ";
    }
    line("      end");
    line("      if (is_reading & m_axi_rvalid) begin");
    line("        is_reading <= 1'b0; served <= served | which;");
    line("        if (m_axi_rresp[1]) is_failed <= 1'b1;");
    for (position, access) in accesses.iter().enumerate().filter(|(_, access)| !access.is_write) {
        line(&format!(
            "        if (which{}) fetched{position} <= shifted[{}:0];",
            bit(position),
            access.memory.bits - 1
        ));
    }
    line("      end");
    line("      if (is_writing & m_axi_bvalid) begin");
    line("        is_writing <= 1'b0; served <= served | which;");
    line("        if (m_axi_bresp[1]) is_failed <= 1'b1;");
    line("      end");
    line("    end");
    line("  end");
    let low: Vec<String> = design
        .memories
        .iter()
        .filter(|memory| memory.bits > 8)
        .map(|memory| format!("base_{}[{}:0]", memory.name, (memory.bits / 8).ilog2() - 1))
        .collect();
    let low: String = low.iter().map(|bits| format!(", {bits}")).collect();
    line(&format!(
        "  wire unused_lanes = &{{1'b0, m_axi_rlast, m_axi_rresp[0], m_axi_bresp[0], shifted{low}}};"
    ));
}

/// The registers as a header in C.
pub fn axi_header(design: &Design) -> String {
    let registers = Registers::of(design);
    let (name, prefix) = (&design.name, design.name.to_ascii_uppercase());
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
    line(&format!(
        "/* Registers of {name}_axi, as offsets in bytes. Each is 32 bits; of a number of more bits the"
    ));
    line(
        " * low word comes first. Write parameters and bases, then 1 to CONTROL; read CONTROL until DONE is set.",
    );
    line(
        " * A write during a call, and one to no register, is answered with an error and changes nothing. */",
    );
    line(&format!("#ifndef {prefix}_AXI_H\n#define {prefix}_AXI_H\n"));
    let mut define = |end: &str, value: String, words: &str| {
        line(&format!("#define {prefix}_{end} {value} /* {} */", words.replace("*/", "* /")));
    };
    let hex = |at: u32| format!("0x{at:02x}u");
    define("CONTROL", hex(0), "write START to begin a call; read the bits below");
    define("START", "0x1u".to_owned(), "written: begins a call; read: a call is under way");
    define("DONE", "0x2u".to_owned(), "the last call is over; irq has this value, too");
    define("IDLE", "0x4u".to_owned(), "no call is under way");
    define("FAILED", "0x8u".to_owned(), "a memory answered an access of the last call with an error");
    if let Some(result) = &design.result {
        define("RESULT", hex(RESULT), &format!("the result, {} bits", result.declared));
    }
    for (scalar, &at) in design.scalars.iter().zip(&registers.scalars) {
        let upper = scalar.name.to_ascii_uppercase();
        let sign = if scalar.signed { " with sign" } else { "" };
        let words =
            format!("the parameter {}: {} bits of {}{sign}", scalar.name, scalar.bits, scalar.declared);
        define(&format!("P{}_{upper}", scalar.parameter), hex(at), &words);
    }
    for (position, (memory, &at)) in design.memories.iter().zip(&registers.memories).enumerate() {
        let upper = memory.name.to_ascii_uppercase();
        let words = format!(
            "the address of {}, whose elements have {} bits; a multiple of {}",
            memory.source_name,
            memory.bits,
            memory.bits / 8
        );
        define(&format!("M{position}_{upper}"), hex(at), &words);
    }
    line("\n#endif");
    text
}
