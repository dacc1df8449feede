//! The page of `bench hdl`: a summary by geometric means, and a table of all circuits.

use crate::failure::Result;
use serde_json::Value;
use std::fmt::Write;

/// Kinds of widths, by the word of `--widths`.
pub(super) const WIDTHS: [&str; 4] = ["declared", "llvm", "proven", "certified"];

/// A circuit's document, or why there is none.
pub(super) type Measured = Result<Value>;

/// A kernel's documents, one for each kind of widths, and others.
pub(super) struct Line {
    pub(super) set: &'static str,
    pub(super) name: String,
    pub(super) measured: Vec<Measured>,
    pub(super) others: Vec<Other>,
}

/// A circuit with a schedule of its own, or other resources.
pub(super) struct Other {
    pub(super) name: &'static str,
    pub(super) widths: &'static str,
    pub(super) measured: Measured,
}

impl Line {
    /// All documents.
    fn all(&self) -> impl Iterator<Item = &Value> {
        let others = self.others.iter().map(|other| &other.measured);
        self.measured.iter().chain(others).filter_map(|measured| measured.as_ref().ok())
    }

    /// The document of a kind of widths.
    pub(super) fn of(&self, kind: usize) -> Option<&Value> {
        self.measured.get(kind)?.as_ref().ok()
    }
}

/// A figure of a circuit's document.
pub(super) type Figure = fn(&Value) -> Option<f64>;

pub(super) fn luts(document: &Value) -> Option<f64> {
    document["synthesis"]["luts"].as_f64()
}

pub(super) fn flip_flops(document: &Value) -> Option<f64> {
    document["synthesis"]["flip_flops"].as_f64()
}

fn carries(document: &Value) -> Option<f64> {
    document["synthesis"]["carries"].as_f64()
}

fn switched(document: &Value) -> Option<f64> {
    document["synthesis"]["switched_capacitance"].as_f64()
}

/// The median of the clocks that are reached.
pub(super) fn clock(document: &Value) -> Option<f64> {
    let mut all: Vec<f64> =
        document["synthesis"]["fmax_mhz"].as_array()?.iter().filter_map(Value::as_f64).collect();
    all.sort_by(f64::total_cmp);
    let last = all.len().checked_sub(1)?;
    Some((all[last / 2] + all[last - last / 2]) / 2.0)
}

/// The whole page.
pub(super) fn write(lines: &[Line], facts: &str) -> String {
    let mut page = String::from(
        "# What are proven widths worth in hardware?\n\nWritten by `cargo xtask bench hdl`; the next run replaces it.\n\n",
    );
    page += facts;
    let (wrong, runs) = (wrong_runs(lines), all_runs(lines));
    let _ = write!(
        page,
        "\nEach kernel is made into a circuit for an iCE40 with four kinds of widths, at one schedule. Its runs \
         are compared with the C function, as Verilog and as yosys' netlist. **Wrong runs: {wrong}** of {runs}. Cells \
         are counted after yosys has cleaned up. The clock is the median of placements between registers, in MHz, with \
         the least, the most, and how many. \
         *Switched*: toggles of the netlist's nets times their fan-out, a cycle. Glitches and the clock's own net are \
         left out.\n\n![LUTs, flip-flops and clock of each kernel by widths](hdl.svg)\n\n## Geometric means\n\nOf each kernel's ratio, with how many kernels it is of.\n\n"
    );
    let sets = [("the document's five", Some("hdl")), ("`corpus/bits`", Some("bits")), ("all", None)];
    let figures: [(&str, Figure); 5] = [
        ("LUTs", luts),
        ("flip-flops", flip_flops),
        ("carries", carries),
        ("switched", switched),
        ("clock", clock),
    ];
    page += "| kernels | widths | against | LUTs | flip-flops | carries | switched | clock |\n|---|---|---|---:|---:|---:|---:|---:|\n";
    for (words, set) in sets {
        for (kind, base) in [(2, 0), (2, 1), (3, 0), (3, 1), (1, 0)] {
            let cells = figures.map(|(_, figure)| mean_ratio(lines, set, [kind, base], figure));
            let _ =
                writeln!(page, "| {words} | {} | {} | {} |", WIDTHS[kind], WIDTHS[base], cells.join(" | "));
        }
    }
    page += "\n## Circuits\n\n| kernel | widths | LUTs | flip-flops | carries | block RAMs | clock | switched | II | cycles | wrong |\n|---|---|---:|---:|---:|---:|---|---:|---|---:|---:|\n";
    for line in lines {
        for (widths, measured) in WIDTHS.iter().zip(&line.measured) {
            row(&mut page, &format!("{}/{} | {widths}", line.set, line.name), measured);
        }
    }
    let all = || lines.iter().flat_map(|line| line.others.iter().map(move |other| (line, other)));
    if all().next().is_some() {
        page += "\n## Own schedules and other resources\n\nDelays of the common schedule are from types. With a schedule of its \
                 own, a circuit's delays are from its wires. Resources are those of `--multipliers` and `--memory-ports`; \
                 without, each multiplication has a multiplier, and a memory two ports. Circuits with other resources are not placed.\n\n| kernel | widths \
                 | circuit | LUTs | flip-flops | carries | block RAMs | clock | switched | II | cycles | wrong \
                 |\n|---|---|---|---:|---:|---:|---:|---|---:|---|---:|---:|\n";
        for (line, other) in all() {
            row(
                &mut page,
                &format!("{}/{} | {} | {}", line.set, line.name, other.widths, other.name),
                &other.measured,
            );
        }
    }
    page
}

