//! How is a circuit tried? A testbench that reads what goes in and what must come out.
//!
//! The testbench holds the memories that are outside of the circuit. It reads hexadecimal numbers from
//! a file. The first is how many runs there are. Of each run there are the parameters in order, and of each memory
//! how many elements it has, and these. What must come out follows: the result, and the elements. It starts the
//! circuit once for each run and compares. It ends with a line that has runs, wrong ones, cycles, and runs
//! with an address that is no element of its memory. Such a run is not called wrong here: only who wrote the
//! numbers knows whether the function uses more. No run follows it if the circuit has state. A parameter that does
//! not fit its port makes a run wrong. `+vcd=FILE` writes a waveform. With `CONTRACT` defined, what callers keep
//! is asserted.

use std::fmt::Write;

use crate::kernel::all_bits;
use crate::ports::{Port, ports, widened, wires};
use crate::stream::Handshake;
use crate::verilog::{Design, MemoryPort, ScalarPort};

/// No run takes more cycles.
pub(crate) const MOST_CYCLES: u32 = 1_000_000;

/// The testbench of a circuit; `lengths` are the elements of each of its memories outside, in order.
pub fn testbench(design: &Design, vectors: &str, lengths: &[u64]) -> String {
    bench(design, None, vectors, lengths)
}

/// The testbench of a circuit with valid and ready. Its caller hesitates before calls and before it takes
/// results, and gives other parameters as soon as those of a call are taken.
pub fn stream_testbench(design: &Design, vectors: &str, lengths: &[u64]) -> String {
    bench(design, Some(&Handshake::of(design)), vectors, lengths)
}

fn bench(design: &Design, handshake: Option<&Handshake>, vectors: &str, lengths: &[u64]) -> String {
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
    let name = &format!("{}{}", design.name, if handshake.is_some() { "_stream" } else { "" });
    line("`timescale 1ns/1ps");
    line(&format!("module {name}_testbench;"));
    line("  reg clk, rst, start;");
    line("  wire done;");
    if handshake.is_some() {
        line("  reg take;");
        line("  wire ready;");
    }
    line("  integer file, code, run, runs, wrong, outside, place, waited;");
    line("  reg is_wrong, is_outside;");
    line("  reg [127:0] word, expected;");
    line("  reg [63:0] cycles;");
    line("  reg [1023:0] waveform;");
    for scalar in &design.scalars {
        line(&format!("  reg [127:0] p_{};", scalar.name));
    }
    if let Some(result) = &design.result {
        line(&format!("  wire [{}:0] q_result;", result.bits - 1));
    }
    for (memory, length) in design.memories.iter().zip(lengths) {
        declare(memory, *length, &mut line);
    }
    line(&format!("  {name} circuit ("));
    line(&format!("    {}", connections(design, handshake).join(",\n    ")));
    line("  );");
    if handshake.is_none() && !design.scalars.is_empty() {
        line("`ifdef CONTRACT");
        let of = |scalar: &ScalarPort| format!(", .{0}(p_{0}[{1}:0])", scalar.name, scalar.declared - 1);
        let numbers: String = design.scalars.iter().map(of).collect();
        line(&format!(
            "  {name}_contract contract (.clk(clk), .rst(rst), .start(start), .done(done){numbers});"
        ));
        line("`endif");
    }
    line("  always #5 clk = ~clk;");
    for memory in &design.memories {
        serve(memory, &mut line);
    }
    line("  initial begin");
    line("    clk = 1'b0; rst = 1'b1; start = 1'b0; wrong = 0; outside = 0; cycles = 0; is_outside = 1'b0;");
    if handshake.is_some() {
        line("    take = 1'b0;");
    }
    open(name, vectors, &mut line);
    line("    @(negedge clk); @(negedge clk); rst = 1'b0;");
    line("    for (run = 0; run < runs; run = run + 1) begin");
    line("      is_wrong = 1'b0; is_outside = 1'b0;");
    read_run(design, &mut line);
    match handshake {
        None => line("      start = 1'b1; @(negedge clk); start = 1'b0; waited = 0;"),
        Some(_) => call(design, &mut line),
    }
    line(&format!("      while (done !== 1'b1 && waited < {MOST_CYCLES}) begin"));
    line("        @(negedge clk); waited = waited + 1; cycles = cycles + 1;");
    line("      end");
    line("      if (done !== 1'b1) begin");
    line(&format!(
        "        $display(\"run %0d takes more than {MOST_CYCLES} cycles\", run); $finish; @(negedge clk);"
    ));
    line("      end");
    if handshake.is_some() {
        hesitate(&mut line);
    }
    if let Some(result) = &design.result {
        let mask = design.result_mask & all_bits(result.declared);
        line(&format!("      word = {} & 128'h{mask:x};", widened("q_result", "q_result", result)));
        compare_result(&mut line);
    }
    compare_memories(design, &mut line);
    if handshake.is_some() {
        line("      take = 1'b1; @(negedge clk); take = 1'b0;");
        line("      if (done !== 1'b0 || ready !== 1'b1) is_wrong = 1'b1;");
    }
    close(design, &mut line);
    line("endmodule");
    text
}

