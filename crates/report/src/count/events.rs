//! Where does something happen that is no time: faults, misses, switches?
//!
//! Functions by the samples in them: nothing is made consistent. Input: samples, the functions that they hit, and
//! what is outside of them. Cost: the functions that are shown.

use std::fmt::Write;
use std::path::Path;

use opcost_answer::names::shown_name;
use opcost_sample::Samples;

use super::samples::{capped, left_out};
use super::tasks::print_tasks;
use crate::kit::numbers::{bar, counted, percent};

/// Functions by the samples in them: name, file and how many.
pub type HitFunctions = [(String, String, u64)];

/// The first `top` functions, and what is said of the samples.
pub fn print_events(
    samples: &Samples,
    functions: &HitFunctions,
    elsewhere: Option<&str>,
    top: usize,
) -> String {
    let mut out = format!(
        "{} of {}, by the functions in which it happened\n",
        counted(samples.total, "sample"),
        samples.event
    );
    let shown = &functions[..functions.len().min(top)];
    for (name, path, hits) in shown {
        let part = *hits as f64 / samples.total.max(1) as f64;
        let file = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(out, "{:>7} {:<10} {}  {file}", percent(part), bar(part, 10), shown_name(name));
    }
    if functions.len() > shown.len() {
        let _ =
            writeln!(out, "        in {} more (--top N)", counted(functions.len() - shown.len(), "function"));
    }
    if let Some(places) = elsewhere {
        let _ = writeln!(out, "elsewhere: {places}");
    }
    if samples.lost + samples.broken > 0 {
        let _ = writeln!(out, "lost: {} found no room", counted(samples.lost + samples.broken, "sample"));
    }
    for line in [capped(samples), left_out(samples)].into_iter().flatten() {
        let _ = writeln!(out, "{line}");
    }
    out += &print_tasks(&samples.by_process, samples.threads);
    out
}
