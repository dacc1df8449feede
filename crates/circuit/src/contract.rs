//! What must callers of a circuit keep? Assertions in SystemVerilog.
//!
//! A module beside the circuit looks at a call: each number fits the wires of its port, as was proven
//! or promised, is one of those that the contracts allow, and stays until the call is over. Its ports
//! for numbers are as wide as their types, so it sees what the circuit's port leaves out. A simulator
//! tells what is broken; a formal tool, which defines `FORMAL`, has to prove it or may assume it. The
//! testbench has the module if `CONTRACT` is defined.
//!
//! Input: a circuit, and what its parameters may be. Output: a module; none for a circuit without numbers.

use std::fmt::Write;

use crate::driver::Pieces;
use crate::kernel::all_bits;
use crate::ports::widened;
use crate::verilog::{Design, ScalarPort};

/// The module of assertions; `pieces` are of each scalar of the design, in order.
pub fn contract(design: &Design, pieces: &[Pieces]) -> Option<String> {
    if design.scalars.is_empty() {
        return None;
    }
    let mut text = String::new();
    let mut line = |words: &str| writeln!(text, "{words}").expect("writing to a string");
    line(&format!("// What callers of {} keep. Ports are as wide as their types.", design.name));
    line("`ifdef FORMAL");
    line("`define KEPT(what, words) assert (what);");
    line("`else");
    line("`define KEPT(what, words) assert (what) else $error(words);");
    line("`endif");
    line(&format!("module {}_contract (", design.name));
    line("  input clk,\n  input rst,\n  input start,\n  input done,");
    let ports: Vec<String> =
        design.scalars.iter().map(|scalar| port("input", scalar, &scalar.name)).collect();
    line(&format!("  {}", ports.join(",\n  ")));
    line(");");
    line("  reg is_BUSY;");
    for scalar in &design.scalars {
        line(&format!("  {};", port("reg", scalar, &format!("{}_BEFORE", scalar.name))));
    }
    line("  always @(posedge clk) begin");
    line("    is_BUSY <= !rst && (start || (is_BUSY && !done));");
    for scalar in &design.scalars {
        line(&format!("    {0}_BEFORE <= {0};", scalar.name));
    }
    line("    if (!rst && start && (is_BUSY !== 1'b1 || done)) begin");
    for (scalar, pieces) in design.scalars.iter().zip(pieces) {
        let name = &scalar.name;
        if scalar.bits < scalar.declared {
            let own = format!("{name}[{}:0]", scalar.bits - 1);
            let (left, right) = (widened(name, name, &full(scalar)), widened(&own, name, scalar));
            let sign = if scalar.signed { " with sign" } else { "" };
            line(&format!(
                "      `KEPT({left} == {right}, \"{name} does not fit the {} bits{sign} of its port\")",
                scalar.bits
            ));
        }
        if !pieces.is_empty() {
            let any: Vec<String> = pieces.iter().map(|&(low, high)| within(scalar, low, high)).collect();
            let words: Vec<String> = pieces.iter().map(|(low, high)| format!("{low}..{high}")).collect();
            line(&format!(
                "      `KEPT({}, \"{name} is outside of its contract {}\")",
                any.join(" || "),
                words.join(", ")
            ));
        }
    }
    line("    end");
    line("    if (!rst && is_BUSY === 1'b1 && !done) begin");
    for scalar in &design.scalars {
        line(&format!(
            "      `KEPT({0} == {0}_BEFORE, \"{0} changes before the call is over\")",
            scalar.name
        ));
    }
    line("    end");
    line("  end");
    line("endmodule");
    line("`undef KEPT");
    Some(text)
}

/// The same number with all bits of its type.
fn full(scalar: &ScalarPort) -> ScalarPort {
    ScalarPort { bits: scalar.declared, ..scalar.clone() }
}

fn port(kind: &str, scalar: &ScalarPort, name: &str) -> String {
    match scalar.declared {
        1 => format!("{kind} {name}"),
        bits => format!("{kind} [{}:0] {name}", bits - 1),
    }
}

/// Whether a number is between two ends.
fn within(scalar: &ScalarPort, low: i128, high: i128) -> String {
    let (name, bits) = (&scalar.name, scalar.declared);
    let constant = |end: i128| format!("{bits}'d{}", end as u128 & all_bits(bits));
    match low < 0 {
        true => format!(
            "($signed({name}) >= $signed({}) && $signed({name}) <= $signed({}))",
            constant(low),
            constant(high)
        ),
        false => format!("({name} >= {} && {name} <= {})", constant(low), constant(high)),
    }
}
