//! How is a circuit with AXI ports tried? By a processor and memories that hesitate at random.
//!
//! The testbench reads the same runs as that of the circuit alone. It writes parameters and bases by AXI4-Lite,
//! begins a call, polls until it is over, and reads the result. It answers the circuit's accesses as a slow and
//! irregular memory would: each channel waits at random. Lanes of the bus that an element does not use are
//! undefined. Each memory begins at an address that is no multiple of the bus.
//!
//! What the circuit drives is held to the protocol in each clock. A valid stays until its ready, with
//! the same payload. Sizes, alignment and strobes are those of an element. Whatever breaks that makes the run
//! wrong.

use std::fmt::Write;

use crate::axi::{RESULT, Registers, bus_bytes};
use crate::testbench::{MOST_CYCLES, close, compare_memories, compare_result, open, read_run};
use crate::verilog::{Design, MemoryPort};

/// The testbench; `lengths` are the elements of each memory, in order.
pub fn axi_testbench(design: &Design, vectors: &str, lengths: &[u64]) -> String {
    let name = &format!("{}_axi", design.name);
    let registers = Registers::of(design);
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
    line("`timescale 1ns/1ps");
    line(&format!("module {name}_testbench;"));
    line("  reg clk, rst;");
    line("  wire irq;");
    line("  integer file, code, run, runs, wrong, outside, place, waited;");
    line("  reg is_wrong, is_outside, is_called;");
    line("  reg [63:0] word, expected, cycles, element;");
    line("  reg [31:0] low, dice;");
    line("  reg [1023:0] waveform;");
    for scalar in &design.scalars {
        line(&format!("  reg [63:0] p_{};", scalar.name));
    }
    for (memory, length) in design.memories.iter().zip(lengths) {
        line(&format!("  reg [{}:0] m_{} [0:{}];", memory.bits - 1, memory.name, (*length).max(1) - 1));
        line(&format!("  reg [63:0] n_{};", memory.name));
    }
    let all = signals(design, &registers);
    for (signal, bits, is_driven) in &all {
        line(&format!("  {} [{}:0] {signal};", if *is_driven { "wire" } else { "reg" }, bits - 1));
    }
    let connections: Vec<String> = all.iter().map(|(signal, ..)| format!(", .{signal}({signal})")).collect();
    line(&format!("  {name} circuit (.aclk(clk), .aresetn(~rst), .irq(irq){});", connections.concat()));
    line("  always #5 clk = ~clk;");
    line("  always @(posedge clk) begin");
    line("    dice <= $random;");
    line("    if (is_called && irq !== 1'b1) cycles = cycles + 1;");
    line("  end");
    channel(&["s_axi_bvalid", "s_axi_bready", "s_axi_bresp"], &mut line);
    channel(&["s_axi_rvalid", "s_axi_rready", "s_axi_rdata", "s_axi_rresp"], &mut line);
    if !design.memories.is_empty() {
        for side in ["ar", "aw"] {
            let of =
                ["valid", "ready", "addr", "len", "size", "burst"].map(|end| format!("m_axi_{side}{end}"));
            channel(&of.each_ref().map(|signal| &**signal), &mut line);
        }
        channel(&["m_axi_wvalid", "m_axi_wready", "m_axi_wdata", "m_axi_wstrb", "m_axi_wlast"], &mut line);
        memories(design, &mut line);
    }
    processor(&mut line);
    line("  initial begin");
    line(
        "    clk = 1'b0; rst = 1'b1; wrong = 0; outside = 0; cycles = 0; is_outside = 1'b0; is_called = 1'b0;",
    );
    line(
        "    is_wrong = 1'b0; dice = 32'd0; s_axi_awvalid = 1'b0; s_axi_wvalid = 1'b0; s_axi_bready = 1'b0;",
    );
    line("    s_axi_arvalid = 1'b0; s_axi_rready = 1'b0;");
    open(name, vectors, &mut line);
    line("    @(negedge clk); @(negedge clk); @(negedge clk); rst = 1'b0;");
    line("    for (run = 0; run < runs; run = run + 1) begin");
    line("      is_wrong = 1'b0; is_outside = 1'b0;");
    read_run(design, &mut line);
    let mut give = |at: u32, value: &str| {
        line(&format!("      put({at}, {value}[31:0]); put({}, {value}[63:32]);", at + 4));
    };
    for (scalar, &at) in design.scalars.iter().zip(&registers.scalars) {
        give(at, &format!("p_{}", scalar.name));
    }
    for (position, (memory, &at)) in design.memories.iter().zip(&registers.memories).enumerate() {
        line(&format!("      word = {};", base(position, memory)));
        line(&format!("      put({at}, word[31:0]); put({}, word[63:32]);", at + 4));
    }
    line("      is_called = 1'b1; put(0, 32'd1); waited = 0; low = 32'd0;");
    if let Some(&at) = registers.scalars.iter().chain(&registers.memories).next() {
        // It is an error while the call is under way, and changes nothing.
        line(&format!("      if (irq === 1'b0) poke({at}, 32'hffffffff);"));
    }
    line(&format!("      while (low[1] !== 1'b1 && waited < {}) begin", MOST_CYCLES / 8));
    line("        get(0); waited = waited + 1;");
    line("      end");
    line("      is_called = 1'b0;");
    line("      if (low[1] !== 1'b1) begin");
    line(&format!(
        "        $display(\"run %0d takes more than {MOST_CYCLES} cycles\", run); $finish; @(negedge clk);"
    ));
    line("      end");
    line("      if (low !== 32'd6 || irq !== 1'b1) is_wrong = 1'b1;");
    if design.result.is_some() {
        line(&format!("      get({RESULT}); word[31:0] = low; get({}); word[63:32] = low;", RESULT + 4));
        line(&format!("      word = word & 64'h{:x};", design.result_mask as u64));
        compare_result(&mut line);
    }
    compare_memories(design, &mut line);
    close(design, &mut line);
    line("endmodule");
    text
}