/// A row of the table; `head` are its first cells.
fn row(page: &mut String, head: &str, measured: &Measured) {
    let document = match measured {
        Ok(document) => document,
        Err(reason) => {
            let reason = reason.to_string();
            let reason = reason.lines().next().unwrap_or_default().replace('|', "/");
            let _ = writeln!(page, "| {head} | none: {reason} | | | | | | | | |");
            return;
        }
    };
    let synthesis = &document["synthesis"];
    let count =
        |name: &str| synthesis[name].as_u64().map_or_else(|| "–".to_owned(), |count| count.to_string());
    let clocks: Vec<f64> =
        synthesis["fmax_mhz"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let reached = clock(document).map_or_else(
        || "–".to_owned(),
        |median| {
            let ends = |better: fn(f64, f64) -> f64| clocks.iter().copied().fold(median, better);
            format!("{median:.1} ({:.1} to {:.1}, {})", ends(f64::min), ends(f64::max), clocks.len())
        },
    );
    let loops = document["modules"][0]["loops"].as_array();
    let intervals: Vec<String> = loops.into_iter().flatten().map(|one| one["ii"].to_string()).collect();
    let _ = writeln!(
        page,
        "| {head} | {} | {} | {} | {} | {reached} | {} | {} | {} | {} |",
        count("luts"),
        count("flip_flops"),
        count("carries"),
        count("block_rams"),
        switched(document).map_or_else(|| "–".to_owned(), |switched| format!("{switched:.1}")),
        intervals.join(", "),
        document["simulation"]["cycles"],
        wrong(document),
    );
}

/// The geometric mean of the ratios of two kinds of widths, in words.
fn mean_ratio(lines: &[Line], set: Option<&str>, kinds: [usize; 2], figure: Figure) -> String {
    let of_set = lines.iter().filter(|line| set.is_none_or(|set| set == line.set));
    let ratios: Vec<f64> = of_set
        .filter_map(|line| {
            let (one, base) = (figure(line.of(kinds[0])?)?, figure(line.of(kinds[1])?)?);
            // Circuits without any have no ratio.
            (one > 0.0 && base > 0.0).then_some(one / base)
        })
        .collect();
    if ratios.is_empty() {
        return "–".to_owned();
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    format!("{:+.1} % ({})", 100.0 * (mean - 1.0), ratios.len())
}

/// Runs that were not as in C, as Verilog or as a netlist.
pub(super) fn wrong_runs(lines: &[Line]) -> u64 {
    lines.iter().flat_map(Line::all).map(wrong).sum()
}

/// All runs, of Verilog and netlists.
fn all_runs(lines: &[Line]) -> u64 {
    lines.iter().flat_map(Line::all).map(|document| of_both(document, "runs")).sum()
}

fn wrong(document: &Value) -> u64 {
    of_both(document, "wrong")
}

fn of_both(document: &Value, figure: &str) -> u64 {
    let of = |simulation: &Value| simulation[figure].as_u64().unwrap_or(0);
    of(&document["simulation"]) + of(&document["synthesis"]["netlist"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    fn document(widths: &str, luts: u64, wrong: u64) -> Value {
        serde_json::json!({
            "widths": widths, "simulation": {"cycles": 9, "wrong": 0, "runs": 10}, "modules": [{"loops": [{"ii": 2}]}],
            "synthesis": {"luts": luts, "flip_flops": 0, "carries": 4, "block_rams": 0, "switched_capacitance": 1.5,
                          "fmax_mhz": [70.0, 50.0, 60.0], "netlist": {"wrong": wrong, "runs": 10}},
        })
    }

    #[test]
    fn the_page_has_means_and_a_row_for_each_circuit() {
        let counts = [400, 200, 100, 100];
        let measured =
            WIDTHS.iter().zip(counts).map(|(widths, luts)| Ok(document(widths, luts, 1))).collect();
        let own = Other { name: "own schedule", widths: "proven", measured: Ok(document("proven", 90, 0)) };
        let stops = || Err(Failure::new("it | stops\nhere"));
        let lines = [
            Line { set: "hdl", name: "a/a".to_owned(), measured, others: vec![own] },
            Line {
                set: "bits",
                name: "b/b".to_owned(),
                measured: vec![stops(), stops()],
                others: Vec::new(),
            },
        ];
        let page = write(&lines, "");
        for words in [
            "| hdl/a/a | proven | 100 | 0 | 4 | 0 | 60.0 (50.0 to 70.0, 3) | 1.5 | 2 | 9 | 1 |",
            "| all | proven | declared | -75.0 % (1) | – | +0.0 % (1) | +0.0 % (1) | +0.0 % (1) |",
            "| all | proven | llvm | -50.0 % (1) |",
            "| `corpus/bits` | proven | llvm | – |",
            "| bits/b/b | llvm | none: it / stops |",
            "| hdl/a/a | proven | own schedule | 90 | 0 | 4 |",
            "**Wrong runs: 4** of 100.",
        ] {
            assert!(page.contains(words), "{words}\n{page}");
        }
    }
}