/// A waveform, if one was asked for, and the file of runs.
pub(crate) fn open(name: &str, vectors: &str, line: &mut impl FnMut(&str)) {
    line("    if ($value$plusargs(\"vcd=%s\", waveform)) begin");
    line("      $dumpfile(waveform);");
    line(&format!("      $dumpvars(0, {name}_testbench);"));
    line("    end");
    line("    if ($value$plusargs(\"nets=%s\", waveform)) begin");
    line("      $dumpfile(waveform);");
    line("      $dumpvars(1, circuit);");
    line("    end");
    line(&format!("    file = $fopen(\"{vectors}\", \"r\");"));
    line("    if (file == 0) begin");
    line(&format!("      $display(\"{vectors} cannot be read\");"));
    line("      $finish;");
    line("    end");
    line("    code = $fscanf(file, \"%h\", runs);");
}

/// What goes into one run.
pub(crate) fn read_run(design: &Design, line: &mut impl FnMut(&str)) {
    for scalar in &design.scalars {
        let port = format!("p_{}", scalar.name);
        line(&format!("      code = $fscanf(file, \"%h\", {port});"));
        line(&format!(
            "      if ({port} !== {}) is_wrong = 1'b1;",
            widened(&format!("{port}[{}:0]", scalar.bits - 1), &port, scalar)
        ));
    }
    for memory in &design.memories {
        line(&format!("      code = $fscanf(file, \"%h\", n_{});", memory.name));
        line(&format!("      for (place = 0; place < n_{}; place = place + 1) begin", memory.name));
        line(&format!(
            "        code = $fscanf(file, \"%h\", word); m_{}[place] = word[{}:0];",
            memory.name,
            memory.bits - 1
        ));
        line("      end");
    }
}

/// The result, which is in `word`.
pub(crate) fn compare_result(line: &mut impl FnMut(&str)) {
    line("      code = $fscanf(file, \"%h\", expected);");
    line("      if (word !== expected) begin");
    line(
        "        is_wrong = 1'b1; $display(\"run %0d: the result is %0h and must be %0h\", run, word, expected);",
    );
    line("      end");
}

/// The memories after a run.
pub(crate) fn compare_memories(design: &Design, line: &mut impl FnMut(&str)) {
    for memory in &design.memories {
        let (name, last) = (&memory.name, memory.bits - 1);
        line(&format!("      for (place = 0; place < n_{name}; place = place + 1) begin"));
        line("        code = $fscanf(file, \"%h\", expected);");
        line(&format!("        if (m_{name}[place] !== expected[{last}:0]) begin"));
        line(&format!(
            "          if (!is_wrong) $display(\"run %0d: {name}[%0d] is %0h and must be %0h\", run, place, m_{name}[place], expected[{last}:0]);"
        ));
        line("          is_wrong = 1'b1;");
        line("        end");
        line("      end");
    }
}