/// Where a memory begins: in a region of its own, and at no multiple of the bus.
fn base(position: usize, memory: &MemoryPort) -> String {
    format!("{{32'd{}, 32'd{}}}", position + 1, memory.bits / 8)
}

/// Signals with their bits, and whether the circuit drives them.
fn signals(design: &Design, registers: &Registers) -> Vec<(String, u32, bool)> {
    let mut all = Vec::new();
    let mut add = |signal: &str, bits: u32, is_driven: bool| all.push((signal.to_owned(), bits, is_driven));
    for (end, bits, is_driven) in [
        ("awaddr", registers.bits, false),
        ("awvalid", 1, false),
        ("awready", 1, true),
        ("wdata", 32, false),
        ("wstrb", 4, false),
        ("wvalid", 1, false),
        ("wready", 1, true),
        ("bresp", 2, true),
        ("bvalid", 1, true),
        ("bready", 1, false),
        ("araddr", registers.bits, false),
        ("arvalid", 1, false),
        ("arready", 1, true),
        ("rdata", 32, true),
        ("rresp", 2, true),
        ("rvalid", 1, true),
        ("rready", 1, false),
    ] {
        add(&format!("s_axi_{end}"), bits, is_driven);
    }
    if design.memories.is_empty() {
        return all;
    }
    let bytes = bus_bytes(design);
    for side in ["ar", "aw"] {
        for (end, bits) in [("addr", 64), ("len", 8), ("size", 3), ("burst", 2), ("cache", 4), ("prot", 3)] {
            add(&format!("m_axi_{side}{end}"), bits, true);
        }
        add(&format!("m_axi_{side}valid"), 1, true);
        add(&format!("m_axi_{side}ready"), 1, false);
    }
    for (end, bits, is_driven) in [
        ("rdata", 8 * bytes, false),
        ("rresp", 2, false),
        ("rlast", 1, false),
        ("rvalid", 1, false),
        ("rready", 1, true),
        ("wdata", 8 * bytes, true),
        ("wstrb", bytes, true),
        ("wlast", 1, true),
        ("wvalid", 1, true),
        ("wready", 1, false),
        ("bresp", 2, false),
        ("bvalid", 1, false),
        ("bready", 1, true),
    ] {
        add(&format!("m_axi_{end}"), bits, is_driven);
    }
    all
}

