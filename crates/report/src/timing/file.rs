//! `opcost timing`: what a timing file says, in a few lines.

use std::fmt::Write;

use opcost_timing::{TimeSource, Timing};

/// Operations and calls that are shown.
const OPERATIONS: [&str; 6] = ["add i64", "mul i64", "sdiv i64", "fadd double", "fdiv double", "load i64"];
const CALLS: [&str; 6] = ["log", "exp", "pow", "sqrt", "memcpy", "malloc"];

/// The text.
pub fn print_timing(timing: &Timing, name: &str) -> String {
    let processor = &timing.processor;
    let mut text = format!(
        "{} ({}, {}), {:.2} GHz\na mispredicted branch {:.1} ns\n",
        processor.name,
        processor.model,
        processor.target,
        1.0 / processor.cycle,
        timing.mispredicted
    );
    text += &match processor.agreement {
        Some(factor) => {
            format!("measured twice: nine rows of ten agree within {:.0} %\n", (factor - 1.0) * 100.0)
        }
        None => "measured once: how sure it is was not recorded\n".to_owned(),
    };
    let entry = |source: TimeSource, operation: &str| {
        let found = timing.tables.get(&source).and_then(|table| table.get(operation));
        found.map_or_else(|| "–".to_owned(), |time| format!("{time:.2}"))
    };
    text += "\nns           waiting    by themselves\n";
    for operation in OPERATIONS {
        let (chain, wide) = (entry(TimeSource::Irinst, operation), entry(TimeSource::IrinstMax, operation));
        let _ = writeln!(text, "{operation:<12} {chain:>7}    {wide:>7}");
    }
    text += "\ncalls, ns";
    for call in CALLS {
        if let Some(time) = timing.libfn.get(call) {
            let _ = write!(text, " · {call} {time:.1}");
        }
    }
    text += "\n\na line of memory, ns\n   working set     random   streamed    strided\n";
    for (bytes, random) in &timing.memory.random {
        let other = |times: &std::collections::BTreeMap<u64, f64>| {
            times.get(bytes).map_or_else(|| "–".to_owned(), |time| format!("{time:.2}"))
        };
        let (streamed, strided) = (other(&timing.memory.streamed), other(&timing.memory.strided));
        let _ = writeln!(text, "{:>11} kB {random:>10.2} {streamed:>10} {strided:>10}", bytes >> 10);
    }
    let _ = writeln!(text, "\n{name}: hash {}", timing.hash);
    text
}
