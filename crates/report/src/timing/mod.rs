//! How long does a program take, by counts and a timing file? As text, and as a part of `opcost.predict/2`.
//!
//! The text shows where the time goes, what the other sources would say, which functions have it, and
//! what has no price. Where counts are exact, what is wrong is timing alone, and the text says so.
//! Where counts are predicted and those of a run are there, too, both errors are shown apart.

pub mod file;

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;

use crate::kit::numbers::{bar, counted, grouped, percent};
use crate::kit::style::{DIM, STRONG, cut_name, paint};
use opcost_answer::names::shown_name;
pub use opcost_timing::Priced;

/// Functions and calls that are named in text.
const NAMED: usize = 12;
const UNPRICED: usize = 4;
/// Cells of a bar.
const BAR: usize = 20;
/// A share that is worth a word.
const NOTABLE: f64 = 0.01;

/// The timing file, and what it says besides the seconds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TimingJson")]
pub(crate) struct TimingJson {
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
    /// The seconds by what takes them.
    parts: PartsJson,
    /// What the program would take by each source of the timing file, in seconds.
    sources: Vec<SourceJson>,
    /// Lines of memory that caches of some sizes do not hold, from the least size.
    lines: Vec<LinesJson>,
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
    /// Waiting for lines of memory, beyond what loops compute meanwhile.
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
struct LinesJson {
    /// Bytes of the cache.
    capacity: u64,
    /// Lines that follow each other.
    near: f64,
    /// Lines that are far from each other.
    far: f64,
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

impl TimingJson {
    /// Of a time.
    pub(crate) fn new(priced: &Priced) -> TimingJson {
        let predicted = &priced.predicted;
        let unpriced = |all: &[(String, f64)]| {
            all.iter().map(|(name, times)| UnpricedJson { name: name.clone(), executions: *times }).collect()
        };
        let source = |&(source, seconds): &(opcost_timing::TimeSource, f64)| SourceJson {
            name: source.name(),
            seconds,
            used: source == predicted.source,
        };
        let refused =
            |(name, reason): &(String, String)| RefusedJson { name: name.clone(), reason: reason.clone() };
        TimingJson {
            name: priced.name.clone(),
            hash: priced.timing.hash.to_string(),
            processor: priced.timing.processor.name.clone(),
            model: priced.timing.processor.model.clone(),
            this_machine: priced.is_of_this_machine,
            parts: PartsJson {
                blocks: predicted.parts.blocks,
                mispredicted: predicted.parts.mispredicted,
                calls: predicted.parts.calls,
                memory: predicted.parts.memory,
            },
            sources: predicted.by_source.iter().map(source).collect(),
            lines: lines(priced),
            unpriced_calls: unpriced(&predicted.unpriced_calls),
            unpriced_operations: unpriced(&predicted.unpriced_operations),
            refused: priced.work.refused.iter().map(refused).collect(),
            guessed: predicted.guessed,
            strange: predicted.strange,
        }
    }
}

/// Lines of memory by size of the cache, of all functions.
fn lines(priced: &Priced) -> Vec<LinesJson> {
    let levels = priced.timing.memory.capacities().into_iter().enumerate();
    let loops = || priced.work.functions.iter().flat_map(|one| &one.loops);
    let at = |level: usize| loops().filter_map(move |one| one.lines.get(level));
    let all = levels.map(|(level, capacity)| LinesJson {
        capacity,
        near: at(level).map(|one| one.near).fold(0.0, |sum, one| sum + one),
        far: at(level).map(|one| one.far).fold(0.0, |sum, one| sum + one),
    });
    all.collect()
}

/// Seconds in a unit that fits them.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds >= 1.0 => format!("{seconds:.3} s"),
        _ if seconds >= 1e-3 => format!("{:.3} ms", seconds * 1e3),
        _ => format!("{:.3} µs", seconds * 1e6),
    }
}

