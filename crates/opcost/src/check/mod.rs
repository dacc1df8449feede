//! Do the named runs keep their limits?
//!
//! Every run of `opcost.toml` is built and counted as `opcost count` would, in the current folder, and held against its
//! limits. The total decides, and functions that somebody gave a limit (`functions`); what other functions did is
//! there for comparison. No verdict (status 1) where numbers cannot be compared: another compiler, other flags, target
//! or model than recorded, counts that are lower bounds, a limit of a function that never was. One run's failure does
//! not hide the others'.
//!
//! Input: a file of limits, and who counts a run of it. Output: the runs with their verdicts; the file's text with new
//! limits. Cost: that of the runs.
//!
//! ```
//! use opcost::check::{ConfigFile, check, updated};
//! use opcost::count::{CountRequest, count};
//! # fn main() -> Result<(), opcost::Failure> {
//! # let folder = std::env::temp_dir().join(format!("opcost-doc-check-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let source = folder.join("check.c");
//! # std::fs::write(&source, "int main(void) {\n    volatile int sum = 0;\n    for (int i = 0; i < 10; i++) sum = sum + i;\n    return sum != 45;\n}\n").unwrap();
//! let path = folder.join("opcost.toml");
//! std::fs::write(&path, format!("[run.small]\ninputs = [{source:?}]\nlimit = 5\n")).unwrap();
//! let file = ConfigFile::read(&path)?;
//! let checked = check(&file, &[], 1, &|run, _| count(&CountRequest::of(run.inputs.clone())))?;
//! assert!(checked.runs[0].is_over());
//! assert!(updated(&file, &checked.runs, "first limits")?.contains("recorded"));
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok(()) }
//! ```

mod build;
mod config;
mod functions;
mod limit;
mod update;

use std::collections::BTreeMap;
use std::process::Command;

use opcost_answer::check::{
    CheckLimit, CheckVerdict, CheckedRun, CheckedRuns, CountToCheck, RecordedCheck, RecordedTotal,
    RecordedWork,
};
use opcost_answer::count::CountAnswers;
use opcost_answer::run::RunQuality;
use opcost_answer::{Failure, Status};

pub use config::{ConfigFile, RunConfig};
use functions::{Bodies, Expected};
use limit::Tolerance;
pub use update::updated;

use crate::count::CountedRuns;

/// Counts a run, as often as that says at least.
pub type RunCounter<'a> = &'a dyn Fn(&RunConfig, u32) -> Result<CountedRuns, Failure>;

/// Checks the runs of these names; all of the file if none is named. Each is counted `at_least` so often.
///
/// # Errors
/// The file has no run of a name. What goes wrong with a run is its verdict.
pub fn check(
    file: &ConfigFile,
    runs: &[String],
    at_least: u32,
    counter: RunCounter<'_>,
) -> Result<CheckedRuns, Failure> {
    let names = selected_runs(file, runs)?;
    let runs = names.iter().map(|name| check_run(file, name, at_least, counter)).collect();
    Ok(CheckedRuns { file: file.path.display().to_string(), runs })
}

/// The runs that were asked for.
fn selected_runs(file: &ConfigFile, asked: &[String]) -> Result<Vec<String>, Failure> {
    let known: Vec<String> = file.config.run.keys().cloned().collect();
    match asked.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(Failure::Usage(format!(
            "{} has no run '{name}'; it has {}",
            file.path.display(),
            known.join(", ")
        ))),
        None if asked.is_empty() => Ok(known),
        None => Ok(known.into_iter().filter(|name| asked.contains(name)).collect()),
    }
}

/// Builds, counts and judges one run, repeated `at_least` so often.
fn check_run(file: &ConfigFile, name: &str, at_least: u32, counter: RunCounter<'_>) -> CheckedRun {
    let entry = &file.config.run[name];
    let config = entry.get_ref();
    let mut run = CheckedRun {
        name: name.to_owned(),
        line: file.line(&entry.span()),
        limit: config.limit.as_ref().map(|limit| CheckLimit {
            most: limit.get_ref().0,
            tolerance: tolerance(file, config).of(limit.get_ref().0),
            line: file.line(&limit.span()),
        }),
        recorded_total: recorded_total(file, config),
        counted: None,
        functions: Vec::new(),
        has_recorded_functions: file.has_recorded_functions(name),
        recorded: config.recorded.clone(),
        verdict: CheckVerdict::Within,
    };
    if opcost_interrupt::was_stopped() {
        run.verdict = CheckVerdict::Failed("not run: the check was stopped by a signal".to_owned());
        return run;
    }
    match count(config, at_least, counter) {
        Ok((report, bodies)) => {
            let expected = expected(file, config, run.has_recorded_functions);
            let mut refusals = Vec::new();
            run.functions = functions::checked(&expected, &report, &bodies, &mut refusals);
            let build = RecordedCheck {
                instructions: u64::try_from(report.summary.weight).ok(),
                functions: functions::to_record(&run.functions, &report, &bodies),
                ..build::recorded(&report.facts)
            };
            run.counted = Some(CountToCheck { total: report.summary.weight, finish: report.finish, build });
            judge(config, &report, refusals, &mut run);
        }
        Err(error) if error.status() == Status::Usage => {
            run.verdict = CheckVerdict::Misused(error.to_string());
        }
        Err(error) => run.verdict = CheckVerdict::Failed(error.to_string()),
    }
    run
}

