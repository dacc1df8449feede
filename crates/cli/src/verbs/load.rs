//! What did the user give: ledgers, or raw counters with their program?
//!
//! `.opc` files are ledgers; `.opcraw` files are the raw counters of one run,
//! and name the program that wrote them. Every verb that works with ledgers
//! takes both.

use std::path::{Path, PathBuf};

use opcost_profile::formats::opc::{OpcError, load_ledger, save_ledger};
use opcost_profile::{Ending, Ledger, MergeError, Quality as Sureness, merge};
use opcost_recover::{course_of, has_calls, summarize_ledger};

use super::measure::Measurement;
use crate::arguments::RawArguments;
use opcost_answer::Failure;
use opcost_answer::run::{Finish, Quality};
use opcost_report::count::report::{CountReport, ReportFacts, Verdict};
use opcost_report::kit::progress::Progress;

/// What was given.
pub(crate) enum Given {
    /// A ledger, the sum of all that were named.
    Ledger(Ledger),
    /// The raw files of one run.
    Raw(Box<Measurement>),
}

/// Reads ledgers (they are added), or the raw files of one run.
pub(crate) fn read(inputs: &[PathBuf], arguments: &RawArguments) -> Result<Given, Failure> {
    let _progress = Progress::start("reading");
    let raw = inputs.iter().filter(|path| is_raw(path)).count();
    if raw == inputs.len() {
        return Ok(Given::Raw(Box::new(Measurement::of_raw(inputs, arguments.program.as_deref())?)));
    }
    if raw > 0 {
        return Err(Failure::Usage(
            "ledgers (.opc) and raw counters (.opcraw) do not mix here; make a ledger of the raw ones first: \
             opcost report *.opcraw --ledger run.opc"
                .to_owned(),
        ));
    }
    let ledgers = inputs.iter().map(|path| ledger_file(path)).collect::<Result<Vec<_>, _>>()?;
    Ok(Given::Ledger(add(inputs, ledgers)?))
}

/// Reads one ledger, or makes one of one raw file.
pub(crate) fn ledger(path: &Path, arguments: &RawArguments) -> Result<Ledger, Failure> {
    if !is_raw(path) {
        return ledger_file(path);
    }
    let measurement = Measurement::of_raw(&[path.to_owned()], arguments.program.as_deref())?;
    measurement.ledger(&measurement.report().summary, vec![path.display().to_string()])
}

/// The sum of ledgers of one build.
pub(crate) fn add(names: &[PathBuf], ledgers: Vec<Ledger>) -> Result<Ledger, Failure> {
    if let [_] = ledgers.as_slice() {
        return Ok(ledgers.into_iter().next().expect("one is there"));
    }
    merge(&ledgers).map_err(|error| unmergeable(names, error))
}

/// Why ledgers of these names do not add.
pub(crate) fn unmergeable(names: &[PathBuf], error: MergeError) -> Failure {
    match error {
        MergeError::OtherBuild { position, what } => Failure::Counters(format!(
            "{} comes from another build than {} (their {what} differ): merge runs of one build, and compare \
             builds with `opcost diff`",
            names[position].display(),
            names[0].display()
        )),
        other => Failure::Counters(other.to_string()),
    }
}

/// Writes a ledger, whole or not at all.
pub(crate) fn keep(path: &Path, ledger: &Ledger) -> Result<(), Failure> {
    Ok(save_ledger(path, ledger)?)
}

fn ledger_file(path: &Path) -> Result<Ledger, Failure> {
    if holds_values(path) {
        return Err(Failure::Usage(format!(
            "{} holds recorded values, not counts; they are shown by: opcost values --read {} PROGRAM",
            path.display(),
            path.display()
        )));
    }
    load_ledger(path).map_err(|error| match error {
        unreadable @ OpcError::Unreadable { .. } => Failure::Counters(unreadable.to_string()),
        other => Failure::Counters(format!("{}: {other}", path.display())),
    })
}

/// Whether it is what `opcost values --keep` wrote: a file of values, or a folder of them.
fn holds_values(path: &Path) -> bool {
    let files = std::fs::read_dir(path).into_iter().flatten().flatten();
    is_value_file(path) || files.map(|file| file.path()).any(|file| is_value_file(&file))
}

/// Whether a file is one of recorded values, by its name.
pub(crate) fn is_value_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "opcval")
}

fn is_raw(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "opcraw")
}

/// The report of a ledger, as far as it tells.
pub(crate) fn report_of(ledger: &Ledger) -> CountReport {
    let about = &ledger.about;
    let module = about.modules.first();
    let text = |get: fn(&opcost_profile::ModuleFacts) -> String| module.map_or_else(String::new, get);
    let course = course_of(ledger);
    CountReport {
        summary: summarize_ledger(ledger),
        facts: ReportFacts {
            anchor: text(|module| module.anchor.to_string()),
            cost_model: about.cost.name.clone(),
            compiler: text(|module| module.build.compiler.clone()),
            flags: module.map_or_else(Vec::new, |module| module.build.flags.clone()),
            target: text(|module| module.build.target.clone()),
            placement: text(|module| module.build.placement.map_or("none".into(), |p| p.to_string())),
            has_lines: about.modules.iter().any(|module| module.build.has_debug_lines),
        },
        quality: quality(ledger, course.doubts.clone()),
        finish: course.ending.map(finish),
        verdict: Verdict::None,
        processes: course.processes.map_or(1, |processes| usize::try_from(processes).unwrap_or(usize::MAX)),
        runs: about.runs,
        is_deterministic: course.is_held_fixed,
        repetition: None,
        stacks: None,
        tasks: None,
        next: Vec::new(),
        calls_known: has_calls(ledger),
        listings: Vec::new(),
        machine: std::collections::HashMap::new(),
    }
}

fn finish(ending: Ending) -> Finish {
    match ending {
        Ending::Exited(status) => Finish::Exited(status),
        Ending::Killed(signal) => Finish::Killed(signal),
    }
}

/// As sure as the least sure fact.
fn quality(ledger: &Ledger, doubts: Vec<String>) -> Quality {
    let doubtful = |quality: &Sureness| !matches!(quality, Sureness::Exact | Sureness::ExactUnder(_));
    match ledger.facts().iter().find(|fact| doubtful(&fact.quality)) {
        None => Quality::Exact,
        Some(fact) if !doubts.is_empty() => match fact.quality {
            Sureness::Estimate => Quality::Estimate(doubts),
            _ => Quality::LowerBound(doubts),
        },
        Some(fact) if fact.quality == Sureness::Estimate => {
            Quality::Estimate(vec![format!("{} by samples: about right", fact.origin)])
        }
        Some(fact) => {
            Quality::LowerBound(vec![format!("the ledger says {} of {}", fact.quality, fact.subject)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_values_are_no_ledger() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("12-0.opcval");
        std::fs::write(&file, "values").expect("a file");
        for path in [file.as_path(), folder.path()] {
            let said = ledger_file(path).err().map(|error| error.to_string());
            assert!(said.is_some_and(|said| said.contains("opcost values --read")), "{}", path.display());
        }
        assert!(!holds_values(&folder.path().join("none")));
    }
}
