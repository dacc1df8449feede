//! A contest's judge in some lines: every submission gets the same amount of work.
//!
//! `judge LIMIT SUBMISSION.c < input` builds a submission, runs it on fuel and prints a verdict.
//! The limit is a number of instructions, so the verdict is the same on every machine. It uses
//! the library as anybody would: the program `opcost` must be in PATH, or be named by `OPCOST`.

use std::process::ExitCode;

use opcost::{CompileOptions, Failure, Program, Run};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [limit, source] = words.as_slice() else {
        eprintln!("judge LIMIT SUBMISSION, such as: judge 5000000 bot.c < input");
        return ExitCode::from(2);
    };
    let Ok(limit) = limit.parse() else {
        eprintln!("judge: '{limit}' is no number of instructions");
        return ExitCode::from(2);
    };
    match judge(limit, source) {
        Ok(verdict) => {
            println!("{verdict}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("judge: {error}");
            ExitCode::from(error.status().number())
        }
    }
}

/// What is to be said of a submission.
fn judge(limit: u64, source: &str) -> Result<String, Failure> {
    let program = Program::build([source], &CompileOptions::default())?;
    let spending = program.fuel(&Run::default(), Some(limit))?;
    Ok(if let Some(stop) = &spending.page.stopped {
        format!("used up: {limit} instructions, in {}", stop.function)
    } else if spending.finish.is_success() {
        format!("finished: {} of {limit} instructions", spending.spent)
    } else {
        format!("failed: {:?} after {} instructions", spending.finish, spending.spent)
    })
}
