//! Where does something happen that is no time: faults, misses, switches?
//!
//! Samples of a clock tell how often code runs, since each instruction takes
//! about as long as its model says, and so do records of branches. Samples of
//! other events tell only where they happened, so functions are listed by them,
//! and nothing is made consistent. A ledger of counts cannot be made of them and
//! is refused before the program runs.
//!
//! Input: samples. Cost: one look-up for each address.

use std::collections::BTreeMap;
use std::path::PathBuf;

use opcost_sample::Samples;

use crate::arguments::SampleArguments;
use opcost::sampling::locations::others;
use opcost_answer::Failure;
use opcost_report::count::events::print_events;
use opcost_report::kit::save::{Stream, save_text};
use opcost_run::frames::hit_functions;

/// Events whose samples are time.
const CLOCKS: [&str; 6] = ["cpu-clock", "task-clock", "timer", "cycles", "ref-cycles", "bus-cycles"];

/// Whether samples of an event are time, so that counts can be made of them.
fn are_time(event: &str) -> bool {
    CLOCKS.contains(&event)
}

/// Whether samples say how often code ran: by time, or by the branches that were taken.
pub(super) fn have_counts(samples: &Samples) -> bool {
    are_time(&samples.event) || samples.has_runs()
}

/// Refuses what would need counts.
pub(super) fn check(arguments: &SampleArguments) -> Result<(), Failure> {
    match &arguments.event {
        Some(event) if !arguments.branches && !are_time(event) => check_event(arguments, event),
        _ => Ok(()),
    }
}

/// Refuses what would need counts of an event that is no time.
fn check_event(arguments: &SampleArguments, event: &str) -> Result<(), Failure> {
    let show = &arguments.show;
    if arguments.ledger.is_some() || show.json.is_some() || show.html.is_some() {
        return Err(Failure::Usage(format!(
            "{event} shows where it happens and not how often code runs; --ledger, --json and --html want an \
             event of time: cpu-clock"
        )));
    }
    Ok(())
}

/// Functions by the samples in them.
pub(super) fn report(
    arguments: &SampleArguments,
    samples: &Samples,
    images: &[PathBuf],
) -> Result<(), Failure> {
    // A file of samples says only now what it is of.
    check_event(arguments, &samples.event)?;
    let functions = hit_functions(samples, images);
    let elsewhere = others(samples, &BTreeMap::new());
    let out = print_events(samples, &functions, elsewhere.as_deref(), arguments.show.top);
    save_text(arguments.output.as_deref(), &out, Stream::Stderr)
}
