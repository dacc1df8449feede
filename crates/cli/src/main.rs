//! The verbs: parse, call, convert, print. No algorithm lives here.

mod arguments;
mod not_understood;
mod verbs;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

use crate::arguments::{Arguments, Verb};
use opcost_answer::{Failure, Status};
use opcost_cache::choice::{Choice, choose};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_text};
use opcost_toolchain::driver::names::Front;

fn main() -> ExitCode {
    opcost::offer();
    if let Err(error) = opcost_interrupt::begin() {
        // A run without it is still a run; only ^C leaves its folders behind.
        opcost_answer::tell!("opcost: signals cannot be received: {error}");
    }
    opcost::progress::watch_work(|name| Box::new(Progress::start(name)));
    let line: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let Some((front, rest)) = verbs::cc::intercept(&line) {
        return exit_code(verbs::cc::run(front, rest));
    }
    let parsed = Arguments::command().try_get_matches().and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((matches, arguments))
    });
    let (matches, arguments) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            if !error.use_stderr() {
                let _ = error.print();
                return Status::Fine.into();
            }
            let error = not_understood::with_advice(error, &line);
            // It quotes the command line, which may be anything.
            let words = not_understood::plain(&error.render().ansi().to_string());
            let _ = save_text(None, &words, Stream::Stderr);
            verbs::outputs::refused(&line, &error);
            return Status::Usage.into();
        }
    };
    if let Err(error) = verbs::idle::check(&matches).and_then(|()| verbs::outputs::check(&matches)) {
        return exit_code(Err(error));
    }
    choose(Choice { is_off: arguments.no_cache, size: arguments.cache_size });
    if arguments.full_names {
        opcost_answer::names::show_full_names();
    }
    exit_code(match arguments.verb {
        Verb::Count(count) => verbs::count::run(&count),
        Verb::Fuel(fuel) => verbs::fuel::run(&fuel),
        Verb::Life(life) => verbs::life::run(&life),
        Verb::Loops(loops) => verbs::loops::run(&loops),
        Verb::Predict(predict) => verbs::predict::run(&predict),
        Verb::Slice(slice) => verbs::slice::run(&slice),
        Verb::Tune(tune) => verbs::tune::run(&tune),
        Verb::Run(run) => verbs::run::run(&run),
        Verb::Explain(explain) => verbs::explain::run(&explain),
        Verb::Bits(bits) => verbs::bits::run(&bits),
        Verb::Hdl(hdl) => verbs::hdl::run(&hdl),
        Verb::Timing(timing) => verbs::timing::run(&timing),
        Verb::Values(values) => verbs::values::run(&values),
        Verb::Sample(sample) => verbs::sample::run(&sample),
        Verb::Repair(repair) => verbs::repair::run(&repair),
        Verb::Overlap(overlap) => verbs::overlap::run(&overlap),
        Verb::Export(export) => verbs::export::run(&export),
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
        Verb::Cache(cache) => verbs::cache::run(&cache),
        Verb::Doctor(doctor) => verbs::doctor::run(&doctor),
    })
}

/// The exit status, after an error was printed.
fn exit_code(outcome: Result<Status, Failure>) -> ExitCode {
    match outcome {
        Ok(status) => ended(status),
        Err(error) => {
            // What a signal made fail is no failure.
            opcost_interrupt::hold();
            opcost_answer::tell!("opcost: {error}");
            ended(error.status())
        }
    }
}

/// The exit status. Who was interrupted dies of the signal, so that a shell and `make` stop, too.
fn ended(status: Status) -> ExitCode {
    if let Status::Interrupted(signal) = status {
        opcost_interrupt::die_of(signal);
    }
    status.into()
}