/// The end of a run, and of all.
pub(crate) fn close(design: &Design, line: &mut impl FnMut(&str)) {
    line("      if (is_outside) begin");
    line("        $display(\"run %0d: an address is no element of its memory\", run);");
    line("        outside = outside + 1;");
    if design.has_state() {
        line("        runs = run + 1;");
    }
    line("      end");
    line("      if (!is_outside && (is_wrong || code != 1)) wrong = wrong + 1;");
    line("    end");
    line("    $display(\"runs %0d wrong %0d cycles %0d outside %0d\", runs, wrong, cycles, outside);");
    line("    $finish;");
    line("  end");
}

/// A call with valid and ready: a caller that waits for nothing but them.
fn call(design: &Design, line: &mut impl FnMut(&str)) {
    line("      repeat (run % 3) @(negedge clk);");
    line("      if (done !== 1'b0 || ready !== 1'b1) is_wrong = 1'b1;");
    line("      start = 1'b1; @(negedge clk); start = 1'b0; waited = 0;");
    for scalar in &design.scalars {
        line(&format!("      p_{0} = ~p_{0};", scalar.name));
    }
}

/// The caller takes a result late, and the result waits.
fn hesitate(line: &mut impl FnMut(&str)) {
    line("      repeat (run % 4) begin");
    line("        @(negedge clk);");
    line("        if (done !== 1'b1 || ready !== 1'b0) is_wrong = 1'b1;");
    line("      end");
}

fn connections(design: &Design, handshake: Option<&Handshake>) -> Vec<String> {
    let mut all = vec![".clk(clk)".to_owned(), ".rst(rst)".to_owned()];
    let mut ports = ports(design);
    if let Some(Handshake { call_valid, call_ready, return_valid, return_ready, .. }) = handshake {
        let wires =
            [(call_valid, "start"), (call_ready, "ready"), (return_valid, "done"), (return_ready, "take")];
        all.extend(wires.iter().map(|(port, wire)| format!(".{port}({wire})")));
        ports.retain(|port| port.name != "start" && port.name != "done");
    }
    for port in ports {
        let scalar = design.scalars.iter().find(|scalar| scalar.name == port.name);
        let wire = match scalar {
            Some(scalar) => format!("p_{}[{}:0]", scalar.name, scalar.bits - 1),
            None if port.name == "result" => "q_result".to_owned(),
            None => port.name.clone(),
        };
        all.push(format!(".{}({wire})", port.name));
    }
    all
}

fn declare(memory: &MemoryPort, length: u64, line: &mut impl FnMut(&str)) {
    line(&format!("  reg [{}:0] m_{} [0:{}];", memory.bits - 1, memory.name, length.max(1) - 1));
    line(&format!("  reg [63:0] n_{};", memory.name));
    for Port { name, bits, is_driven } in wires(memory) {
        line(&format!("  {} [{}:0] {name};", if is_driven { "wire" } else { "reg" }, bits - 1));
    }
}

/// What the memory does at a clock.
fn serve(memory: &MemoryPort, line: &mut impl FnMut(&str)) {
    let name = &memory.name;
    let address = |own: String| if memory.is_one_port { format!("{name}_address") } else { own };
    line("  always @(posedge clk) begin");
    for read in 0..memory.reads {
        let at = address(format!("{name}_read{read}_address"));
        line(&format!("    if ({name}_read{read}_enable) begin"));
        line(&format!("      {name}_read{read}_data <= m_{name}[{at}];"));
        line(&format!("      if ({{64'd0, {at}}} >= {{64'd0, n_{name}}}) is_outside = 1'b1;"));
        // What is read in no cycle means nothing.
        line(&format!("    end else {name}_read{read}_data <= {{{}{{1'bx}}}};", memory.bits));
    }
    if memory.is_written {
        let at = address(format!("{name}_write_address"));
        line(&format!("    if ({name}_write_enable) begin"));
        line(&format!("      m_{name}[{at}] <= {name}_write_data;"));
        line(&format!("      if ({{64'd0, {at}}} >= {{64'd0, n_{name}}}) is_outside = 1'b1;"));
        line("    end");
    }
    line("  end");
}
