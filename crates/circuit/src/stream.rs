//! How is a circuit called by others that are not always ready? With valid and ready, both ways.
//!
//! A caller gives parameters with `call_valid`, and they are taken in the cycle in which `call_ready` is
//! one, too; they need not stay. The result is there while `return_valid` is one, until `return_ready` is one
//! in the same cycle. One call is under way at a time. Ports of memories are those of the circuit.
//!
//! Input: a circuit. Output: a module called `NAME_stream` around it. Cost: linear in ports.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::ports::ports;
use crate::verilog::Design;

/// Names of the ports of a handshake.
pub(crate) struct Handshake {
    pub(crate) call_valid: String,
    pub(crate) call_ready: String,
    pub(crate) return_valid: String,
    pub(crate) return_ready: String,
    /// A register of the module, and the end of names of registers of parameters.
    is_busy: String,
    register: String,
}

impl Handshake {
    /// Names that no port of the circuit has.
    pub(crate) fn of(design: &Design) -> Handshake {
        let taken: BTreeSet<String> = ports(design).into_iter().map(|port| port.name).collect();
        let free = |name: &str| {
            let mut name = name.to_owned();
            while taken.contains(&name) {
                name.push('_');
            }
            name
        };
        let mut register = "_taken".to_owned();
        while taken.iter().any(|name| name.ends_with(&register)) {
            register.push('_');
        }
        Handshake {
            call_valid: free("call_valid"),
            call_ready: free("call_ready"),
            return_valid: free("return_valid"),
            return_ready: free("return_ready"),
            is_busy: free("is_busy"),
            register,
        }
    }
}

/// The module with valid and ready.
pub fn stream(design: &Design) -> String {
    let Handshake { call_valid, call_ready, return_valid, return_ready, is_busy, register } =
        Handshake::of(design);
    let mut head = vec![
        "input clk".to_owned(),
        "input rst".to_owned(),
        format!("input {call_valid}"),
        format!("output {call_ready}"),
        format!("output reg {return_valid}"),
        format!("input {return_ready}"),
    ];
    let mut connections = vec![".clk(clk)".to_owned(), ".rst(rst)".to_owned()];
    let (mut registers, mut taken) = (String::new(), String::new());
    for port in ports(design) {
        let name = &port.name;
        let is_scalar = design.scalars.iter().any(|scalar| scalar.name == *name);
        let range = if port.bits == 1 { String::new() } else { format!("[{}:0] ", port.bits - 1) };
        let own = if is_scalar { format!("{name}{register}") } else { name.clone() };
        connections.push(format!(".{name}({own})"));
        if name == "start" || name == "done" {
            continue;
        }
        head.push(format!("{} {range}{name}", if port.is_driven { "output" } else { "input" }));
        if is_scalar {
            writeln!(registers, "  reg {range}{own};").expect("writing to a string");
            writeln!(taken, "        {own} <= {name};").expect("writing to a string");
        }
    }
    let (name, head, connections) = (&design.name, head.join(",\n  "), connections.join(",\n    "));
    format!(
        "// {name} with valid and ready, for calls and for results
module {name}_stream (
  {head}
);
  reg {is_busy}; // a call is under way, or its result waits
  reg start;
  wire done;
{registers}  assign {call_ready} = ~{is_busy};
  {name} circuit (
    {connections}
  );
  always @(posedge clk) begin
    start <= 1'b0;
    if (rst) begin
      {is_busy} <= 1'b0;
      {return_valid} <= 1'b0;
    end else begin
      if ({call_valid} & ~{is_busy}) begin
        {is_busy} <= 1'b1;
        start <= 1'b1;
{taken}      end
      if (done) {return_valid} <= 1'b1;
      if ({return_valid} & {return_ready}) begin
        {return_valid} <= 1'b0;
        {is_busy} <= 1'b0;
      end
    end
  end
endmodule
"
    )
}
