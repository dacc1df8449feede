//! `opcost predict --counts --timing`: how long a program takes by exact counts, as text and document.
//!
//! The text says where the time goes, what the other sources would say, which functions have it, and
//! what has no price. As counts are exact, what is wrong here is timing alone, and the text says so.

pub mod file;

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::{bar, counted, grouped, percent};
use crate::kit::style::{DIM, STRONG, cut_name, paint};
use opcost_answer::names::{demangle, shown_name};
use opcost_answer::work::ProgramWork;
use opcost_timing::{Predicted, Timing};

/// Functions and calls that are named in text.
const NAMED: usize = 12;
const UNPRICED: usize = 4;
/// Cells of a bar.
const BAR: usize = 20;
/// A share that is worth a word.
const NOTABLE: f64 = 0.01;

/// What is shown.
pub struct TimeReport<'a> {
    /// The time.
    pub predicted: &'a Predicted,
    /// Of which it was worked out.
    pub work: &'a ProgramWork,
    /// By which file.
    pub timing: &'a Timing,
    /// That file's name.
    pub name: String,
    /// Whether the file is of this machine.
    pub is_of_this_machine: bool,
    /// The time that the program took.
    pub seconds_measured: Option<f64>,
}

/// The document of `opcost predict --counts`: what `opcost.predict/1` says of time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TimeJson {
    /// Always `opcost.predict/1`.
    schema: &'static str,
    /// Seconds that the program takes.
    seconds: f64,
    /// The same by what takes them.
    parts: PartsJson,
    /// What the program would take by each source of the timing file, in seconds.
    sources: Vec<SourceJson>,
    /// Functions that ran, the longest first.
    functions: Vec<FunctionJson>,
    /// The timing file.
    timing: TimingJson,
    /// The time that the program took; null if nobody said.
    seconds_measured: Option<f64>,
    /// (predicted − measured) / measured. Counts are exact, so it is the error of timing alone.
    timing_error: Option<f64>,
    /// Calls of functions without a price. They take no time here.
    unpriced_calls: Vec<UnpricedJson>,
    /// Operations without a price under the source. They take no time here.
    unpriced_operations: Vec<UnpricedJson>,
    /// Functions without counts. They take no time here.
    refused: Vec<RefusedJson>,
    /// Share of machine instructions in blocks whose executions the counts did not decide.
    guessed: f64,
    /// Share of machine instructions that the processor's model does not know.
    strange: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PartsJson {
    /// Code of the program.
    blocks: f64,
    /// Branches that are mispredicted.
    mispredicted: f64,
    /// Calls of functions outside of the program.
    calls: f64,
    /// What lines of memory take longer than the code that needs them.
    memory: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SourceJson {
    /// schedule, irinst, irinst-max or lmbench.
    name: &'static str,
    /// Seconds.
    seconds: f64,
    /// Whether `seconds` of the document is this one.
    used: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FunctionJson {
    /// As its language writes it.
    name: String,
    /// As the linker knows it.
    linkage_name: String,
    /// The module that holds it.
    module: String,
    /// How often it was called.
    calls: u64,
    /// Seconds, without what it called in the program.
    seconds: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct TimingJson {
    /// The file's name.
    name: String,
    /// Hash of its text.
    hash: String,
    /// The processor's name.
    processor: String,
    /// The processor as LLVM calls it.
    model: String,
    /// Whether it is that of the machine on which this was worked out.
    this_machine: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct UnpricedJson {
    /// What it is.
    name: String,
    /// How often it happened.
    executions: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RefusedJson {
    /// Linkage name.
    name: String,
    /// Why.
    reason: String,
}

impl TimeJson {
    /// Of a time.
    pub fn new(report: &TimeReport<'_>) -> TimeJson {
        let found = report.predicted;
        let unpriced = |all: &[(String, f64)]| {
            all.iter().map(|(name, times)| UnpricedJson { name: name.clone(), executions: *times }).collect()
        };
        TimeJson {
            schema: "opcost.predict/1",
            seconds: found.parts.seconds(),
            parts: PartsJson {
                blocks: found.parts.blocks,
                mispredicted: found.parts.mispredicted,
                calls: found.parts.calls,
                memory: found.parts.memory,
            },
            sources: found
                .by_source
                .iter()
                .map(|&(source, seconds)| SourceJson {
                    name: source.name(),
                    seconds,
                    used: source == found.source,
                })
                .collect(),
            functions: found
                .functions
                .iter()
                .map(|function| FunctionJson {
                    name: demangle(&function.name),
                    linkage_name: function.name.clone(),
                    module: function.module.clone(),
                    calls: function.entries,
                    seconds: function.parts.seconds(),
                })
                .collect(),
            timing: TimingJson {
                name: report.name.clone(),
                hash: report.timing.hash.to_string(),
                processor: report.timing.processor.name.clone(),
                model: report.timing.processor.model.clone(),
                this_machine: report.is_of_this_machine,
            },
            seconds_measured: report.seconds_measured,
            timing_error: report.error(),
            unpriced_calls: unpriced(&found.unpriced_calls),
            unpriced_operations: unpriced(&found.unpriced_operations),
            refused: report
                .work
                .refused
                .iter()
                .map(|(name, reason)| RefusedJson { name: name.clone(), reason: reason.clone() })
                .collect(),
            guessed: found.guessed,
            strange: found.strange,
        }
    }
}

impl TimeReport<'_> {
    /// (predicted − measured) / measured.
    fn error(&self) -> Option<f64> {
        self.seconds_measured.map(|measured| (self.predicted.parts.seconds() - measured) / measured)
    }
}

/// Seconds in a unit that fits them.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 1.0 => format!("{seconds:.3} s"),
        _ if seconds >= 1e-3 => format!("{:.3} ms", seconds * 1e3),
        _ => format!("{:.3} µs", seconds * 1e6),
    }
}

/// The text, no line wider than the screen.
pub fn print_time(report: &TimeReport<'_>, width: usize) -> String {
    let found = report.predicted;
    let all = found.parts.seconds();
    let processor = &report.timing.processor;
    let mut text = format!(
        "{} by exact counts, on {} ({}, {:.2} GHz)\n\n",
        paint(STRONG, time(all)),
        processor.name,
        processor.model,
        1.0 / processor.cycle
    );
    let share = |part: f64| if all > 0.0 { part / all } else { 0.0 };
    for (name, part) in [
        (format!("blocks, by {}", found.source.name()), found.parts.blocks),
        ("mispredicted branches".to_owned(), found.parts.mispredicted),
        ("calls out of the program".to_owned(), found.parts.calls),
    ] {
        let row =
            format!("{name:<26} {:>12} {:>7}  {}", time(part), percent(share(part)), bar(share(part), BAR));
        text += row.trim_end();
        text += "\n";
    }
    text += "\nby source";
    for (source, seconds) in &found.by_source {
        let _ = write!(text, " · {} {}", source.name(), time(*seconds));
    }
    text += "\n\n        time   share         calls  function (without what it calls)\n";
    for function in found.functions.iter().take(NAMED) {
        let seconds = function.parts.seconds();
        let name = cut_name(&shown_name(&function.name), width.saturating_sub(36).max(20));
        let _ = writeln!(
            text,
            "{:>12} {:>7} {:>13}  {name}",
            time(seconds),
            percent(share(seconds)),
            grouped(function.entries)
        );
    }
    if found.functions.len() > NAMED {
        let more = found.functions.len() - NAMED;
        let _ = writeln!(text, "{:>36}{}", "", paint(DIM, format!("and {more} more (--json FILE has all)")));
    }
    text += "\n";
    text += &remarks(report);
    text
}

/// What a reader must know of the number.
fn remarks(report: &TimeReport<'_>) -> String {
    let found = report.predicted;
    let mut text = String::new();
    if let (Some(measured), Some(error)) = (report.seconds_measured, report.error()) {
        let _ = writeln!(text, "measured {}: the prediction is {:+.1} % off", time(measured), 100.0 * error);
    }
    text += "Counts are exact: what is wrong here is the error of timing alone.\n";
    text += "Not in it: misses of caches, the kernel, and what has no price.\n";
    for (what, all) in [("calls", &found.unpriced_calls), ("operations", &found.unpriced_operations)] {
        if all.is_empty() {
            continue;
        }
        let named: Vec<String> = all
            .iter()
            .take(UNPRICED)
            .map(|(name, times)| format!("{} {}", grouped(times.round() as u64), shown_name(name)))
            .collect();
        let more = all.len().saturating_sub(UNPRICED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(text, "without a price: {what} of {}{more}", named.join(", "));
    }
    if !report.work.refused.is_empty() {
        let _ = writeln!(
            text,
            "without counts: {}, {} among them ({})",
            counted(report.work.refused.len(), "function"),
            shown_name(&report.work.refused[0].0),
            report.work.refused[0].1
        );
    }
    if found.guessed >= NOTABLE {
        let _ = writeln!(
            text,
            "{} of machine instructions lie in blocks whose executions are estimated",
            percent(found.guessed)
        );
    }
    if found.strange >= NOTABLE {
        let _ = writeln!(text, "{} of machine instructions are unknown to the model", percent(found.strange));
    }
    if !report.is_of_this_machine {
        text += "The timing file is of another machine than this one.\n";
    }
    let _ = writeln!(text, "timing: {} ({})", report.name, &report.timing.hash.to_string()[..8]);
    text
}
