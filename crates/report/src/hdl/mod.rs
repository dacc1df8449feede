//! A function as a circuit: what is printed.

use std::path::Path;

use crate::kit::numbers::counted;
use opcost_answer::hdl::{HdlCircuit, HdlDocument, HdlReplay, HdlSimulation, HdlSynthesis};

/// What is reported of a circuit.
#[derive(Debug)]
pub struct HdlReport<'a> {
    /// What was made, and found.
    pub document: &'a HdlDocument,
    /// The files, and what was compiled.
    pub about: String,
    /// Where the files went.
    pub folder: &'a Path,
}

/// What is printed.
pub fn print_hdl(report: &HdlReport<'_>) -> String {
    let HdlReport { document, about, folder } = report;
    let HdlDocument { widths, simulation, replay, synthesis, .. } = document;
    let mut lines = Vec::new();
    for circuit in &document.modules {
        lines.extend(made(circuit, about, widths));
    }
    lines.extend(document.assumes.iter().map(|fact| format!("assumes: {fact}")));
    lines.extend(replay.iter().flat_map(replayed));
    lines.extend(simulation.as_ref().map(|simulation| simulated("simulated", simulation)));
    lines.extend(synthesis.iter().flat_map(synthesised));
    lines.push(format!("written: {}", folder.display()));
    lines.join("\n") + "\n"
}

/// What a circuit is made of.
fn made(circuit: &HdlCircuit, about: &str, widths: &str) -> Vec<String> {
    let mut lines = vec![format!(
        "{} of {about} as a circuit: {}, {} of registers, widths {widths}",
        circuit.name,
        counted(circuit.states, "state"),
        counted(circuit.register_bits, "bit")
    )];
    for one in &circuit.loops {
        let location = one.location.as_deref().unwrap_or("a loop");
        let bound = one.bound.map_or_else(String::new, |bound| format!(" (at least {bound})"));
        lines.push(format!(
            "{location}: an iteration each {}{bound}, {} long; limited by: {}",
            counted(one.interval, "cycle"),
            counted(one.depth, "cycle"),
            one.limited_by
        ));
    }
    for one in &circuit.operators {
        lines.push(format!("{:>4} {} of {}", one.count, one.kind, counted(one.bits, "bit")));
    }
    for one in &circuit.memories {
        let kind = if one.is_table { "table" } else { "memory" };
        lines.push(format!(
            "{kind} {}: {} of {}",
            one.name,
            counted(one.length, "element"),
            counted(one.bits, "bit")
        ));
    }
    for one in &circuit.ports {
        lines.push(format!(
            "port {}: elements of {}, addresses of {}",
            one.name,
            counted(one.bits, "bit"),
            counted(one.address_bits, "bit")
        ));
    }
    lines.extend(circuit.slow.iter().map(|words| format!("longer than a cycle: {words}")));
    lines
}

/// What the calls of a run are.
fn replayed(replay: &HdlReplay) -> Vec<String> {
    let mut lines = vec![format!("the run: {}", counted(replay.calls, "call"))];
    if replay.broken > 0 {
        let first = replay.first_broken.as_deref().unwrap_or("no reason is known");
        let calls = counted(replay.broken, "call");
        lines.push(format!("not taken by the circuit: {calls}; {first}. Change --assume, or the caller"));
    }
    if replay.outside > 0 {
        let calls = counted(replay.outside, "call");
        let overlapping = match replay.overlapping {
            0 => "Give larger memories (--elements)".to_owned(),
            count => format!(
                "In {} pointers lead into one array, which a circuit has no port for; where they do not, give larger \
                 memories (--elements)",
                counted(count, "call")
            ),
        };
        lines.push(format!("with an address outside of its memory: {calls}. {overlapping}"));
    }
    if replay.left_out > 0 {
        let why = match replay.is_accepted() {
            true => "--calls takes more",
            false => "the circuit keeps what an earlier one left, or --calls takes more",
        };
        lines.push(format!("not compared: {}; {why}", counted(replay.left_out, "call")));
    }
    if replay.elsewhere > 0 {
        lines.push(format!("not compared, in other processes: {}", counted(replay.elsewhere, "call")));
    }
    lines
}

