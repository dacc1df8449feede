//! `opcost check`: do the named runs keep their limits?
//!
//! Every run of `opcost.toml` is built and counted as `opcost count` would,
//! in the file's folder, and held against its limits. The total decides, and functions that
//! somebody gave a limit (`functions`); what other functions did is there for comparison. No verdict
//! (status 1) where numbers cannot be compared: another compiler, other flags, target or
//! model than recorded, counts that are lower bounds, a limit of a function that
//! never was. One run's failure does not hide the others'.

mod build;
mod config;
mod functions;
mod limit;
mod update;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use opcost_profile::formats::write_whole;

use config::{ConfigFile, RunConfig};
use functions::{Bodies, Expected};
use limit::Tolerance;

use crate::arguments::{Arguments, CheckArguments, CheckFormat, CountArguments, Verb};
use crate::verbs::count::with_program;
use crate::verbs::counted::report_of_run;
use crate::verbs::show::save_failure_json;
use opcost::counting::{Measurement, Task};
use opcost_answer::check::{RecordedCheck, RecordedWork};
use opcost_answer::run::RunQuality;
use opcost_answer::{Failure, Status};
use opcost_report::check::{
    CheckJson, CheckLimit, CheckReport, CheckVerdict, CheckedRun, CountToCheck, RecordedTotal, print_check,
    print_github, print_markdown,
};
use opcost_report::count::report::CountReport;
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_run::start::Streams;

/// Carries out the verb.
pub(crate) fn run(arguments: &CheckArguments) -> Result<Status, Failure> {
    let here = std::env::current_dir().map_err(Failure::file("find", "."))?;
    let json = arguments
        .json
        .as_ref()
        .map(|path| if path == Path::new("-") { path.clone() } else { here.join(path) });
    let result = carry_out(arguments, &here, json.as_deref());
    save_failure_json(&result, json.as_deref());
    result
}

fn carry_out(arguments: &CheckArguments, here: &Path, json: Option<&Path>) -> Result<Status, Failure> {
    let mut file = ConfigFile::read(&arguments.file)?;
    file.path = arguments.file.clone();
    let names = selected_runs(&file, &arguments.runs)?;
    let target = here.join(&arguments.file);
    let folder = target.parent().unwrap_or(here);
    std::env::set_current_dir(folder).map_err(Failure::file("go to", folder))?;
    // A number that one run drew is no limit: an update holds two runs against each other.
    let at_least = if arguments.update { 2 } else { 1 };
    let runs: Vec<CheckedRun> = names.iter().map(|name| check_run(&file, name, at_least)).collect();
    let report = CheckReport { file: arguments.file.display().to_string(), runs };
    let updated = arguments.update && report.may_update();
    if updated {
        let reason = arguments.reason.as_deref().unwrap_or_default();
        let text = update::updated(&file, &report.runs, reason)?;
        if text != file.text {
            write_whole(&target, text.as_bytes())?;
        }
    }
    write(arguments, here, json, &report, updated)?;
    Ok(if updated { Status::Fine } else { report.status() })
}

fn write(
    arguments: &CheckArguments,
    here: &Path,
    json: Option<&Path>,
    report: &CheckReport,
    updated: bool,
) -> Result<(), Failure> {
    let text = if arguments.update {
        print_check(report, Some(updated))
    } else {
        match arguments.format {
            CheckFormat::Text => print_check(report, None),
            CheckFormat::Markdown => print_markdown(report),
            CheckFormat::Github => print_github(report),
        }
    };
    let stream = if json == Some(Path::new("-")) { Stream::Stderr } else { Stream::Stdout };
    let output: Option<PathBuf> = arguments.output.as_ref().map(|path| here.join(path));
    save_text(output.as_deref(), &text, stream)?;
    match json {
        Some(path) => save_json(path, &document(&CheckJson::new(report))),
        None => Ok(()),
    }
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
fn check_run(file: &ConfigFile, name: &str, at_least: u32) -> CheckedRun {
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
    match count(config, at_least) {
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
fn count(config: &RunConfig, at_least: u32) -> Result<(CountReport, Bodies), Failure> {
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
    let arguments = count_arguments(config)?;
    with_program(&arguments, |program| {
        let measurement = Measurement::run(&Task {
            program,
            arguments: &arguments.arguments,
            streams: Streams {
                stdin: Some(config.stdin.clone().unwrap_or_else(|| PathBuf::from("/dev/null"))),
                // What the program prints is not this verb's result.
                stdout: Some(PathBuf::from("/dev/null")),
                stderr: None,
                stdout_to_stderr: false,
            },
            repeat: arguments.repeat.max(at_least),
            is_deterministic: arguments.deterministic,
        })?;
        Ok((report_of_run(&measurement), Bodies::of(&measurement.modules())))
    })
}

/// The run in the words of `opcost count`, read by the same parser.
fn count_arguments(config: &RunConfig) -> Result<CountArguments, Failure> {
    let mut words = vec!["opcost".to_owned(), "count".to_owned()];
    words.extend(config.flags.iter().cloned());
    words.extend(config.inputs.iter().map(|input| input.display().to_string()));
    words.push("--".to_owned());
    words.extend(config.args.iter().cloned());
    let arguments = Arguments::try_parse_from(&words).map_err(|error| {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Failure::Usage(format!("its flags are not right: {first}"))
    })?;
    match arguments.verb {
        Verb::Count(count) if count.emit.is_none() => Ok(count),
        _ => Err(Failure::Usage("its flags are not right: a check counts and emits nothing".to_owned())),
    }
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
    let mut limits = std::collections::BTreeMap::new();
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
fn judge(config: &RunConfig, report: &CountReport, missing: Vec<String>, run: &mut CheckedRun) {
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
