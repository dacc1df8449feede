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
use crate::error::Status;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let status = if error.use_stderr() { Status::Usage } else { Status::Fine };
            let _ = error.print();
            return status.into();
        }
    };
    let outcome = match arguments.verb {
        Verb::Count(count) => verbs::count::run(count),
        Verb::Module(module) => verbs::module::run(&module),
    };
    match outcome {
        Ok(status) => status.into(),
        Err(error) => {
            eprintln!("opcost: {error}");
            error.status().into()
        }
    }
}
