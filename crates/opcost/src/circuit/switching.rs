//! How much capacitance does a netlist switch? Toggles of its nets, each times its fan-out.
//!
//! The netlist is simulated gate by gate without delays, and each net's changes between 0 and 1 are
//! counted and weighted with how many inputs of cells it leads to. So glitches are not counted. Nor is
//! the clock, which has wires of its own. Power at one clock goes with the sum (P = C V² f).
//!
//! Input: yosys' JSON of a netlist and the waveform (VCD) of a run of it. Output: the sum. Cost: linear.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use serde_json::Value;

/// Nets of a netlist by name, with the fan-out of each of their bits, the lowest first.
#[derive(Debug)]
pub(super) struct FanOuts(HashMap<String, Vec<u64>>);

impl FanOuts {
    /// Of a module in yosys' JSON; none if it is not there.
    pub(super) fn of(netlist: &Value, module: &str) -> Option<FanOuts> {
        let module = &netlist["modules"][module];
        let mut loads: HashMap<u64, u64> = HashMap::new();
        for cell in module["cells"].as_object()?.values() {
            for (port, bits) in cell["connections"].as_object()? {
                if cell["port_directions"][port] == "input" {
                    for bit in bits.as_array()?.iter().filter_map(Value::as_u64) {
                        *loads.entry(bit).or_insert(0) += 1;
                    }
                }
            }
        }
        // Several names may be of one net; only one of them counts.
        let mut counted: HashSet<u64> = HashSet::new();
        counted.extend(module["netnames"]["clk"]["bits"].as_array()?.iter().filter_map(Value::as_u64));
        let mut all = HashMap::new();
        for (name, net) in module["netnames"].as_object()? {
            let mut of_bit = |bit: &Value| match bit.as_u64() {
                Some(bit) if counted.insert(bit) => loads.get(&bit).copied().unwrap_or(0),
                _ => 0,
            };
            all.insert(name.clone(), net["bits"].as_array()?.iter().map(&mut of_bit).collect());
        }
        Some(FanOuts(all))
    }

    /// Toggles times fan-out of all nets in a waveform, which has these nets alone.
    pub(super) fn switched(&self, waveform: impl BufRead) -> std::io::Result<u64> {
        let mut nets: HashMap<String, (Vec<u64>, Vec<u8>)> = HashMap::new();
        let mut sum = 0;
        for line in waveform.lines() {
            let line = line?;
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["$var", _, _, code, name, ..] => {
                    if let Some(loads) = self.0.get(name.trim_start_matches('\\')) {
                        // Nets that are joined share a code.
                        let net = nets.entry(code.to_owned()).or_default();
                        net.0.resize(net.0.len().max(loads.len()), 0);
                        net.1.resize(net.0.len(), b'x');
                        net.0.iter_mut().zip(loads).for_each(|(all, load)| *all += load);
                    }
                }
                [value, code] if value.starts_with('b') => {
                    if let Some((loads, before)) = nets.get_mut(code) {
                        sum += changed(loads, before, &value.as_bytes()[1..]);
                    }
                }
                [one] if !one.starts_with('#') && !one.starts_with('$') => {
                    let (value, code) = one.split_at(1);
                    if let Some((loads, before)) = nets.get_mut(code) {
                        sum += changed(loads, before, value.as_bytes());
                    }
                }
                _ => {}
            }
        }
        Ok(sum)
    }
}

/// Loads of the bits that change between 0 and 1. A short value goes on with zeros, or with what it
/// begins with if that is no number.
fn changed(loads: &[u64], before: &mut [u8], value: &[u8]) -> u64 {
    let above = match value.first() {
        Some(b'0' | b'1') | None => b'0',
        Some(&other) => other,
    };
    let mut sum = 0;
    for (position, (load, before)) in loads.iter().zip(before).enumerate() {
        let now = value.len().checked_sub(position + 1).map_or(above, |at| value[at]);
        if matches!((*before, now), (b'0', b'1') | (b'1', b'0')) {
            sum += load;
        }
        *before = now;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::FanOuts;

    /// `y` drives two inputs and has a second name; `w` is two bits wide.
    #[test]
    fn each_net_counts_once_with_its_fan_out() {
        let netlist = serde_json::json!({"modules": {"m": {
            "netnames": {"clk": {"bits": [2]}, "y": {"bits": [3]}, "z": {"bits": [3]}, "w": {"bits": [4, 5]}},
            "cells": {
                "a": {"port_directions": {"A": "input", "C": "input", "O": "output"},
                      "connections": {"A": [3], "C": [2], "O": [4]}},
                "b": {"port_directions": {"A": "input", "B": "input", "O": "output"},
                      "connections": {"A": [3], "B": [5], "O": ["x"]}},
            },
        }}});
        let fan_outs = FanOuts::of(&netlist, "m").expect("a module");
        let waveform = "$var wire 1 ! clk $end\n$var wire 1 \" y $end\n$var wire 1 # z $end\n\
                        $var wire 2 % w [1:0] $end\n#0\nx\"\nx#\n0!\nbx %\n#5\n0\"\n0#\n1!\nb0 %\n\
                        #10\n1\"\n1#\n0!\nb11 %\n#15\n0\"\n0#\nb1 %\n";
        // y: up and down, two loads. w's high bit: up and down, one load; its low bit leads nowhere.
        assert_eq!(fan_outs.switched(waveform.as_bytes()).expect("text"), 2 * 2 + 2);
        assert!(FanOuts::of(&netlist, "other").is_none());
    }
}