/// A valid of the circuit stays until its ready, with the same payload. Signals: valid, ready, payload.
fn channel(signals: &[&str], line: &mut impl FnMut(&str)) {
    let [valid, ready, payload @ ..] = signals else { return };
    let (all, before) = (payload.join(", "), format!("{valid}_before"));
    line(&format!("  reg {before}; reg [255:0] {valid}_payload;"));
    line("  always @(posedge clk) begin");
    line(&format!("    if (!rst && {valid} === 1'bx) begin"));
    line(&format!("      is_wrong = 1'b1; $display(\"run %0d: {valid} is undefined\", run);"));
    line("    end");
    line(&format!(
        "    if (!rst && {before} === 1'b1 && ({valid} !== 1'b1 || {valid}_payload !== {{{all}}})) begin"
    ));
    line(&format!(
        "      is_wrong = 1'b1; $display(\"run %0d: {valid} does not stay with its payload until {ready}\", run);"
    ));
    line("    end");
    line(&format!("    {before} <= !rst && {valid} && !{ready}; {valid}_payload <= {{{all}}};"));
    line("  end");
}

/// What the memories do.
fn memories(design: &Design, line: &mut impl FnMut(&str)) {
    let bytes = bus_bytes(design);
    let (bits, lane_bits) = (8 * bytes, bytes.ilog2());
    line("  reg has_read, has_place, has_element;");
    line("  reg [63:0] read_at, write_at;");
    line("  reg [2:0] read_size, write_size;");
    line(&format!("  reg [{}:0] given;", bits - 1));
    line(&format!("  reg [{}:0] strobes;", bytes - 1));
    line("  always @(posedge clk) begin");
    line("    if (rst) begin");
    line("      has_read <= 1'b0; has_place <= 1'b0; has_element <= 1'b0;");
    line("      m_axi_arready <= 1'b0; m_axi_awready <= 1'b0; m_axi_wready <= 1'b0;");
    line("      m_axi_rvalid <= 1'b0; m_axi_bvalid <= 1'b0; m_axi_rresp <= 2'b00; m_axi_bresp <= 2'b00;");
    line("      m_axi_rlast <= 1'b1;");
    line("    end else begin");
    line("      m_axi_arready <= ~has_read & ~(m_axi_arvalid & m_axi_arready) & dice[0];");
    line("      m_axi_awready <= ~has_place & ~(m_axi_awvalid & m_axi_awready) & dice[1];");
    line("      m_axi_wready <= ~has_element & ~(m_axi_wvalid & m_axi_wready) & dice[2];");
    line("      if (m_axi_arvalid & m_axi_arready) begin");
    line("        has_read <= 1'b1; read_at <= m_axi_araddr; read_size <= m_axi_arsize;");
    line("        if (m_axi_arlen !== 8'd0 || m_axi_arburst !== 2'b01) is_wrong = 1'b1;");
    line("      end");
    line("      if (m_axi_awvalid & m_axi_awready) begin");
    line("        has_place <= 1'b1; write_at <= m_axi_awaddr; write_size <= m_axi_awsize;");
    line("        if (m_axi_awlen !== 8'd0 || m_axi_awburst !== 2'b01) is_wrong = 1'b1;");
    line("      end");
    line("      if (m_axi_wvalid & m_axi_wready) begin");
    line("        has_element <= 1'b1; given <= m_axi_wdata; strobes <= m_axi_wstrb;");
    line("        if (m_axi_wlast !== 1'b1) is_wrong = 1'b1;");
    line("      end");
    line("      if (has_read & ~m_axi_rvalid & dice[3]) begin");
    line(&format!("        m_axi_rvalid <= 1'b1; m_axi_rdata = {{{bits}{{1'bx}}}};"));
    line("        case (read_at[63:32])");
    for (position, memory) in design.memories.iter().enumerate() {
        element(position, memory, "read", line);
        line(&format!(
            "          else m_axi_rdata[{{read_at[{}:0], 3'b000}} +: {}] = m_{}[element];",
            lane_bits - 1,
            memory.bits,
            memory.name
        ));
        line("        end");
    }
    line("        default: is_outside = 1'b1;");
    line("        endcase");
    line(&format!("        if (is_outside) m_axi_rdata = {bits}'d0;"));
    line("      end");
    line("      if (m_axi_rvalid & m_axi_rready) begin");
    line("        m_axi_rvalid <= 1'b0; has_read <= 1'b0;");
    line("      end");
    line("      if (has_place & has_element & ~m_axi_bvalid & dice[4]) begin");
    line("        m_axi_bvalid <= 1'b1;");
    line("        case (write_at[63:32])");
    for (position, memory) in design.memories.iter().enumerate() {
        let size = memory.bits / 8;
        element(position, memory, "write", line);
        line(&format!(
            "          else m_{}[element] = given[{{write_at[{}:0], 3'b000}} +: {}];",
            memory.name,
            lane_bits - 1,
            memory.bits
        ));
        line(&format!(
            "          if (strobes !== {bytes}'d{} << write_at[{}:0]) is_wrong = 1'b1;",
            (1u32 << size) - 1,
            lane_bits - 1
        ));
        line("        end");
    }
    line("        default: is_outside = 1'b1;");
    line("        endcase");
    line("      end");
    line("      if (m_axi_bvalid & m_axi_bready) begin");
    line("        m_axi_bvalid <= 1'b0; has_place <= 1'b0; has_element <= 1'b0;");
    line("      end");
    line("    end");
    line("  end");
}

