//! `opcost check`: do the named runs keep their limits?

use std::path::{Path, PathBuf};

use clap::Parser;
use opcost::check::{ConfigFile, RunConfig, check, updated};
use opcost::count::{CountRequest, CountedRuns, count};
use opcost_answer::check::CheckedRuns;
use opcost_answer::{Failure, Status};
use opcost_profile::formats::write_whole;
use opcost_report::check::{CheckJson, print_check, print_github, print_markdown};
use opcost_report::kit::save::{Stream, document, save_json, save_text};
use opcost_run::start::Streams;

use crate::arguments::{Arguments, CheckArguments, CheckFormat, CountArguments, Verb};
use crate::verbs::counted::request;
use crate::verbs::show::save_failure_json;

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
    let file = ConfigFile::read(&arguments.file)?;
    let target = here.join(&arguments.file);
    let folder = target.parent().unwrap_or(here);
    std::env::set_current_dir(folder).map_err(Failure::file("go to", folder))?;
    // A number that one run drew is no limit: an update holds two runs against each other.
    let at_least = if arguments.update { 2 } else { 1 };
    let report = check(&file, &arguments.runs, at_least, &counted)?;
    let is_updated = arguments.update && report.may_update();
    if is_updated {
        let reason = arguments.reason.as_deref().unwrap_or_default();
        let text = updated(&file, &report.runs, reason)?;
        if text != file.text {
            write_whole(&target, text.as_bytes())?;
        }
    }
    write(arguments, here, json, &report, is_updated)?;
    Ok(if is_updated { Status::Fine } else { report.status() })
}

/// Counts a run of the file, by the flags of `opcost count`.
fn counted(config: &RunConfig, at_least: u32) -> Result<CountedRuns, Failure> {
    let arguments = count_arguments(config)?;
    let request = request(&arguments);
    count(&CountRequest {
        streams: Streams {
            stdin: Some(config.stdin.clone().unwrap_or_else(|| PathBuf::from("/dev/null"))),
            // What the program prints is not this verb's result.
            stdout: Some(PathBuf::from("/dev/null")),
            stderr: None,
            stdout_to_stderr: false,
        },
        repeat: arguments.repeat.max(at_least),
        ..request
    })
}

fn write(
    arguments: &CheckArguments,
    here: &Path,
    json: Option<&Path>,
    report: &CheckedRuns,
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