fn simulated(what: &str, simulation: &HdlSimulation) -> String {
    let HdlSimulation { runs, wrong, cycles } = simulation;
    format!("{what} against C: {}, {wrong} wrong, {}", counted(*runs, "run"), counted(*cycles, "cycle"))
}

fn synthesised(synthesis: &HdlSynthesis) -> Vec<String> {
    let cells = [
        (synthesis.luts, "lookup table"),
        (synthesis.flip_flops, "flip-flop"),
        (synthesis.carries, "carry"),
        (synthesis.block_rams, "block memory"),
        (synthesis.multipliers, "multiplier"),
    ];
    let cells: Vec<String> = cells
        .iter()
        .filter_map(|&(count, what)| match (count?, what) {
            (1, _) => Some(format!("1 {what}")),
            (count, "carry") => Some(format!("{count} carries")),
            (count, "block memory") => Some(format!("{count} block memories")),
            (count, what) => Some(format!("{count} {what}s")),
        })
        .collect();
    let mut lines = Vec::new();
    if !cells.is_empty() {
        lines.push(format!("on {}: {}", synthesis.target, cells.join(", ")));
    }
    if let Some(median) = synthesis.median_mhz() {
        let ends = |better: fn(f64, f64) -> f64| synthesis.fmax_mhz.iter().copied().fold(median, better);
        lines.push(format!(
            "clock between registers: {median:.1} MHz, the median of {} ({:.1} to {:.1})",
            counted(synthesis.fmax_mhz.len() as u64, "placement"),
            ends(f64::min),
            ends(f64::max)
        ));
    }
    lines.extend(synthesis.netlist.as_ref().map(|netlist| simulated("netlist", netlist)));
    if let Some(switched) = synthesis.switched_capacitance {
        lines.push(format!("switched: {switched:.1} toggles times fan-out a cycle"));
    }
    lines.extend(synthesis.missing.iter().map(|words| format!("missing: {words}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::{HdlReplay, HdlSynthesis, replayed, synthesised};

    #[test]
    fn calls_of_a_run_are_reported_with_why_some_are_not_compared() {
        let mut replay = HdlReplay { calls: 3, ..HdlReplay::default() };
        assert!(replay.is_accepted());
        assert_eq!(replayed(&replay), ["the run: 3 calls"]);
        replay.left_out = 1;
        assert_eq!(replayed(&replay)[1], "not compared: 1 call; --calls takes more");
        (replay.broken, replay.first_broken) = (1, Some("call 2: n is 9".to_owned()));
        assert!(!replay.is_accepted());
        assert_eq!(
            replayed(&replay)[1],
            "not taken by the circuit: 1 call; call 2: n is 9. Change --assume, or the caller"
        );
    }

    #[test]
    fn synthesis_is_reported_as_far_as_it_went() {
        let mut synthesis = HdlSynthesis { target: "ice40".to_owned(), ..HdlSynthesis::default() };
        synthesis.missing.push("yosys: install it".to_owned());
        assert_eq!(synthesised(&synthesis), ["missing: yosys: install it"]);
        synthesis.luts = Some(1);
        synthesis.carries = Some(2);
        synthesis.fmax_mhz = vec![90.0, 70.0, 80.0, 75.0];
        let lines = synthesised(&synthesis);
        assert_eq!(lines[0], "on ice40: 1 lookup table, 2 carries");
        assert_eq!(lines[1], "clock between registers: 77.5 MHz, the median of 4 placements (70.0 to 90.0)");
        synthesis.fmax_mhz.pop();
        assert_eq!(synthesis.median_mhz(), Some(80.0));
    }
}