/// The element of a memory that an address means, and an `if` for one that is outside.
fn element(position: usize, memory: &MemoryPort, side: &str, line: &mut impl FnMut(&str)) {
    let size = memory.bits / 8;
    line(&format!("        32'd{}: begin", position + 1));
    line(&format!("          element = ({side}_at - {}) / 64'd{size};", base(position, memory)));
    line(&format!(
        "          if ({side}_size !== 3'd{} || {side}_at % 64'd{size} !== 64'd0) is_wrong = 1'b1;",
        size.ilog2()
    ));
    line(&format!("          if (element >= n_{}) is_outside = 1'b1;", memory.name));
}

/// What a processor does: it writes and reads registers.
fn processor(line: &mut impl FnMut(&str)) {
    line("  reg [1:0] answer;");
    line("  task send(input integer at, input [31:0] value);");
    line("    begin");
    line("      fork");
    line("        begin");
    line("          repeat ($random & 3) @(negedge clk);");
    line("          s_axi_awaddr = at; s_axi_awvalid = 1'b1;");
    line("          while (s_axi_awready !== 1'b1) @(negedge clk);");
    line("          @(negedge clk); s_axi_awvalid = 1'b0;");
    line("        end");
    line("        begin");
    line("          repeat ($random & 3) @(negedge clk);");
    line("          s_axi_wdata = value; s_axi_wstrb = 4'b1111; s_axi_wvalid = 1'b1;");
    line("          while (s_axi_wready !== 1'b1) @(negedge clk);");
    line("          @(negedge clk); s_axi_wvalid = 1'b0;");
    line("        end");
    line("      join");
    line("      while (s_axi_bvalid !== 1'b1) @(negedge clk);");
    line("      answer = s_axi_bresp;");
    line("      repeat ($random & 3) @(negedge clk);");
    line("      s_axi_bready = 1'b1; @(negedge clk); s_axi_bready = 1'b0;");
    line("    end");
    line("  endtask");
    line("  task put(input integer at, input [31:0] value);");
    line("    begin");
    line("      send(at, value);");
    line("      if (answer !== 2'b00) is_wrong = 1'b1;");
    line("    end");
    line("  endtask");
    line("  // The call may be over meanwhile, and then the write is none that a caller may make.");
    line("  task poke(input integer at, input [31:0] value);");
    line("    begin");
    line("      send(at, value);");
    line("      if (answer !== 2'b10 && irq !== 1'b1) is_wrong = 1'b1;");
    line("    end");
    line("  endtask");
    line("  task get(input integer at);");
    line("    begin");
    line("      repeat ($random & 3) @(negedge clk);");
    line("      s_axi_araddr = at; s_axi_arvalid = 1'b1;");
    line("      while (s_axi_arready !== 1'b1) @(negedge clk);");
    line("      @(negedge clk); s_axi_arvalid = 1'b0;");
    line("      while (s_axi_rvalid !== 1'b1) @(negedge clk);");
    line("      repeat ($random & 3) @(negedge clk);");
    line("      low = s_axi_rdata;");
    line("      if (s_axi_rresp !== 2'b00) is_wrong = 1'b1;");
    line("      s_axi_rready = 1'b1; @(negedge clk); s_axi_rready = 1'b0;");
    line("    end");
    line("  endtask");
}
