//! How is a circuit placed that has more ports than a chip has pins? In a frame of registers.
//!
//! All inputs of the circuit come out of one long shift register, and all its outputs go into another,
//! which takes them when a pin says so. So nothing of the circuit can be left out, every path through
//! it lies between registers, and six pins are enough. The clock that is reached is that of the circuit
//! with registers at its ports. The frame is for measuring only.
//!
//! Input: a circuit. Output: the frame's module, called `NAME_frame`. Cost: linear in ports.

use std::fmt::Write;

use crate::ports::ports;
use crate::verilog::Design;

/// The frame of a circuit.
pub fn frame(design: &Design) -> String {
    let name = &design.name;
    let (mut inputs, mut outputs) = (0, 0);
    let mut connections = vec![".clk(clk)".to_owned(), ".rst(rst)".to_owned()];
    for port in ports(design) {
        let (from, count) = if port.is_driven { ("leaving", &mut outputs) } else { ("coming", &mut inputs) };
        connections.push(format!(".{}({from}[{}:{}])", port.name, *count + port.bits - 1, *count));
        *count += port.bits;
    }
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
    line(&format!("// {name} between registers, to be placed with few pins"));
    line(&format!("module {name}_frame ("));
    line("  input clk,\n  input rst,\n  input in,\n  input take,\n  output reg out\n);");
    line(&format!("  reg [{inputs}:0] coming;"));
    line(&format!("  wire [{outputs}:0] leaving;"));
    line(&format!("  reg [{outputs}:0] taken;"));
    line(&format!("  assign leaving[{outputs}] = coming[{inputs}];"));
    line(&format!("  {name} circuit (\n    {}\n  );", connections.join(",\n    ")));
    line("  always @(posedge clk) begin");
    line(&format!("    coming <= {{coming[{}:0], in}};", inputs - 1));
    line(&format!("    taken <= take ? leaving : {{taken[{}:0], 1'b0}};", outputs - 1));
    line(&format!("    out <= taken[{outputs}];"));
    line("  end\nendmodule");
    text
}