/// Builds and counts one run.
fn count(
    config: &RunConfig,
    at_least: u32,
    counter: RunCounter<'_>,
) -> Result<(CountAnswers, Bodies), Failure> {
    if let Some(build) = &config.build {
        let status = Command::new("sh")
            .args(["-c", build])
            .stdout(std::io::stderr())
            .status()
            .map_err(Failure::file("start", "sh"))?;
        if !status.success() {
            return Err(Failure::ToolFailed { tool: "the build".to_owned(), input: build.clone() });
        }
    }
    let counted = counter(config, at_least)?;
    let bodies = Bodies::of(&counted.measurement.modules());
    Ok((counted.answers, bodies))
}

/// By how much counts of a run may be above its limits.
fn tolerance(file: &ConfigFile, config: &RunConfig) -> Tolerance {
    let unwritten = if config.recorded.is_some() { Tolerance::RECORDED } else { Tolerance::Instructions(0) };
    config.tolerance.or(file.config.tolerance).unwrap_or(unwritten)
}

/// What the run did when its limits were recorded. Earlier versions recorded it as the limit alone.
fn recorded_total(file: &ConfigFile, config: &RunConfig) -> Option<RecordedTotal> {
    let recorded = config.recorded.as_ref()?;
    let limit = config.limit.as_ref().map(|limit| limit.get_ref().0);
    let total = recorded.instructions.map(u128::from).or(limit)?;
    Some(RecordedTotal { total, tolerance: tolerance(file, config).of(total) })
}

/// What a run's functions are held against.
fn expected(file: &ConfigFile, config: &RunConfig, has_recorded_functions: bool) -> Expected {
    let is_recorded = |is_plain: bool| has_recorded_functions && is_plain && config.recorded.is_some();
    let mut recorded = config.recorded.as_ref().map_or_else(Default::default, |it| it.functions.clone());
    let mut limits = BTreeMap::new();
    for (name, entry) in &config.functions {
        let limit = entry.get_ref();
        let most = limit.limit.0;
        if is_recorded(limit.is_plain) {
            let instructions = u64::try_from(most).unwrap_or(u64::MAX);
            recorded.insert(name.clone(), RecordedWork { instructions, body: None });
            continue;
        }
        let tolerance = limit.tolerance.unwrap_or_else(|| tolerance(file, config)).of(most);
        limits.insert(name.clone(), CheckLimit { most, tolerance, line: file.line(&entry.span()) });
    }
    Expected { limits, recorded }
}

/// Holds what was counted against the limits.
fn judge(config: &RunConfig, report: &CountAnswers, missing: Vec<String>, run: &mut CheckedRun) {
    let mut refusals =
        config.recorded.as_ref().map_or_else(Vec::new, |recorded| build::unlike(recorded, &report.facts));
    refusals.extend(missing);
    if opcost_interrupt::was_stopped() {
        refusals.push("not exact: it was stopped by a signal".into());
    }
    if let RunQuality::LowerBound(reasons) = &report.quality {
        refusals.extend(reasons.iter().map(|reason| format!("not exact: {reason}")));
    }
    if let Some(repetition) = report.repetition.as_ref().filter(|text| text.starts_with("the runs")) {
        let remedy = if arguments_are_fixed(config) {
            "its input differs from run to run"
        } else {
            "flags = [\"--deterministic\"] holds addresses, clocks and random numbers fixed"
        };
        refusals.push(format!("{repetition}; {remedy}"));
    }
    let has_limits = config.limit.is_some() || !config.functions.is_empty();
    if !has_limits {
        refusals
            .push("it has no limits yet; opcost check --update --reason \"first limits\" writes them".into());
    }
    if run.limit.is_some() && run.over().is_none() {
        functions::mark_inlined(&mut run.functions);
    }
    let failed = !config.ignore_status && report.finish.is_some_and(|finish| !finish.is_success());
    run.verdict = match () {
        () if !refusals.is_empty() => CheckVerdict::Refused(refusals),
        () if failed => CheckVerdict::ProgramFailed,
        () if run.is_over() => CheckVerdict::Over,
        () => CheckVerdict::Within,
    };
}

/// Whether the run's world is held fixed already.
fn arguments_are_fixed(config: &RunConfig) -> bool {
    config.flags.iter().any(|flag| flag == "--deterministic")
}
