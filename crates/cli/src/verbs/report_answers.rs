//! `opcost report` of a ledger that holds answers and no counts.
//!
//! A table by key, or `opcost.answers/1`. Flags that show counts are refused: nothing was counted.
//! Cost: the rows.

use std::path::Path;

use opcost_answer::{Failure, Status};
use opcost_profile::Ledger;
use opcost_report::answers::json::answers_document;
use opcost_report::answers::table::{AnswersReport, in_program_order, print_answers};
use opcost_report::kit::save::{Stream, save_json, save_text};
use opcost_report::kit::style::screen_width;

use crate::arguments::ReportArguments;
use crate::verbs::selection::{is_one_of, unknown};

/// Shows the answers.
pub(crate) fn show(arguments: &ReportArguments, ledger: &Ledger) -> Result<Status, Failure> {
    refuse_counts(arguments)?;
    let mut rows = in_program_order(&ledger.answers);
    let wanted = &arguments.show.function;
    if !wanted.is_empty() {
        let names = rows.iter().filter_map(|row| Some(&*row.key.function()?.name));
        if let Some(words) = unknown(names, wanted) {
            return Err(Failure::Usage(words));
        }
        rows.retain(|row| row.key.function().is_some_and(|function| is_one_of(&function.name, wanted)));
    }
    let report = AnswersReport { about: &ledger.about, rows };
    if let Some(path) = &arguments.show.json {
        save_json(path, &answers_document(&report))?;
    }
    if arguments.show.json.as_deref() != Some(Path::new("-")) {
        let text = print_answers(&report, screen_width());
        save_text(arguments.output.as_deref(), &text, Stream::Stdout)?;
    }
    Ok(Status::Fine)
}

/// Flags that show counts have nothing to show.
fn refuse_counts(arguments: &ReportArguments) -> Result<(), Failure> {
    let show = &arguments.show;
    let flags = [
        ("--annotate", show.annotate),
        ("--asm", show.asm),
        ("--ir", show.ir),
        ("--list", show.list.is_some()),
        ("--html", show.html.is_some()),
        ("--program", arguments.raw.program.is_some()),
    ];
    let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let path = arguments.inputs[0].display();
    Err(Failure::Usage(format!(
        "{path} holds answers and no counts, and {flag} shows counts; leave it out, or name a ledger that \
         opcost count --ledger wrote"
    )))
}