/// The time, no line wider than the screen; `has_exact_counts` if they are those of a run.
pub fn print_time(priced: &Priced, has_exact_counts: bool, width: usize) -> String {
    let predicted = &priced.predicted;
    let all = priced.seconds();
    let processor = &priced.timing.processor;
    let mut text = format!(
        "{} by {} counts, on {} ({}, {:.2} GHz)\n\n",
        paint(STRONG, time(all)),
        if has_exact_counts { "exact" } else { "predicted" },
        processor.name,
        processor.model,
        1.0 / processor.cycle
    );
    let share = |part: f64| if all > 0.0 { part / all } else { 0.0 };
    for (name, part) in [
        (format!("blocks, by {}", predicted.source.name()), predicted.parts.blocks),
        ("mispredicted branches".to_owned(), predicted.parts.mispredicted),
        ("calls out of the program".to_owned(), predicted.parts.calls),
        ("lines of memory".to_owned(), predicted.parts.memory),
    ] {
        let row =
            format!("{name:<26} {:>12} {:>7}  {}", time(part), percent(share(part)), bar(share(part), BAR));
        text += row.trim_end();
        text += "\n";
    }
    text += "\nby source";
    for (source, seconds) in &predicted.by_source {
        let _ = write!(text, " · {} {}", source.name(), time(*seconds));
    }
    text += "\n\n        time   share         calls  function (without what it calls)\n";
    for function in predicted.functions.iter().take(NAMED) {
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
    if predicted.functions.len() > NAMED {
        let more = predicted.functions.len() - NAMED;
        let _ = writeln!(text, "{:>36}{}", "", paint(DIM, format!("and {more} more (--json FILE has all)")));
    }
    text += "\n";
    text += &errors(priced, has_exact_counts);
    text += &remarks(priced);
    text
}

/// How wrong it is, and whose fault that is.
fn errors(priced: &Priced, has_exact_counts: bool) -> String {
    let mut text = String::new();
    if let Some(measured) = priced.seconds_measured {
        let error = 100.0 * (priced.seconds() - measured) / measured;
        let _ = writeln!(text, "measured {}: the prediction is {error:+.1} % off", time(measured));
    }
    if let (Some(exact), Some(error)) = (priced.by_counts, priced.frequency_error()) {
        let _ =
            writeln!(text, "error of counts: {:+.1} % ({} by the run's counts)", 100.0 * error, time(exact));
    }
    match (has_exact_counts, priced.timing_error(has_exact_counts)) {
        (true, _) => text += "Counts are exact: what is wrong here is the error of timing alone.\n",
        (false, Some(error)) => {
            let _ =
                writeln!(text, "error of timing: {:+.1} % (exact counts against measured)", 100.0 * error);
        }
        (false, None) => {}
    }
    text
}

/// What a reader must know of the number.
fn remarks(priced: &Priced) -> String {
    let predicted = &priced.predicted;
    let mut text = String::new();
    text += "Not in it: addresses that data decides, the kernel, and what has no price.\n";
    for (what, all) in [("calls", &predicted.unpriced_calls), ("operations", &predicted.unpriced_operations)]
    {
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
    if !priced.work.refused.is_empty() {
        let _ = writeln!(
            text,
            "without counts: {}, {} among them ({})",
            counted(priced.work.refused.len(), "function"),
            shown_name(&priced.work.refused[0].0),
            priced.work.refused[0].1
        );
    }
    if predicted.guessed >= NOTABLE {
        let _ = writeln!(
            text,
            "{} of machine instructions are in blocks whose executions are estimated",
            percent(predicted.guessed)
        );
    }
    if predicted.strange >= NOTABLE {
        let _ =
            writeln!(text, "{} of machine instructions are unknown to the model", percent(predicted.strange));
    }
    if !priced.is_of_this_machine {
        text += "The timing file is of another machine than this one.\n";
    }
    let _ = writeln!(text, "timing: {} ({})", priced.name, &priced.timing.hash.to_string()[..8]);
    text
}
