//! The verbs: parse, call, convert, print. No algorithm lives here.

mod arguments;
mod build;
mod error;
mod report;
mod run;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Verb};
use crate::build::Front;
use crate::error::{CliError, Status};

fn main() -> ExitCode {
    let line: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let Some((front, rest)) = verbs::cc::intercept(&line) {
        return told(verbs::cc::run(front, rest));
    }
    if build::is_rust_linker(&line[0]) {
        return told(build::link_rust(&line[0], &line[1..]).map(Status::Own));
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let status = if error.use_stderr() { Status::Usage } else { Status::Fine };
            let _ = error.print();
            return status.into();
        }
    };
    told(match arguments.verb {
        Verb::Count(count) => verbs::count::run(&count),
        Verb::Fuel(fuel) => verbs::fuel::run(&fuel),
        Verb::Life(life) => verbs::life::run(&life),
        Verb::Loops(loops) => verbs::loops::run(&loops),
        Verb::Explain(explain) => verbs::explain::run(&explain),
        Verb::Bits(bits) => verbs::bits::run(&bits),
        Verb::Analyse(request) => verbs::analyse::run(&request),
        Verb::Record(request) => verbs::life::record(&request),
        Verb::Code(request) => verbs::life_code::read(&request),
        Verb::Values(values) => verbs::values::run(&values),
        Verb::Sample(sample) => verbs::sample::run(&sample),
        Verb::Repair(repair) => verbs::repair::run(&repair),
        Verb::Overlap(overlap) => verbs::overlap::run(&overlap),
        Verb::Export(export) => verbs::export::run(&export),
        Verb::Profile(request) => verbs::export::make(&request),
        Verb::Report(report) => verbs::report::run(&report),
        Verb::Check(check) => verbs::check::run(&check),
        Verb::Diff(diff) => verbs::diff::run(&diff),
        Verb::Merge(merge) => verbs::merge::run(&merge),
        Verb::Completions(completions) => verbs::papers::completions(&completions),
        Verb::Man(man) => verbs::papers::man(&man),
        Verb::Schema(schema) => verbs::papers::schema(&schema),
        Verb::Cargo(given) => verbs::cargo::run(&given.arguments),
        Verb::Cc(given) => verbs::cc::run(Front::C, &given.arguments),
        Verb::Cxx(given) => verbs::cc::run(Front::Cxx, &given.arguments),
        Verb::Flang(given) => verbs::cc::run(Front::Fortran, &given.arguments),
        Verb::Doctor(doctor) => verbs::doctor::run(&doctor),
        Verb::Module(module) => verbs::module::run(&module),
        Verb::Sandbox(sandbox) => verbs::sandbox::run(&sandbox),
    })
}

/// The exit status, after an error was told.
fn told(outcome: Result<Status, CliError>) -> ExitCode {
    match outcome {
        Ok(status) => status.into(),
        Err(error) => {
            eprintln!("opcost: {error}");
            error.status().into()
        }
    }
}
