//! `opcost timing`: what do instructions, calls and memory take on this machine?

use std::path::Path;

use crate::arguments::TimingArguments;
use opcost::priced::{parse_timing, read_timing};
use opcost_answer::{Failure, Status};
use opcost_report::kit::progress::Progress;
use opcost_report::kit::save::{Stream, save_text};
use opcost_report::timing::file::print_timing;
use opcost_timing::file::write;

/// Carries out the verb.
pub(crate) fn run(arguments: &TimingArguments) -> Result<Status, Failure> {
    let (path, timing) = match (&arguments.file, &arguments.output) {
        (Some(path), _) => (path, read_timing(path)?),
        (None, Some(path)) => {
            let working = Progress::start("measuring this machine until two runs agree (2 to 4 minutes)");
            let text = write(&opcost::measured::measure()?);
            drop(working);
            // A pipe takes the file and nothing else.
            save_text(Some(path), &text, Stream::Stdout)?;
            if path == Path::new("-") {
                return Ok(Status::Fine);
            }
            (path, parse_timing(path, &text)?)
        }
        (None, None) => unreachable!("the command line wants one of them"),
    };
    save_text(None, &print_timing(&timing, &path.display().to_string()), Stream::Stdout)?;
    Ok(Status::Fine)
}
